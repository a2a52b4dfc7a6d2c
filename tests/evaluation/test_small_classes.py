"""Classes too small for the folds: told before anything is computed, with advice that works."""

import re

import numpy as np
import pytest

import nask
from nask.evaluation import evaluate as evaluate_module
from nask.exceptions import ParameterError

FAST = {"gamma": [1.0], "n_hops": [1], "C": [1.0]}


def dataset(mutag, *sizes):
    y = [name for name, size in zip("abcdef", sizes, strict=False) for _ in range(size)]
    ids = tuple(f"g{k}" for k in range(len(y)))
    return nask.Dataset("small", mutag.graphs[: len(y)], y, ids=ids)


def tuned():
    return nask.TunedNASKClassifier(grid=FAST)


@pytest.fixture
def nothing_computed(monkeypatch):
    monkeypatch.setattr(evaluate_module, "_run", lambda *_: pytest.fail("folds were run"))


@pytest.mark.parametrize(
    ("sizes", "folds", "message"),
    [
        (
            (20, 7),
            10,
            "10 folds need as many graphs of each class, but class 'b' has 7. Use 2",
        ),
        ((20, 4), 10, "but class 'b' has 4. Use 2 to 4 folds."),
        ((20, 3), 10, "but class 'b' has 3. Use 3 folds."),
        ((20, 3), 2, "2 folds leave one graph of class 'b', which has 3, to learn from"),
        ((20, 3), 2, "Use 3 folds."),
        ((20, 2), 2, "2 folds leave one graph of class 'b', which has 2, to learn from"),
        ((20, 2), 2, "Leave its graphs out, or join it with another class: 'g20', 'g21'."),
        ((20, 1), 2, "but class 'b' has 1. Leave its graph out, or join it with another class"),
        ((20, 1), 2, "another class: 'g20'."),
    ],
)
def test_what_is_said(mutag, nothing_computed, sizes, folds, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        nask.evaluate(tuned(), dataset(mutag, *sizes), folds=folds, repeats=1)


@pytest.mark.parametrize("sizes", [(20, 7), (20, 4), (20, 3)])
def test_the_advice_works(mutag, sizes):
    """Every number of folds that is advised gives a result."""
    data = dataset(mutag, *sizes)
    with pytest.raises(ParameterError) as caught:
        nask.evaluate(tuned(), data, folds=10, repeats=1)
    numbers = list(map(int, re.findall(r"\d+", str(caught.value).split("Use ")[1])))
    for folds in range(numbers[0], numbers[-1] + 1):
        assert nask.evaluate(tuned(), data, folds=folds, repeats=1).repeats == 1


def test_a_method_that_chooses_nothing_needs_fewer(mutag):
    data = dataset(mutag, 20, 2)
    assert nask.evaluate(nask.NASKClassifier(), data, folds=2, repeats=1).repeats == 1
    with pytest.raises(ParameterError, match=re.escape("class 'b' has 2. Use 2 folds.")):
        nask.evaluate(nask.NASKClassifier(), data, folds=3, repeats=1)


def test_nodes(nothing_computed):
    network = nask.lab.make_social_network(40)
    y = np.where(np.arange(40) < 38, network.y % 2, 2)
    data = nask.NodeDataset("small", network.graph, y, [], [], [])
    with pytest.raises(ParameterError, match="2 folds leave one node of class 2, which has 2"):
        nask.evaluate(nask.TunedNASKNodeClassifier(grid=FAST), data, folds=2)
    split = nask.NodeDataset("small", network.graph, y, np.arange(39), [], [39])
    with pytest.raises(ParameterError, match="one training node of class 2"):
        nask.evaluate(nask.TunedNASKNodeClassifier(grid=FAST), split, split="planetoid")


def test_a_search_names_the_class_and_what_works_instead(mutag):
    data = dataset(mutag, 10, 1)
    with pytest.raises(ParameterError, match=r"but class 'b' has one.*NASKClassifier.*--tune"):
        tuned().fit(data.graphs, data.y)
    assert nask.NASKClassifier().fit(data.graphs, data.y).classes_.tolist() == ["a", "b"]
