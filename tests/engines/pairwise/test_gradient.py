"""The gradient of Gram entries against differences of what the engine computes."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from mixed_graphs import random_graphs
from nask.engines.pairwise.engine import PairwiseEngine
from nask.engines.pairwise.gradient import star_gradient
from nask.execution.execution import Execution
from nask.graph.schema import FEATURES
from nask.storage.window import Window
from strategies import fitting, graphs

RUN = Execution()
OPTIONS = st.fixed_dictionaries(
    {
        "expansion": st.sampled_from(["nested", "ball", "walk"]),
        "star_norm": st.booleans(),
        "n_hops": st.integers(1, 4),
        "gamma": st.sampled_from([0.05, 1.0, 4.0]),
        "gamma_star": st.sampled_from([0.5, 8.0, 200.0]),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
        "prune_cores": st.booleans(),
        "similarity": st.sampled_from(["gower", "gower", "one-hot", "euclidean"]),
        "max_leaves": st.sampled_from([None, None, 1]),
    }
).map(fitting)


def value(batch, spec, weights, hop_weights):
    """The sum that the gradient is of."""
    engine, whole = PairwiseEngine(), Window.whole(batch.n_graphs, batch.n_graphs)
    prepared = engine.prepare(batch, spec, RUN)
    return float((weights * engine.grams(prepared, prepared, hop_weights[None], RUN, whole)).sum())


def moved(spec, step, along):
    """A kernel whose parameters are a step away along a direction; weights need not add up to 1."""
    if spec.joint:
        # It has a gradient by gamma_star alone.
        return replace(spec, gamma_star=spec.gamma_star * np.exp(step * along["gamma_star"]))
    elements = {}
    for element in ("nodes", "edges"):
        P, own = getattr(spec, element), {}
        for name in ("numerical_gamma", "numerical_weight", "categorical_gamma"):
            own[name] = getattr(P, name) * np.exp(step * along[element, name])
        name = "categorical_weight"
        own[name] = getattr(P, name) * np.exp(step * along[element, name])
        elements[element] = replace(P, **own)
    gamma_star = spec.gamma_star * np.exp(step * along["gamma_star"])
    return replace(spec, gamma_star=gamma_star, **elements)


def slope(found, spec, along):
    """The derivative along the direction, from the gradient."""
    total = spec.gamma_star * found.gamma_star * along["gamma_star"]
    if spec.joint:
        return total
    for element in ("nodes", "edges"):
        if element == "edges" and not spec.use_edges:
            continue
        P, own = getattr(spec, element), getattr(found, element)
        least = np.exp(-P.numerical_gamma)
        steep, near = own.total * least + own.steep, own.total * least + own.near
        by = {
            "numerical_gamma": -P.numerical_gamma * P.numerical_weight * steep,
            "numerical_weight": P.numerical_weight * near,
        }
        least = np.exp(-P.categorical_gamma)
        apart = own.total - own.same
        by["categorical_gamma"] = -P.categorical_gamma * P.categorical_weight * least * apart
        by["categorical_weight"] = P.categorical_weight * (apart * least + own.same)
        total += sum(float(values @ along[element, name]) for name, values in by.items())
    return total


def direction(spec, draw, leaves_may_change):
    along = {"gamma_star": draw.normal()}
    for element in ("nodes", "edges"):
        P = getattr(spec, element)
        for name in ("numerical_gamma", "numerical_weight"):
            along[element, name] = draw.normal(size=len(P.numerical_gamma))
        for name in ("categorical_gamma", "categorical_weight"):
            along[element, name] = draw.normal(size=len(P.categorical_gamma))
    fixed = []
    if spec.prune_cores:
        # The floor is that of weights that add up to 1, and so is what it is divided by.
        fixed = ["numerical_weight", "categorical_weight"]
    if leaves_may_change and spec.max_leaves is not None:
        # Leaves that are equally similar would not be any more.
        fixed = ["numerical_gamma", "numerical_weight", "categorical_gamma", "categorical_weight"]
    for element, name in itertools.product(("nodes", "edges"), fixed):
        along[element, name][:] = 0.0
    return along


def check(train, options, seed, step=1e-5, leaves_may_change=True):
    kernel = nask.NASK(**options).fit(train)
    stars, draw = kernel.fitted_.stars, np.random.default_rng(seed)
    n = len(train)
    weights = draw.normal(size=(n, n))
    weights, hop_weights = weights + weights.T, draw.random(options["n_hops"])
    spec, along = stars.spec, direction(stars.spec, draw, leaves_may_change)
    found = slope(star_gradient(stars, weights, hop_weights, RUN), spec, along)
    there, back = (
        value(stars.batch, moved(spec, own, along), weights, hop_weights) for own in (step, -step)
    )
    size = abs(value(stars.batch, spec, np.abs(weights), hop_weights))
    assert found == pytest.approx((there - back) / (2 * step), rel=1e-5, abs=1e-7 * (1 + size))


@settings(max_examples=40, deadline=None)
@given(st.lists(graphs(), min_size=1, max_size=5), OPTIONS, st.integers(0, 99))
def test_the_gradient_is_that_of_differences(train, options, seed):
    """Missing values, attributes of edges or none, stars of every kind, graphs without nodes."""
    check(train, options, seed)


@pytest.mark.parametrize("expansion", ["nested", "ball", "walk"])
def test_many_tiles_add_up(monkeypatch, expansion):
    """Of graphs in many groups, some pairs of which count twice."""
    monkeypatch.setattr("nask.engines.pairwise.gradient.GROUP_NODES", 16)
    monkeypatch.setattr("nask.engines.pairwise.tiling.TASK_PAIRS", 500)
    check(random_graphs(12, 3), {"expansion": expansion, "n_hops": 2}, 1)


@pytest.mark.parametrize("expansion", ["nested", "walk"])
def test_leaves_that_have_no_core_as_theirs(expansion):
    """The stars that have a node as a member are others than its members."""
    options = {"expansion": expansion, "n_hops": 3, "max_leaves": 1, "gamma_star": 3.0}
    check(random_graphs(9, 7), options, 2, leaves_may_change=False)


@pytest.mark.parametrize("n_hops", [3, 6])
def test_alike_stars_stay_alike(n_hops):
    """Their similarity is 1 for any parameters, however much hops magnify what rounding leaves."""
    options = {"n_hops": n_hops, "gamma_star": 1000.0, "gamma": 0.3}
    check(nask.load_dataset("MUTAG").graphs[:6], options, 1, step=1e-6)


def test_threads_make_no_difference():
    mutag = nask.load_dataset("MUTAG").graphs
    stars = nask.NASK(engine="pairwise").fit(mutag).fitted_.graphs
    draw = np.random.default_rng(0)
    weights = draw.normal(size=(len(mutag), len(mutag)))
    one, two = (
        star_gradient(stars, weights + weights.T, np.ones(3), Execution(n_jobs=n)) for n in (1, 2)
    )
    assert one.gamma_star == two.gamma_star
    assert one.nodes.total == two.nodes.total
    np.testing.assert_array_equal(one.edges.same, two.edges.same)


def test_attributes_of_every_kind_have_derivatives_by_name():
    """By the logarithms of gamma and weight, of node features and of what is missing, too."""
    draw = np.random.default_rng(2)
    train = [
        nask.AttributedGraph(
            3, [(0, 1)], {"x": [0.1, None, 2.0], "none": [None] * 3, "c": ["a", "b", "a"]},
            node_features=draw.random((3, 2)),
        )
        for _ in range(3)
    ]  # fmt: skip
    gamma = {"x": 0.7, "none": 0.4, "c": 1.5, FEATURES: 2.0}
    weight = {"x": 1.0, "none": 0.5, "c": 2.0, FEATURES: 0.3}
    weights = np.ones((3, 3))

    def kernel(gamma, weight):
        return nask.NASK(gamma=gamma, attribute_weights=weight, n_hops=2).fit(train)

    def total(gamma, weight):
        stars = kernel(gamma, weight).fitted_.stars
        return value(stars.batch, stars.spec, weights, np.ones(2))

    fitted = kernel(gamma, weight).fitted_
    found = star_gradient(fitted.stars, weights, np.ones(2), RUN)
    by_name = found.nodes.by_attribute(fitted.schema.nodes, gamma, weight, 2)
    assert set(by_name) == set(gamma)
    for name, both in by_name.items():
        for values, own in zip((gamma, weight), both, strict=True):
            sides = []
            for step in (1e-5, -1e-5):
                changed = values | {name: values[name] * np.exp(step)}
                pair = (changed, weight) if values is gamma else (gamma, changed)
                sides.append(total(*pair))
            assert own == pytest.approx((sides[0] - sides[1]) / 2e-5, rel=1e-5, abs=1e-7)
