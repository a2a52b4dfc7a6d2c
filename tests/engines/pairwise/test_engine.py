"""How work is cut into tasks, and the memory that they share."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.engines.pairwise import tile
from nask.engines.pairwise.tiling import Tiling, cut_work
from nask.exceptions import MemoryLimitError
from nask.storage.window import Window


def tiling(sizes, edge_values, **options):
    """Rings of these sizes with numbers and labels, in blocks of at most 32 nodes."""
    random = np.random.default_rng(0)
    graphs = []
    for n in sizes:
        edges = [(v, (v + 1) % n) for v in range(n)] if n > 2 else []
        graphs.append(
            nask.AttributedGraph(
                n,
                edges=edges,
                node_attributes={
                    "x": random.normal(size=n),
                    "y": list(random.choice(["a", "b"], n)),
                },
                edge_attributes={"z": random.normal(size=len(edges))} if edge_values else None,
            )
        )
    prepared = nask.NASK(engine="pairwise", **options).fit(graphs).fitted_.graphs
    return Tiling.of(
        prepared, prepared, Window.whole(prepared.batch.n_graphs, prepared.batch.n_graphs), 32
    )


@pytest.mark.parametrize("edge_values", [False, True])
@pytest.mark.parametrize("expansion", ["nested", "ball"])
def test_what_a_task_leaves_in_memory_does_not_matter(edge_values, expansion):
    tiles = tiling([3, 30, 5, 41, 1, 12, 7, 64, 2], edge_values, expansion=expansion)
    places = tiles.tasks()
    assert len(places) > 3
    # Another process, too, begins with memory of its own.
    fresh = [pickle.loads(pickle.dumps(tiles)).hops(*place)[0] for place in places]
    for array in tiles.memory.space(tiles.sizes, tiles.dtype):
        array[:] = np.nan
    for order in (range(len(places)), reversed(range(len(places)))):
        for k in order:
            np.testing.assert_array_equal(tiles.hops(*places[k])[0], fresh[k])
    assert tiles.memory.space(tiles.sizes, tiles.dtype) is tiles.memory.kept


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(1, 60))
def test_ranges_cover_the_work_and_are_short(work, each):
    ranges = cut_work(np.array(work, dtype=np.int64), each)
    assert [k for first, last in ranges for k in range(first, last)] == list(range(len(work)))
    # One piece more than fits at most.
    assert all(sum(work[first : last - 1]) <= each + max(work) for first, last in ranges)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_self_terms_are_the_diagonal_to_the_last_digit(sizes):
    graphs = [nask.AttributedGraph(n, edges=[(0, v) for v in range(1, n)]) for n in sizes]
    kernel = nask.NASK(engine="pairwise", normalize=False, n_hops=2)
    gram = kernel.fit_transform(graphs)
    np.testing.assert_array_equal(gram.diagonal(), kernel.diag(graphs))


def test_graphs_whose_pairs_of_nodes_fit_no_memory_are_refused_with_advice(monkeypatch, mutag):
    def none_left(*_):
        raise MemoryError

    monkeypatch.setattr(tile, "aligned", none_left)
    advice = r"Graphs of \d+ and \d+ nodes .* NASKFeatures takes"
    with pytest.raises(MemoryLimitError, match=advice):
        nask.NASK(engine="pairwise").fit(mutag.graphs[:2])
