"""The warning where rounding errors may show in a result."""

from __future__ import annotations

import warnings

from nask.exceptions import PrecisionWarning
from nask.stars.spec import ROUNDING, StarSpec

# Of stars that are nearer than this, and not alike, rounding leaves less than six digits.
NEAR = 1e-9


def warn_of_near_stars(nearest: float, spec: StarSpec) -> None:
    """Warn if stars that are not alike have a similarity of almost 1 before later hops.

    The error of 1 - k^ is about the rounding error of 1, whatever the size of 1 - k^. A hop
    multiplies both by gamma_star until 1 - k^ is about 1. So the relative error is largest where
    1 - k^ is smallest.

    ``nearest`` is the largest similarity of two stars that are not alike, at the hops that are
    watched.

    Examples
    --------
    >>> import nask
    >>> spec = nask.NASK().fit([nask.AttributedGraph(1)]).fitted_.graphs.spec
    >>> warn_of_near_stars(0.999, spec)
    """
    distance = max(1 - nearest, spec.rounding)
    if distance < NEAR / ROUNDING * spec.rounding:
        warnings.warn(
            f"Some neighbourhoods differ by so little (by {distance:.0e} in their similarity of 1) "
            f"that rounding decides how different they are after {spec.n_hops} hops with "
            f"gamma_star={spec.gamma_star:g}: the kernel of their graphs has about "
            f"{_digits(distance, spec.rounding)} right. Use a smaller gamma_star or n_hops, or "
            "round numerical attributes, so that values which mean the same are equal.",
            PrecisionWarning,
            stacklevel=2,
        )


def _digits(distance: float, rounding: float = ROUNDING) -> str:
    """Return how many digits of a distance are right in spite of rounding errors.

    Examples
    --------
    >>> _digits(1e-10), _digits(2e-16)
    ('5 digits', 'no digit')
    """
    digits = 0
    while distance > 10 * rounding and digits < 15:
        distance /= 10
        digits += 1
    return f"{digits} digits" if digits > 1 else "1 digit" if digits else "no digit"
