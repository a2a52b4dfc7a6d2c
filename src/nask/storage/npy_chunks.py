"""A matrix in one ``.npy`` file, with a record beside it: which chunks are done, and checksums.

The record is a file of JSON lines. The first says what is computed; each other one is a chunk that
is on disk, with the crc32 of the first line, its place and its numbers. Read back, every chunk is
checked against it, so that one that was altered, or that belongs to another file or place, is
computed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from nask.arrays import Floats
from nask.exceptions import FormatError, MemoryLimitError
from nask.messages import quoted
from nask.storage.chunks import Chunks, problem_of_chunks
from nask.storage.contents import Contents
from nask.storage.json_lines import JsonLines
from nask.storage.npy_file import check_file, checksum_of, create_file
from nask.storage.window import Tile, Window, put

FORMAT = "nask chunks 2"

Map = np.memmap[Any, np.dtype[np.floating]]
Bounds = tuple[int, int, int, int]


class NpyChunks(Chunks):
    """The chunks of one file; made by :func:`open_npy`.

    Parameters
    ----------
    path : Path
        Of the ``.npy`` file.
    record : JsonLines
        Beside it.
    header : dict
        First line of the record: what is computed, and the shapes of the matrix and its chunks.
    checksums : dict
        Of the chunks that are done, by the bounds of their windows.
    """

    def __init__(
        self, path: Path, record: JsonLines, header: dict[str, Any], checksums: dict[Bounds, int]
    ) -> None:
        self.path = path
        self.header = header
        self.symmetric = header["symmetric"]
        self._record = record
        self._checksums = checksums

    @property
    def windows(self) -> list[Window]:
        """All chunks; of a symmetric matrix, those on and above the diagonal."""
        n_rows, n_columns = self.header["chunk"]
        return Window.whole(*self.header["shape"][-2:]).tiles(n_rows, n_columns, self.symmetric)

    def __len__(self) -> int:
        return len(self._checksums)

    def intact(self, window: Window) -> bool:
        """Tell whether a chunk and its mirror image have the checksum of the record."""
        expected = self._checksums.get(window.bounds)
        if expected is None:
            return False
        array = self.map()
        place = self._place(window)
        if checksum_of(array[..., window.rows, window.columns], place) != expected:
            return False
        image = array[..., window.columns, window.rows].swapaxes(-1, -2)
        return not self.symmetric or window.on_diagonal or checksum_of(image, place) == expected

    def _place(self, window: Window) -> str:
        """What a chunk is of: a line copied from another record fits none of its own."""
        return json.dumps([self.header, window.bounds], sort_keys=True)

    def write(self, window: Window, tiles: Iterable[Tile]) -> None:
        """Write the tiles of a chunk; on disk, and in the record, when this returns."""
        for tile, values in tiles:
            # Mapped anew for every tile, so that pages written before do not count as memory in
            # use.
            array = np.lib.format.open_memmap(self.path, mode="r+")
            put(array, tile, values, self.symmetric)
            array.flush()
        written = self.map()[..., window.rows, window.columns]
        checksum = checksum_of(written, self._place(window))
        self._record.append({"chunk": window.bounds, "crc32": checksum})
        self._checksums[window.bounds] = checksum

    def map(self) -> Map:
        """Map the file for reading."""
        return cast(Map, np.load(self.path, mmap_mode="r"))

    def clear(self) -> None:
        """Forget all chunks."""
        self._record.clear()
        self._record.append(self.header)
        self._checksums = {}


@contextmanager
def open_npy(
    path: Path,
    contents: Contents,
    shape: tuple[int, ...],
    dtype: str,
    *,
    chunk: tuple[int, int],
    symmetric: bool,
    place: str,
) -> Iterator[NpyChunks]:
    """Open a matrix in a file, or begin one; other processes wait until the block ends.

    Parameters
    ----------
    path : Path
        Of the ``.npy`` file; the record has the same name, with the ending ``.jsonl``.
    contents : Contents
        What is computed. A file of something else is an error.
    shape : tuple of int
        The last two are the numbers of rows and columns.
    chunk : tuple of two int
        Rows and columns of a chunk. A file that is there keeps its own.
    symmetric : bool
        Whether the matrix is.
    place : str
        The parameter that names the folder, for advice.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npy"
    >>> options = {"chunk": (2, 2), "symmetric": True, "place": "folder"}
    >>> for _ in range(2):  # the second time, all is there
    ...     with open_npy(path, Contents("ones", "a1"), (3, 3), "float64", **options) as chunks:
    ...         print(len(chunks), "of", len(chunks.windows))
    ...         chunks.fill(lambda window: np.ones(window.shape), False, "")
    0 of 3
    3 of 3
    >>> with open_npy(path, Contents("ones", "b2"), (3, 3), "float64", **options):
    ...     pass
    Traceback (most recent call last):
    nask.exceptions.FormatError: ...a.npy is of other graphs, or was fitted to others. Move it and
    the .jsonl file of the same name away, or choose another folder.
    """
    record = _record(path, place)
    if path.exists() and not record.path.exists():
        raise FormatError(
            f"{path} has no record {record.path.name} beside it, which would say what it holds. "
            f"Move it away, or choose another {place}."
        )
    header = {
        "format": FORMAT,
        **contents.attributes(),
        "shape": list(shape),
        "dtype": dtype,
        "symmetric": symmetric,
        "chunk": list(chunk),
    }
    with record.locked(wait=True):
        lines = record.read(trim=True)
        if lines:
            _check_header(lines[0], header, contents, path, place)
        checksums = _checksums(record, lines)
        chunks = NpyChunks(path, record, lines[0] if lines else header, checksums)
        if not lines or not path.exists():
            chunks.clear()
        if len(chunks):
            check_file(path, shape, dtype)
        else:
            create_file(path, shape, dtype, place)
        try:
            yield chunks
        except MemoryLimitError:
            if not len(chunks):
                path.unlink()  # nothing to go on from
            raise


def read_npy(path: Path, contents: Contents, n_items: int, place: str) -> Map | None:
    """Map a finished square matrix; None where it is missing, unfinished or altered.

    A file of something else is an error.
    """
    lines = _record(path, place).read()
    if len(lines) < 2 or not path.exists():
        return None
    header = lines[0]
    shape = header.get("shape")
    square = [n_items, n_items]
    matrices = [*shape[:-2], *square] if isinstance(shape, list) else square
    _check_header(header, {**header, "shape": matrices}, contents, path, place)
    shape, chunk = tuple(header["shape"]), tuple(header["chunk"])
    options = {"chunk": chunk, "symmetric": header["symmetric"], "place": place}
    with open_npy(path, contents, shape, header["dtype"], **options) as chunks:
        return chunks.map() if all(map(chunks.intact, chunks.windows)) else None


def write_npy(path: Path, contents: Contents, matrix: Floats, place: str) -> Map:
    """Write a matrix that is in memory, as one chunk, and map it.

    Parameters
    ----------
    contents : Contents
        What the matrix is of. :func:`read_npy` compares it with what it is asked for.
    place : str
        The parameter or option that named the folder, for errors: "out (--out)".

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npy"
    >>> read_npy(path, Contents("ones", "a1"), 2, "folder") is None
    True
    >>> _ = write_npy(path, Contents("ones", "a1"), np.ones((2, 2)), "folder")
    >>> np.asarray(read_npy(path, Contents("ones", "a1"), 2, "folder"))
    array([[1., 1.],
           [1., 1.]])
    """
    n_rows, n_columns = matrix.shape[-2:]
    options: dict[str, Any] = {"chunk": (n_rows, n_columns), "symmetric": False, "place": place}
    with open_npy(path, contents, matrix.shape, matrix.dtype.name, **options) as chunks:
        [whole] = chunks.windows
        chunks.write(whole, [(whole, matrix)])
        return chunks.map()


def _record(path: Path, place: str) -> JsonLines:
    """The record of a file, beside it."""
    record = path.with_suffix(".jsonl")
    return JsonLines(record, "format", "the record of a matrix", "folder", place)


def _check_header(
    found: dict[str, Any], expected: dict[str, Any], contents: Contents, path: Path, place: str
) -> None:
    problem = contents.difference(found)
    shape, chunk = found.get("shape"), found.get("chunk")
    if not problem and found.get("format") != FORMAT:
        problem = f"has format {quoted(found.get('format'))}, expected {FORMAT!r}"
    for name in ("shape", "dtype", "symmetric"):
        if not problem and found.get(name) != expected.get(name):
            problem = f"has {name} {quoted(found.get(name))}, expected {quoted(expected[name])}"
    if not problem and found.get("dtype") not in ("float32", "float64"):
        problem = f"has dtype {quoted(found.get('dtype'))}"
    if not problem and not isinstance(found.get("symmetric"), bool):
        problem = f"has symmetric {quoted(found.get('symmetric'))}"
    if not problem and isinstance(shape, list) and isinstance(chunk, list):
        problem = problem_of_chunks(shape, chunk, found.get("symmetric"))
    elif not problem:
        problem = f"has chunks of {quoted(chunk)} rows and columns"
    if problem:
        raise FormatError(
            f"{path} {problem}. Move it and the .jsonl file of the same name away, or choose "
            f"another {place}."
        )


def _checksums(record: JsonLines, lines: list[dict[str, Any]]) -> dict[Bounds, int]:
    """Read the lines of a record after the first; the last of a chunk counts."""
    found: dict[Bounds, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            first, last, left, right = line["chunk"]
            found[first, last, left, right] = int(line["crc32"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise record.damaged(number) from error
    return found
