"""Sets whose cause is known: the truth is where the classes differ, and nowhere else."""

import networkx as nx
import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError
from nask.lab import ExplainedDataset, make_ba_2motifs, make_coloured, make_planted

HOUSE = nx.house_graph()


def as_networkx(graph):
    result = nx.empty_graph(graph.n_nodes)
    result.add_edges_from(graph.edges.tolist())
    return result


def values(graph, name):
    return np.array(graph.node_attributes[name].values(), dtype=object)


@pytest.mark.parametrize("n_links", [1, 2])
def test_the_truth_is_a_house_or_a_ring_on_a_grown_graph(n_links):
    data = make_ba_2motifs(20, 12, n_links=n_links, random_state=3)
    for graph, label, truth in zip(data.graphs, data.y, data.truth, strict=True):
        whole = as_networkx(graph)
        motif = whole.subgraph(np.flatnonzero(truth))
        assert nx.is_isomorphic(motif, HOUSE if label else nx.cycle_graph(5))
        base = whole.subgraph(np.flatnonzero(~truth))
        assert nx.is_connected(base)
        assert len(base) == 12
        assert base.number_of_edges() == n_links + n_links * (12 - n_links - 1)
        assert whole.number_of_edges() == base.number_of_edges() + motif.number_of_edges() + 1


def test_new_nodes_prefer_nodes_of_many_links():
    degrees = [make_ba_2motifs(1, 200, random_state=k).graphs[0].degrees().max() for k in range(9)]
    # Of a tree whose new nodes choose evenly, the largest degree is about log2(200), some 8.
    assert np.mean(degrees) > 14


def test_a_position_does_not_tell_the_motif():
    truth = np.array(make_ba_2motifs(400, random_state=2).truth)
    assert truth.mean(axis=0).max() < 0.3
    assert truth.mean(axis=0).min() > 0.1


def groups(graph):
    """Sizes of connected groups of nodes that are red, or high, or both."""
    red = values(graph, "colour") == "red"
    high = values(graph, "level").astype(float) >= 0.8
    return {"red": red.sum(), "both": (red & high).sum()}, red & high


def test_planted_nodes_are_connected_and_alone_combine_both_causes():
    data = make_planted(60, missing=0.0, random_state=4)
    assert data.causes == ("level", "colour")
    for graph, label, truth in zip(data.graphs, data.y, data.truth, strict=True):
        counts, both = groups(graph)
        assert counts["both"] == 3 * label
        assert np.array_equal(both, truth)
        if label:
            assert nx.is_connected(as_networkx(graph).subgraph(np.flatnonzero(truth)))


def test_no_attribute_alone_tells_planted_classes():
    data = make_planted(1200, missing=0.0, random_state=5)
    for name, chosen in (
        ("colour", lambda own: own == "red"),
        ("level", lambda own: own.astype(float) >= 0.8),
    ):
        shares = np.array([chosen(values(graph, name)).mean() for graph in data.graphs])
        first, second = shares[data.y == 0], shares[data.y == 1]
        error = np.sqrt(first.var() / len(first) + second.var() / len(second))
        assert abs(first.mean() - second.mean()) < 4 * error


def test_values_are_missing_as_often_as_asked_for():
    data = make_planted(100, missing=0.2, random_state=6)
    for name in ("level", "colour", "weight", "region"):
        gaps = np.concatenate(
            [[value is None or value != value for value in values(g, name)] for g in data.graphs]
        )
        assert 0.17 < gaps.mean() < 0.23
    kinds = {name: own.kind for name, own in data.graphs[0].node_attributes.items()}
    assert kinds == {
        "level": "numerical", "colour": "categorical",
        "weight": "numerical", "region": "categorical",
    }  # fmt: skip
    wholly = make_planted(1, missing=1.0).graphs[0].node_attributes
    assert {name: own.kind for name, own in wholly.items()} == kinds


def views(graph, n_rounds):
    """What each node sees within some rounds, written out; neighbours in sorted order."""
    around = as_networkx(graph)
    seen = [str(label) for label in graph.node_attributes["node_label"].values()]
    for _ in range(n_rounds):
        seen = [f"({seen[v]}:{sorted(seen[u] for u in around[v])})" for v in around]
    return np.array(seen)


@pytest.mark.parametrize(("n_rounds", "share"), [(0, 0.05), (1, 0.1), (3, 0.1)])
def test_a_colour_is_in_all_graphs_of_class_1_and_in_no_other(mutag, n_rounds, share):
    data = make_coloured(mutag, n_rounds, n_graphs=30, share=share, random_state=1)
    assert 2 < len(data) <= 30
    assert data.y.mean() == 0.5
    seen = [set(views(graph, n_rounds)) for graph in data.graphs]
    common = set.intersection(*[own for own, label in zip(seen, data.y, strict=True) if label])
    common -= set.union(*[own for own, label in zip(seen, data.y, strict=True) if not label])
    # The mask is the ball around one of the views that tell the classes.
    found = [view for view in common if all(map(np.array_equal, data.truth, balls(data, view)))]
    assert found


def balls(data, view):
    n_rounds = int(data.name.split("-")[-2])
    for graph in data.graphs:
        distances = dict(nx.all_pairs_shortest_path_length(as_networkx(graph), n_rounds))
        mask = np.zeros(graph.n_nodes, dtype=bool)
        for v in np.flatnonzero(views(graph, n_rounds) == view):
            mask[list(distances[v])] = True
        yield mask


def test_graphs_come_from_the_set_and_sizes_do_not_tell_the_classes(mutag):
    data = make_coloured(mutag, 2, n_graphs=80, random_state=2)
    assert list(data.graphs) == [mutag.graphs[int(name)] for name in data.ids]
    assert len(set(data.ids)) == len(data)
    sizes = np.array([graph.n_nodes for graph in data.graphs])
    assert abs(sizes[data.y == 1].mean() - sizes[data.y == 0].mean()) < 2


def test_the_seed_draws_the_colour(mutag):
    names = {make_coloured(mutag, 2, random_state=k).name for k in range(6)}
    assert len(names) > 1
    assert make_coloured(mutag, 2, random_state=0).name == make_coloured(mutag, 2).name


def test_a_colour_that_all_or_none_have_is_not_drawn():
    alike = nask.Dataset("alike", (nask.AttributedGraph(3, [(0, 1)], {"label": ["a"] * 3}),) * 4)
    with pytest.raises(ParameterError, match=r"No colour occurs in at least 10% of 4 graphs"):
        make_coloured(alike, 1)


def test_masks_fit_their_graphs():
    graph = nask.AttributedGraph(2)
    with pytest.raises(ParameterError, match="Got 0 masks for 1 graphs"):
        ExplainedDataset("x", (graph,))
    data = ExplainedDataset("x", (graph,), truth=([1, 0],))
    assert data.truth[0].dtype == bool
    with pytest.raises(ValueError, match="read-only"):
        data.truth[0][0] = False
