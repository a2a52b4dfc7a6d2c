"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.exceptions import ParameterError
from nask.io.dataset import Dataset
from nask.messages import quoted


def save_arrays(
    file: Path, name: str, values: npt.NDArray[Any], data: Dataset, parameters: Mapping[str, Any]
) -> None:
    """Write an array as .npy; or as .npz, with the target and the parameters beside it."""
    # Opened here: given a name, numpy would add its own ending to one in capitals.
    with file.open("wb") as stream:
        if file.suffix.lower() == ".npy":
            np.save(stream, values)
            return
        arrays: dict[str, Any] = {name: values, "parameters": json.dumps(parameters)}
        if data.y is not None:
            # Text, where numpy would have to pickle.
            arrays["y"] = data.y.astype(str) if data.y.dtype == object else data.y
        np.savez(stream, **arrays)


@contextmanager
def output_file(path: Path, option: str, suffixes: Collection[str] = ()) -> Iterator[Path]:
    """Give a temporary path that takes its final name when the block ends well.

    Enter it before a long computation: a place where nothing can be written is an error at once,
    and an error in the block leaves what was there before.

    Parameters
    ----------
    path : Path
    option : str
        The option that named it, for messages.
    suffixes : collection of str
        Those allowed; any by default.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with output_file(folder / "a.txt", "--out", [".txt"]) as temporary:
    ...     _ = temporary.write_text("whole")
    ...     (folder / "a.txt").exists()
    False
    >>> (folder / "a.txt").read_text()
    'whole'
    >>> with output_file(folder / "a.doc", "--out", [".txt"]) as temporary:
    ...     pass
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Cannot write ...a.doc: the ending '.doc' is unknown. Give --out
    a file that ends in .txt.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        known = ", ".join(sorted(suffixes))
        raise ParameterError(
            f"Cannot write {path}: the ending {quoted(path.suffix)} is unknown. Give {option} a "
            f"file that ends in {known}."
        )
    # The file a link points to is replaced, not the link.
    place = path.resolve()
    if place.exists() and not place.is_file():
        raise ParameterError(
            f"Cannot write {path}: it is there and not an ordinary file. Give {option} the name of "
            "a file."
        )
    try:
        # A folder of its own, since a file made by tempfile would be closed to other users.
        folder = tempfile.TemporaryDirectory(dir=place.parent, prefix=".nask-")
    except OSError as error:
        raise ParameterError(
            f"Cannot write {path}: {error.strerror} ({place.parent}). Give {option} a file in a "
            "folder that exists and that you may write to."
        ) from None
    with folder:
        temporary = Path(folder.name) / place.name
        yield temporary
        os.replace(temporary, place)
