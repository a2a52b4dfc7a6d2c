"""Shares of a sum as bars, to the left of 0 if they are negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nask.arrays import Float64
from nask.plots.signed_scale import sign_colours, signed
from nask.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 10
LONGEST_NAME = 22
# Free space at both ends, relative to the longest bar, for the numbers.
ROOM = 0.35


def loudest(names: list[str], shares: Float64, most: int = MOST_BARS) -> tuple[list[str], Float64]:
    """Names and shares of the largest amounts in their order; the others are added up.

    Examples
    --------
    >>> names, shares = loudest(["a", "b", "c", "d"], np.array([1.0, -3.0, 0.5, 2.0]), most=3)
    >>> names, shares.tolist()
    (['b', 'd', '2 others'], [-3.0, 2.0, 1.5])
    """
    order = np.argsort(-np.abs(shares), kind="stable")
    if len(order) <= most:
        return [names[i] for i in order], shares[order]
    kept, rest = order[: most - 1], order[most - 1 :]
    return (
        [*(names[i] for i in kept), f"{len(rest)} others"],
        np.append(shares[kept], shares[rest].sum()),
    )


def draw_bars(
    ax: Axes, names: list[str], shares: Float64, title: str, has_sign: bool = True
) -> None:
    """Draw one bar per share, the first at the top, with its number at its end.

    Parameters
    ----------
    ax : Axes
    names : list of str
    shares : ndarray
    title : str
    has_sign : bool
        Whether shares speak for or against; others are grey.
    """
    heights = np.arange(len(names))
    colours = sign_colours(shares) if has_sign else GREY
    ax.barh(heights, shares, height=0.7, color=colours, zorder=2)
    ax.axvline(0, color="black", linewidth=0.8, zorder=3)
    ax.set_yticks(heights, [short(name) for name in names], fontsize=8, parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
    largest = float(np.abs(shares).max(initial=0)) or 1.0
    low = min(float(shares.min(initial=0)), 0.0) - ROOM * largest * bool((shares < 0).any())
    ax.set_xlim(low, max(float(shares.max(initial=0)), 0.0) + ROOM * largest)
    for height, share in zip(heights, shares.tolist(), strict=True):
        ax.annotate(
            signed(share) if has_sign else f"{share:.3g}",
            (share, height), (-3 if share < 0 else 3, 0),
            textcoords="offset points", ha="right" if share < 0 else "left", va="center",
            fontsize=7.5,
        )  # fmt: skip
    if not names:
        ax.text(0.5, 0.5, "none", transform=ax.transAxes, ha="center", va="center", color=GREY)
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=9, loc="left")


def short(name: str) -> str:
    """Return a name as one line of 22 characters at most; longer ones end in an ellipsis.

    Examples
    --------
    >>> short("element"), short("a very long name of an attribute")
    ('element', 'a very long name of a…')
    """
    name = " ".join(name.split())
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
