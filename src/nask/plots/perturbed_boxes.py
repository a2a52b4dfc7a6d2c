"""Accuracies on perturbed copies of datasets, as boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.plots.style import COLOURS, GREY, columns_that_fit, new_figure, numbers_of, tidy_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Boxes of one level spread over this share of the space between two levels.
GROUP = 0.8
# Inches of one panel: a box should be some points wide, and a panel not narrower than this.
BOX, NARROWEST, HEIGHT = 0.17, 1.5, 2.2
# Filled with a colour of this opacity, a median in black stands out.
PALE = 0.45
# Characters of a line beside a panel.
LINE = 20


@dataclass(frozen=True, eq=False)
class PerturbedAccuracies:
    """Accuracies of one method on the copies of one dataset, perturbed to one level.

    Parameters
    ----------
    perturbation : str
        What was done, such as "Gaussian noise".
    dataset, method : str
    level : float
        How much of it, as a share. 0 is the dataset itself.
    accuracies : sequence of float
        One per copy, as fractions.

    Examples
    --------
    >>> PerturbedAccuracies("Gaussian noise", "BZR", "nask", 0.1, [0.87, 0.86]).level
    0.1
    """

    perturbation: str
    dataset: str
    method: str
    level: float
    accuracies: Sequence[float]


def robustness(
    found: Sequence[PerturbedAccuracies], *, majority: Mapping[str, float] | None = None
) -> Figure:
    """Draw accuracies against the level of perturbation: a row per perturbation, a column per set.

    A box holds the middle half of the copies, the line in it is their median, whiskers reach to the
    last copy within 1.5 lengths of the box, and circles are copies beyond. Methods have colours.
    Panels of one set have one axis.

    Parameters
    ----------
    found : sequence of PerturbedAccuracies
        Or of other objects with the same attributes. Perturbations, datasets and methods are drawn
        in the order in which they come first, levels from small to large.
    majority : mapping of str to float, optional
        Share of the largest class of each dataset: a dashed line, where it is in sight.

    Examples
    --------
    >>> found = [
    ...     PerturbedAccuracies(kind, "BZR", "nask", level, [0.88 - level / 10, 0.87, 0.86])
    ...     for kind in ("Gaussian noise", "Masking") for level in (0.0, 0.1, 0.2)
    ... ]
    >>> figure = robustness(found)
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['Gaussian noise\\nAccuracy (%)', 'Masking\\nAccuracy (%)']
    """
    if not found:
        raise ParameterError("There are no accuracies to draw: expected one or more.")
    kinds = list(dict.fromkeys(own.perturbation for own in found))
    sets = list(dict.fromkeys(own.dataset for own in found))
    methods = list(dict.fromkeys(own.method for own in found))
    levels = sorted({own.level for own in found})
    cells: dict[tuple[str, str, str, float], Float64] = {}
    for own in found:
        key = own.perturbation, own.dataset, own.method, own.level
        if key in cells:
            raise ParameterError(
                f"Two of the results are of {own.method} on {own.dataset}, {own.perturbation}, "
                f"level {own.level:g}: expected one."
            )
        cells[key] = _percent(own.accuracies, own.dataset)

    width = max(NARROWEST, BOX * len(levels) * (len(methods) + 0.5))
    figure = new_figure(
        0.9 + width * len(sets), 0.6 + HEIGHT * len(kinds) + 0.3 * (len(methods) > 1), "constrained"
    )
    panels = figure.subplots(len(kinds), len(sets), squeeze=False, sharex=True, sharey="col")
    for row, kind in enumerate(kinds):
        for column, dataset in enumerate(sets):
            ax = panels[row, column]
            of_methods = [
                [cells.get((kind, dataset, method, level)) for level in levels]
                for method in methods
            ]
            # Those of a panel stand side by side, in the middle over the level.
            there = [
                k for k, boxes in enumerate(of_methods) if any(own is not None for own in boxes)
            ]
            for place, number in enumerate(there):
                step = GROUP / len(methods)
                offset = step * (place - (len(there) - 1) / 2)
                _draw_boxes(ax, of_methods[number], number, offset, 0.8 * step)
            tidy_axes(ax)
    for column, dataset in enumerate(sets):
        panels[0, column].set_title(dataset, fontsize=10, parse_math=False)
        if majority and dataset in majority:
            _draw_majority(panels[:, column].tolist(), 100 * majority[dataset])
    for row, kind in enumerate(kinds):
        panels[row, 0].set_ylabel(f"{fill(kind, LINE)}\nAccuracy (%)", parse_math=False)
    names = [f"{100 * level:g}" for level in levels]
    for ax in panels[-1]:
        ax.set_xticks(range(len(levels)), names)
        ax.set_xlim(-0.6, len(levels) - 0.4)
    figure.supxlabel("Level of perturbation (%)", fontsize=10)
    _draw_legend(figure, methods, panels.ravel().tolist())
    return figure


def _percent(accuracies: npt.ArrayLike, dataset: str) -> Float64:
    values = numbers_of(accuracies, f"accuracies of {quoted(dataset)}")
    if values.ndim != 1 or not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise ParameterError(
            f"accuracies of {quoted(dataset)} must be one or more fractions from 0 to 1. Got "
            f"{quoted(values)}."
        )
    return 100 * values


def _draw_boxes(
    ax: Axes, boxes: list[Float64 | None], number: int, offset: float, width: float
) -> None:
    """Draw the boxes of one method, one per level where there is one."""
    drawn = [(place + offset, own) for place, own in enumerate(boxes) if own is not None]
    colour = COLOURS[number % len(COLOURS)]
    ax.boxplot(
        [own for _, own in drawn],
        positions=[place for place, _ in drawn],
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": (colour, PALE), "edgecolor": colour, "linewidth": 0.8},
        medianprops={"color": "black", "linewidth": 1.2},
        whiskerprops={"color": colour, "linewidth": 0.8},
        capprops={"color": colour, "linewidth": 0.8},
        flierprops={"marker": "o", "markersize": 2.5, "markeredgecolor": colour,
                    "markeredgewidth": 0.6},
    )  # fmt: skip


def _draw_majority(panels: list[Axes], share: float) -> None:
    """Draw the line in the panels of one set, unless it would squeeze the boxes."""
    low, high = panels[0].get_ylim()
    if share < low - 0.5 * (high - low):
        return
    panels[0].set_ylim(min(low, share - 0.05 * (high - low)), high)
    for ax in panels:
        ax.axhline(share, color=GREY, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)


def _draw_legend(figure: Figure, methods: list[str], panels: list[Axes]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Patch | Line2D] = []
    if len(methods) > 1:
        colours = [COLOURS[number % len(COLOURS)] for number in range(len(methods))]
        handles += [
            Patch(facecolor=(colour, PALE), edgecolor=colour, label=method)
            for colour, method in zip(colours, methods, strict=True)
        ]
    if any(line.get_linestyle() == "--" for ax in panels for line in ax.lines):
        handles.append(Line2D([], [], color=GREY, linestyle=(0, (4, 3)), label="largest class"))
    if handles:
        columns = columns_that_fit([str(own.get_label()) for own in handles], figure.get_figwidth())
        box = figure.legend(
            handles=handles, loc="outside upper center", ncols=columns, frameon=False,
            fontsize="small",
        )  # fmt: skip
        for text in box.get_texts():
            text.set_parse_math(False)
