"""What all pictures share: the Axes to draw into, colours, and what a graph's class is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from nask.arrays import Array, Float64, Floats
from nask.choices import LearningTask
from nask.exceptions import ParameterError
from nask.io.target import as_target, learning_task
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

# The colours of Okabe and Ito, which differ with any colour vision; without yellow, which is hard
# to see on white. Seven colours in nine shapes make 63 classes distinct.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
Extend = Literal["neither", "both"]
Layout = Literal["compressed", "constrained"]
GREY = "#8C8C8C"


def colour_and_marker(number: int) -> tuple[str, str]:
    """Colour and shape of the points of the class, or method, of that number.

    Examples
    --------
    >>> colour_and_marker(0), colour_and_marker(7)
    (('#0072B2', 'o'), ('#0072B2', 's'))
    """
    return COLOURS[number % len(COLOURS)], MARKERS[number // len(COLOURS) % len(MARKERS)]


def colour_and_shape(number: int) -> tuple[str, str]:
    """Colour and shape of the points of that number, where neighbours differ in both.

    Examples
    --------
    >>> colour_and_shape(0), colour_and_shape(1)
    (('#0072B2', 'o'), ('#D55E00', 's'))
    """
    return COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]


def new_figure(width: float, height: float, layout: Layout = "compressed") -> Figure:
    """Make a figure of that size in inches, whose elements do not overlap.

    It is made without pyplot: it belongs to the caller alone and needs no closing. A compressed
    layout has no gaps around Axes of fixed shape. With other Axes beside them it has to be
    constrained.
    """
    figure: Figure = require("matplotlib.figure", "plots").Figure(
        figsize=(width, height), layout=layout
    )
    return figure


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the Axes given, or those of a new figure of that size in inches."""
    if ax is not None:
        return ax
    return new_figure(width, height).add_subplot()


def add_colour_bar(ax: Axes, drawn: ScalarMappable, label: str, extend: Extend = "neither") -> None:
    """Put a colour bar beside the Axes, whose label says what the colours of the image mean.

    ``extend`` says which ends of the bar are pointed, since values lie beyond them.
    """
    bar = ax.figure.colorbar(drawn, ax=ax, fraction=0.046, aspect=30, pad=0.03, extend=extend)
    bar.set_label(label)
    bar.outline.set_visible(False)


def add_legend(ax: Axes, *args: Any, **kwargs: Any) -> None:
    """Put a legend beside the Axes, where it covers no point."""
    ax.legend(
        *args,
        loc="upper left",
        bbox_to_anchor=(1.02, 1),
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        borderaxespad=0,
        **kwargs,
    )


def columns_that_fit(names: Sequence[str], width: float) -> int:
    """In how many columns a legend of small letters has room in so many inches.

    Examples
    --------
    >>> columns_that_fit(["carbon", "oxygen", "nitrogen"], 2.5), columns_that_fit(["a"], 0.1)
    (2, 1)
    """
    # By about 0.07 inches per character, and the space around a name.
    wide = 0.07 * max(map(len, names)) + 0.45
    return max(1, min(len(names), int(width / wide)))


def tidy_axes(ax: Axes) -> None:
    """Draw pale lines behind what is measured, and no frame at the top and the right."""
    ax.grid(axis="y", color="#E3E3E3", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def numbers_of(values: npt.ArrayLike, name: str) -> Float64:
    """Check that values are finite numbers.

    Examples
    --------
    >>> numbers_of([1, 2], "hops")
    array([1., 2.])
    >>> numbers_of([1, "two"], "hops")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: hops must be finite numbers. Got [1, 'two'].
    """
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    if not np.isfinite(numbers).all():
        raise ParameterError(f"{name} must be finite numbers. Got {quoted(values)}.")
    return numbers


@dataclass(frozen=True)
class Target:
    """What is known of each graph: its class, its value on a scale, or nothing.

    Parameters
    ----------
    names : tuple of str
        Names of the classes, in their order; empty if there are none.
    values : ndarray of shape (n_graphs,)
        Number of each graph's class, or its value on the scale.

    Examples
    --------
    >>> Target.of(["b", "a", "b"], 3)
    Target(names=('a', 'b'), values=array([1, 0, 1]))
    >>> Target.of([0.5, 2.5], 2).names  # real numbers: a scale
    ()
    >>> Target.of([1], 3)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Expected one class or value per graph (3). Got y of shape (1,).
    """

    names: tuple[str, ...]
    values: Array

    @classmethod
    def of(cls, y: npt.ArrayLike | None, n_graphs: int, task: LearningTask | None = None) -> Target:
        """Read y; by default its values tell whether they are classes or on a scale."""
        if y is None:
            return cls((), np.zeros(n_graphs, dtype=np.intp))
        target = as_target(y)
        if target.shape != (n_graphs,):
            raise ParameterError(
                f"Expected one class or value per graph ({n_graphs}). Got y of shape "
                f"{target.shape}."
            )
        if (task or learning_task(target)[0]) == "regress":
            return cls((), target.astype(np.float64))
        if target.dtype.kind == "O":
            # Objects, because a class is missing.
            target = np.array(["no class" if label is None else str(label) for label in target])
        classes, codes = np.unique(target, return_inverse=True)
        return cls(tuple(map(str, classes.tolist())), codes)

    @property
    def is_scale(self) -> bool:
        """Whether the values are real numbers."""
        return self.values.dtype.kind == "f"


def as_gram(gram: npt.ArrayLike) -> Floats:
    """Check a Gram matrix between all graphs of one list.

    Examples
    --------
    >>> as_gram([[1.0, 0.5]])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Expected a square Gram matrix of finite numbers, at least 1 x 1,
    as NASK().fit_transform(graphs) returns it. Got shape (1, 2).
    """
    matrix = np.asarray(gram, dtype=None if hasattr(gram, "dtype") else np.float64)
    square = matrix.ndim == 2 and 0 < matrix.shape[0] == matrix.shape[1]
    if not square or not np.isfinite(matrix).all():
        got = f"shape {matrix.shape}" if not square else "NaN or infinite values"
        raise ParameterError(
            "Expected a square Gram matrix of finite numbers, at least 1 x 1, as "
            f"NASK().fit_transform(graphs) returns it. Got {got}."
        )
    return matrix
