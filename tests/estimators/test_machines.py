"""Classifier and regressor against scikit-learn's own machines on the whole Gram matrix."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC, SVR

import nask
from nask.exceptions import ParameterError


def centred(train_gram, new_gram):
    """Centred by scikit-learn, scaled to unit mean diagonal."""
    centerer = KernelCenterer()
    square = centerer.fit_transform(train_gram.copy())
    scale = np.trace(square) / len(square)
    return square / scale, centerer.transform(new_gram.copy()) / scale


@pytest.fixture(scope="module")
def letters(request):
    """Three and two classes of Cuneiform signs, split in halves."""
    dataset = nask.load_dataset("Cuneiform")

    def split(n_classes):
        keep = np.flatnonzero(dataset.y < n_classes)
        keep = keep[np.argsort(dataset.y[keep], kind="stable")]
        graphs, y = [dataset.graphs[i] for i in keep], dataset.y[keep]
        return graphs[::2], y[::2], graphs[1::2], y[1::2]

    return split


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_decisions_are_those_of_svc_on_the_centred_gram(letters, n_classes, gram):
    graphs, y, new, _ = letters(n_classes)
    model = nask.NASKClassifier(C=1.0, n_hops=2, gram=gram, probability=False).fit(graphs, y)
    kernel = nask.NASK(n_hops=2, gram=gram)
    square, rectangle = centred(kernel.fit_transform(graphs), kernel.transform(new))
    svc = SVC(kernel="precomputed", C=1.0, break_ties=n_classes > 2).fit(square, y)
    np.testing.assert_allclose(
        model.decision_function(new), svc.decision_function(rectangle), rtol=1e-6, atol=1e-8
    )
    np.testing.assert_array_equal(model.predict(new), svc.predict(rectangle))
    np.testing.assert_array_equal(model.support_, svc.support_)
    assert model.kernel_.n_graphs_ == len(svc.support_)


@pytest.mark.parametrize("labels", [(-1, 1), (1, 2), (0, 1), ("no", "yes")])
def test_class_weight_reaches_the_machine_whatever_the_labels(mutag, labels):
    y = np.where(mutag.y == -1, *labels)
    plain = nask.NASKClassifier(C=0.1).fit(mutag.graphs, y)
    weighted = nask.NASKClassifier(C=0.1, class_weight={labels[0]: 100.0}).fit(mutag.graphs, y)
    count = [(model.predict(mutag.graphs) == labels[0]).sum() for model in (plain, weighted)]
    assert count[1] > count[0]
    numbered = nask.NASKClassifier(C=0.1, class_weight={0: 100.0})
    numbered.fit(mutag.graphs, (mutag.y == 1).astype(int))
    np.testing.assert_allclose(
        weighted.predict_proba(mutag.graphs[:5]), numbered.predict_proba(mutag.graphs[:5])
    )


@pytest.mark.parametrize("weight", ["balance", {1: -1.0}, 5])
def test_bad_class_weights(mutag, weight):
    with pytest.raises(ParameterError, match="'class_weight' parameter of NASKClassifier"):
        nask.NASKClassifier(class_weight=weight).fit(mutag.graphs[:9], mutag.y[:9])


def test_class_weight_of_an_unknown_class(mutag):
    with pytest.raises(ParameterError, match=r"names the class 7, but .* classes -1, 1\."):
        nask.NASKClassifier(class_weight={7: 1.0}).fit(mutag.graphs[:9], mutag.y[:9])


def test_probabilities_are_calibrated(mutag):
    model = nask.NASKClassifier().fit(mutag.graphs[::2], mutag.y[::2])
    new, truth = mutag.graphs[1::2], mutag.y[1::2] == 1
    probability = model.predict_proba(new)
    assert probability.shape == (len(new), 2)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    share = (mutag.y[::2] == 1).mean()
    constant = brier_score_loss(truth, np.full(len(truth), share))
    assert brier_score_loss(truth, probability[:, 1]) < 0.8 * constant
    # One monotone curve: the order of graphs is that of their decision values.
    order = np.argsort(model.decision_function(new))
    assert (np.diff(probability[order, 1]) >= 0).all()


def test_probabilities_of_many_classes(letters):
    graphs, y, new, truth = letters(5)
    model = nask.NASKClassifier(n_hops=2).fit(graphs, y)
    probability = model.predict_proba(new)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert log_loss(truth, probability, labels=model.classes_) < 0.7 * np.log(5)


def test_no_probabilities_where_there_is_nothing_to_calibrate_on(mutag):
    lone = [0, *np.flatnonzero(mutag.y == -1)[:5]]
    one_of_a_class = nask.NASKClassifier().fit([mutag.graphs[i] for i in lone], mutag.y[lone])
    with pytest.raises(ParameterError, match="has no probabilities"):
        one_of_a_class.predict_proba(mutag.graphs[:2])
    assert set(one_of_a_class.predict(mutag.graphs)) <= {-1, 1}
    off = nask.NASKClassifier(probability=False).fit(mutag.graphs, mutag.y)
    with pytest.raises(ParameterError, match="probability=False"):
        off.predict_proba(mutag.graphs[:2])


def test_text_classes(mutag):
    names = np.where(mutag.y == 1, "mutagen", "harmless")
    model = nask.NASKClassifier(n_hops=1).fit(mutag.graphs, names.astype(object))
    assert set(model.predict(mutag.graphs)) == {"mutagen", "harmless"}
    assert model.score(mutag.graphs, names) > 0.8


def test_regression_is_that_of_svr(mutag):
    y = np.array([graph.n_edges for graph in mutag.graphs], dtype=float)
    train, new = mutag.graphs[::2], mutag.graphs[1::2]
    model = nask.NASKRegressor(C=1.0, epsilon=0.05, normalize=False, n_hops=2).fit(train, y[::2])
    kernel = nask.NASK(normalize=False, n_hops=2)
    square, rectangle = centred(kernel.fit_transform(train), kernel.transform(new))
    mean, std = y[::2].mean(), y[::2].std()
    svr = SVR(kernel="precomputed", C=1.0, epsilon=0.05).fit(square, (y[::2] - mean) / std)
    np.testing.assert_allclose(model.predict(new), svr.predict(rectangle) * std + mean, rtol=1e-6)
    assert model.score(new, y[1::2]) > 0.9


@pytest.mark.parametrize(
    ("engine", "expansion"),
    [("reference", "nested"), ("pairwise", "nested"), ("distinct", "nested"), ("explicit", "ball")],
)
def test_a_constant_target_needs_no_support(mutag, engine, expansion):
    """New graphs are compared with none."""
    model = nask.NASKRegressor(engine=engine, expansion=expansion)
    model.fit(mutag.graphs[:10], np.full(10, 7.0))
    assert len(model.support_) == 0
    np.testing.assert_allclose(model.predict(mutag.graphs[10:13]), 7.0)


def test_graphs_that_are_all_alike_are_no_error(mutag):
    same = [mutag.graphs[0]] * 6
    model = nask.NASKClassifier().fit(same, [0, 0, 0, 0, 1, 1])
    assert model.predict(same).tolist() == [0] * 6
    assert np.isfinite(model.predict_proba(same)).all()


@pytest.mark.parametrize("cls", [nask.NASKClassifier, nask.NASKRegressor])
def test_bad_targets(cls, mutag):
    graphs = mutag.graphs[:4]
    with pytest.raises(ParameterError, match="Got 4 graphs but 3 values of y"):
        cls().fit(graphs, [0, 1, 0])
    with pytest.raises(ParameterError, match="requires y to be passed"):
        cls().fit(graphs, None)
    with pytest.raises(NotFittedError):
        cls().predict(graphs)
    with pytest.raises(ParameterError, match="'C' parameter"):
        cls(C=0).fit(graphs, [0, 1, 0, 1])


def test_one_class_is_not_enough(mutag):
    with pytest.raises(ParameterError, match="at least two classes"):
        nask.NASKClassifier().fit(mutag.graphs[:3], [1, 1, 1])


def test_targets_of_the_wrong_kind_say_which_estimator_to_use(mutag):
    with pytest.raises(ParameterError, match="use NASKRegressor"):
        nask.NASKClassifier().fit(mutag.graphs[:3], [0.5, 1.25, 2.75])
    with pytest.raises(ParameterError, match="use NASKClassifier"):
        nask.NASKRegressor().fit(mutag.graphs[:3], ["a", "b", "c"])


def test_targets_must_be_finite(mutag):
    with pytest.raises(ParameterError, match="The value inf of graph 2 is no class"):
        nask.NASKClassifier().fit(mutag.graphs[:3], [1.0, 0.0, np.inf])
    with pytest.raises(ParameterError, match="target of graph 2 is inf"):
        nask.NASKRegressor().fit(mutag.graphs[:3], [1.0, 0.0, np.inf])


@pytest.mark.parametrize(
    "cls", [nask.NASKRegressor, nask.NASKGaussianProcessRegressor, nask.NASKStreamRegressor]
)
def test_numbers_whose_squares_overflow_are_refused(mutag, cls):
    """Of those up to the limit, predictions are finite."""
    model = cls()
    with pytest.raises(ParameterError, match=r"graph 2 is -1e\+300: expected a finite number of"):
        model.fit(mutag.graphs[:9], [0.0, 1.0, -1e300] * 3)
    predicted = model.fit(mutag.graphs[:9], [0.0, 1e100, -1e100] * 3).predict(mutag.graphs[:20])
    assert np.isfinite(predicted).all()
    with pytest.raises(ParameterError, match="'epsilon' parameter"):
        nask.NASKRegressor(epsilon=-1).fit(mutag.graphs[:3], [1.0, 0.0, 2.0])


@pytest.mark.parametrize("cls", [nask.NASKClassifier, nask.NASKRegressor, nask.TunedNASKClassifier])
@pytest.mark.parametrize(
    ("y", "graphs"),
    [
        (["a", None, "b", None], "2 of 4 graphs (None or NaN): graphs 1, 3"),
        (["a", float("nan"), "b", "a"], "1 of 4 graphs (None or NaN): graph 1"),
        ([1.0, np.nan, 2.0, 1.0], "1 of 4 graphs (None or NaN): graph 1"),
        (np.array([None, 1, 2, 1], dtype=object), "1 of 4 graphs (None or NaN): graph 0"),
        (pd.Series([1, None, 2, 1], dtype="Int64"), "1 of 4 graphs (None or NaN): graph 1"),
    ],
)
def test_graphs_without_a_target_are_named(mutag, cls, y, graphs):
    with pytest.raises(ParameterError, match=re.escape(f"y has no value for {graphs}. Leave ")):
        cls().fit(mutag.graphs[:4], y)


def test_text_beside_numbers_is_no_target(mutag):
    with pytest.raises(ParameterError, match="text and other values: 'a' for graph 1, 1 for graph"):
        nask.NASKClassifier().fit(mutag.graphs[:3], [1, "a", 2])


def test_several_columns_are_no_target(mutag):
    for y in ([[1, 2], [3, 4]], [[1], [2, 3]]):
        with pytest.raises(ParameterError, match="Give one value per graph"):
            nask.NASKClassifier().fit(mutag.graphs[:2], y)


def test_names_given_as_objects_are_classes_as_text_is(mutag):
    y = pd.Series(["b", "a"] * 5, dtype=object)
    model = nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:10], y)
    assert model.classes_.tolist() == ["a", "b"]
