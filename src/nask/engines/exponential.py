"""An exponential that the compiler can vectorise: arithmetic and bit moves only, no call.

The libm call numba would emit handles one value at a time and cost half of a tile's time.
"""

from __future__ import annotations

import math
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, overload

LOG2E = 1.4426950408889634
# ln 2 in two parts: the first has so few bits that its product with a small integer is exact.
LN2_HIGH32, LN2_LOW32 = np.float32(0.693359375), np.float32(-2.12194440e-4)
LN2_HIGH64, LN2_LOW64 = 0.6931471803691238, 1.9082149292705877e-10
# Adding 1.5 * 2^mantissa rounds to an integer and leaves it in the low bits.
ROUND32, ROUND64 = np.float32(12582912.0), 6755399441055744.0
# Below these the result would leave the normal numbers.
LOWEST32, LOWEST64 = np.float32(-87.0), -708.0
TAYLOR32 = tuple(np.float32(1 / math.factorial(k)) for k in range(8))
TAYLOR64 = tuple(1 / math.factorial(k) for k in range(14))


def _bitcast(source: Any, target: Any, llvm_type: Any) -> Any:
    @intrinsic
    def cast(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], llvm_type)

        return target(source), codegen

    return cast


_bits32 = _bitcast(nb.float32, nb.int32, ir.IntType(32))
_float32 = _bitcast(nb.int32, nb.float32, ir.FloatType())
_bits64 = _bitcast(nb.float64, nb.int64, ir.IntType(64))
_float64 = _bitcast(nb.int64, nb.float64, ir.DoubleType())


def exp(x: float) -> float:
    """e^x for x of at most about 80, in the precision of x; compiled code only."""
    raise RuntimeError("exp is for compiled code")


@overload(exp)
def _exp(x: Any) -> Any:
    if x == nb.float32:
        c0, c1, c2, c3, c4, c5, c6, c7 = TAYLOR32
        log2e = np.float32(LOG2E)

        def exp32(x: Any) -> Any:
            x = x if x > LOWEST32 else LOWEST32
            shifted = x * log2e + ROUND32
            n = shifted - ROUND32
            r = (x - n * LN2_HIGH32) - n * LN2_LOW32
            y = c0 + r * (c1 + r * (c2 + r * (c3 + r * (c4 + r * (c5 + r * (c6 + r * c7))))))
            # The low bits of `shifted` hold n; move them into the exponent of y.
            return _float32(nb.int32(_bits32(y) + (_bits32(shifted) << nb.int32(23))))

        return exp32
    d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13 = TAYLOR64

    def exp64(x: Any) -> Any:
        x = x if x > LOWEST64 else LOWEST64
        shifted = x * LOG2E + ROUND64
        n = shifted - ROUND64
        r = (x - n * LN2_HIGH64) - n * LN2_LOW64
        y = d7 + r * (d8 + r * (d9 + r * (d10 + r * (d11 + r * (d12 + r * d13)))))
        y = d0 + r * (d1 + r * (d2 + r * (d3 + r * (d4 + r * (d5 + r * (d6 + r * y))))))
        return _float64(_bits64(y) + (_bits64(shifted) << 52))

    return exp64
