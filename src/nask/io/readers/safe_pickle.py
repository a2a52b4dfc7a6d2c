"""Pickles of arrays and plain containers, read without running what else they may hold."""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import Any

from nask.exceptions import FormatError
from nask.io.readers.pickled_arrays import (
    ADMITTED,
    Name,
    PickledArray,
    PickledMatrix,
    PickledType,
    call,
)
from nask.messages import quoted

# Operations that push the value that comes with them.
VALUES = frozenset(
    (
        "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "FLOAT", "BINFLOAT",
        "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE",
        "BINBYTES", "SHORT_BINBYTES", "BINBYTES8",
    )
)  # fmt: skip
CONSTANTS: dict[str, Any] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
SHORT_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
IGNORED = frozenset(("PROTO", "FRAME"))
KEYS = (int, float, str, bytes, type(None))
# Arrays and bytes together, in units of the file. An honest one has each once; in text, twice.
MOST_MADE = 4


def load_arrays(data: bytes, where: str) -> Any:
    """Read the numpy arrays, sparse matrices, numbers, text, lists and dictionaries of a pickle.

    Everything else is refused: unpickling can run any code, and arrays unpickled by numpy itself
    can point anywhere in memory. No class is imported, called or changed; arrays are built from
    their bytes after these are found to fit shape and type. A list or dictionary is used once.

    Parameters
    ----------
    data : bytes
        Pickles of Python 2 are read, too.
    where : str
        Name of the file in errors.

    Returns
    -------
    object
        A sparse matrix is a `PickledMatrix`, whose arrays are not checked.

    Examples
    --------
    >>> import pickle
    >>> load_arrays(pickle.dumps({1: [2, 3]}), "graph")
    {1: [2, 3]}
    >>> load_arrays(pickle.dumps(print), "graph")
    Traceback (most recent call last):
    nask.exceptions.FormatError: graph is a pickle that is not read: it would call
    builtins.print. Only arrays and plain containers are; get the file from its source.
    """
    try:
        return _Stack().run(data)
    except FormatError as error:
        raise FormatError(
            f"{where} is a pickle that is not read: {error}. Only arrays and plain containers "
            "are; get the file from its source."
        ) from None
    except Exception as error:  # damaged bytes raise anything
        raise FormatError(
            f"{where} cannot be read: expected a pickle, got {quoted(error)}. Get the file again."
        ) from error


class _Stack:
    """The stack of values, the marks in it and the memo, as the pickle format defines them."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.room = 0
        self.operations: dict[str, Callable[[Any], None]] = {
            "MARK": lambda _: self.marks.append(len(self.stack)),
            "EMPTY_LIST": lambda _: self.stack.append([]),
            "EMPTY_DICT": lambda _: self.stack.append({}),
            "LIST": lambda _: self.stack.append(self.since_mark()),
            "TUPLE": lambda _: self.stack.append(tuple(self.since_mark())),
            "DICT": lambda _: self.stack.append(_updated({}, self.since_mark())),
            "APPEND": lambda _: self.append([_finished(self.stack.pop())]),
            "APPENDS": lambda _: self.append(self.since_mark()),
            "SETITEM": lambda _: self.set_items(self.last(2)),
            "SETITEMS": lambda _: self.set_items(self.since_mark()),
            "GLOBAL": lambda names: self.name(*names.split(" ", 1)),
            "STACK_GLOBAL": lambda _: self.name(*self.last(2)),
            "REDUCE": lambda _: self.call(),
            "NEWOBJ": lambda _: self.call(),
            "BUILD": lambda _: self.build(),
            **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), self.put),
            "MEMOIZE": lambda _: self.put(len(self.memo)),
            **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), self.get),
        }

    def run(self, data: bytes) -> Any:
        self.room = MOST_MADE * len(data)
        for operation, value, _ in pickletools.genops(data):
            name = operation.name
            if name in VALUES:
                if type(value) is int and not -(2**63) <= value < 2**63:
                    raise FormatError("it holds an integer beyond 64 bits")
                self.stack.append(value)
            elif name in CONSTANTS:
                self.stack.append(CONSTANTS[name])
            elif name in SHORT_TUPLES:
                self.stack.append(tuple(self.last(SHORT_TUPLES[name])))
            elif name in self.operations:
                self.operations[name](value)
            elif name == "STOP":
                return _finished(self.stack.pop())
            elif name not in IGNORED:
                raise FormatError(f"it uses the operation {name}")
        raise FormatError("it has no end")

    def last(self, count: int) -> list[Any]:
        values = [self.stack.pop() for _ in range(count)]
        return [_finished(value) for value in reversed(values)]

    def since_mark(self) -> list[Any]:
        start = self.marks.pop()
        values = [_finished(value) for value in self.stack[start:]]
        del self.stack[start:]
        return values

    def append(self, values: list[Any]) -> None:
        if type(self.stack[-1]) is not list:
            raise FormatError("it appends to what is no list")
        self.stack[-1].extend(values)

    def set_items(self, values: list[Any]) -> None:
        if type(self.stack[-1]) is not dict:
            raise FormatError("it sets items of what is no dictionary")
        _updated(self.stack[-1], values)

    def name(self, module: Any, name: Any) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise FormatError("it names a class by something else than text")
        if Name(module, name) not in ADMITTED:
            raise FormatError(f"it would call {module[:100]}.{name[:100]}")
        self.stack.append(Name(module, name))

    def build(self) -> None:
        state = _finished(self.stack.pop())
        if not isinstance(self.stack[-1], (PickledArray, PickledType, PickledMatrix)):
            raise FormatError("it sets the state of what is no array")
        self.stack[-1].build(state)
        if isinstance(self.stack[-1], PickledArray) and self.stack[-1].value is not None:
            self.take(self.stack[-1].value.nbytes)

    def call(self) -> None:
        made = call(*self.last(2))
        self.stack.append(made)
        if isinstance(made, bytes):
            self.take(len(made))

    def take(self, n_bytes: int) -> None:
        """Count what is made of bytes of the file, which could be used again and again."""
        self.room -= n_bytes
        if self.room < 0:
            raise FormatError("its arrays together are larger than the file")

    def put(self, key: int) -> None:
        self.memo[key] = self.stack[-1]

    def get(self, key: int) -> None:
        value = self.memo[key]
        # Used twice, a small file could describe more than fits in memory, or contain itself.
        if isinstance(value, (list, dict)):
            raise FormatError("it uses a list or dictionary twice")
        self.stack.append(value)


def _finished(value: Any) -> Any:
    """Return what goes into a container: an array instead of its pickled form."""
    if isinstance(value, PickledArray):
        if value.value is None:
            raise FormatError("it holds an array without numbers")
        return value.value
    return value


def _updated(target: dict[Any, Any], values: list[Any]) -> dict[Any, Any]:
    for key, value in zip(values[::2], values[1::2], strict=True):
        # Hashing deeply nested tuples could overflow Python's own stack.
        if not isinstance(key, KEYS):
            raise FormatError("it holds a dictionary whose keys are no numbers or text")
        target[key] = value
    return target
