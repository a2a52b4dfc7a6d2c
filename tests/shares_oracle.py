"""Shares by the equations, with dense matrices of two graphs: the oracle of explanations.

Written from the definition, apart from the code it checks: k = core o (A P A'^T + B PE B'^T), half
of a product's share to each factor, the bracket's half by its addends.
"""

import numpy as np

from nask.attributes.gower import (
    categorical_similarity,
    exponential_transform,
    numerical_similarity,
)


def terms_of(a, i, b, j, similarity):
    """w_d s'_d of each attribute: (attributes, elements of graph i, elements of graph j)."""
    rows, columns = slice(*a.ptr[i : i + 2]), slice(*b.ptr[j : j + 2])
    kinds = [
        (a.numerical, b.numerical, numerical_similarity, "numerical"),
        (a.categorical, b.categorical, categorical_similarity, "categorical"),
    ]
    found = []
    for ours, theirs, similar, kind in kinds:
        gammas = getattr(similarity, f"{kind}_gamma")
        weights = getattr(similarity, f"{kind}_weight")
        for x, y, gamma, weight in zip(ours, theirs, gammas, weights, strict=True):
            pairs = [[similar(p, q) for q in y[columns].tolist()] for p in x[rows].tolist()]
            shape = rows.stop - rows.start, columns.stop - columns.start
            s = np.array(pairs, dtype=float).reshape(shape)
            found.append(weight * np.vectorize(exponential_transform, otypes=[float])(s, gamma))
    constant = np.full((rows.stop - rows.start, columns.stop - columns.start), similarity.constant)
    return np.array([*found, constant])


def similarity_of(a, i, b, j, similarity):
    """P of all pairs of elements, by the attributes that make it up: one row if P is joint."""
    if not similarity.joint:
        return terms_of(a, i, b, j, similarity)
    rows, columns = slice(*a.ptr[i : i + 2]), slice(*b.ptr[j : j + 2])
    distance = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
    s = similarity
    for k, x, y in zip(
        s.numerical_gamma * s.numerical_weight, a.numerical, b.numerical, strict=True
    ):
        with np.errstate(over="ignore"):
            distance += k * np.subtract.outer(x[rows], y[columns]) ** 2
    for k, x, y in zip(
        s.categorical_gamma * s.categorical_weight, a.categorical, b.categorical, strict=True
    ):
        # Corners of a simplex at a squared distance of 1, with the missing at the origin.
        n_codes = max(x.max(initial=0), y.max(initial=0)) + 1
        one_hot = np.vstack([np.eye(n_codes), np.zeros((1, n_codes))]) * np.sqrt(0.5)
        corners, others = one_hot[x[rows]], one_hot[y[columns]]
        distance += k * ((corners[:, None] - others[None]) ** 2).sum(axis=2)
    return np.exp(-distance)[None]


def membership(batch, i, hop, spec):
    """Who is in whose star, nodes x nodes and nodes x edges, of graph i."""
    expansion = spec.expansion
    first, last = batch.nodes.ptr[i : i + 2]
    edges = batch.endpoints[slice(*batch.edges.ptr[i : i + 2])] - first
    n = last - first
    adjacent = np.eye(n)
    for u, v in edges:
        adjacent[u, v] = adjacent[v, u] = 1
    incident = np.zeros((n, len(edges)))
    for e, (u, v) in enumerate(edges):
        incident[[u, v], e] = 1
    reach = hop if expansion == "ball" else 1
    nodes = (np.linalg.matrix_power(adjacent, reach) > 0).astype(float)
    near = np.linalg.matrix_power(adjacent, reach - 1) > 0
    incident = ((near @ incident) > 0).astype(float)
    if spec.max_leaves is not None:
        P = similarity_of(batch.nodes, i, batch.nodes, i, spec.nodes).sum(axis=0)
        for v in range(n):
            leaves = [u for u in np.flatnonzero(nodes[v]) if u != v]
            for u in leaves:
                if sum(P[v, w] > P[v, u] * (1 + 1e-9) for w in leaves) >= spec.max_leaves:
                    nodes[v, u] = 0
                    incident[v, [e for e, ends in enumerate(edges) if {u, v} == set(ends)]] = 0
    if expansion == "walk":
        np.fill_diagonal(nodes, 0)
    return nodes, incident


def pair_shares(stars, training, j, weights):
    """Shares of graph 0 of ``stars`` in sum_h weights[h] * sum of kappa_h with graph j.

    Returns (hops, n), (attributes + 1, n), (edges,).
    """
    spec, a, b = stars.spec, stars.batch, training.batch
    D = similarity_of(a.nodes, 0, b.nodes, j, spec.nodes)
    DE = similarity_of(a.edges, 0, b.edges, j, spec.edges)
    P0, PE = D.sum(axis=0), DE.sum(axis=0) * spec.use_edges
    columns = slice(*b.nodes.ptr[j : j + 2])
    P, kappas, saved = P0, [], []
    for h in range(spec.n_hops):
        A, B = membership(a, 0, h + 1, spec)
        A2, B2 = membership(b, j, h + 1, spec)
        source = P if spec.expansion != "ball" else P0
        inner = A @ source @ A2.T + B @ PE @ B2.T
        core = P0 if spec.expansion == "walk" else source
        if spec.prune_cores:
            excess = core - spec.core_floor(h + 1)
            core = np.maximum(excess, 0) / spec.core_spreads()[h]
            core[np.abs(excess) < 1e-15] = 0
        k = core * inner
        normalised = k * np.outer(stars.norm[h], training.norm[h, columns])
        kappas.append(weights[h] * (normalised if spec.star_norm else k))
        saved.append((source, inner, A, B, A2, B2))
        P = np.exp(-spec.gamma_star * (1 - normalised))
        if spec.expansion == "walk":
            P = normalised
    R, R0_core, R0_rest = np.zeros_like(P0), np.zeros_like(P0), np.zeros_like(P0)
    edges = np.zeros(len(a.edges))
    for h in reversed(range(spec.n_hops)):
        source, inner, A, B, A2, B2 = saved[h]
        R = kappas[h] + (R if spec.expansion != "ball" else 0)
        Y = np.divide(R / 2, inner, out=np.zeros_like(R), where=inner > 0)
        core = np.where(inner > 0, R / 2, R)
        edges += (PE * (B.T @ Y @ B2)).sum(axis=1)
        members = source * (A.T @ Y @ A2)
        if spec.expansion != "nested" or h == 0:
            R0_core = R0_core + core
        if spec.expansion == "ball" or h == 0:
            R0_rest = R0_rest + members
        R = members + (core if spec.expansion == "nested" else 0)
    kappas = np.array([k.sum(axis=1) for k in kappas])
    if spec.nodes.joint:
        return kappas, (R0_core + R0_rest).sum(axis=1)[None], edges
    least = np.append(
        np.concatenate(
            [
                spec.nodes.numerical_weight * np.exp(-spec.nodes.numerical_gamma),
                spec.nodes.categorical_weight * np.exp(-spec.nodes.categorical_gamma),
            ]
        ),
        spec.nodes.constant,
    )
    # Where P is 0, every attribute has its weight.
    named = np.append(spec.nodes.numerical_weight, spec.nodes.categorical_weight)
    weights = np.append(named, 1 - named.sum())[:, None, None]
    of_member = np.divide(D, P0, out=np.ones_like(D) * weights, where=P0 > 0)
    by_attribute = of_member * R0_rest
    excess = D - least[:, None, None] if spec.nodes.floor > 0 else D
    pruned = spec.prune_cores & (excess.sum(axis=0) > 1e-15)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_core = np.where(pruned, excess / excess.sum(axis=0), of_member)
    by_attribute += of_core * R0_core
    return kappas, by_attribute.sum(axis=2), edges
