"""GraphHopper against a walk over all shortest paths, and against GraKeL."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels import hopper_nodes
from nask.lab.rivals.kernels.gh import GH
from strategies import graphs as drawn


def shortest_paths(graph):
    """All of them, in both directions, as lists of nodes."""
    net = nx.Graph(graph.edges.tolist())
    net.add_nodes_from(range(graph.n_nodes))
    for source in net:
        for target in nx.node_connected_component(net, source):
            yield from nx.all_shortest_paths(net, source, target)


def by_hand(graphs, node_kernel):
    rows = [own.astype(float) for own in NodeEncoder().fit(graphs).transform(graphs)]

    def nodes(x, y):
        if node_kernel == "linear":
            return x @ y
        return np.exp(-((x - y) ** 2).sum() / len(x))

    def terms(i, j):
        return [
            nodes(rows[i][u], rows[j][v])
            for path in shortest_paths(graphs[i])
            for other in shortest_paths(graphs[j])
            if len(path) == len(other)
            for u, v in zip(path, other, strict=True)
        ]

    n = len(graphs)
    gram = np.array([[sum(terms(i, j)) for j in range(n)] for i in range(n)], dtype=float)
    # Linear terms may cancel, and the rows are float32.
    largest = [np.abs(terms(i, i)).sum() for i in range(n)]
    own = np.where(np.diag(gram) > 1e-10 * np.array(largest), np.diag(gram), np.inf)
    return gram / np.sqrt(np.outer(own, own))


@pytest.mark.parametrize("node_kernel", ["linear", "gaussian"])
@given(st.lists(drawn(max_nodes=4), min_size=1, max_size=3))
def test_kernel_sums_over_pairs_of_paths(node_kernel, graphs):
    found = GH(node_kernel=node_kernel).fit_transform(graphs)
    np.testing.assert_allclose(found, by_hand(graphs, node_kernel), atol=1e-6)


@pytest.mark.parametrize("node_kernel", ["linear", "gaussian"])
def test_grakel_agrees_where_every_node_has_a_neighbour(node_kernel, mutag, monkeypatch):
    pytest.importorskip("grakel")
    from grakel import GraphHopper

    from nask.lab.rivals.kernels.grakel_graphs import attributed

    # Several tiles, and graphs of several diameters.
    monkeypatch.setattr(hopper_nodes, "NODES_AT_ONCE", 10)
    graphs = mutag.graphs[:8]
    rows = [own.astype(float) for own in NodeEncoder().fit(graphs).transform(graphs)]
    kind = "linear" if node_kernel == "linear" else ("gaussian", 1 / rows[0].shape[1])
    expected = GraphHopper(kernel_type=kind, normalize=True).fit_transform(attributed(graphs, rows))
    fitted = GH(node_kernel=node_kernel).fit(graphs)
    np.testing.assert_allclose(fitted.compare(), expected, atol=1e-12)
    np.testing.assert_allclose(fitted.transform(graphs[3:]), expected[3:], atol=1e-12)


def test_an_unknown_node_kernel_is_an_error():
    with pytest.raises(nask.exceptions.ParameterError, match="'linear' or 'gaussian'"):
        GH(node_kernel="cubic").fit([nask.AttributedGraph(1)])
