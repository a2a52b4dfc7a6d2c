"""Every fast engine gives what the equations give."""

import warnings
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from nask.compiled.vectors import LANES
from nask.engines.distinct import engine as distinct
from nask.engines.distinct import groups
from nask.engines.explicit import column_product
from nask.engines.explicit import engine as explicit
from nask.engines.pairwise import engine as pairwise
from nask.engines.pairwise import tiling
from nask.exceptions import AbsentAttributeWarning, ParameterError, UnseenAttributeWarning
from strategies import VARIANTS, collections, fitting

ENGINES = {
    "nested": ("pairwise", "distinct"),
    "ball": ("pairwise", "explicit"),
    "walk": ("pairwise", "distinct"),
}
FAST = [(expansion, engine) for expansion, engines in ENGINES.items() for engine in engines]
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
OPTIONS = st.fixed_dictionaries(
    {
        "n_hops": st.integers(1, 4),
        "gamma": st.sampled_from([0.05, 1.0, 8.0, 100.0, 300.0, 2000.0]),
        "gamma_star": st.sampled_from([0.5, 4.0, 8.0, 64.0]),
        "prune_cores": st.booleans(),
        "star_norm": st.booleans(),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
    }
    | VARIANTS
)


@pytest.mark.parametrize("expansion", ENGINES)
@settings(max_examples=80)
@given(data=st.data())
def test_fast_engines_agree_with_the_equations(expansion, data):
    options = fitting(data.draw(OPTIONS) | {"expansion": expansion, "normalize": False})
    train, new = data.draw(collections())
    # Rounding errors of either engine grow as gamma_star^(n_hops - 1): four hops at 64 would make
    # 6e-11 of float64's 2e-16.
    if options["gamma_star"] == 64.0:
        # Pruning divides them by 1 - e^-gamma in addition, which is 1/20 at 0.05.
        steep = options["prune_cores"] and options["gamma"] == 0.05
        options["n_hops"] = min(options["n_hops"], 2 if steep else 3)
    # Made here: the front loads on use, and no module may see the small tiles as its own numbers.
    oracle = nask.NASK(engine="reference", **options)
    kernels = [
        nask.NASK(engine=name, dtype=dtype, **options)
        for name in engines_of(options)
        for dtype in TOLERANCE
    ]
    with small_tiles(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        expected = answers(oracle, train, new)
        for fast in kernels:
            for ours, theirs in zip(answers(fast, train, new), expected, strict=True):
                close(ours, theirs, fast)


def engines_of(options):
    """The fast engines that compute a kernel: one of them needs a sum over attributes."""
    engines = ENGINES[options["expansion"]]
    if options["n_hops"] == 1:
        engines = ("pairwise", "explicit", "distinct")
    return [name for name in engines if (name, options["similarity"]) != ("explicit", "euclidean")]


def answers(kernel, train, new):
    kernel.fit(train)
    return (
        kernel.hop_grams(train),
        kernel.hop_grams(new),
        kernel.diag(new),
        kernel(new, new[:1]),
    )


@contextmanager
def small_tiles():
    """Tiles and blocks of a few nodes, so that drawn graphs cross their borders."""
    with (
        patch.object(pairwise, "TILE_NODES", 3),
        patch.object(tiling, "TASK_PAIRS", 10),
        patch.object(distinct, "TASK_STARS", LANES),
        patch.object(groups, "STORED_BYTES", 500),
        patch.object(explicit, "TILE_NUMBERS", 4),
        # Of a few graphs every column is common; so some are multiplied sparse, some dense.
        patch.multiple(column_product, DENSE_PER_SPARSE=3, DENSE_BYTES=400),
    ):
        yield


def close(ours, theirs, kernel):
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(
        ours, theirs, rtol=TOLERANCE[kernel.dtype], atol=1e-15, err_msg=str(kernel)
    )


@pytest.mark.slow
@pytest.mark.parametrize("expansion", ENGINES)
def test_agreement_on_real_graphs_with_every_kind_of_attribute(cuneiform, expansion):
    graphs = cuneiform.graphs[::60]
    options = {"expansion": expansion, "n_hops": 2, "degree": "numerical", "gamma": 0.5}
    oracle = nask.NASK(engine="reference", **options).fit_transform(graphs)
    for engine in ENGINES[expansion]:
        for dtype, tolerance in TOLERANCE.items():
            fast = nask.NASK(engine=engine, dtype=dtype, **options).fit_transform(graphs)
            assert fast.dtype == dtype
            np.testing.assert_allclose(fast, oracle, rtol=tolerance, err_msg=f"{engine}, {dtype}")


@pytest.mark.parametrize(("expansion", "engine"), FAST)
def test_agreement_where_graphs_need_many_tiles(mutag, expansion, engine):
    """All of MUTAG takes several runs and blocks; the reference sees pairs far apart in it."""
    some = [mutag.graphs[i] for i in (0, 60, 119, 187)]
    options = {"expansion": expansion, "n_hops": 2}
    whole = nask.NASK(engine=engine, n_jobs=2, **options).fit_transform(mutag.graphs)
    oracle = nask.NASK(engine="reference", **options).fit_transform(some)
    block = whole[np.ix_([0, 60, 119, 187], [0, 60, 119, 187])]
    np.testing.assert_allclose(block, oracle, rtol=1e-10)


def test_auto_takes_what_is_least_work(mutag, cuneiform):
    def chosen(graphs, **parameters):
        return nask.NASK(**parameters).fit(graphs).engine_

    assert chosen(mutag.graphs, expansion="ball") == "explicit"
    assert chosen(mutag.graphs, expansion="ball", degree="numerical") == "explicit"
    assert chosen(mutag.graphs, expansion="nested") == "distinct"
    assert chosen(mutag.graphs[:9], expansion="nested") == "pairwise"
    assert chosen(mutag.graphs, expansion="nested", n_hops=1) == "explicit"
    assert chosen(cuneiform.graphs[:20], expansion="ball") == "pairwise"
    assert chosen(cuneiform.graphs, expansion="nested") == "pairwise"


def few_numbers(n_values, n_graphs=60, n_nodes=8):
    """Paths whose nodes have one of so many numbers."""
    rng = np.random.default_rng(0)
    path = [(i, i + 1) for i in range(n_nodes - 1)]
    return [
        nask.AttributedGraph(n_nodes, path, {"x": rng.integers(n_values, size=n_nodes) / 3})
        for _ in range(n_graphs)
    ]


def test_auto_counts_distinct_numbers_and_common_categories():
    ball = nask.NASK(expansion="ball")
    assert ball.fit(few_numbers(5)).engine_ == "explicit"
    assert ball.fit(few_numbers(400)).engine_ == "pairwise"
    # Comparing numbers is work for each graph, which few pairs do not repay.
    assert ball.fit(few_numbers(25, n_graphs=3)).engine_ == "pairwise"
    # Names that no two graphs share are many features, but no products.
    names = [nask.AttributedGraph(1, node_attributes={"name": [f"{i}"]}) for i in range(200)]
    assert ball.fit(names).engine_ == "explicit"
    # Ten attributes of five common values: 51 x 52 features, against one pair of nodes.
    rng = np.random.default_rng(0)
    attributes = [{f"a{d}": [rng.choice(list("abcde"))] for d in range(10)} for _ in range(200)]
    common = [nask.AttributedGraph(1, node_attributes=values) for values in attributes]
    assert ball.fit(common).engine_ == "pairwise"


@pytest.mark.parametrize(
    ("engine", "expansion", "needs"),
    [
        ("explicit", "nested", r"expansion='ball' \(or n_hops=1\)"),
        ("explicit", "walk", r"expansion='ball' \(or n_hops=1\)"),
        ("explicit", "ball", "numerical attributes of at most 1000 distinct values"),
        ("distinct", "ball", "expansion='nested' or 'walk'"),
    ],
)
def test_an_engine_says_what_it_cannot_do(engine, expansion, needs):
    numbers = np.random.default_rng(0).random(1001)
    graph = nask.AttributedGraph(1001, node_attributes={"x": numbers})
    with pytest.raises(ParameterError, match=needs):
        nask.NASK(engine=engine, expansion=expansion).fit([graph])


def test_a_product_over_attributes_is_no_matrix_product():
    graph = nask.AttributedGraph(2, node_attributes={"x": [0.0, 1.0]})
    kernel = nask.NASK(engine="explicit", expansion="ball", similarity="euclidean")
    with pytest.raises(ParameterError, match="a sum over attributes, which 'euclidean' is not"):
        kernel.fit([graph])
    assert kernel.set_params(engine="auto").fit([graph]).engine_ == "pairwise"
