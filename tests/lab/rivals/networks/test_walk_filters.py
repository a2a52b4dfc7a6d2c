"""Ego graphs and the random walk kernel, against brute force."""

import networkx as nx
import numpy as np
import pytest
import torch

from nask.lab.rivals.networks.batching import Batch
from nask.lab.rivals.networks.ego_graphs import ABSENT, ego_graphs
from nask.lab.rivals.networks.walk_filters import WalkFilters, egos_of


def random_graph(n_nodes: int, probability: float, seed: int) -> nx.Graph:
    return nx.gnp_random_graph(n_nodes, probability, seed=seed)


def edges_of(graph: nx.Graph) -> np.ndarray:
    return np.array(graph.edges(), dtype=np.int64).reshape(-1, 2)


def product_kernel(a, x, w, z, n_steps):
    """Mean over p of s' (A x W)^p s on the explicit product graph, in plain numpy."""
    product = np.kron(a, w)
    start = (x @ z.T).ravel()
    powers = [np.linalg.matrix_power(product, p) for p in range(n_steps + 1)]
    return np.mean([start @ power @ start for power in powers])


@pytest.mark.parametrize("n_hops", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 4, 10, 40])
@pytest.mark.parametrize("seed", range(3))
def test_ego_graphs_are_the_nearest_nodes(n_hops, size, seed):
    graph = random_graph(30, 0.08, seed)
    balls = ego_graphs(edges_of(graph), 30, n_hops, size)
    for core in range(30):
        distance = nx.single_source_shortest_path_length(graph, core, cutoff=n_hops)
        offset = balls.offset[core]
        count = min(size, len(distance))
        assert (offset[count:] == ABSENT).all()
        members = (core + offset[:count]).tolist()
        assert members[0] == core
        assert len(set(members)) == count
        assert [distance[u] for u in members] == sorted(distance.values())[:count]
        expected = nx.to_numpy_array(graph, nodelist=members)
        assert (balls.adjacency[core, :count, :count] == expected).all()
        assert not balls.adjacency[core, count:].any()
        assert not balls.adjacency[core, :, count:].any()


def test_equally_near_nodes_come_by_number():
    star = np.array([(5, leaf) for leaf in (4, 0, 3, 1, 2)])
    assert (5 + ego_graphs(star, 6, 2, 4).offset[5]).tolist() == [5, 0, 1, 2]


def test_ego_graphs_of_nothing():
    none = np.empty((0, 2), dtype=np.int64)
    assert ego_graphs(none, 0, 2, 4).offset.shape == (0, 4)
    assert ego_graphs(none, 2, 2, 3).offset.tolist() == [[0, ABSENT, ABSENT]] * 2


@pytest.mark.parametrize("n_steps", [1, 2, 3])
@pytest.mark.parametrize("size", [3, 10])
def test_kernel_is_that_of_the_product_graph(n_steps, size):
    """Walks on the explicit product of each ego graph with each filter."""
    graph = random_graph(12, 0.25, n_steps)
    torch.manual_seed(n_steps)
    x = torch.rand(12, 5, dtype=torch.float64) - 0.3
    layer = WalkFilters(5, 3, filter_size=4, n_steps=n_steps).double()
    with torch.no_grad():
        layer.filter_edges -= 0.3
    balls = ego_graphs(edges_of(graph), 12, 2, size)
    batch = Batch(x, torch.empty(2, 0), torch.zeros(12), 1, torch.arange(12), balls)
    values = layer(x, egos_of(batch)).detach().numpy()
    adjacency = layer.filter_adjacency().detach().numpy()
    assert (adjacency >= 0).all()
    assert (adjacency == 0).any(axis=(1, 2)).all()
    assert (adjacency == adjacency.transpose(0, 2, 1)).all()
    for core in range(12):
        members = core + balls.offset[core][balls.offset[core] != ABSENT]
        a = nx.to_numpy_array(graph, nodelist=members)
        for f in range(3):
            z = layer.filter_nodes[f].detach().numpy()
            expected = product_kernel(a, x[members].numpy(), adjacency[f], z, n_steps)
            assert values[core, f] == pytest.approx(expected, rel=1e-9)


def test_a_filter_that_is_a_subgraph_gives_the_kernel_of_two_graphs():
    """Walks in common, counted one by one where the numbers of nodes are one-hot labels."""
    graph = nx.convert_node_labels_to_integers(nx.ladder_graph(3))
    labels = np.array([0, 1, 0, 1, 1, 0])
    x = torch.from_numpy(np.eye(2)[labels])
    balls = ego_graphs(edges_of(graph), 6, 3, 6)
    batch = Batch(x, torch.empty(2, 0), torch.zeros(6), 1, torch.arange(6), balls)
    layer = WalkFilters(2, 1, filter_size=6, n_steps=2).double()
    whole = nx.to_numpy_array(graph, nodelist=range(6))
    with torch.no_grad():
        layer.filter_edges[0] = torch.from_numpy(whole[np.triu_indices(6, 1)])
        layer.filter_nodes[0] = x
    walks = [[(u,) for u in graph]]
    for _ in range(2):
        walks.append([(*walk, u) for walk in walks[-1] for u in graph[walk[-1]]])
    alike = [
        sum(
            labels[a[0]] == labels[b[0]] and labels[a[-1]] == labels[b[-1]]
            for a in of_length
            for b in of_length
        )
        for of_length in walks
    ]
    assert np.allclose(layer(x, egos_of(batch)).detach().numpy(), np.mean(alike))


def test_a_batch_finds_the_members_of_its_own_graphs():
    """Two graphs of three, the later one first."""
    balls = ego_graphs(np.array([(0, 1), (2, 3), (3, 4)]), 6, 1, 3)
    nodes = torch.tensor([2, 3, 4, 5, 0, 1])
    batch = Batch(torch.rand(6, 2), torch.empty(2, 0), torch.zeros(6), 2, nodes, balls)
    members, adjacency = egos_of(batch)
    assert members.tolist() == [[0, 1, 6], [1, 0, 2], [2, 1, 6], [3, 6, 6], [4, 5, 6], [5, 4, 6]]
    assert adjacency[1].tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]


def test_filters_learn():
    """The gradient reaches edges, nodes and inputs, and is that of finite differences."""
    torch.manual_seed(0)
    layer = WalkFilters(3, 2, filter_size=3, n_steps=2).double()
    balls = ego_graphs(np.array([(0, 1), (1, 2), (0, 2), (2, 3)]), 4, 2, 3)
    x = torch.rand(4, 3, dtype=torch.float64, requires_grad=True)
    batch = Batch(x, torch.empty(2, 0), torch.zeros(4), 1, torch.arange(4), balls)
    egos = egos_of(batch)

    def kernel(x, edges, nodes):
        weights = {"filter_edges": edges, "filter_nodes": nodes}
        return torch.func.functional_call(layer, weights, (x, egos))

    assert torch.autograd.gradcheck(kernel, (x, layer.filter_edges, layer.filter_nodes))
