"""Models of streams: exact, in any cut, in constant memory; saved and read; bad input refused."""

import io
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier

import nask
from nask.estimators import stream_base
from nask.exceptions import (
    ModelFileError,
    ParameterError,
    SchemaError,
    UnseenAttributeWarning,
)

OPTIONS = {"n_components": 128, "n_hops": 2}


@pytest.fixture(scope="module")
def train(mutag):
    return mutag.graphs[::2], np.array(["no", "yes"])[(np.asarray(mutag.y)[::2] > 0).astype(int)]


@pytest.fixture(scope="module")
def maps(train):
    return {
        "features": nask.NASKFeatures(**OPTIONS).fit(train[0]),
        "nystroem": nask.NASKNystroem(n_components=24, n_hops=2).fit(train[0]),
        "rbf": nask.NASKNystroem(n_components=24, n_hops=1, gram="rbf").fit(train[0]),
    }


@pytest.fixture(scope="module")
def three(cuneiform):
    chosen = [k for k, y in enumerate(cuneiform.y) if y < 3]
    return [cuneiform.graphs[k] for k in chosen], np.asarray(cuneiform.y)[chosen]


@pytest.mark.parametrize("kind", ["features", "nystroem"])
def test_decisions_are_those_of_a_ridge_classifier(train, maps, kind):
    graphs, y = train
    rows = maps[kind].transform(graphs).astype(float)
    model = nask.NASKStreamClassifier(features=maps[kind], alpha=0.1).fit(iter(graphs), y)
    square = ((rows - rows.mean(axis=0)) ** 2).sum() / len(rows)
    oracle = RidgeClassifier(alpha=0.1 * square, solver="cholesky").fit(rows, y)
    decisions = oracle.decision_function(rows)
    np.testing.assert_allclose(model.decision_function(graphs), decisions, atol=2e-4)
    assert (model.predict(graphs) == oracle.predict(rows)).mean() > 0.98
    assert model.score(graphs, y) > 0.8


@pytest.mark.parametrize("weighted", [False, True])
def test_any_cut_into_batches_learns_the_same(train, maps, weighted):
    graphs, y = train
    rng = np.random.default_rng(100)
    weights = rng.integers(0, 3, len(y)).astype(float) if weighted else None
    whole = nask.NASKStreamClassifier(features=maps["features"]).fit(graphs, y, weights)
    streamed = clone(whole).set_params(features=maps["features"], batch_size=7)
    streamed.fit(iter(graphs), y, weights)
    parts = nask.NASKStreamClassifier(features=maps["features"], n_jobs=2)
    for start, stop in ((0, 1), (1, 40), (40, 41), (41, len(y))):
        some = slice(start, stop)
        own = None if weights is None else np.maximum(weights[some], 0)
        if own is not None and not own.any():
            own = np.full(len(own), 1e-12)
        parts.partial_fit(graphs[some], y[some], ["yes", "no"], own)
    for other in (streamed, parts):
        assert (other.alpha_, other.n_graphs_) == (whole.alpha_, len(y))
        ours, theirs = other.decision_function(graphs), whole.decision_function(graphs)
        np.testing.assert_allclose(ours, theirs, atol=1e-6 if weighted else 1e-8)
        np.testing.assert_allclose(
            other.predict_proba(graphs), whole.predict_proba(graphs), atol=1e-5
        )


def test_functions_follow_new_graphs(train, maps):
    graphs, y = train
    model = nask.NASKStreamClassifier(features=maps["features"]).partial_fit(graphs[:40], y[:40])
    before = model.decision_function(graphs)
    model.partial_fit(graphs[40:], y[40:])
    whole = nask.NASKStreamClassifier(features=maps["features"]).fit(graphs, y)
    assert np.abs(before - whole.decision_function(graphs)).max() > 1e-3
    np.testing.assert_allclose(
        model.decision_function(graphs), whole.decision_function(graphs), atol=1e-8
    )


def test_several_classes_with_probabilities(three):
    graphs, y = three
    model = nask.NASKStreamClassifier(features=nask.NASKFeatures(**OPTIONS)).fit(graphs, y)
    assert model.decision_function(graphs).shape == (len(y), 3)
    probabilities = model.predict_proba(iter(graphs))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(graphs)).all()
    assert model.score(graphs, y) > 0.9
    # A class that is known and has not come.
    some = y < 2
    part = nask.NASKStreamClassifier(features=model.features_)
    part.partial_fit([g for g, own in zip(graphs, some, strict=True) if own], y[some], [2, 1, 0])
    assert set(part.predict(graphs)) <= {0, 1}
    with pytest.raises(ParameterError, match="no probabilities"):
        part.predict_proba(graphs)


def test_probabilities_are_calibrated_on_rows_that_were_held_out(train, monkeypatch):
    """Targets of chance have probabilities near a half, though training is fitted well."""
    monkeypatch.setattr(stream_base, "SAMPLE", 60)
    graphs, _ = train
    y = np.random.default_rng(101).integers(0, 2, len(graphs))
    features = nask.NASKFeatures(n_components=1024)
    model = nask.NASKStreamClassifier(features=features, alpha=1e-4).fit(graphs, y)
    assert model.score(graphs, y) > 0.75
    assert len(model._sums.sample.keys) == 60
    assert np.median(model.predict_proba(graphs).max(axis=1)) < 0.7


def test_numbers(train):
    graphs, _ = train
    y = np.array([graph.n_nodes for graph in graphs], dtype=float)
    features = nask.NASKFeatures(normalize=False, **OPTIONS)
    model = nask.NASKStreamRegressor(features=features).fit(iter(graphs), y)
    assert model.score(graphs, y) > 0.98
    assert min(model.errors_, key=model.errors_.get) == model.alpha_
    parts = nask.NASKStreamRegressor(features=model.features_)
    parts.partial_fit(graphs[:30], y[:30]).partial_fit(graphs[30:], y[30:])
    np.testing.assert_allclose(parts.predict(iter(graphs)), model.predict(graphs), atol=1e-6)


def test_bad_input_is_refused_and_changes_nothing(train, maps):
    graphs, y = train
    new = nask.NASKStreamClassifier(features=maps["features"], batch_size=10)
    for values in (y[:-1], y[:12], np.append(y, "no")):
        for given in (graphs, iter(graphs)):
            with pytest.raises(ParameterError, match=f"{len(values)} values of y"):
                new.fit(given, values)
    with pytest.raises(ParameterError, match=r"no value for 1 of \d+ graphs .*: graph 3"):
        new.fit(graphs, [None if k == 3 else own for k, own in enumerate(y)])
    with pytest.raises(ParameterError, match="y is None"):
        new.partial_fit(graphs, None)
    with pytest.raises(ParameterError, match=r"one class: 'no'. Give all classes that will come"):
        new.partial_fit(graphs[:2], ["no", "no"])
    for classes in ({"no", "yes"}, "yes"):
        with pytest.raises(ParameterError, match="'classes' parameter of partial_fit must be None"):
            new.partial_fit(graphs[:2], y[:2], classes=classes)
    with pytest.raises(ParameterError, match="finite"):
        nask.NASKStreamRegressor(features=maps["features"]).fit(graphs[:2], [1.0, np.inf])
    assert not hasattr(new, "n_graphs_")
    model = new.partial_fit(graphs[:50], y[:50])
    before = model.decision_function(graphs)
    with pytest.raises(ParameterError, match=r"class 'maybe', which is none of 'no', 'yes'"):
        model.partial_fit(graphs[:2], ["yes", "maybe"])
    with pytest.raises(ParameterError, match="those of the first call were 'no', 'yes'"):
        model.partial_fit(graphs[:2], y[:2], classes=["no", "yes", "maybe"])
    other = nask.AttributedGraph(2, [(0, 1)], {"node_label": [0.5, 1.5]})
    with pytest.raises(SchemaError, match="numerical in graph 1,"):
        model.partial_fit([graphs[0], other], ["yes", "no"])
    assert model.n_graphs_ == 50
    np.testing.assert_array_equal(model.decision_function(graphs), before)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"features": "NASK"}, "a NASKFeatures or a NASKNystroem"),
        ({"features": nask.NASKFeatures(level="node")}, "'graph'"),
        ({"alpha": 0.0}, "alpha"),
        ({"batch_size": 0}, "batch_size"),
        ({"random_state": -1}, "random_state"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"verbose": "yes"}, "verbose"),
    ],
)
def test_parameters_out_of_range(train, parameters, message):
    with pytest.raises(ParameterError, match=message):
        nask.NASKStreamClassifier(**parameters).fit(*train)


def test_an_attribute_that_comes_later_is_told_once(train, maps):
    graphs, y = train
    given = [
        nask.AttributedGraph(g.n_nodes, g.edges, {**g.node_attributes, "new": np.ones(g.n_nodes)})
        for g in graphs[:30]
    ]
    model = nask.NASKStreamClassifier(features=maps["features"], batch_size=5)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(iter(given), y[:30])
    assert [own.category for own in told] == [UnseenAttributeWarning]
    assert "'new' of graph 0" in str(told[0].message)


@pytest.mark.parametrize("given", [list, iter])
def test_graphs_that_share_no_attribute_with_those_of_training(train, maps, given):
    model = nask.NASKStreamClassifier(features=maps["features"]).fit(*train)
    others = [nask.AttributedGraph(2, [(0, 1)], {"colour": ["red", "blue"]})] * 3
    with pytest.raises(SchemaError, match="none of the attributes that the training graphs had"):
        model.predict(given(others))


@pytest.mark.parametrize("kind", ["features", "nystroem", "rbf"])
def test_a_file_has_the_same_decisions(train, maps, kind, tmp_path):
    graphs, y = train
    model = nask.NASKStreamClassifier(features=maps[kind]).fit(graphs, y)
    model.target_name_ = "toxic"
    model.save(tmp_path / "model.nask")
    same = nask.load(tmp_path / "model.nask")
    np.testing.assert_array_equal(same.decision_function(graphs), model.decision_function(graphs))
    np.testing.assert_array_equal(same.predict_proba(graphs), model.predict_proba(graphs))
    assert (same.alpha_, same.n_graphs_, same.target_name_) == (model.alpha_, len(y), "toxic")
    with pytest.raises(ModelFileError, match="holds no sums"):
        same.partial_fit(graphs, y)
    numbers = nask.NASKStreamRegressor(features=maps[kind]).fit(graphs, np.arange(len(y)))
    numbers.save(tmp_path / "numbers.nask")
    read = nask.load(tmp_path / "numbers.nask").predict(graphs)
    np.testing.assert_array_equal(read, numbers.predict(graphs))


def test_a_file_keeps_unseen_categories_and_edges(three, tmp_path):
    graphs, y = three
    model = nask.NASKStreamClassifier(features=nask.NASKFeatures(**OPTIONS)).fit(graphs, y)
    model.save(tmp_path / "model.nask")
    new = [
        nask.AttributedGraph(3, [(0, 1)], {name: ["?", "!", None]}, {})
        for name, own in graphs[0].node_attributes.items()
        if own.kind == "categorical"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = nask.load(tmp_path / "model.nask").decision_function(new)
        np.testing.assert_array_equal(rows, model.decision_function(new))


def damaged(path, name, change):
    """The file with one array changed."""
    with zipfile.ZipFile(path) as archive:
        content = {member: archive.read(member) for member in archive.namelist()}
    array = np.load(io.BytesIO(content[f"{name}.npy"]))
    buffer = io.BytesIO()
    np.save(buffer, change(array.copy()))
    content[f"{name}.npy"] = buffer.getvalue()
    target = path.with_name("damaged.nask")
    with zipfile.ZipFile(target, "w") as archive:
        for member, own in content.items():
            archive.writestr(member, own)
    return target


def put(value):
    def change(array):
        array.reshape(-1)[-1:] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("map/nodes/category_column", put(10**9)),
        ("map/nodes/constant_column", lambda own: own - 10**6),
        ("map/nodes/category_ptr", put(3)),
        ("map/rotations/core", put(np.nan)),
        ("map/rotations/wave", lambda own: own[:, :8]),
        ("map/node_directions", put(np.inf)),
        ("map/nodes/constant", put(1e308)),
        ("map/nodes/category_value", put(1e30)),
        ("map/rotations/scalar_waves", put(1e30)),
        ("map/node_signs", lambda own: own.astype(np.float32)),
        ("machine/coefficients", lambda own: own[:, :-1]),
    ],
)
def test_a_damaged_file_is_refused(train, maps, tmp_path, name, change):
    model = nask.NASKStreamClassifier(features=maps["features"]).fit(*train)
    model.save(tmp_path / "model.nask")
    with pytest.raises(ModelFileError, match="not a readable nask model"):
        nask.load(damaged(tmp_path / "model.nask", name, change))


@pytest.mark.parametrize("value", [1e308, 1e31, np.nan])
def test_landmarks_whose_rows_would_not_stay_finite_are_refused(train, maps, tmp_path, value):
    nask.NASKStreamClassifier(features=maps["nystroem"]).fit(*train).save(tmp_path / "model.nask")
    with pytest.raises(ModelFileError, match="whitening has numbers that are missing or too large"):
        nask.load(damaged(tmp_path / "model.nask", "map/whitening", put(value)))


def test_a_batch_may_be_larger_than_any_list(train, maps):
    graphs, y = train
    model = nask.NASKStreamClassifier(features=maps["nystroem"], batch_size=10**30)
    assert len(model.fit(graphs, y).predict(graphs[:3])) == 3


@pytest.mark.slow
def test_memory_does_not_grow_with_the_stream():
    """50,000 tiny graphs: as much beyond the sums as 10,000."""
    rng = np.random.default_rng(100)

    def endless(n):
        for _ in range(n):
            yield nask.AttributedGraph.from_valid(
                3, np.array([[0, 1], [1, 2]]), {"x": nask.graph.attribute.Attribute(
                    "numerical", rng.random(3))}, {},
            )  # fmt: skip

    features = nask.NASKFeatures(n_components=64, n_hops=1)
    model = nask.NASKStreamRegressor(features=features, batch_size=1000)
    model.fit(endless(1000), np.arange(1000.0))
    peaks = []
    for n in (10_000, 50_000):
        y = np.arange(float(n))
        tracemalloc.start()
        model.fit(endless(n), y)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Beside what y takes.
    assert peaks[1] - peaks[0] < 2_000_000 + 3 * 8 * 40_000
