"""Graphs laid out for tiles: blocks, lists of members and their octets, one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask.compiled.places import Places
from nask.compiled.vectors import LANES
from nask.engines.pairwise.layout import cut, lists, octets
from nask.stars.members import Members

SIZES = [3, 0, 11, 1, 9, 4]
PTR = np.concatenate([[0], np.cumsum(SIZES)])
CUTS = np.array([0, 3, 4, 6])


@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=15),
    n_nodes=st.integers(1, 60),
    data=st.data(),
)
def test_blocks_are_as_long_as_they_may_be(sizes, n_nodes, data):
    first = data.draw(st.integers(0, len(sizes) - 1))
    last = data.draw(st.integers(first + 1, len(sizes)))
    cuts = cut(np.concatenate([[0], np.cumsum(sizes)]), slice(first, last), n_nodes).tolist()
    expected, held = [first], 0
    for graph in range(first, last):
        if graph > expected[-1] and held + sizes[graph] > n_nodes:
            expected.append(graph)
            held = 0
        held += sizes[graph]
    assert cuts == [*expected, last]


@pytest.fixture
def layout():
    """Two levels of lists within each graph, and the nodes in an order of their own."""
    rng = np.random.default_rng(0)
    n, matrix = PTR[-1], []
    for _ in range(2):
        rows = []
        for first, last in pairwise(PTR):
            for _ in range(first, last):
                rows.append(rng.choice(np.arange(first, last), rng.integers(0, last - first + 1)))
        matrix.append(rows)
    counts = np.array([[len(row) for row in rows] for rows in matrix])
    ends = np.cumsum(counts.ravel())
    ptr = np.concatenate([[0], ends])
    members = Members(
        np.array([ptr[level * n : (level + 1) * n + 1] for level in range(2)]),
        np.concatenate([row for rows in matrix for row in rows]).astype(np.int64),
    )
    return matrix, members, Places.of(PTR, CUTS, rng.random(n))


def test_lists_by_place(layout):
    matrix, members, nodes = layout
    positions = nodes.positions(PTR[-1])
    ptr, member = lists(members, nodes, positions)
    for level, rows in enumerate(matrix):
        for place, node in enumerate(nodes.source):
            found = member[ptr[level, place] : ptr[level, place + 1]]
            expected = positions[rows[node]] if node >= 0 else []
            np.testing.assert_array_equal(found, expected)


def test_octets(layout):
    """The k-th members of eight rows side by side; where a row has no more, the vector of zeros."""
    matrix, members, nodes = layout
    positions = nodes.positions(PTR[-1])
    packed = octets(*lists(members, nodes, positions), nodes, nodes)
    for level, rows in enumerate(matrix):
        for vector in range(len(nodes.source) // LANES):
            block = np.searchsorted(nodes.ptr, vector * LANES, side="right") - 1
            first, last = nodes.ptr[block : block + 2]
            start, end = packed.ptr[level, vector : vector + 2]
            turns = packed.member[start:end].reshape(-1, LANES)
            own = nodes.source[vector * LANES : (vector + 1) * LANES]
            longest = max((len(rows[node]) for node in own if node >= 0), default=0)
            assert len(turns) == longest
            for lane, node in enumerate(own):
                expected = np.full(longest, last - first)
                if node >= 0:
                    expected[: len(rows[node])] = positions[rows[node]] - first
                np.testing.assert_array_equal(turns[:, lane], LANES * expected)
