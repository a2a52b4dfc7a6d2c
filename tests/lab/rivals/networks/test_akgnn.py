"""AKGNN against dense matrices, and the two filters between which it learns to choose."""

import numpy as np
import pytest
import torch

from nask.lab.rivals.networks.akgnn import AKGNN, AKGNNNodeClassifier, propagate
from papers import papers

# A triangle with a tail, and a node without neighbours.
PAIRS = [(0, 1), (1, 2), (0, 2), (2, 3)]
EDGES = torch.tensor([*PAIRS, *((v, u) for u, v in PAIRS)]).T
N_NODES = 5


def dense_adjacency():
    matrix = np.zeros((N_NODES, N_NODES))
    for u, v in PAIRS:
        matrix[u, v] = matrix[v, u] = 1
    return matrix


def dense_layer(h, lambda_k):
    """The equations as they are written: A*, then its row sums; isolated nodes as they are."""
    filtered = (2 * lambda_k - 2) / lambda_k * np.eye(N_NODES) + 2 / lambda_k * dense_adjacency()
    totals = filtered.sum(axis=1, keepdims=True)
    return np.where(totals > 0, filtered @ h / np.where(totals > 0, totals, 1), h)


def rows(width, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(N_NODES, width))).float()


@pytest.mark.parametrize("lambda_k", [1.0, 1.3, 2.0, 7.0])
def test_a_layer_is_the_dense_computation(lambda_k):
    h = rows(3)
    layer = propagate(h, EDGES, torch.tensor(lambda_k))
    np.testing.assert_allclose(layer, dense_layer(h.numpy(), lambda_k), atol=1e-6)


def test_the_whole_network_is_the_dense_computation():
    torch.manual_seed(0)
    network = AKGNN(4, 3, 2, n_layers=3, dropout=0.5).eval()
    with torch.no_grad():
        network.theta.copy_(torch.tensor([-1.0, 0.5, 3.0]))
    x = rows(4)
    weights = {name: value.detach().double().numpy() for name, value in network.named_parameters()}
    h = x.double().numpy() @ weights["encoder.weight"] + weights["bias"]
    h = np.where(h > 0, h, 0.01 * h)
    layers = []
    for lambda_k in (1.0, 1.5, 4.0):
        h = dense_layer(h, lambda_k)
        layers.append(h)
    logits = np.hstack(layers) @ weights["output.weight"].T + weights["output.bias"]
    np.testing.assert_allclose(network(x, EDGES).detach(), logits, atol=1e-6)


def test_a_small_lambda_averages_neighbours_and_a_large_one_lets_all_pass():
    h = rows(2)
    means = dense_adjacency()[:4] @ h.numpy() / dense_adjacency()[:4].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(propagate(h, EDGES, torch.tensor(1.0))[:4], means, atol=1e-6)
    np.testing.assert_allclose(propagate(h, EDGES, torch.tensor(1e7)), h, atol=1e-5)


def test_no_frequency_is_amplified():
    """A layer in the basis of nodes: its eigenvalues are at most 1, that of constants just 1."""
    for lambda_k in (1.0, 1.2, 3.0):
        matrix = propagate(torch.eye(N_NODES), EDGES, torch.tensor(lambda_k)).double().numpy()
        np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-6)
        assert abs(np.linalg.eigvals(matrix)).max() < 1 + 1e-6


def test_gradients_are_those_of_differences():
    h, theta = rows(2).requires_grad_(), torch.tensor(1.7, requires_grad=True)
    weight = rows(2, seed=1)
    (propagate(h, EDGES, theta) * weight).sum().backward()
    step = 1e-4

    def total(change, at):
        moved = h.detach().double().numpy().copy()
        moved[at] += change
        return (dense_layer(moved, 1.7) * weight.double().numpy()).sum()

    for at in np.ndindex(N_NODES, 2):
        slope = (total(step, at) - total(-step, at)) / (2 * step)
        assert float(h.grad[at]) == pytest.approx(slope, abs=1e-4)
    ends = [
        (dense_layer(h.detach().double().numpy(), 1.7 + s) * weight.double().numpy()).sum()
        for s in (-step, step)
    ]
    assert float(theta.grad) == pytest.approx((ends[1] - ends[0]) / (2 * step), abs=1e-4)


def test_lambdas_are_learned():
    graph, y = papers()
    model = AKGNNNodeClassifier(n_layers=3, max_epochs=5, grid={}).fit(graph, y)
    assert model.lambdas_.shape == (3,)
    assert (model.lambdas_ >= 1).all()
    assert (model.lambdas_ != 2).all()
