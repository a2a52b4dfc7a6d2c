"""What y is: classes, or numbers on a scale; the same to all that look at it."""

import numpy as np
import pandas as pd
import pytest

import nask
from nask.io.target import as_target, learning_task

PAIR = nask.AttributedGraph(2, [(0, 1)], {"age": [23, 31]})


@pytest.mark.parametrize(
    ("y", "why"),
    [
        ([1, 2, 1, 2], "y holds integers"),
        (list(range(100)), "y holds integers"),
        (["a", "b"], "y holds text"),
        (["1.5", "2.5"], "y holds text"),
        ([True, False], "y holds True and False"),
        ([0.0, 1.0, 1.0, 0.0], "y holds whole numbers, 2 different ones"),
        ([0.0, 1.0], "y holds whole numbers, 2 different ones"),
        ([0.0, 1.0, np.nan, 1.0], "y holds whole numbers, 2 different ones"),
        ([float(k % 20) for k in range(60)], "y holds whole numbers, 20 different ones"),
        (np.array([1, 2, None], dtype=object), "y holds integers"),
        (np.array([1.0, 2.0], dtype=object), "y holds whole numbers, 2 different ones"),
        (pd.Series([0.0, 1.0, 1.0, 1.0]), "y holds whole numbers, 2 different ones"),
        (pd.Series(["a", "b"], dtype="category"), "y holds text"),
    ],
)
def test_classes(y, why):
    assert learning_task(y) == ("classify", why)


@pytest.mark.parametrize(
    ("y", "why"),
    [
        ([0.5, 1.0], "y holds numbers that are not whole, such as 0.5"),
        ([1.0, np.inf], "y holds numbers that are not whole, such as inf"),
        (
            [float(k % 21) for k in range(63)],
            "y holds whole numbers with a point, 21 different ones of 63",
        ),
        (
            [1.0, 2.0, 3.0, 4.0, 5.0],
            "y holds whole numbers with a point, 5 different ones of 5",
        ),
        (np.array([1.5, 2], dtype=object), "y holds numbers that are not whole, such as 1.5"),
    ],
)
def test_numbers_on_a_scale(y, why):
    assert learning_task(y) == ("regress", why)


@pytest.mark.parametrize(
    "y", [["a", None], ["a", float("nan")], ["a", pd.NA], np.array(["a", None], dtype=object)]
)
def test_a_missing_class_stays_one(y):
    target = as_target(y)
    assert target[0] == "a"
    assert target[1] is None


def test_numbers_among_text_do_not_become_text():
    assert as_target([1, "a"]).tolist() == [1, "a"]
    assert as_target(["1", "a"]).tolist() == ["1", "a"]


def test_a_dataset_tells_the_same():
    assert "y: 2 classes" in repr(nask.Dataset("d", [PAIR] * 4, [0.0, 1.0, 1.0, 0.0]))
    assert "y: real numbers" in repr(nask.Dataset("d", [PAIR] * 4, [0.5, 1.0, 1.0, 0.0]))
    assert "y: real numbers" in repr(
        nask.Dataset("d", [PAIR] * 4, [0.0, 1.0, 1.0, 0.0], task="regress")
    )
    with pytest.raises(nask.exceptions.ParameterError, match="'task' parameter of Dataset"):
        nask.Dataset("d", [PAIR], [0.0], task="guess")


def test_a_dataset_keeps_missing_classes():
    assert nask.Dataset("d", [PAIR] * 2, ["a", float("nan")]).y.tolist() == ["a", None]


def test_graph_attributes_of_a_tu_set_are_numbers_on_a_scale(tmp_path):
    """The format says so, also where all of them are whole and few."""
    for name, text in {
        "A": "",
        "graph_indicator": "1\n2\n3\n4\n",
        "graph_attributes": "0\n1\n1\n0\n",
    }.items():
        (tmp_path / f"DS_{name}.txt").write_text(text)
    data = nask.io.read_tu(tmp_path)
    assert data.y.tolist() == [0, 1, 1, 0]
    assert data.learning_task()[0] == "regress"
    assert "y: real numbers" in repr(data)
