"""Stars that grow: what is in them, by networkx, and what is drawn of it."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_rgba

import nask
from nask import plots
from nask.exceptions import ParameterError
from nask.plots.graph_drawing import RIM


def drawn(ax):
    """Whether each edge and each node is drawn dark."""
    lines, *_, circles = ax.collections
    dark = to_rgba(RIM)
    return [
        [tuple(colour) == dark for colour in own]
        for own in (lines.get_colors(), circles.get_edgecolors())
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_star_has_the_nodes_and_edges_that_its_hops_meet(seed):
    tree = nx.gnp_random_graph(14, 0.17, seed=seed)
    edges = np.array(tree.edges).reshape(-1, 2)
    graph = nask.AttributedGraph(14, edges, {"x": np.zeros(14)})
    shares = np.random.default_rng(seed).normal(size=14)
    figure = plots.stars(graph, 3, n_hops=3, contributions=shares)
    away = nx.single_source_shortest_path_length(tree, 3)
    for hop in (1, 2, 3):
        nodes = [away.get(v, np.inf) <= hop for v in range(14)]
        met = [min(away.get(u, np.inf), away.get(v, np.inf)) < hop for u, v in graph.edges.tolist()]
        first, second = figure.axes[hop - 1], figure.axes[hop + 2]
        assert drawn(first) == [met, nodes]
        assert first.get_title().endswith(f": {sum(nodes)} of 14 nodes")
        within = float(second.get_title().split()[3])
        assert within == pytest.approx(shares[nodes].sum(), rel=0.01, abs=0.01)


def test_the_core_is_the_first_of_the_most_neighbours():
    graph = nask.AttributedGraph(7, [(6, 0), (1, 2), (1, 3), (4, 5), (4, 6)])
    figure = plots.stars(graph, n_hops=1)
    assert figure.axes[0].get_title() == "1 hop: 3 of 7 nodes"
    alone = plots.stars(nask.AttributedGraph(1))
    assert [ax.get_title() for ax in alone.axes][-1] == "4 hops: 1 of 1 nodes"


def test_two_graphs_have_the_colours_of_one_mapping():
    names = {"C": "carbon", "N": "nitrogen", "O": "oxygen"}
    one = nask.AttributedGraph(2, [(0, 1)], {"atom": ["C", "O"]})
    other = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)], {"atom": ["O", "O", "N", None]})
    fills, legends = [], []
    for graph in (one, other):
        figure = plots.stars(graph, 0, n_hops=1, names=names)
        fills.append(figure.axes[0].collections[-1].get_facecolors())
        legends.append([text.get_text() for text in figure.legends[0].get_texts()])
    np.testing.assert_array_equal(fills[0][1], fills[1][0])
    assert not np.array_equal(fills[0][0], fills[1][2])
    np.testing.assert_array_equal(fills[1][3], np.ones(4))
    assert legends == [["carbon", "oxygen"], ["nitrogen", "oxygen"]]


def test_titles_of_many_hops_do_not_overlap():
    path = nask.AttributedGraph(60, [(i, i + 1) for i in range(59)])
    figure = plots.stars(path, 30, n_hops=8)
    figure.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in figure.axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"core": 2}, "core must be a node, an integer from 0 to 1. Got 2"),
        ({"core": True}, "core must be a node"),
        ({"n_hops": 0}, "n_hops must be an integer of 1 or more. Got 0"),
        ({"category": "atm"}, "no categorical attribute 'atm'. Did you mean 'atom'"),
        ({"contributions": [1.0]}, "contributions"),
    ],
)
def test_what_cannot_be_drawn_is_told(options, message):
    graph = nask.AttributedGraph(2, [(0, 1)], {"atom": ["C", "O"]})
    with pytest.raises(ParameterError, match=message):
        plots.stars(graph, **options)


def test_a_graph_without_nodes_has_no_star():
    with pytest.raises(ParameterError, match="has no nodes"):
        plots.stars(nask.AttributedGraph(0))
