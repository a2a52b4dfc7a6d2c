"""The splines against scipy's, their gradient, and what a layer of them can learn."""

import numpy as np
import pytest
import torch
from scipy.interpolate import BSpline

from nask.lab.rivals.networks.kan_layer import KANLayer, spline_basis
from nask.lab.rivals.networks.sparse_kan import DENSE, RowKANLayer

ORDERS = (1, 2, 3, 4)
GRIDS = (2, 3, 5, 8, 16)
LOW, HIGH = -1.5, 2.0


def numbers(seed: int = 0, shape: tuple[int, int] = (40, 7)) -> torch.Tensor:
    """Numbers within the grid, in the fading ends and beyond them."""
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.uniform(LOW - 9, HIGH + 9, shape) * rng.uniform(0.1, 1, shape))


def knots(grid_size: int, order: int) -> np.ndarray:
    step = (HIGH - LOW) / grid_size
    return LOW + step * np.arange(-order, grid_size + order + 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("grid_size", GRIDS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_splines_are_those_of_scipy(grid_size, order, dtype):
    x = numbers().to(dtype)
    basis = spline_basis(x, (LOW, HIGH), grid_size, order)
    assert basis.shape == (40, grid_size + order, 7)
    assert basis.dtype == dtype
    t = knots(grid_size, order)
    for m in range(grid_size + order):
        element = BSpline.basis_element(t[m : m + order + 2], extrapolate=False)
        expected = np.nan_to_num(element(x.double().numpy()))
        atol = 1e-12 if dtype == torch.float64 else 3e-5
        np.testing.assert_allclose(basis[:, m].numpy(), expected, atol=atol)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("grid_size", GRIDS)
def test_splines_add_up_to_one_within_the_grid(grid_size, order):
    x = torch.linspace(LOW, HIGH, 201, dtype=torch.float64).unsqueeze(1)
    total = spline_basis(x, (LOW, HIGH), grid_size, order).sum(dim=1)
    np.testing.assert_allclose(total.numpy(), 1.0, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_gradient_is_the_slope(order):
    x = numbers(1, (6, 3)).requires_grad_()

    def basis(values: torch.Tensor) -> torch.Tensor:
        return spline_basis(values, (LOW, HIGH), 5, order)

    assert torch.autograd.gradcheck(basis, (x,))


def test_a_strided_input_and_no_rows():
    x = numbers(2)
    expected = spline_basis(x.T.contiguous(), (LOW, HIGH), 4, 3)
    assert torch.equal(spline_basis(x.T, (LOW, HIGH), 4, 3), expected)
    layer = KANLayer(7, 2).double()
    assert layer(x[:0]).shape == (0, 2)
    moved = x.clone().requires_grad_()
    layer(moved.T.contiguous().T).sum().backward()
    plain = x.clone().requires_grad_()
    layer(plain).sum().backward()
    assert torch.equal(moved.grad, plain.grad)


def test_without_splines_a_layer_is_linear_after_silu():
    layer = KANLayer(7, 3, spline_order=1).double()
    torch.nn.init.zeros_(layer.spline_weight)
    x = numbers(3)
    expected = (x / (1 + torch.exp(-x))) @ layer.base_weight
    assert torch.allclose(layer(x), expected)


def test_a_layer_is_the_sum_of_its_functions():
    """The definition, written out with scipy's splines."""
    layer = KANLayer(3, 2, grid_size=4, spline_order=2, grid_range=(LOW, HIGH)).double()
    x = numbers(4, (10, 3))
    coefficients = layer.spline_weight.detach().numpy().reshape(6, 3, 2)
    expected = (torch.nn.functional.silu(x) @ layer.base_weight).detach().numpy()
    for i in range(3):
        for j in range(2):
            for m in range(6):
                element = BSpline.basis_element(knots(4, 2)[m : m + 4], extrapolate=False)
                values = np.nan_to_num(element(x[:, i].numpy()))
                expected[:, j] += coefficients[m, i, j] * values
    np.testing.assert_allclose(layer(x).detach().numpy(), expected, atol=1e-12)


def test_a_layer_learns_what_a_linear_map_cannot():
    x = torch.linspace(-2.5, 2.5, 200).unsqueeze(1)
    wave = torch.sin(3 * x)
    ones = torch.cat([x, torch.ones_like(x)], dim=1)
    line = ones @ torch.linalg.lstsq(ones, wave).solution
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layer = KANLayer(1, 1, grid_size=12)
        optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
        for _ in range(200):
            optimizer.zero_grad()
            loss = ((layer(x) - wave) ** 2).mean()
            loss.backward()
            optimizer.step()
    assert float(((line - wave) ** 2).mean()) > 0.3
    assert float(loss.detach()) < 0.01


@pytest.mark.parametrize("share", [DENSE / 2, 4 * DENSE])
def test_sparse_rows_are_as_dense_ones(share):
    rng = np.random.default_rng(0)
    present = rng.uniform(size=(50, 60)) < share
    present[7] = False
    x = torch.from_numpy(np.where(present, rng.uniform(-2, 2, present.shape), 0)).float()
    layer = RowKANLayer(60, 4, grid_size=3)
    direction = torch.from_numpy(rng.normal(size=(50, 4))).float()
    gradients = []
    at_zero = KANLayer.forward(layer, torch.zeros(1, 60)).detach()
    assert torch.allclose(layer(x), KANLayer.forward(layer, x) - at_zero, atol=1e-5)
    for rows in (x, x.to_sparse()):
        layer.zero_grad()
        (layer(rows) * direction).sum().backward()
        gradients.append([w.grad.clone() for w in (layer.base_weight, layer.spline_weight)])
    assert torch.allclose(layer(x.to_sparse()), layer(x), atol=1e-5)
    for of_dense, of_sparse in zip(*gradients, strict=True):
        assert torch.allclose(of_dense, of_sparse, atol=1e-5)


@pytest.mark.parametrize("share", [DENSE / 2, 4 * DENSE])
@pytest.mark.parametrize("sparse", [False, True])
def test_dropout_keeps_the_mean(share, sparse):
    rng = np.random.default_rng(1)
    x = torch.from_numpy((rng.uniform(size=(1, 60)) < share).astype(np.float32))
    x[0, 0] = 1.0
    rows = x.expand(4000, 60)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layer = RowKANLayer(60, 2, dropout=0.5)
        torch.nn.init.ones_(layer.base_weight)
        expected = layer.eval()(x).detach()
        outputs = layer.train()(rows.to_sparse() if sparse else rows).detach()
    assert float(outputs.std(dim=0).min()) > 0.5
    assert torch.allclose(outputs.mean(dim=0), expected[0], rtol=0.05)
