"""What Synthie promises; the real set, where at hand, keeps the same promises."""

import numpy as np
import pytest

from nask.lab import make_synthie


def blocks(graph):
    """Number of edges between each two parts."""
    size = graph.n_nodes // 10
    counts = np.zeros((size, size), dtype=int)
    np.add.at(counts, tuple(graph.edges.T // 10), 1)
    return counts


def inner_edges(graphs, part):
    """The edges within one part of each graph, as a mask over pairs of its nodes."""
    masks = np.zeros((len(graphs), 10, 10), dtype=bool)
    for mask, graph in zip(masks, graphs, strict=True):
        inside = graph.edges[(graph.edges // 10 == part).all(axis=1)] % 10
        mask[tuple(inside.T)] = True
    return masks


def vectors(graph):
    return np.stack([a.data for a in graph.node_attributes.values()], axis=1)


def test_sizes_follow_the_parts():
    data = make_synthie(8, parts=((3, 1), (2, 4)))
    assert [graph.n_nodes for graph in data.graphs] == [40, 40, 60, 60] * 2
    assert make_synthie(4, parts=((0, 0), (0, 1))).graphs[0].n_nodes == 0


def test_bridges_join_parts_of_different_seed_sets_only():
    data = make_synthie(4, parts=((3, 2), (1, 4)), bridges=0.5)
    for graph, first in zip(data.graphs, (3, 3, 1, 1), strict=True):
        counts = blocks(graph)
        between = counts[:first, first:]
        assert between.mean() == pytest.approx(50, abs=10)
        assert counts.sum() == between.sum() + np.trace(counts)
    for graph in make_synthie(4, bridges=0.0).graphs:
        assert blocks(graph).sum() == np.trace(blocks(graph))


def test_copies_change_a_quarter_of_their_base():
    graphs = make_synthie(400, parts=((1, 0), (0, 1))).graphs
    bases = []
    for first in (0, 2):
        copies = inner_edges([*graphs[first::4], *graphs[first + 1 :: 4]], 0)
        base = copies.mean(axis=0) > 0.5
        assert base.sum() == 9
        assert set(np.count_nonzero(copies != base, axis=(1, 2))) == {2}
        assert copies.sum(axis=(1, 2)).mean() == pytest.approx(9, abs=0.3)
        assert len(np.unique(copies.reshape(len(copies), -1), axis=0)) > 50
        bases.append(base)
    assert not np.array_equal(*bases)


def test_without_perturbation_all_copies_are_alike():
    graphs = make_synthie(40, parts=((1, 0), (0, 1)), perturbed=0.0).graphs
    for first in (0, 2):
        assert len(np.unique(inner_edges(graphs[first::4], 0).reshape(10, -1), axis=0)) == 1


def test_families_swap_between_the_two_classes_of_a_structure():
    # So many graphs that nearly all of the 15000 vectors come up.
    data = make_synthie(800, parts=((8, 2), (2, 8)))
    found = {(label, source): set() for label in range(4) for source in (1, 2)}
    for graph, label in zip(data.graphs, data.y.tolist(), strict=True):
        cut = (80, 80, 20, 20)[label]
        found[label, 1] |= set(map(tuple, vectors(graph)[:cut].tolist()))
        found[label, 2] |= set(map(tuple, vectors(graph)[cut:].tolist()))
    family_a = [found[0, 1], found[1, 2], found[2, 1], found[3, 2]]
    family_b = [found[0, 2], found[1, 1], found[2, 2], found[3, 1]]
    assert not set().union(*family_a) & set().union(*family_b)
    assert set.intersection(*family_a)
    assert set.intersection(*family_b)
    assert 14_500 < len(set().union(*family_a, *family_b)) <= 15_000


@pytest.mark.parametrize(("n_attributes", "rank"), [(2, 2), (5, 4), (15, 12)])
def test_a_fifth_of_the_attributes_is_redundant(n_attributes, rank):
    values = vectors(make_synthie(4, n_attributes=n_attributes).graphs[0])
    assert values.shape[1] == n_attributes
    assert np.linalg.matrix_rank(values - values.mean(axis=0)) == rank


def test_like_the_real_set(benchmark_set):
    real, drawn = benchmark_set("Synthie"), make_synthie()
    spread = []
    for data in (real, drawn):
        assert len(data) == 400
        assert np.bincount(data.y) == pytest.approx(100, abs=10)
        sizes = np.array([graph.n_nodes for graph in data.graphs])
        assert set(sizes[data.y < 2]) == {100}
        assert set(sizes[data.y >= 2]) == {90}
        n_edges = np.array([graph.n_edges for graph in data.graphs])
        assert n_edges.mean() == pytest.approx(172.93, abs=3)
        assert n_edges[data.y < 2].mean() == pytest.approx(200, abs=10)
        assert n_edges[data.y >= 2].mean() == pytest.approx(146, abs=10)
        assert list(data.graphs[0].node_attributes) == [f"node_attribute_{k}" for k in range(15)]
        pooled = np.concatenate([vectors(graph) for graph in data.graphs])
        assert len(np.unique(pooled, axis=0)) == pytest.approx(13_815, rel=0.01)
        assert np.linalg.matrix_rank(pooled - pooled.mean(axis=0), tol=1e-2) == 12
        spread.append(np.median(pooled.std(axis=0)))
    assert spread[0] == pytest.approx(spread[1], rel=0.15)
