"""Folds of ridge regressions from Gram matrices of the whole set, many at a time."""

from dataclasses import replace

import numpy as np
import pytest

import nask
from nask.evaluation import evaluate as evaluate_module
from nask.evaluation import folds as folds_module
from nask.evaluation.splits import outer_splits
from nask.evaluation.tasks import make_task
from nask.exceptions import ParameterError
from nask.learning.ridge import KernelRidge
from nask.learning.scores import ACCURACY

GRID = {"gamma": [0.5, 2.0], "n_hops": [1, 2], "alpha": [0.03, 0.3]}
PROTOCOL = {"folds": 3, "repeats": 2}


def outcome(result):
    """What must not depend on how it was computed: all but the times."""
    return [(r.repeat, r.fold, r.accuracy, r.inner_score, dict(r.parameters), r.test,
             r.predicted) for r in result.records]  # fmt: skip


@pytest.fixture(scope="module")
def few(mutag):
    return nask.Dataset("few", mutag.graphs[::3], mutag.y[::3])


@pytest.fixture(scope="module")
def letters(cuneiform):
    keep = np.flatnonzero(cuneiform.y < 3)
    return nask.Dataset("letters", [cuneiform.graphs[i] for i in keep], cuneiform.y[keep])


@pytest.fixture(scope="module")
def model():
    return nask.TunedNASKClassifier(grid=GRID)


@pytest.fixture(scope="module")
def undisturbed(model, few):
    return nask.evaluate(model, few, **PROTOCOL)


@pytest.mark.parametrize("name", ["few", "letters"])
def test_folds_are_those_of_ridge_regressions_on_rows_of_the_whole_gram(
    request, monkeypatch, model, name
):
    """With all settings averaged: each is learned from the training rows, one by one."""
    monkeypatch.setattr("nask.tuning.near_best.BEHIND", 1e3)
    dataset = request.getfixturevalue(name)
    result = nask.evaluate(model, dataset, folds=3, repeats=1)
    classes, codes = np.unique(dataset.y, return_inverse=True)
    schemes = ("ovr",) if len(classes) == 2 else ("ovr", "ovo")
    grams = [
        nask.NASK(gamma=gamma, n_hops=n_hops).fit_transform(dataset.graphs)
        for gamma in GRID["gamma"]
        for n_hops in GRID["n_hops"]
    ]
    for record, split in zip(result.records, outer_splits(codes, 3, 1, 0), strict=True):
        decisions, scores = [], []
        for gram in grams:
            own, across = (gram[np.ix_(rows, split.train)] for rows in (split.train, split.test))
            # The unit of the penalty is that of the whole set.
            factor = (np.mean(np.diag(gram)) - gram.mean()) / (np.mean(np.diag(own)) - own.mean())
            for scheme in schemes:
                for alpha in GRID["alpha"]:
                    how = (codes[split.train], alpha * factor, scheme)
                    ridge = KernelRidge.classify(own, *how)
                    decisions.append(ridge.confidence(across))
                    scores.append(ridge.score)
        mean = np.mean(decisions, axis=0)
        chosen = (mean > 0).astype(int) if len(classes) == 2 else mean.argmax(axis=1)
        assert list(record.predicted) == classes[chosen].tolist()
        assert record.inner_score == pytest.approx(max(scores), abs=1e-12)
        told = {*GRID, "learner", "averaged", *(["multiclass"] if len(classes) > 2 else [])}
        assert set(record.parameters) == told
        assert record.parameters["averaged"] == len(scores)
        assert record.parameters["learner"] == "ridge"


@pytest.mark.parametrize("n_bytes", [1, 5_000])
def test_folds_in_groups_that_fit_memory_are_the_same(
    monkeypatch, undisturbed, model, few, n_bytes
):
    """One by one, or a few at a time."""
    judged = []
    original = folds_module._judge_of

    def noted(*arguments):
        judged.append(len(arguments[-1]))
        return original(*arguments)

    monkeypatch.setattr(folds_module, "_judge_of", noted)
    assert outcome(nask.evaluate(model, few, **PROTOCOL)) == outcome(undisturbed)
    assert judged == [6]
    judged.clear()
    monkeypatch.setattr(folds_module, "BYTES_OF_SCORES", n_bytes)
    assert outcome(nask.evaluate(model, few, **PROTOCOL)) == outcome(undisturbed)
    assert sum(judged) == 6
    assert len(judged) > 1
    assert (max(judged) == 1) == (n_bytes == 1)


def test_scores_that_are_kept_stay_within_what_they_may_take(monkeypatch, model, letters):
    """What is reckoned per fold is what the judge holds: 4 bytes per setting, class and item."""
    monkeypatch.setattr(folds_module, "BYTES_OF_SCORES", 2000)
    kept = []
    original = nask.TunedNASKClassifier.judge

    def noted(self, *arguments):
        kept.append(original(self, *arguments))
        return kept[-1]

    monkeypatch.setattr(nask.TunedNASKClassifier, "judge", noted)
    nask.evaluate(model, letters, folds=9, repeats=1)
    sizes = [sum(own.nbytes for t in judge.trials for own in t.scores.values()) for judge in kept]
    assert len(sizes) > 1
    assert max(sizes) <= 2000 < 2 * max(sizes)


class KilledError(Exception):
    pass


@pytest.mark.parametrize("n_bytes", [1, 2**30])
@pytest.mark.parametrize("n_done", [1, 4])
def test_a_run_cut_short_goes_on(monkeypatch, undisturbed, model, few, tmp_path, n_done, n_bytes):
    """Whatever folds are left, and however they are grouped, the numbers are the same."""
    monkeypatch.setattr(folds_module, "BYTES_OF_SCORES", n_bytes)
    original = evaluate_module.Journal

    class Cut(original):
        def note_fold(self, record):
            if len(self.folds) == n_done:
                raise KilledError
            super().note_fold(record)

    monkeypatch.setattr(evaluate_module, "Journal", Cut)
    with pytest.raises(KilledError):
        nask.evaluate(model, few, out=tmp_path, **PROTOCOL)
    monkeypatch.setattr(evaluate_module, "Journal", original)
    assert outcome(nask.evaluate(model, few, out=tmp_path, **PROTOCOL)) == outcome(undisturbed)


def test_threads_make_no_difference(monkeypatch, undisturbed, model, few):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    assert outcome(nask.evaluate(model, few, n_jobs=2, **PROTOCOL)) == outcome(undisturbed)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_classes_of_a_test_fold_are_never_seen(few, class_weight, monkeypatch):
    """Turned around, also where that makes another number of each class."""
    monkeypatch.setattr("nask.tuning.screening.FINALISTS", 2)
    model = nask.TunedNASKClassifier(
        grid=GRID, estimator=nask.NASKClassifier(class_weight=class_weight)
    )
    stacks = [sweep.compute(few.graphs) for sweep in model.sweeps()]
    task = make_task(few, "folds", 3, 1, None, 0)
    split, codes = task.splits[0], task.target
    spoiled = codes.copy()
    spoiled[split.test] = 1 - spoiled[split.test]
    [honest], [blind] = (
        folds_module.ridge_folds(
            model, model.sweeps(), None, stacks, own, [split], ACCURACY, False, ""
        )
        for own in (task, replace(task, target=spoiled))
    )
    assert blind.record.predicted == honest.record.predicted
    assert blind.record.parameters == honest.record.parameters
    assert blind.record.inner_score == honest.record.inner_score
    assert blind.record.accuracy == pytest.approx(1 - honest.record.accuracy)
    tried = [[own.parameters for own in fold.finalists] for fold in (blind, honest)]
    assert tried[0] == tried[1]


def test_nodes_outside_a_public_split_are_not_learned_from():
    """They have classes; without validation nodes, all that is not tested looks like training."""
    whole = nask.lab.make_social_network(120, 6.0, random_state=1)
    model = nask.TunedNASKNodeClassifier(grid={"n_hops": [1, 2], "alpha": [0.1, 1.0]})
    outcomes = []
    for turn in (False, True):
        y = whole.y.copy()
        y[whole.validation] = 1 - y[whole.validation] if turn else y[whole.validation]
        bare = nask.NodeDataset("bare", whole.graph, y, whole.train, [], whole.test)
        outcomes.append(outcome(nask.evaluate(model, bare, split="planetoid")))
    assert outcomes[0] == outcomes[1]


def test_an_empty_grid(few):
    with pytest.raises(ParameterError, match="The grid has no candidates"):
        nask.evaluate(nask.TunedNASKClassifier(grid=[]), few, **PROTOCOL)


@pytest.mark.parametrize("name", ["wl", "wl-svm"])
def test_rivals_by_either_name(few, name):
    result = nask.evaluate(name, few, folds=2, repeats=1, inner=2)
    assert result.method == name
    learner = {"C"} if name == "wl-svm" else {"alpha", "learner", "averaged"}
    assert all(learner <= set(record.parameters) for record in result.records)
    assert result.accuracy_mean > 0.73  # the largest class has 0.698
