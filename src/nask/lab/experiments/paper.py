"""What the paper reports, by experiment, row and column."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def claims(experiment: str) -> Mapping[tuple[str, str], str | float]:
    """Return the paper's figures of an experiment by (row, column).

    Examples
    --------
    >>> claims("accuracy-numerical")["nask", "BZR"]
    '88.8 ± 1.8'
    """
    text = files("nask.lab.experiments").joinpath("paper.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)[experiment]
    return {
        (row, column): figure
        for row, figures in table["rows"].items()
        for column, figure in zip(table["columns"], figures, strict=True)
        if figure != ""
    }


def mean_of(claim: str | float | None) -> float | None:
    """Return the mean of a figure such as '88.8 ± 1.8'; None where there is none.

    Examples
    --------
    >>> mean_of("88.8 ± 1.8"), mean_of("TIMEOUT"), mean_of(None)
    (88.8, None, None)
    """
    if not isinstance(claim, str):
        return claim
    try:
        return float(claim.partition("±")[0])
    except ValueError:
        return None
