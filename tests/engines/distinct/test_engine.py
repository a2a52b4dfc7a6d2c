"""Stars that repeat: compared once, counted as often as they occur, part by part where asked."""

import warnings
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from nask.engines.distinct import engine as distinct
from nask.engines.distinct import groups
from nask.exceptions import AbsentAttributeWarning, MemoryLimitError, UnseenAttributeWarning
from nask.execution.execution import Execution
from nask.storage.window import Window
from strategies import collections


def n_distinct(kernel):
    return [len(np.unique(level)) for level in kernel.fitted_.graphs.colours.levels]


def groups_of(kernel, **limits):
    side = kernel.fitted_.graphs
    window, execution = Window.whole(side.batch.n_graphs, side.batch.n_graphs), Execution(**limits)
    return groups.cut_into_groups(side, side, 1, distinct.TASK_STARS, execution, window)[0]


@settings(max_examples=40)
@given(data=st.data(), star_norm=st.booleans(), prune_cores=st.booleans())
def test_repeated_graphs_are_compared_once(data, star_norm, prune_cores):
    some, new = data.draw(collections(min_size=1, max_size=3))
    train = data.draw(st.permutations([*some, *some, *new, *some]))
    options = {"n_hops": 3, "gamma_star": 4.0, "normalize": False}
    options |= {"star_norm": star_norm, "prune_cores": prune_cores}
    fast = nask.NASK(engine="distinct", **options)
    oracle = nask.NASK(engine="reference", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        K = fast.fit(train).hop_grams(train)
        np.testing.assert_allclose(K, oracle.fit(train).hop_grams(train), rtol=1e-10, atol=1e-15)
    n_nodes = sum(graph.n_nodes for graph in train)
    once = sum(graph.n_nodes for graph in [*some, *new])
    assert max(n_distinct(fast)) <= once
    assert once < n_nodes or not sum(graph.n_nodes for graph in some)


def test_real_stars_repeat(mutag):
    kernel = nask.NASK(engine="distinct").fit(mutag.graphs)
    assert n_distinct(kernel) == [7, 58, 270, 793]
    assert kernel.fitted_.graphs.batch.n_nodes == 3371


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_groups_make_the_same_gram(mutag, dtype):
    """Whole, in 4 groups and in 16, against tiles; new graphs against groups too."""
    train, new = mutag.graphs[:100], mutag.graphs[100:130]
    options = {"n_hops": 3, "gamma_star": 4.0, "dtype": dtype, "normalize": False}
    tiles = nask.NASK(engine="pairwise", **options)
    expected, expected_new = tiles.fit_transform(train), tiles.transform(new)
    numbers = []
    for stored in (10**9, 100_000, 30_000):
        with patch.object(groups, "STORED_BYTES", stored):
            kernel = nask.NASK(engine="distinct", n_jobs=2, **options)
            K = kernel.fit_transform(train)
            numbers.append(len(groups_of(kernel)))
            np.testing.assert_array_equal(K, K.T)
            rtol = 1e-10 if dtype == "float64" else 1e-5
            np.testing.assert_allclose(K, expected, rtol=rtol)
            np.testing.assert_allclose(kernel.transform(new), expected_new, rtol=rtol)
    assert numbers[0] == 1 < numbers[1] < numbers[2]


def test_a_memory_limit_makes_groups_before_it_refuses(mutag):
    kernel = nask.NASK(engine="distinct", n_hops=3)
    whole = kernel.fit_transform(mutag.graphs)
    assert len(groups_of(kernel)) == 1
    assert len(groups_of(kernel, memory_limit=1_000_000)) > 1
    in_groups = kernel.set_params(memory_limit=1_000_000).transform(mutag.graphs)
    np.testing.assert_allclose(in_groups, whole, rtol=1e-10)
    # Enough for the result of 188 x 188 numbers, not for that and a pair of graphs.
    with pytest.raises(MemoryLimitError, match="distinct stars"):
        groups_of(kernel, memory_limit=284_000)


def test_stored_numbers_bound_what_is_stored():
    """P of the edges, of the bundles, and of two hops at a time except at the last."""
    a = groups.GroupSizes(graphs=9, edges=2, bundles=3, levels=[10, 20, 30])
    b = groups.GroupSizes(graphs=9, edges=5, bundles=7, levels=[1, 2, 300])
    assert a.n_stored(b, walk=False) == 3 * 7 + 10 * 1 + 20 * 2
    assert a.n_stored(b, walk=True) == 3 * 7 + 10 * 1 + 20 * 2 + 10 * 1
    one_hop = groups.GroupSizes(graphs=9, edges=100, bundles=3, levels=[10, 20])
    assert one_hop.n_stored(one_hop, walk=False) == 3 * 3 + (100 + 3) * 100


def test_progress_is_told_of_every_block(mutag):
    told = []
    kernel = nask.NASK(engine="distinct", verbose=lambda *step: told.append(step))
    kernel.fit_transform(mutag.graphs)
    # 58, 270 and 793 stars in blocks of 128.
    assert told == [(done, 11) for done in range(1, 12)]
