"""KernelGCN: its kernel against sums over pairs of nodes, its loss against values by hand."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
import torch
from torch.nn import functional

from nask.lab.rivals.networks.kernelgcn import (
    KernelGCN,
    KernelGCNNodeClassifier,
    hop_matrices,
    triplet_loss,
)
from papers import papers

# A cycle of five with a chord and a tail, and a node without neighbours.
PAIRS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 4), (2, 5)]
EDGES = torch.tensor([*PAIRS, *((v, u) for u, v in PAIRS)]).T
N_NODES = 7


def plain_graph():
    graph = nx.Graph(PAIRS)
    graph.add_nodes_from(range(N_NODES))
    return graph


def walk_shares(n_hops):
    """Entries of the power of the smoothing matrix, from sums over walks."""
    graph = plain_graph()
    size = {v: graph.degree(v) + 1 for v in graph}
    step = np.zeros((N_NODES, N_NODES))
    for u, v in product(graph, graph):
        if u == v or graph.has_edge(u, v):
            step[u, v] = 1 / np.sqrt(size[u] * size[v])
    return np.linalg.matrix_power(step, n_hops)


@pytest.mark.parametrize("n_hops", [0, 1, 2, 3])
def test_the_kernel_compares_all_pairs_of_two_neighbourhoods(n_hops):
    torch.manual_seed(n_hops)
    network = KernelGCN([4, 3, 2], n_hops, dropout=0.5).eval()
    with torch.no_grad():
        network.hop_weights.copy_(torch.linspace(0.5, 2.0, n_hops + 1))
    x = torch.randn(N_NODES, 4)
    with torch.no_grad():
        f = network.represent(x, EDGES).double().numpy()
        g = network.maps[1](functional.relu(network.maps[0](x))).double().numpy()
    weights = network.hop_weights.detach().double().numpy()
    shares = walk_shares(n_hops)
    distances = dict(nx.all_pairs_shortest_path_length(plain_graph(), cutoff=n_hops))
    for u, v in product(range(N_NODES), repeat=2):
        expected = sum(
            weights[distances[u][p]] * shares[u, p] * weights[distances[v][q]] * shares[v, q]
            * (g[p] @ g[q])
            for p in distances[u]
            for q in distances[v]
        )  # fmt: skip
        assert f[u] @ f[v] == pytest.approx(expected, abs=1e-5)


def test_parts_of_the_power_are_apart_and_add_up_to_it():
    parts = [part.to_dense().numpy() for part in hop_matrices(EDGES, N_NODES, 3)]
    assert (sum((part != 0).astype(int) for part in parts) <= 1).all()
    np.testing.assert_allclose(sum(parts), walk_shares(3), atol=1e-6)


def test_equal_weights_are_one_power():
    network = KernelGCN([4, 2], 2, dropout=0.0)
    x = torch.randn(N_NODES, 4)
    smoothed = torch.from_numpy(walk_shares(2)).float() @ network.maps[0](x)
    torch.testing.assert_close(network.represent(x, EDGES), smoothed)


def test_the_loss_by_hand():
    """Two nodes of class 0, one of class 1, at angles of 0, 60 and 90 degrees."""
    angles = torch.deg2rad(torch.tensor([0.0, 60.0, 90.0]))
    rows = 3 * torch.stack([angles.cos(), angles.sin()], dim=1)
    target = torch.tensor([0, 0, 1])
    torch.manual_seed(0)
    drawn = float(triplet_loss(rows, target, 0.6, 400_000))
    near, far = 0.5, np.cos(np.pi / 6)
    # k(u, z) - k(u, v) + margin, over u, v of class 0 and z = 2 ...
    first = [0 - 1 + 0.6, 0 - near + 0.6, far - near + 0.6, far - 1 + 0.6]
    # ... and over u = v = 2 and z of class 0, as often in all.
    second = [0 - 1 + 0.6, far - 1 + 0.6]
    expected = (np.mean(np.maximum(first, 0)) + np.mean(np.maximum(second, 0))) / 2
    assert drawn == pytest.approx(expected, abs=0.003)


def test_no_loss_where_classes_are_apart_by_the_margin():
    rows = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    assert float(triplet_loss(rows, torch.tensor([0, 0, 1]), 0.9, 1000)) == 0
    assert float(triplet_loss(rows, torch.tensor([0, 0, 0]), 0.9, 1000)) == 0


def test_the_loss_of_the_estimator_is_a_sum():
    model = KernelGCNNodeClassifier(margin=0.5, triplet_weight=2.0)
    network = model.build(3, 2)
    with torch.no_grad():
        network.bias.copy_(torch.tensor([1.0, -1.0]))
    rows, target = torch.tensor([[1.0, 0.0], [0.6, 0.8]]), torch.tensor([0, 1])
    logits = rows + network.bias.detach()
    # One triplet a class, k(u, v) = 1 and k(u, z) = 0.6: 0.1 each.
    expected = float(functional.cross_entropy(logits, target)) + 2 * 0.1
    loss = float(model.loss(network, logits, target).detach())
    assert loss == pytest.approx(expected, abs=1e-6)


def test_the_kernel_of_a_fitted_model_is_symmetric_and_positive_semidefinite():
    graph, y = papers()
    model = KernelGCNNodeClassifier(max_epochs=20, grid={}).fit(graph, y)
    kernel = model.node_kernel(graph)
    assert kernel.shape == (graph.n_nodes, graph.n_nodes)
    np.testing.assert_array_equal(kernel, kernel.T)
    np.testing.assert_allclose(np.diag(kernel), 1)
    assert np.linalg.eigvalsh(kernel).min() > -1e-9
    some = [3, 0, 7]
    np.testing.assert_allclose(model.node_kernel(graph, some), kernel[np.ix_(some, some)])


def test_triplets_are_learned_from():
    graph, y = papers()
    kernels = [
        KernelGCNNodeClassifier(triplet_weight=weight, max_epochs=5)
        .fit(graph, y)
        .node_kernel(graph)
        for weight in (0.0, 1.0)
    ]
    assert abs(kernels[0] - kernels[1]).max() > 0.01


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_hops", -1), ("n_triplets", 0), ("margin", -0.1), ("triplet_weight", None)],
)
def test_parameters_are_checked(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of KernelGCNNodeClassifier"):
        KernelGCNNodeClassifier(**{name: value}).fit(*papers())
