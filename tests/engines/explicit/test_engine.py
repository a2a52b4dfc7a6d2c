"""Explicit features of numbers with few values, and their products: dense, sparse, in windows."""

import warnings
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import nask
from nask.engines.explicit import column_product
from nask.engines.explicit import engine as explicit
from nask.engines.explicit.column_product import ColumnProduct
from nask.engines.explicit.work import multiplying, value_shares
from nask.engines.selection import ENGINES
from nask.exceptions import AbsentAttributeWarning, MemoryLimitError, UnseenAttributeWarning
from nask.execution.execution import Execution
from nask.storage.window import Window
from strategies import MORE_LETTERS, graphs, sharing

FEW = st.sampled_from([0.0, 0.3, 0.5, 1.0])
OTHERS = st.sampled_from([0.0, 0.3, 0.4, 0.9, -0.5, 1.7, -1e9, 1e9])
OPTIONS = st.fixed_dictionaries(
    {
        "n_hops": st.integers(1, 3),
        "gamma": st.sampled_from([0.05, 1.0, 8.0, 300.0]),
        "prune_cores": st.booleans(),
        "star_norm": st.booleans(),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
    }
)


@pytest.mark.slow
@settings(max_examples=100)
@given(
    train=st.lists(graphs(numbers=FEW), min_size=1, max_size=5),
    new=st.lists(graphs(numbers=OTHERS, letters=MORE_LETTERS), min_size=1, max_size=4),
    options=OPTIONS,
    ratio=st.sampled_from([0, 3, 10**9]),
)
def test_numbers_of_few_values_agree_with_the_equations(train, new, options, ratio):
    """New values, far values, unseen categories and missing ones, by dense and sparse products."""
    options |= {"expansion": "ball", "normalize": False}
    new = sharing(train, new)
    fast, oracle = (nask.NASK(engine=engine, **options) for engine in ("explicit", "reference"))
    ways = patch.multiple(column_product, DENSE_PER_SPARSE=ratio, DENSE_BYTES=200)
    with ways, patch.object(explicit, "TILE_NUMBERS", 4), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        K = fast.fit(train).hop_grams(train)
        np.testing.assert_array_equal(K, K.transpose(0, 2, 1))
        for ours, theirs in (
            (K, oracle.fit(train).hop_grams(train)),
            (fast.hop_grams(new), oracle.hop_grams(new)),
            (fast(new), oracle(new)),
            (fast(new, train[::-1]), oracle(new, train[::-1])),
            (fast.diag(new), oracle.diag(new)),
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-15)


def test_dissimilar_cores_are_exactly_nothing_to_each_other():
    """Cores a whole range apart, though one has a member like the other."""
    low = nask.AttributedGraph(2, [(0, 1)], {"x": [0.0, None]}, {"w": [3.0]})
    high = nask.AttributedGraph(2, [(0, 1)], {"x": [1.0, None]}, {"w": [3.0]})
    near = nask.AttributedGraph(1, [], {"x": [0.9]})
    kernel = nask.NASK(expansion="ball", prune_cores=True, engine="explicit", gamma=0.1)
    K = kernel.fit_transform([low, high, near])
    assert K[0, 1] == K[1, 0] == 0.0
    assert K[0, 2] > 0
    assert kernel.transform([nask.AttributedGraph(1, [], {"x": [-0.5]})])[0, 1:].tolist() == [0, 0]


def test_nothing_to_compare_cores_by_makes_zero():
    """All values missing: the core factor is 0 everywhere, and 0 / 0 is 0."""
    blank = nask.AttributedGraph(2, [(0, 1)], {"x": [None, None], "y": [1.0, None]})
    other = nask.AttributedGraph(1, [], {"x": [None], "y": [None]})
    kernel = nask.NASK(expansion="ball", prune_cores=True, engine="explicit").fit([blank])
    np.testing.assert_array_equal(kernel.transform([other]), [[0.0]])
    assert kernel.diag([other]).tolist() == [0.0]


@pytest.mark.parametrize("degree", [None, "numerical"])
def test_windows_are_parts_of_the_whole(mutag, degree):
    options = {"expansion": "ball", "n_hops": 2, "degree": degree, "engine": "explicit"}
    kernel = nask.NASK(**options).fit(mutag.graphs[:60])
    rows = kernel.fitted_.graphs
    columns = kernel.fitted_.prepare(mutag.graphs[40:90], kernel.execution())
    each = np.array([[1.0, 0.0], [0.5, 2.0]])

    def grams(a, b, window):
        return ENGINES["explicit"].grams(a, b, each, Execution(), window)

    for a, b in ((rows, rows), (rows, columns)):
        whole = grams(a, b, Window.whole(a.batch.n_graphs, b.batch.n_graphs))
        for rows_of, columns_of in (((3, 17), (10, 45)), ((5, 20), (5, 20)), ((7, 7), (0, 9))):
            window = Window(slice(*rows_of), slice(*columns_of))
            part = grams(a, b, window)
            assert part.shape == (2, *window.shape)
            np.testing.assert_allclose(part, whole[:, window.rows, window.columns], rtol=1e-12)
    square = grams(rows, rows, Window(slice(5, 20), slice(5, 20)))
    np.testing.assert_array_equal(square, square.transpose(0, 2, 1))


def test_the_memory_of_vectors_counts(mutag):
    kernel = nask.NASK(expansion="ball", engine="explicit").fit(mutag.graphs)
    training = kernel.fitted_.graphs
    engine, each = ENGINES["explicit"], np.ones((1, 3))
    whole, pair = (
        Window.whole(training.batch.n_graphs, training.batch.n_graphs),
        Window(slice(0, 1), slice(1, 2)),
    )
    # The result and a tile of it take 1.4 MB, the vectors about as much again.
    limit = Execution(memory_limit=2_000_000)
    with pytest.raises(MemoryLimitError, match="with their vectors"):
        engine.grams(training, training, each, limit, whole)
    assert engine.grams(training, training, each, limit, pair).shape == (1, 1, 1)
    with pytest.raises(MemoryLimitError, match="The vectors of these graphs"):
        engine.prepare(training.batch, training.spec, Execution(memory_limit=100_000))


@given(
    seed=st.integers(0, 10**6),
    ratio=st.sampled_from([0, 1, 5, 30, 10**9]),
    n_bytes=st.sampled_from([1, 300, 10**6]),
)
def test_every_column_is_multiplied_once(seed, ratio, n_bytes):
    rng = np.random.default_rng(seed)
    n, m, width = rng.integers(0, 12, size=3)
    # Some columns are full, some rare, some empty in one factor or in both.
    a, b = (
        sparse.csr_array(rng.integers(1, 9, (size, width)) * (rng.random((size, width)) < density))
        for size in (n, m)
        for density in [rng.choice([0.0, 0.1, 1.0], size=width)]
    )
    with patch.multiple(column_product, DENSE_PER_SPARSE=ratio, DENSE_BYTES=n_bytes):
        product = ColumnProduct.of(a, b, "float64")
        terms = list(product.terms())
    total, at_a_time = np.zeros((n, m)), 0
    for x, y in terms:
        if sparse.issparse(x):
            total += (x @ y.T).toarray()
        else:
            total += x @ y.T
            at_a_time = max(at_a_time, x.nbytes + y.nbytes)
    # One column at least.
    assert at_a_time <= max(n_bytes, 8 * (n + m))
    np.testing.assert_array_equal(total, a.toarray() @ b.toarray().T)


@pytest.mark.parametrize("degree", [None, "categorical", "numerical"])
def test_estimated_work_is_near_the_work_done(mutag, degree):
    """A little above the products of the three hops of MUTAG, as no star has all values."""
    kernel = nask.NASK(expansion="ball", engine="explicit", degree=degree).fit(mutag.graphs)
    training, done = kernel.fitted_.graphs, []
    for a, b in explicit._factors(*2 * (training.maps, training.mapped)):
        product = ColumnProduct.of(a, b, "float64")
        counts = [np.bincount(x.indices, minlength=a.shape[1])[product.rare] for x in (a, b)]
        sparse_work = column_product.DENSE_PER_SPARSE * np.prod(counts, axis=0).sum()
        done.append(len(product.dense) + sparse_work / len(mutag.graphs) ** 2)
    estimate = multiplying(*value_shares(training.batch, training.spec))
    assert np.mean(done) < estimate < 1.3 * np.mean(done)
