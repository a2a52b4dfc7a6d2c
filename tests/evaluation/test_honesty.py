"""No accuracy that was not earned: of graphs and nodes, by every kind of method.

Classes without a cause are predicted as by chance; classes of a test fold change no prediction in
it; a method that cheats, and a set with twins, are caught by the same tests; and a command that is
run twice writes the same records.
"""

import json
from dataclasses import replace
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from typer.testing import CliRunner

import nask
from nask.cli.main import app
from nask.evaluation import evaluate as evaluate_module
from nask.evaluation.methods import named_method

LAB = all(map(find_spec, ("grakel", "ot", "torch", "torch_geometric")))
GRID = {"gamma": [0.1, 1.0], "n_hops": [1, 2], "alpha": [0.1, 1.0]}
OF_GRAPHS = {
    "nask": {"grid": GRID},
    "nask-svm": {"grid": {"gamma": [0.1, 1.0], "n_hops": [2], "C": [1.0, 10.0]}},
    "nask-best": {"grid": {"gamma": [1.0], "n_hops": [1, 2], "C": [1.0, 10.0]}},
    "majority": {},
    "attributes-only": {},
    "wl": {},
    "retgk": {},
    "wwl-svm": {"grid": {"n_iter": [1], "gamma": [0.01, 0.1]}},
    "gin": {"grid": {}, "hidden": 8, "max_epochs": 6},
    # Random features and a linear model: a pipeline of scikit-learn, fitted in each fold.
    "features": {"nask__n_components": 64, "nask__random_state": 0},
}
OF_NODES = {
    "nask": {"grid": {"gamma": [1.0], "n_hops": [1, 2], "restart": [None, 0.3]}},
    "nask-svm": {"grid": {"gamma": [1.0], "n_hops": [1, 2], "C": [1.0, 10.0]}},
    "gcn": {"grid": {}, "max_epochs": 10},
    "features": {"n_components": 64, "random_state": 0},
}
OF_NUMBERS = {"nask": {"grid": GRID}, "mean": {}, "wl": {}}
FEATURES = {
    "graphs": lambda: Pipeline([("nask", nask.NASKFeatures()), ("linear", LinearSVC())]),
    "nodes": lambda: nask.NASKNodeClassifier(method="features"),
}
# They need optional packages.
RIVALS = {"wl", "retgk", "wwl-svm", "gin", "gcn"}
# What they predict differs from class to class, so that permuting classes can be seen.
LEARNING = {name: own for name, own in OF_GRAPHS.items() if name != "majority"}


def methods(table):
    """Each kind of method as a parameter; rivals only where their packages are."""
    return pytest.mark.parametrize(
        "method",
        [
            pytest.param(
                name,
                marks=pytest.mark.skipif(
                    name in RIVALS and not LAB, reason="needs the extra lab: pip install nask[lab]"
                ),
            )
            for name in table
        ],
    )


def model_of(method, items="graphs", task="classify"):
    table = {"classify": OF_GRAPHS, "regress": OF_NUMBERS}[task] if items == "graphs" else OF_NODES
    model = named_method(method, items, task) if method != "features" else FEATURES[items]()
    return model.set_params(**table[method])


def without_cause(mutag, seed=3):
    """120 molecules with classes that were drawn."""
    y = np.random.default_rng(seed).permutation(np.arange(120) % 2)
    return nask.Dataset("drawn", mutag.graphs[:120], y)


def network(seed=3, shuffled=False):
    own = nask.lab.make_social_network(160, random_state=1)
    if not shuffled:
        return own
    y = np.random.default_rng(seed).permutation(np.asarray(own.y))
    none = np.empty(0, dtype=np.int64)
    return nask.NodeDataset("drawn", own.graph, y, none, none, none)


def evaluated(model, data, **protocol):
    return nask.evaluate(model, data, **{"folds": 4, "repeats": 1, "inner": 2, **protocol})


def by_chance(result):
    """Whether an accuracy is that of the largest class, within four standard errors."""
    n = sum(len(record.test) for record in result.records if record.repeat == 0)
    chance = result.majority
    return abs(result.accuracy_mean - chance) < 4 * np.sqrt(chance * (1 - chance) / n)


class Peeking(ClassifierMixin, BaseEstimator):
    """Knows all classes, and the numbers of graphs they belong to."""

    known: ClassVar[dict] = {}

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.array([self.known[id(graph)] for graph in X])


def peeking(data):
    Peeking.known = dict(zip(map(id, data.graphs), np.asarray(data.y), strict=True))
    return Peeking()


@methods(OF_GRAPHS)
def test_drawn_classes_of_graphs_are_guessed(method, mutag):
    assert by_chance(evaluated(model_of(method), without_cause(mutag)))


@methods(OF_NODES)
def test_drawn_classes_of_nodes_are_guessed(method):
    assert by_chance(evaluated(model_of(method, "nodes"), network(shuffled=True)))


@methods(OF_NUMBERS)
def test_drawn_numbers_are_not_predicted(method, mutag):
    y = np.random.default_rng(5).normal(size=120)
    data = nask.Dataset("drawn", mutag.graphs[:120], y)
    assert evaluated(model_of(method, task="regress"), data).score_mean < 0.1


def test_a_method_that_knows_the_answers_is_caught(mutag):
    data = without_cause(mutag)
    assert not by_chance(evaluated(peeking(data), data))


@pytest.fixture
def same_folds(monkeypatch):
    """All evaluations of a test have the folds of the first: those drawn by class would differ."""
    drawn, make = {}, evaluate_module.make_task

    def made(*arguments):
        task = make(*arguments)
        return replace(task, splits=drawn.setdefault("splits", task.splits))

    monkeypatch.setattr(evaluate_module, "make_task", made)


def permuted_within(data, test):
    """The classes of the data, those of a test fold permuted."""
    y = np.array(data.y)
    y[test] = np.random.default_rng(0).permutation(y[test])
    assert not np.array_equal(y, data.y)
    return y


@pytest.mark.usefixtures("same_folds")
@methods(LEARNING)
def test_classes_of_a_test_fold_change_no_prediction_in_it(method, mutag):
    data = nask.Dataset("some", mutag.graphs[:90], mutag.y[:90])
    honest = evaluated(model_of(method), data)
    test = list(honest.records[0].test)
    y = permuted_within(data, test)
    other = evaluated(model_of(method), nask.Dataset("some", data.graphs, y))
    assert other.records[0].test == honest.records[0].test
    assert other.records[0].predicted == honest.records[0].predicted
    assert other.records[0].parameters == honest.records[0].parameters
    # The other folds learned from them.
    assert other.records[0].truth != honest.records[0].truth


@pytest.mark.usefixtures("same_folds")
@methods(OF_NODES)
def test_classes_of_tested_nodes_change_no_prediction_of_them(method):
    data = network()
    honest = evaluated(model_of(method, "nodes"), data)
    test = list(honest.records[0].test)
    y = permuted_within(data, test)
    none = np.empty(0, dtype=np.int64)
    altered = nask.NodeDataset(data.name, data.graph, y, none, none, none)
    other = evaluated(model_of(method, "nodes"), altered)
    assert other.records[0].test == honest.records[0].test
    assert other.records[0].predicted == honest.records[0].predicted


@pytest.mark.usefixtures("same_folds")
def test_predictions_that_follow_the_test_fold_are_caught(mutag):
    data = nask.Dataset("some", mutag.graphs[:90], mutag.y[:90])
    honest = evaluated(peeking(data), data)
    y = permuted_within(data, list(honest.records[0].test))
    altered = nask.Dataset("some", data.graphs, y)
    other = evaluated(peeking(altered), altered)
    assert other.records[0].predicted != honest.records[0].predicted


def test_twins_across_folds_leak_and_grouped_folds_stop_it(mutag):
    """Every molecule is there twice, with the same drawn class: plain folds find it again."""
    rng = np.random.default_rng(2)
    graphs, y = list(mutag.graphs[::3]), rng.permutation(np.arange(63) % 2)
    data = nask.Dataset("twins", graphs + graphs, np.tile(y, 2))
    model = nask.TunedNASKClassifier(grid={"gamma": [2.0], "n_hops": [3], "alpha": [0.003]})
    plain, grouped = (evaluated(model, data, split=split) for split in ("folds", "grouped"))
    assert plain.accuracy_mean > 0.65
    assert grouped.accuracy_mean < 0.6


def lines(folder):
    """All records but for times and the machine."""
    found = []
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            record = {name: own for name, own in record.items() if not name.startswith("seconds")}
            if "environment" not in record and "pass" not in record:
                found.append((path.name, record))
    return found


@methods(LEARNING)
def test_the_same_run_has_the_same_records(method, mutag, tmp_path):
    data = nask.Dataset("some", mutag.graphs[:60], mutag.y[:60])
    for run in ("one", "two"):
        evaluated(model_of(method), data, out=tmp_path / run)
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert len(lines(tmp_path / "one")) == 5


@methods(OF_NODES)
def test_the_same_run_on_nodes_has_the_same_records(method, tmp_path):
    for run in ("one", "two"):
        evaluated(model_of(method, "nodes"), network(), out=tmp_path / run)
    assert lines(tmp_path / "one") == lines(tmp_path / "two")


def test_the_same_command_has_the_same_records(tmp_path):
    for run in ("one", "two"):
        arguments = ["MUTAG", "--folds", "3", "--repeats", "1", "--method", "nask", "--no-pictures"]
        tried = ["--try", "gamma=1", "--try", "n_hops=1,2"]
        out = ["--out", str(tmp_path / run)]
        result = CliRunner().invoke(app, ["evaluate", *arguments, *tried, *out])
        assert result.exit_code == 0, result.output
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert lines(tmp_path / "one")
