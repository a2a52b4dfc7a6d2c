"""Colours of numbers for and against: blue below 0, red above, white at 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

# It is told apart with any colour vision. Its ends are so dark that text in them must be white.
COLOUR_MAP = "RdBu_r"
# An odd number of steps: one of them is neutral.
N_STEPS = 511
# Places in the colour map that stand for "against" and "for" where the amount is not a colour.
AGAINST, FOR = 0.12, 0.88
# Text is white on colours that are darker than this, on a scale of luminance from 0 to 1.
DARK = 0.45


@dataclass(frozen=True)
class SignedScale:
    """Colours that are symmetric around 0: equal amounts for and against are equally strong.

    Parameters
    ----------
    limit : float
        The amount that has the strongest colours; larger ones have them too.
    extends : bool
        Whether there are larger amounts.
    empty : bool
        Whether all amounts are 0; then the limit means nothing.

    Examples
    --------
    >>> scale = SignedScale.of([np.array([-2.0, 1.0]), np.array([0.5])])
    >>> scale.limit, scale.ticks()
    (2.0, [-2.0, -1.0, 0.0, 1.0, 2.0])
    >>> scale.colours(np.array([0.0])).round(2).tolist()  # almost white
    [[0.97, 0.97, 0.97, 1.0]]
    """

    limit: float
    extends: bool = False
    empty: bool = False

    @classmethod
    def of(cls, amounts: list[Float64], limit: float | None = None) -> SignedScale:
        """Scale whose limit is the largest amount, unless another is given."""
        largest = max((float(np.abs(own).max(initial=0)) for own in amounts), default=0.0)
        if limit is None:
            return cls(largest or 1.0, empty=not largest)
        number = isinstance(limit, (int, float, np.integer, np.floating))
        if isinstance(limit, bool) or not number or not 0 < limit < np.inf:
            raise ParameterError(
                f"limit must be a positive number, or None for the largest value. Got "
                f"{quoted(limit)}."
            )
        return cls(float(limit), extends=largest > limit)

    def colours(self, amounts: Float64) -> Float64:
        """Red, green, blue and opacity of each amount."""
        return _colours(0.5 + 0.5 * np.clip(amounts / self.limit, -1, 1))

    def ticks(self) -> list[float]:
        """Amounts that the colour bar writes out."""
        return [self.limit * part for part in self._parts()]

    def add_colour_bar(self, axes: Axes | list[Axes], label: str) -> None:
        """Put a colour bar with its numbers beside Axes of one figure."""
        first = axes[0] if isinstance(axes, list) else axes
        bar = first.figure.colorbar(
            self._mappable(),
            ax=axes,
            fraction=0.046,
            aspect=30,
            pad=0.03,
            extend="both" if self.extends else "neither",
            ticks=self._parts(),
        )
        bar.set_label(label, fontsize=9)
        bar.outline.set_visible(False)
        bar.ax.set_yticklabels([signed(tick) for tick in self.ticks()], fontsize=8)

    def _parts(self) -> list[float]:
        """Parts of the limit at which there are ticks."""
        return [0.0] if self.empty else [-1.0, -0.5, 0.0, 0.5, 1.0]

    def _mappable(self) -> ScalarMappable:
        # In parts of the limit: matplotlib cannot draw a scale of subnormal or huge numbers.
        normalize = require("matplotlib.colors", "plots").Normalize(-1, 1)
        mappable: ScalarMappable = require("matplotlib.cm", "plots").ScalarMappable(
            normalize, _colour_map()
        )
        return mappable


def signed(amount: float) -> str:
    """Return an amount with its sign and two or three digits.

    Examples
    --------
    >>> signed(0.12345), signed(-2.0), signed(0.0), signed(-12345.6)
    ('+0.123', '-2', '0', '-1.23e+04')
    """
    return f"{amount:+.3g}" if amount else "0"


def sign_colours(amounts: Float64) -> Float64:
    """Colours of bars, which tell the sign alone; their lengths tell the amount."""
    return _colours(np.where(np.asarray(amounts) < 0, AGAINST, FOR))


def text_colours(fills: Float64) -> list[str]:
    """Black or white for text on each colour, whichever is readable.

    Examples
    --------
    >>> text_colours(np.array([[0.97, 0.97, 0.97, 1.0], [0.02, 0.19, 0.38, 1.0]]))
    ['#202020', 'white']
    """
    luminance = fills[:, :3] @ [0.299, 0.587, 0.114]
    return ["white" if dark else "#202020" for dark in (luminance < DARK).tolist()]


def as_amounts(values: npt.ArrayLike, n: int, name: str, element: str) -> Float64:
    """Check that values are finite numbers, one per node or per edge.

    Examples
    --------
    >>> as_amounts([1, 2], 2, "values", "node")
    array([1., 2.])
    >>> as_amounts([1.0], 2, "values", "node")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: values must hold one number per node (2). Got shape (1,).
    >>> as_amounts([1.0, float("nan")], 2, "values", "node")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: values must be finite. Got nan at node 1. ...
    """
    given: Any = np.asarray(values)
    if given.shape != (n,):
        raise ParameterError(
            f"{name} must hold one number per {element} ({n}). Got shape {given.shape}."
        )
    try:
        if given.dtype.kind not in "fiubO":
            raise TypeError
        amounts: Float64 = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{name} must hold numbers, one per {element}. Got {quoted(given)}."
        ) from None
    if not np.isfinite(amounts).all():
        where = int(np.argmin(np.isfinite(amounts)))
        raise ParameterError(
            f"{name} must be finite. Got {amounts[where]} at {element} {where}. Replace it, for "
            "instance by 0, which is drawn without a colour."
        )
    return amounts


def _colours(places: Float64) -> Float64:
    """Colours at these places of the colour map, from 0 to 1."""
    colours: Float64 = _colour_map()(places)
    return colours


def _colour_map() -> Any:
    return require("matplotlib", "plots").colormaps[COLOUR_MAP].resampled(N_STEPS)
