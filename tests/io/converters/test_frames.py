import copy
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask import NASK, AttributedGraph
from nask.exceptions import (
    GraphError,
    InputError,
    MissingDependencyError,
    ParameterError,
    SchemaError,
)
from nask.io.converters.frames import from_frames, to_frames

NODES = {
    "graph": ["g2", "g1", "g2", "g1", "g3"],
    "node": ["a", "a", "b", "c", "a"],
    "age": [1, 2, 3, None, None],
    "region": ["x", "y", None, "y", None],
}
EDGES = {
    "graph": ["g1", "g2", "g1", "g2", "g2"],
    "source": ["a", "b", "c", "b", "a"],
    "target": ["c", "a", "a", "b", "b"],
    "kind": ["s", "d", "s", "d", "d"],
}

backends = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])


def changed(table, **columns):
    return {**table, **columns}


@backends
def test_graphs_in_order_of_appearance(frame):
    g2, g1, g3 = from_frames(frame(NODES), frame(EDGES))
    assert g2.node_attributes["age"].values() == [1.0, 3.0]
    assert g2.node_attributes["region"].values() == ["x", None]
    assert g1.node_attributes["age"].values() == [2.0, None]
    assert g1.node_attributes["region"].values() == ["y", "y"]
    assert g3.node_attributes["age"].values() == g3.node_attributes["region"].values() == [None]
    assert g2.edges.tolist() == g1.edges.tolist() == [[0, 1]]
    assert (g2.edge_attributes["kind"].values(), g1.edge_attributes["kind"].values()) == (
        ["d"],
        ["s"],
    )
    assert g3.n_edges == 0


@backends
def test_loops_and_repeats_are_counted_by_graph(frame):
    g2, g1, g3 = from_frames(frame(NODES), frame(EDGES))
    assert [g.n_self_loops_removed for g in (g2, g1, g3)] == [1, 0, 0]
    assert [g.n_duplicate_edges_removed for g in (g2, g1, g3)] == [1, 1, 0]


@backends
def test_kind_is_of_the_column_even_where_a_graph_has_no_value(frame):
    g3 = from_frames(frame(NODES), frame(EDGES))[2]
    assert g3.node_attributes["age"].kind == "numerical"
    assert g3.node_attributes["region"].kind == "categorical"


def test_a_graph_keeps_only_its_own_categories():
    g2, g1, g3 = from_frames(pd.DataFrame(NODES), pd.DataFrame(EDGES))
    assert [g.node_attributes["region"].categories for g in (g2, g1, g3)] == [("x",), ("y",), ()]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series([1, None], dtype="Int64"), "numerical"),
        (pd.Series([None, None], dtype="float64"), "numerical"),
        (pd.Series([True, None], dtype="boolean"), "categorical"),
        (pd.Series([None, None], dtype="string"), "categorical"),
        (pd.Series([1, 2], dtype="category"), "categorical"),
        (pd.Series([1, None], dtype=object), "numerical"),
        (pd.Series([("a",), None], dtype=object), "categorical"),
        (pl.Series([1, None]), "numerical"),
        (pl.Series([None, None], dtype=pl.Boolean), "categorical"),
        (pl.Series(["a", None], dtype=pl.Enum(["a"])), "categorical"),
        (pl.Series([None, None], dtype=pl.Categorical), "categorical"),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_kind_of_dtypes(column, kind):
    frame = pd.DataFrame if isinstance(column, pd.Series) else pl.DataFrame
    (graph,) = from_frames(
        frame({"node": [0, 1], "x": column}), frame({"source": [0], "target": [1]}), graph=None
    )
    assert graph.node_attributes["x"].kind == kind


def test_forced_kinds_and_other_column_names():
    nodes = pd.DataFrame({"g": [0, 0], "id": [10, 20], "code": [6, 8]})
    edges = pd.DataFrame({"g": [0], "u": [20], "v": [10], "code": [1]})
    (graph,) = from_frames(
        nodes, edges, graph="g", node="id", source="u", target="v", categorical="code"
    )
    assert graph == AttributedGraph(
        2, [(0, 1)], {"code": [6, 8]}, {"code": [1]}, categorical=["code"]
    )
    with pytest.raises(GraphError, match="Did you mean 'code'"):
        from_frames(nodes, edges, graph="g", node="id", source="u", target="v", numerical=["cod"])


def test_one_graph_without_graph_ids():
    nodes, edges = (
        pd.DataFrame({"node": ["a", "b"]}),
        pd.DataFrame({"source": ["b"], "target": ["a"]}),
    )
    assert from_frames(nodes, edges, graph=None) == [AttributedGraph(2, [(0, 1)])]
    assert from_frames(nodes[:0], edges[:0], graph=None) == [AttributedGraph(0)]


def test_no_rows_no_graphs():
    assert from_frames(pd.DataFrame(NODES)[:0], pd.DataFrame(EDGES)[:0]) == []


def test_integer_ids_meet_floats_of_the_same_value():
    nodes = pd.DataFrame({"node": [1, 2]})
    edges = pd.DataFrame({"source": [1.0], "target": [2.0]})
    assert from_frames(nodes, edges, graph=None)[0].n_edges == 1


@backends
@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (
            changed(NODES, node=["a", "a", "a", "c", "a"]),
            EDGES,
            "node 'a' of graph 'g2' is in rows 0 and 2 of the nodes",
        ),
        (
            changed(NODES, node=["a", None, "b", "c", "a"]),
            EDGES,
            "Row 1 of the nodes has no id in column 'node'",
        ),
        (
            changed(NODES, graph=["g2", "g1", "g2", None, "g3"]),
            EDGES,
            "Row 3 of the nodes has no id in column 'graph'",
        ),
        (
            NODES,
            changed(EDGES, graph=["g1", "g2", "g1", "g9", "g2"]),
            "Row 3 of the edges belongs to graph 'g9', which has no row",
        ),
        (
            NODES,
            changed(EDGES, graph=["g1", None, "g1", "g2", "g2"]),
            "Row 1 of the edges has no id in column 'graph'",
        ),
        (
            NODES,
            changed(EDGES, target=["c", "a", "b", "b", "b"]),
            "Row 2 of the edges has the target 'b', which is no node of graph 'g1'",
        ),
        (
            changed(NODES, graph=["g2", "g1", "g2", "g1", "g1"], node=list("aabcb")),
            changed(EDGES, graph=["g1"] * 5, source=list("aaaaa"), target=list("cbcbd")),
            "Row 4 of the edges has the target 'd', which is no node of graph 'g1'",
        ),
        (
            changed(NODES, node=list("abbca")),
            changed(EDGES, graph=["g3"] * 5, source=list("aaaaa"), target=list("aaaac")),
            "Row 4 of the edges has the target 'c', which is no node of graph 'g3'",
        ),
        (
            # Numbered -1 in g1, 'zz' would be taken for 'c', the last id, of g2.
            changed(NODES, node=list("abcaa")),
            changed(EDGES, graph=["g1"] * 5, source=list("aaaaa"), target=["a", "zz", *"aaa"]),
            "Row 1 of the edges has the target 'zz', which is no node of graph 'g1'",
        ),
        (
            NODES,
            changed(EDGES, source=["zz", "b", "c", "b", "a"]),
            "Row 0 of the edges has the source 'zz', which is no node of graph 'g1'",
        ),
        (
            NODES,
            changed(EDGES, source=["a", "b", "c", "b", None]),
            "Row 4 of the edges has no id in column 'source'",
        ),
        (
            NODES,
            changed(EDGES, kind=["s", "d", "t", "d", "d"]),
            "'kind': 's' at edge 'a' - 'c' of graph 'g1' .row 0. and 't' at .* 'g1' .row 2.",
        ),
    ],
)
def test_errors_name_the_row(frame, nodes, edges, message):
    with pytest.raises(GraphError, match=message):
        from_frames(frame(nodes), frame(edges))


def test_missing_numeric_ids_are_found():
    with pytest.raises(GraphError, match="Row 1 of the nodes has no id"):
        from_frames(
            pd.DataFrame({"node": [1.0, np.nan]}),
            pd.DataFrame({"source": [1], "target": [1]}),
            graph=None,
        )


def test_errors_without_graph_ids_name_none():
    edges = pd.DataFrame({"source": ["a"], "target": ["z"]})
    with pytest.raises(GraphError, match=r"the target 'z', which is no node\."):
        from_frames(pd.DataFrame({"node": ["a"]}), edges, graph=None)
    with pytest.raises(GraphError, match=r"the source 'a', which is no node\."):
        from_frames(pd.DataFrame({"node": []}), edges, graph=None)


@backends
def test_missing_columns_come_with_a_hint(frame):
    with pytest.raises(GraphError, match=r"nodes have no column 'nodee'. Did you mean 'node'\?"):
        from_frames(frame(NODES), frame(EDGES), node="nodee")
    with pytest.raises(GraphError, match=r"edges have no column 'graf'. Did you mean 'graph'\?"):
        from_frames(frame(changed(NODES, graf=NODES["graph"])), frame(EDGES), graph="graf")


def test_bad_tables():
    good = pd.DataFrame(EDGES)
    with pytest.raises(InputError, match=r"nodes must be a dataframe .* Got dict"):
        from_frames(NODES, good)
    with pytest.raises(InputError, match="Got LazyFrame"):
        from_frames(pl.LazyFrame(NODES), good)
    with pytest.raises(GraphError, match="column 0, not named by text"):
        from_frames(pd.DataFrame({"graph": [1], "node": [1], 0: [1]}), good)
    with pytest.raises(GraphError, match="two columns of the same name"):
        from_frames(pd.DataFrame([[1, 2]], columns=["graph", "graph"]), good)
    with pytest.raises(GraphError, match="One column cannot hold two kinds of ids of the edges"):
        from_frames(pd.DataFrame(NODES), good, source="target")
    with pytest.raises(GraphError, match="column 'node' of the nodes: unhashable"):
        from_frames(pd.DataFrame({"graph": [1], "node": [[1]]}), good)
    with pytest.raises(GraphError, match="column 'source' of the edges: unhashable"):
        from_frames(pd.DataFrame(NODES), good.assign(source=[[1]] * 5))


def test_the_tables_are_not_changed():
    nodes, edges = pd.DataFrame(NODES), pd.DataFrame(EDGES)
    copies = nodes.copy(), edges.copy()
    from_frames(nodes, edges)
    pd.testing.assert_frame_equal(nodes, copies[0])
    pd.testing.assert_frame_equal(edges, copies[1])


def test_labels_align_as_documented():
    nodes = pd.DataFrame(NODES)
    labels = pd.Series({"g1": 1, "g2": 2, "g3": 3})
    graphs = from_frames(nodes, pd.DataFrame(EDGES))
    aligned = labels.loc[nodes["graph"].unique()]
    assert aligned.tolist() == [2, 1, 3]
    assert len(graphs) == len(aligned)


@st.composite
def collections(draw):
    """Graphs of the same attributes, all with nodes."""

    def columns(size):
        floats = st.none() | st.floats(allow_nan=False, allow_infinity=False)
        codes = st.none() | st.integers(-3, 3) | st.text(max_size=2) | st.tuples(st.integers(0, 1))
        return {
            "size": draw(st.lists(floats, min_size=size, max_size=size)),
            "kind": draw(st.lists(codes, min_size=size, max_size=size)),
        }

    graphs = []
    for _ in range(draw(st.integers(0, 4))):
        n = draw(st.integers(1, 5))
        edges = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), unique=True))
        edges = list({frozenset(edge): edge for edge in edges if len(set(edge)) == 2}.values())
        graphs.append(
            AttributedGraph(
                n,
                edges,
                columns(n),
                columns(len(edges)),
                categorical=["kind"],
                numerical=["size"],
            )
        )
    return graphs


@given(collections())
def test_round_trip(graphs):
    nodes, edges = to_frames(graphs)
    assert from_frames(nodes, edges) == graphs


@given(collections(), st.randoms())
def test_rows_of_graphs_may_be_interleaved(graphs, random):
    nodes, edges = to_frames(graphs)
    order = list(range(len(nodes)))
    random.shuffle(order)
    shuffled = nodes.iloc[order]
    read = dict(zip(shuffled["graph"].unique(), from_frames(shuffled, edges), strict=True))
    for k, graph in enumerate(graphs):
        mine = [node for g, node in shuffled[["graph", "node"]].to_numpy() if g == k]
        values = graph.node_attributes["size"].values()
        assert read[k].node_attributes["size"].values() == [values[node] for node in mine]
        back = {frozenset(mine[u] for u in edge) for edge in read[k].edges.tolist()}
        assert back == {frozenset(edge) for edge in graph.edges.tolist()}


def test_to_frames_fills_what_a_graph_lacks():
    graphs = [
        AttributedGraph(1, node_attributes={"a": [1]}),
        AttributedGraph(1, node_attributes={"b": ["x"]}),
    ]
    nodes, _ = to_frames(graphs)
    assert nodes["a"].tolist()[0] == 1
    assert nodes["a"].isna().tolist() == [False, True]
    assert nodes["b"].isna().tolist() == [True, False]


@pytest.mark.parametrize("codes", [[2**60 + 1, 0.5], [True, "a"], [("a", 1), ("b", 2)]])
def test_categories_keep_their_types(codes):
    graph = AttributedGraph(2, node_attributes={"code": codes}, categorical=["code"])
    (back,) = from_frames(*to_frames([graph]))
    assert back.node_attributes["code"].categories == tuple(codes)


def test_an_attribute_missing_throughout_fits_either_kind():
    graphs = [AttributedGraph(1, node_attributes={"a": [value]}) for value in (None, "x")]
    assert to_frames(graphs)[0]["a"].astype(object).tolist()[1] == "x"


def test_to_frames_errors():
    with pytest.raises(GraphError, match="Graph 1 has no nodes"):
        to_frames([AttributedGraph(1), AttributedGraph(0)])
    with pytest.raises(GraphError, match="name of the id column 'node'"):
        to_frames([AttributedGraph(1, node_attributes={"node": [1]})])
    with pytest.raises(GraphError, match="name of the id column 'target'"):
        to_frames([AttributedGraph(2, [(0, 1)], edge_attributes={"target": [1]})])
    with pytest.raises(
        SchemaError, match="'a' is numerical in graph 1, but categorical in graph 2"
    ):
        to_frames([AttributedGraph(1, node_attributes={"a": [v]}) for v in (None, 1, "x")])


@pytest.mark.parametrize("package", ["narwhals", "pandas"])
def test_missing_package_names_the_extra(monkeypatch, package):
    nodes, edges = pd.DataFrame(NODES), pd.DataFrame(EDGES)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=rf"'{package}'.*pip install 'nask\[frames\]'"):
        from_frames(nodes, edges) if package == "narwhals" else to_frames([AttributedGraph(1)])


@pytest.mark.slow
def test_a_million_rows():
    rng = np.random.default_rng(0)
    n_graphs, size = 5000, 100
    graph = np.repeat(np.arange(n_graphs), size)
    nodes = pl.DataFrame(
        {
            "graph": graph,
            "node": np.tile(np.arange(size), n_graphs),
            "age": rng.random(len(graph)),
            "region": rng.choice(["a", "b", "c"], len(graph)),
        }
    )
    edges = pl.DataFrame(
        {
            "graph": graph,
            "source": rng.integers(0, size, len(graph)),
            "target": rng.integers(0, size, len(graph)),
        }
    )
    # 0.8 s when written; a loop over the graphs that filters the tables takes minutes.
    graphs = from_frames(nodes, edges)
    assert len(graphs) == n_graphs
    assert {g.n_nodes for g in graphs} == {size}
    listed = (g.n_edges + g.n_self_loops_removed + g.n_duplicate_edges_removed for g in graphs)
    assert set(listed) == {size}


def three_graphs():
    nodes = pd.DataFrame({"graph": [9, 9, 2, 2, 5], "node": list("ababa"), "x": [1, 2, 3, 4, 5]})
    return nask.io.from_frames(nodes, pd.DataFrame({"graph": [], "source": [], "target": []}))


@pytest.mark.parametrize(
    "change",
    [
        lambda graphs: graphs.sort(key=lambda graph: graph.n_nodes),
        lambda graphs: graphs.reverse(),
        lambda graphs: graphs.append(graphs[0]),
        lambda graphs: graphs.extend(graphs),
        lambda graphs: graphs.insert(0, graphs[1]),
        lambda graphs: graphs.pop(),
        lambda graphs: graphs.remove(graphs[0]),
        lambda graphs: graphs.clear(),
        lambda graphs: graphs.__setitem__(0, graphs[1]),
        lambda graphs: graphs.__delitem__(0),
        lambda graphs: graphs.__iadd__([graphs[0]]),
        lambda graphs: graphs.__imul__(2),
    ],
)
def test_ids_stay_with_their_graphs(change):
    graphs = three_graphs()
    with pytest.raises(TypeError, match=r"ids, .* list\(graphs\)"):
        change(graphs)
    assert graphs.ids == (9, 2, 5)
    assert [graph.n_nodes for graph in graphs] == [2, 2, 1]


def test_parts_of_graphs_with_ids_have_theirs():
    graphs = three_graphs()
    assert graphs[1:].ids == (2, 5)
    assert graphs[::-1].ids == (5, 2, 9)
    assert graphs[::-1].align({2: "b", 9: "a", 5: "c"}).tolist() == ["c", "b", "a"]
    assert copy.deepcopy(graphs).ids == pickle.loads(pickle.dumps(graphs)).ids == graphs.ids
    assert type(graphs + graphs) is list


def test_labels_by_id_in_another_order_are_refused():
    graphs = three_graphs()
    model = nask.NASKClassifier(n_hops=1)
    shuffled = pd.Series(["b", "a", "a"], index=[2, 5, 9])
    with pytest.raises(ParameterError, match=r"Pass graphs.align\(y\)"):
        model.fit(graphs, shuffled)
    model.fit(graphs, graphs.align(shuffled))
    model.fit(graphs, shuffled.loc[list(graphs.ids)])
    # Positions, as scikit-learn and pandas number rows, say nothing of ids.
    model.fit(graphs, pd.Series(["b", "a", "a"]))


@backends
def test_graphs_come_with_their_ids(frame):
    graphs = from_frames(frame(NODES), frame(EDGES))
    assert isinstance(graphs, list)
    assert graphs.ids == ("g2", "g1", "g3")
    assert [graph.n_nodes for graph in graphs] == [2, 2, 1]
    copy = pickle.loads(pickle.dumps(graphs))
    assert (copy, copy.ids) == (graphs, graphs.ids)
    alone = from_frames(frame({"node": [1]}), frame({"source": [], "target": []}), graph=None)
    assert alone.ids == (None,)


def test_graphs_with_ids_go_into_estimators_as_a_list():
    graphs = from_frames(pd.DataFrame(NODES), pd.DataFrame(EDGES))
    assert NASK(n_hops=1).fit_transform(graphs).shape == (3, 3)


# Of ids 9 and 10 the order of appearance, that of numbers and that of text all differ.
NUMBERED = {"graph": [10, 9, 100, 9], "node": [0, 0, 0, 1], "x": [10, 9, 100, 9]}
NO_EDGES = {"graph": [], "source": [], "target": []}


@backends
@pytest.mark.parametrize("graphs_of", [list, tuple, iter])
def test_labels_meet_the_graph_of_their_id(frame, graphs_of):
    graphs = from_frames(frame(NUMBERED), frame(NO_EDGES))
    pairs = [(9, "nine"), (100, "hundred"), (10, "ten")]
    assert graphs.ids == (10, 9, 100)
    assert [graph.node_attributes["x"].values()[0] for graph in graphs] == [10, 9, 100]
    expected = ["ten", "nine", "hundred"]
    assert graphs.align(dict(graphs_of(pairs))).tolist() == expected
    ids, labels = zip(*pairs, strict=True)
    assert graphs.align(pd.Series(labels, index=ids)).tolist() == expected
    assert graphs.align({9: 1, 10: 2, 100: 1}).dtype.kind == "i"
    assert graphs.align(pd.Series([0.5, 1.5, 2.5], index=ids)).tolist() == [2.5, 0.5, 1.5]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({10: 1, 9: 1}, "There is no label for 1 graphs: 100. Give each"),
        ({10: 1, 9: 1, 100: None}, "There is no label for 1 graphs: 100. Give each"),
        ({10: 1, 9: 1, 100: 1, 7: 0, 8: 0}, "There is no graph for 2 labels: 7, 8. Give each"),
        ({}, "There is no label for 3 graphs: 10, 9, 100"),
        ({"10": 1, "9": 1, "100": 1}, "The graphs' ids are of type int, those of the labels str"),
        ({10: 1, 9: "a", 100: 1}, "The labels mix text and numbers"),
        (pd.Series([1, 2, 3, 4], index=[10, 9, 100, 9]), "several labels for 1 graphs: 9"),
    ],
)
def test_labels_and_graphs_of_other_ids(labels, message):
    graphs = from_frames(pd.DataFrame(NUMBERED), pd.DataFrame(NO_EDGES))
    with pytest.raises(ParameterError, match=message):
        graphs.align(labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 2, 3], "got list. Pass a dictionary, such as dict"),
        (pl.Series([1, 2, 3]), "got Series. Pass a dictionary, such as dict"),
        (
            pd.DataFrame({"graph": [9], "y": [1]}),
            r"got DataFrame. Pass labels.set_index\('graph'\)",
        ),
    ],
)
def test_labels_without_ids_are_refused(labels, message):
    graphs = from_frames(pd.DataFrame(NUMBERED), pd.DataFrame(NO_EDGES))
    with pytest.raises(InputError, match=message):
        graphs.align(labels)


@backends
def test_errors_in_values_name_graph_and_node(frame):
    for nodes, edges, message in (
        (changed(NODES, age=[1.0, 2.0, 3.0, np.inf, 5.0]), EDGES, "node 'c' of graph 'g1' .row 3."),
        (
            NODES,
            changed(EDGES, w=[1.0, 2.0, 3.0, 4.0, np.inf]),
            "edge 'a' - 'b' of graph 'g2' .row 4.",
        ),
    ):
        with pytest.raises(GraphError, match=message):
            from_frames(frame(nodes), frame(edges))
    mixed = pd.DataFrame(changed(NODES, age=[1, 2, "old", None, 5]))
    with pytest.raises(GraphError, match=r"1 at node 'a' of graph 'g2' .* and 'old' at node 'b'"):
        from_frames(mixed, pd.DataFrame(EDGES))
    alone = pd.DataFrame({"node": ["a"], "x": [np.inf]})
    with pytest.raises(GraphError, match=r"infinite at node 'a' .row 0.;? "):
        from_frames(alone, pd.DataFrame({"source": [], "target": []}), graph=None)


def test_ids_of_any_size():
    big = [2**70, 10**5000, 2**63]
    # Told what it is, since older versions of pandas try to make floats of it.
    exact = pd.Series(big, dtype=object)
    nodes = pd.DataFrame({"graph": pd.Series([1, 1, 1], dtype=object), "node": exact})
    edges = pd.DataFrame(
        {"graph": [1, 1], "source": exact[:2], "target": exact[1:].reset_index(drop=True)}
    )
    assert from_frames(nodes, edges)[0].edges.tolist() == [[0, 1], [1, 2]]
    larger = pd.Series([10**6000], dtype=object)
    wrong = pd.DataFrame(
        {"graph": [1], "source": exact[1:2].reset_index(drop=True), "target": larger}
    )
    with pytest.raises(GraphError, match="target an integer of more than 4300 digits, which is no"):
        from_frames(nodes, wrong)
