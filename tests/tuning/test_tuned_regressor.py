"""The search for numbers: the mean of ridge regressions, saved and explained as others are."""

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.metrics import mean_squared_error

import nask
from nask.exceptions import ModelFileError, ParameterError
from nask.learning.goals import NumberGoal
from nask.learning.scores import Score
from nask.tuning.grid import named_grid
from nask.tuning.leave_one_out import LeaveOneOut
from nask.tuning.near_best import near_best, near_best_parts
from nask.tuning.regressor import for_numbers
from nask.tuning.sweeps import Candidate

GRID = {"gamma": [0.3], "n_hops": [1, 2], "gram": ["linear", "rbf"], "normalize": [True, False],
        "alpha": [0.01, 0.3]}  # fmt: skip


@pytest.fixture(scope="module")
def data(mutag):
    graphs = mutag.graphs[:36]
    rng = np.random.default_rng(100)
    y = np.array([graph.n_edges / graph.n_nodes for graph in graphs]) + 0.05 * rng.normal(size=36)
    return graphs[:28], y[:28], graphs[28:]


@pytest.fixture
def all_near(monkeypatch):
    """Every setting is averaged, so that none escapes the comparison."""
    monkeypatch.setattr("nask.tuning.near_best.BEHIND", 1e4)


@pytest.mark.usefixtures("all_near")
def test_the_mean_of_regressions_fitted_one_by_one(data):
    graphs, y, new = data
    model = nask.TunedNASKRegressor(grid=GRID).fit(graphs, y)
    settings = model.best_estimator_.settings
    assert len(settings) == model.best_params_["averaged"] == 16
    fitted = [nask.NASKRegressor(learner="ridge", **own).fit(graphs, y) for own in settings]
    expected = np.mean([own.predict(new) for own in fitted], axis=0)
    np.testing.assert_allclose(model.predict(new), expected, atol=1e-10)
    assert model.best_score_ == pytest.approx(max(own.functions_.score for own in fitted))
    assert is_regressor(model)
    assert is_regressor(model.best_estimator_)


def test_it_is_saved_and_read(data, tmp_path):
    graphs, y, new = data
    model = nask.TunedNASKRegressor(grid=GRID).fit(graphs, y)
    model.save(tmp_path / "m.nask")
    read = nask.load(tmp_path / "m.nask")
    np.testing.assert_array_equal(read.predict(new), model.predict(new))
    assert read.settings == model.best_estimator_.settings
    assert "AveragedRegressor" in repr(read)
    ridge = nask.NASKRegressor(learner="ridge", gram="rbf").fit(graphs, y)
    ridge.save(tmp_path / "r.nask")
    again = nask.load(tmp_path / "r.nask")
    np.testing.assert_array_equal(again.predict(new), ridge.predict(new))
    assert (again.functions_.alpha, again.functions_.score) == (
        ridge.functions_.alpha,
        ridge.functions_.score,
    )


def test_a_file_without_a_function_for_numbers_is_refused(data, tmp_path):
    import io
    import zipfile

    graphs, y, _ = data
    nask.TunedNASKRegressor(grid={"n_hops": [1], "alpha": [0.1]}).fit(graphs, y).save(
        tmp_path / "m.nask"
    )
    with (
        zipfile.ZipFile(tmp_path / "m.nask") as source,
        zipfile.ZipFile(tmp_path / "n.nask", "w") as target,
    ):
        for name in source.namelist():
            content = source.read(name)
            if name.startswith("group0/constants"):
                stream = io.BytesIO()
                np.save(stream, np.zeros(2))
                content = stream.getvalue()
            target.writestr(name, content)
    with pytest.raises(ModelFileError):
        nask.load(tmp_path / "n.nask")


def test_it_is_explained_exactly(data):
    graphs, y, new = data
    model = nask.TunedNASKRegressor(grid=GRID).fit(graphs, y)
    why = model.explain(new[0])
    assert why.nodes.sum() + why.intercept == pytest.approx(model.predict(new[:1])[0])
    assert why.quantity == "predicted value"
    ridge = nask.NASKRegressor(learner="ridge").fit(graphs, y)
    shares = ridge.explain(new[0])
    assert shares.nodes.sum() + shares.intercept == pytest.approx(ridge.predict(new[:1])[0])


def test_ridge_chooses_alpha_by_the_errors_of_refits(data):
    graphs, y, _ = data
    model = nask.NASKRegressor(learner="ridge", n_hops=1).fit(graphs, y)
    gram = nask.NASK(n_hops=1).fit_transform(graphs)
    unit = gram / (np.mean(np.diag(gram)) - gram.mean())
    errors = {}
    for alpha in (0.003, 0.01, 0.03, 0.1, 0.3, 1.0):
        left_out = []
        for k in range(28):
            rest = np.delete(np.arange(28), k)
            system = np.block(
                [
                    [unit[np.ix_(rest, rest)] + alpha * np.eye(27), np.ones((27, 1))],
                    [np.ones((1, 27)), np.zeros((1, 1))],
                ]
            )
            solution = np.linalg.solve(system, np.append(y[rest], 0.0))
            left_out.append(unit[k, rest] @ solution[:-1] + solution[-1])
        errors[alpha] = mean_squared_error(y, left_out)
    assert model.functions_.alpha == min(errors, key=errors.get)
    assert model.functions_.score == pytest.approx(1 - min(errors.values()) / y.var())


class Matrices:
    """A sweep over given matrices."""

    def __init__(self, grams):
        self.candidates = tuple(Candidate({"k": k}, {}, (1.0,), (0.1,)) for k in range(len(grams)))

    def gram(self, stack, candidate):
        return stack[candidate.parameters["k"]]

    def unit(self, stack, candidate):
        return None


@pytest.mark.parametrize("score", ["r2", "neg_mean_absolute_error", "neg_max_error"])
def test_near_best_settings_by_what_counts(score):
    rng = np.random.default_rng(100)
    x = rng.normal(size=(40, 6))
    y = x[:, 0] + rng.normal(size=40)
    near = [x[:, :2] + 0.3 * rng.normal(size=(40, 2)) for _ in range(3)]
    grams = [own @ own.T for own in (*near, x[:, 1:4], x)]
    test = np.arange(8)
    judge = LeaveOneOut(NumberGoal(y, Score(score)), tests=[test])
    judge.enter(Matrices(grams), np.array(grams))
    choice = judge.choose()
    predicted = np.array([trial.kept[0] for trial in judge.trials])[:, 8:]
    errors = np.abs(predicted - y[8:])
    losses = {"r2": errors**2, "neg_mean_absolute_error": errors}.get(score)
    chosen = [trial.candidate.parameters["k"] for trial in choice.trials]
    if losses is None:
        assert chosen == [int(errors.max(axis=1).argmin())]
        return
    best = int(losses.mean(axis=1).argmin())
    gaps = losses - losses[best]
    expected = gaps.mean(axis=1) <= gaps.std(axis=1) / np.sqrt(32) + 1e-12
    assert chosen == np.flatnonzero(expected).tolist()
    assert 1 < len(chosen) < 5


def test_near_best_by_parts_is_that_by_right_answers():
    rng = np.random.default_rng(100)
    for _ in range(20):
        right = rng.random((30, 50)) < rng.uniform(0.5, 0.9, size=(30, 1))
        np.testing.assert_array_equal(near_best_parts(right.astype(float)), near_best(right))


def test_named_grids_try_graphs_of_all_sizes(data):
    graphs, y, _ = data
    [linear, _] = for_numbers(named_grid("default"))
    assert linear["normalize"] == (True, False)
    assert "C" not in linear
    sweeps = nask.TunedNASKRegressor().sweeps()
    assert len(sweeps) == len(nask.TunedNASKClassifier().sweeps())
    with pytest.raises(ParameterError, match="varies 'C', which ridge regressions"):
        nask.TunedNASKRegressor(grid={"C": [1.0]}).fit(graphs, y)


def test_what_cannot_be_learned_is_told(data):
    graphs, y, _ = data
    with pytest.raises(ParameterError, match="expected 2 training graphs"):
        nask.TunedNASKRegressor(grid=GRID).fit(graphs[:1], y[:1])
    with pytest.raises(ParameterError, match="one number per graph"):
        nask.TunedNASKRegressor(grid=GRID).fit(graphs, ["a"] * 28)
    with pytest.raises(ParameterError, match="'learner' parameter of NASKRegressor"):
        nask.NASKRegressor(learner="rigde").fit(graphs, y)
    with pytest.raises(ParameterError, match="'alpha' parameter of NASKRegressor"):
        nask.NASKRegressor(learner="ridge", alpha=0).fit(graphs, y)


def test_a_large_set_is_searched_on_a_sample(monkeypatch, data):
    monkeypatch.setattr("nask.tuning.screening.LARGEST_UNSCREENED", 20)
    monkeypatch.setattr("nask.tuning.screening.SAMPLE", 15)
    monkeypatch.setattr("nask.tuning.screening.KEPT", 2)
    graphs, y, new = data
    model = nask.TunedNASKRegressor(grid=GRID).fit(graphs, y)
    assert len({repr(own | {"alpha": 0}) for own in model.best_estimator_.settings}) <= 2
    assert np.isfinite(clone(model).fit(graphs, y).predict(new)).all()
