"""e^x in each lane of a vector, compiled."""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir

from nask.compiled.compiling import inner
from nask.compiled.vectors import (
    DOUBLES,
    INTEGERS,
    LANES,
    intrinsic,
    maximum,
    spread,
    vector,
    where_below,
)

LOG2E = 1.4426950408889634
# ln 2 as a sum: the first term has so few bits that its product with a small integer is exact.
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
# Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits.
ROUND = 6755399441055744.0
# For smaller x, e^x is not a normal number.
LOWEST = -708.0
TAYLOR = tuple(1 / math.factorial(k) for k in range(14))
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = TAYLOR


@intrinsic
def _times_power(typing: Any, y: Any, shifted: Any) -> Any:
    """Return y times 2^n, with n the integer in the low bits of ``shifted``."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        y, shifted = (builder.bitcast(argument, INTEGERS) for argument in arguments)
        # Adding n to the exponent of y multiplies y by 2^n.
        power = builder.shl(shifted, ir.Constant(INTEGERS, [52] * LANES))
        return builder.bitcast(builder.add(y, power), DOUBLES)

    return vector(vector, vector), codegen


@inner
def exp(x: Any) -> Any:
    """Return e^x in each lane, for x up to about 700; 0 where it would not be a normal number."""
    within = x
    x = maximum(x, spread(LOWEST))
    shifted = x * LOG2E + ROUND
    n = shifted - ROUND
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    y = C7 + r * (C8 + r * (C9 + r * (C10 + r * (C11 + r * (C12 + r * C13)))))
    y = C0 + r * (C1 + r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * (C6 + r * y))))))
    return where_below(within, -LOWEST, _times_power(y, shifted))
