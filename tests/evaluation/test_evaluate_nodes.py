"""nask.evaluate over the nodes of a network: honest folds, the public split, records."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import nask
from nask.evaluation import evaluate as evaluate_module
from nask.evaluation import memory, run_folds
from nask.evaluation.fingerprint import fingerprint
from nask.evaluation.splits import public_split
from nask.evaluation.tasks import make_task
from nask.exceptions import ParameterError
from nask.learning.scores import ACCURACY

GRID = {"gamma": [0.3, 3.0], "n_hops": [1, 2], "gram": ["linear", "rbf"], "C": [0.1, 1.0]}
PARTS = ("train", "validation", "test")


def outcome(result):
    """What must not depend on how it was computed: all but the times."""
    return [(r.repeat, r.fold, r.accuracy, r.inner_score, dict(r.parameters), r.test,
             r.predicted) for r in result.records]  # fmt: skip


def changed(network, **values):
    fields = {name: getattr(network, name) for name in ("name", "graph", "y", *PARTS)}
    return nask.NodeDataset(**{**fields, **values})


@pytest.fixture(scope="module")
def network():
    """A network in which every seventh node has no class."""
    whole = nask.lab.make_social_network(210, 6.0, random_state=1)
    y = whole.y.copy()
    y[::7] = -1
    return changed(whole, y=y)


@pytest.fixture(scope="module", params=["ridge", "svm"])
def model(request):
    return nask.TunedNASKNodeClassifier(grid=GRID, learner=request.param)


def method_of(model):
    """The name under which a run is recorded."""
    return "nask" if model.learner == "ridge" else "nask-svm"


def one_fold(model, stacks, task, split):
    """The record of a fold from Gram matrices of the whole network."""
    if model.learner == "svm":
        own = task.classes, task.target, split
        return run_folds.fold_of_shared(model, model.sweeps(), stacks, *own)
    [fold] = run_folds.ridge_folds(
        model, model.sweeps(), None, stacks, task, [split], ACCURACY, False, ""
    )
    return fold.record


@pytest.fixture(scope="module")
def undisturbed(model, network):
    return nask.evaluate(model, network, folds=4)


@pytest.fixture(scope="module")
def public(model, network):
    return nask.evaluate(model, network, split="planetoid")


def test_every_node_with_a_class_is_tested_once(undisturbed, network):
    tested = [i for record in undisturbed.records for i in record.test]
    assert sorted(tested) == np.flatnonzero(network.y != -1).tolist()
    for record in undisturbed.records:
        right = network.y[list(record.test)] == np.array(record.predicted)
        assert record.accuracy == right.mean()
    assert undisturbed.accuracy_mean > 0.65


def test_summary(undisturbed, model, network):
    plain = undisturbed.to_json()
    assert (undisturbed.items, undisturbed.n_items) == ("nodes", 180)
    assert (plain["n_nodes"], plain["folds"], plain["repeats"], plain["inner"]) == (180, 4, 1, 3)
    assert "n_graphs" not in plain
    assert plain["majority"] == np.bincount(network.y[network.y != -1]).max() / 180
    assert plain["attribute_ranges"] == "whole set"
    assert plain["method"] == method_of(model)


def test_folds_are_those_of_fits_that_know_no_other_class(undisturbed, model, network):
    """A fit on the network with the classes of the training set alone predicts the same."""
    for record, split in zip(
        undisturbed.records, make_task(network, "folds", 4, None, None, 0).splits, strict=True
    ):
        known = np.full_like(network.y, -1)
        known[split.train] = network.y[split.train]
        fitted = clone(model).fit(network.graph, known)
        assert fitted.best_params_ == record.parameters
        assert fitted.best_score_ == record.inner_score
        predicted = fitted.predict(network.graph, split.test)
        assert np.mean(predicted == np.array(record.predicted)) > 0.97  # SVC stops elsewhere


def test_classes_of_test_nodes_change_nothing_but_the_accuracy(model, network, public):
    spoiled = network.y.copy()
    test = public_split(network).test
    spoiled[test] = np.random.default_rng(0).permutation(spoiled[test])
    other = nask.evaluate(model, changed(network, y=spoiled), split="planetoid")
    [honest], [blind] = public.records, other.records
    assert blind.test == honest.test
    assert (blind.predicted, blind.parameters) == (honest.predicted, honest.parameters)
    assert blind.inner_score == honest.inner_score
    assert blind.accuracy != honest.accuracy


def test_classes_of_a_test_fold_are_never_seen_by_the_choice(model, network, undisturbed):
    task = make_task(network, "folds", 4, None, None, 0)
    split = task.splits[2]
    spoiled = task.target.copy()
    spoiled[split.test] = 1 - spoiled[split.test]
    stacks = [sweep.compute(network.graph) for sweep in model.sweeps()]
    blind = one_fold(model, stacks, replace(task, target=spoiled), split)
    honest = undisturbed.records[2]
    assert (blind.predicted, blind.parameters) == (honest.predicted, honest.parameters)
    assert blind.accuracy == pytest.approx(1 - honest.accuracy)


def test_the_public_split(public, network):
    [record] = public.records
    assert record.test == tuple(i for i in network.test.tolist() if network.y[i] != -1)
    assert (public.folds, public.repeats, public.inner) == (1, 1, None)
    assert public.dataset == "social_network@planetoid"
    assert public.n_items == len(record.test)
    assert public.majority == np.bincount(network.y[list(record.test)]).max() / len(record.test)
    assert "±" not in repr(public)
    assert public.accuracy_mean > 0.6


def test_the_public_split_chooses_on_validation_nodes(public, model, network):
    """And trains on training nodes alone."""
    split = public_split(network)
    fitted = clone(model).fit(network.graph, network.y, split.train, split.validation)
    assert fitted.best_params_ == public.records[0].parameters
    assert fitted.best_score_ == public.records[0].inner_score
    spoiled = network.y.copy()
    spoiled[split.validation] = 1 - spoiled[split.validation]
    one = {**{name: values[:1] for name, values in GRID.items()}, "alpha": [0.1]}
    single = clone(model).set_params(grid=one)
    other = nask.evaluate(single, changed(network, y=spoiled), split="planetoid")
    only = nask.evaluate(single, network, split="planetoid")
    assert other.records[0].predicted == only.records[0].predicted
    assert other.records[0].inner_score == pytest.approx(1 - only.records[0].inner_score)


def test_without_validation_nodes_folds_of_the_training_nodes_choose(network, model):
    bare = changed(network, validation=[])
    result = nask.evaluate(model, bare, split="planetoid", inner=2)
    assert result.inner == 2
    split = public_split(bare)
    fitted = clone(model).set_params(inner=2).fit(network.graph, network.y, split.train)
    assert fitted.best_params_ == result.records[0].parameters
    assert fitted.best_score_ == result.records[0].inner_score


@pytest.mark.slow
def test_both_protocols_in_one_folder(model, network, undisturbed, public, tmp_path):
    folds = nask.evaluate(model, network, folds=4, out=tmp_path, n_jobs=2)
    once = nask.evaluate(model, network, split="planetoid", out=tmp_path)
    assert outcome(folds) == outcome(undisturbed)
    assert outcome(once) == outcome(public)
    names = [f"social_network{part}--{method_of(model)}.jsonl" for part in ("", "@planetoid")]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert nask.read_results(tmp_path) == [folds, once]
    for name, split in zip(names, ("folds", "planetoid"), strict=True):
        run = json.loads((tmp_path / name).read_text().splitlines()[0])["run"]
        assert (run["split"], run["items"]) == (split, "nodes")


class KilledError(Exception):
    pass


def test_a_run_cut_short_goes_on(monkeypatch, undisturbed, model, network, tmp_path):
    original = evaluate_module.Journal

    class Cut(original):
        def note_fold(self, record):
            if len(self.folds) == 2:
                raise KilledError
            super().note_fold(record)

    monkeypatch.setattr(evaluate_module, "Journal", Cut)
    with pytest.raises(KilledError):
        nask.evaluate(model, network, folds=4, out=tmp_path)
    monkeypatch.setattr(evaluate_module, "Journal", original)
    computed = []
    name = "fold_of_shared" if model.learner == "svm" else "ridge_folds"
    fold = getattr(run_folds, name)

    def noted(*arguments):
        computed.extend([1] if model.learner == "svm" else arguments[5])
        return fold(*arguments)

    monkeypatch.setattr(run_folds, name, noted)
    result = nask.evaluate(model, network, folds=4, out=tmp_path)
    assert outcome(result) == outcome(undisturbed)
    assert len(computed) == 2
    with pytest.raises(ParameterError, match="folds was 4 and is 3 now"):
        nask.evaluate(model, network, folds=3, out=tmp_path)
    with pytest.raises(ParameterError, match="other graphs or classes"):
        nask.evaluate(model, changed(network, train=[1, 2]), folds=4, out=tmp_path)


class Spy(ClassifierMixin, BaseEstimator):
    """Says the class of its first training node, and notes what it was told."""

    told: list = []  # noqa: RUF012

    def fit(self, graph, y, train=None, validation=None):
        self.told.append((np.array(y), np.array(train), validation))
        self.classes_ = np.unique(y[train])
        self.first_ = y[train[0]]
        return self

    def predict(self, graph, nodes=None):
        return np.full(len(nodes), self.first_)


def test_any_classifier_of_nodes_meets_the_same_splits(undisturbed, network):
    Spy.told.clear()
    result = nask.evaluate(Spy(), network, folds=4)
    assert result.method == "Spy"
    assert [r.test for r in result.records] == [r.test for r in undisturbed.records]
    for (y, train, validation), record in zip(Spy.told, result.records, strict=True):
        assert not set(record.test) & set(train.tolist())
        np.testing.assert_array_equal(np.flatnonzero(y != -1), np.sort(train))
        np.testing.assert_array_equal(y[train], network.y[train])
        assert validation is None
        assert set(record.predicted) == {int(y[train[0]])}


def test_a_classifier_of_nodes_gets_the_validation_part_it_asks_for(network):
    Spy.told.clear()
    [record] = nask.evaluate(Spy(), network, split="planetoid").records
    [(y, train, validation)] = Spy.told
    split = public_split(network)
    np.testing.assert_array_equal(train, split.train)
    np.testing.assert_array_equal(validation, split.validation)
    known = np.concatenate([train, validation])
    np.testing.assert_array_equal(np.flatnonzero(y != -1), np.sort(known))
    assert (y[list(record.test)] == -1).all()


def test_a_classifier_that_chooses_nothing(network):
    result = nask.evaluate(nask.NASKNodeClassifier(n_hops=1, gamma=0.3, C=1.0), network, folds=2)
    assert result.method == "NASKNodeClassifier"
    assert result.records[0].parameters == {}
    assert result.accuracy_mean > 0.65


def test_nask_is_the_tuned_classifier_of_nodes(monkeypatch, network):
    from nask.tuning.grid import GRIDS

    monkeypatch.setitem(GRIDS, "nodes", [{"C": [1.0], "alpha": [0.1]}])
    result = nask.evaluate("nask", network, folds=2)
    assert result.method == "nask"
    chosen = {"alpha": 0.1, "learner": "ridge", "averaged": 1}
    assert [dict(record.parameters) for record in result.records] == [chosen] * 2
    result = nask.evaluate("nask-svm", network, folds=2)
    assert result.method == "nask-svm"
    expected = [{"C": 1.0, "learner": "svm"}] * 2
    assert [dict(record.parameters) for record in result.records] == expected


def test_content_tells_networks_apart(network):
    same = changed(network)
    assert fingerprint(same) == fingerprint(network)
    y = network.y.copy()
    y[1] = 1 - y[1]
    others = [
        changed(network, y=y),
        changed(network, test=network.test[1:]),
        changed(network, train=network.validation, validation=network.train),
        changed(network, graph=nask.lab.make_social_network(210, 6.0, random_state=2).graph),
    ]
    assert len({fingerprint(other) for other in [network, *others]}) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strict": True}, "'strict' parameter of evaluate is for sets of graphs"),
        ({"split": "random"}, "'split' parameter of evaluate must be one of 'folds', 'grouped'"),
        ({"split": "planetoid", "folds": 5}, "'folds' parameter of evaluate is for split='folds'"),
        ({"split": "planetoid", "repeats": 1}, "'repeats' parameter of evaluate is for"),
        ({"split": "planetoid", "inner": 3}, "'inner' parameter of evaluate is for"),
        ({"folds": 150}, "150 folds need as many nodes of one class"),
        ({"inner": 1}, "'inner' parameter of evaluate must be an int of at least 2"),
    ],
)
def test_mistakes(model, network, arguments, message):
    with pytest.raises(ParameterError, match=message):
        nask.evaluate(model, network, **arguments)


def test_models_for_the_other_kind(model, network, mutag):
    with pytest.raises(ParameterError, match=r"classifies graphs, .* TunedNASKNodeClassifier"):
        nask.evaluate(nask.TunedNASKClassifier(), network)
    with pytest.raises(ParameterError, match=r"classifies nodes, .* such as TunedNASKClassifier"):
        nask.evaluate(model, mutag)
    with pytest.raises(ParameterError, match="set of graphs, which has no public split"):
        nask.evaluate("nask", mutag, split="planetoid")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"test": []}, "has no public split"),
        ({"train": [0, 7]}, "has no public split"),  # neither has a class
        ({"test": [1, 2], "train": [2, 3]}, "Node 2 of social_network is twice"),
    ],
)
def test_public_splits_that_are_none(model, network, values, message):
    bare = changed(network, validation=[])
    with pytest.raises(ParameterError, match=message):
        nask.evaluate(model, changed(bare, **values), split="planetoid")


def test_a_class_without_training_nodes(model, network):
    ones, zeros = (np.flatnonzero(network.y == label) for label in (1, 0))
    split = {"train": ones[:9], "validation": [], "test": zeros}
    with pytest.raises(ParameterError, match="no training node of class 0"):
        nask.evaluate(model, changed(network, **split), split="planetoid")
    with pytest.raises(ParameterError, match="no node with a class"):
        nask.evaluate(model, changed(network, y=np.full(210, -1)))


def test_as_many_folds_at_a_time_as_fit_into_memory(monkeypatch, network):
    splits = make_task(network, "folds", 4, None, None, 0).splits
    n_bytes = 4 * (210**2 + 2 * 135**2)
    for free, expected in ((2 * n_bytes, 1), (5.9 * n_bytes, 2), (100 * n_bytes, 3), (1, 1)):
        monkeypatch.setattr(memory, "free_memory", lambda free=free: int(free))
        assert memory.folds_at_a_time(3, 210, splits, 4) == expected
