"""nask.evaluate: honest folds, Grams computed once, records that a later run goes on from."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier

import nask
from limited_work import Warns
from nask.evaluation import evaluate as evaluate_module
from nask.evaluation import run_folds
from nask.evaluation.records import FoldRecord
from nask.evaluation.splits import outer_splits
from nask.evaluation.tasks import make_task
from nask.exceptions import FormatError, ParameterError
from nask.learning.scores import ACCURACY
from nask.tuning import screening
from nask.tuning.grid import GRIDS

GRID = {"gamma": [0.1, 1.0], "n_hops": [1, 2], "C": [1.0, 10.0]}
PROTOCOL = {"folds": 3, "repeats": 2, "inner": 2}


def outcome(result):
    """What must not depend on how it was computed: all but the times."""
    return [(r.repeat, r.fold, r.accuracy, r.inner_score, dict(r.parameters), r.test,
             r.predicted) for r in result.records]  # fmt: skip


@pytest.fixture(scope="module", params=["ridge", "svm"])
def model(request):
    return nask.TunedNASKClassifier(grid=GRID, learner=request.param)


def method_of(model):
    """The name under which a run is recorded."""
    return "nask" if model.learner == "ridge" else "nask-svm"


def one_fold(model, stacks, task, split):
    """The record of a fold from Gram matrices of the whole set."""
    if model.learner == "svm":
        own = task.classes, task.target, split
        return run_folds.fold_of_shared(model, model.sweeps(), stacks, *own)
    [fold] = run_folds.ridge_folds(
        model, model.sweeps(), None, stacks, task, [split], ACCURACY, False, ""
    )
    return fold.record


def note_folds(monkeypatch, model):
    """A list that grows with every fold that is computed."""
    computed = []
    name = "fold_of_shared" if model.learner == "svm" else "ridge_folds"
    original = getattr(run_folds, name)

    def noted(*arguments):
        computed.extend([1] if model.learner == "svm" else arguments[5])
        return original(*arguments)

    monkeypatch.setattr(run_folds, name, noted)
    return computed


@pytest.fixture(scope="module")
def undisturbed(model, mutag):
    return nask.evaluate(model, mutag, **PROTOCOL)


def test_every_graph_is_tested_once_a_repeat(undisturbed, mutag):
    for repeat in range(2):
        tested = [i for r in undisturbed.records if r.repeat == repeat for i in r.test]
        assert sorted(tested) == list(range(len(mutag)))
    for record in undisturbed.records:
        right = mutag.y[list(record.test)] == np.array(record.predicted)
        assert record.accuracy == right.mean()


def test_summary(undisturbed, model):
    accuracies = np.array([r.accuracy for r in undisturbed.records])
    means = accuracies.reshape(2, 3).mean(axis=1)
    assert undisturbed.accuracy_mean == pytest.approx(accuracies.mean())
    assert undisturbed.accuracy_std_repeats == pytest.approx(means.std())
    assert undisturbed.accuracy_std_folds == pytest.approx(accuracies.std())
    assert undisturbed.majority == pytest.approx(125 / 188)
    plain = undisturbed.to_json()
    assert json.loads(json.dumps(plain)) == plain
    promised = "dataset method accuracy_mean accuracy_std_repeats accuracy_std_folds folds repeats"
    assert {*promised.split(), "seconds_kernel", "seconds_learning", "params"} <= set(plain)
    assert plain["method"] == method_of(model)
    assert plain["attribute_ranges"] == "whole set"
    assert len(plain["params"]) == 6
    assert plain["environment"]["versions"]["nask"] == nask.__version__
    assert plain["seconds_kernel"] > 0
    assert plain["seconds_learning"] > 0


def test_the_kernel_chosen_most_often_is_one_of_the_grid(undisturbed, model):
    chosen = undisturbed.most_chosen()
    assert set(chosen) <= {"gamma", "n_hops"}
    assert model.kernel(**chosen).get_params()["gamma"] == chosen["gamma"]


def test_the_test_fold_is_never_seen_by_the_choice(undisturbed, model, mutag):
    """Turning the classes of one test fold around changes its accuracy, not what was chosen."""
    spoiled = mutag.y.copy()
    test = list(undisturbed.records[0].test)
    # A permutation inside the fold keeps the class counts, hence the splits.
    spoiled[test] = np.random.default_rng(0).permutation(spoiled[test])
    split = next(iter(outer_splits(np.searchsorted([-1, 1], mutag.y), 3, 1, 0)))
    assert list(split.test) == test
    stacks = [sweep.compute(mutag.graphs) for sweep in model.sweeps()]
    small = clone(model).set_params(inner=2)
    task = make_task(mutag, "folds", 3, 1, None, 0)
    honest, other = (
        one_fold(small, stacks, replace(task, target=np.searchsorted(task.classes, y)), split)
        for y in (mutag.y, spoiled)
    )
    assert other.parameters == honest.parameters
    assert other.inner_score == honest.inner_score
    assert other.predicted == honest.predicted
    assert other.accuracy != honest.accuracy


def test_shuffled_classes_score_as_chance(model, mutag):
    y = np.random.default_rng(3).permutation(np.arange(120) % 2)
    noise = nask.Dataset("noise", mutag.graphs[:120], y)
    result = nask.evaluate(model, noise, folds=5, repeats=2, inner=2)
    assert abs(result.accuracy_mean - 0.5) < 0.12


@pytest.mark.slow
def test_the_same_in_one_process_and_in_two(undisturbed, model, mutag):
    assert outcome(nask.evaluate(model, mutag, n_jobs=2, **PROTOCOL)) == outcome(undisturbed)


def test_more_repeats_keep_the_first(undisturbed, model, mutag):
    one = nask.evaluate(model, "MUTAG", folds=3, repeats=1, inner=2)
    assert outcome(one) == outcome(undisturbed)[:3]
    assert one.accuracy_std_repeats == 0.0


@pytest.mark.parametrize("learner", ["ridge", "svm"])
def test_strict_folds_are_those_of_separate_fits(mutag, cuneiform, learner):
    """Numerical ranges come from the training set alone."""
    small = nask.Dataset("small", cuneiform.graphs[:48], np.arange(48) % 2)
    grid = {"gamma": [0.5, 8.0], "C": [1.0, 10.0], "alpha": [0.03, 0.3]}
    model = nask.TunedNASKClassifier(grid=grid, learner=learner)
    result = nask.evaluate(model, small, folds=2, repeats=1, inner=2, strict=True)
    assert result.to_json()["attribute_ranges"] == "training fold"
    for record, split in zip(result.records, outer_splits(small.y, 2, 1, 0), strict=True):
        fitted = nask.TunedNASKClassifier(**{**model.get_params(deep=False), "inner": 2})
        fitted.fit([small.graphs[i] for i in split.train], small.y[split.train])
        expected = fitted.predict([small.graphs[i] for i in split.test])
        assert list(record.predicted) == expected.tolist()
        assert record.parameters == fitted.best_params_
        assert record.inner_score == fitted.best_score_
        assert record.seconds_kernel > 0


class GraphCounts(ClassifierMixin, BaseEstimator):
    """Any classifier of graphs will do, tuned or not."""

    def fit(self, X, y):
        self.inner_ = DummyClassifier().fit(np.zeros((len(X), 1)), y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(np.zeros((len(X), 1)))


def test_any_classifier_meets_the_same_splits(undisturbed, mutag):
    floor = nask.evaluate(GraphCounts(), mutag, **PROTOCOL)
    assert floor.method == "GraphCounts"
    assert [r.test for r in floor.records] == [r.test for r in undisturbed.records]
    assert floor.accuracy_mean == pytest.approx(125 / 188, abs=0.01)
    assert floor.records[0].parameters == {}
    assert floor.to_json()["attribute_ranges"] == "training fold"


class KilledError(Exception):
    pass


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("folds", [0, 1, 4])
def test_a_run_cut_short_goes_on(monkeypatch, undisturbed, model, mutag, tmp_path, passes, folds):
    """Cut after some passes and folds; a line written in half is dropped."""
    original = evaluate_module.Journal

    class Cut(original):
        def note_pass(self, number, seconds):
            super().note_pass(number, seconds)
            if number + 1 == passes and not folds:
                raise KilledError

        def note_fold(self, record):
            if len(self.folds) == folds:
                with self.path.open("a") as file:
                    file.write('{"repeat": 0, "fo')
                raise KilledError
            super().note_fold(record)

    monkeypatch.setattr(evaluate_module, "Journal", Cut)
    with pytest.raises(KilledError):
        nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    monkeypatch.setattr(evaluate_module, "Journal", original)
    computed = note_folds(monkeypatch, model)
    result = nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    assert outcome(result) == outcome(undisturbed)
    assert len(computed) == 6 - folds
    assert [p.name for p in tmp_path.iterdir()] == [f"MUTAG--{method_of(model)}.jsonl"]


def test_what_a_sample_said_is_recorded(monkeypatch, mutag, tmp_path):
    """A run that was cut after the sample goes on without it, to the same folds."""
    monkeypatch.setattr(screening, "LARGEST_UNSCREENED", 50)
    monkeypatch.setattr(screening, "SAMPLE", 40)
    monkeypatch.setattr(screening, "KEPT", 2)
    model = nask.TunedNASKClassifier(grid=GRID)
    whole = nask.evaluate(model, mutag, **PROTOCOL)

    def killed(*_):
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(run_folds, "shared_stacks", killed)
        with pytest.raises(KilledError):
            nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    with monkeypatch.context() as patched:
        patched.setattr(run_folds, "screen", killed)
        assert outcome(nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)) == outcome(whole)
        # Other folds have other samples.
        with pytest.raises(KilledError):
            nask.evaluate(model, mutag, out=tmp_path, **{**PROTOCOL, "repeats": 3})
    [path] = tmp_path.glob("*.jsonl")
    lines = path.read_text().splitlines()
    [kept] = [line for line in lines if '"kept"' in line]
    few = len(json.loads(kept)["kept"][0])
    strange = kept.replace(kept.split("[[")[1].split("]")[0], ", ".join(["10000"] * few))
    path.write_text("\n".join([lines[0], strange]) + "\n")
    with pytest.raises(FormatError, match="'kept' with a number beyond the 4 candidates"):
        nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    path.write_text("\n".join([lines[0], '{"kept": [[-1]]}']) + "\n")
    with pytest.raises(FormatError, match=r"'kept': .*, expected a list of lists of positions"):
        nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)


def test_a_finished_run_is_read_not_repeated(monkeypatch, undisturbed, model, mutag, tmp_path):
    nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    monkeypatch.delattr(run_folds, "fold_of_shared")
    monkeypatch.delattr(run_folds, "ridge_folds")
    again = nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    assert outcome(again) == outcome(undisturbed)
    with pytest.raises(ParameterError, match="holds another run: folds was 3 and is 4 now"):
        nask.evaluate(model, mutag, out=tmp_path, folds=4, repeats=2, inner=2)
    other = clone(model).set_params(grid={"C": [1.0]})
    with pytest.raises(ParameterError, match="holds another run: grid was"):
        nask.evaluate(other, mutag, out=tmp_path, **PROTOCOL)
    changed = nask.Dataset("MUTAG", mutag.graphs, -mutag.y)
    with pytest.raises(ParameterError, match="on other graphs or classes of the same name"):
        nask.evaluate(model, changed, out=tmp_path, **PROTOCOL)


def test_another_default_grid_is_another_run(monkeypatch, mutag, tmp_path):
    small = nask.Dataset("few", mutag.graphs[:40], mutag.y[:40])
    monkeypatch.setitem(GRIDS, "default", [{"C": [1.0]}])
    nask.evaluate("nask", small, out=tmp_path, **PROTOCOL)
    monkeypatch.setitem(GRIDS, "default", [{"C": [10.0]}])
    with pytest.raises(ParameterError, match="holds another run: candidates was"):
        nask.evaluate("nask", small, out=tmp_path, **PROTOCOL)


def test_folds_drawn_otherwise_are_not_mixed(model, mutag, tmp_path):
    nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    path = tmp_path / f"MUTAG--{method_of(model)}.jsonl"
    lines = path.read_text().splitlines()
    record = json.loads(lines[-1])
    record["test"][:2] = record["test"][1::-1]
    path.write_text("\n".join([*lines[:-1], json.dumps(record)]) + "\n")
    with pytest.raises(ParameterError, match="holds other folds"):
        nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)


@pytest.mark.slow
def test_two_processes_do_not_write_to_one_file(monkeypatch, model, mutag, tmp_path):
    """The second is told; what the first does is left alone."""
    name = "fold_of_shared" if model.learner == "svm" else "ridge_folds"
    fold = getattr(run_folds, name)

    def interrupted(*arguments):
        with pytest.raises(ParameterError, match="Another process is at work"):
            nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
        return fold(*arguments)

    monkeypatch.setattr(run_folds, name, interrupted)
    result = nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    assert len(result.records) == 6


def test_reading_leaves_a_run_alone(model, mutag, tmp_path):
    result = nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    path = tmp_path / f"MUTAG--{method_of(model)}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])  # the last record is being written
    [one] = nask.read_results(tmp_path)
    assert path.read_bytes() == whole[:-20]
    assert (one.repeats, one.records) == (1, result.records[:3])
    path.write_bytes(whole)
    assert nask.read_results(tmp_path) == [result]


def test_a_name_with_slashes_stays_in_its_folder(model, mutag, tmp_path):
    named = nask.Dataset("../a/b", mutag.graphs, mutag.y)
    nask.evaluate(model, named, out=tmp_path / "out", **PROTOCOL)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert [r.dataset for r in nask.read_results(tmp_path / "out")] == ["../a/b"]


def test_a_file_that_is_no_journal(model, mutag, tmp_path):
    path = tmp_path / f"MUTAG--{method_of(model)}.jsonl"
    for content in ("hello\n", "hello"):
        path.write_text(content)
        with pytest.raises(FormatError, match="not a file of results"):
            nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
        assert path.read_text() == content
    path.write_text('{"run": {}}\n{"repeat\n{}\n')
    with pytest.raises(FormatError, match=r"Line 2 of .* is damaged"):
        nask.evaluate(model, mutag, out=tmp_path, **PROTOCOL)
    with pytest.raises(ParameterError, match="is a file: expected a folder"):
        nask.evaluate(model, mutag, out=path, **PROTOCOL)


def test_records_survive_json(undisturbed):
    for record in undisturbed.records:
        assert FoldRecord.from_json(json.loads(json.dumps(record.to_json())), version=2) == record


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"folds": 1}, "'folds' parameter of evaluate must be an int of at least 2"),
        ({"folds": 126}, "the largest, 1, has 125. Use 2 to 63 folds"),
        ({"repeats": 0}, "'repeats' parameter"),
        ({"random_state": -1}, "'random_state' parameter"),
    ],
)
def test_mistakes(model, mutag, arguments, message):
    with pytest.raises(ParameterError, match=message):
        nask.evaluate(model, mutag, **arguments)


def test_targets_that_are_no_classes(model, mutag):
    unlabelled = nask.Dataset("none", mutag.graphs)
    with pytest.raises(ParameterError, match="no classes or numbers to predict"):
        nask.evaluate(model, unlabelled)
    values = nask.Dataset("values", mutag.graphs, np.linspace(0.5, 1, 188))
    with pytest.raises(ParameterError, match="expected a regressor, such as TunedNASKRegressor"):
        nask.evaluate(model, values)
    with pytest.raises(ParameterError, match="expected a classifier, such as TunedNASKClassifier"):
        nask.evaluate(nask.NASKRegressor(), mutag)
    with pytest.raises(ParameterError, match="2 targets per graph"):
        nask.evaluate(model, nask.Dataset("two", mutag.graphs, np.zeros((188, 2))))


def test_an_unknown_method(mutag):
    with pytest.raises(ParameterError, match=r"no method 'nsk'\. Did you mean 'nask'"):
        nask.evaluate("nsk", mutag)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_fold_warns_of_is_warned_of_here(mutag, n_jobs):
    """Folds run in processes of their own, whose warnings nobody could catch."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nask.evaluate(Warns(), mutag, folds=3, repeats=1, n_jobs=n_jobs)
    told = [warning for warning in caught if str(warning.message) == "Mind the gap."]
    assert len(told) >= 1
    assert all(warning.category is RuntimeWarning for warning in told)
