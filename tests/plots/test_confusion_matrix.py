"""The confusion matrix: its cells, and what fits into them."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from nask.exceptions import ParameterError
from nask.plots import confusion


def draw(n_classes, n_graphs, ax=None):
    random = np.random.default_rng(n_classes)
    true = random.permutation(np.arange(n_graphs) % n_classes)
    wrong = random.random(n_graphs) < 0.3
    predicted = np.where(wrong, random.integers(0, n_classes, n_graphs), true)
    return confusion(true, predicted, ax), confusion_matrix(true, predicted)


def written(ax):
    return {(round(t.get_position()[1]), round(t.get_position()[0])): t for t in ax.texts}


@pytest.mark.parametrize(
    ("n_classes", "n_graphs"),
    [(2, 188), (6, 600), (30, 267), (2, 900_000), (15, 6000), (30, 9000)],
)
def test_cells_are_counts_and_colours_shares_of_the_true_class(n_classes, n_graphs):
    ax, counts = draw(n_classes, n_graphs)
    shares = ax.images[0].get_array()
    np.testing.assert_allclose(shares, confusion_shares(counts))
    texts = written(ax)
    assert set(texts) == set(map(tuple, np.argwhere(counts).tolist()))
    assert all(text.get_text() == str(counts[cell]) for cell, text in texts.items())


def confusion_shares(counts):
    return [[cell / sum(row) for cell in row] for row in counts.tolist()]


@pytest.mark.parametrize(("n_classes", "n_graphs"), [(2, 188), (6, 60_000), (30, 267), (30, 9000)])
def test_every_number_lies_within_its_cell(n_classes, n_graphs):
    ax, _ = draw(n_classes, n_graphs)
    ax.figure.draw_without_rendering()
    for (row, column), text in written(ax).items():
        box = text.get_window_extent().transformed(ax.transData.inverted())
        assert column - 0.5 <= box.x0 <= box.x1 <= column + 0.5
        assert row - 0.5 <= box.y1 <= box.y0 <= row + 0.5
    assert ax.texts


def test_numbers_are_written_all_or_none():
    """Where only the long ones were left out, they would look like zeros."""
    from matplotlib.figure import Figure

    small = Figure(figsize=(2, 2), layout="constrained").add_subplot()
    ax, _ = draw(30, 9000, small)
    assert not ax.texts


def test_a_class_never_true_has_an_empty_row_and_names_are_in_order():
    ax = confusion(["b", "b"], ["a", "b"])
    assert ax.images[0].get_array().tolist() == [[0, 0], [0.5, 0.5]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Predicted class", "True class")


@pytest.mark.parametrize(("true", "predicted"), [([1, 2], [1]), ([], []), ([[1]], [[1]])])
def test_classes_that_do_not_match_are_an_error(true, predicted):
    with pytest.raises(ParameterError, match="one true and one predicted class per graph"):
        confusion(true, predicted)
