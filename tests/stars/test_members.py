"""Members of stars and balls against shortest paths."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.engines.reference.similarity import element_similarity, values_of
from nask.stars.members import Members, star_matrices
from strategies import graphs


def matrices_of(graph, **options):
    training = nask.NASK(**options).fit([graph]).fitted_.graphs
    return star_matrices(training.batch, training.spec)


@given(graphs(max_nodes=7))
def test_balls_hold_what_shortest_paths_reach(graph):
    nodes, edges = matrices_of(graph, n_hops=3, expansion="ball")
    distance = dict(nx.all_pairs_shortest_path_length(nask.io.to_networkx(graph)))
    for h in (1, 2, 3):
        for v in range(graph.n_nodes):
            near = {u for u, d in distance[v].items() if d <= h}
            nearer = {u for u, d in distance[v].items() if d <= h - 1}
            assert set(np.flatnonzero(nodes[h - 1].toarray()[v])) == near
            met = {e for e, (x, y) in enumerate(graph.edges.tolist()) if {x, y} & nearer}
            assert set(np.flatnonzero(edges[h - 1].toarray()[v])) == met


@given(graphs(max_nodes=7))
def test_lists_hold_the_pattern_of_the_matrices(graph):
    matrices, _ = matrices_of(graph, n_hops=2, expansion="ball")
    members = Members.from_matrices(matrices)
    for level, matrix in enumerate(matrices):
        for v in range(graph.n_nodes):
            listed = members.index[members.ptr[level, v] : members.ptr[level, v + 1]]
            assert listed.tolist() == np.flatnonzero(matrix.toarray()[v]).tolist()
    assert members.counts().tolist() == [matrix.sum(axis=1).tolist() for matrix in matrices]


@given(graphs(max_nodes=7))
def test_a_walk_goes_on_to_neighbours(graph):
    (nodes,), (edges,) = matrices_of(graph, expansion="walk")
    (star,), (around,) = matrices_of(graph)
    np.testing.assert_array_equal(nodes.toarray(), star.toarray() - np.eye(graph.n_nodes))
    np.testing.assert_array_equal(edges.toarray(), around.toarray())


@given(graphs(max_nodes=7), st.integers(1, 3), st.sampled_from(["gower", "one-hot", "euclidean"]))
def test_the_nearest_leaves_are_kept(graph, k, similarity):
    options = {"similarity": similarity, "max_leaves": k}
    (nodes,), (edges,) = matrices_of(graph, **options)
    kept, (star,) = nodes.toarray(), matrices_of(graph)[0]
    training = nask.NASK(engine="reference", **options).fit([graph]).fitted_.graphs
    values = [values_of(training.batch.nodes, v) for v in range(graph.n_nodes)]
    for v in range(graph.n_nodes):
        leaves = set(np.flatnonzero(star.toarray()[v])) - {v}
        P = {u: element_similarity(values[v], values[u], training.spec.nodes) for u in leaves}
        mine = set(np.flatnonzero(kept[v])) - {v}
        assert kept[v, v] == 1
        assert len(mine) >= min(k, len(leaves))
        # Whoever is left out is less similar than k others.
        for u in leaves - mine:
            assert sum(p > P[u] for p in P.values()) >= k
        for u in mine:
            assert sum(p > P[u] * (1 + 1e-6) for p in P.values()) < k
        ends = [set(graph.edges[e].tolist()) - {v} for e in np.flatnonzero(edges.toarray()[v])]
        assert {u for pair in ends for u in pair} == mine


@given(graphs(max_nodes=7))
def test_holders_are_the_transpose(graph):
    matrices, _ = matrices_of(graph, max_leaves=1)
    holders = Members.from_matrices(matrices).transposed(graph.n_nodes)
    lists = np.split(holders.index, holders.ptr[0, 1:-1]) if graph.n_nodes else []
    for u, listed in enumerate(lists):
        assert listed.tolist() == np.flatnonzero(matrices[0].toarray()[:, u]).tolist()
