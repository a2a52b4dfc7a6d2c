"""A folder or a zip, read in the same way: names of files, and their bytes."""

from __future__ import annotations

import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from nask.exceptions import FormatError, NaskError
from nask.messages import quoted
from nask.storage.read_limit import check_zip, read_member


@dataclass(frozen=True)
class Archive:
    """The files of a folder or of a zip; nothing is ever extracted to disk.

    Parameters
    ----------
    path : Path
        The folder or the zip.
    names : tuple of str
        The files in it, sorted, with "/" between folders.
    is_zip : bool
        Whether it is a zip.
    """

    path: Path
    names: tuple[str, ...]
    is_zip: bool

    def where(self, name: str) -> str:
        """Return the name of one of the files in errors."""
        return str(self.path / name)

    def read(self, name: str) -> bytes:
        """Return the bytes of one of the files."""
        if not self.is_zip:
            return (self.path / name).read_bytes()
        try:
            with zipfile.ZipFile(self.path) as opened:
                self._refuse_password(opened, name)
                return read_member(opened, name)
        except FormatError:
            raise
        except Exception as error:  # damaged bytes raise anything, from zlib.error to IndexError
            raise self.damaged(name, error) from error

    def open(self, name: str) -> IO[bytes]:
        """Open one of the files as a stream; the caller closes it.

        Reading a damaged zip may raise any exception; :meth:`damaged` returns an error for it.
        """
        if not self.is_zip:
            return (self.path / name).open("rb")
        try:
            with zipfile.ZipFile(self.path) as opened:  # stays open as long as the file in it
                self._refuse_password(opened, name)
                return opened.open(name)
        except FormatError:
            raise
        except Exception as error:
            raise self.damaged(name, error) from error

    def n_bytes(self, names: Iterable[str]) -> int:
        """Return the size on disk of what these files are read from."""
        if self.is_zip:
            return self.path.stat().st_size
        return sum((self.path / name).stat().st_size for name in names)

    def _refuse_password(self, opened: zipfile.ZipFile, name: str) -> None:
        if opened.getinfo(name).flag_bits & 1:
            raise FormatError(
                f"{self.where(name)} is protected by a password. Extract the zip with its password "
                "and read the folder."
            )

    def damaged(self, name: str, error: Exception) -> FormatError:
        """Return the error for a file that could not be read."""
        what = "zip" if self.is_zip else "file"
        return FormatError(
            f"{self.where(name)} cannot be read: the {what} is damaged ({quoted(error)}). Get it "
            "again."
        )


def open_archive(path: str | os.PathLike[str]) -> Archive:
    """List the files of a folder, with its direct subfolders, or of a zip.

    Files that macOS adds (``__MACOSX``, ``._name``) are not listed.

    Examples
    --------
    >>> open_archive("no/such/set.zip")
    Traceback (most recent call last):
    nask.exceptions.FormatError: no/such/set.zip does not exist: expected a folder or a zip.
    """
    place = Path(path).expanduser()
    if place.is_dir():
        found = [*place.glob("*"), *place.glob("*/*")]
        names = [file.relative_to(place).as_posix() for file in found if file.is_file()]
    elif place.is_file():
        names = _zip_names(place)
    else:
        raise FormatError(f"{place} does not exist: expected a folder or a zip.")
    return Archive(place, tuple(sorted(filter(_wanted, names))), not place.is_dir())


def _wanted(name: str) -> bool:
    return "__MACOSX" not in name.split("/") and not name.rpartition("/")[2].startswith("._")


def _zip_names(path: Path) -> list[str]:
    with path.open("rb") as file:
        is_zip = file.read(2) == b"PK"
    try:
        with zipfile.ZipFile(path) as opened:
            names = [name for name in opened.namelist() if not name.endswith("/")]
            check_zip(opened, path.stat().st_size, str(path))
    except NaskError:
        raise
    except Exception as error:  # as above
        if not is_zip:
            raise FormatError(
                f"{path} is not a zip: expected a folder or a zip. If it is a file of a set, give "
                "the path of its folder."
            ) from error
        raise FormatError(
            f"{path} is a zip cut short or damaged ({quoted(error)}). Get it again."
        ) from error
    for name, count in Counter(names).items():
        parts = re.split(r"[/\\]", name)
        if ".." in parts or not parts[0] or re.match(r"[A-Za-z]:", name):
            raise FormatError(
                f"{path} holds {quoted(name)}, a name that leads out of the zip. Such a zip is not "
                "read; get it from its source again."
            )
        if count > 1:
            raise FormatError(
                f"{path} holds {quoted(name)} {count} times: expected each file once."
            )
    return names
