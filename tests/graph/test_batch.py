"""Graphs encoded under a schema: scaled values, codes, and batches cut to pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.exceptions import GraphError
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from strategies import collections


def test_encoding_by_hand():
    train = [
        nask.AttributedGraph(2, [(0, 1)], {"x": [10, 30], "c": ["a", "b"]}, {"w": [5.0]}),
        nask.AttributedGraph(1, [], {"c": [None]}),
    ]
    new = nask.AttributedGraph(3, [(0, 2)], {"x": [50, None, 10], "c": ["new", "b", "new"]})
    schema = Schema.fit(train)
    batch = GraphBatch.encode([new, train[0]], schema)
    np.testing.assert_array_equal(batch.nodes.ptr, [0, 3, 5])
    np.testing.assert_array_equal(batch.nodes.numerical, [[2.0, np.nan, 0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(batch.nodes.categorical, [[2, 1, 2, 0, 1]])
    np.testing.assert_array_equal(batch.endpoints, [[0, 2], [3, 4]])
    # One length in training, so any two lengths are alike; the new edge has none.
    np.testing.assert_array_equal(batch.edges.numerical, [[np.nan, 0.0]])


def test_equal_categories_have_one_code_whatever_their_order_in_each_graph():
    graphs = [
        nask.AttributedGraph(2, node_attributes={"c": list(pair)}) for pair in ("ab", "ba", "cb")
    ]
    batch = GraphBatch.encode(graphs, Schema.fit(graphs))
    np.testing.assert_array_equal(batch.nodes.categorical, [[0, 1, 1, 0, 2, 1]])


def encode(train, graphs):
    return GraphBatch.encode(graphs, Schema.fit(train), compare=False)


@given(collections(), st.data())
def test_taking_graphs_is_encoding_them(drawn, data):
    train, _ = drawn
    positions = data.draw(st.lists(st.integers(0, len(train) - 1), min_size=1))
    batch = encode(train, train)
    taken = batch.take(np.array(positions, dtype=int))
    assert taken.same_content(encode(train, [train[i] for i in positions]))
    assert GraphBatch.from_arrays(batch.arrays()).same_content(batch)
    taken.check(Schema.fit(train))


def test_arrays_are_frozen():
    batch = encode(*[[nask.AttributedGraph(2, [(0, 1)])]] * 2)
    assert not any(array.flags.writeable for array in batch.arrays().values())


def test_content_differs_by_any_value():
    one = [nask.AttributedGraph(2, [(0, 1)], {"x": [0, 1]})]
    other = [nask.AttributedGraph(2, [(0, 1)], {"x": [0, None]})]
    assert not encode(one, one).same_content(encode(one, other))
    assert encode(one, other).same_content(encode(one, other))


@pytest.mark.parametrize(
    ("name", "damage"),
    [("nodes_ptr", 1), ("nodes_numerical", np.inf), ("nodes_categorical", 1), ("endpoints", 2)],
)
def test_damaged_arrays_are_noticed(name, damage):
    graphs = [nask.AttributedGraph(3, [(0, 1)], {"x": [0, 1, 2], "c": ["a", "b", "a"]})] * 2
    schema = Schema.fit(graphs)
    arrays = GraphBatch.encode(graphs, schema).arrays()
    GraphBatch.from_arrays(arrays).check(schema)
    with pytest.raises(GraphError):
        GraphBatch.from_arrays({**arrays, name: arrays[name] + damage}).check(schema)
    with pytest.raises(GraphError):
        GraphBatch.from_arrays({**arrays, name: arrays[name].astype(np.int16)}).check(schema)
