"""The kernel inside scikit-learn: cloned, piped, searched, pickled, fed with other libraries."""

import pickle

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import nask


def test_clone_keeps_parameters_and_forgets_the_fit(mutag):
    kernel = nask.NASK(gamma={"node_label": 0.5}, n_hops=2).fit(mutag.graphs[:5])
    twin = clone(kernel)
    assert twin.get_params() == kernel.get_params()
    assert not hasattr(twin, "schema_")


def test_pipeline_and_grid_search(mutag):
    pipeline = make_pipeline(nask.NASK(), SVC(kernel="precomputed", C=1000.0))
    search = GridSearchCV(pipeline, {"nask__n_hops": [1, 2], "nask__gamma": [0.1, 1.0]}, cv=3)
    search.fit(mutag.graphs[::2], mutag.y[::2])
    assert search.best_score_ > 0.75
    assert search.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75


@pytest.mark.slow
def test_grid_search_over_the_classifier(mutag):
    model = nask.NASKClassifier(probability=False, n_hops=2)
    search = GridSearchCV(model, {"C": [0.1, 10.0]}, cv=3).fit(list(mutag.graphs), mutag.y)
    assert search.best_params_ == {"C": 10.0}
    in_processes = GridSearchCV(model, {"C": [0.1, 10.0]}, cv=3, n_jobs=2)
    in_processes.fit(list(mutag.graphs), mutag.y)
    scores = [s.cv_results_["mean_test_score"] for s in (search, in_processes)]
    np.testing.assert_array_equal(*scores)
    assert cross_val_score(model, mutag.graphs, mutag.y, cv=3).mean() > 0.75


@pytest.mark.parametrize("engine", ["reference", "pairwise", "explicit"])
def test_pickle(mutag, engine):
    kernel = nask.NASK(expansion="ball", engine=engine, n_hops=2).fit(mutag.graphs[:6])
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin is not kernel
    new = mutag.graphs[6:9]
    np.testing.assert_array_equal(twin.transform(new), kernel.transform(new))


def test_networkx_graphs_are_taken_as_they_are(mutag):
    graphs = [nask.io.to_networkx(graph) for graph in mutag.graphs[:4]]
    assert all(isinstance(graph, nx.Graph) for graph in graphs)
    own = [nask.io.from_networkx(graph) for graph in graphs]
    np.testing.assert_array_equal(nask.NASK().fit_transform(graphs), nask.NASK().fit_transform(own))


def test_pyg_data_are_taken_as_they_are(mutag):
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")

    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = [data.Data(x=torch.rand(3, 2), edge_index=edges) for _ in range(3)]
    K = nask.NASK().fit_transform(data)
    np.testing.assert_array_equal(K, nask.NASK().fit_transform([nask.io.from_pyg(d) for d in data]))


def test_training_on_an_object_array_of_graphs(mutag):
    array = np.empty(4, dtype=object)
    array[:] = mutag.graphs[:4]
    np.testing.assert_array_equal(
        nask.NASK().fit_transform(array), nask.NASK().fit_transform(mutag.graphs[:4])
    )
