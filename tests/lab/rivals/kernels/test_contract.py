"""What every rival kernel keeps to, whichever it is."""

import importlib
import pickle
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import nask
from nask.exceptions import ParameterError, UnseenAttributeWarning
from nask.lab.rivals.catalogue import GRAPH_RIVALS
from nask.lab.rivals.kernels import base
from nask.learning.ridge import KernelRidge

pytest.importorskip("grakel")
pytest.importorskip("ot")

# Whether the Gram matrix of any graphs is positive semidefinite, by the kernel's definition.
PROMISES = {
    "wl": True,
    "pk": True,
    "gh": True,
    "ml": True,
    "hgk-wl": True,
    "swwl": True,
    "retgk": True,
    "attributes-only": True,
    "wwl": False,
    "rwk": False,
}
PLACES = {
    name: place.split(":")
    for name, place in GRAPH_RIVALS.items()
    if place.startswith("nask.lab.rivals.kernels.")
}
KERNELS = [name for name, (module, _) in PLACES.items() if find_spec(module)]


def model(name):
    """The classifier, on the first setting of its grid."""
    module, cls = PLACES[name]
    kind = getattr(importlib.import_module(module), cls)
    grids = [kind.default_grid] if hasattr(kind.default_grid, "keys") else kind.default_grid
    return kind(grid={key: list(values)[:1] for key, values in grids[0].items()}, inner=3)


def kernel(name):
    return model(name).kernel_type()


def shuffled(graph, rng):
    order = rng.permutation(graph.n_nodes)
    columns = {key: [a.values()[v] for v in order] for key, a in graph.node_attributes.items()}
    kinds = {key for key, a in graph.node_attributes.items() if a.kind == "categorical"}
    place = np.argsort(order)
    return nask.AttributedGraph(graph.n_nodes, place[graph.edges], columns, categorical=kinds)


@pytest.fixture(scope="module")
def sets(mutag, cuneiform):
    """Labels only, mixed attributes, many numbers, one number; a few graphs of each."""
    return {
        "MUTAG": mutag.graphs[:12],
        "Cuneiform": cuneiform.graphs[:8],
        "Synthie": nask.lab.make_synthie(6, random_state=1).graphs[:4],
        "SYNTHETICnew": nask.lab.make_synthetic_new(4, n_nodes=20, n_edges=30).graphs,
    }


@pytest.fixture
def odd_graphs():
    """Nothing at all, one node, no edge, lonely nodes, missing values, attributes absent."""
    return [
        nask.AttributedGraph(4, [(0, 1), (1, 2)], {"c": ["a", None, "b", "a"], "x": [1, 2, 3, 4]}),
        nask.AttributedGraph(3, [(0, 1)], {"c": ["a", "b", None], "x": [None, 2, 5]}),
        nask.AttributedGraph(0),
        nask.AttributedGraph(1, [], {"c": ["b"]}),
        nask.AttributedGraph(3, [], {"x": [0.5, None, 2]}),
        nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)], {"c": ["b"] * 3, "x": [2, 2, 1]}),
    ]


def test_every_kernel_is_here():
    folder = Path(base.__file__).parent
    written = [file for file in folder.glob("*.py") if "(KernelClassifier):" in file.read_text()]
    assert len(KERNELS) == len(written) >= 4
    assert set(PROMISES) == set(PLACES)


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_models_learn_copy_and_keep_their_word_in_a_pickle(name, mutag):
    train, new = mutag.graphs[:30], mutag.graphs[30:40]
    before = pickle.dumps(train)
    first = model(name).fit(train, mutag.y[:30])
    assert pickle.dumps(train) == before
    assert first.score(train, mutag.y[:30]) > 0.8  # the largest class has 0.73
    decisions = first.decision_function(new)
    assert set(first.predict(new)) <= set(mutag.y)
    again = clone(first).set_params(n_jobs=2).fit(train, mutag.y[:30])
    np.testing.assert_allclose(again.decision_function(new), decisions, atol=1e-9)
    kept = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(kept.decision_function(new), decisions)
    np.testing.assert_array_equal(first.decision_function(new), decisions)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dataset", ["MUTAG", "Cuneiform", "Synthie", "SYNTHETICnew"])
def test_gram_is_symmetric_positive_and_what_transform_gives(name, dataset, sets):
    graphs = sets[dataset]
    gram = kernel(name).fit_transform(graphs)
    np.testing.assert_array_equal(gram, gram.T)
    assert np.ptp(gram) > 1e-6
    np.testing.assert_allclose(kernel(name).fit(graphs).transform(graphs), gram, atol=1e-9)
    if PROMISES[name]:
        values = np.linalg.eigvalsh(gram)
        assert values[0] >= -1e-8 * values[-1]


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_odd_graphs_and_unseen_values_give_numbers(name, odd_graphs):
    fitted = kernel(name).fit(odd_graphs)
    assert np.isfinite(fitted.finish(fitted.compare())).all()
    size = len(pickle.dumps(fitted))
    new = [
        nask.AttributedGraph(3, [(0, 1)], {"c": ["z", "a", None], "x": [1e9, None, 2]}),
        nask.AttributedGraph(0),
        nask.AttributedGraph(2, [(0, 1)]),
    ]
    found = fitted.transform(new)
    assert len(pickle.dumps(fitted)) == size
    assert found.shape == (3, len(odd_graphs))
    assert np.isfinite(found).all()
    with pytest.warns(UnseenAttributeWarning):
        fitted.transform([nask.AttributedGraph(1, [], {"c": ["a"], "x": [1], "unheard": [1.0]})])


@pytest.mark.parametrize("name", KERNELS)
def test_sets_without_attributes_and_empty_sets_of_nodes_work(name):
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)])
    gram = kernel(name).fit_transform([path, triangle, path])
    assert gram[0, 1] != gram[0, 0] == pytest.approx(gram[0, 2])
    nothing = nask.AttributedGraph(0)
    assert np.isfinite(kernel(name).fit_transform([nothing, nothing])).all()


@pytest.mark.parametrize("name", KERNELS)
def test_the_order_of_nodes_makes_no_difference(name, odd_graphs, cuneiform):
    rng = np.random.default_rng(0)
    for graphs in (odd_graphs, cuneiform.graphs[:2]):
        others = [shuffled(graph, rng) for graph in graphs]
        gram = kernel(name).fit_transform(graphs)
        np.testing.assert_allclose(kernel(name).fit_transform(others), gram, atol=1e-7)


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_a_new_graph_compares_the_same_whatever_it_comes_with(name, bare, mutag):
    edges = [graph.edges for graph in mutag.graphs[:9]]
    sizes = [graph.n_nodes for graph in mutag.graphs[:9]]
    graphs = [nask.AttributedGraph(n, e) for n, e in zip(sizes, edges, strict=True)]
    graphs = graphs if bare else list(mutag.graphs[:9])
    # Training graphs with degrees 1 and 3 alone, so that 2 is new and lies between.
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    train = [star, star, nask.AttributedGraph(2, [(0, 1)])] if bare else graphs[:3]
    fitted = kernel(name).fit(train)
    together = fitted.transform(graphs[3:])
    for row, graph in zip(together, graphs[3:], strict=True):
        np.testing.assert_allclose(fitted.transform([graph])[0], row, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("name", KERNELS)
def test_parameters_outside_their_range_are_named(name):
    own = kernel(name)
    wrong = {**{key: least - 1 for key, least in own.least}, **dict.fromkeys(own.positive, -1.0)}
    assert wrong or name == "gh"
    for key, value in wrong.items():
        with pytest.raises(ParameterError, match=f"The '{key}' parameter of {type(own).__name__}"):
            clone(own).set_params(**{key: value}).fit([nask.AttributedGraph(2, [(0, 1)])] * 2)
    kind = type(model(name))
    with pytest.raises(ParameterError, match="The 'C' parameter"):
        kind(grid={"C": [-1.0]}).sweeps()


@pytest.mark.parametrize(
    "name", [n for n in KERNELS if issubclass(type(kernel(n)), base.NormalisedKernel)]
)
def test_a_normalised_kernel_has_a_gaussian_form(sets, odd_graphs, name):
    """exp(-s (1 - K) / m), with the mean m of the training graphs for new ones, too."""
    plain, scaled = kernel(name), kernel(name).set_params(gram="rbf", gram_scale=3.0)
    for graphs in (sets["Cuneiform"], odd_graphs):
        linear = plain.fit_transform(graphs)
        mean = 1 - linear.mean()
        gram = scaled.fit_transform(graphs)
        np.testing.assert_allclose(gram, np.exp(-3 * (1 - linear) / mean), rtol=1e-12)
        assert np.linalg.eigvalsh(gram).min() > -1e-10
        again = clone(scaled).fit(graphs)
        np.testing.assert_allclose(again.transform(graphs), gram, rtol=1e-6)
        few = np.exp(-3 * (1 - plain.transform(graphs[:2])) / mean)
        np.testing.assert_allclose(scaled.transform(graphs[:2]), few, rtol=1e-12)
    # All alike: no distance to measure in.
    np.testing.assert_allclose(scaled.fit_transform([sets["MUTAG"][0]] * 3), 1, rtol=1e-12)
    with pytest.raises(ParameterError, match=r"'gram' parameter of .* must be 'linear' or 'rbf'"):
        kernel(name).set_params(gram="cubic").fit(graphs)
    with pytest.raises(ParameterError, match="'gram_scale' parameter"):
        kernel(name).set_params(gram_scale=0).fit(graphs)


def test_a_classifier_with_gaussian_forms_predicts_as_its_functions_on_the_kernels(mutag):
    """New graphs are compared with the unit of the training graphs."""
    from nask.lab.rivals.kernels.wl import WL, WLClassifier

    grid = {"n_iter": [2], "gram": ["rbf"], "gram_scale": [3.0], "alpha": [0.1]}
    train, new = mutag.graphs[::2], mutag.graphs[1::2]
    model = WLClassifier(grid=grid).fit(train, mutag.y[::2])
    gram = WL(n_iter=2, gram="rbf", gram_scale=3.0).fit(train)
    ridge = KernelRidge.classify(gram.fit_transform(train), (mutag.y[::2] > 0).astype(int), 0.1)
    np.testing.assert_allclose(
        model.decision_function(new), ridge.confidence(gram.transform(new)), rtol=1e-5, atol=1e-6
    )
