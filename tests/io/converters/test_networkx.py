import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask import AttributedGraph
from nask.exceptions import GraphError, InputError, MissingDependencyError
from nask.io.converters.networkx import from_networkx, to_networkx


def test_nodes_keep_their_order_and_absent_attributes_are_missing():
    graph = nx.Graph()
    graph.add_node("b", age=1)
    graph.add_node("a", region="Kosice")
    graph.add_node("c", age=float("nan"), region=None)
    graph.add_edge("c", "b", weight=0.5)
    graph.add_edge("a", "b")
    converted = from_networkx(graph)
    assert converted.node_attributes["age"].values() == [1.0, None, None]
    assert converted.node_attributes["region"].values() == [None, "Kosice", None]
    assert converted.edges.tolist() == [[0, 2], [0, 1]]
    assert converted.edge_attributes["weight"].values() == [0.5, None]


@pytest.mark.parametrize("vector", [[1, 2.5], (1, 2.5), np.array([1, 2.5])])
def test_vectors_expand(vector):
    graph = nx.Graph([(0, 1)])
    graph.nodes[1]["pos"] = vector
    graph.edges[0, 1]["w"] = vector
    converted = from_networkx(graph)
    assert {k: a.values() for k, a in converted.node_attributes.items()} == {
        "pos_0": [None, 1.0],
        "pos_1": [None, 2.5],
    }
    assert list(converted.edge_attributes) == ["w_0", "w_1"]


def test_a_vector_of_length_one_keeps_its_name():
    graph = nx.Graph()
    graph.add_node(0, x=[3.0])
    assert from_networkx(graph).node_attributes["x"].values() == [3.0]


def test_tuples_of_text_are_categories():
    graph = nx.Graph()
    graph.add_node(0, pair=("a", "b"))
    assert from_networkx(graph).node_attributes["pair"].values() == [("a", "b")]


def test_numpy_scalars_are_plain_values():
    graph = nx.Graph()
    graph.add_node(0, code=np.int64(3), flag=np.bool_(True), count=True)
    converted = from_networkx(graph, categorical=["code"], numerical="count")
    assert converted.node_attributes["count"].values() == [1.0]
    assert converted.node_attributes["count"].kind == "numerical"
    assert converted.node_attributes["code"].categories == (3,)
    assert converted.node_attributes["flag"].categories == (True,)


def test_forcing_a_vector_forces_its_components():
    graph = nx.Graph([(0, 1)])
    graph.nodes[0]["pos"], graph.edges[0, 1]["pos"] = [1, 2], 3
    graph.edges[0, 1]["w"] = [1, 2]
    converted = from_networkx(graph, categorical="pos", numerical=["w"])
    assert converted.edge_attributes["w_1"].kind == "numerical"
    converted = from_networkx(graph, categorical=["pos", "w"])
    kinds = [
        a.kind for a in (*converted.node_attributes.values(), *converted.edge_attributes.values())
    ]
    assert kinds == ["categorical"] * 5


@pytest.mark.parametrize("second", [[1.0], 1.0, [1.0, 2.0, 3.0], "text"])
def test_unequal_vectors_say_which_node(second):
    graph = nx.Graph()
    graph.add_node("a", pos=[0.0, 1.0])
    graph.add_node("b", pos=second)
    with pytest.raises(GraphError, match=r"'pos' is a vector of length 2 at node 'a'.*at node 'b'"):
        from_networkx(graph)


def test_a_component_must_not_take_the_name_of_another_attribute():
    graph = nx.Graph()
    graph.add_node(0, pos_1="x", pos=[0.0, 1.0])
    with pytest.raises(GraphError, match="the name 'pos_1'"):
        from_networkx(graph)


def test_directed_graphs_need_a_word():
    graph = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    with pytest.raises(GraphError, match=r"directed \(DiGraph\).*to_undirected=True"):
        from_networkx(graph)
    converted = from_networkx(graph, to_undirected=True)
    assert converted.edges.tolist() == [[0, 1], [1, 2]]
    assert converted.n_duplicate_edges_removed == 0


def test_reciprocal_edges_must_agree():
    graph = nx.DiGraph()
    graph.add_edge(0, 1, w=1.0)
    graph.add_edge(1, 0, w=1.0)
    assert from_networkx(graph, to_undirected=True).edge_attributes["w"].values() == [1.0]
    graph.edges[1, 0]["w"] = 2.0
    with pytest.raises(GraphError, match=r"conflicting values of edge attribute 'w'"):
        from_networkx(graph, to_undirected=True)


def test_parallel_edges_are_duplicates():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 1)])
    converted = from_networkx(graph)
    assert (converted.n_duplicate_edges_removed, converted.n_self_loops_removed) == (1, 1)
    graph.add_edge(0, 1, w=2)
    with pytest.raises(GraphError, match="conflicting values"):
        from_networkx(graph)
    directed = nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)])
    assert from_networkx(directed, to_undirected=True).n_duplicate_edges_removed == 1


def test_attribute_names_must_be_text():
    graph = nx.Graph()
    graph.add_node("a", **{"ok": 1})
    graph.nodes["a"][7] = 1
    with pytest.raises(GraphError, match="name 7 of node 'a' is not a string"):
        from_networkx(graph)


def test_unknown_forced_name_is_an_error():
    graph = nx.Graph()
    graph.add_node(0, region="a")
    with pytest.raises(GraphError, match="Did you mean 'region'"):
        from_networkx(graph, categorical=["regoin"])


def test_the_graph_is_not_changed():
    graph = nx.Graph([(0, 1)])
    graph.nodes[0]["pos"] = [1.0, 2.0]
    before = nx.to_dict_of_dicts(graph), {n: dict(d) for n, d in graph.nodes(data=True)}
    from_networkx(graph)
    assert (nx.to_dict_of_dicts(graph), {n: dict(d) for n, d in graph.nodes(data=True)}) == before


def test_not_a_graph():
    with pytest.raises(InputError, match="Expected a networkx graph; got list"):
        from_networkx([(0, 1)])


def test_empty_graph():
    assert from_networkx(nx.Graph()) == AttributedGraph(0)


@pytest.mark.parametrize(
    "convert", [lambda: from_networkx(None), lambda: to_networkx(AttributedGraph(1))]
)
def test_missing_package_names_the_extra(monkeypatch, convert):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingDependencyError, match=r"'networkx'.*pip install 'nask\[networkx\]'"):
        convert()


def test_missing_values_are_left_out():
    graph = AttributedGraph(3, [(0, 1), (1, 2)], {"a": [1, None, 2]}, {"b": [None, "x"]})
    converted = to_networkx(graph)
    assert dict(converted.nodes(data=True)) == {0: {"a": 1.0}, 1: {}, 2: {"a": 2.0}}
    assert list(converted.edges(data=True)) == [(0, 1, {}), (1, 2, {"b": "x"})]


@st.composite
def graphs(draw):
    """Graphs with edges in order, and no attribute missing throughout."""
    n = draw(st.integers(1, 6))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = sorted(draw(st.sets(st.sampled_from(pairs)))) if pairs else []

    def columns(size):
        floats = st.none() | st.floats(allow_nan=False, allow_infinity=False)
        codes = st.none() | st.integers(-3, 3) | st.text(max_size=2)
        result = {
            "size": draw(st.lists(floats, min_size=size, max_size=size)),
            "kind": draw(st.lists(codes, min_size=size, max_size=size)),
        }
        return {k: v for k, v in result.items() if any(value is not None for value in v)}

    nodes, edge_columns = columns(n), columns(len(edges))
    categorical = {"kind"} & {*nodes, *edge_columns}
    return AttributedGraph(n, edges, nodes, edge_columns, categorical=categorical)


@given(graphs())
def test_round_trip(graph):
    categorical = {"kind"} & {*graph.node_attributes, *graph.edge_attributes}
    assert from_networkx(to_networkx(graph), categorical=categorical) == graph


def test_errors_name_nodes_by_their_ids():
    people = nx.Graph()
    people.add_node("Eva", age=31)
    people.add_node("Jan", age=float("inf"))
    people.add_edge("Eva", "Jan", since=float("inf"))
    with pytest.raises(GraphError, match="'age' is infinite at node 'Jan'"):
        from_networkx(people)
    people.nodes["Jan"]["age"] = "old"
    with pytest.raises(GraphError, match="31 at node 'Eva' and 'old' at node 'Jan'"):
        from_networkx(people)
    people.nodes["Jan"]["age"] = 23
    with pytest.raises(GraphError, match=r"infinite at edge \('Eva', 'Jan'\)"):
        from_networkx(people)
    twice = nx.MultiGraph([("Eva", "Jan", {"since": 1}), ("Jan", "Eva", {"since": 2})])
    with pytest.raises(GraphError, match=r"1.0 at edge \('Eva', 'Jan'\) and 2.0 at edge"):
        from_networkx(twice)
    there_and_back = nx.DiGraph([("Eva", "Jan", {"since": 1}), ("Jan", "Eva", {"since": 2})])
    with pytest.raises(GraphError, match=r"1.0 at edge \('Eva', 'Jan'\) and 2.0 at edge"):
        from_networkx(there_and_back, to_undirected=True)


def test_ids_and_values_of_thousands_of_digits():
    long = 10**5000
    assert from_networkx(nx.Graph([(long, 2**70)])).n_edges == 1
    graph = nx.Graph()
    graph.add_node(long, x=float("inf"))
    with pytest.raises(GraphError, match="infinite at node an integer of more than 4300 digits"):
        from_networkx(graph)
    graph.nodes[long]["x"] = long
    with pytest.raises(GraphError, match="holds an integer beyond the range of float64"):
        from_networkx(graph)
    assert from_networkx(graph, categorical=["x"]).node_attributes["x"].values() == [long]
