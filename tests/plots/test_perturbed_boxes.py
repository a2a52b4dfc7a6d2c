"""Boxes of perturbed copies: each where it belongs, and nothing beyond the figure."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from nask.exceptions import ParameterError
from nask.plots import PerturbedAccuracies, robustness
from nask.plots.style import COLOURS

KINDS, SETS, METHODS, LEVELS = ("noise", "masking"), ("BZR", "COX2"), ("nask", "wl"), (0.3, 0.0)


@pytest.fixture
def found():
    draw = np.random.default_rng(0)
    return [
        PerturbedAccuracies(kind, name, method, level, draw.uniform(0.7, 0.9, 7))
        for kind in KINDS
        for name in SETS
        for method in METHODS
        for level in LEVELS
    ]


def test_the_line_in_each_box_is_the_median(found):
    figure = robustness(found)
    panels = np.array(figure.axes).reshape(2, 2)
    for own in found:
        ax = panels[KINDS.index(own.perturbation), SETS.index(own.dataset)]
        place = sorted(LEVELS).index(own.level) + (-0.2, 0.2)[METHODS.index(own.method)]
        medians = {
            round(float(np.mean(line.get_xdata())), 6): line.get_ydata()[0]
            for line in ax.lines
            if line.get_color() == "black" and line.get_marker() in ("", "None")
        }
        assert len(medians) == 4
        assert medians[round(place, 6)] == pytest.approx(100 * np.median(own.accuracies))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(METHODS)
    assert {to_hex(box.get_edgecolor()) for box in figure.axes[0].patches} == {
        colour.lower() for colour in COLOURS[:2]
    }
    assert [label.get_text() for label in figure.axes[3].get_xticklabels()] == ["0", "30"]


def test_boxes_of_a_panel_with_fewer_methods_are_over_their_levels(found):
    figure = robustness([own for own in found if own.method == "wl" or own.perturbation == "noise"])
    places = [
        {round(float(np.mean(line.get_xdata())), 6) for line in ax.lines if len(line.get_xdata())}
        for ax in figure.axes
    ]
    assert places[2] == places[3] == {0.0, 1.0}
    assert len(places[0]) == 4
    # In the colour that the method has everywhere.
    [colour] = {to_hex(box.get_edgecolor()) for box in figure.axes[2].patches}
    assert colour == COLOURS[1].lower()


def test_the_largest_class_is_a_line_where_it_is_in_sight(found):
    figure = robustness(found, majority={"BZR": 0.68, "COX2": 0.1})
    dashed = [sum(line.get_linestyle() == "--" for line in ax.lines) for ax in figure.axes]
    assert dashed == [1, 0, 1, 0]
    assert "largest class" in {text.get_text() for text in figure.legends[0].get_texts()}


def test_many_methods_and_long_names_stay_within_the_figure():
    kind = "a perturbation with a very long name, twice as long as others"
    found = [PerturbedAccuracies(kind, "a$b", f"method number {m}", 0.1, [0.8]) for m in range(9)]
    figure = robustness(found)
    figure.draw_without_rendering()
    frame = figure.bbox
    label = figure.axes[0].yaxis.label.get_window_extent()
    for box in (figure.legends[0].get_window_extent(), label):
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1


def test_mistakes_are_told():
    one = PerturbedAccuracies("noise", "BZR", "nask", 0.1, [0.8])
    with pytest.raises(ParameterError, match="no accuracies to draw"):
        robustness([])
    with pytest.raises(ParameterError, match=r"nask on BZR, noise, level 0\.1: expected one"):
        robustness([one, one])
    for wrong in ([], [80.0], [[0.8]]):
        with pytest.raises(ParameterError, match="accuracies of 'BZR' must be one or more"):
            robustness([PerturbedAccuracies("noise", "BZR", "nask", 0.1, wrong)])
