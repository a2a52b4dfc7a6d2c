"""Probabilities as a heat map and a reliability curve, beside counts by hand."""

from itertools import pairwise

import numpy as np
import pytest

from nask.exceptions import ParameterError
from nask.plots import confidence


def drawn(n, k, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, k, n)
    logits = np.exp(draw.normal(size=(n, k)) + 2.0 * np.eye(k)[y])
    return y, logits / logits.sum(axis=1, keepdims=True)


def test_rows_are_ordered_and_errors_are_marked():
    y, shares = drawn(120, 3)
    heat = confidence(y, shares, range(3)).axes[0]
    rows = np.array(heat.images[0].get_array())
    truth = np.sort(y)
    own = rows[np.arange(120), truth]
    assert all((np.diff(own[truth == c]) <= 0).all() for c in range(3))
    wrong = np.flatnonzero(rows.argmax(axis=1) != truth)
    [strip] = heat.containers
    assert [bar.get_y() for bar in strip] == wrong.tolist()
    assert heat.get_title() == f"120 graphs, {len(wrong)} errors"


def test_many_graphs_are_means_over_neighbours():
    y, shares = drawn(2001, 2)
    heat = confidence(y, shares, range(2)).axes[0]
    order = np.lexsort([-shares[np.arange(2001), y], y])
    rows = np.array(heat.images[0].get_array())
    assert len(rows) == 667
    np.testing.assert_allclose(rows[5], shares[order][15:18].mean(axis=0))
    assert heat.get_ylim() == (2001, 0)


@pytest.mark.parametrize("k", [2, 6])
def test_the_curve_is_what_was_right_in_each_tenth(k):
    y, shares = drawn(300, k)
    _, _, curve, counts = confidence(y, shares, range(k)).axes
    sure, right = shares.max(axis=1), shares.argmax(axis=1) == y
    tenth = np.ceil(10 * sure).astype(int) - 1
    there = np.unique(tenth)
    points = curve.containers[0].lines[0].get_xydata()
    expected = [(sure[tenth == t].mean(), right[tenth == t].mean()) for t in there]
    np.testing.assert_allclose(points, expected)
    hits, misses = ([bar.get_height() for bar in own] for own in counts.containers)
    assert hits == np.bincount(tenth[right], minlength=10).tolist()
    assert misses == np.bincount(tenth[~right], minlength=10).tolist()


def test_certain_and_undecided_models_are_drawn():
    one = confidence(["x"], [[1.0]], ["x"])
    assert one.axes[0].get_title() == "1 graphs, 0 errors"
    tie = confidence(["x", "y"], [[0.5, 0.5]] * 2, ["x", "y"], items="nodes")
    assert tie.axes[0].get_title() == "2 nodes, 1 error"


def test_sixty_classes_fit_a_page():
    _, shares = drawn(120, 60)
    figure = confidence(np.repeat(np.arange(60), 2), shares, range(60))
    figure.draw_without_rendering()
    assert figure.get_figwidth() < 18
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    assert all(low.y1 <= high.y0 for high, low in pairwise(boxes))


@pytest.mark.parametrize(
    ("truth", "shares", "classes", "message"),
    [
        ([], np.empty((0, 2)), [0, 1], "at least one graph"),
        ([0], [[0.5, 0.5]], [0], "one class per column"),
        ([0], [[0.5, 0.6]], [0, 1], "add up to 1"),
        ([0], [[-0.5, 1.5]], [0, 1], "0 or more"),
        ([2], [[0.5, 0.5]], [0, 1], "y_true has a class 2"),
        ([0], [[np.nan, 1.0]], [0, 1], "finite"),
    ],
)
def test_what_are_no_probabilities_is_told(truth, shares, classes, message):
    with pytest.raises(ParameterError, match=message):
        confidence(truth, shares, classes)
