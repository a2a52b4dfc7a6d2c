"""Kernels and features as tables: names of columns, pandas and polars."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import nask

TRANSFORMERS = {
    "nask": nask.NASK(n_hops=1),
    "naskfeatures": nask.NASKFeatures(n_hops=1, n_components=64),
}


@pytest.fixture(scope="module")
def few(mutag):
    return mutag.graphs[:24], mutag.y[:24]


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_tables_have_the_numbers_and_names_of_columns(few, name, package):
    module = pytest.importorskip(package)
    graphs, _ = few
    plain = sklearn.clone(TRANSFORMERS[name])
    numbers, new = plain.fit_transform(graphs[:20]), plain.transform(graphs[20:])
    model = sklearn.clone(plain).set_output(transform=package)
    for table, expected in (
        (model.fit_transform(graphs[:20]), numbers),
        (model.transform(graphs[20:]), new),
    ):
        assert isinstance(table, module.DataFrame)
        np.testing.assert_array_equal(np.asarray(table), expected)
        assert list(table.columns) == [f"{name}{k}" for k in range(numbers.shape[1])]
    assert list(model.get_feature_names_out()) == list(table.columns)


def test_everything_works_where_all_transformers_make_tables(few):
    pytest.importorskip("pandas")
    graphs, y = few
    network = nask.lab.make_social_network(60, random_state=100)
    models = {
        "classifier": nask.NASKClassifier(n_hops=1),
        "regressor": nask.NASKRegressor(n_hops=1),
        "pipeline": make_pipeline(nask.NASK(n_hops=1), SVC(kernel="precomputed")),
    }
    nodes = nask.NASKNodeClassifier(method="features", n_components=64, n_hops=1)
    features = make_pipeline(nask.NASKFeatures(n_hops=1, n_components=64), LogisticRegression())
    expected = {name: model.fit(graphs, y).predict(graphs) for name, model in models.items()}
    of_nodes = nodes.fit(network.graph, network.y, network.train).predict(network.graph)
    why = nask.explain_features(features.fit(graphs, y), graphs[0])
    with sklearn.config_context(transform_output="pandas"):
        for name, model in models.items():
            found = model.fit(graphs, y).predict(graphs)
            assert isinstance(found, np.ndarray)
            np.testing.assert_array_equal(found, expected[name])
        found = nodes.fit(network.graph, network.y, network.train).predict(network.graph)
        np.testing.assert_array_equal(found, of_nodes)
        again = nask.explain_features(features.fit(graphs, y), graphs[0])
    np.testing.assert_allclose(again.nodes, why.nodes)
