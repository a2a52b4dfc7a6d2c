"""Distinct stars against distinct stars at one hop, pair by pair."""

import numpy as np
import pytest

from nask.engines.distinct.rows import (
    DistinctStars,
    DistinctWorkspace,
    add_rows,
    compare_stars,
)
from nask.stars.hop_rules import HopRules

N_BEFORE, N_BUNDLES, N_GRAPHS = 16, 8, 5  # whole vectors of the first two


def lists(rng, n, n_elements, least=0):
    ptr = np.concatenate([[0], np.cumsum(rng.integers(least, 4, n))])
    return ptr, rng.integers(0, n_elements, ptr[-1])


def stars(rng, n):
    members, graphs = lists(rng, n, 13, 1), lists(rng, n, N_GRAPHS)
    return DistinctStars(
        rng.integers(0, 13, n), *members, rng.integers(0, 6, n), rng.uniform(0.02, 0.08, n),
        rng.integers(0, 4, n).astype(np.int32), *graphs, rng.integers(1, 4, len(graphs[1])) * 1.0,
    )  # fmt: skip


def pair_by_pair(P, cores, edge_term, a, b, rules):
    """k_h and its normalised form, in float64 whatever holds P."""
    P, cores, edge_term = (each.astype(np.float64) for each in (P, cores, edge_term))
    k = np.empty((len(a.core), len(b.core)))
    for v in range(len(a.core)):
        for c in range(len(b.core)):
            rows = a.member[a.member_ptr[v] : a.member_ptr[v + 1]]
            columns = b.member[b.member_ptr[c] : b.member_ptr[c + 1]]
            members = P[np.ix_(rows, columns)].sum()
            core = (cores[a.core[v], b.core[c]] - rules.core_floor) * rules.core_scale
            k[v, c] = (members + edge_term[a.bundle[v], b.bundle[c]]) * core
    normalised = k * a.norm[:, None] * b.norm
    if rules.guarded:
        alike = a.alike[:, None] == b.alike
        normalised = np.where(alike, 1.0, np.minimum(normalised, np.nextafter(1, 0)))
    return k, normalised


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["plain", "guarded", "walk"])
@pytest.mark.parametrize("star_norm", [True, False])
@pytest.mark.parametrize("deeper", [True, False])
def test_sums_by_graph_and_the_next_hop(dtype, kind, star_norm, deeper):
    guarded, walk = kind == "guarded", kind == "walk"
    rng = np.random.default_rng(0)
    a, b = stars(rng, 21), stars(rng, 19)
    P = rng.uniform(0.2, 1, (13, N_BEFORE)).astype(dtype)
    edge_term = rng.uniform(0, 5, (6, N_BUNDLES)).astype(dtype)
    # The cores of walks are compared as nodes, of which there may be more or fewer.
    cores = rng.uniform(0.2, 1, (13, 3 * N_BEFORE)).astype(dtype) if walk else P
    rules = HopRules(3.0, star_norm, 0.1, 1.25, guarded, guarded, walk)
    first, last, start, n_half = 8, 21, 8, 12
    P_h = np.full((24, 24 if deeper else 0), np.nan, dtype=dtype)
    out = np.full((last - first, N_GRAPHS), np.nan)
    space = DistinctWorkspace.of(N_BEFORE, cores.shape[1], N_BUNDLES, N_GRAPHS)
    compare_stars(P, cores, edge_term, a, first, last, b, start, n_half, rules, P_h, space, out)

    k, normalised = pair_by_pair(P, cores, edge_term, a, b, rules)
    kappa = normalised if star_norm else k
    expected = np.zeros((21, N_GRAPHS))
    for c in range(start, 19):
        share = 0.5 if c < n_half else 1.0
        for i in range(b.graph_ptr[c], b.graph_ptr[c + 1]):
            expected[:, b.graph[i]] += share * b.times[i] * kappa[:, c]
    np.testing.assert_allclose(out, expected[first:], rtol=1e-12)
    if deeper:
        rtol = 1e-12 if dtype == "float64" else 1e-6
        found = P_h[first:last, start:19]
        below = normalised if walk else np.exp(3.0 * (normalised - 1))
        np.testing.assert_allclose(found, below[first:, start:], rtol=rtol)
    if guarded:
        others = (k * a.norm[:, None] * b.norm)[first:, start:]
        others = others[a.alike[first:, None] != b.alike[start:]]
        assert space.nearest.max() == pytest.approx(others.max(), rel=1e-12)


def test_rows_are_added_to_the_graphs_of_their_stars():
    rng = np.random.default_rng(1)
    a, rows, gram = stars(rng, 9), rng.normal(size=(4, 3)), np.ones((N_GRAPHS, 3))
    add_rows(gram, rows, a, 2, 0.25)
    expected = np.ones((N_GRAPHS, 3))
    for r in range(4):
        for i in range(a.graph_ptr[2 + r], a.graph_ptr[3 + r]):
            expected[a.graph[i]] += 0.25 * a.times[i] * rows[r]
    np.testing.assert_allclose(gram, expected, rtol=1e-13)
