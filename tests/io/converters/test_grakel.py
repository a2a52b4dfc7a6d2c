import sys

import grakel
import numpy as np
import pytest
from scipy import sparse

from nask import AttributedGraph
from nask.exceptions import GraphError, InputError
from nask.io.converters.grakel import from_grakel

MATRIX = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
LABELS = {0: "O", 1: "H", 2: "H"}
WATER = AttributedGraph(3, [(0, 1), (0, 2)], {"label": ["O", "H", "H"]})
PAIRS = [(0, 1), (1, 0), (0, 2), (2, 0)]
FORMS = {
    "list of lists": MATRIX,
    "array": np.array(MATRIX),
    "float array": np.array(MATRIX, dtype=float),
    "sparse matrix": sparse.csr_matrix(np.array(MATRIX)),
    "sparse array": sparse.csr_array(np.array(MATRIX)),
    "pairs to weights": dict.fromkeys(PAIRS, 1),
    "node to list": {0: [1, 2], 1: [0], 2: [0]},
    "node to weights": {0: {1: 1.0, 2: 1.0}, 1: {0: 1.0}, 2: {0: 1.0}},
    "set of pairs": set(PAIRS),
    "list of pairs": PAIRS,
    "generator": iter(PAIRS),
    "weighted triples": {(u, v, 1) for u, v in PAIRS},
}
IN_GRAKEL = [name for name in FORMS if name not in ("sparse array", "generator")]


@pytest.mark.parametrize("sequence", [tuple, list])
@pytest.mark.parametrize("form", [name for name in FORMS if name != "generator"])
def test_every_form_of_edges(form, sequence):
    assert from_grakel(sequence([FORMS[form], LABELS])) == WATER


def test_a_generator_of_edges():
    assert from_grakel((iter(PAIRS), LABELS)) == WATER


@pytest.mark.parametrize("graph_format", ["dictionary", "adjacency", "all", "auto"])
@pytest.mark.parametrize("form", IN_GRAKEL)
@pytest.mark.filterwarnings("ignore:overriding existing:UserWarning")
def test_graph_objects_in_every_format(form, graph_format):
    # GraKeL completes a nested dictionary in place.
    graph = grakel.Graph(FORMS[form], dict(LABELS), graph_format=graph_format)
    assert from_grakel(graph) == WATER


def test_labels_and_weights_of_edges():
    edges = {("a", "b"): 0.5, ("b", "a"): 0.5, ("b", "c"): 1, ("c", "b"): 1}
    labels = {("a", "b"): 7, ("b", "a"): 7, ("c", "b"): 8}
    graph = from_grakel((edges, None, labels))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.edge_attributes["weight"].values() == [0.5, 1.0]
    assert graph.edge_attributes["label"].values() == [7, 8]
    assert graph.edge_attributes["label"].kind == "categorical"
    assert dict(graph.node_attributes) == {}


def test_integer_labels_are_codes():
    graph = from_grakel((MATRIX, {0: 8, 1: 1, 2: 1}))
    assert graph.node_attributes["label"].kind == "categorical"


def test_vectors_are_numerical_attributes():
    graph = from_grakel(
        (MATRIX, {0: [1.0, 2], 1: (3, 4), 2: np.array([5, 6])}, {p: [0.5] for p in PAIRS})
    )
    assert {k: a.values() for k, a in graph.node_attributes.items()} == {
        "attribute_0": [1.0, 3.0, 5.0],
        "attribute_1": [2.0, 4.0, 6.0],
    }
    assert graph.edge_attributes["attribute"].values() == [0.5, 0.5]


def test_unequal_vectors_say_which_node():
    with pytest.raises(GraphError, match="length 1 at node 0, but 3 at node 1"):
        from_grakel((MATRIX, {0: [1.0], 1: 3, 2: [1]}))


def test_isolated_nodes_are_kept():
    graph = from_grakel(({(0, 1), (1, 0)}, {1: "a", 0: "b", 5: "c"}))
    assert graph.node_attributes["label"].values() == ["b", "a", "c"]
    assert from_grakel(grakel.Graph({0: [1], 1: [0], 2: []})).n_nodes == 3
    assert from_grakel(({0: [1], 1: [0], 2: []},)).n_nodes == 3


def test_nodes_may_be_pairs_or_of_many_types():
    graph = from_grakel(({(0, 0): [(0, 1)], (0, 1): [(0, 0)]},))
    assert (graph.n_nodes, graph.n_edges) == (2, 1)
    graph = from_grakel(({("a", 1), (1, "a")}, {"a": "text", 1: "number"}))
    assert graph.node_attributes["label"].values() == ["number", "text"]


def test_repeats_are_counted_and_mirror_images_are_not():
    graph = from_grakel(([*PAIRS, (0, 1), (2, 2)],))
    assert (graph.n_duplicate_edges_removed, graph.n_self_loops_removed) == (1, 1)
    assert from_grakel((PAIRS,)).n_duplicate_edges_removed == 0


@pytest.mark.parametrize(
    "edges", [{(0, 1), (1, 0), (1, 2)}, np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]])]
)
def test_directed_graphs_need_a_word(edges):
    with pytest.raises(GraphError, match=r"1 -> 2, but not 2 -> 1.*to_undirected=True"):
        from_grakel((edges,))
    assert from_grakel((edges,), to_undirected=True).edges.tolist() == [[0, 1], [1, 2]]


def test_directions_must_agree():
    with pytest.raises(GraphError, match="conflicting values of edge attribute 'weight'"):
        from_grakel(({(0, 1): 1, (1, 0): 2},))


def test_no_edges_and_no_nodes():
    assert from_grakel(([],)) == AttributedGraph(0)
    assert from_grakel(({}, {3: "a"})).n_nodes == 1


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ((MATRIX, {7: "a"}), "label for 7, which is not in the graph"),
        ((MATRIX, LABELS, {(1, 2): "a"}), r"label for \(1, 2\), which is not in the graph"),
        (([(0, 1, 2, 3)],), r"got \(0, 1, 2, 3\)"),
        (({0: 1},), "Expected an edge .* got 0"),
        ((np.ones((2, 3)),), r"square matrix of numbers. Got .* shape \(2, 3\)"),
        (([[0, 1], [1]],), "square matrix of numbers"),
        (([["a", "b"], ["b", "a"]],), "square matrix of numbers"),
    ],
)
def test_bad_graphs(graph, message):
    with pytest.raises(GraphError, match=message):
        from_grakel(graph)


@pytest.mark.parametrize(
    "graph",
    [
        None,
        {0: [1], 1: [0]},
        set(PAIRS),
        np.array(MATRIX),
        [],
        PAIRS,
        [[0, 1], [1, 0]],
        (3,),
        ("ab",),
    ],
)
def test_other_objects(graph):
    with pytest.raises(InputError, match="Expected"):
        from_grakel(graph)


def test_the_input_is_not_changed():
    edges, labels = {0: {1: 1.0}, 1: {0: 1.0}}, {0: "a", 1: "b", 2: "c"}
    from_grakel((edges, labels))
    assert (edges, labels) == ({0: {1: 1.0}, 1: {0: 1.0}}, {0: "a", 1: "b", 2: "c"})


def test_grakel_need_not_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "grakel", None)
    assert from_grakel((MATRIX, LABELS)) == WATER
