"""Which parameters to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from nask.exceptions import ParameterError, did_you_mean
from nask.messages import quoted

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

_FULL: dict[str, Sequence[Any]] = {
    "gamma": (0.05, 0.1, 0.5, 1.0, 2.0, 4.0),
    "degree": (None, "categorical", "numerical"),
    "use_edges": (True, False),
    "attributes": ("all", "categorical"),
    "gamma_star": (4.0, 8.0, 16.0, 32.0, 64.0),
    "n_hops": (1, 2, 3, 4, 5),
    "normalize": (True, False),
}
_DEFAULT: dict[str, Sequence[Any]] = {
    "gamma": (0.1, 0.5, 2.0),
    "degree": (None, "categorical", "numerical"),
    "use_edges": (True, False),
    "attributes": ("all", "categorical"),
    "gamma_star": (4.0, 16.0, 64.0),
    "n_hops": (1, 2, 3, 4),
    "C": (1.0, 1e1, 1e2),
}
# For the nodes of one network; docs/development.md tells how it came about.
_NODES: dict[str, Sequence[Any]] = {
    "gamma": (1.0, 3.0),
    "use_edges": (False, True),
    "restart": (None, 0.1, 0.3),
    "gamma_star": (2.0, 8.0, 32.0),
    "n_hops": (1, 2, 3, 4),
    "C": (1.0, 3.0, 10.0),
}
GRIDS: Mapping[str, Sequence[Mapping[str, Sequence[Any]]]] = {
    name: (
        {**grid, "gram": ("linear",)},
        {**grid, "gram": ("rbf",), "gram_scale": scales},
    )
    for name, grid, scales in (
        ("default", _DEFAULT, (1.0, 3.0)),
        ("full", _FULL, (1.0, 3.0)),
        ("nodes", _NODES, (1.0,)),
    )
}


def named_grid(name: str) -> Sequence[Mapping[str, Sequence[Any]]]:
    """Return the grid of that name.

    Examples
    --------
    >>> named_grid("default")[0]["gamma"]
    (0.1, 0.5, 2.0)
    """
    if name not in GRIDS:
        raise ParameterError(f"There is no grid {quoted(name)}. {did_you_mean(name, GRIDS)}")
    return GRIDS[name]


def settings(
    grid: Grid, known: Sequence[str], owner: str = "TunedNASKClassifier"
) -> Iterator[dict[str, Any]]:
    """Every combination of a grid's values, or of each grid of a list, the first name slowest.

    Parameters
    ----------
    grid : mapping of str to sequence, or sequence of such
    known : sequence of str
        Names a grid may have.
    owner : str
        Whose grid it is, for messages.

    Examples
    --------
    >>> list(settings({"gamma": [0.1, 1], "n_hops": [1, 2]}, ["gamma", "n_hops"]))
    [{'gamma': 0.1, 'n_hops': 1}, {'gamma': 0.1, 'n_hops': 2},
     {'gamma': 1, 'n_hops': 1}, {'gamma': 1, 'n_hops': 2}]
    >>> list(settings({"gama": [1]}, ["gamma", "n_hops"]))
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The grid varies 'gama', which is no parameter. Did you mean ...
    """
    for part in [grid] if isinstance(grid, Mapping) else grid:
        if not isinstance(part, Mapping):
            raise ParameterError.expected(
                "grid", owner, "a dict of lists by parameter, or a list of such", part
            )
        for name, values in part.items():
            if name not in known:
                raise ParameterError(
                    f"The grid varies {quoted(name)}, which is no parameter. "
                    f"{did_you_mean(name, known)}"
                )
            listed = isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, str)
            if not listed or not len(values):
                raise ParameterError(
                    f"The grid has {quoted(values)} for {quoted(name)}: expected a list of values "
                    "to try."
                )
        # ParameterGrid sorts the names; here the order given decides which candidate is first.
        names = list(part)
        ranked = {f"{i:03d}": part[name] for i, name in enumerate(names)}
        for setting in ParameterGrid(ranked):
            # Plain numbers, which records can hold, in place of numpy's.
            yield {
                names[int(rank)]: value.item() if isinstance(value, np.generic) else value
                for rank, value in setting.items()
            }
