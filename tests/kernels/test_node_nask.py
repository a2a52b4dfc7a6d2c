"""NodeNASK: the forms of its Gram matrix, other graphs, parameters."""

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import nask
from nask.exceptions import InputError, ParameterError, SchemaError
from nask.kernels.forms import gram_of_hops

FORMS = [
    {"gram": gram, "normalize": normalize, "star_norm": star_norm, "hop_weights": weights}
    for gram in ("linear", "rbf")
    for normalize in (True, False)
    for star_norm in (True, False)
    for weights in (None, [0.5, 2.0])
]


def network(n_nodes=20, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(n_nodes, size=(2 * n_nodes, 2))
    edges = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    return nask.AttributedGraph(
        n_nodes,
        edges,
        {"age": rng.random(n_nodes), "region": rng.choice(["a", "b", None], n_nodes).tolist()},
        node_features=rng.random((n_nodes, 8)) < 0.2,
    )


@pytest.mark.parametrize("restart", [None, 0.3])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(map(str, form.values())))
def test_forms_are_those_of_the_hops(form, restart):
    graph = network()
    kernel = nask.NodeNASK(n_hops=2, gram_scale=2.0, restart=restart, **form)
    gram = kernel.fit_transform(graph)
    options = {key: form[key] for key in ("gram", "normalize", "hop_weights")}
    expected = gram_of_hops(kernel.hop_grams(), n_hops=2, gram_scale=2.0, **options)
    np.testing.assert_allclose(gram, expected, rtol=1e-10)
    np.testing.assert_allclose(kernel.fit(graph).transform(graph), gram, rtol=1e-12)
    np.testing.assert_allclose(kernel.transform(graph, [7, 3]), gram[[7, 3]], rtol=1e-10)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10


@pytest.mark.parametrize("restart", [None, 0.3])
@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_another_graph_that_is_a_copy_compares_alike(gram, restart):
    """One node more makes it another graph, and leaves the stars of the others as they are."""
    graph = network()
    ages, regions = graph.node_attributes["age"], graph.node_attributes["region"]
    longer = nask.AttributedGraph(
        21,
        graph.edges,
        {"age": [*ages.data, 0.5], "region": [*regions.values(), None]},
        node_features=np.vstack([graph.node_features.toarray(), np.zeros(8)]),
    )
    kernel = nask.NodeNASK(n_hops=2, gram=gram, restart=restart)
    expected = kernel.fit_transform(graph)
    np.testing.assert_allclose(kernel.transform(longer)[:20], expected, rtol=1e-10)
    np.testing.assert_allclose(kernel.transform(longer, [4, 4]), expected[[4, 4]], rtol=1e-10)


def test_the_sum_over_nodes_is_the_graph_kernel():
    graph = network()
    hops = nask.NodeNASK(n_hops=2).fit(graph).hop_grams()
    whole = nask.NASK(n_hops=2, normalize=False).fit([graph]).hop_grams([graph])
    np.testing.assert_allclose(hops.sum(axis=(1, 2)), whole[:, 0, 0], rtol=1e-10)


def test_graphs_of_other_packages_clones_and_pickles():
    path = nx.path_graph(4)
    nx.set_node_attributes(path, {0: "a", 1: "b"}, "letter")
    before = copy.deepcopy(path)
    kernel = clone(nask.NodeNASK(gamma={"letter": 2.0}))
    gram = kernel.fit_transform(path)
    assert nx.utils.graphs_equal(path, before)
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(again.transform(path), gram)


def test_no_nodes_and_no_edges():
    for kernel in (nask.NodeNASK(), nask.NodeNASK(restart=0.3)):
        assert kernel.fit_transform(nask.AttributedGraph(0)).shape == (0, 0)
        alone = kernel.fit_transform(nask.AttributedGraph(3))
        np.testing.assert_allclose(alone, np.ones((3, 3)))


def test_errors_say_what_to_do():
    graph = network()
    with pytest.raises(NotFittedError):
        nask.NodeNASK().transform(graph)
    with pytest.raises(NotFittedError):
        nask.NodeNASK().hop_grams()
    with pytest.raises(InputError, match="got an object of type list"):
        nask.NodeNASK().fit([graph])
    assert not {"engine", "gram_folder"} & set(nask.NodeNASK().get_params())
    kernel = nask.NodeNASK().fit(graph)
    for nodes in ([20], [-1], [0.5], [[1]]):
        with pytest.raises(ParameterError, match="integers from 0 to 19"):
            kernel.transform(graph, nodes)
    with pytest.raises(SchemaError, match="columns of node_features"):
        kernel.transform(nask.AttributedGraph(2))
    expected = kernel.transform(graph)
    assert np.array_equal(kernel.set_params(gamma=2.0).transform(graph), expected)


def test_float32_on_a_citation_network(benchmark_set):
    """A real network with hubs: stored in float32, and close to float64."""
    graph = benchmark_set("Cora").graph
    some = np.arange(0, graph.n_nodes, 90)
    single = nask.NodeNASK(n_hops=2, dtype="float32", n_jobs=2).fit(graph)
    double = nask.NodeNASK(n_hops=2, n_jobs=2).fit(graph)
    assert single.fitted_.spec.dtype == "float32"
    expected = double.transform(graph, some)
    np.testing.assert_allclose(single.transform(graph, some), expected, rtol=1e-5)
