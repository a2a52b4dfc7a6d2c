"""Descriptions agree with plain counting, and tell what is wrong with tables that are."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from nask.description.columns import BINS, Column, describe_columns
from nask.description.description import Description
from nask.description.text import as_text
from nask.graph.attribute import Attribute

NUMBERS = st.lists(st.one_of(st.none(), st.floats(-1e300, 1e300), st.integers(-3, 3)), max_size=30)
WORDS = st.lists(st.one_of(st.none(), st.sampled_from("abc")), max_size=30)


@settings(max_examples=60)
@given(st.lists(st.one_of(NUMBERS, st.just([])), min_size=1, max_size=4))
def test_numbers_are_counted_as_plainly(parts):
    attributes = [Attribute.from_values(part, kind="numerical") for part in parts]
    column = Column.of("node", "x", attributes, absent=2)
    values = [float(value) for part in parts for value in part if value is not None]
    assert column.size == sum(map(len, parts)) + 2
    assert column.missing == column.size - len(values)
    assert column.distinct == len(set(values))
    if values:
        assert (column.minimum, column.maximum) == (min(values), max(values))
        assert sum(column.counts) == len(values)
        assert len(column.counts) in (1, BINS)
        assert column.common[0][1] == max(Counter(values).values())
        assert min(values) <= column.mean * (1 + 1e-12) + 1e-300 or column.mean < 0
    json.dumps(column.to_json(), allow_nan=False)


@settings(max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=4))
def test_categories_are_counted_as_plainly(parts):
    attributes = [Attribute.from_values(part, kind="categorical") for part in parts]
    column = Column.of("node", "x", attributes)
    tally = Counter(value for part in parts for value in part if value is not None)
    assert column.distinct == len(tally)
    assert column.missing == column.size - tally.total()
    assert dict(column.common) == dict(tally)


def test_a_column_that_some_graphs_lack_is_missing_there():
    graphs = [{"x": Attribute.from_values([1, 2])}, {}]
    [column] = describe_columns("node", graphs, [2, 5])
    assert (column.size, column.missing, column.share_missing) == (7, 5, 5 / 7)


def found(values, kind=None, name="x"):
    """What is said of a column of one graph, by word."""
    graph = nask.AttributedGraph(len(values), [], {name: Attribute.from_values(values, kind=kind)})
    description = Description.of("one", [graph], None, "nodes")
    return {own.what: str(own) for own in description.suspicions if own.what != "isolated"}


MANY = [float(k) for k in np.random.default_rng(0).integers(18, 90, 40)]


@pytest.mark.parametrize(
    ("values", "what", "text"),
    [
        ([*MANY, -999, -999], "sentinel", "2 values are -999, far from the others (1"),
        ([*MANY, 999], "sentinel", "1 value is 999"),
        ([*MANY, -1], "sentinel", "1 value is -1"),
        ([0, 1, 2, 3] * 9, "codes", "--categorical x for CSV files, or categorical=['x']"),
        (list(range(7, 40)), "id", "numbers the nodes one after another"),
        ([f"name {k}" for k in range(20)], "id", "all 20 values are different"),
        (["True", "TRUE", "true", "no"] * 3, "spelling", "'TRUE' = 'True' = 'true'"),
        (["True", "yes", "no"] * 3, "spelling", "'True' = 'yes'"),
        (["Kosice", "kosice ", "Nitra"] * 3, "spelling", "'Kosice' = 'kosice '"),
        (["a", "b", "unknown"] * 5, "placeholder", "5 values are 'unknown'"),
        (["2020-01-31", "2020-02-28"] * 9 + ["soon"], "dates", "not read as dates are 'soon'"),
        (["31.1.2020", "28.2.2020", "28.2.2020"], "dates", "YYYY-MM-DD"),
        ([f"{k},5 kg" for k in range(20)], "numbers", "look like numbers, such as '0,5 kg'"),
        (["x"] * 5, "constant", "x: is 'x' everywhere"),
        ([3.0, None, 3.0], "constant", "is '3', or is missing (1 times)"),
        ([None, None], "empty", "has no value at all"),
    ],
)  # fmt: skip
def test_what_looks_wrong_is_told_with_what_to_do(values, what, text):
    assert text in found(values)[what]


@pytest.mark.parametrize(
    "values",
    [
        MANY,
        [-1, 1] * 9,
        [0.0, 1.0] * 9,
        [-1, 0, 1, 2, 0.5] * 9,
        [k / 7 for k in range(30)],
        ["a", "b", "c"] * 5,
        ["y", "n"] * 5,
        [True, False, True],
        ["12.5.3-a", "x", "y", "y"],
        [np.datetime64("2020-01-01") + k for k in range(30)],
    ],
)
def test_sound_columns_are_left_in_peace(values):
    assert found(values) == {}


def test_rows_numbered_within_each_graph():
    graphs = [
        nask.AttributedGraph(n, [(0, 1)], {"row": list(range(n)), "z": [k * k for k in range(n)]})
        for n in (12, 15)
    ]
    told = nask.Dataset("two", graphs).describe().suspicions
    assert [own.where for own in told if own.what == "id"] == ["node row"]


def test_structure_classes_and_duplicates():
    path = nask.AttributedGraph(3, [(0, 1), (1, 2), (2, 2), (1, 0)], {"c": ["a", "b", "b"]})
    turned = nask.AttributedGraph(3, [(1, 2), (0, 1)], {"c": ["b", "b", "a"]})
    alone = nask.AttributedGraph(2, [], {"c": ["a", "a"]})
    data = nask.Dataset("few", [path, turned, path, alone, nask.AttributedGraph(0)], list("xyxxx"))
    told = data.describe()
    assert told.classes == (("x", 4), ("y", 1))
    assert told.duplicates.to_json() == {"isomorphic": 3, "identical": 2, "of_other_class": 3}
    text = " ".join(str(told).split())
    for part in (
        "5 graphs, 11 nodes (0 to 3 per graph, 2.2 on average), 6 edges.",
        "2 classes: x (4), y (1)",
        "nodes: 2 of 11 have no edge, in 1 graph",
        "graphs: 1 without nodes, at 4",
        "edges: 2 self-loops were removed",
        "edges: 2 repeats of an edge were removed",
        "2 of 2 classes have fewer than 10 graphs: 'x' (4), 'y' (1)",
        "nask evaluate --drop-rare 10",
        "nask evaluate --split grouped",
    ):
        assert part in text
    assert json.loads(json.dumps(told.to_json()))["duplicates"]["identical"] == 2


def test_a_target_on_a_scale_and_a_network():
    graphs = [nask.AttributedGraph(1)] * 3
    told = nask.Dataset("values", graphs, [0.5, 1.5, np.nan]).describe()
    assert (told.target.minimum, told.target.missing, told.n_without_target) == (0.5, 1, 1)
    assert "y: numbers on a scale. 1 graphs have none." in as_text(told)
    path = nask.AttributedGraph(3, [(0, 1)], node_features=np.eye(3))
    network = nask.NodeDataset("net", path, ["a", None, "b"], train=[0]).describe()
    assert (network.n_without_target, network.n_features, network.duplicates) == (1, 3, None)
    assert "Public split: train 1, validation 0, test 0." in as_text(network)


def test_graphs_that_disagree_on_a_kind_are_described_too():
    graphs = [nask.AttributedGraph(1, (), {"x": [value]}) for value in (1, "a")]
    [told] = [
        own for own in nask.Dataset("odd", graphs).describe().suspicions if own.what == "kinds"
    ]
    assert "numerical in graph 0" in told.text


def test_attributes_of_atoms_are_not_suspected(tmp_path):
    """Nobody wrote them, and there is no column to leave out."""
    pytest.importorskip("rdkit")
    file = tmp_path / "mols.csv"
    file.write_text("smiles,y\nCCO,a\nCCN,b\nCO,a\n")
    described = nask.read_molecules(file, target="y").describe()
    assert {column.name for column in described.columns} >= {"element", "charge"}
    assert not [own for own in described.suspicions if own.where.startswith(("node", "edge"))]
    plain = nask.Dataset("mols", nask.read_molecules(file).graphs).describe()
    assert "node charge" in {own.where for own in plain.suspicions}
