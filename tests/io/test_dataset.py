from __future__ import annotations

import pickle

import numpy as np
import pytest

from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.dataset import Dataset

GRAPHS = (AttributedGraph(2, [(0, 1)]), AttributedGraph(1))


def test_the_target_is_a_read_only_copy():
    y = np.array([1, 2])
    data = Dataset("pair", GRAPHS, y)
    y[0] = 7
    assert data.y.tolist() == [1, 2]
    for copy in (data, pickle.loads(pickle.dumps(data))):
        with pytest.raises(ValueError, match="read-only"):
            copy.y[0] = 7


def test_pickle_keeps_everything():
    data = Dataset("pair", GRAPHS, np.array([1, 2]), ("one thing",))
    copy = pickle.loads(pickle.dumps(data))
    assert (copy.name, copy.graphs, copy.notes) == (data.name, data.graphs, data.notes)
    assert copy.y.tolist() == [1, 2]


@pytest.mark.parametrize("y", [[1], [1, 2, 3], 1, [[[1]], [[2]]]])
def test_a_target_of_the_wrong_shape(y):
    with pytest.raises(ParameterError, match=r"one entry per graph \(2\)"):
        Dataset("pair", GRAPHS, np.array(y))


@pytest.mark.parametrize(
    ("y", "described"),
    [
        (None, ""),
        ([1, 1], "; y: 1 classes"),
        ([0.5, 1.0], "; y: real numbers"),
        ([[1, 2, 3], [4, 5, 6]], "; y: 3 targets"),
    ],
)
def test_repr(y, described):
    data = Dataset("pair", GRAPHS, None if y is None else np.array(y))
    assert repr(data) == f"Dataset('pair': 2 graphs, 3 nodes, 1 edges{described})"


def test_repr_abridges_many_attributes_and_counts_notes():
    columns = {f"a{k}": [0.5] for k in range(9)}
    data = Dataset("one", (AttributedGraph(1, [], columns),), None, ("x", "y"))
    assert repr(data).endswith(
        "node: a0 (numerical), a1 (numerical), ..., a8 (numerical); 2 notes)"
    )
