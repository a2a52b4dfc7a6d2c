"""Graphs come back from arrays as they were, and arrays that are no graphs are refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.exceptions import GraphError
from nask.graph.packed import array_names, pack, unpack
from nask.graph.schema import Schema
from strategies import graphs


@given(st.lists(graphs(), min_size=1, max_size=5))
def test_graphs_come_back(given_graphs):
    document, arrays = pack(given_graphs)
    assert sorted(array_names(document)) == sorted(arrays)
    again = unpack(json.loads(json.dumps(document)), arrays, 1000)
    assert again == given_graphs
    for one, other in zip(again, given_graphs, strict=True):
        assert list(one.node_attributes) == sorted(
            other.node_attributes, key=list(one.node_attributes).index
        )
        np.testing.assert_array_equal(one.edges, other.edges)
    assert Schema.fit(again) == Schema.fit(given_graphs)


def test_features_dates_and_codes_come_back():
    words = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    dates = np.array(["2020-02-29", "NaT", "2021-01-01"], dtype="datetime64[D]")
    one = nask.AttributedGraph(
        3, [(0, 2)], {"born": dates, "code": [7, True, "a"]}, node_features=words,
        categorical=["code"],
    )  # fmt: skip
    empty = nask.AttributedGraph(0, node_features=np.empty((0, 2)))
    again = unpack(*pack([one, empty]), 1000)
    assert again == [one, empty]
    assert again[0].node_attributes["born"].dates
    np.testing.assert_array_equal(again[0].node_features.toarray(), words)
    with pytest.raises(GraphError, match="Some graphs have node_features and others have none"):
        pack([one, nask.AttributedGraph(1)])


def damaged(change):
    graph = nask.AttributedGraph(
        3, [(0, 1), (1, 2)], {"x": [1.0, None, 2.0], "c": ["a", "b", None]},
        node_features=np.eye(3),
    )  # fmt: skip
    document, arrays = pack([graph, graph])
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(document, arrays)
    return document, arrays


def put(name, place, value):
    def change(_, arrays):
        arrays[name][place] = value

    return change


def swap(name, array):
    return lambda _, arrays: arrays.update({name: array})


@pytest.mark.parametrize(
    "change",
    [
        put("edges", (0, 1), 3),
        put("edges", (0, 0), -1),
        put("edges", (0, 0), 1),
        put("edges", 1, [0, 1]),
        put("n_nodes", 0, -1),
        put("n_nodes", 0, 4),
        put("n_edges", 0, 1),
        put("node0", 0, np.inf),
        put("node1", 0, 2),
        put("node1", 0, -2),
        put("node0_graphs", 1, 0),
        put("node0_graphs", 1, 2),
        put("features_indices", 0, 3),
        put("features_indptr", 1, 5),
        put("features_data", 0, np.nan),
        swap("node0", np.zeros(5)),
        swap("node1", np.zeros(6)),
        swap("n_nodes", np.array([3, 3, 3])),
        swap("edges", np.zeros((4, 2))),
        lambda document, _: document["node"][1].update(categories=["a", "a"]),
        lambda document, _: document["node"][1].update(categories=["a", ["b"]]),
        lambda document, _: document["node"][0].update(kind="missing"),
        lambda document, _: document["node"][1].update(name="x"),
        lambda document, _: document.update(n_features=1),
    ],
)
def test_arrays_that_are_no_graphs(change):
    assert len(unpack(*damaged(lambda *_: None), 1000)) == 2
    with pytest.raises(GraphError):
        unpack(*damaged(change), 1000)
