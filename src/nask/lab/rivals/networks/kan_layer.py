"""A layer of a Kolmogorov-Arnold network: a trainable function on every connection."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from nask.compiled.compiling import compiled


class KANLayer(torch.nn.Module):
    """Sums of trainable functions of one number each.

    ``y_j = sum_i phi_ij(x_i)`` with ``phi_ij(x) = b_ij silu(x) + sum_m c_ijm B_m(x)``, where B_m
    are the B-splines of the given order on a uniform grid, continued by ``spline_order``
    intervals at either end, and b and c are trained.

    Parameters
    ----------
    grid_size : int, default=4
        Intervals between the ends of the grid; there are grid_size + spline_order splines.
    spline_order : int, default=3
        Degree of the polynomials, 1 or more.
    grid_range : (float, float), default=(-3.0, 3.0)
        Ends of the grid. Beyond them the splines fade out and only the silu term is left.

    References
    ----------
    Z. Liu et al., "KAN: Kolmogorov-Arnold Networks", ICLR 2025.

    Examples
    --------
    >>> import torch
    >>> layer = KANLayer(5, 3, grid_size=4, spline_order=3)
    >>> layer(torch.zeros(10, 5)).shape
    torch.Size([10, 3])
    >>> layer.spline_weight.shape
    torch.Size([35, 3])
    """

    def __init__(
        self,
        n_inputs: int,
        n_outputs: int,
        grid_size: int = 4,
        spline_order: int = 3,
        grid_range: tuple[float, float] = (-3.0, 3.0),
    ) -> None:
        super().__init__()
        self.grid_size = grid_size
        self.spline_order = spline_order
        self.grid_range = grid_range
        n_splines = grid_size + spline_order
        self.base_weight = torch.nn.Parameter(torch.empty(n_inputs, n_outputs))
        self.spline_weight = torch.nn.Parameter(torch.empty(n_inputs * n_splines, n_outputs))
        bound = 1 / math.sqrt(max(n_inputs, 1))
        torch.nn.init.uniform_(self.base_weight, -bound, bound)
        # The layer starts near its silu term, and the splines grow where the data need them.
        torch.nn.init.normal_(self.spline_weight, std=0.1 * bound)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return outputs, (n, n_outputs), for inputs, (n, n_inputs)."""
        basis = spline_basis(x, self.grid_range, self.grid_size, self.spline_order)
        base = torch.nn.functional.silu(x) @ self.base_weight
        return torch.addmm(base, basis.flatten(1), self.spline_weight)


def spline_basis(
    x: torch.Tensor, grid_range: tuple[float, float], grid_size: int, order: int
) -> torch.Tensor:
    """Return the values of all B-splines at all numbers, on the CPU, with a first-order gradient.

    On a uniform grid every spline is the same function b of the distance from its centre,
    ``b(v) = sum_r (-1)^r C(order + 1, r) max((order + 1)/2 - r - |v|, 0)^order / order!``
    with v in steps of the grid, so there is no recursion and no search for an interval. Spline m
    begins at ``low + (m - order) step``. Within the grid the splines add up to 1.

    Parameters
    ----------
    x : Tensor of shape (n, n_inputs)
    grid_range, grid_size, order
        As for :class:`KANLayer`.

    Returns
    -------
    Tensor of shape (n, grid_size + order, n_inputs)

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[0.0], [0.25], [1.0]])
    >>> spline_basis(x, (0.0, 1.0), grid_size=2, order=1)[:, :, 0]
    tensor([[1.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.0000],
            [0.0000, 0.0000, 1.0000]])
    """
    low, high = grid_range
    step = (high - low) / grid_size
    basis: torch.Tensor = _SplineBasis.apply(x, low, step, grid_size, order)  # type: ignore[no-untyped-call]
    return basis


class _SplineBasis(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, low: float, step: float, grid_size: int, order: int
    ) -> torch.Tensor:
        # In steps, from the centre of the first spline.
        place = (x.detach() - low) / step + (order - (order + 1) / 2)
        ctx.save_for_backward(place)
        ctx.step, ctx.order = step, order
        basis = torch.zeros((len(x), grid_size + order, x.shape[1]), dtype=x.dtype)
        reach, weights = spline_terms(order, basis.numpy().dtype)
        fill_splines(place.numpy(), reach, weights, order, basis.numpy())
        return basis

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (place,) = ctx.saved_tensors
        result = torch.zeros_like(place)
        reach, weights = spline_terms(ctx.order, result.numpy().dtype)
        slopes = weights * (-ctx.order / ctx.step)
        outer = gradient.contiguous().numpy()
        add_slopes(
            place.numpy(), reach, slopes.astype(weights.dtype), ctx.order, outer, result.numpy()
        )
        return result, None, None, None, None


def spline_terms(order: int, dtype: npt.DTypeLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return reach and weight of the powers that make up a B-spline, those that can exceed 0."""
    r = np.arange((order + 2) // 2)
    reach = (order + 1) / 2 - r
    weights = (-1.0) ** r * [math.comb(order + 1, int(k)) for k in r] / math.factorial(order)
    return reach.astype(dtype), weights.astype(dtype)


# The inner loops run along the inputs of one row without a branch, so that the compiler can
# vectorise them. They use no constants, which would change single precision to double.


@compiled
def fill_splines(
    place: npt.NDArray[Any],
    reach: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    order: int,
    values: npt.NDArray[Any],
) -> None:
    """Add the values of all splines at all numbers to a matrix of zeros.

    Parameters
    ----------
    place : ndarray of shape (n_rows, n_inputs)
        The numbers, in steps of the grid from the centre of the first spline.
    reach, weights : ndarray of shape (n_terms,)
        The powers that make up a spline, from :func:`spline_terms`.
    order : int
        The exponent of the powers.
    values : ndarray of shape (n_rows, n_splines, n_inputs)
        Zeros, to which the values are added.
    """
    n_rows, n_splines, n_inputs = values.shape
    zero = reach.dtype.type(0)
    within = np.empty(n_inputs, dtype=place.dtype)
    power = np.empty(n_inputs, dtype=place.dtype)
    for n in range(n_rows):
        for m in range(n_splines):
            centre = reach.dtype.type(m)
            for k in range(len(reach)):
                for i in range(n_inputs):
                    z = reach[k] - abs(place[n, i] - centre)
                    within[i] = z if z > zero else zero
                    power[i] = within[i]
                for _ in range(order - 1):
                    for i in range(n_inputs):
                        power[i] *= within[i]
                for i in range(n_inputs):
                    values[n, m, i] += weights[k] * power[i]


@compiled
def add_slopes(
    place: npt.NDArray[Any],
    reach: npt.NDArray[Any],
    slopes: npt.NDArray[Any],
    order: int,
    outer: npt.NDArray[Any],
    result: npt.NDArray[Any],
) -> None:
    """Add the gradient of each number, from those of its splines, to a matrix of zeros.

    Parameters
    ----------
    place, reach, order
        As for :func:`fill_splines`.
    slopes : ndarray of shape (n_terms,)
        The weights of the powers in the derivative of a spline.
    outer : ndarray of shape (n_rows, n_splines, n_inputs)
        The gradient with respect to the values of the splines.
    result : ndarray of shape (n_rows, n_inputs)
        Zeros, to which the gradient is added.
    """
    n_rows, n_splines, n_inputs = outer.shape
    zero, one = reach.dtype.type(0), reach.dtype.type(1)
    within = np.empty(n_inputs, dtype=place.dtype)
    power = np.empty(n_inputs, dtype=place.dtype)
    for n in range(n_rows):
        for m in range(n_splines):
            centre = reach.dtype.type(m)
            for k in range(len(reach)):
                for i in range(n_inputs):
                    z = reach[k] - abs(place[n, i] - centre)
                    within[i] = z if z > zero else zero
                    power[i] = one if z > zero else zero
                for _ in range(order - 1):
                    for i in range(n_inputs):
                        power[i] *= within[i]
                for i in range(n_inputs):
                    change = outer[n, m, i] * slopes[k] * power[i]
                    result[n, i] += change if place[n, i] > centre else -change
