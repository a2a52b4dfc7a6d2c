"""Folders for what is unfinished: named by the process that made them, and gone soon after it.

A process that is killed leaves its folder behind; the next that makes one in the same place removes
it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nask.exceptions import FileWriteError

# Whose a folder is: the machine, since a disk may be shared, and then the process.
PREFIX = f".nask-{zlib.crc32(platform.node().encode()):08x}-"
# Those of this process that are there.
_own: set[Path] = set()


def make_scratch(parent: Path | None = None) -> Path:
    """Make a folder of this process; by default in the system's place for temporary files.

    Examples
    --------
    >>> folder = make_scratch()
    >>> folder.is_dir(), f"-{os.getpid()}-" in folder.name
    (True, True)
    >>> folder.rmdir()
    """
    if parent is None:
        try:
            parent = Path(tempfile.gettempdir())
        except OSError as error:
            raise FileWriteError(
                f"There is no place for temporary files: {error.strerror}. Free some space, or let "
                "the environment variable TMPDIR name a folder that you may write to."
            ) from error
    _remove_leftovers(parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
    _own.add(folder)
    return folder


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Make such a folder, and remove it with all that is in it when the block ends."""
    folder = make_scratch(parent)
    try:
        yield folder
    finally:
        remove_scratch(folder)


def remove_scratch(folder: Path) -> None:
    """Remove a folder that :func:`make_scratch` made, with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)
    _own.discard(folder)


def remove_own() -> None:
    """Remove all folders of this process, for an end that leaves no time for more."""
    for folder in list(_own):
        # A child that was forked has no say over those of its parent.
        if f"-{os.getpid()}-" in folder.name:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(parent: Path) -> None:
    if os.name != "posix":  # where asking for a process would end it
        return
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = re.match(rf"{re.escape(PREFIX)}(\d+)-", entry.name)
            if found and not _is_alive(int(found[1])):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # of another user, or no process's number
    return True
