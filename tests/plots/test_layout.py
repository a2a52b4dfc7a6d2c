"""Where nodes are drawn: by their paths, nowhere twice, the same every time."""

from itertools import pairwise
from time import perf_counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

import nask
from nask.io.coerce import as_graph
from nask.plots.layout import GAP, layout, shelves
from nask.plots.pivots import parted, pivot_positions
from nask.plots.stress import MOST_PAIRED, classical_scaling, majorized, stress_positions
from strategies import graphs

CONNECTED = {
    "pair": nx.path_graph(2),
    "star": nx.star_graph(9),
    "cycle": nx.cycle_graph(12),
    "complete": nx.complete_graph(9),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 7)),
    "bipartite": nx.complete_bipartite_graph(3, 4),
    "tree": nx.balanced_tree(3, 3),
    "two hubs": nx.barbell_graph(6, 3),
    "scale free": nx.barabasi_albert_graph(60, 2, seed=100),
}
PARTS = nx.disjoint_union_all(
    [nx.cycle_graph(6), nx.empty_graph(3), nx.star_graph(4), nx.path_graph(5), nx.empty_graph(4)]
)


def stress(points, paths):
    apart, paths = pdist(points), squareform(paths)
    return np.sum((apart / paths - 1) ** 2)


def paths_of(graph):
    return np.asarray(nx.floyd_warshall_numpy(graph))


def test_a_path_is_a_straight_line_of_unit_steps():
    points = layout(as_graph(nx.path_graph(6)))
    np.testing.assert_allclose(np.abs(np.diff(points[:, 0])), 1, atol=1e-3)
    np.testing.assert_allclose(np.ptp(points[:, 1]), 0, atol=1e-6)


@pytest.mark.parametrize("name", CONNECTED)
def test_the_stress_is_about_that_of_an_independent_minimiser(name):
    graph = CONNECTED[name]
    paths = paths_of(graph)
    # The energy that Kamada and Kawai minimise is the stress.
    found = nx.kamada_kawai_layout(graph)
    rival = np.array([found[node] for node in graph])
    ratios = pdist(rival) / squareform(paths)
    best = stress(rival * ratios.sum() / np.sum(ratios**2), paths)
    assert stress(layout(as_graph(graph)), paths) <= 1.1 * best + 1e-3


@pytest.mark.parametrize("name", CONNECTED)
def test_majorization_lowers_the_stress_and_ends_where_it_no_longer_does(name):
    paths = paths_of(CONNECTED[name])
    start = np.random.default_rng(100).normal(size=(len(paths), 2))
    scaled = classical_scaling(paths)
    for points in (start, scaled):
        moved = majorized(points, paths)
        assert stress(moved, paths) <= stress(points, paths) + 1e-9
    end = majorized(start, paths)
    assert stress(majorized(end, paths), paths) >= 0.99 * stress(end, paths)


@given(graphs(max_nodes=8))
def test_no_two_nodes_are_at_one_place_and_it_is_the_same_again(graph):
    points = layout(graph)
    assert points.shape == (graph.n_nodes, 2)
    assert np.isfinite(points).all()
    assert not len(points) > 1 or pdist(points).min() > 0.1
    np.testing.assert_array_equal(points, layout(graph))


@pytest.mark.parametrize("graph", [nx.star_graph(2000), nx.balanced_tree(3, 6)])
def test_leaves_of_one_node_of_a_large_graph_are_apart(graph):
    assert len(graph) > MOST_PAIRED
    assert pdist(layout(as_graph(graph))).min() > 9e-3


@pytest.mark.parametrize("seed", range(100, 104))
def test_the_numbering_of_nodes_does_not_matter(seed):
    # A random graph of this kind has no symmetry.
    graph = as_graph(nx.barabasi_albert_graph(25, 3, seed=seed))
    order = np.random.default_rng(seed).permutation(graph.n_nodes)
    other = nask.AttributedGraph(graph.n_nodes, order[graph.edges])
    np.testing.assert_allclose(layout(other)[order], layout(graph), atol=1e-6)


def test_parts_are_side_by_side_and_lonely_nodes_in_a_row_below():
    graph = as_graph(PARTS)
    points = layout(graph)
    lonely = graph.degrees() == 0
    assert len(set(points[lonely, 1])) == 1
    np.testing.assert_allclose(np.diff(np.sort(points[lonely, 0])), GAP)
    assert points[~lonely, 1].min() >= points[lonely, 1].max() + GAP - 1e-9
    boxes = []
    for part in nx.connected_components(PARTS):
        own = points[sorted(part)]
        boxes.append((own.min(axis=0), own.max(axis=0)))
    for number, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:number]:
            gaps = np.maximum(low - other_high, other_low - high)
            assert gaps.max() >= GAP - 1e-9


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=9))
def test_points_at_one_place_are_parted_and_others_stay(places):
    points = np.array(places, dtype=float)
    moved = parted(points, digits=1)
    assert len(np.unique(moved, axis=0)) == len(points)
    for place in set(places):
        own = moved[(points == place).all(axis=1)]
        assert (own == place).all(axis=1).sum() == 1


def test_majorization_needs_nodes_at_different_places():
    paths = paths_of(nx.star_graph(4))
    start = np.zeros((5, 2))
    assert len(np.unique(majorized(start, paths).round(3), axis=0)) < 5
    assert len(np.unique(majorized(parted(start, digits=6), paths).round(3), axis=0)) == 5


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), max_size=12))
def test_boxes_on_shelves_do_not_touch(sizes):
    sizes = np.array(sizes).reshape(-1, 2)
    corners, width = shelves(sizes)
    assert corners.min(initial=0) >= 0
    assert np.max(corners[:, 0] + sizes[:, 0], initial=0) <= width + 1e-9
    for one in range(len(sizes)):
        for other in range(one):
            apart = np.maximum(
                corners[one] - corners[other] - sizes[other],
                corners[other] - corners[one] - sizes[one],
            )
            assert apart.max() >= GAP - 1e-9


def test_a_large_grid_is_drawn_by_pivots_as_a_grid():
    side = 40
    grid = csr_array(nx.to_scipy_sparse_array(nx.grid_2d_graph(side, side)))
    points = stress_positions(grid)
    np.testing.assert_allclose(np.abs(points), np.abs(stress_positions(grid)))
    sources = np.arange(0, side**2, 97)
    paths = shortest_path(grid, unweighted=True, indices=sources)
    apart = np.linalg.norm(points[sources][:, None] - points, axis=2)
    assert np.corrcoef(apart.ravel(), paths.ravel())[0, 1] > 0.9
    ends = grid.tocoo()
    lengths = np.linalg.norm(points[ends.row] - points[ends.col], axis=1)
    assert 0.7 < np.median(lengths) < 1.3


def test_the_small_and_the_large_way_agree_on_a_ring():
    ring = csr_array(nx.to_scipy_sparse_array(nx.cycle_graph(90)))
    for points in (stress_positions(ring), pivot_positions(ring)):
        radii = np.linalg.norm(points - points.mean(axis=0), axis=1)
        assert np.ptp(radii) < 0.05 * radii.mean()
        steps = [np.linalg.norm(a - b) for a, b in pairwise(points)]
        assert np.ptp(steps) < 0.3 * np.mean(steps)


@pytest.mark.slow
def test_thousands_of_nodes_take_seconds():
    graph = as_graph(nx.barabasi_albert_graph(5000, 3, seed=100))
    start = perf_counter()
    layout(graph)
    assert perf_counter() - start < 30
