"""The Gram matrix as a picture: order, boundaries, names, large matrices."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask.exceptions import ParameterError
from nask.plots import gram_heatmap
from nask.plots.heatmap import LARGEST_SIDE
from nask.plots.style import new_figure


def random_gram(n):
    X = np.random.default_rng(n).normal(size=(n, 5))
    return X @ X.T


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=20))
def test_graphs_are_sorted_by_class_and_keep_their_order_within(y):
    K = random_gram(len(y))
    ax = gram_heatmap(K, y)
    order = [i for name in "abc" for i, label in enumerate(y) if label == name]
    np.testing.assert_array_equal(ax.images[0].get_array(), K[np.ix_(order, order)])
    assert names(ax) == sorted(set(y))


def test_boundaries_and_names_are_where_the_classes_are():
    ax = gram_heatmap(random_gram(10), ["b"] * 7 + ["a"] * 3)
    assert {float(line.get_ydata()[0]) for line in ax.lines} >= {3.0}
    assert {float(line.get_xdata()[0]) for line in ax.lines} >= {3.0}
    assert len(ax.lines) == 2
    assert ax.get_yticks().tolist() == ax.get_xticks().tolist() == [1.5, 6.5]


def test_a_large_matrix_is_drawn_by_means_of_blocks():
    n = 2 * LARGEST_SIDE + 1  # blocks of 3, the last one of fewer
    K = random_gram(n)
    y = np.random.default_rng(0).integers(0, 2, n)
    ax = gram_heatmap(K, y)
    cells = ax.images[0].get_array()
    order = np.argsort(y, kind="stable")
    side = -(-n // 3)
    assert cells.shape == (side, side)
    for i, j in [(0, 0), (3, 100), (side - 1, 7), (5, side - 1), (side - 1, side - 1)]:
        block = K[np.ix_(order[3 * i : 3 * i + 3], order[3 * j : 3 * j + 3])]
        assert cells[i, j] == pytest.approx(block.mean())
    # Positions are still those of graphs: a cell is 3 wide.
    assert ax.images[0].get_extent() == [0, 3 * side, 3 * side, 0]
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, n), (n, 0))


def test_colours_span_what_is_off_the_diagonal():
    K = np.random.default_rng(0).uniform(0.2, 0.4, (40, 40))
    K = (K + K.T) / 2 + np.eye(40)
    least, greatest = gram_heatmap(K).images[0].get_clim()
    off = K[~np.eye(40, dtype=bool)]
    assert (least, greatest) == pytest.approx(tuple(np.percentile(off, [2, 98])))


@pytest.mark.parametrize(
    "classes", [range(30), ["mutagenic", "not mutagenic", "not tested yet", "x"]]
)
def test_names_of_classes_do_not_touch(classes):
    y = np.repeat(classes, 9)
    left, _ = new_figure(11, 4.4).subplots(1, 2)
    ax = gram_heatmap(random_gram(len(y)), y, left)
    ax.figure.draw_without_rendering()
    assert names(ax) == [str(name) for name in classes]
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        boxes = [label.get_window_extent() for label in labels]
        assert not any(a.padded(2).overlaps(b) for a, b in pairwise(boxes))


def test_names_too_close_to_each_other_are_thinned_out():
    y = np.repeat(np.arange(200), 2)
    ax = gram_heatmap(random_gram(400), y)
    assert 20 <= len(names(ax)) <= 60
    assert np.diff(ax.get_yticks()).min() >= 8
    for middle, name in zip(ax.get_yticks(), names(ax), strict=True):
        assert middle == 2 * int(name) + 1


def test_values_on_a_scale_are_sorted_without_boundaries():
    K = random_gram(4)
    ax = gram_heatmap(K, [0.5, 0.1, 0.7, 0.2])
    order = [1, 3, 0, 2]
    np.testing.assert_array_equal(ax.images[0].get_array(), K[np.ix_(order, order)])
    assert not ax.lines
    assert names(ax) == []


def test_without_classes_the_order_stays():
    K = random_gram(4)
    np.testing.assert_array_equal(gram_heatmap(K).images[0].get_array(), K)


@pytest.mark.parametrize(
    ("gram", "y", "message"),
    [
        (np.ones((2, 3)), None, r"square Gram matrix .* Got shape \(2, 3\)"),
        (np.ones((0, 0)), None, "square Gram matrix"),
        ([[1.0, np.nan], [np.nan, 1.0]], None, "Got NaN or infinite values"),
        (np.eye(3), ["a", "b"], r"one class or value per graph \(3\). Got y of shape \(2,\)"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(gram, y, message):
    with pytest.raises(ParameterError, match=message):
        gram_heatmap(gram, y)
