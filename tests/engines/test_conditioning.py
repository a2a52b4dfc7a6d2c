"""Any gamma_star and any number of hops: no rounding grows, no kernel exceeds 1."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from exact_kernel import hop_grams
from mixed_graphs import random_graphs
from nask.exceptions import (
    AbsentAttributeWarning,
    ParameterError,
    PrecisionWarning,
    UnseenAttributeWarning,
)
from nask.stars.colours import StarColours
from strategies import VARIANTS, collections, graphs, sharing

ENGINES = ("pairwise", "distinct", "reference")
SHARP = [(5, 1e4), (6, 1e3), (10, 100.0), (8, 1e3), (4, 1e9), (3, 1e300)]
OPTIONS = st.fixed_dictionaries(
    {
        "n_hops": st.integers(1, 5),
        "gamma": st.sampled_from([1e-6, 1e-3, 0.05, 1.0, 8.0, 100.0, 2000.0]),
        "gamma_star": st.sampled_from([1e-3, 0.5, 8.0, 64.0, 1e3, 1e4, 1e6, 1e9, 1e12, 1e16, 1e30]),
        "prune_cores": st.booleans(),
        "star_norm": st.booleans(),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
    }
    | VARIANTS
)
# Few values, so that stars are alike, all but alike, or have members in the same shares.
VALUES = st.sampled_from([0.0, 0.5, 1.0, 0.3, 0.1 + 0.2, 0.3 + 1e-9, 0.5000001])
REPEATED = st.lists(
    graphs(numbers=VALUES, letters=st.sampled_from("ab"), max_nodes=4), min_size=1, max_size=2
)


@pytest.mark.slow
@settings(max_examples=40)
@given(drawn=collections(max_nodes=4, max_size=3) | st.tuples(REPEATED, REPEATED), options=OPTIONS)
def test_every_engine_has_the_digits_it_promises(drawn, options):
    """Against arithmetic of hundreds of digits; where few are right, a warning says so."""
    train, new = drawn[0], sharing(*drawn)
    truth = None
    for engine in ENGINES:
        kernel = nask.NASK(engine=engine, normalize=False, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                grams = [kernel.fit(train).hop_grams(train), kernel.hop_grams(new)]
            except ParameterError:
                return  # pruning by a gamma that is too small
            rows = kernel.fitted_.prepare(new, kernel.execution())
        if truth is None:
            training = kernel.fitted_.graphs
            truth = [hop_grams(side, training) for side in (training, rows)]
        if not any(issubclass(warning.category, PrecisionWarning) for warning in caught):
            for gram, exact in zip(grams, truth, strict=True):
                np.testing.assert_allclose(gram, exact, rtol=1e-6, atol=1e-12)
        assert all(np.isfinite(gram).all() for gram in grams)


@pytest.mark.slow
@pytest.mark.parametrize(("n_hops", "gamma_star"), SHARP)
def test_sharp_kernels_of_real_graphs(mutag, n_hops, gamma_star):
    some = mutag.graphs[:60]
    options = {"n_hops": n_hops, "gamma_star": gamma_star}
    grams = {e: nask.NASK(engine=e, **options).fit_transform(some) for e in ENGINES[:2]}
    np.testing.assert_allclose(grams["pairwise"], grams["distinct"], rtol=1e-11)
    for gram in grams.values():
        assert gram.max() < 1 + 1e-12
        assert np.linalg.eigvalsh(gram)[0] > -1e-10
    few = some[:3]
    oracle = nask.NASK(engine="reference", **options).fit_transform(few)
    np.testing.assert_allclose(grams["distinct"][:3, :3], oracle, rtol=1e-11)


@pytest.mark.parametrize("engine", ENGINES[:2])
@pytest.mark.parametrize("gamma_star", [1e6, 1e9, 1e300])
def test_the_limit_is_equality_of_stars(mutag, engine, gamma_star):
    """P_h is then 1 for equal colours of Weisfeiler and Leman, and 0 for others."""
    some = mutag.graphs[:12]
    kernel = nask.NASK(n_hops=4, gamma_star=gamma_star, normalize=False, engine=engine).fit(some)
    batch = kernel.fitted_.graphs.batch
    colours = StarColours.of(batch, kernel.fitted_.graphs.spec)
    star = np.eye(batch.n_nodes)
    incidence = np.zeros((batch.n_nodes, len(batch.edges)))
    for e, (u, v) in enumerate(batch.endpoints):
        star[u, v] = star[v, u] = incidence[u, e] = incidence[v, e] = 1
    of_graph = np.repeat(np.eye(len(some)), np.diff(batch.nodes.ptr), axis=1)
    bond = batch.edges.categorical[0]
    bonds = incidence @ np.where(bond[:, None] == bond, 1.0, np.exp(-1.0)) @ incidence.T
    for h in range(1, 4):
        same = (colours.levels[h][:, None] == colours.levels[h]).astype(float)
        k = same * (star @ same @ star.T + bonds)
        k /= np.sqrt(np.outer(k.diagonal(), k.diagonal()))
        expected = of_graph @ k @ of_graph.T
        np.testing.assert_allclose(kernel.hop_grams(some)[h], expected, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_stars_in_the_same_shares_are_alike(engine):
    """Normalised stars do not know their size: every star of equal nodes is like every other."""
    alike = [nask.AttributedGraph(n, [(0, i) for i in range(1, n)]) for n in range(1, 5)]
    kernel = nask.NASK(n_hops=6, gamma_star=1e8, use_edges=False, engine=engine)
    np.testing.assert_allclose(kernel.fit_transform(alike), 1.0, rtol=1e-14)
    # At one hop every attribute counts by itself, whatever it comes with.
    first, second = (
        nask.AttributedGraph(3, [(0, 1), (0, 2)], {"a": ["x", *a], "b": ["x", *b]})
        for a, b in (("xy", "xy"), ("xy", "yx"))
    )
    centres = nask.NodeNASK(n_hops=3, gamma_star=1e8).fit(first).hop_grams(second)[:, 0, 0]
    assert centres[0] == 1.0
    assert centres[1] < 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("n_hops", "gamma_star"), SHARP)
def test_nodes_add_up_to_graphs(mutag, n_hops, gamma_star):
    options = {"n_hops": n_hops, "gamma_star": gamma_star, "normalize": False}
    graph, other = mutag.graphs[0], mutag.graphs[3]
    nodes = nask.NodeNASK(**options).fit(graph)
    graphs = nask.NASK(**options, engine="reference").fit([graph])
    for compared in (graph, other):
        hops = nodes.hop_grams(compared)
        assert hops.max() <= 1.0
        expected = graphs.hop_grams([compared])[:, 0, 0]
        np.testing.assert_allclose(hops.sum(axis=(1, 2)), expected, rtol=1e-11)


@pytest.mark.parametrize("engine", ENGINES[:2])
def test_windows_and_new_graphs_are_blocks_of_the_whole(mutag, tmp_path, engine):
    some = mutag.graphs[:40]
    options = {"n_hops": 5, "gamma_star": 1e4, "engine": engine}
    whole = nask.NASK(**options).fit_transform(some)
    limited = nask.NASK(memory_limit="100kB", gram_folder=tmp_path, **options)
    np.testing.assert_allclose(limited.fit_transform(some), whole, rtol=1e-11)
    new = nask.NASK(**options).fit(some[:25])
    assert new.schema_ == nask.NASK(**options).fit(some).schema_
    np.testing.assert_allclose(new.transform(some[25:]), whole[25:, :25], rtol=1e-11)


def nearly_equal(difference):
    return [
        nask.AttributedGraph(3, [(0, 1), (1, 2)], {"x": [0.0, 0.5 + i * difference, 1.0]})
        for i in range(3)
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_rounding_decides_is_told(engine):
    sharp = nask.NASK(n_hops=5, gamma_star=1e4, engine=engine)
    with pytest.warns(PrecisionWarning, match="Use a smaller gamma_star or n_hops, or round"):
        sharp.fit_transform(nearly_equal(1e-13))
    sharp.fit_transform(nearly_equal(0.0))
    sharp.fit_transform(nearly_equal(1e-3))
    # With fewer hops nothing magnifies the difference.
    nask.NASK(n_hops=1, gamma_star=1e4, engine=engine).fit_transform(nearly_equal(1e-13))
    nask.NASK(n_hops=5, gamma_star=2.0, engine=engine).fit_transform(nearly_equal(1e-13))


def test_what_rounding_decides_is_told_of_nodes():
    with pytest.warns(PrecisionWarning):
        nask.NodeNASK(n_hops=5, gamma_star=1e4).fit(nearly_equal(0.0)[0]).transform(
            nearly_equal(1e-13)[1]
        )


def test_a_star_like_nothing_stays_so(mutag):
    """Of gamma = 2000 and no value, P(v, v) is 0, and e^-1000 is 0 as well."""
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"x": ["a", None, "b"]})
    options = {"gamma": 2000.0, "gamma_star": 1000.0, "n_hops": 4, "use_edges": False}
    kernels = [nask.NASK(engine=e, normalize=False, **options).fit([path]) for e in ENGINES]
    pairwise, distinct, oracle = (kernel.hop_grams([path]) for kernel in kernels)
    assert pairwise.tolist() == distinct.tolist() == oracle.tolist()


@given(drawn=collections())
def test_no_kernel_exceeds_one(drawn):
    train, new = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        kernel = nask.NASK(n_hops=4, gamma_star=1e6).fit(train)
        assert kernel(new).max(initial=0.0) <= 1 + 1e-12


@pytest.mark.parametrize("engine", ["pairwise", "distinct"])
def test_what_pruning_divides_by_magnifies_rounding_errors(engine):
    """It is 2e-6 here: 1 - k^ is off by 1e-10, which a large gamma_star shows."""
    model = nask.NASK(
        n_hops=2, gamma=1.8e-6, gamma_star=9e5, prune_cores=True, engine=engine, normalize=True
    )
    wrong = 0
    for seed in range(100, 130):
        graphs = random_graphs(8, seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PrecisionWarning)
            K = model.fit_transform(graphs)
        told = any(issubclass(own.category, PrecisionWarning) for own in caught)
        assert told or abs(K.diagonal()[:-1] - 1).max() < 1e-9
        wrong += told
    assert model.fitted_.graphs.spec.rounding > 1e-11
    assert wrong < 30
