"""Errors of the system while something is written, in words that say what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nask.exceptions import FileWriteError
from nask.execution.resources import free_disk, nearest_folder, readable_bytes

# No room on the disk, or in the user's share of it, which not every system has.
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


@contextmanager
def writing(path: str | os.PathLike[str], option: str) -> Iterator[None]:
    """Turn an error of the system in the block into one that names the place and what to do.

    The block should do no more than write there. A reader of a pipe that has gone is no error of
    the place, and stays what it is.

    Parameters
    ----------
    path : path
        The file or folder that is written.
    option : str
        What named it, for the advice: "--out", "gram_folder".

    Examples
    --------
    >>> with writing("nowhere/model.nask", "save"):
    ...     open("nowhere/model.nask", "wb")
    Traceback (most recent call last):
    nask.exceptions.FileWriteError: Cannot write nowhere/model.nask: there is no folder ...nowhere.
    Make that folder, or give save a place in one that exists.
    """
    try:
        yield
    except (FileWriteError, BrokenPipeError):
        raise
    except OSError as error:
        raise cannot_write(path, option, error) from error


def cannot_write(path: str | os.PathLike[str], option: str, error: OSError) -> FileWriteError:
    """Build the error of a place that cannot be written to."""
    place = Path(os.path.abspath(path))
    reason, advice = _explained(place, option, error)
    return FileWriteError(f"Cannot write {os.fspath(path)}: {reason}. {advice}")


def _explained(place: Path, option: str, error: OSError) -> tuple[str, str]:
    """Why a place cannot be written to, and what to do about it."""
    code, folder = error.errno or 0, nearest_folder(place.parent)
    elsewhere = f"Give {option} a place in a folder that exists and that you may write to."
    disk = f"Free some space, or give {option} a place on another disk."
    free = f"{readable_bytes(free_disk(folder))} are free in {folder}, and more is needed"
    known = {
        errno.EISDIR: ("it is a folder", f"Give {option} the name of a file."),
        errno.ENOTDIR: (f"{_first_file(place)} is a file, not a folder", elsewhere),
        errno.EEXIST: (f"{_first_file(place)} is a file, not a folder", elsewhere),
        errno.EACCES: (f"you may not write to {folder}", elsewhere),
        errno.EPERM: (f"you may not write to {folder}", elsewhere),
        errno.EROFS: (f"the disk of {folder} is read-only", elsewhere),
        errno.ENAMETOOLONG: (
            f"a name in it has {_longest(place)} bytes, and most systems take 255",
            f"Give {option} a shorter name.",
        ),
        errno.EFBIG: (f"the file is larger than allowed: {free}", disk),
        **dict.fromkeys(FULL, (f"the disk is full: {free}", disk)),
    }
    missing = [above for above in reversed(place.parents) if not os.path.isdir(above)]
    if missing:
        make = f"Make that folder, or give {option} a place in one that exists."
        known[errno.ENOENT] = f"there is no folder {missing[0]}", make
    return known.get(code, (error.strerror or str(error), elsewhere))


def _first_file(place: Path) -> Path:
    above = [part for part in (*reversed(place.parents), place) if os.path.isfile(part)]
    return above[0] if above else place


def _longest(place: Path) -> int:
    return max(len(os.fsencode(part)) for part in place.parts)
