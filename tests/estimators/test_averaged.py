"""AveragedClassifier: files, copies, probabilities and threads; what cannot be saved."""

import os
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.base import clone

import nask
from nask.estimators.averaged import AveragedClassifier
from nask.exceptions import GraphError, ModelFileError, ParameterError
from nask.lab.rivals.catalogue import rival

GRID = [
    {"gamma": [0.5, {"node_label": 1.0, "edge_label": 0.3}], "n_hops": [1, 2], "alpha": [0.1, 1.0]},
    {"gram": ["rbf"], "normalize": [True, False], "degree": ["numerical"], "alpha": [0.1]},
    {"n_hops": [2], "hop_weights": [[1.0, 3.0]], "alpha": [0.1]},
]


@pytest.fixture(scope="module")
def all_near():
    """Every setting is averaged."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nask.tuning.near_best.BEHIND", 1e3)
        yield


@pytest.fixture(scope="module")
def letters(cuneiform):
    keep = np.flatnonzero(cuneiform.y < 3)
    names = np.array(["wa", "bi", "tu"])
    return [cuneiform.graphs[i] for i in keep], names[cuneiform.y[keep]]


@pytest.fixture(scope="module", params=["two", "three"])
def made(request, mutag, letters, all_near):
    """A mean over many kernels of two or three classes, and graphs that it has not seen."""
    if request.param == "two":
        model = nask.TunedNASKClassifier(grid=GRID).fit(mutag.graphs[::4], mutag.y[::4])
        return model, list(mutag.graphs[1::4])
    graphs, y = letters
    grid = {"n_hops": [1, 2], "gamma": [0.5, 2.0], "gram": ["linear", "rbf"], "alpha": [0.1]}
    return nask.TunedNASKClassifier(grid=grid).fit(graphs[::2], y[::2]), graphs[1::2]


def test_it_comes_back_from_a_file(made, tmp_path):
    model, new = made
    best = model.best_estimator_
    assert type(best) is AveragedClassifier
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert type(same) is AveragedClassifier
    np.testing.assert_allclose(
        same.decision_function(new), model.decision_function(new), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(same.predict_proba(new), model.predict_proba(new), atol=1e-12)
    np.testing.assert_array_equal(same.predict(new), model.predict(new))
    np.testing.assert_array_equal(same.classes_, model.classes_)
    assert same.classes_.dtype == model.classes_.dtype
    assert same.settings == best.settings
    # What was loaded is saved as the same file.
    same.save(tmp_path / "again.nask")
    again = nask.load(tmp_path / "again.nask")
    assert again.settings == best.settings
    np.testing.assert_array_equal(again.decision_function(new), same.decision_function(new))


def test_graphs_that_kernels_share_are_saved_once(made, tmp_path):
    model, _ = made
    model.save(tmp_path / "m.nask")
    with zipfile.ZipFile(tmp_path / "m.nask") as archive:
        batches = {name.split("/")[0] for name in archive.namelist() if name.startswith("batch")}
    best = model.best_estimator_
    # Degrees as an attribute make another batch.
    assert len(batches) == 1 + any("degree" in setting for setting in best.settings)
    assert len(best.groups) > len(batches)


def test_copies(made):
    model, new = made
    expected = model.decision_function(new)
    for copy in (pickle.loads(pickle.dumps(model)), clone(model.best_estimator_)):
        np.testing.assert_array_equal(copy.decision_function(new), expected)
        np.testing.assert_array_equal(copy.predict(new), model.predict(new))
    best = model.best_estimator_
    parts = {"groups", "classes", "calibration", "conformity", "likeness"}
    assert set(best.get_params()) == parts | {"settings", "n_jobs"}
    assert best.get_params()["settings"] is best.settings
    sizes = f"{len(best.settings)} settings, {len(best.classes_)} classes"
    assert repr(best) == f"AveragedClassifier({sizes})"


def test_probabilities_agree_with_predictions(made):
    model, new = made
    shares = model.predict_proba(new)
    assert shares.shape == (len(new), len(model.classes_))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(new))
    bare = clone(model.best_estimator_).set_params(calibration=None)
    with pytest.raises(ParameterError, match="This model has no probabilities"):
        bare.predict_proba(new)


def test_probabilities_are_learned_from_graphs_left_out(mutag):
    """One factor, with the least loss on leave-one-out decisions of the mean."""
    graphs, y = mutag.graphs[:40], mutag.y[:40]
    grid = {"n_hops": [2], "alpha": [0.1]}
    model = nask.TunedNASKClassifier(grid=grid).fit(graphs, y)
    left_out = []
    gram = nask.NASK(n_hops=2).fit_transform(graphs)
    scale = np.mean(np.diag(gram)) - gram.mean()
    for i in range(40):
        rest = np.delete(np.arange(40), i)
        system = np.ones((40, 40))
        system[:39, :39] = gram[np.ix_(rest, rest)] + 0.1 * scale * np.eye(39)
        system[39, 39] = 0
        solution = np.linalg.solve(system, np.append(np.where(y[rest] == 1, 1.0, -1.0), 0))
        left_out.append(gram[i, rest] @ solution[:39] + solution[39])
    signed = np.where(y == 1, left_out, np.negative(left_out))
    [[zero], [factor]] = model.best_estimator_.calibration.coefficients
    losses = [
        np.mean(np.log1p(np.exp(-f * signed))) for f in (0.97 * factor, factor, 1.03 * factor)
    ]
    assert zero == 0
    assert min(losses) == losses[1]


def test_any_number_of_jobs_decides_the_same_to_the_last_bit(made, monkeypatch):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    model, new = made
    best = model.best_estimator_
    expected = best.decision_function(new)
    for n_jobs in (1, 2, 3):
        own = clone(best).set_params(n_jobs=n_jobs)
        np.testing.assert_array_equal(own.decision_function(new), expected)


def test_one_graph_is_decided_as_among_others(made):
    model, new = made
    together = model.decision_function(new)
    for graph, decision in list(zip(new, together, strict=True))[:4]:
        np.testing.assert_allclose(model.decision_function([graph])[0], decision, atol=1e-10)
    with pytest.raises(GraphError, match="at least one graph"):
        model.predict([])


@pytest.mark.usefixtures("all_near")
def test_rivals_are_not_saved(tmp_path, mutag):
    pytest.importorskip("grakel")
    wl = rival("wl").fit(mutag.graphs[:20], mutag.y[:20])
    message = "A model with a RivalGroup cannot be saved: expected one with the star kernel"
    with pytest.raises(ModelFileError, match=message):
        wl.best_estimator_.save(tmp_path / "m.nask")
    assert not any(tmp_path.iterdir())


def test_nothing_of_how_to_run_is_in_the_file(tmp_path, mutag):
    base = nask.NASKClassifier(memory_limit="1GB")
    model = nask.TunedNASKClassifier(estimator=base, grid={"alpha": [0.1]}, n_jobs=2)
    model.fit(mutag.graphs[:30], mutag.y[:30]).save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert same.n_jobs is None
    assert all(group.parameters["memory_limit"] is None for group in same.groups)
    model.best_estimator_.save(os.devnull)
