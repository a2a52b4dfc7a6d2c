"""Vectors of sixteen float32 for compiled code, for what is approximate anyway.

As ``vectors``, with half the memory per number and twice the numbers per instruction. An operation
is one instruction on a processor with AVX-512, two with AVX, four with NEON. Arrays that they are
loaded from and stored to may also be of float16, seen as uint16, since numba does not know it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from nask.compiled.vectors import DOUBLE, FLAGS, SINGLE, intrinsic, transposed_lines

WIDE = 16
SINGLES = ir.VectorType(SINGLE, WIDE)
HALVES = ir.VectorType(ir.HalfType(), WIDE)


class SinglesType(types.Type):
    """The type of sixteen float32, for numba's compiler."""

    def __init__(self) -> None:
        super().__init__(name="nask.singles")


singles = SinglesType()
SQUARE = types.UniTuple(singles, WIDE)


@register_model(SinglesType)
class _SinglesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, SINGLES)


def _spread(builder: Any, value: Any) -> Any:
    if value.type == DOUBLE:
        value = builder.fptrunc(value, SINGLE)
    undefined = ir.Constant(SINGLES, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDE), [0] * WIDE)
    return builder.shuffle_vector(one, undefined, zeros)


def _define_operator(function: Callable[..., Any], instruction: str) -> None:
    """Define an operator for two vectors, and for a vector and a number in either order."""
    numbers = (types.float32, types.float64)
    pairs = [(singles, singles), *((singles, x) for x in numbers), *((x, singles) for x in numbers)]

    @infer_global(function)
    class _Template(ConcreteTemplate):
        cases = [signature(singles, *pair) for pair in pairs]  # noqa: RUF012

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        both = [
            argument if kind is singles else _spread(builder, argument)
            for kind, argument in zip(sig.args, arguments, strict=True)
        ]
        return getattr(builder, instruction)(*both, flags=FLAGS)

    for pair in pairs:
        lower_builtin(function, *pair)(lower)


_define_operator(operator.add, "fadd")
_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")


def _load(context: Any, builder: Any, kind: Any, array: Any, position: Any) -> Any:
    """Sixteen numbers of an array of float32, or of float16 seen as uint16."""
    data = builder.gep(context.make_array(kind)(context, builder, array).data, [position])
    if kind.dtype is types.uint16:
        halves = builder.load(builder.bitcast(data, HALVES.as_pointer()), align=2)
        return builder.fpext(halves, SINGLES)
    return builder.load(builder.bitcast(data, SINGLES.as_pointer()), align=4)


def _store(context: Any, builder: Any, kind: Any, array: Any, position: Any, values: Any) -> None:
    data = builder.gep(context.make_array(kind)(context, builder, array).data, [position])
    if kind.dtype is types.uint16:
        halves = builder.fptrunc(values, HALVES)
        builder.store(halves, builder.bitcast(data, HALVES.as_pointer()), align=2)
        return
    builder.store(values, builder.bitcast(data, SINGLES.as_pointer()), align=4)


@intrinsic
def load_singles(typing: Any, array: Any, position: Any) -> Any:
    """Return the sixteen elements of an array from ``array[position]`` on."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _load(context, builder, sig.args[0], *arguments)

    return singles(array, types.int64), codegen


@intrinsic
def store_singles(typing: Any, array: Any, position: Any, values: Any) -> Any:
    """Write to the sixteen elements of an array from ``array[position]`` on."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        _store(context, builder, sig.args[0], *arguments)
        return context.get_dummy_value()

    return types.none(array, types.int64, singles), codegen


@intrinsic
def spread_single(typing: Any, value: Any) -> Any:
    """Return a vector with one number in all lanes."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _spread(builder, arguments[0])

    return singles(types.float64), codegen


@intrinsic
def load_square_of_singles(typing: Any, array: Any, position: Any, stride: Any) -> Any:
    """Return sixteen vectors: the first at ``array[position]``, each next ``stride`` later."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        array, position, stride = arguments
        lines = []
        for _ in range(WIDE):
            lines.append(_load(context, builder, sig.args[0], array, position))
            position = builder.add(position, stride)
        return context.make_tuple(builder, sig.return_type, lines)

    return SQUARE(array, types.int64, types.int64), codegen


@intrinsic
def store_square_of_singles(typing: Any, array: Any, position: Any, stride: Any, lines: Any) -> Any:
    """Write sixteen vectors: the first to ``array[position]``, each next ``stride`` later."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        array, position, stride, lines = arguments
        for line in cgutils.unpack_tuple(builder, lines):
            _store(context, builder, sig.args[0], array, position, line)
            position = builder.add(position, stride)
        return context.get_dummy_value()

    return types.none(array, types.int64, types.int64, SQUARE), codegen


@intrinsic
def transposed_singles(typing: Any, rows: Any) -> Any:
    """Return the transpose of a matrix of sixteen vectors, as sixteen vectors."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        lines = transposed_lines(builder, cgutils.unpack_tuple(builder, arguments[0]))
        return context.make_tuple(builder, sig.return_type, lines)

    return rows(rows), codegen
