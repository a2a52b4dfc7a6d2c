"""Machine code kept on disk, used only if it is undamaged and made from the present source.

numba keeps compiled functions in files, and compiles anew when the file changes in which a function
is written. A function also depends on other files: its helpers, its constants, the options of the
compiler. :class:`StampedCache` compiles anew when any of them changes. It also checks the machine
code itself: a file cut short by a full disk would otherwise fail in every later run.
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

PACKAGE = Path(__file__).parents[1]
IMPORT = re.compile(r"^(?:from|import) nask\b(?:\.([\w.]+))?(?: import ([^(\n]+))?", re.MULTILINE)
CHECKSUM_BYTES = hashlib.sha256().digest_size


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _imported(path: Path) -> frozenset[Path]:
    """Return the files of this package from which a file of the package imports."""
    found = set()
    for module, names in IMPORT.findall(_content(path).decode()):
        base = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
        # An imported name may be a module.
        places = [base.with_suffix(".py"), base / "__init__.py"]
        places += [base / f"{name.split(' as ')[0].strip()}.py" for name in names.split(",")]
        found |= {place for place in places if place.is_file()}
    return frozenset(found)


def sources(path: Path) -> list[Path]:
    """Return the files that the compiled functions of a file depend on.

    These are the file itself and those it imports from. Where one of these has compiled functions
    of its own, the files that it imports from count too, and so on.

    Examples
    --------
    >>> [source.stem for source in sources(PACKAGE / "engines" / "sketch" / "mixing.py")]
    ['arrays', 'cache', 'compiling', 'exponential', 'singles', 'vectors', 'mixing']
    """
    compiler = PACKAGE / "compiled" / "compiling.py"
    found, left = {path}, [path]
    while left:
        imported = _imported(left.pop()) - found
        found |= imported
        left += [source for source in imported if compiler in {source, *_imported(source)}]
    return sorted(found)


@cache
def source_stamp(path: Path) -> str:
    """Return a hash of all files that the compiled functions of a file depend on."""
    stamp = hashlib.sha256()
    for source in sources(path):
        stamp.update(hashlib.sha256(_content(source)).digest())
    return stamp.hexdigest()


class CheckedFile(IndexDataCacheFile):
    """The files of numba's cache, each with a checksum; a damaged file counts as absent."""

    def _load_index(self) -> dict[Any, str]:
        try:
            overloads: dict[Any, str] = super()._load_index()
        except Exception:  # damaged bytes may raise anything
            return {}
        return overloads

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        checksum, data = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
        if hashlib.sha256(data).digest() != checksum:
            raise OSError("The file is damaged.")  # numba then compiles again
        return pickle.loads(data)

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(content).digest() + content)


class StampedCache(FunctionCache):
    """The machine code of one function, valid as long as no file changes that it is made from."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = source_stamp(Path(inspect.getfile(function)))
        self._cache_file = CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code; nothing happens if the disk is full or cannot be written."""
        with suppress(OSError):
            super().save_overload(sig, data)
