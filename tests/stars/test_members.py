"""Members of stars and balls against shortest paths."""

import networkx as nx
import numpy as np
from hypothesis import given

import nask
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.stars.members import Members, star_matrices
from strategies import graphs


@given(graphs(max_nodes=7))
def test_balls_hold_what_shortest_paths_reach(graph):
    batch = GraphBatch.encode([graph], Schema.fit([graph]))
    nodes, edges = star_matrices(batch, 3, "ball")
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
    batch = GraphBatch.encode([graph], Schema.fit([graph]))
    matrices, _ = star_matrices(batch, 2, "ball")
    members = Members.from_matrices(matrices)
    for level, matrix in enumerate(matrices):
        for v in range(graph.n_nodes):
            listed = members.index[members.ptr[level, v] : members.ptr[level, v + 1]]
            assert listed.tolist() == np.flatnonzero(matrix.toarray()[v]).tolist()
    assert members.counts().tolist() == [matrix.sum(axis=1).tolist() for matrix in matrices]
