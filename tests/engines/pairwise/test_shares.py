"""Shares of stars, attributes and edges against the equations, and what must hold of them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import nask
from nask.engines.pairwise.shares import ComparedStars
from nask.exceptions import AbsentAttributeWarning, UnseenAttributeWarning
from nask.execution.execution import Execution
from shares_oracle import pair_shares
from strategies import VARIANTS, collections, fitting, shares

RUN = Execution()
OPTIONS = st.fixed_dictionaries(
    {
        "expansion": st.sampled_from(["nested", "ball", "walk"]),
        "star_norm": st.booleans(),
        "n_hops": st.integers(1, 3),
        "gamma": st.sampled_from([0.05, 1.0, 4.0]),
        "gamma_star": st.sampled_from([0.5, 8.0, 64.0]),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
        "prune_cores": st.booleans(),
    }
    | VARIANTS
).map(fitting)


@pytest.fixture(autouse=True)
def unseen_attributes_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        yield


def judged(train, new):
    """The training graphs, and a new one that has an attribute of theirs."""
    return train, next(graph for graph in new if shares(train, [graph]))


def prepared(train, graph, **options):
    kernel = nask.NASK(engine="pairwise", **options).fit(train).fitted_
    return kernel.stars_of([graph], RUN), kernel.stars


def weights_for(training, seed=0):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(training.spec.n_hops, training.batch.n_graphs))


def flown(stars, training, weights, execution=RUN):
    across = np.repeat(weights, np.diff(training.batch.nodes.ptr), axis=1)
    compared = ComparedStars.of(stars, training)
    return compared.flow(np.ones(stars.batch.n_nodes), across, execution)


@settings(max_examples=60)
@given(collections(), OPTIONS)
def test_shares_are_those_of_the_equations(drawn, options):
    train, graph = judged(*drawn)
    stars, training = prepared(train, graph, **options)
    weights = weights_for(training)
    found = flown(stars, training, weights)
    parts = [pair_shares(stars, training, j, weights[:, j]) for j in range(len(train))]
    hops, attributes, edges = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
    size = 1e-12 + sum(np.abs(each[0]).sum() for each in parts)
    sums = ComparedStars.of(stars, training).sums(RUN)
    np.testing.assert_allclose(
        np.einsum("hi,hvi->hv", weights, sums), hops, atol=1e-10 * size, rtol=0
    )
    mine = np.vstack([found.numerical, found.categorical, found.constant[None]])
    np.testing.assert_allclose(mine, attributes, atol=1e-9 * size, rtol=0)
    np.testing.assert_allclose(found.edges, edges, atol=1e-9 * size, rtol=0)
    total = mine.sum() + found.edges.sum()
    np.testing.assert_allclose(total, hops.sum(), atol=1e-10 * size, rtol=0)


@settings(max_examples=30)
@given(collections(), OPTIONS)
def test_pairs_of_stars_add_up_to_sums(drawn, options):
    train, graph = judged(*drawn)
    stars, training = prepared(train, graph, **options)
    pairs, sums = (
        ComparedStars.of(stars, training).pairs(RUN),
        ComparedStars.of(stars, training).sums(RUN),
    )
    ptr = training.batch.nodes.ptr
    for j in range(len(train)):
        np.testing.assert_allclose(
            pairs[:, :, ptr[j] : ptr[j + 1]].sum(axis=2), sums[:, :, j], rtol=1e-10, atol=1e-300
        )


def test_threads_and_a_batch_with_itself_make_no_difference(mutag, monkeypatch):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    monkeypatch.setattr("nask.engines.pairwise.shares.TASK_PAIRS", 1000)
    stars, training = prepared(mutag.graphs[:40], mutag.graphs[50])
    weights = weights_for(training)
    one, two = (flown(stars, training, weights, Execution(n_jobs=n)) for n in (1, 2))
    for name in ("numerical", "categorical", "constant", "edges"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    own = ComparedStars.of(training, training).sums(RUN)
    apart = ComparedStars.of(training.take(np.arange(40)), training).sums(RUN)
    np.testing.assert_array_equal(own, apart)


@pytest.mark.parametrize("gamma", [800.0, 1e6])
def test_nothing_is_lost_where_similarities_are_zero(gamma):
    # exp(-gamma) is 0: nodes with no value in common have P = 0.
    train = [
        nask.AttributedGraph(3, [(0, 1)], {"letter": ["a", None, "b"], "x": [0.0, 1.0, None]}),
        nask.AttributedGraph(2, [(0, 1)], {"letter": ["c", None], "x": [0.5, None]}),
    ]
    graph = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"letter": ["z", None, "a"], "x": [9, 0, 1]})
    stars, training = prepared(train, graph, gamma=gamma, gamma_star=2.0, n_hops=3)
    weights = weights_for(training)
    found = flown(stars, training, weights)
    sums = ComparedStars.of(stars, training).sums(RUN)
    total = found.numerical.sum() + found.categorical.sum() + found.constant.sum()
    np.testing.assert_allclose(
        total + found.edges.sum(), np.einsum("hi,hvi->", weights, sums), rtol=1e-12
    )
    assert all(np.isfinite(part).all() for part in vars(found).values())


def test_graphs_without_nodes_give_nothing_and_no_memory_is_spoiled():
    """The working memory of pairs is empty: nothing may be written to it."""
    train = [nask.AttributedGraph(0), nask.AttributedGraph(0)]
    cycle = nask.AttributedGraph(4000, [(i, (i + 1) % 4000) for i in range(4000)])
    stars, training = prepared(train, cycle)
    for _ in range(20):
        found = flown(stars, training, weights_for(training))
    assert not any(part.any() for part in vars(found).values())


def test_memory_is_checked_before_the_work(mutag):
    stars, training = prepared(mutag.graphs[:40], mutag.graphs[50])
    with pytest.raises(nask.exceptions.MemoryLimitError, match="Explaining a graph of"):
        flown(stars, training, weights_for(training), Execution(memory_limit=10_000))


def words(draw, n, width, fill):
    """Node features, most of them 0: ones, numbers, and some outside the training range."""
    values = draw.choice([1.0, 1.0, -0.5, 0.25, 3.0, draw.random()], size=(n, width))
    return values * (draw.random((n, width)) < fill)


def graph_with_words(draw, n, fill, width=5):
    edges = [(u, v) for u in range(n) for v in range(u) if draw.random() < 0.4]
    attributes = {"letter": draw.choice(["a", "b"], n).tolist(), "x": draw.random(n)}
    bonds = {"bond": draw.choice(["s", "d"], len(edges)).tolist()}
    features = words(draw, n, width, fill)
    return nask.AttributedGraph(n, edges, attributes, bonds, node_features=features)


def with_sparse_features(prepared, width=5):
    """The same stars, with the last numerical attributes as sparse node features."""
    own, nodes = prepared.spec.nodes, prepared.batch.nodes
    similarity = replace(
        own,
        numerical_gamma=own.numerical_gamma[:-width],
        numerical_weight=own.numerical_weight[:-width],
        n_features=width,
        feature_gamma=float(own.numerical_gamma[-1]),
        feature_weight=float(own.numerical_weight[-1]),
    )
    features = sparse.csr_array(nodes.numerical[-width:].T)
    named = replace(nodes, numerical=nodes.numerical[:-width].copy())
    batch = replace(prepared.batch, nodes=named, features=features)
    return replace(prepared, batch=batch, spec=replace(prepared.spec, nodes=similarity))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.4]), OPTIONS)
def test_sparse_node_features_have_the_shares_of_the_equations(seed, fill, options):
    if options["similarity"] == "euclidean":
        options = options | {"similarity": "one-hot"}  # its node features are dense in any case
    draw = np.random.default_rng(seed)
    train = [graph_with_words(draw, n, fill) for n in (6, 9, 3)]
    graph = graph_with_words(draw, 7, fill)
    stars, training = prepared(train, graph, **options)
    weights = weights_for(training)
    found = flown(with_sparse_features(stars), with_sparse_features(training), weights)
    parts = [pair_shares(stars, training, j, weights[:, j]) for j in range(len(train))]
    hops, attributes, edges = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
    size = 1e-12 + sum(np.abs(each[0]).sum() for each in parts)
    mine = np.vstack([found.numerical, found.features, found.categorical, found.constant[None]])
    np.testing.assert_allclose(mine, attributes, atol=1e-9 * size, rtol=0)
    np.testing.assert_allclose(found.edges, edges, atol=1e-9 * size, rtol=0)
    np.testing.assert_allclose(found.stars, hops, atol=1e-9 * size, rtol=0)


@pytest.mark.parametrize("gamma", [30.0, 800.0])
@pytest.mark.parametrize("prune", [True, False])
def test_nothing_is_lost_where_sparse_features_have_nothing_in_common(gamma, prune):
    """P is a rounding error of differences there, or 0, and cannot be divided by."""
    draw = np.random.default_rng(0)
    train = [nask.AttributedGraph(3, [(0, 1)], node_features=draw.random((3, 2)) + 0.1)]
    graph = nask.AttributedGraph(2, [(0, 1)], node_features=[[0, 0], [0.0, 5.0]])
    stars, training = prepared(train, graph, gamma=gamma, gamma_star=2.0, prune_cores=prune)
    weights = weights_for(training)
    stars, training = (with_sparse_features(each, 2) for each in (stars, training))
    found = flown(stars, training, weights)
    shared = np.abs(found.features).sum() + np.abs(found.edges).sum()
    assert np.isfinite(found.features).all()
    total = found.features.sum() + found.edges.sum() + found.constant.sum()
    assert total == pytest.approx(found.stars.sum(), abs=1e-9 * (1e-12 + shared))


def test_sums_do_not_ignore_sparse_features():
    draw = np.random.default_rng(0)
    stars, training = prepared([graph_with_words(draw, 4, 0.4)], graph_with_words(draw, 4, 0.4))
    with pytest.raises(RuntimeError, match="Only shares"):
        ComparedStars.of(with_sparse_features(stars), with_sparse_features(training)).sums(RUN)
