import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.exceptions import FormatError, GraphError
from nask.io.readers.tables import read_tables

NODES = "graph,node,age,region\ng2,a,1,x\ng1,a,2,y\ng2,b,3,\ng1,c,,y\n"
EDGES = "graph,source,target,weight\ng1,a,c,0.5\ng2,b,a,1\n"
GRAPHS = "graph,y\ng1,1\ng2,-1\n"


@pytest.fixture
def write(tmp_path):
    """A function that writes the files of a folder, the good ones unless told otherwise."""

    def files(nodes=NODES, edges=EDGES, graphs=GRAPHS):
        for name, text in (("nodes", nodes), ("edges", edges), ("graphs", graphs)):
            if text is not None:
                (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8", newline="")
        return tmp_path

    return files


def test_values_kinds_and_name(write):
    folder = write()
    data = read_tables(folder)
    g1, g2 = data.graphs
    assert data.name == folder.name
    assert g1 == nask.AttributedGraph(
        2, [(0, 1)], {"age": [2, None], "region": ["y", "y"]}, {"weight": [0.5]}
    )
    assert g2 == nask.AttributedGraph(
        2, [(0, 1)], {"age": [1, 3], "region": ["x", None]}, {"weight": [1.0]}
    )
    assert data.y.tolist() == [1, -1]
    assert read_tables(str(folder)).graphs == data.graphs


def test_without_graphs_csv_in_order_of_appearance(write):
    data = read_tables(write(graphs=None))
    assert data.y is None
    assert [graph.node_attributes["age"].values() for graph in data.graphs] == [[1, 3], [2, None]]


def test_graphs_csv_may_give_only_the_order(write):
    data = read_tables(write(graphs="graph\ng1\ng2\n"))
    assert data.y is None
    assert data.graphs == read_tables(write()).graphs


def test_graphs_without_nodes(write):
    data = read_tables(write(graphs="y,graph\nno,empty\nyes,g2\nno,g1\n"))
    assert [graph.n_nodes for graph in data.graphs] == [0, 2, 2]
    assert data.y.tolist() == ["no", "yes", "no"]
    # The kinds are those of the other graphs, so that all fit one kernel.
    assert {name: a.kind for name, a in data.graphs[0].node_attributes.items()} == {
        "age": "numerical",
        "region": "categorical",
    }
    assert nask.NASK(n_hops=1).fit_transform(data.graphs).shape == (3, 3)
    only_empty = read_tables(write("graph,node\n", "graph,source,target\n", "graph\ng\n"))
    assert only_empty.graphs == (nask.AttributedGraph(0),)


@pytest.mark.parametrize(
    ("cells", "values", "dtype"),
    [
        ("3 -1", [3, -1], "i"),
        ("3.0 -1", [3.0, -1.0], "f"),
        ("1e3 2", [1000.0, 2.0], "f"),
        ("yes no", ["yes", "no"], "U"),
    ],
)
def test_kinds_of_target(write, cells, values, dtype):
    first, second = cells.split()
    y = read_tables(write(graphs=f"graph,y\ng1,{first}\ng2,{second}\n")).y
    assert y.tolist() == values
    assert y.dtype.kind == dtype


@pytest.mark.parametrize(
    ("cells", "values"), [("6 8", [6, 8]), ("06 8", ["06", "8"]), ("6 C", ["6", "C"])]
)
def test_codes(write, cells, values):
    first, second = cells.split()
    folder = write(f"graph,node,atom\ng,a,{first}\ng,b,{second}\n", "graph,source,target\n", None)
    (graph,) = read_tables(folder, categorical="atom").graphs
    assert graph.node_attributes["atom"].kind == "categorical"
    assert graph.node_attributes["atom"].values() == values
    with pytest.raises(GraphError, match="Did you mean 'atom'"):
        read_tables(folder, categorical=["atoms"])


def test_integers_are_numerical_unless_named(write):
    folder = write("graph,node,atom\ng,a,6\ng,b,\n", "graph,source,target\n", None)
    (graph,) = read_tables(folder).graphs
    assert graph.node_attributes["atom"].kind == "numerical"
    assert graph.node_attributes["atom"].values() == [6.0, None]


def test_ids_are_text(write):
    folder = write(
        "graph,node\n1,1\n1,01\n01,1\n", "graph,source,target\n1,01,1\n", "graph,y\n01,5\n1,6\n"
    )
    data = read_tables(folder)
    assert [graph.n_nodes for graph in data.graphs] == [1, 2]
    assert [graph.n_edges for graph in data.graphs] == [0, 1]


def test_spaces_quotes_blank_lines_and_a_byte_order_mark(write):
    nodes = '\ufeffgraph, node, place\r\ng, a, "Kosice, old town"\r\n\r\ng, b, Presov \r\n'
    (graph,) = read_tables(write(nodes, "graph,source,target\n", None)).graphs
    assert graph.node_attributes["place"].values() == ["Kosice, old town", "Presov"]


def rows_shuffled(text, seed):
    header, *rows = text.splitlines()
    random.Random(seed).shuffle(rows)
    return "\n".join([header, *rows]) + "\n"


@pytest.mark.parametrize("seed", range(4))
def test_labels_stay_with_their_graphs_whatever_the_order_of_rows(write, mutag, seed):
    graphs = mutag.graphs[:12]
    nodes, edges = (frame.to_csv(index=False) for frame in nask.io.to_frames(graphs))
    labels = pd.DataFrame({"graph": range(12), "y": mutag.y[:12]}).to_csv(index=False)
    order = rows_shuffled(labels, seed)
    folder = write(rows_shuffled(nodes, seed), rows_shuffled(edges, seed), order)
    data = read_tables(folder, categorical=["node_label", "edge_label"])
    ids = [int(line.split(",")[0]) for line in order.splitlines()[1:]]
    assert data.y.tolist() == mutag.y[ids].tolist()
    assert [graph.n_nodes for graph in data.graphs] == [graphs[k].n_nodes for k in ids]
    assert [sorted(g.node_attributes["node_label"].values()) for g in data.graphs] == [
        sorted(graphs[k].node_attributes["node_label"].values()) for k in ids
    ]


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.none() | st.floats(-1e6, 1e6), st.none() | st.sampled_from(["x", "é, y", '"'])
            ),
            min_size=1,
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_round_trip(tmp_path_factory, people):
    graphs = [
        nask.AttributedGraph(
            len(rows),
            [(k, k + 1) for k in range(len(rows) - 1)],
            {"number": [row[0] for row in rows], "text": [row[1] for row in rows]},
            {"length": [k / 3 for k in range(len(rows) - 1)]},
            numerical=["number", "length"],
            categorical=["text"],
        )
        for rows in people
    ]
    folder = tmp_path_factory.mktemp("folder")
    for name, frame in zip(("nodes", "edges"), nask.io.to_frames(graphs), strict=True):
        frame.to_csv(folder / f"{name}.csv", index=False)
    read = read_tables(folder).graphs
    for graph, again in zip(graphs, read, strict=True):
        assert again.n_nodes == graph.n_nodes
        assert np.array_equal(again.edges, graph.edges)
        for element in ("node_attributes", "edge_attributes"):
            before, after = getattr(graph, element), getattr(again, element)
            assert {k: a.values() for k, a in after.items()} == {
                k: a.values() for k, a in before.items()
            }


def test_round_trip_of_a_real_set(tmp_path, mutag):
    nodes, edges = nask.io.to_frames(mutag.graphs)
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    data = read_tables(tmp_path, categorical=["node_label", "edge_label"])
    assert data.graphs == mutag.graphs


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"nodes": None}, "There is no file nodes.csv in .*Expected nodes.csv, edges.csv and"),
        ({"edges": None}, "There is no file edges.csv"),
        ({"nodes": ""}, "nodes.csv has no column 'graph'"),
        ({"nodes": "graph,nodes\ng,a\n"}, "nodes.csv has no column 'node'. Did you mean 'nodes'"),
        ({"nodes": "graph;node\n"}, "nodes.csv has no column 'graph'. Did you mean 'graph;node'"),
        ({"edges": "graph,source\ng1,a\n"}, "edges.csv has no column 'target'"),
        ({"nodes": "graph,node,x,x\n"}, "nodes.csv has two columns 'x'"),
        ({"nodes": "graph,node,\n"}, "nodes.csv has .* one without a name"),
        ({"nodes": NODES + "\ng1,d,5\n"}, "Line 7 of nodes.csv has 3 values, but .* 4 columns"),
        ({"edges": EDGES + "g1,a,c,1,2\n"}, "Line 4 of edges.csv has 5 values"),
        ({"nodes": NODES + ",d,5,x\n"}, "Line 6 of nodes.csv has no value in column 'graph'"),
        ({"nodes": NODES + "g1,,5,x\n"}, "Line 6 of nodes.csv has no value in column 'node'"),
        ({"edges": EDGES + "g1,a,,1\n"}, "Line 4 of edges.csv has no value in column 'target'"),
        (
            {"nodes": NODES + "g1,d,old,x\n"},
            "column 'age' of nodes.csv mixes numbers and text: '1' in line 2, 'old' in line 6",
        ),
        (
            {"nodes": NODES + "g1,d,inf,x\n"},
            "nodes.csv and .*'age' is infinite at node 'd' of graph 'g1' .row 4.",
        ),
        ({"nodes": NODES + "g1,a,5,x\n"}, "node 'a' of graph 'g1' is in rows 1 and 4 .* k \\+ 2"),
        ({"edges": EDGES + "g1,a,z,1\n"}, "Row 2 of the edges has the target 'z'"),
        ({"edges": EDGES + "g9,a,b,1\n"}, "Row 2 of the edges belongs to graph 'g9'"),
        (
            {"edges": EDGES + "g1,c,a,9\n"},
            "conflicting values of .*'weight': .* 9.0 at edge 'c' - 'a' of graph 'g1'",
        ),
        ({"graphs": "graph,label\ng1,1\ng2,2\n"}, "graphs.csv has a column 'label'.* 'y'"),
        ({"graphs": "graph,y,name\ng1,1,a\n"}, "graphs.csv has a column 'name'"),
        ({"graphs": "id,y\ng1,1\ng2,2\n"}, "graphs.csv has no column 'graph'"),
        ({"graphs": "graph,y\ng1,1\n"}, "Line 2 of nodes.csv belongs to graph 'g2', which has no"),
        ({"graphs": GRAPHS + "g1,1\n"}, "Lines 2 and 4 of graphs.csv are both of graph 'g1'"),
        ({"graphs": "graph,y\ng1,1\ng2,\n"}, "Line 3 of graphs.csv has no value in column 'y'"),
        ({"graphs": "graph,y\ng1,1\ng2,x\n"}, "column 'y' of graphs.csv mixes numbers and text"),
        ({"nodes": 'graph,node\ng,"a\n'}, "nodes.csv in .* cannot be read as CSV"),
    ],
)
def test_errors_name_file_line_and_column(write, files, message):
    with pytest.raises(FormatError, match=message):
        read_tables(write(**files))


def test_text_that_is_not_utf8(write):
    folder = write()
    (folder / "nodes.csv").write_bytes(b"graph,node\ng,\xe9\n")
    with pytest.raises(FormatError, match=r"nodes.csv in .* cannot be read as CSV in UTF-8"):
        read_tables(folder)


def test_integers_too_long_for_a_machine_are_names_of_classes(write):
    data = read_tables(write(graphs="graph,y\ng1,12345678901234567890\ng2,12345678901234567891\n"))
    assert data.y.tolist() == ["12345678901234567890", "12345678901234567891"]


@pytest.mark.parametrize("marker", ["", "NA", "N/A", "NaN", "nan", "null", "None"])
@pytest.mark.parametrize(("column", "kind"), [("age", "numerical"), ("region", "categorical")])
def test_markers_of_missing_values(write, marker, column, kind):
    values = {"age": ["1", "2", "3", "4"], "region": ["x", "y", "z", "y"]}
    values[column][1] = marker
    rows = zip(["g2,a", "g1,a", "g2,b", "g1,c"], *values.values(), strict=True)
    nodes = "\n".join(["graph,node,age,region", *map(",".join, rows)]) + "\n"
    attribute = read_tables(write(nodes=nodes)).graphs[0].node_attributes[column]
    assert attribute.kind == kind
    assert [value is None for value in attribute.values()] == [True, False]


def test_edges_that_are_removed_are_noted(write):
    data = read_tables(write())
    assert data.notes == ()
    lines = "g1,a,a,0.5\ng1,c,a,0.5\ng1,a,c,0.5\ng2,b,b,1\n"
    for graphs in (GRAPHS, None):
        data = read_tables(write(edges=EDGES + lines, graphs=graphs))
        assert data.notes == (
            "edges.csv: 2 self-loops removed.",
            "edges.csv: 2 repeats of an edge, in either direction, removed.",
        )
        (write() / "graphs.csv").unlink()


@pytest.mark.parametrize("digits", [18, 19, 5000])
def test_integers_of_many_digits(write, digits):
    long = "9" * digits
    ids = read_tables(write(NODES.replace("a,", f"{long},"), EDGES.replace("a,", f"{long},").replace(",a", f",{long}")))  # fmt: skip  # noqa: E501
    assert ids.graphs == read_tables(write()).graphs
    classes = read_tables(write(graphs=f"graph,y\ng1,{long}\ng2,-1\n"))
    assert classes.y.tolist() == ([int(long), -1] if digits == 18 else [long, "-1"])
    codes = read_tables(write(nodes=NODES.replace(",1,", f",{long},")), categorical=["age"])
    found = codes.graphs[1].node_attributes["age"].values()
    assert found == ([int(long), 3] if digits < 1000 else [long, "3"])
    if digits == 5000:
        with pytest.raises(FormatError, match="infinite at node 'a' of graph 'g2'"):
            read_tables(write(nodes=NODES.replace(",1,", f",{long},")))


def test_advice_on_a_mixed_target_can_be_followed(write):
    with pytest.raises(FormatError, match=r"mixes .* classes are all integers or all text\."):
        read_tables(write(graphs="graph,y\ng1,1\ng2,x\n"))
