"""What a pickle may say of numpy and scipy, as inert values: nothing of these is called."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Array
from nask.exceptions import FormatError

# Booleans, integers and floats of fixed width. No objects, records, text or subarrays.
NUMBERS = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248])")
MOST_DIMENSIONS = 32


@dataclass(frozen=True)
class Name:
    """A class or function that a pickle names; only its name, which does nothing."""

    module: str
    name: str


@dataclass
class PickledType:
    """The type of an array's numbers, as ``numpy.dtype`` is pickled."""

    code: str

    def build(self, state: Any) -> None:
        """Take the byte order; records and subarrays are refused."""
        if not isinstance(state, tuple) or len(state) < 5 or state[1] not in ("<", ">", "|", "="):
            raise FormatError("it describes a type of numbers in an unknown way")
        if any(field is not None for field in state[2:5]):
            raise FormatError("it holds an array of records, not of numbers")
        self.code = str(state[1]) + self.code.lstrip("<>|=")


@dataclass
class PickledArray:
    """An array, as ``numpy.ndarray`` is pickled; ``value`` is None until it is built."""

    value: Array | None = None

    def build(self, state: Any) -> None:
        """Make the array, after its shape, type and bytes are checked."""
        if not isinstance(state, tuple) or len(state) != 5:
            raise FormatError("it describes an array in an unknown way")
        _, shape, kind, by_column, data = state
        if not isinstance(kind, PickledType):
            raise FormatError("it holds an array of no known type of numbers")
        sizes_fit = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
        if not sizes_fit or len(shape) > MOST_DIMENSIONS:
            raise FormatError("it holds an array of an impossible shape")
        if isinstance(data, str):  # of Python 2
            data = data.encode("latin1")
        numbers = np.dtype(kind.code)
        if not isinstance(data, bytes) or len(data) != math.prod(shape) * numbers.itemsize:
            raise FormatError(f"it holds an array whose bytes are not those of shape {shape}")
        order: Any = "F" if by_column else "C"
        self.value = np.frombuffer(data, dtype=numbers).reshape(shape, order=order).copy()


@dataclass
class PickledMatrix:
    """The arrays of a sparse matrix, as ``scipy.sparse.csr_matrix`` is pickled; not checked."""

    data: Any = None
    indices: Any = None
    indptr: Any = None
    shape: Any = None

    def build(self, state: Any) -> None:
        """Take the three arrays and the shape of a matrix; only scipy needs the rest."""
        if not isinstance(state, dict):
            raise FormatError("it describes a sparse matrix in an unknown way")
        for name in ("data", "indices", "indptr"):
            setattr(self, name, state.get(name))
        self.shape = state.get("_shape")


def _type(args: tuple[Any, ...]) -> PickledType:
    if not args or not isinstance(args[0], str) or not NUMBERS.fullmatch(args[0]):
        raise FormatError("it holds an array of something else than numbers")
    return PickledType(args[0])


def _bytes(args: tuple[Any, ...]) -> bytes:
    text, encoding = args or ("", "latin1")
    if not isinstance(text, str) or encoding != "latin1":
        raise FormatError("it encodes text in an unknown way")
    return text.encode("latin1")


# All that a pickle may name, as old and new releases of Python, numpy and scipy name it, and what
# replaces a call of it. None: it is only an argument of another call.
ADMITTED: dict[Name, Callable[[tuple[Any, ...]], Any] | None] = {
    Name("numpy", "ndarray"): None,
    Name("numpy", "dtype"): _type,
    Name("numpy.core.multiarray", "_reconstruct"): lambda _: PickledArray(),
    Name("numpy._core.multiarray", "_reconstruct"): lambda _: PickledArray(),
    Name("scipy.sparse.csr", "csr_matrix"): lambda _: PickledMatrix(),
    Name("scipy.sparse._csr", "csr_matrix"): lambda _: PickledMatrix(),
    Name("collections", "defaultdict"): lambda _: {},  # its factory is for keys that are missing
    Name("__builtin__", "list"): None,
    Name("builtins", "list"): None,
    Name("_codecs", "encode"): _bytes,
    Name("__builtin__", "bytes"): _bytes,
}


def call(name: Any, args: Any) -> Any:
    """Return what replaces a call of an admitted name."""
    make = ADMITTED.get(name) if isinstance(name, Name) else None
    if make is None or not isinstance(args, tuple):
        raise FormatError("it calls what is no function of an array")
    return make(args)
