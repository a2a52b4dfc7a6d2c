"""RWK against its definition, written out and left to POT's general solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import nask
from nask.lab.rivals.kernels.rwk import RWK, RWKClassifier

ot = pytest.importorskip("ot")

LONG = {"n_steps": 200, "n_scalings": 1000, "tolerance": 1e-8}
# With little of the term that is not convex there is one minimum to find.
MILD = {"local": 0.3, "connectivity": 0.05, "ridge": 0.2, "epsilon": 0.2}


@st.composite
def graphs_with_both(draw, smallest=1):
    n = draw(st.integers(smallest, 6))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    atoms = draw(st.lists(st.sampled_from("CNO"), min_size=n, max_size=n))
    charges = draw(st.lists(st.integers(-3, 3).map(float), min_size=n, max_size=n))
    return nask.AttributedGraph(n, edges, {"atom": atoms, "charge": charges})


def vectors(graphs):
    charges = np.concatenate([g.node_attributes["charge"].values() for g in graphs]).astype(float)
    deviation = charges.std() if charges.std() > 0 else 1.0
    atoms = sorted({a for g in graphs for a in g.node_attributes["atom"].values()})
    return [
        np.array(
            [
                [*(float(a == atom) for atom in atoms), (q - charges.mean()) / deviation]
                for a, q in zip(
                    graph.node_attributes["atom"].values(),
                    graph.node_attributes["charge"].values(),
                    strict=True,
                )
            ]
        )
        for graph in graphs
    ]


def parts(graph, f, n_hops):
    """Features, shares of degree, Laplacian matrix and embeddings, from single nodes and walks."""
    n = graph.n_nodes
    near = [[] for _ in range(n)]
    for u, v in graph.edges.tolist():
        near[u].append(v)
        near[v].append(u)
    degree = np.array([len(own) for own in near])
    L = np.zeros((n, n))
    for u in range(n):
        L[u, u] = float(degree[u] > 0)
        for v in near[u]:
            L[u, v] -= 1 / np.sqrt(degree[u] * degree[v])
    smooth = f
    for _ in range(n_hops):
        smooth = L @ smooth
    features = np.hstack([f, abs(f - smooth / 2)]) if n_hops else f
    E = np.zeros((n, n))
    for start in range(n):
        place = np.eye(n)[start]
        for _ in range(6):
            moved = np.zeros(n)
            for u in range(n):
                for v in near[u]:
                    moved[v] += place[u] / degree[u]
            place = moved
            E[start] += place / 6
    return features, (1 + degree) / (1 + degree).sum(), L, E


def discrepancy(first, second, scales, local, connectivity, ridge, epsilon):
    (F1, s, L1, E1), (F2, t, L2, E2) = first, second
    D = np.linalg.norm(F1[:, None] - F2[None], axis=2) / scales[0]
    E1, E2 = E1 / scales[1], E2 / scales[1]
    C1, C2 = (np.linalg.norm(E[:, None] - E[None], axis=2) for E in (E1, E2))
    n, m = D.shape
    Q = np.array([[min(x, y) / max(x, y) for y in t] for x in s])
    Q /= Q.sum()
    apart = (C1[:, None, :, None] - C2[None, :, None, :]) ** 2

    def f(P):
        barycentres = m * np.trace(E1.T @ P @ L2 @ P.T @ E1) + n * np.trace(
            E2.T @ P.T @ L1 @ P @ E2
        )
        far = np.einsum("ijkl,ij,kl", apart, P, P)
        return local * barycentres + ridge * np.sum(P**2) + connectivity * far

    def df(P):
        barycentres = 2 * m * E1 @ E1.T @ P @ L2 + 2 * n * L1 @ P @ E2 @ E2.T
        far = 2 * np.einsum("ijkl,kl->ij", apart, P)
        return local * barycentres + 2 * ridge * P + connectivity * far

    def whole(P):
        return np.sum(D * P) + f(P) + epsilon * np.sum(P * np.log(P / Q))

    def along(cost, G, change, *_, **__):
        found = minimize_scalar(lambda x: whole(G + x * change), bounds=(0, 1), method="bounded")
        return found.x, 0, found.fun

    plan = ot.optim.generic_conditional_gradient(
        np.full(n, 1 / n),
        np.full(m, 1 / m),
        D - epsilon * np.log(Q),
        f,
        df,
        1.0,
        None,
        lambda a, b, M, **_: ot.sinkhorn(a, b, M, epsilon, stopThr=1e-12, log=True, warn=False),
        along,
        stopThr=1e-13,
        stopThr2=1e-13,
        numItermax=300,
    )
    return whole(plan)


@settings(max_examples=10, deadline=None)
@given(st.lists(graphs_with_both(), min_size=2, max_size=3), st.integers(0, 2))
def test_it_is_the_least_value_of_its_definition(graphs, n_hops):
    kernel = RWK(n_hops=n_hops, **MILD, **LONG).fit(graphs)
    found = kernel.compare()
    pieces = [parts(g, f, n_hops) for g, f in zip(graphs, vectors(graphs), strict=True)]
    rows = np.concatenate([F for F, *_ in pieces])
    spread = np.mean([np.sum((x - y) ** 2) for x in rows for y in rows])
    walked = np.mean([np.mean([np.sum((x - y) ** 2) for x in E for y in E]) for *_, E in pieces])
    scales = [np.sqrt(x) if x > 0 else 1.0 for x in (spread, walked)]
    value = [[discrepancy(p, q, scales, **MILD) for q in pieces] for p in pieces]
    own = np.diag(value)
    assert kernel.own_ == pytest.approx(own, abs=1e-4)
    assert found == pytest.approx(value - (own[:, None] + own) / 2, abs=1e-4)


def permuted(graph, order):
    place = np.argsort(order)
    attributes = {
        name: [own.values()[v] for v in order] for name, own in graph.node_attributes.items()
    }
    return nask.AttributedGraph(graph.n_nodes, place[graph.edges], attributes)


@settings(max_examples=20, deadline=None)
@given(graphs_with_both(), graphs_with_both(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter(graph, other, random):
    order = random.sample(range(graph.n_nodes), graph.n_nodes)
    found = RWK(**MILD, **LONG).fit([graph, permuted(graph, order), other]).compare()
    assert found[0, 1] == pytest.approx(0, abs=1e-6)
    assert found[0, 2] == pytest.approx(found[1, 2], abs=1e-6)


@pytest.fixture(scope="module")
def molecules():
    return nask.load_dataset("MUTAG").graphs[:12]


def test_a_block_of_the_gram_matrix_and_symmetry(molecules):
    kernel = RWK()
    gram = kernel.fit_transform(molecules)
    assert np.array_equal(gram, gram.T)
    assert np.array_equal(np.diag(gram), np.ones(12))
    assert np.array_equal(kernel.transform(molecules[3:7]), gram[3:7])
    assert np.array_equal(RWK(n_jobs=2).fit_transform(molecules), gram)


def test_few_steps_come_near_the_end(molecules):
    few, many = RWK().fit(molecules[:8]), RWK(**LONG).fit(molecules[:8])
    assert np.all(few.own_ > many.own_ - 1e-3)
    assert np.median(few.own_ / many.own_) < 1.01
    assert np.median(abs(few.compare() - many.compare())) < 0.01


def test_without_structure_it_is_the_transport_of_features():
    rng = np.random.default_rng(0)
    graphs = [nask.AttributedGraph(n, (), {"x": rng.normal(size=n)}) for n in (4, 7)]
    kernel = RWK(n_hops=0, local=0, connectivity=0, ridge=0, epsilon=1e-3, **LONG).fit(graphs)
    x, y = (structure.features for structure in kernel.training_)
    cost = ot.dist(x, y, metric="euclidean")
    assert kernel.compare()[0, 1] == pytest.approx(ot.emd2([], [], cost), abs=0.01)


def test_graphs_of_one_node_by_hand():
    # Mean square distance of 0, 3, 6 is 12; the z-scores are -a, 0, a with a^2 = 1.5.
    graphs = [nask.AttributedGraph(1, (), {"x": [x]}) for x in (0.0, 3.0, 6.0)]
    plain = RWK(n_hops=0).fit(graphs).compare()
    assert plain[0] == pytest.approx([0, 3 / np.sqrt(12), 6 / np.sqrt(12)], abs=1e-6)
    # No neighbours to vary from: |f| stands beside f, of variance 1 and 1/3 here.
    varied = RWK(n_hops=2).fit(graphs).compare()
    unit = np.sqrt(2 * (1 + 1 / 3))
    assert varied[0] == pytest.approx([0, np.sqrt(3) / unit, 2 * np.sqrt(1.5) / unit], abs=1e-6)


def test_graphs_of_one_node_have_a_laplacian_kernel_which_is_positive_semidefinite():
    values = np.random.default_rng(1).normal(size=30)
    graphs = [nask.AttributedGraph(1, (), {"x": [x]}) for x in values]
    for gamma in (0.1, 1.0, 10.0):
        assert np.linalg.eigvalsh(RWK(n_hops=0, gamma=gamma).fit_transform(graphs)).min() > -1e-6


def test_a_graph_without_nodes_is_like_no_other():
    empty, node = nask.AttributedGraph(0), nask.AttributedGraph(1)
    assert RWK().fit_transform([empty, node, empty]).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert RWK().fit_transform([empty, empty]).tolist() == [[1, 1], [1, 1]]


def test_the_classifier_passes_once_for_each_number_of_hops():
    sweeps = RWKClassifier().sweeps()
    assert [sweep.parameters["n_hops"] for sweep in sweeps] == [1, 2]
