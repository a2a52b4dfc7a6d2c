"""Two graphs with lines between their matching stars."""

from itertools import permutations
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask import plots
from nask.exceptions import ParameterError
from nask.io.coerce import as_graph
from nask.plots.matched_stars import side_by_side, strongest_pairs

LEFT, RIGHT = nask.io.from_smiles("CCOc1ccccc1N"), nask.io.from_smiles("CCN")


def found(left=LEFT, right=RIGHT, scale=1.0):
    matrix = np.random.default_rng(100).gamma(0.5, size=(left.n_nodes, right.n_nodes))
    return SimpleNamespace(graphs=(left, right), matrix=scale * matrix)


def drawn(ax):
    _, circles, lines = ax.collections
    return circles, lines


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**20))
def test_no_other_pairs_have_a_larger_sum(n, m, seed):
    matrix = np.random.default_rng(seed).uniform(size=(n, m))
    rows, columns = strongest_pairs(matrix, 9)
    assert len(set(rows.tolist())) == len(set(columns.tolist())) == len(rows) == min(n, m)
    narrow = matrix if n <= m else matrix.T
    sums = [
        narrow[range(min(n, m)), list(own)].sum()
        for own in permutations(range(max(n, m)), min(n, m))
    ]
    assert matrix[rows, columns].sum() == pytest.approx(max(sums))
    assert (np.diff(matrix[rows, columns]) <= 0).all()


def test_nodes_have_the_sums_and_lines_join_the_pairs():
    own = found()
    ax = plots.alignment(own, most=2)
    circles, lines = drawn(ax)
    shares = np.concatenate([own.matrix.sum(axis=1), own.matrix.sum(axis=0)])
    plain = plots.graph(nx.empty_graph(len(shares)), shares)
    np.testing.assert_array_equal(circles.get_facecolor(), plain.collections[-1].get_facecolor())
    points = circles.get_offsets()
    rows, columns = strongest_pairs(own.matrix, 2)
    ends = np.array([(segment[0], segment[-1]) for segment in lines.get_segments()])
    np.testing.assert_allclose(ends[:, 0], points[rows])
    np.testing.assert_allclose(ends[:, 1], points[columns + LEFT.n_nodes])
    amounts = own.matrix[rows, columns]
    np.testing.assert_allclose(
        lines.get_linewidths() / lines.get_linewidths()[0], amounts / amounts[0]
    )
    assert (np.diff(lines.get_edgecolor()[:, 3]) < 0).all()
    share = 100 * amounts.sum() / own.matrix.sum()
    assert ax.texts[-1].get_text().startswith(f"2 pairs, {share:.0f} % of +")


def test_each_graph_keeps_its_edges():
    ax = plots.alignment(found())
    points = drawn(ax)[0].get_offsets()
    edges = np.concatenate([LEFT.edges, RIGHT.edges + LEFT.n_nodes])
    np.testing.assert_allclose(ax.collections[0].get_segments(), points[edges])


def test_the_second_graph_is_to_the_right_of_the_first():
    points = drawn(plots.alignment(found()))[0].get_offsets()
    assert points[: LEFT.n_nodes, 0].max() + 1 < points[LEFT.n_nodes :, 0].min()
    left, right = side_by_side(np.array([[5.0, 5.0]]), np.array([[0.0, 9.0], [1.0, 9.0]]))
    assert left[0, 1] == right[0, 1] == right[1, 1]


def test_positions_and_labels_are_those_of_each_graph():
    positions = plots.molecule_positions("CCOc1ccccc1N"), plots.molecule_positions("CCN")
    ax = plots.alignment(found(), positions=positions, title="two molecules")
    points = drawn(ax)[0].get_offsets()
    for own, given_ in zip(
        (points[: LEFT.n_nodes], points[LEFT.n_nodes :]), positions, strict=True
    ):
        np.testing.assert_allclose(own - own[0], given_ - given_[0], atol=1e-9)
    assert "".join(text.get_text() for text in ax.texts[:-1]) == "CCOCCCCCCNCCN"
    assert ax.get_title() == "two molecules"


def test_no_more_lines_than_asked_for():
    large = as_graph(nx.barabasi_albert_graph(80, 1, seed=100))
    assert len(drawn(plots.alignment(found(large, large)))[1].get_segments()) == 20
    assert not drawn(plots.alignment(found(), most=0))[1].get_segments()


@pytest.mark.parametrize("nodes", [(0, 0), (0, 2), (1, 0), (1, 1), (1, 6)])
def test_small_graphs_are_drawn(nodes):
    ax = plots.alignment(found(*(as_graph(nx.path_graph(n)) for n in nodes)))
    ax.figure.draw_without_rendering()
    assert "pair" in ax.texts[-1].get_text()


def test_where_nothing_matches_there_are_no_lines():
    ax = plots.alignment(found(scale=0.0))
    assert not drawn(ax)[1].get_segments()
    assert ax.texts[-1].get_text() == "0 pairs"


@pytest.mark.parametrize(
    ("given_", "more", "message"),
    [
        ({"matrix": np.ones((2, 2))}, {}, r"of shape \(10, 3\). Got shape \(2, 2\)"),
        ({"matrix": np.full((10, 3), np.nan)}, {}, "Got NaN or infinite values"),
        ({"graphs": (LEFT,)}, {}, "of two graphs. Got 1"),
        ({}, {"most": -1}, "most must be an integer of 0 or more. Got -1"),
        ({}, {"most": 1.5}, "most must be an integer of 0 or more. Got 1.5"),
        ({}, {"labels": "elment"}, "Did you mean 'element'"),
        ({}, {"positions": (np.ones((2, 2)), None)}, r"positions must .* of shape \(10, 2\)"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(given_, more, message):
    with pytest.raises(ParameterError, match=message):
        plots.alignment(SimpleNamespace(**{**vars(found()), **given_}), **more)
