"""TunedNASKClassifier: chooses on the training graphs, then is the SVM, or the mean, it chose."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

import nask
from nask.exceptions import ParameterError
from nask.tuning import screening
from nask.tuning.inner_folds import InnerFolds
from nask.tuning.sweeps import StarSweep

GRID = {"gamma": [0.1, 2.0], "n_hops": [1, 2], "C": [1.0, 100.0]}


@pytest.fixture(scope="module", params=["svm", "ridge"])
def tuned(request, mutag):
    model = nask.TunedNASKClassifier(grid=GRID, inner=3, learner=request.param)
    return model.fit(mutag.graphs[::2], mutag.y[::2])


@pytest.fixture(scope="module")
def svm(mutag):
    model = nask.TunedNASKClassifier(grid=GRID, inner=3, learner="svm")
    return model.fit(mutag.graphs[::2], mutag.y[::2])


def test_it_is_the_svm_it_chose(svm, mutag):
    same = nask.NASKClassifier(**svm.best_params_).fit(mutag.graphs[::2], mutag.y[::2])
    new = mutag.graphs[1::2]
    np.testing.assert_array_equal(svm.predict(new), same.predict(new))
    np.testing.assert_allclose(svm.decision_function(new), same.decision_function(new))
    np.testing.assert_allclose(svm.predict_proba(new), same.predict_proba(new))
    np.testing.assert_array_equal(svm.classes_, same.classes_)


def test_the_score_of_an_svm_is_that_of_cross_validation(svm, mutag):
    """Categorical attributes have no range, so folds with schemas of their own agree."""
    graphs, y = mutag.graphs[::2], mutag.y[::2]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = nask.NASKClassifier(**svm.best_params_, probability=False)
    predicted = cross_val_predict(model, graphs, y, cv=folds)
    assert svm.best_score_ == np.mean(predicted == y)


def test_nothing_in_the_grid_is_better(mutag):
    graphs, y = mutag.graphs[:60], mutag.y[:60]
    model = nask.TunedNASKClassifier(grid=GRID, inner=3, random_state=7, learner="svm")
    model.fit(graphs, y)
    folds = StratifiedKFold(3, shuffle=True, random_state=7)
    for gamma in GRID["gamma"]:
        for n_hops in GRID["n_hops"]:
            for C in GRID["C"]:
                other = nask.NASKClassifier(gamma=gamma, n_hops=n_hops, C=C, probability=False)
                predicted = cross_val_predict(other, graphs, y, cv=folds)
                assert np.mean(predicted == y) <= model.best_score_


@pytest.mark.parametrize("learner", ["svm", "ridge"])
def test_clone_and_cross_validation(mutag, learner):
    model = nask.TunedNASKClassifier(
        estimator=nask.NASKClassifier(use_edges=False),
        grid={"C": [1.0, 10.0]},
        inner=2,
        learner=learner,
    )
    copy = clone(model)
    assert copy.get_params()["estimator__use_edges"] is False
    scores = cross_val_score(copy, list(mutag.graphs), mutag.y, cv=2)
    assert scores.mean() > 0.7  # the largest class has 0.665
    model.fit(mutag.graphs[:80], mutag.y[:80])
    best = model.best_estimator_
    if learner == "svm":
        assert (best.use_edges, best.learner) == (False, "svm")
    else:
        assert [group.parameters["use_edges"] for group in best.groups] == [False]
    assert model.estimator.C == 10.0  # what was given is left as it is


def test_saving_keeps_the_best(tuned, mutag, tmp_path):
    tuned.save(tmp_path / "m.nask")
    loaded = nask.load(tmp_path / "m.nask")
    assert type(loaded) is type(tuned.best_estimator_)
    np.testing.assert_array_equal(loaded.predict(mutag.graphs), tuned.predict(mutag.graphs))


@pytest.mark.slow
def test_any_number_of_jobs_chooses_the_same(tuned, mutag):
    two = clone(tuned).set_params(n_jobs=2)
    two.fit(mutag.graphs[::2], mutag.y[::2])
    assert two.best_params_ == tuned.best_params_
    assert two.best_score_ == tuned.best_score_


def test_progress_is_told(mutag):
    seen = []
    model = nask.TunedNASKClassifier(grid=GRID, inner=2, verbose=lambda *done: seen.append(done))
    model.fit(mutag.graphs[:40], mutag.y[:40])
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize("learner", ["svm", "ridge"])
def test_class_weights_reach_the_search(mutag, learner):
    """With all weight on one class everything is judged to be of it."""
    heavy = nask.NASKClassifier(class_weight={1: 1e6, -1: 1e-6}, probability=False)
    grid = {"C": [1e-3], "alpha": [1.0]}
    model = nask.TunedNASKClassifier(estimator=heavy, grid=grid, inner=2, learner=learner)
    model.fit(mutag.graphs, mutag.y)
    assert model.best_score_ == np.mean(mutag.y == 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"inner": 1}, "'inner' parameter of TunedNASKClassifier"),
        ({"learner": "forest"}, "'learner' parameter of TunedNASKClassifier must be one of"),
        ({"learner": None}, "'learner' parameter of TunedNASKClassifier must be one of"),
        ({"estimator": nask.NASKClassifier(alpha=0.0)}, "'alpha' parameter of NASKClassifier"),
        ({"grid": {"alpha": [0.0]}}, "'alpha' parameter of TunedNASKClassifier"),
        ({"grid": []}, "The grid has no candidates"),
        ({"grid": "ful"}, "Did you mean 'full'"),
        ({"grid": {"probability": [True]}}, "which is no parameter"),
    ],
)
def test_mistakes(mutag, parameters, message):
    with pytest.raises(ParameterError, match=message):
        nask.TunedNASKClassifier(**parameters).fit(mutag.graphs[:20], mutag.y[:20])


def test_the_kernel_of_a_candidate_is_that_of_the_estimator_but_for_the_grid():
    base = nask.NASKClassifier(expansion="ball", gamma=7.0, degree="numerical")
    kernel = nask.TunedNASKClassifier(estimator=base).kernel(gamma=0.5)
    assert (kernel.expansion, kernel.gamma, kernel.degree) == ("ball", 0.5, "numerical")


@pytest.mark.parametrize("winner", ["ridge", "svm"])
def test_the_better_of_two_learners_is_chosen(mutag, monkeypatch, winner):
    """As it is with that learner alone; ``best_params_`` tells which it is."""
    graphs, y = mutag.graphs[::3], mutag.y[::3]
    alone = {
        learner: nask.TunedNASKClassifier(grid=GRID, learner=learner).fit(graphs, y)
        for learner in ("ridge", "svm")
    }
    # Whatever the two scores are, each learner is made to win once.
    score = 2.0 if winner == "svm" else 0.0
    best = InnerFolds.best.fget
    monkeypatch.setattr(InnerFolds, "best", property(lambda own: replace(best(own), score=score)))
    model = nask.TunedNASKClassifier(grid=GRID, learner="best").fit(graphs, y)
    assert model.best_params_["learner"] == winner
    if winner == "ridge":
        assert model.best_score_ == alone["ridge"].best_score_
        assert model.best_params_ == alone["ridge"].best_params_
        np.testing.assert_array_equal(
            model.decision_function(mutag.graphs), alone["ridge"].decision_function(mutag.graphs)
        )
    else:
        assert isinstance(model.best_estimator_, nask.NASKClassifier)
        assert model.best_estimator_.learner == "svm"


def test_both_learners_share_the_passes(mutag, monkeypatch):
    made = []
    fitted = StarSweep.fitted
    monkeypatch.setattr(
        StarSweep, "fitted", lambda *args, **kw: made.append(1) or fitted(*args, **kw)
    )
    model = nask.TunedNASKClassifier(grid=GRID, learner="best")
    model.fit(mutag.graphs[::3], mutag.y[::3])
    assert len(made) == len(model.sweeps())


def test_svms_are_tried_with_the_kernels_of_the_best_ridge_regressions(mutag, monkeypatch):
    monkeypatch.setattr(screening, "FINALISTS", 2)
    graphs, y = mutag.graphs[::2], mutag.y[::2]
    codes = (y > 0).astype(np.intp)
    tried = []
    enter = InnerFolds.enter
    monkeypatch.setattr(
        InnerFolds, "enter", lambda *args: tried.extend(args[1].candidates) or enter(*args)
    )
    grid = {**GRID, "alpha": [0.1]}
    model = nask.TunedNASKClassifier(grid=grid, inner=2, learner="svm").fit(graphs, y)
    ridge = nask.TunedNASKClassifier(grid=grid)
    scores = {}
    for sweep in ridge.sweeps():
        for candidate in sweep.candidates:
            judge = ridge.judge(ridge.goal(codes, np.unique(y)))
            judge.enter(sweep.only([candidate]), sweep.compute(graphs))
            scores[repr(candidate.parameters)] = judge.values()[0]
    assert len(tried) == 2
    worst = min(scores[repr(candidate.parameters)] for candidate in tried)
    assert worst >= sorted(scores.values())[-2]
    assert {k: v for k, v in model.best_params_.items() if k in ("gamma", "n_hops")} in [
        candidate.parameters for candidate in tried
    ]
