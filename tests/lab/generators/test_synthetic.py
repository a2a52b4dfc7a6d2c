"""What the SYNTHETIC family promises; the real sets, where at hand, keep the same promises."""

import numpy as np
import pytest

from nask.graph.attributed_graph import AttributedGraph
from nask.lab import make_synthetic, make_synthetic_new


def attributes(data):
    return np.stack([graph.node_attributes["node_attribute"].data for graph in data.graphs])


def adjacency(data):
    n_nodes = data.graphs[0].n_nodes
    result = np.zeros((len(data), n_nodes, n_nodes), dtype=bool)
    for matrix, graph in zip(result, data.graphs, strict=True):
        matrix[tuple(graph.edges.T)] = True
    return result


def class_means(data):
    values = attributes(data)
    return [values[data.y == label].mean(axis=0) for label in (1, data.y.min())]


@pytest.mark.parametrize("make", [make_synthetic, make_synthetic_new])
def test_without_noise_a_class_is_an_exchange_of_attributes_of_the_other(make):
    data = make(6, 30, 50, n_permuted=(8, 3), noise=0.0)
    values = attributes(data)
    assert np.array_equal(values[0], values[2])
    assert np.array_equal(values[1], values[3])
    assert np.array_equal(np.sort(values[0]), np.sort(values[1]))
    base = attributes(make(2, 30, 50, n_permuted=(0, 0), noise=0.0))
    assert np.array_equal(base[0], base[1])


@pytest.mark.parametrize(("sizes", "moved"), [((10, 0), 10), ((10, 5), 6), ((5, 5), 0)])
def test_classes_differ_at_few_nodes(sizes, moved):
    first, second = attributes(make_synthetic(2, n_permuted=sizes, noise=0.0))
    assert np.count_nonzero(first != second) == moved


@pytest.mark.parametrize("noise", [0.45, 2.0])
def test_noise_has_the_deviation_asked_for(noise):
    data = make_synthetic_new(noise=noise)
    within = attributes(data) - np.stack(class_means(data))[np.arange(len(data)) % 2]
    assert within.std() == pytest.approx(noise, rel=0.02)


def test_synthetic_has_one_structure_and_degrees_for_labels():
    data = make_synthetic(10)
    for graph in data.graphs:
        assert np.array_equal(graph.edges, data.graphs[0].edges)
        assert graph.node_attributes["node_label"].kind == "categorical"
        assert graph.node_attributes["node_label"].values() == graph.degrees().tolist()


def test_switches_keep_degrees_and_replace_as_many_edges_as_promised():
    data = make_synthetic_new(60, n_switches=(3, 12))
    base = AttributedGraph(100, np.argwhere(adjacency(data).mean(axis=0) > 0.5))
    assert base.n_edges == 196
    edges = set(map(tuple, base.edges.tolist()))
    for graph, label in zip(data.graphs, data.y, strict=True):
        assert np.array_equal(graph.degrees(), base.degrees())
        lost = edges - set(map(tuple, graph.edges.tolist()))
        assert len(lost) == {1: 6, -1: 24}[label]


def test_graphs_of_a_class_are_switched_differently():
    data = make_synthetic_new(6)
    assert len(np.unique(adjacency(data).reshape(6, -1), axis=0)) == 6


@pytest.mark.parametrize(
    ("name", "make", "changed"),
    [
        ("SYNTHETIC", make_synthetic, {1: 0, 0: 0}),
        ("SYNTHETICnew", make_synthetic_new, {1: 10, -1: 20}),
    ],
)
def test_like_the_real_set(benchmark_set, name, make, changed):
    real, drawn = benchmark_set(name), make()
    for data in (real, drawn):
        assert len(data) == 300
        assert {graph.n_nodes for graph in data.graphs} == {100}
        assert np.mean([graph.n_edges for graph in data.graphs]) == pytest.approx(196, abs=0.3)
        assert {label: np.count_nonzero(data.y == label) for label in changed} == dict.fromkeys(
            changed, 150
        )
        means = class_means(data)
        within = attributes(data) - np.where(data.y[:, None] == 1, *means)
        assert within.std() == pytest.approx(0.45, rel=0.02)
        assert np.abs(np.concatenate(means)).std() == pytest.approx(0.6, abs=0.15)
        assert 5 <= np.count_nonzero(np.abs(means[0] - means[1]) > 0.25) <= 8
        matrices = adjacency(data)
        base = matrices.mean(axis=0) > 0.5
        for label, number in changed.items():
            lost = np.count_nonzero(base & ~matrices[data.y == label], axis=(1, 2))
            assert lost.mean() == pytest.approx(number, abs=0.5)
    kinds = [
        [(key, a.kind) for key, a in data.graphs[0].node_attributes.items()]
        for data in (real, drawn)
    ]
    assert kinds[0] == kinds[1]
