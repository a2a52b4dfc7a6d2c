"""One network from CSV files and from dataframes."""

import datetime

import pandas as pd
import polars as pl
import pytest

import nask
from nask.exceptions import FormatError, GraphError, ParameterError
from nask.io import network_from_frames, read_network, read_tables

NODES = (
    "node,age,region,y,train_mask,val_mask,test_mask\n"
    "eva,31,a,old,true,0,False\njan,,b,new,1,False,false\nota,23,,,0,true,0\nida,5,b,old,0,0,TRUE\n"
)
EDGES = "source,target,since\neva,jan,2001\njan,eva,2001\nota,ida,\n"


@pytest.fixture
def write(tmp_path):
    def files(nodes=NODES, edges=EDGES, graphs=None):
        for name, text in (("nodes", nodes), ("edges", edges), ("graphs", graphs)):
            if text is not None:
                (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        return tmp_path

    return files


def test_everything_that_a_network_has(write):
    folder = write()
    data = read_network(folder)
    assert data.graph == nask.AttributedGraph(
        4, [(0, 1), (2, 3)],
        {"age": [31, None, 23, 5], "region": ["a", "b", None, "b"]}, {"since": [2001, None]},
    )  # fmt: skip
    assert data.name == folder.name
    assert data.ids == ("eva", "jan", "ota", "ida")
    assert data.y.tolist() == ["old", "new", None, "old"]
    assert data.known.tolist() == [True, True, False, True]
    assert [own.tolist() for own in (data.train, data.validation, data.test)] == [[0, 1], [2], [3]]
    assert data.notes == ("edges.csv: 1 repeats of an edge, in either direction, removed.",)
    assert isinstance(nask.load_dataset(folder), nask.NodeDataset)


def test_tables_of_many_graphs_are_no_network(write):
    nodes, edges = "graph,node\n1,a\n", "graph,source,target\n1,a,a\n"
    assert isinstance(nask.load_dataset(write(nodes, edges)), nask.Dataset)
    with pytest.raises(FormatError, match="has a column 'graph': it holds many graphs"):
        read_network(write(nodes, edges))


@pytest.mark.parametrize(
    "files",
    [
        {"nodes": "Graph,node\n1,a\n"},
        {"edges": "graph,source,target\n1,a,a\n"},
        {"graphs": "graph,y\n1,a\n"},
    ],
)
def test_a_missing_column_graph_is_told(write, files):
    """Where anything else speaks of many graphs."""
    with pytest.raises(FormatError, match=r"nodes.csv has no column 'graph'"):
        nask.load_dataset(write(**files))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["3", "", "1"], [3, -1, 1]),
        (["1.0", "", "0.0"], [1, -1, 0]),
        (["1", "-1", ""], ["1", "-1", None]),
        (["01", "2", ""], ["01", "2", None]),
        (["9" * 20, "", "2"], ["9" * 20, None, "2"]),
        (["", "", ""], [-1, -1, -1]),
        (["true", "false", "NA"], ["true", "false", None]),
    ],
)
def test_classes_are_integers_or_text(write, cells, expected):
    rows = "".join(f"{name},{cell}\n" for name, cell in zip("abc", cells, strict=True))
    data = read_network(write(f"node,y\n{rows}", "source,target\n"))
    assert data.y.tolist() == expected
    assert any("integers below 0" in note for note in data.notes) == ("-1" in cells)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("node,y\na,0.5\nb,1.0\n", "column 'y' holds 0.5 at line 2"),
        ("node,y\na,3\nb,old\n", "column 'y' holds 3.0 at line 2, 'old' at line 3. Correct it"),
        ("node,train_mask\na,true\n\nb,maybe\n", "'train_mask' holds 'maybe' at line 4"),
        ("node,test_mask\na,\n", "'test_mask' holds no value at line 2"),
        ("node,y\na,x\na,y\n", r"'a' is in rows 0 and 1 .*\(Row k is line k \+ 2"),
        ("name,y\na,x\n", "no column 'node'"),
    ],
)
def test_errors_name_file_and_line(write, nodes, message):
    with pytest.raises(FormatError, match=message):
        read_network(write(nodes, "source,target\n"))


def test_another_column_of_classes(write):
    assert nask.load_dataset(write(), y="region").y.tolist() == ["a", "b", None, "b"]
    assert "y" in nask.load_dataset(write(), y="region").graph.node_attributes
    with pytest.raises(FormatError, match=r"no column 'regoin' of classes. Did you mean 'region'"):
        read_network(write(), y="regoin")
    without = read_network(write("node,age\neva,1\n", "source,target\n"))
    assert not without.known.any()
    with pytest.raises(ParameterError, match=r"no column y, .*--target NAME.*Columns are: 'age'"):
        nask.evaluate("majority", without)


def test_the_target_of_many_graphs_may_have_another_name(write):
    folder = write("graph,node\n1,a\n2,a\n", "graph,source,target\n", "graph,toxic\n2,no\n1,yes\n")
    assert read_tables(folder, y="toxic").y.tolist() == ["no", "yes"]
    with pytest.raises(FormatError, match=r"has no column 'toxix'. Did you mean"):
        read_tables(folder, y="toxix")


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_from_dataframes_as_from_files(write, table):
    columns = {
        "node": ["eva", "jan", "ota", "ida"],
        "age": [31, None, 23, 5],
        "region": ["a", "b", None, "b"],
        "y": ["old", "new", None, "old"],
        "train_mask": [True, True, False, False],
        "val_mask": [0, 0, 1, 0],
        "test_mask": [False, False, False, True],
    }
    edges = {"source": ["eva", "ota"], "target": ["jan", "ida"], "since": [2001.0, None]}
    found, read = network_from_frames(table(columns), table(edges)), read_network(write())
    assert found.graph == read.graph
    for part in ("y", "train", "validation", "test"):
        assert getattr(found, part).tolist() == getattr(read, part).tolist()
    assert found.ids == read.ids
    columns["y"] = [1, None, 0, 0]
    assert network_from_frames(table(columns), table(edges)).y.tolist() == [1, -1, 0, 0]
    columns["y"] = [datetime.date(2020, 1, k + 1) for k in range(4)]
    assert network_from_frames(table(columns), table(edges)).y[0] == "2020-01-01"
    columns["y"] = [0.5, None, 1, 0]
    with pytest.raises(GraphError, match=r"holds 0.5 at row 0. Nodes are classified"):
        network_from_frames(table(columns), table(edges))
