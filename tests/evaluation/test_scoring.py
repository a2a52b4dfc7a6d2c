"""Other scores than accuracy: what chooses, what is recorded, what is compared."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss, roc_auc_score

import nask
from nask.evaluation.results import records_path
from nask.exceptions import FormatError, ParameterError
from nask.learning.goals import ClassGoal
from nask.learning.scores import Score
from nask.tuning.leave_one_out import LeaveOneOut
from nask.tuning.sweeps import Candidate

GRID = {"gamma": [0.1, 1.0], "n_hops": [1, 2], "C": [1.0, 10.0], "alpha": [0.03, 0.3]}
PROTOCOL = {"folds": 3, "repeats": 1, "inner": 2, "random_state": 100}


@pytest.fixture(scope="module")
def few(mutag):
    return nask.Dataset("few", mutag.graphs[:60], mutag.y[:60])


@pytest.fixture(scope="module")
def letters(cuneiform):
    keep = np.flatnonzero(cuneiform.y < 3)
    return nask.Dataset("letters", [cuneiform.graphs[i] for i in keep], cuneiform.y[keep])


ORACLES = {
    "balanced_accuracy": lambda truth, predicted, _: balanced_accuracy_score(truth, predicted),
    "f1": lambda truth, predicted, _: f1_score(truth, predicted, pos_label=1),
    "roc_auc": lambda truth, _, outputs: roc_auc_score(truth, outputs),
    "neg_log_loss": lambda truth, _, outputs: -log_loss(truth, outputs),
}


@pytest.mark.parametrize("learner", ["ridge", "svm", "best", "fitted", "majority"])
@pytest.mark.parametrize("name", ORACLES)
def test_scores_of_folds_are_found_from_what_they_hold(few, tmp_path, name, learner):
    model = nask.TunedNASKClassifier(grid=GRID, learner=learner)
    if learner == "fitted":
        model = nask.NASKClassifier(n_hops=1)
    if learner == "majority":
        model = "majority"
    if name == "neg_log_loss" and learner in ("svm", "best"):
        with pytest.raises(ParameterError, match="takes probabilities"):
            nask.evaluate(model, few, scoring=name, **PROTOCOL)
        return
    result = nask.evaluate(model, few, scoring=name, out=tmp_path, **PROTOCOL)
    assert result.scoring == name
    for record in result.records:
        found = ORACLES[name](record.truth, record.predicted, record.outputs)
        assert record.scores == {name: pytest.approx(found)}
        assert (record.outputs is None) == (Score(name).needs == "classes")
        assert record.accuracy == np.mean(np.array(record.truth) == record.predicted)
    assert nask.read_results(tmp_path) == [result]
    assert result.score_mean == pytest.approx(np.mean([r.scores[name] for r in result.records]))


def test_predictions_are_those_of_decisions_and_probabilities(few):
    model = nask.TunedNASKClassifier(grid={"n_hops": [1, 2], "alpha": [0.1]})
    by_area = nask.evaluate(model, few, scoring="roc_auc", **PROTOCOL)
    for record in by_area.records:
        np.testing.assert_array_equal(
            np.where(np.array(record.outputs) > 0, 1, -1), record.predicted
        )
    by_loss = nask.evaluate(model, few, scoring="neg_log_loss", **PROTOCOL)
    for record in by_loss.records:
        outputs = np.array(record.outputs)
        np.testing.assert_allclose(outputs.sum(axis=1), 1.0)
        np.testing.assert_array_equal(2 * outputs.argmax(axis=1) - 1, record.predicted)


def test_probabilities_of_a_fold_are_those_of_a_fit(few):
    """Strict: the same choice and the same calibration on the training graphs alone."""
    grid = {"n_hops": [1], "alpha": [0.3]}
    model = nask.TunedNASKClassifier(grid=grid)
    shared = nask.evaluate(model, few, scoring="neg_log_loss", **PROTOCOL).records[0]
    train = np.setdiff1d(np.arange(60), shared.test)
    fitted = model.fit([few.graphs[k] for k in train], few.y[train])
    expected = fitted.predict_proba([few.graphs[k] for k in shared.test])
    # Ranges, and the unit of the penalty, are those of the whole set.
    np.testing.assert_allclose(shared.outputs, expected, atol=0.05)
    strict = nask.evaluate(model, few, scoring="neg_log_loss", strict=True, **PROTOCOL).records[0]
    np.testing.assert_allclose(strict.outputs, expected, atol=1e-12)


class Matrices:
    """A sweep over given matrices."""

    def __init__(self, grams):
        self.candidates = tuple(Candidate({"k": k}, {}, (1.0,), (0.1,)) for k in range(len(grams)))

    def gram(self, stack, candidate):
        return stack[candidate.parameters["k"]]

    def unit(self, stack, candidate):
        return None


def rare(seed=100):
    """A rare class that counts more, a kernel that knows nothing and one that knows something."""
    rng = np.random.default_rng(seed)
    codes = (np.arange(120) < 12).astype(np.intp)
    x = rng.normal(size=(120, 2))
    x[:, 0] += 2 * codes
    return codes, np.array([np.zeros((120, 120)), x @ x.T])


@pytest.mark.parametrize("name", ["balanced_accuracy", "roc_auc", "f1_macro", "average_precision"])
def test_the_search_is_by_the_score(name):
    """By accuracy, to know nothing of a rare class is best."""
    codes, grams = rare()
    found = {}
    for own in ("accuracy", name):
        judge = LeaveOneOut(ClassGoal(codes, 2, {1: 8.0}, Score(own)))
        judge.enter(Matrices(grams), grams)
        found[own] = judge.choose()
    chosen = {own: choice.best.candidate.parameters["k"] for own, choice in found.items()}
    assert chosen == {"accuracy": 0, name: 1}
    assert len(found[name].trials) == 1
    left_out = found[name].best.left_out
    output = left_out[:, 1] if Score(name).needs == "decisions" else left_out.argmax(axis=1)
    assert found[name].score == pytest.approx(Score(name).of(codes, output, 2))


def test_classes_of_a_test_fold_are_never_seen_by_the_choice(few):
    for name in ("roc_auc", "neg_log_loss", "f1"):
        codes, grams = rare()
        test = np.arange(0, 120, 5)
        found = []
        for turned in (False, True):
            own = codes.copy()
            own[test] = 1 - own[test] if turned else own[test]
            judge = LeaveOneOut(ClassGoal(own, 2, score=Score(name)), tests=[test])
            judge.enter(Matrices(grams), grams)
            choice = judge.choose()
            outputs = (
                judge.probabilities(0, choice)
                if name == "neg_log_loss"
                else judge.scores(0, choice)
            )
            found.append((choice.parameters, choice.score, outputs))
        assert found[0][0] == found[1][0]
        assert found[0][1] == pytest.approx(found[1][1])
        np.testing.assert_allclose(found[0][2], found[1][2], atol=1e-6)


def test_several_classes(letters):
    model = nask.TunedNASKClassifier(grid={"n_hops": [1, 2], "alpha": [0.1]})
    for name in ("f1_macro", "neg_log_loss", "roc_auc_ovr"):
        result = nask.evaluate(model, letters, scoring=name, **PROTOCOL)
        assert np.isfinite(result.score_mean)
    with pytest.raises(ParameterError, match=r"for two classes, and here are 3\. Scores for more"):
        nask.evaluate(model, letters, scoring="roc_auc", **PROTOCOL)
    fitted = nask.TunedNASKClassifier(grid={"n_hops": [1]}, scoring="f1")
    with pytest.raises(ParameterError, match="for two classes"):
        fitted.fit(letters.graphs, letters.y)


def test_nodes_of_a_network():
    network = nask.lab.make_social_network(120, random_state=100)
    model = nask.TunedNASKNodeClassifier(grid={"n_hops": [1], "alpha": [0.1, 1.0]})
    for split in ("folds", "planetoid"):
        how = {} if split == "planetoid" else {"folds": 3}
        for name in ("roc_auc", "neg_log_loss"):
            result = nask.evaluate(model, network, scoring=name, split=split, **how)
            [first, *_] = result.records
            found = ORACLES[name](first.truth, first.predicted, first.outputs)
            assert first.scores[name] == pytest.approx(found)
        assert nask.evaluate("majority", network, scoring="roc_auc", split=split).score_mean == 0.5


def test_older_records_are_compared_by_what_they_tell(few, tmp_path):
    for model in (nask.NASKClassifier(n_hops=1), "majority"):
        nask.evaluate(model, few, out=tmp_path, **PROTOCOL)
    lines = records_path(tmp_path, "few", "majority").read_text().splitlines()
    assert json.loads(lines[0])["version"] == 2
    assert "inner_accuracy" in json.loads(lines[2])
    comparison = nask.compare(tmp_path, scoring="balanced_accuracy")
    assert comparison.cell("few", "majority").mean == 0.5
    assert comparison.tables[0].scoring == "balanced_accuracy"
    assert "balanced_accuracy in %" in comparison.to_markdown()
    with pytest.raises(ParameterError, match="takes decisions, which these records do not hold"):
        nask.compare(tmp_path, scoring="roc_auc")


def test_a_folder_keeps_one_score_per_method(few, tmp_path):
    nask.evaluate("majority", few, out=tmp_path, **PROTOCOL)
    with pytest.raises(ParameterError, match="scoring was None and is 'f1' now"):
        nask.evaluate("majority", few, out=tmp_path, scoring="f1", **PROTOCOL)
    nask.evaluate("majority", few, out=tmp_path, scoring="accuracy", **PROTOCOL)


def test_a_changed_score_or_output_is_found_out(few, tmp_path):
    nask.evaluate(nask.NASKClassifier(n_hops=1), few, scoring="roc_auc", out=tmp_path, **PROTOCOL)
    path = records_path(tmp_path, "few", "NASKClassifier")
    lines = path.read_text().splitlines(keepends=True)
    fold = json.loads(lines[2])
    fold["outputs"] = [-own for own in fold["outputs"]]
    path.write_text("".join([*lines[:2], json.dumps(fold) + "\n", *lines[3:]]))
    with pytest.raises(FormatError, match=r"has roc_auc .*, but its predictions have"):
        nask.read_results(tmp_path)


def test_a_model_keeps_its_own_score(few):
    model = nask.TunedNASKClassifier(grid=GRID, scoring="f1")
    result = nask.evaluate(model, few, scoring="roc_auc", **PROTOCOL)
    assert result.scoring == "roc_auc"
    inner = nask.evaluate(model, few, scoring="f1", **PROTOCOL).records[0].inner_score
    assert result.records[0].inner_score == pytest.approx(inner)
    with pytest.raises(ParameterError, match="which a search by 'f1' does not keep"):
        nask.evaluate(model, few, scoring="neg_log_loss", **PROTOCOL)


def test_what_has_no_decisions_is_told(few):
    class Plain(DummyClassifier):
        predict_proba = property(lambda self: (_ for _ in ()).throw(AttributeError("none")))

    with pytest.raises(ParameterError, match="Plain has no method for them"):
        nask.evaluate(Plain(), few, scoring="roc_auc", **PROTOCOL)
    with pytest.raises(ParameterError, match="There is no score 'roc_acu'"):
        nask.evaluate(Plain(), few, scoring="roc_acu", **PROTOCOL)
