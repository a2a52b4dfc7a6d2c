"""Downloads of benchmark sets into the cache, whole or not at all."""

from __future__ import annotations

import errno
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from nask.datasets.catalogue import DatasetInfo
from nask.datasets.places import CACHE_VARIABLE, DATA_VARIABLE, cache_folder
from nask.exceptions import DatasetNotFoundError, FileWriteError, FormatError
from nask.execution.progress import terminal_bar
from nask.io.readers.archive import open_archive
from nask.storage.replacing import replacing
from nask.storage.scratch import scratch_folder
from nask.storage.write_errors import FULL, cannot_write, writing

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

TIMEOUT = 30  # seconds without a byte
CHUNK = 1 << 16
# Errors of a place that may not be written to: no network has them.
FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
# What names the cache, for messages.
PLACE = f"the environment variable {CACHE_VARIABLE}"


def download(info: DatasetInfo) -> Path:
    """Download a set into the cache; a bar on standard error shows how far it is.

    Files are written under another name and moved when they are complete, so that a download
    that was cut short is never taken for a set.

    Returns
    -------
    Path
        The zip in the cache. A set of several files is packed into one.

    Raises
    ------
    DatasetNotFoundError
        If it fails; the message says which file to get and where to put it.
    """
    cache = cache_folder()
    target = cache / f"{info.name}.zip"
    try:
        with writing(cache, PLACE):
            cache.mkdir(parents=True, exist_ok=True)
        with scratch_folder(cache) as scratch:
            files = _fetch(info.addresses, scratch)
            zipped = files[0] if files[0].suffix == ".zip" else _pack(files, target.name)
            open_archive(zipped)
            with replacing(target, PLACE) as temporary:
                os.replace(zipped, temporary)
    except FormatError:
        raise DatasetNotFoundError(_failed(info, cache, "what came is not a zip")) from None
    except OSError as error:  # those of the network are OSErrors too
        if error.errno in (*FULL, *FORBIDDEN):
            error = cannot_write(target, PLACE, error)
        # The message has the reason: the causes, four tracebacks deep, would bury it.
        raise DatasetNotFoundError(_failed(info, cache, _reason(error))) from None
    return target


def how_to_get(info: DatasetInfo, cache: Path) -> str:
    """Say which files to get from where, and into which folder to put them.

    Examples
    --------
    >>> from nask.datasets.catalogue import catalogue
    >>> print(how_to_get(catalogue()["NCI1"], Path("downloads")))
    Get https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip and put it into downloads (the
    cache) or into a folder that the environment variable NASK_DATA names.
    """
    into = (
        f"into {cache} (the cache) or into a folder that the environment variable {DATA_VARIABLE} "
        "names."
    )
    if len(info.addresses) == 1:
        return f"Get {info.addresses[0]} and put it {into}"
    listed = "".join(f"\n  {address}" for address in info.addresses)
    return f"Put these files into a folder {info.name}, and that {into}{listed}"


def _fetch(addresses: tuple[str, ...], folder: Path) -> list[Path]:
    import pooch
    from rich.progress import DownloadColumn

    files = []
    with terminal_bar(DownloadColumn()) as bar:
        for address in addresses:
            file = folder / address.rpartition("/")[2]
            shown = _FileBar(bar, file.name)
            get = pooch.HTTPDownloader(progressbar=shown, chunk_size=CHUNK, timeout=TIMEOUT)
            try:
                get(address, str(file), None)
            except OSError as error:
                # If a server refuses, pooch does not close its answer.
                response = getattr(error, "response", None)
                if response is not None:
                    response.close()
                raise
            files.append(file)
    return files


class _FileBar:
    """One file's line of a bar, with the methods that pooch calls."""

    def __init__(self, bar: Bar, description: str) -> None:
        self._bar = bar
        self._task = bar.add_task(description, total=None)

    @property
    def total(self) -> float | None:
        return self._bar.tasks[self._task].total

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._bar.update(self._task, total=n_bytes or None)

    def update(self, n_bytes: int) -> None:
        self._bar.advance(self._task, n_bytes)

    def reset(self) -> None:
        self._bar.reset(self._task, total=self.total)

    def close(self) -> None:
        self._bar.stop_task(self._task)


def _pack(files: list[Path], name: str) -> Path:
    packed = files[0].parent / name
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            # A packed file would not get smaller.
            archive.write(file, file.name, zipfile.ZIP_STORED if file.suffix == ".gz" else None)
    return packed


def _failed(info: DatasetInfo, cache: Path, reason: str) -> str:
    return (
        f"{info.name} is not at hand, and its download failed: {reason}.\n{how_to_get(info, cache)}"
    )


def _reason(error: BaseException) -> str:
    """Return the innermost cause of an error: requests wraps it three times."""
    if isinstance(error, FileWriteError):
        return str(error).rstrip(".")
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return str(error) or type(error).__name__
