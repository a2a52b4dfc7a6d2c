"""Accuracy and time against the number of hops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.plots.style import add_legend, colour_and_shape, new_figure, numbers_of, tidy_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Sets are drawn beside each other by this share of a hop, so that their bars do not overlap.
APART = 0.05


@dataclass(frozen=True, eq=False)
class DepthCurve:
    """What one dataset gains from more hops, and what they cost.

    Parameters
    ----------
    dataset : str
    hops : sequence of int
    accuracy : sequence of float
        Mean accuracy with so many hops, as a fraction.
    seconds : sequence of float
        Time of the Gram matrix.
    spread : sequence of float, optional
        Standard deviations of the accuracies.

    Examples
    --------
    >>> DepthCurve("NCI1", [1, 2], [0.81, 0.84], [1.5, 2.0]).dataset
    'NCI1'
    """

    dataset: str
    hops: Sequence[int]
    accuracy: Sequence[float]
    seconds: Sequence[float]
    spread: Sequence[float] | None = None


def depth(curves: Sequence[DepthCurve]) -> Figure:
    """Draw two panels against the number of hops: accuracy, and the time of the Gram matrix.

    Times have a logarithmic axis, so that equal factors look equal.

    Parameters
    ----------
    curves : sequence of DepthCurve
        Or of other objects with the same attributes; one colour and shape each.

    Examples
    --------
    >>> figure = depth([DepthCurve("NCI1", [1, 2, 3], [0.81, 0.84, 0.85], [1.5, 2.0, 3.1])])
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['Accuracy (%)', 'Time of the Gram matrix (s)']
    """
    if not curves:
        raise ParameterError("There are no curves to draw: expected one or more.")
    figure = new_figure(8.4, 3.2, "constrained")
    left, right = figure.subplots(1, 2)
    right.set_yscale("log")
    every: set[float] = set()
    for number, curve in enumerate(curves):
        hops, accuracy, seconds, spread = _checked(curve)
        every.update(hops.tolist())
        colour, marker = colour_and_shape(number)
        places = hops + APART * (number - (len(curves) - 1) / 2)
        if spread is not None:
            left.errorbar(
                places, accuracy, yerr=spread, fmt="none", color=colour, elinewidth=1, capsize=2
            )
        for ax, xs, ys in ((left, places, accuracy), (right, hops, seconds)):
            ax.plot(
                xs, ys, color=colour, marker=marker, markersize=5, linewidth=1.2,
                label=curve.dataset,
            )  # fmt: skip
    left.set_ylabel("Accuracy (%)")
    right.set_ylabel("Time of the Gram matrix (s)")
    for ax in (left, right):
        ax.set_xlabel("Number of hops")
        ax.set_xticks(sorted(every))
        tidy_axes(ax)
    _plain_numbers(right)
    add_legend(right, handlelength=1.8)
    return figure


def _checked(curve: DepthCurve) -> tuple[Float64, Float64, Float64, Float64 | None]:
    """Return the columns of a curve in the order of hops, accuracies in percent."""
    hops = numbers_of(curve.hops, "hops")
    order = np.argsort(hops, kind="stable")

    def column(values: npt.ArrayLike, name: str) -> Float64:
        own = numbers_of(values, name)
        if own.shape != hops.shape or hops.ndim != 1 or not len(hops):
            raise ParameterError(
                f"The curve of {quoted(curve.dataset)} must have one of {name} for each of its "
                f"hops. Got shapes {own.shape} and {hops.shape}."
            )
        return own[order]

    seconds = column(curve.seconds, "seconds")
    if (seconds <= 0).any():
        raise ParameterError(
            f"seconds of {quoted(curve.dataset)} must be positive. Got {quoted(seconds.min())}."
        )
    spread = None if curve.spread is None else 100 * column(curve.spread, "spread")
    return hops[order], 100 * column(curve.accuracy, "accuracy"), seconds, spread


def _plain_numbers(ax: Axes) -> None:
    """Write 0.1, 1, 10 instead of powers of ten; numbers between them where it is less than two."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    low, high = ax.get_ylim()
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(plain)
    narrow = np.floor(np.log10(high)) - np.ceil(np.log10(low)) < 1
    ax.yaxis.set_minor_formatter(plain if narrow else NullFormatter())
