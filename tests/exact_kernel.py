"""The equations once more, with as many digits as they take: what rounding cannot touch.

Written from the definition alone: no colours, no stars that are known to be alike. Their
similarity comes out as 1 because the arithmetic is precise enough, whatever gamma_star makes of
what is missing.
"""

import math

import mpmath as mp
import numpy as np

from nask.engines.reference.stars import members_of
from nask.numeric import TINY


def hop_grams(prepared, other):
    """K_h between the graphs of two prepared batches, (n_hops, n, m), as float64."""
    spec = prepared.spec
    digits = spec.n_hops * max(0.0, math.log10(spec.gamma_star)) + 40
    with mp.workdps(int(digits)):
        a, b = (_stars(x.batch, spec) for x in (prepared, other))
        result = np.zeros((spec.n_hops, len(a), len(b)))
        own = [_hops(x, x, spec, None, None)[1] for x in a]
        others = [_hops(x, x, spec, None, None)[1] for x in b]
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                result[:, i, j] = [float(k) for k in _hops(x, y, spec, own[i], others[j])[0]]
    return result


def _stars(batch, spec):
    """Attributes of the nodes and edges, and members of the stars, of each graph."""
    graphs = []
    for i in range(batch.n_graphs):
        nodes, edges = (slice(*x.ptr[i : i + 2]) for x in (batch.nodes, batch.edges))
        graphs.append(
            (
                (batch.nodes.numerical[:, nodes], batch.nodes.categorical[:, nodes]),
                (batch.edges.numerical[:, edges], batch.edges.categorical[:, edges]),
                *members_of(batch, i, 1, spec),
            )
        )
    return graphs


def _similarity(a, b, s):
    """P between elements, and what of it exceeds P of two that are entirely dissimilar."""
    if s.joint:
        return _gaussian(a, b, s)
    base = mp.mpf(s.constant)
    excess = mp.matrix(a[0].shape[1], b[0].shape[1])
    parts = (
        (s.numerical_gamma, s.numerical_weight, a[0], b[0], _distance),
        (s.categorical_gamma, s.categorical_weight, a[1], b[1], lambda x, y: int(not x == y >= 0)),
    )
    for gammas, weights, values, others, distance in parts:
        exact = ([mp.mpf(float(x)) for x in numbers] for numbers in (gammas, weights))
        for gamma, weight, x, y in zip(*exact, values, others, strict=True):
            base += weight * mp.exp(-gamma)
            for v, w in np.ndindex(excess.rows, excess.cols):
                d = distance(x[v], y[w])
                if d < 1:  # and so not missing
                    excess[v, w] += weight * (mp.exp(-gamma * d) - mp.exp(-gamma))
    return base, excess


def _gaussian(a, b, s):
    """P as a Gaussian, of which nothing is taken off: its least value is 0."""
    P = mp.matrix(a[0].shape[1], b[0].shape[1])
    scales = [
        [mp.mpf(float(w)) * mp.mpf(float(g)) for w, g in zip(weights, gammas, strict=True)]
        for weights, gammas in (
            (s.numerical_weight, s.numerical_gamma),
            (s.categorical_weight, s.categorical_gamma),
        )
    ]
    for v, w in np.ndindex(P.rows, P.cols):
        numbers = zip(scales[0], a[0][:, v], b[0][:, w], strict=True)
        codes = zip(scales[1], a[1][:, v], b[1][:, w], strict=True)
        distance = mp.fsum(k * _distance(x, y) ** 2 for k, x, y in numbers)
        # Half for each of two values that differ, and none for a missing one.
        distance += mp.fsum(k * (int(x >= 0) + int(y >= 0)) / 2 for k, x, y in codes if x != y)
        P[v, w] = mp.exp(-distance)
    return mp.mpf(0), P


def _distance(x, y):
    return abs(mp.mpf(float(x)) - mp.mpf(float(y)))


def _hops(a, b, spec, own, other):
    """K_h of two graphs for all hops, and k_h(v, v) by hop, of a graph with itself."""
    (nodes_a, edges_a, stars_a, incident_a), (nodes_b, edges_b, stars_b, incident_b) = a, b
    n, m = len(stars_a), len(stars_b)
    base, excess = _similarity(nodes_a, nodes_b, spec.nodes)
    edge_base, edge_excess = _similarity(edges_a, edges_b, spec.edges)
    P = [[base + excess[v, w] for w in range(m)] for v in range(n)]
    core = P
    if spec.prune_cores and spec.nodes.floor > 0:
        spread = mp.mpf(spec.nodes.spread)
        core = [[excess[v, w] / spread for w in range(m)] for v in range(n)]
    gamma_star = mp.mpf(spec.gamma_star)
    floor = mp.exp(-gamma_star)
    sums, self_terms = [], []
    for h in range(spec.n_hops):
        k = [[mp.mpf(0)] * m for _ in range(n)]
        for v in range(n):
            for w in range(m):
                members = mp.fsum(P[u][x] for u in stars_a[v] for x in stars_b[w])
                if spec.use_edges:
                    members += mp.fsum(
                        edge_base + edge_excess[e, f] for e in incident_a[v] for f in incident_b[w]
                    )
                k[v][w] = core[v][w] * members
        self_terms.append([k[v][v] for v in range(min(n, m))])
        left = own[h] if own is not None else self_terms[-1]
        right = other[h] if other is not None else self_terms[-1]
        hat = [
            [
                k[v][w] / mp.sqrt(left[v] * right[w]) if min(left[v], right[w]) >= TINY else 0
                for w in range(m)
            ]
            for v in range(n)
        ]
        sums.append(mp.fsum(x for row in (hat if spec.star_norm else k) for x in row))
        P = [[mp.exp(-gamma_star * (1 - x)) for x in row] for row in hat]
        core = P
        if spec.prune_cores:
            core = [[(x - floor) / (1 - floor) for x in row] for row in P]
    return sums, self_terms
