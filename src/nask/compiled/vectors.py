"""Vectors of eight float64 for compiled code: a type of numba, and the operations on it.

numba has no type for a vector. Its compiler vectorises some loops, but not the sums over lists of
members that take most of the time. A :data:`vector` here is a vector of LLVM: an operation on it is
one instruction on a processor with AVX-512, two with AVX, four with NEON.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from nask.arrays import Array

LANES = 8
# A vector whose address is a multiple of its size lies in one line of the cache, not in two.
VECTOR_BYTES = 64
DOUBLE, SINGLE, INTEGER = ir.DoubleType(), ir.FloatType(), ir.IntType(64)
DOUBLES, INTEGERS = ir.VectorType(DOUBLE, LANES), ir.VectorType(INTEGER, LANES)
# A product and a sum may become one instruction, as in ``compiling``; nothing else may change.
FLAGS = ("contract",)


def intrinsic(function: Any) -> Any:
    """Return a function that compiled code can call, from one that writes its instructions."""
    return extending.intrinsic(function)


def aligned(shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.float64) -> Array:
    """Return an array for vectors, not filled, that begins at a line of the cache.

    Examples
    --------
    >>> aligned((3, 16)).ctypes.data % VECTOR_BYTES
    0
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    space = np.empty(n_bytes + VECTOR_BYTES, dtype=np.uint8)
    start = -space.ctypes.data % VECTOR_BYTES
    return space[start : start + n_bytes].view(dtype).reshape(shape)


class VectorType(types.Type):
    """The type of eight float64, for numba's compiler."""

    def __init__(self) -> None:
        super().__init__(name="nask.vector")


vector = VectorType()
SQUARE = types.UniTuple(vector, LANES)


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, DOUBLES)


def _spread(builder: Any, value: Any, element: Any = DOUBLE) -> Any:
    kind = ir.VectorType(element, LANES)
    undefined = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, zeros)


def _constant(value: float) -> Any:
    return ir.Constant(DOUBLES, [value] * LANES)


def _define_operator(function: Callable[..., Any], instruction: str) -> None:
    """Define an operator for two vectors, and for a vector and a number in either order."""
    pairs = [(vector, vector), (vector, types.float64), (types.float64, vector)]

    @infer_global(function)
    class _Template(ConcreteTemplate):
        cases = [signature(vector, *pair) for pair in pairs]  # noqa: RUF012

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        both = [
            argument if kind is vector else _spread(builder, argument)
            for kind, argument in zip(sig.args, arguments, strict=True)
        ]
        return getattr(builder, instruction)(*both, flags=FLAGS)

    for pair in pairs:
        lower_builtin(function, *pair)(lower)


_define_operator(operator.add, "fadd")
_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")


def _address(context: Any, builder: Any, kind: Any, array: Any, position: Any, element: Any) -> Any:
    """Return a pointer to the vector that begins at a position of a contiguous array."""
    data = context.make_array(kind)(context, builder, array).data
    place = builder.gep(data, [position])
    return builder.bitcast(place, ir.VectorType(element, LANES).as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, position: Any) -> Any:
    element = DOUBLE if kind.dtype is types.float64 else SINGLE
    place = _address(context, builder, kind, array, position, element)
    values = builder.load(place, align=kind.dtype.bitwidth // 8)
    return values if element is DOUBLE else builder.fpext(values, DOUBLES)


def _store(context: Any, builder: Any, kind: Any, array: Any, position: Any, values: Any) -> None:
    element = DOUBLE if kind.dtype is types.float64 else SINGLE
    if element is SINGLE:
        values = builder.fptrunc(values, ir.VectorType(SINGLE, LANES))
    place = _address(context, builder, kind, array, position, element)
    builder.store(values, place, align=kind.dtype.bitwidth // 8)


@intrinsic
def load(typing: Any, array: Any, position: Any) -> Any:
    """Return the eight elements from ``array[position]`` on, of float64 or float32."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _load(context, builder, sig.args[0], *arguments)

    return vector(array, types.int64), codegen


@intrinsic
def store(typing: Any, array: Any, position: Any, values: Any) -> Any:
    """Write to the eight elements from ``array[position]`` on, of float64 or float32."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        _store(context, builder, sig.args[0], *arguments)
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), codegen


@intrinsic
def at(typing: Any, array: Any, position: Any) -> Any:
    """Return one element; unlike indexing, this does not check for a negative position."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, arguments[0]).data
        return builder.load(builder.gep(data, [arguments[1]]))

    return array.dtype(array, types.int64), codegen


@intrinsic
def load_square(typing: Any, array: Any, position: Any, stride: Any) -> Any:
    """Return eight vectors: the first at ``array[position]``, each next one ``stride`` later."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        array, position, stride = arguments
        lines = []
        for _ in range(LANES):
            lines.append(_load(context, builder, sig.args[0], array, position))
            position = builder.add(position, stride)
        return context.make_tuple(builder, sig.return_type, lines)

    return SQUARE(array, types.int64, types.int64), codegen


@intrinsic
def store_square(typing: Any, array: Any, position: Any, stride: Any, lines: Any) -> Any:
    """Write eight vectors: the first to ``array[position]``, each next one ``stride`` later."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        array, position, stride, lines = arguments
        for line in cgutils.unpack_tuple(builder, lines):
            _store(context, builder, sig.args[0], array, position, line)
            position = builder.add(position, stride)
        return context.get_dummy_value()

    return types.none(array, types.int64, types.int64, SQUARE), codegen


@intrinsic
def spread(typing: Any, value: Any) -> Any:
    """Return a vector with one number in all lanes."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _spread(builder, arguments[0])

    return vector(types.float64), codegen


@intrinsic
def where_equal(typing: Any, codes: Any, position: Any, code: Any, value: Any) -> Any:
    """Return ``value`` where the int32 from ``codes[position]`` on equal ``code``, else 0."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        array, position, code, value = arguments
        element = ir.IntType(32)
        place = _address(context, builder, sig.args[0], array, position, element)
        values = builder.load(place, align=4)
        equal = builder.icmp_signed("==", values, _spread(builder, code, element))
        return builder.select(equal, _spread(builder, value), _constant(0.0))

    return vector(codes, types.int64, types.int32, types.float64), codegen


def _choice(comparison: str) -> Any:
    def choose(typing: Any, x: Any, y: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            first = builder.fcmp_ordered(comparison, *arguments)
            return builder.select(first, *arguments)

        return vector(vector, vector), codegen

    return choose


# Where one argument is NaN, the result is the second.
minimum = intrinsic(_choice("<"))
maximum = intrinsic(_choice(">"))


@intrinsic
def where_below(typing: Any, x: Any, limit: Any, values: Any) -> Any:
    """Return ``values`` in the lanes where |x| < limit, else 0."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        x, limit, values = arguments
        limits = _spread(builder, limit)
        above = builder.fcmp_ordered("<", builder.fsub(_constant(0.0), limits), x)
        below = builder.fcmp_ordered("<", x, limits)
        return builder.select(builder.and_(above, below), values, _constant(0.0))

    return vector(vector, types.float64, vector), codegen


@intrinsic
def where_positive(typing: Any, x: Any, values: Any) -> Any:
    """Return ``values`` in the lanes where x > 0, else 0."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        x, values = arguments
        positive = builder.fcmp_ordered(">", x, _constant(0.0))
        return builder.select(positive, values, _constant(0.0))

    return vector(vector, vector), codegen


@intrinsic
def quotient(typing: Any, x: Any, y: Any) -> Any:
    """Return x / y in the lanes where y > 0, else 0."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        x, y = arguments
        positive = builder.fcmp_ordered(">", y, _constant(0.0))
        divided = builder.fdiv(x, builder.select(positive, y, _constant(1.0)))
        return builder.select(positive, divided, _constant(0.0))

    return vector(vector, vector), codegen


def transposed_lines(builder: Any, lines: list[Any]) -> list[Any]:
    """Return the transpose of a square matrix, given as vectors of LLVM."""
    n, half = len(lines), 1
    while half < n:
        # Swap the squares of this size beside the diagonal.
        upper = [j if not j & half else n + j - half for j in range(n)]
        lower = [j + half if not j & half else n + j for j in range(n)]
        for i in range(n):
            if not i & half:
                pair = lines[i], lines[i + half]
                for place, order in ((i, upper), (i + half, lower)):
                    mask = ir.Constant(ir.VectorType(ir.IntType(32), n), order)
                    lines[place] = builder.shuffle_vector(*pair, mask)
        half *= 2
    return lines


@intrinsic
def transposed(typing: Any, rows: Any) -> Any:
    """Return the transpose of a matrix of eight vectors, as eight vectors."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        lines = transposed_lines(builder, cgutils.unpack_tuple(builder, arguments[0]))
        return context.make_tuple(builder, sig.return_type, lines)

    return rows(rows), codegen
