"""The kernel between nodes gives what the equations give, whatever way it is computed."""

import warnings
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nask
from nask.compiled.vectors import LANES
from nask.engines.nodes import edge_term
from nask.engines.nodes import gram as node_gram
from nask.engines.nodes import similarity as node_similarity
from nask.engines.reference.equations import normalise, star_kernels
from nask.exceptions import AbsentAttributeWarning, MemoryLimitError, UnseenAttributeWarning
from nask.execution import execution
from nask.graph.batch import GraphBatch
from strategies import FAR_NUMBERS, MORE_LETTERS, VARIANTS, fitting, graphs, shares

TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
OPTIONS = st.fixed_dictionaries(
    {
        "n_hops": st.integers(1, 4),
        "expansion": st.sampled_from(["nested", "ball", "walk"]),
        "gamma": st.sampled_from([0.05, 1.0, 8.0, 300.0, 2000.0]),
        "gamma_star": st.sampled_from([0.5, 4.0, 8.0]),
        "prune_cores": st.booleans(),
        "star_norm": st.booleans(),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
    }
    | VARIANTS
).map(fitting)
# Columns of zeros, of words, of numbers with either sign, and of one value.
WORDS = st.sampled_from([0.0, 0.0, 1.0])
ENTRIES = st.sampled_from([0.0, 0.0, 0.0, 1.0, 0.25, -2.0])
FAR_ENTRIES = ENTRIES | st.sampled_from([1e9, -7.5, 40.0])


@st.composite
def networks(draw, *, max_nodes=20, entries=WORDS | ENTRIES, n_columns=None, **options):
    """A graph with named attributes and features, either of which may be absent."""
    graph = draw(graphs(max_nodes=max_nodes, **options))
    n_columns = draw(st.integers(0, 6)) if n_columns is None else n_columns
    row = st.lists(entries, min_size=n_columns, max_size=n_columns)
    rows = draw(st.lists(row, min_size=graph.n_nodes, max_size=graph.n_nodes))
    features = np.array(rows).reshape(graph.n_nodes, n_columns) if n_columns else None
    return with_features(graph, features)


def with_features(graph, features):
    return nask.AttributedGraph(
        graph.n_nodes,
        graph.edges,
        graph.node_attributes,
        graph.edge_attributes,
        node_features=features,
    )


def oracle(kernel, graph):
    """kappa_h of the reference engine, its features as named attributes."""
    spec = kernel.fitted_.spec
    spec = replace(spec, nodes=spec.nodes.with_dense_features())
    batch = GraphBatch.encode([graph], kernel.schema_).with_dense_features()
    hops = star_kernels(batch, 0, batch, 0, spec, None, None)
    if spec.star_norm:
        own = [[k[v][v] for v in range(graph.n_nodes)] for k in hops]
        hops = [normalise(k, diagonal, diagonal) for k, diagonal in zip(hops, own, strict=True)]
    return np.array(hops).reshape(spec.n_hops, graph.n_nodes, graph.n_nodes)


@contextmanager
def small_tiles(dense_fill=node_similarity.DENSE_FILL, edge_numbers=4):
    """Blocks of a few nodes, so that drawn graphs cross their borders."""
    with (
        patch.object(node_gram, "TASK_ROWS", LANES),
        patch.object(edge_term, "TILE_NUMBERS", edge_numbers),
        patch.object(node_similarity, "DENSE_FILL", dense_fill),
        patch.object(execution, "PAIRS_PER_THREAD", 1),
    ):
        yield


def close(ours, expected, dtype="float64", own=0.0):
    """Up to rounding errors, of numbers as large as k(v, v) may be: ``own``."""
    assert ours.shape == expected.shape
    scale = max(np.abs(expected).max(initial=1e-300), own)
    # Below its least normal number a type has no digits left: e^-600 is 0 in float32.
    atol = max(1e-13 * scale, np.finfo(dtype).tiny)
    np.testing.assert_allclose(ours, expected, rtol=TOLERANCE[dtype], atol=atol)


@settings(max_examples=150)
@given(
    graph=networks(),
    options=OPTIONS,
    dense_fill=st.sampled_from([-1.0, 0.5, 2.0]),
)
def test_the_equations(graph, options, dense_fill):
    expected = oracle(nask.NodeNASK(**options).fit(graph), graph)
    for dtype in TOLERANCE:
        kernel = nask.NodeNASK(dtype=dtype, **options).fit(graph)
        with small_tiles(dense_fill):
            hops = kernel.hop_grams()
        assert hops.dtype == dtype
        close(hops, expected, dtype)


@settings(max_examples=60)
@given(data=st.data(), options=OPTIONS, dense_fill=st.sampled_from([-1.0, 2.0]))
def test_nodes_of_another_graph(data, options, dense_fill):
    """Compared in the union, under the schema of the training graph, unseen values included."""
    n_columns = data.draw(st.integers(0, 4))
    train = data.draw(networks(n_columns=n_columns, max_nodes=10))
    far = {"numbers": FAR_NUMBERS, "letters": MORE_LETTERS, "entries": FAR_ENTRIES}
    new = data.draw(networks(n_columns=n_columns, max_nodes=10, **far))
    assume(n_columns or shares([train], [new]))
    kernel = nask.NodeNASK(**options).fit(train)
    with small_tiles(dense_fill), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        hops = kernel.hop_grams(new)
        union = GraphBatch.encode([train, new], kernel.schema_).with_dense_features()
        own = [union.take(np.array([i])) for i in range(2)]
    spec = kernel.fitted_.spec
    spec = replace(spec, nodes=spec.nodes.with_dense_features())
    self_terms = [
        [np.diag(np.array(k).reshape(len(k), len(k))).tolist() for k in kernels]
        for kernels in (star_kernels(b, 0, b, 0, spec, None, None) for b in own)
    ]
    between = star_kernels(own[1], 0, own[0], 0, spec, self_terms[1], self_terms[0])
    # What pruning subtracts may leave nothing of P but rounding errors, in all pairs of two graphs.
    largest = 1e-3 if spec.star_norm else 1e-3 * np.max([np.max(k, initial=0) for k in self_terms])
    if spec.star_norm:
        between = [
            normalise(k, a, b)
            for k, a, b in zip(between, self_terms[1], self_terms[0], strict=True)
        ]
    expected = np.array(between).reshape(spec.n_hops, new.n_nodes, train.n_nodes)
    close(hops, expected, own=largest)


@settings(max_examples=60)
@given(graph=networks(), options=OPTIONS)
def test_symmetric_positive_definite_and_finite(graph, options):
    with small_tiles():
        hops = nask.NodeNASK(**options).fit(graph).hop_grams()
    assert np.isfinite(hops).all()
    np.testing.assert_array_equal(hops, hops.transpose(0, 2, 1))
    for gram in hops if graph.n_nodes else ():
        eigenvalues = np.linalg.eigvalsh(gram)
        assert eigenvalues[0] >= -1e-8 * max(eigenvalues[-1], 1e-300)


@settings(max_examples=60)
@given(graph=networks(), options=OPTIONS, data=st.data())
def test_a_permutation_of_the_nodes_permutes_the_result(graph, options, data):
    order = np.array(data.draw(st.permutations(range(graph.n_nodes))), dtype=int)
    place = np.argsort(order)
    shuffled = nask.AttributedGraph(
        graph.n_nodes,
        place[graph.edges],
        {name: a.take(order) for name, a in graph.node_attributes.items()},
        graph.edge_attributes,
        node_features=None if graph.node_features is None else graph.node_features[order],
    )
    kernel = nask.NodeNASK(**options)
    ours, expected = kernel.fit(shuffled).hop_grams(), kernel.fit(graph).hop_grams()
    close(ours, expected[:, order][:, :, order])


@given(graph=networks(), options=OPTIONS)
def test_any_number_of_jobs_gives_the_same_bits(graph, options):
    with small_tiles():
        one = nask.NodeNASK(n_jobs=1, **options).fit(graph).hop_grams()
        two = nask.NodeNASK(n_jobs=2, **options).fit(graph).hop_grams()
    np.testing.assert_array_equal(one, two)


@given(data=st.data(), options=OPTIONS)
def test_a_graph_beside_it_changes_nothing(data, options):
    graph = data.draw(networks(n_columns=3))
    other = data.draw(networks(n_columns=3))
    kernel = nask.NodeNASK(**options).fit(graph)
    spec, execution = kernel.fitted_.spec, kernel.execution()
    alone = kernel.fitted_.batch
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        beside = alone.union(GraphBatch.encode([other], kernel.schema_))
    n, each = graph.n_nodes, np.eye(kernel.n_hops)
    expected = node_gram.node_grams(alone, spec, each, execution, "float64")
    ours = node_gram.node_grams(beside, spec, each, execution, "float64")
    close(ours.values[:, :n, :n], expected.values)
    close(ours.own[:, :n], expected.own)
    close(expected.own, expected.values.diagonal(axis1=1, axis2=2))


@given(graph=networks(), options=OPTIONS, data=st.data())
def test_chosen_nodes_are_a_block_of_the_whole(graph, options, data):
    nodes = np.array(data.draw(st.lists(st.integers(0, max(0, graph.n_nodes - 1)))), dtype=int)
    nodes = nodes[: graph.n_nodes * 2] if graph.n_nodes else nodes[:0]
    kernel = nask.NodeNASK(**options).fit(graph)
    spec, execution, each = kernel.fitted_.spec, kernel.execution(), np.eye(kernel.n_hops)
    batch = kernel.fitted_.batch

    def compare(rows, columns):
        result = node_gram.node_grams(batch, spec, each, execution, "float64", rows, columns)
        return result.values

    whole = compare(None, None)
    with small_tiles():
        close(compare(nodes, None), whole[:, nodes])
        close(compare(None, nodes), whole[:, :, nodes])
        square = compare(nodes, nodes)
        close(square, whole[:, nodes][:, :, nodes])
        np.testing.assert_array_equal(square, square.transpose(0, 2, 1))


def random_network(n_nodes, n_edges, edge_attributes=None, seed=0, **attributes):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(n_nodes, size=(3 * n_edges, 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)[:n_edges]
    given_edges = {k: make(rng, len(pairs)) for k, make in (edge_attributes or {}).items()}
    return nask.AttributedGraph(n_nodes, pairs, edge_attributes=given_edges, **attributes)


@pytest.mark.parametrize("expansion", ["nested", "ball"])
@pytest.mark.parametrize(
    ("kind", "fewer_than_nodes"),
    [("few", True), ("many", False)],
)
def test_edge_attributes_of_few_and_of_many_kinds(expansion, kind, fewer_than_nodes):
    make = {
        "few": lambda rng, m: rng.choice(["friend", "colleague", "kin"], size=m).tolist(),
        "many": lambda rng, m: rng.random(m),
    }[kind]
    graph = random_network(30, 50, {"tie": make})
    kernel = nask.NodeNASK(expansion=expansion, n_hops=2).fit(graph)
    distinct = edge_term.DistinctEdges.of(kernel.fitted_.batch)
    assert (len(distinct.edges) < graph.n_nodes) == fewer_than_nodes
    with small_tiles(edge_numbers=200):
        close(kernel.hop_grams(), oracle(kernel, graph))


def test_entirely_dissimilar_cores_contribute_exactly_nothing():
    """Node 0 has every word that the others lack, and a letter of its own."""
    words = np.zeros((9, 7))
    words[0], words[1:, 3] = 1, 0
    letters = {"letter": ["a", *"bbbbbbbb"]}
    graph = nask.AttributedGraph(9, [(0, 1), (1, 2)], letters, node_features=words)
    hops = nask.NodeNASK(prune_cores=True, n_hops=2).fit(graph).hop_grams()
    assert (hops[:, 0, 1:] == 0).all()
    assert (hops[:, 0, 0] > 0).all()


def test_words_are_categories():
    """Exactly, since on zeros and ones all sums are integers."""
    rng = np.random.default_rng(3)
    words = rng.random((40, 60)) < 0.1
    words[0], words[1] = True, False
    network = random_network(40, 70, node_features=words)
    named = {f"word{d}": column.tolist() for d, column in enumerate(words.T)}
    as_categories = nask.AttributedGraph(40, network.edges, named)
    for options in ({}, {"prune_cores": True}, {"expansion": "ball"}):
        ours, theirs = (
            nask.NodeNASK(n_hops=2, **options).fit(graph).hop_grams()
            for graph in (network, as_categories)
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("edge_attributes", [None, {"w": lambda rng, m: rng.random(m)}])
def test_memory_is_checked_before_it_is_taken(edge_attributes):
    graph = random_network(200, 300, edge_attributes, node_features=np.eye(200))
    kernel = nask.NodeNASK(n_hops=2)
    # P, its successor and the result, and the edge term where edges differ.
    least = (3 if edge_attributes is None else 4) * 8 * 200**2
    with (
        patch.object(node_gram, "aligned", side_effect=AssertionError("allocated")),
        pytest.raises(MemoryLimitError, match="graph of 200 nodes takes"),
    ):
        kernel.set_params(memory_limit=least).fit_transform(graph)
    kernel.set_params(memory_limit=int(1.2 * least)).fit_transform(graph)
    half = kernel.set_params(memory_limit=int(0.65 * least), dtype="float32")
    assert half.fit_transform(graph).dtype == np.float32


def test_progress_counts_every_step():
    graph = random_network(100, 150)
    for expansion, nodes in (("nested", None), ("nested", [1, 2]), ("ball", None), ("ball", [5])):
        seen = []
        kernel = nask.NodeNASK(expansion=expansion, verbose=lambda *step: seen.append(step))  # noqa: B023
        kernel.fit(graph).transform(graph, nodes)
        assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
        assert {total for _, total in seen} == {len(seen)}
