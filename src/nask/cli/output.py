"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

import nask
from nask.arrays import Array
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.optional import require
from nask.storage.replacing import check_writable, replacing

PICTURES = (".pdf", ".png", ".svg")


def save_arrays(file: Path, name: str, values: Array, data: nask.Dataset, model: Any) -> None:
    """Write an array as .npy; or as .npz, under its name, with the target and parameters beside it.

    The parameters are those of the model that computed it, as JSON; the target is that of the data,
    if there is one.
    """
    from nask.kernels.parameters import RUNNING

    # Opened here: given the name GRAM.NPY, numpy would add a second ending in small letters.
    with file.open("wb") as stream:
        if file.suffix.lower() == ".npy":
            np.save(stream, values)
            return
        parameters = {k: v for k, v in model.get_params().items() if k not in RUNNING}
        arrays: dict[str, Any] = {name: values, "parameters": json.dumps(parameters)}
        if data.y is not None:
            # Objects become text, since numpy would pickle them.
            arrays["y"] = data.y.astype(str) if data.y.dtype == object else data.y
        np.savez(stream, **arrays)


def check_output(path: Path, option: str, suffixes: Collection[str] = ()) -> None:
    """Raise, before anything is computed, if a file could not be written in the end.

    Parameters
    ----------
    option : str
        The option that named it, for messages.
    suffixes : collection of str
        The endings that are allowed; any by default.

    Examples
    --------
    >>> check_output(Path("a.txt"), "--out", [".txt"])
    >>> check_output(Path("a.doc"), "--out", [".txt"])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Cannot write a.doc: the ending '.doc' is unknown. Give --out
    a file that ends in .txt.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        known = ", ".join(sorted(suffixes))
        raise ParameterError(
            f"Cannot write {path}: the ending {quoted(path.suffix)} is unknown. Give {option} a "
            f"file that ends in {known}."
        )
    check_writable(path, option)


def check_picture(path: Path, option: str) -> None:
    """Raise, before anything is computed, if a picture could not be drawn and written.

    Examples
    --------
    >>> check_picture(Path("gram.png"), "--plot")
    >>> check_picture(Path("gram.txt"), "--plot")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Cannot write gram.txt: the ending '.txt' is unknown. Give \
--plot a file that ends in .pdf, .png, .svg.
    """
    require("matplotlib", "plots")
    check_output(path, option, PICTURES)


def save_picture(figure: Any, path: Path, option: str, dpi: int = 150) -> None:
    """Write a matplotlib figure, in the format that the ending of the path names.

    ``option`` named the path, for errors; ``dpi`` counts where the format has dots.
    """
    with replacing(path, option) as temporary:
        figure.savefig(temporary, dpi=dpi)
