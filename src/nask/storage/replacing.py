"""Files that are written whole or not at all: beside the old one, to disk, then in its place.

A kill, a full disk or an error leaves what was there before. What grows line by line or chunk by
chunk, records and matrices, has ways of its own (:mod:`nask.storage.json_lines`,
:mod:`nask.storage.chunks`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nask.exceptions import FileWriteError, ParameterError
from nask.storage.scratch import scratch_folder
from nask.storage.write_errors import writing

# The process's own streams, be they sent to a file.
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


@contextmanager
def replacing(path: str | os.PathLike[str], option: str) -> Iterator[Path]:
    """Give a temporary path, whose file takes the place of another when the block ends well.

    The block writes that file and does nothing else: an error of the system in it is told as one
    of this place. A link stays, and what it points to is replaced; permissions stay, too. A device
    or a pipe gets the content of the file.

    Parameters
    ----------
    option : str
        What named it, for messages: "--out", "save".

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "a.txt", "--out") as temporary:
    ...     _ = temporary.write_text("whole")
    ...     (folder / "a.txt").exists()
    False
    >>> (folder / "a.txt").read_text(), len(list(folder.iterdir()))
    ('whole', 1)
    >>> with replacing(folder, "--out") as temporary:
    ...     pass
    Traceback (most recent call last):
    nask.exceptions.FileWriteError: Cannot write ...: it is a folder. Give --out the name of a file.
    """
    given = _as_path(path, option)
    with writing(given, option):
        if _is_stream(given):
            with scratch_folder() as scratch:
                temporary = scratch / given.name
                yield temporary
                with temporary.open("rb") as source, given.open("wb") as target:
                    shutil.copyfileobj(source, target)
            return
        place = _place(given, option)
        # Beside the file, where it can have its own name and is on the same disk.
        with scratch_folder(place.parent) as scratch:
            temporary = scratch / place.name
            yield temporary
            _finish(temporary, place)
            os.replace(temporary, place)
            _to_disk(place.parent)


def check_writable(path: str | os.PathLike[str], option: str) -> None:
    """Raise where :func:`replacing` could not write, before a long computation.

    Examples
    --------
    >>> check_writable("nowhere/a.txt", "--out")
    Traceback (most recent call last):
    nask.exceptions.FileWriteError: Cannot write nowhere/a.txt: there is no folder ...nowhere. ...
    """
    given = _as_path(path, option)
    with writing(given, option):
        if not _is_stream(given):
            with scratch_folder(_place(given, option).parent):
                pass


def _as_path(path: str | os.PathLike[str], option: str) -> Path:
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise ParameterError.expected("path", option, "a str or a path", path) from None
    if "\0" in text:
        raise ParameterError.expected("path", option, "a path without the character \\0", path)
    return Path(text)


def _is_stream(path: Path) -> bool:
    """Tell whether something is there that has no place in a folder: a device, a pipe."""
    if os.path.abspath(path).startswith(STREAMS):
        return True
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _place(path: Path, option: str) -> Path:
    """Where the file lies, behind all links; an error where it must not be replaced."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    place = path.resolve()
    # Renaming would not ask for it.
    if place.exists() and not os.access(place, os.W_OK):
        raise FileWriteError(
            f"Cannot write {path}: the file is write-protected. Change its permissions, or give "
            f"{option} another name."
        )
    return place


def _finish(temporary: Path, place: Path) -> None:
    """Bring a file to disk, with the permissions of the one whose place it takes."""
    with temporary.open("r+b") as file:
        with contextlib.suppress(FileNotFoundError):
            old = place.stat()
            with contextlib.suppress(AttributeError, OSError):
                os.chown(temporary, old.st_uid, old.st_gid)
            os.chmod(temporary, stat.S_IMODE(old.st_mode))
        os.fsync(file.fileno())


def _to_disk(folder: Path) -> None:
    """Bring the names in a folder to disk, where the system can."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
