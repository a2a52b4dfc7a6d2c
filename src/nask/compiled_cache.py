"""Machine code kept on disk, used only while it is whole and made from today's source.

numba keeps compiled functions in files and knows them by the content of the file that a function
is written in. A function also contains what it took from other files: helpers, constants, options
of the compiler. :class:`StampedCache` knows it by the content of all of them, and checks the code
itself, since a file cut short by a full disk would otherwise fail in every run to come.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

PACKAGE = Path(__file__).parent
IMPORT = re.compile(r"^(?:from|import) nask\b(?:\.([\w.]+))?(?: import ([^(\n]+))?", re.MULTILINE)
CHECKSUM_BYTES = hashlib.sha256().digest_size


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _imported(path: Path) -> frozenset[Path]:
    """The files of this package that a file of it imports from."""
    found = set()
    for module, names in IMPORT.findall(_content(path).decode()):
        base = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
        # A name that is imported may be a file, too.
        places = [base.with_suffix(".py"), base / "__init__.py"]
        places += [base / f"{name.split(' as ')[0].strip()}.py" for name in names.split(",")]
        found |= {place for place in places if place.is_file()}
    return frozenset(found)


def sources(path: Path) -> list[Path]:
    """The files that the compiled functions of a file are made from.

    Those it imports from, for what they define; and where these compile too, those that they
    import from, and so on.

    Examples
    --------
    >>> [source.stem for source in sources(PACKAGE / "engines" / "sketch" / "mixing.py")]
    ['compiled_cache', 'compiling', 'vectors', 'mixing']
    """
    compiler = PACKAGE / "compiling.py"
    found, left = {path}, [path]
    while left:
        imported = _imported(left.pop()) - found
        found |= imported
        left += [source for source in imported if compiler in {source, *_imported(source)}]
    return sorted(found)


@cache
def source_stamp(path: Path) -> str:
    """A hash of all that the compiled functions of a file are made from."""
    stamp = hashlib.sha256()
    for source in sources(path):
        stamp.update(hashlib.sha256(_content(source)).digest())
    return stamp.hexdigest()


class CheckedFile(IndexDataCacheFile):
    """Files of numba's cache, with a checksum in each; a harmed one counts as not there."""

    def _load_index(self) -> dict[Any, str]:
        try:
            overloads: dict[Any, str] = super()._load_index()
        except Exception:  # harmed bytes raise anything
            return {}
        return overloads

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        checksum, data = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
        if hashlib.sha256(data).digest() != checksum:
            raise OSError("The file is harmed.")  # numba then compiles again
        return pickle.loads(data)

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(content).digest() + content)


class StampedCache(FunctionCache):
    """The compiled forms of one function, by the content of all files that it is made from."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = source_stamp(Path(inspect.getfile(function)))
        self._cache_file = CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled form, unless the disk is full or closed: it works without."""
        with suppress(OSError):
            super().save_overload(sig, data)
