"""The Gram matrix as a function of parameters: its value, and its derivatives by differences."""

import numpy as np
import pytest

import nask
from mixed_graphs import random_graphs
from nask.graph.schema import FEATURES
from nask.kernels.gram_function import LEARNABLE, GramFunction, not_learnable

OPTIONS = [
    {},
    {"gamma": {"x": 3.0}, "gamma_star": 300.0, "n_hops": 4},
    {"normalize": False, "star_norm": False},
    {"gram": "rbf", "gram_scale": 2.0, "attribute_weights": {"letter": 0.0, "y": 3.0}},
    {"gram": "rbf", "normalize": False, "dtype": "float32", "engine": "reference"},
    {"expansion": "ball", "prune_cores": True, "hop_weights": [1.0, 0.0, 0.5]},
    {"expansion": "walk", "degree": "numerical"},
    {"similarity": "one-hot"},
    {"similarity": "euclidean", "gram": "rbf"},
    {"max_leaves": 1},
    {"n_hops": 1},
]


@pytest.fixture(scope="module")
def graphs():
    """With attributes of edges, some of them missing."""
    found, draw = [], np.random.default_rng(4)
    for graph in random_graphs(7, 1):
        n = graph.n_edges
        edges = {"length": draw.normal(size=n).tolist(), "bond": draw.choice(["s", "d"], n)}
        edges["length"][: n // 3] = [None] * (n // 3)
        attributes = dict(graph.node_attributes.items())
        found.append(nask.AttributedGraph(graph.n_nodes, graph.edges, attributes, edges))
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_derivatives_are_those_of_differences(graphs, options):
    kernel = nask.NASK(**options)
    names = [name for name in LEARNABLE if name not in not_learnable(kernel)]
    function = GramFunction(kernel, graphs, names)
    assert {own.name for own in function.coordinates} == set(names)
    check(function)


def test_node_features_share_a_gamma_and_a_weight():
    draw = np.random.default_rng(5)
    graphs = [
        nask.AttributedGraph(3, [(0, 1)], {"x": draw.random(3)}, node_features=draw.random((3, 4)))
        for _ in range(7)
    ]
    function = GramFunction(nask.NASK(gamma={}), graphs, ["gamma", "attribute_weights"])
    assert {own.key for own in function.coordinates} == {"x", FEATURES}
    check(function)


def check(function):
    draw, k = np.random.default_rng(0), len(function.start)
    x = function.start + 0.3 * draw.normal(size=k)
    bar = draw.normal(size=(7, 7))
    bar = bar + bar.T
    found = function.gradient(x, bar)
    for number, own in enumerate(found):
        step = 1e-5 * np.eye(k)[number]
        there, back = (float((bar * function.gram(x + s)).sum()) for s in (step, -step))
        assert own == pytest.approx((there - back) / 2e-5, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_matrix_is_that_of_the_kernel_with_the_parameters(graphs, options):
    kernel = nask.NASK(**options)
    names = [name for name in LEARNABLE if name not in not_learnable(kernel)]
    function = GramFunction(kernel, graphs, names)
    x = function.start + 0.2
    expected = nask.NASK(**(options | function.parameters(x))).fit_transform(graphs)
    np.testing.assert_allclose(
        function.gram(x), expected, atol=1e-5 if "dtype" in options else 1e-9
    )


def test_one_gamma_or_one_for_each_attribute(graphs):
    """One for all moves all; a weight of 0 stays."""
    one = GramFunction(nask.NASK(gamma=2.0), graphs, ["gamma"])
    each = GramFunction(nask.NASK(gamma={"x": 2.0}), graphs, ["gamma"])
    assert one.parameters(one.start) == {"gamma": pytest.approx(2.0)}
    named = dict(x=2.0, y=1.0, letter=1.0, length=1.0, bond=1.0)  # noqa: C408
    assert each.parameters(each.start)["gamma"] == pytest.approx(named)
    kernel = nask.NASK(attribute_weights={"x": 0.0})
    weights = GramFunction(kernel, graphs, ["attribute_weights"])
    assert {own.key for own in weights.coordinates} == {"y", "letter", "length", "bond"}
    assert weights.parameters(weights.start + 1)["attribute_weights"]["x"] == 0.0


def test_the_given_graphs_and_parameters_stay_as_they_were(graphs):
    given = {"x": 2.0}
    kernel = nask.NASK(gamma=given)
    function = GramFunction(kernel, graphs, ["gamma", "hop_weights"])
    function.gradient(function.start + 1, np.eye(7))
    assert given == {"x": 2.0}
    assert kernel.get_params() == nask.NASK(gamma={"x": 2.0}).get_params()
