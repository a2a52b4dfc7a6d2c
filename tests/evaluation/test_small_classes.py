"""Classes too small for the folds: told before anything is computed, with advice that works."""

import re

import numpy as np
import pytest

import nask
from nask.evaluation import evaluate as evaluate_module
from nask.exceptions import ParameterError, RareClassWarning

FAST = {"gamma": [1.0], "n_hops": [1], "C": [1.0]}


def dataset(mutag, *sizes):
    y = [name for name, size in zip("abcdef", sizes, strict=False) for _ in range(size)]
    ids = tuple(f"g{k}" for k in range(len(y)))
    return nask.Dataset("small", mutag.graphs[: len(y)], y, ids=ids)


def tuned():
    return nask.TunedNASKClassifier(grid=FAST)


@pytest.fixture
def nothing_computed(monkeypatch):
    monkeypatch.setattr(evaluate_module, "run_folds", lambda *_: pytest.fail("folds were run"))


@pytest.mark.parametrize(
    ("sizes", "folds", "message"),
    [
        ((8, 7), 10, "need as many graphs of one class at least, and the largest, 'a', has 8. Use"),
        ((8, 4), 10, "Use 2 to 4 folds."),
        ((8, 3), 10, "Use 3 folds."),
        ((20, 3), 2, "2 folds leave one graph of class 'b', which has 3, to learn from"),
        ((20, 3), 2, "Use 3 folds."),
        ((20, 2), 2, "2 folds leave one graph of class 'b', which has 2, to learn from"),
        ((20, 2), 2, "Leave its graphs out (drop_rare=3, --drop-rare 3), or join it with another"),
        ((20, 2), 10, "10 folds leave one graph of class 'b', which has 2, to learn from"),
        ((20, 1), 2, "2 folds leave none of class 'b' to learn from where its only graph is"),
        ((20, 1), 2, "another class: 'g20'."),
    ],
)
def test_what_is_said(mutag, nothing_computed, sizes, folds, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        nask.evaluate(tuned(), dataset(mutag, *sizes), folds=folds, repeats=1)


@pytest.mark.parametrize("sizes", [(8, 7), (8, 4), (8, 3)])
def test_the_advice_works(mutag, sizes):
    """Every number of folds that is advised gives a result."""
    data = dataset(mutag, *sizes)
    with pytest.raises(ParameterError) as caught:
        nask.evaluate(tuned(), data, folds=10, repeats=1)
    numbers = list(map(int, re.findall(r"\d+", str(caught.value).split("Use ")[1])))
    for folds in range(numbers[0], numbers[-1] + 1):
        assert nask.evaluate(tuned(), data, folds=folds, repeats=1).repeats == 1


@pytest.mark.parametrize("model", [tuned(), nask.TunedNASKClassifier(grid=FAST, learner="svm")])
def test_a_rare_class_is_evaluated_with_a_warning(mutag, model):
    data = dataset(mutag, 20, 15, 4)
    told = r"1 class has fewer graphs than there are folds \(10\).*'c' \(4\).*--drop-rare 10"
    with pytest.warns(RareClassWarning, match=told):
        result = nask.evaluate(model, data, folds=10, repeats=1)
    tested = sorted(k for record in result.records for k in record.test)
    assert tested == list(range(39))
    assert sum(k >= 35 for record in result.records for k in record.test) == 4
    with pytest.raises(ParameterError, match="leave one graph of class"):
        nask.evaluate(model, dataset(mutag, 20, 2), folds=10, repeats=1)


def test_rare_classes_are_left_out_on_request(mutag, tmp_path):
    data = dataset(mutag, 20, 15, 4, 1)
    result = nask.evaluate(tuned(), data, folds=5, repeats=1, drop_rare=5, out=tmp_path)
    assert (result.dataset, result.n_items) == ("small~5", 35)
    fewer = data.without_rare_classes(5)
    assert fewer.ids == data.ids[:35]
    assert fewer.notes == ("5 graphs of classes with fewer than 5 left out: 'c' (4), 'd' (1).",)
    assert data.without_rare_classes(1) is data
    network = nask.lab.make_social_network(40)
    y = np.where(np.arange(40) < 38, network.y, 2)
    few = nask.NodeDataset("net", network.graph, y, network.train).without_rare_classes(3)
    assert (few.n_classes, few.known.sum(), few.train.tolist()) == (2, 38, network.train.tolist())
    for least in (0, 1.5, True):
        with pytest.raises(ParameterError, match="must be an int of at least 1"):
            data.without_rare_classes(least)


def test_a_method_that_chooses_nothing_needs_fewer(mutag):
    data = dataset(mutag, 20, 2)
    assert nask.evaluate(nask.NASKClassifier(), data, folds=2, repeats=1).repeats == 1
    with pytest.warns(RareClassWarning, match="fewer graphs than there are folds"):
        assert nask.evaluate(nask.NASKClassifier(), data, folds=3, repeats=1).repeats == 1


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
