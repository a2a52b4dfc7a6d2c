"""Every fast engine gives what the equations give."""

import warnings
from contextlib import contextmanager
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from nask.engines import distinct, pairwise, star_parts
from nask.exceptions import ParameterError, UnseenAttributeWarning
from strategies import collections

FAST = [
    ("nested", "pairwise"),
    ("nested", "distinct"),
    ("ball", "pairwise"),
    ("ball", "explicit"),
]
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
)


@pytest.mark.parametrize(("engine", "dtype"), list(product(FAST, TOLERANCE)))
@settings(max_examples=80)
@given(data=st.data())
def test_fast_engines_agree_with_the_equations(engine, dtype, data):
    expansion, name = engine
    options = data.draw(OPTIONS) | {"expansion": expansion, "normalize": False}
    if name == "explicit" and options["degree"] == "numerical":
        options["degree"] = None
    train, new = data.draw(collections(categorical_only=name == "explicit"))
    # Rounding errors of either engine grow as gamma_star^(n_hops - 1): four hops at 64 would make
    # 6e-11 of float64's 2e-16.
    if options["gamma_star"] == 64.0:
        options["n_hops"] = min(options["n_hops"], 3)
    fast = nask.NASK(engine=name, dtype=dtype, **options)
    oracle = nask.NASK(engine="reference", **options)
    with small_pieces(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        close(fast.fit(train).hop_grams(train), oracle.fit(train).hop_grams(train), dtype)
        close(fast.hop_grams(new), oracle.hop_grams(new), dtype)
        close(fast.diag(new), oracle.diag(new), dtype)
        close(fast(new, new[:1]), oracle(new, new[:1]), dtype)


@contextmanager
def small_pieces():
    """Tiles and blocks of a few nodes, so that drawn graphs cross their borders."""
    with (
        patch.multiple(pairwise, RUN_NODES=4, BLOCK_NODES=3),
        patch.object(distinct, "BLOCK_STARS", 3),
        patch.object(star_parts, "STORED_BYTES", 500),
    ):
        yield


def close(fast, oracle, dtype):
    assert fast.shape == oracle.shape
    np.testing.assert_allclose(fast, oracle, rtol=TOLERANCE[dtype], atol=1e-15)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("expansion", "engine"), FAST[:3])
def test_agreement_on_real_graphs_with_every_kind_of_attribute(cuneiform, expansion, engine, dtype):
    graphs = cuneiform.graphs[::40]
    options = {"expansion": expansion, "n_hops": 2, "degree": "numerical", "gamma": 0.5}
    fast = nask.NASK(engine=engine, dtype=dtype, **options).fit_transform(graphs)
    oracle = nask.NASK(engine="reference", **options).fit_transform(graphs)
    assert fast.dtype == dtype
    np.testing.assert_allclose(fast, oracle, rtol=TOLERANCE[dtype])


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
    assert chosen(mutag.graphs, expansion="nested") == "distinct"
    assert chosen(mutag.graphs[:9], expansion="nested") == "pairwise"
    assert chosen(mutag.graphs, expansion="nested", n_hops=1) == "explicit"
    assert chosen(cuneiform.graphs[:20], expansion="ball") == "pairwise"
    assert chosen(cuneiform.graphs, expansion="nested") == "pairwise"
    names = nask.AttributedGraph(2, node_attributes={"name": ["a", "b"]})
    many = [nask.AttributedGraph(1, node_attributes={"name": [f"{i}"]}) for i in range(200)]
    assert chosen([names, *many], expansion="ball") == "pairwise"


@pytest.mark.parametrize(
    ("engine", "needs"),
    [("explicit", "categorical attributes only"), ("distinct", "expansion='nested'")],
)
def test_an_engine_says_what_it_cannot_do(cuneiform, engine, needs):
    with pytest.raises(ParameterError, match=needs):
        nask.NASK(engine=engine, expansion="ball").fit(cuneiform.graphs[:3])


def test_wide_features_are_multiplied_sparse(monkeypatch, mutag):
    dense = nask.NASK(expansion="ball", engine="explicit").fit_transform(mutag.graphs[:30])
    monkeypatch.setattr("nask.engines.explicit.DENSE_BYTES", 0)
    sparse = nask.NASK(expansion="ball", engine="explicit").fit_transform(mutag.graphs[:30])
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)
