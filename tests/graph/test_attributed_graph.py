"""The data model: what it infers, what it takes out, what it refuses."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute
from nask.graph.edges import canonical_edges
from strategies import graphs


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "numerical"),
        ([1.5, None, 3], "numerical"),
        (np.array([1, 2, 3], dtype=np.uint8), "numerical"),
        (np.array([1.5, np.nan, 2], dtype=np.float32), "numerical"),
        ([np.float32(1), np.int64(2), None], "numerical"),
        (["a", "b", None], "categorical"),
        (np.array(["a", "b", "a"]), "categorical"),
        ([True, False, None], "categorical"),
        (np.array([True, False, True]), "categorical"),
        ([("C", 1), ("N", 0), None], "categorical"),
        (np.array(["a", None, float("nan")], dtype=object), "categorical"),
    ],
)
def test_kinds_are_inferred(values, kind):
    graph = nask.AttributedGraph(3, node_attributes={"a": values})
    assert graph.node_attributes["a"].kind == kind


def test_values_come_back_with_none_where_missing():
    graph = nask.AttributedGraph(
        3, node_attributes={"x": [1, None, float("nan")], "c": ["a", None, float("nan")]}
    )
    assert graph.node_attributes["x"].values() == [1.0, None, None]
    assert graph.node_attributes["c"].values() == ["a", None, None]
    assert graph.node_attributes["c"].missing.tolist() == [False, True, True]


def test_kinds_can_be_forced():
    graph = nask.AttributedGraph(
        2,
        node_attributes={"atom": [6, 8], "flag": [True, False], "mixed": ["a", 1]},
        categorical=["atom", "mixed"],
        numerical=["flag"],
    )
    assert graph.node_attributes["atom"].categories == (6, 8)
    assert graph.node_attributes["flag"].values() == [1.0, 0.0]
    assert graph.node_attributes["mixed"].values() == ["a", 1]


def test_self_loops_and_repeats_are_counted():
    graph = nask.AttributedGraph(
        3, [(0, 1), (1, 1), (1, 0), (2, 1), (0, 1)], edge_attributes={"w": [1, 9, 1, 2, 1]}
    )
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.n_self_loops_removed, graph.n_duplicate_edges_removed) == (1, 2)
    assert graph.edge_attributes["w"].values() == [1.0, 2.0]
    assert graph.degrees().tolist() == [1, 2, 1]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_canonical_edges_are_the_distinct_pairs_in_order(pairs):
    canonical = canonical_edges(np.array(pairs, dtype=np.int64).reshape(-1, 2))
    distinct = dict.fromkeys((min(p), max(p)) for p in pairs if p[0] != p[1])
    assert [tuple(edge) for edge in canonical.edges.tolist()] == list(distinct)
    assert canonical.n_self_loops == sum(u == v for u, v in pairs)
    assert canonical.n_duplicates == len(pairs) - canonical.n_self_loops - len(distinct)


BAD = {
    "n_nodes must be an integer from 0 to 2147483647. Got -1": {"n_nodes": -1},
    "n_nodes must be an integer from 0 to 2147483647. Got 1.5": {"n_nodes": 1.5},
    "n_nodes must be an .* Got 2147483648": {"n_nodes": 2**31},
    "n_nodes must be an .* Got an integer of more than 4300 digits": {"n_nodes": 10**5000},
    r"Edge 0 is \(0, 9223372036854775808\), but": {
        "edges": np.array([(0, 2**63)], dtype=np.uint64)
    },
    r"Got \(0, 1180591620717411303424\) as edge 1": {"edges": [(0, 1), (0, 2**70)]},
    "edge attribute 'w' holds an integer beyond": {"edge_attributes": {"w": [10**5000, 1]}},
    r"Edge 1 is \(0, 3\), but the graph has 3 nodes: expected endpoints 0..2": {
        "edges": [(0, 1), (0, 3)]
    },
    r"Edge 0 is \(-1, 0\)": {"edges": [(-1, 0)]},
    r"no nodes": {"n_nodes": 0, "edges": [(0, 0)]},
    r"must be pairs of integer .* Got \(0, 1, 2\) as edge 0": {"edges": [(0, 1, 2)]},
    r"must be pairs of integer .* Got \(0, 1.5\) as edge 1": {"edges": [(0, 1), (0, 1.5)]},
    r"must be pairs of integer .* Got 'ab' as edge 0": {"edges": ["ab"]},
    "node attribute 'x' has 2 values, but the graph has 3 nodes": {
        "node_attributes": {"x": [1, 2]}
    },
    "edge attribute 'w' has 1 values, but the graph has 2 edges": {
        "edges": [(0, 1), (1, 2)],
        "edge_attributes": {"w": [1]},
    },
    "node attribute 'x' is infinite at node 1 .got inf": {
        "node_attributes": {"x": [1, float("inf"), 2]}
    },
    "edge attribute 'w' is infinite at edge 0 .got -inf": {
        "edges": [(0, 1)],
        "edge_attributes": {"w": np.array([-np.inf])},
    },
    "attribute 'x' mixes numbers and other values .1 at node 0 and 'a' at node 1": {
        "node_attributes": {"x": [1, "a", 2]}
    },
    "mixes numbers and other values": {"node_attributes": {"x": [1, True, 2]}},
    "declared numerical, but node 1 holds 'a'": {
        "node_attributes": {"x": [1, "a", 2]},
        "numerical": ["x"],
    },
    "holds an integer beyond the range of float64": {"node_attributes": {"x": [1, 10**400, 2]}},
    "must be one-dimensional. Got shape .3, 2.": {"node_attributes": {"x": np.zeros((3, 2))}},
    "must be a sequence": {"node_attributes": {"x": 5}},
    "must be a sequence with one value per element. Got .0: 10": {
        "node_attributes": {"x": {0: 10, 1: 20, 2: 30}}
    },
    "must be a sequence with one": {"node_attributes": {"x": {1, 2, 3}}},
    "declared numerical, but node 1 holds 'abc'": {
        "node_attributes": {"x": ["1.5", "abc", "2"]},
        "numerical": ["x"],
    },
    "must be a sequence with": {"node_attributes": {"x": "abc"}},
    r"node attribute 'x' is \[2\] at node 1, which is not hashable": {
        "node_attributes": {"x": ["a", [2], [3]]}
    },
    r"node_attributes must map names to values, one per node, .* Got \[1, 2, 3\]": {
        "node_attributes": [1, 2, 3]
    },
    "edge_attributes must map names to values, one per edge, .* Got .7": {
        "edge_attributes": {7: []}
    },
    "has dtype complex128": {"node_attributes": {"x": np.zeros(3, dtype=complex)}},
    "names no attribute of this graph. Did you mean 'region'": {
        "node_attributes": {"region": ["a", "b", "c"]},
        "categorical": ["regoin"],
    },
    "declared both categorical and numerical": {
        "node_attributes": {"x": [1, 2, 3]},
        "categorical": ["x"],
        "numerical": ["x"],
    },
    r"Edge \(0, 1\) is listed more than once with conflicting values of edge attribute 'w'": {
        "edges": [(0, 1), (1, 0)],
        "edge_attributes": {"w": [1, 2]},
    },
    "conflicting values of edge attribute 'w': 1.0 at position 0 and None": {
        "edges": [(0, 1), (1, 0)],
        "edge_attributes": {"w": [1, None]},
    },
}


@pytest.mark.parametrize("message", BAD)
def test_contradictions_are_refused(message):
    with pytest.raises(GraphError, match=message):
        nask.AttributedGraph(**{"n_nodes": 3, **BAD[message]})


def test_missing_values_on_both_directions_agree():
    graph = nask.AttributedGraph(2, [(0, 1), (1, 0)], edge_attributes={"w": [None, None]})
    assert graph.n_duplicate_edges_removed == 1


@given(graphs())
def test_copies_are_equal_and_frozen(graph):
    for twin in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert twin is not graph
        assert twin == graph
        for array in (twin.edges, *(a.data for a in twin.node_attributes.values())):
            assert not array.flags.writeable


def test_nothing_can_be_changed():
    ages = np.array([1.0, 2.0])
    graph = nask.AttributedGraph(2, [(0, 1)], {"age": ages})
    ages[0] = 99
    assert graph.node_attributes["age"].values() == [1.0, 2.0]
    with pytest.raises(AttributeError, match="immutable"):
        graph.n_nodes = 3
    with pytest.raises(AttributeError, match="immutable"):
        del graph.edges
    with pytest.raises(TypeError):
        graph.node_attributes["age"] = None
    with pytest.raises(ValueError, match="read-only"):
        graph.edges[0, 0] = 1
    with pytest.raises(AttributeError):
        graph.node_attributes["age"].kind = "categorical"


def test_equality_sees_every_part():
    base = nask.AttributedGraph(2, [(0, 1)], {"x": [1, 2]}, {"w": ["a"]})
    others = [
        nask.AttributedGraph(3, [(0, 1)], {"x": [1, 2, 3]}, {"w": ["a"]}),
        nask.AttributedGraph(2, [], {"x": [1, 2]}),
        nask.AttributedGraph(2, [(0, 1)], {"x": [1, 3]}, {"w": ["a"]}),
        nask.AttributedGraph(2, [(0, 1)], {"x": [1, 2]}, {"w": ["b"]}),
        nask.AttributedGraph(2, [(0, 1)], {"y": [1, 2]}, {"w": ["a"]}),
        "graph",
    ]
    assert all(base != other for other in others)
    assert base == nask.AttributedGraph(2, [(1, 0)], {"x": [1, 2]}, {"w": ["a"]})


def test_attribute_equality_is_by_value_not_by_code():
    a = Attribute.from_values(["x", "y"])
    b = Attribute("categorical", np.array([1, 0], dtype=np.int32), ("y", "x"))
    assert a == b
    assert a != Attribute.from_values(["y", "x"])


@given(graphs(), st.data())
def test_an_induced_graph_has_the_nodes_the_edges_between_them_and_their_values(graph, data):
    nodes = data.draw(st.permutations(range(graph.n_nodes)))
    nodes = nodes[: data.draw(st.integers(0, graph.n_nodes))]
    found = graph.induced(nodes)
    assert found.n_nodes == len(nodes)
    for name, own in graph.node_attributes.items():
        values = own.values()
        assert found.node_attributes[name].values() == [values[v] for v in nodes]
    between = {
        frozenset(ends): k for k, ends in enumerate(graph.edges.tolist()) if set(ends) <= set(nodes)
    }
    kept = [between.pop(frozenset((nodes[u], nodes[v]))) for u, v in found.edges.tolist()]
    assert not between
    for name, own in graph.edge_attributes.items():
        values = own.values()
        assert found.edge_attributes[name].values() == [values[k] for k in kept]
