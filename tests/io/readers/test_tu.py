from __future__ import annotations

import math
import random
import re
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask.exceptions import FormatError, ParameterError
from nask.io.readers.tu import read_tu

# Graph 1: the path 1-2-3. Graph 2: the edge 4-5.
TINY = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "6\n8\n6\n7\n6\n",
    "node_attributes": "0.5,1\n1.5,2\n2.5,3\n3.5,4\n4.5,nan\n",
    "edge_labels": "0\n0\n1\n1\n0\n0\n",
    "edge_attributes": "0.1\n0.1\n0.2\n0.2\n0.3\n0.3\n",
}


def write(folder: Path, name: str = "TINY", **files: str | bytes | None) -> Path:
    """Write a set in TU form; None leaves a file out."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, content in files.items():
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            (folder / f"{name}_{kind}.txt").write_bytes(data)
    return folder


def tiny(folder: Path, **changes: str | bytes | None) -> Path:
    return write(folder, **(TINY | changes))


def without_edge_files(**changes: str) -> dict[str, str | None]:
    return {"edge_labels": None, "edge_attributes": None, **changes}


def values(attributes) -> dict[str, list]:
    return {name: attribute.values() for name, attribute in attributes.items()}


def test_every_kind_of_file_is_read(tmp_path):
    data = read_tu(tiny(tmp_path))
    assert (data.name, len(data), data.notes) == ("TINY", 2, ())
    assert data.y.dtype == np.int64
    assert data.y.tolist() == [-1, 1]
    path, edge = data.graphs
    assert (path.n_nodes, path.edges.tolist()) == (3, [[0, 1], [1, 2]])
    assert values(path.node_attributes) == {
        "node_label": [6, 8, 6],
        "node_attribute_0": [0.5, 1.5, 2.5],
        "node_attribute_1": [1.0, 2.0, 3.0],
    }
    assert values(path.edge_attributes) == {"edge_label": [0, 1], "edge_attribute": [0.1, 0.2]}
    assert (edge.n_nodes, edge.edges.tolist()) == (2, [[0, 1]])
    assert values(edge.node_attributes)["node_attribute_1"] == [4.0, None]
    kinds = {name: a.kind for name, a in [*path.node_attributes.items()]}
    assert kinds["node_label"] == "categorical"
    assert kinds["node_attribute_0"] == "numerical"


def test_graphs_share_one_sorted_tuple_of_categories(tmp_path):
    first, second = read_tu(tiny(tmp_path)).graphs
    categories = first.node_attributes["node_label"].categories
    assert categories == (6, 7, 8)
    assert all(type(category) is int for category in categories)
    assert second.node_attributes["node_label"].categories is categories
    assert (
        second.edge_attributes["edge_label"].categories
        is first.edge_attributes["edge_label"].categories
    )


def test_arrays_are_read_only(tmp_path):
    data = read_tu(tiny(tmp_path))
    graph = data.graphs[0]
    for array in (data.y, graph.edges, graph.node_attributes["node_label"].data):
        assert not array.flags.writeable
        assert array.base is None or not array.base.flags.writeable


@pytest.mark.parametrize("separator", [",", ", ", " , ", ",\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["", "{n}", "{n}{n}  {n}"])
def test_separators_and_line_ends_do_not_matter(tmp_path, separator, newline, start, end):
    expected = read_tu(tiny(tmp_path / "plain"))
    files = {}
    for kind, text in TINY.items():
        other = re.sub(r",\s*", separator, text.strip()).replace("\n", newline)
        files[kind] = start + (other + end.format(n=newline)).encode()
    data = read_tu(write(tmp_path / "other", **files))
    assert data.graphs == expected.graphs
    assert data.y.tolist() == expected.y.tolist()


@st.composite
def collections(draw):
    """A collection as plain lists: the graph of each node, edge lines, and all columns."""
    sizes = draw(st.lists(st.integers(0, 4), max_size=4))
    graph_of = draw(st.permutations([g for g, size in enumerate(sizes) for _ in range(size)]))
    members = [[i for i, h in enumerate(graph_of) if h == g] for g in range(len(sizes))]
    pairs = [(u, v) for nodes in members for u in nodes for v in nodes if u < v]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    loops = draw(st.lists(st.sampled_from(range(len(graph_of))), max_size=2)) if graph_of else []
    again = draw(st.lists(st.sampled_from(edges), max_size=3)) if edges else []
    lines = [*edges, *[(v, u) for u, v in edges], *again, *[(u, u) for u in loops]]
    label = st.one_of(st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1))
    number = st.one_of(st.floats(allow_infinity=False), st.integers(-3, 3).map(float))
    column_kinds = {
        "node_label": (label, len(graph_of)),
        "node_attribute": (number, len(graph_of)),
        "edge_label": (label, len(edges)),
        "edge_attribute": (number, len(edges)),
    }
    columns = {
        kind: [
            draw(st.lists(value, min_size=n, max_size=n)) for _ in range(draw(st.integers(0, 2)))
        ]
        for kind, (value, n) in column_kinds.items()
    }
    target = draw(st.sampled_from(["graph_labels", "graph_attributes"]))
    finite = label if target == "graph_labels" else st.floats(allow_nan=False, allow_infinity=False)
    y = draw(st.lists(finite, min_size=len(sizes), max_size=len(sizes)))
    return members, edges, draw(st.permutations(lines)), columns, target, y


def table(rows, separator: str) -> str:
    return "".join(separator.join(map(repr, row)) + "\n" for row in rows)


def named(kind: str, columns: list, positions: list[int]) -> dict[str, list]:
    names = [kind] if len(columns) == 1 else [f"{kind}_{k}" for k in range(len(columns))]
    return {
        name: [None if column[i] != column[i] else column[i] for i in positions]
        for name, column in zip(names, columns, strict=True)
    }


@given(collections(), st.sampled_from([",", ", "]))
def test_round_trip(tmp_path_factory, collection, separator):
    members, edges, lines, columns, target, y = collection
    n_nodes = sum(map(len, members))
    edge_of_line = [edges.index((min(e), max(e))) if e[0] != e[1] else None for e in lines]
    graph_of = {node: g for g, nodes in enumerate(members) for node in nodes}
    files = {
        "A": table([(u + 1, v + 1) for u, v in lines], separator),
        "graph_indicator": table([(graph_of[i] + 1,) for i in range(n_nodes)], separator),
        target: table([(value,) for value in y], separator),
    }
    for kind, its in columns.items():
        if its and kind.startswith("node"):
            files[f"{kind}s"] = table(zip(*its, strict=True), separator)
        elif its:
            rows = [[c[e] if e is not None else 0 for c in its] for e in edge_of_line]
            files[f"{kind}s"] = table(rows, separator)
    data = read_tu(write(tmp_path_factory.mktemp("set"), **files))

    assert data.y.tolist() == y
    assert len(data) == len(members)
    listed = Counter(lines)
    for graph, nodes in zip(data.graphs, members, strict=True):
        assert graph.n_nodes == len(nodes)
        seen = dict.fromkeys(e for e in edge_of_line if e is not None and edges[e][0] in nodes)
        assert graph.edges.tolist() == [[nodes.index(u) for u in edges[e]] for e in seen]
        node_expected = named("node_label", columns["node_label"], nodes)
        node_expected |= named("node_attribute", columns["node_attribute"], nodes)
        edge_expected = named("edge_label", columns["edge_label"], list(seen))
        edge_expected |= named("edge_attribute", columns["edge_attribute"], list(seen))
        # A file without lines does not tell how many columns it would have.
        assert values(graph.node_attributes) == (node_expected if n_nodes else {})
        assert values(graph.edge_attributes) == (edge_expected if lines else {})
        own = {line: count for line, count in listed.items() if line[0] in nodes}
        assert graph.n_self_loops_removed == sum(c for (u, v), c in own.items() if u == v)
        assert graph.n_duplicate_edges_removed == sum(c - 1 for (u, v), c in own.items() if u != v)


FAULTS = {
    "node in graph 0": ({"graph_indicator": "1\n0\n1\n2\n2\n"}, "graph_indicator", 2, "graph 0"),
    "node in graph 3 of 2": ({"graph_indicator": "1\n1\n1\n2\n3\n"}, "graph_indicator", 5, "1..2"),
    "no graph to be in": ({"graph_labels": ""}, "graph_indicator", 1, "no graphs"),
    "endpoint 0": ({"A": "1,2\n0,1\n"}, "A", 2, "(0, 1) has an endpoint that is no node"),
    "endpoint beyond": ({"A": "1,2\n2,1\n6,5\n"}, "A", 3, "1..5"),
    "edge across": ({"A": "1,2\n2,1\n3,4\n4,3\n"}, "A", 3, "node 3 of graph 1"),
    "directed": ({"A": "1,2\n2,1\n3,2\n"}, "A", 3, "(3, 2) is listed, but (2, 3) is not"),
    "directed forward": ({"A": "1,2\n2,1\n2,3\n"}, "A", 3, "(2, 3) is listed, but (3, 2) is not"),
    "text in A": ({"A": "1,2\n2,x\n"}, "A", 2, "'x'"),
    "float in A": ({"A": "1,2\n2,1.5\n"}, "A", 2, "'1.5'"),
    "nan in A": ({"A": "nan,2\n2,1\n"}, "A", 1, "'nan'"),
    "one column in A": ({"A": "1\n2\n"}, "A", 1, "1 columns"),
    "three columns in A": ({"A": "1,2,3\n2,1,3\n"}, "A", 1, "3 columns"),
    "widening A": ({"A": "1,2\n2,1\n2,3,1\n"}, "A", 3, "3 columns"),
    "spaces in A": ({"A": "1 2\n2 1\n"}, "A", 1, "1 columns in '1 2'"),
    "huge id": ({"A": f"1,2\n2,{10**20}\n"}, "A", 2, "64-bit"),
    "text in indicator": ({"graph_indicator": "1\n1\n\xe9\n2\n2\n"}, "graph_indicator", 3, "\xe9"),
    "bad bytes": ({"graph_indicator": b"1\n1\n\xff\n2\n2\n"}, "graph_indicator", 3, "xff"),
    "two columns in indicator": ({"graph_indicator": "1,1\n" * 5}, "graph_indicator", 1, "2 col"),
    "blank line": ({"graph_indicator": "1\n1\n\n1\n2\n2\n"}, "graph_indicator", 3, "blank"),
    "spaces as line": ({"node_attributes": "1\n  \n1\n2\n2\n"}, "node_attributes", 2, "blank"),
    "blank first line": ({"graph_labels": "\n1\n1\n"}, "graph_labels", 1, "blank"),
    "text label": ({"node_labels": "6\n8\nC\n7\n6\n"}, "node_labels", 3, "'C'"),
    "infinite label": ({"node_labels": "6\n8\n6\ninf\n6\n"}, "node_labels", 4, "infinite"),
    "label past 2**53": ({"node_labels": f"6\n8\n1.0\n{2**53}\n6\n"}, "node_labels", 4, "exactly"),
    "underscore": ({"node_attributes": "1\n2\n3\n1_0\n5\n"}, "node_attributes", 4, "'1_0'"),
    "empty token": ({"node_attributes": "1,2\n,2\n3,4\n1,1\n1,5\n"}, "node_attributes", 2, "''"),
    "narrowing": ({"node_attributes": "1,2\n3\n3,4\n1,1\n1,5\n"}, "node_attributes", 2, "1 col"),
    "inf": ({"node_attributes": "1\n2\n-inf\n4\n5\n"}, "node_attributes", 3, "infinite"),
    "overflow": ({"node_attributes": "1\n2\n3\n4\n1e999\n"}, "node_attributes", 5, "infinite"),
    "infinite on edge": ({"edge_attributes": "1\n1\n2\n2\n3\ninf"}, "edge_attributes", 6, "infin"),
    "nan class": ({"graph_labels": "1\nnan\n"}, "graph_labels", 2, "nan"),
    "infinite class": ({"graph_labels": "inf\n1\n"}, "graph_labels", 1, "infinite"),
    "infinite target": (
        {"graph_labels": None, "graph_attributes": "1\ninf"}, "graph_attributes", 2, "infinite",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "kind", "line", "message"), list(FAULTS.values()), ids=list(FAULTS)
)
def test_a_fault_is_named_with_file_and_line(tmp_path, changes, kind, line, message):
    if "A" in changes:
        changes = without_edge_files(**changes)
    with pytest.raises(FormatError) as caught:
        read_tu(tiny(tmp_path, **changes))
    assert f"TINY_{kind}.txt, line {line}: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "reference", "short", "counts"),
    [
        ("node_labels", "graph_indicator", "6\n8\n", (2, 5)),
        ("node_attributes", "graph_indicator", "1\n" * 6, (6, 5)),
        ("node_attributes", "graph_indicator", "", (0, 5)),
        ("edge_labels", "A", "0\n" * 5, (5, 6)),
        ("edge_attributes", "A", "0\n" * 3, (3, 6)),
        ("graph_attributes", "graph_labels", "0.5\n", (1, 2)),
    ],
)
def test_line_counts_that_contradict(tmp_path, kind, reference, short, counts):
    with pytest.raises(FormatError) as caught:
        read_tu(tiny(tmp_path, **{kind: short}))
    message = str(caught.value)
    assert re.search(
        rf"TINY_{kind}.txt has {counts[0]} lines, but \S*TINY_{reference}.txt has {counts[1]}",
        message,
    )


@pytest.mark.parametrize("missing", ["A", "graph_indicator"])
def test_required_files(tmp_path, missing):
    with pytest.raises(FormatError, match=f"{missing}.txt"):
        read_tu(tiny(tmp_path, **{missing: None}))


def test_files_may_be_left_out(tmp_path):
    graph = read_tu(write(tmp_path, A="1,2\n2,1", graph_indicator="1\n1")).graphs[0]
    assert (graph.n_nodes, graph.n_edges) == (2, 1)
    assert not graph.node_attributes
    assert not graph.edge_attributes


def test_one_set_of_several(tmp_path):
    tiny(tmp_path)
    write(tmp_path, name="OTHER", A="", graph_indicator="1\n")
    with pytest.raises(FormatError, match=r"several sets: OTHER_A.txt, TINY_A.txt"):
        read_tu(tmp_path)
    assert read_tu(tmp_path, name="OTHER").graphs[0].n_nodes == 1
    assert len(read_tu(tmp_path, name="TINY")) == 2
    with pytest.raises(FormatError, match=r"no TINNY_A.txt. Did you mean 'TINY'"):
        read_tu(tmp_path, name="TINNY")


def test_a_set_in_a_subfolder(tmp_path):
    tiny(tmp_path / "inner")
    assert len(read_tu(str(tmp_path))) == 2


@pytest.mark.parametrize("folder", ["", "TINY/", "a/b/"])
def test_zip(tmp_path, folder):
    expected = read_tu(tiny(tmp_path / "TINY"))
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        for kind, text in TINY.items():
            archive.writestr(f"{folder}TINY_{kind}.txt", text)
        archive.writestr(f"__MACOSX/{folder}._TINY_A.txt", b"\0\5")
    data = read_tu(tmp_path / "set.zip")
    assert data.name == "TINY"
    assert data.graphs == expected.graphs
    assert sorted(path.name for path in tmp_path.iterdir()) == ["TINY", "set.zip"]


def test_fault_inside_a_zip_is_named_too(tmp_path):
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        for kind, text in (TINY | {"A": "1,2\n2,x\n"}).items():
            archive.writestr(f"TINY/TINY_{kind}.txt", text)
    with pytest.raises(FormatError, match=r"set.zip.TINY.TINY_A.txt, line 2: 'x'"):
        read_tu(tmp_path / "set.zip")


@pytest.mark.parametrize(
    ("text", "expected", "dtype"),
    [
        ("3\n-2\n", [3, -2], np.int64),
        ("1.0\n2.0\n", [1, 2], np.int64),
        ("0.5\n2\n", [0.5, 2.0], np.float64),
        (f"{2**62}\n{2**62 + 1}\n", [2**62, 2**62 + 1], np.int64),
        ("1,0\n0,1\n", [[1, 0], [0, 1]], np.int64),
        ("1,0.5\n0,1\n", [[1, 0.5], [0, 1]], np.float64),
    ],
)
def test_graph_labels_keep_their_values(tmp_path, text, expected, dtype):
    y = read_tu(tiny(tmp_path, graph_labels=text)).y
    assert (y.tolist(), y.dtype) == (expected, dtype)


@pytest.mark.parametrize(
    ("text", "expected"), [("0.5\nnan\n", [0.5, None]), ("1,2\n3,4\n", [[1.0, 2.0], [3.0, 4.0]])]
)
def test_graph_attributes_as_target(tmp_path, text, expected):
    y = read_tu(tiny(tmp_path, graph_labels=None, graph_attributes=text)).y
    assert y.dtype == np.float64
    assert [None if v != v else v for v in y.tolist()] == expected


def test_the_target_can_be_chosen(tmp_path):
    tiny(tmp_path, graph_attributes="0.5\n1.5\n")
    auto = read_tu(tmp_path)
    assert auto.y.tolist() == [-1, 1]
    assert auto.notes == ("TINY_graph_attributes.txt not used: y is graph_labels.",)
    assert read_tu(tmp_path, target="labels").y.tolist() == [-1, 1]
    chosen = read_tu(tmp_path, target="attributes")
    assert chosen.y.tolist() == [0.5, 1.5]
    assert chosen.notes == ("TINY_graph_labels.txt not used: y is graph_attributes.",)


@pytest.mark.parametrize("target", ["labels", "attributes"])
def test_a_target_that_is_not_there(tmp_path, target):
    tiny(tmp_path, graph_labels=None)
    assert read_tu(tmp_path).y is None
    with pytest.raises(FormatError, match=f"TINY_graph_{target}.txt does not exist"):
        read_tu(tmp_path, target=target)


@pytest.mark.parametrize("options", [{"target": "label"}, {"opposite": "abs"}])
def test_unknown_options(tmp_path, options):
    (parameter,) = options
    with pytest.raises(ParameterError, match=rf"The '{parameter}' parameter of read_tu must be"):
        read_tu(tiny(tmp_path), **options)


@pytest.mark.parametrize(
    ("text", "expected", "categories"),
    [
        ("1.0\n3.0\n1\n2\n3\n", [1, 3, 1], (1, 2, 3)),
        ("0.5\n1.0\n0.5\n2\n3\n", [0.5, 1, 0.5], (0.5, 1, 2, 3)),
        ("4\nnan\n4\n-4\n4\n", [4, None, 4], (-4, 4)),
        ("1e1\n2\n1e1\n3\n3\n", [10, 2, 10], (2, 3, 10)),
    ],
)
def test_node_labels_are_integers_where_they_can_be(tmp_path, text, expected, categories):
    attribute = read_tu(tiny(tmp_path, node_labels=text)).graphs[0].node_attributes["node_label"]
    assert attribute.values() == expected
    assert attribute.categories == categories
    assert [type(c) for c in attribute.categories] == [type(c) for c in categories]


def test_several_columns_of_labels(tmp_path):
    nodes, edges = "6,0\n8,1\n6,2.5\n7,0\n6,1\n", "0,1,2\n0,1,2\n" * 3
    graph = read_tu(tiny(tmp_path, node_labels=nodes, edge_labels=edges)).graphs[0]
    found = values(graph.node_attributes) | values(graph.edge_attributes)
    assert (found["node_label_0"], found["node_label_1"]) == ([6, 8, 6], [0, 1, 2.5])
    assert [found[f"edge_label_{k}"] for k in range(3)] == [[0, 0], [1, 1], [2, 2]]
    assert all(type(c) is int for c in graph.node_attributes["node_label_0"].categories)


def test_unsorted_indicator(tmp_path):
    changes = {"graph_indicator": "2\n1\n2\n1\n1\n", "A": "3,1\n1,3\n5,2\n2,5\n4,5\n5,4\n"}
    first, second = read_tu(tiny(tmp_path, **changes)).graphs
    assert first.node_attributes["node_label"].values() == [8, 7, 6]
    assert first.edges.tolist() == [[0, 2], [1, 2]]
    assert first.edge_attributes["edge_attribute"].values() == [0.2, 0.3]
    assert second.node_attributes["node_label"].values() == [6, 6]
    assert second.edges.tolist() == [[0, 1]]
    assert second.edge_attributes["edge_attribute"].values() == [0.1]


def test_graphs_without_nodes(tmp_path):
    folder = write(tmp_path, A="", graph_indicator="2\n2\n4\n")
    assert [graph.n_nodes for graph in read_tu(folder).graphs] == [0, 2, 0, 1]
    data = read_tu(write(folder, graph_labels="1\n2\n3\n4\n5\n"))
    assert [graph.n_nodes for graph in data.graphs] == [0, 2, 0, 1, 0]
    assert all(graph.edges.shape == (0, 2) for graph in data.graphs)


@pytest.mark.parametrize("target", ["graph_labels", "graph_attributes", None])
def test_a_set_without_graphs(tmp_path, target):
    data = read_tu(write(tmp_path, A="", graph_indicator="", **({target: ""} if target else {})))
    assert len(data) == 0
    assert data.y is None if target is None else data.y.shape == (0,)


def test_self_loops_and_repeats_are_counted_and_noted(tmp_path):
    lines = "1,2\n2,1\n1,2\n1,2\n2,1\n3,3\n4,5\n5,4\n4,5\n4,4\n5,5\n"
    data = read_tu(tiny(tmp_path, **without_edge_files(A=lines)))
    assert [graph.n_duplicate_edges_removed for graph in data.graphs] == [3, 1]
    assert [graph.n_self_loops_removed for graph in data.graphs] == [1, 2]
    assert [graph.n_edges for graph in data.graphs] == [1, 1]
    assert data.notes == (
        "TINY_A.txt: 3 self-loops removed.",
        "TINY_A.txt: 4 repeats of an edge in the same direction removed.",
    )


def test_a_repeat_with_another_value_is_an_error_whatever_opposite_says(tmp_path):
    changes = {"A": "1,2\n2,1\n1,2\n", "edge_labels": None, "edge_attributes": "1\n1\n-1\n"}
    tiny(tmp_path, **changes)
    for opposite in ("error", "absolute", "drop"):
        with pytest.raises(
            FormatError,
            match=r"edge_attributes.txt, line 3: edge_attribute .* nodes 1 and 2 is -1.0, "
            r"but 1.0 at line 1 in the same",
        ):
            read_tu(tmp_path, opposite=opposite)


def test_directed_edges_on_demand(tmp_path):
    changes = {"A": "2,1\n2,3\n3,2\n5,4\n5,4\n", "edge_labels": "1\n2\n2\n3\n3\n"}
    data = read_tu(tiny(tmp_path, **changes, edge_attributes=None), to_undirected=True)
    assert [graph.edges.tolist() for graph in data.graphs] == [[[0, 1], [1, 2]], [[0, 1]]]
    assert data.graphs[0].edge_attributes["edge_label"].values() == [1, 2]
    assert [graph.n_duplicate_edges_removed for graph in data.graphs] == [0, 1]
    assert any("2 edges in one direction only" in note for note in data.notes)


# Column 0 agrees, column 1 is x and -x, column 2 is nan both ways.
DISPLACED = "7,-2,nan\n7,2,nan\n8,0,1\n8,-0.0,1\n9,3.5,1\n9,-3.5,1\n"


def test_opposite_directions_are_refused_unless_asked_for(tmp_path):
    with pytest.raises(FormatError) as caught:
        read_tu(tiny(tmp_path, edge_attributes=DISPLACED))
    message = str(caught.value)
    assert "TINY_edge_attributes.txt, line 2: edge_attribute_1 " in message
    assert "nodes 1 and 2 is 2.0, but -2.0 at line 1 in the opposite direction" in message
    assert "opposite='absolute'" in message
    assert "opposite='drop'" in message


def test_the_later_line_is_the_one_named(tmp_path):
    tiny(tmp_path, A="2,1\n1,2\n", edge_labels=None, edge_attributes="5\n-5\n")
    with pytest.raises(FormatError, match=r"line 2: .* is -5.0, but 5.0 at line 1 in the opposite"):
        read_tu(tmp_path)


def test_opposite_absolute(tmp_path):
    data = read_tu(tiny(tmp_path, edge_attributes=DISPLACED), opposite="absolute")
    assert values(data.graphs[0].edge_attributes) == {
        "edge_label": [0, 1],
        "edge_attribute_0": [7.0, 8.0],
        "edge_attribute_1": [2.0, 0.0],
        "edge_attribute_2": [None, 1.0],
    }
    assert math.copysign(1, data.graphs[0].edge_attributes["edge_attribute_1"].data[1]) == 1
    (note,) = data.notes
    assert note.startswith("edge_attribute_1 holds magnitudes |x|")
    assert "2 of 3 edges" in note


def test_opposite_absolute_does_not_depend_on_the_direction(tmp_path):
    """Swapping the columns of A.txt reverses every displacement; one edge has one line only."""
    forward, reverse = "1,2\n2,1\n2,3\n4,5\n5,4\n", "2,1\n1,2\n3,2\n5,4\n4,5\n"
    edge_values = "-2\n2\n-4\n3\n-3\n"
    options = {"edge_labels": None, "edge_attributes": edge_values}
    a = read_tu(tiny(tmp_path / "a", A=forward, **options), opposite="absolute", to_undirected=True)
    options["edge_attributes"] = "2\n-2\n4\n-3\n3\n"
    b = read_tu(tiny(tmp_path / "b", A=reverse, **options), opposite="absolute", to_undirected=True)
    assert a.graphs[0].edge_attributes["edge_attribute"].values() == [2.0, 4.0]
    assert a.graphs == b.graphs


def test_opposite_drop_leaves_out_only_what_differs(tmp_path):
    labels = "0,1\n0,2\n1,1\n1,1\n0,1\n0,1\n"
    folder = tiny(tmp_path, edge_attributes=DISPLACED, edge_labels=labels)
    data = read_tu(folder, opposite="drop")
    for graph in data.graphs:
        names = ["edge_label_0", "edge_attribute_0", "edge_attribute_2"]
        assert list(graph.edge_attributes) == names
    assert [note.split()[0] for note in data.notes] == ["edge_label_1", "edge_attribute_1"]


@pytest.mark.parametrize(
    "changes",
    [
        {"edge_attributes": "1\n-2\n" + "0\n" * 4},
        {"edge_attributes": "1\nnan\n" + "0\n" * 4},
        {"edge_labels": "1\n-1\n" + "0\n" * 4},
        {"edge_labels": "1\nnan\n" + "0\n" * 4},
    ],
    ids=["other magnitude", "missing one way", "a label", "a label missing one way"],
)
def test_opposite_absolute_needs_equal_magnitudes(tmp_path, changes):
    (kind,) = changes
    with pytest.raises(FormatError, match=rf"TINY_{kind}.txt, line 2: .*opposite='drop'"):
        read_tu(tiny(tmp_path, **changes), opposite="absolute")


def test_a_file_of_no_known_kind_is_noted(tmp_path):
    data = read_tu(tiny(tmp_path, node_colours="1\n", label_readme="C, N"))
    assert data.notes == (
        "TINY_label_readme.txt not read: no file of the TUDataset form.",
        "TINY_node_colours.txt not read: no file of the TUDataset form.",
    )


def test_the_order_of_lines_does_not_matter(tmp_path):
    """Shuffled lines of a larger set, against its edges as a plain set."""
    rng = random.Random(0)
    pairs = {(u, v) for u in range(1, 60) for v in range(u + 1, 60) if rng.random() < 0.3}
    lines = [*pairs, *[(v, u) for u, v in pairs]]
    rng.shuffle(lines)
    text = "".join(f"{u},{v}\n" for u, v in lines)
    weights = "".join(f"{min(line) * 100 + max(line)}\n" for line in lines)
    folder = write(tmp_path, A=text, edge_attributes=weights, graph_indicator="1\n" * 59)
    (graph,) = read_tu(folder).graphs
    assert {(u + 1, v + 1) for u, v in graph.edges.tolist()} == pairs
    expected = [(u + 1) * 100.0 + v + 1 for u, v in graph.edges.tolist()]
    assert graph.edge_attributes["edge_attribute"].values() == expected
