"""A Kolmogorov-Arnold layer on rows most of whose numbers are 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch.nn import functional

from nask.baselines.networks.kan_layer import KANLayer, spline_basis

# From this share of numbers on, the dense product is as fast.
DENSE = 0.05


class RowKANLayer(KANLayer):
    """A :class:`KANLayer` that takes sparse rows, too, at the cost of what is not 0 in them.

    ``sum_i phi_ij(x_i) = sum_i phi_ij(0) + sum over x_i != 0 of (phi_ij(x_i) - phi_ij(0))``: the
    first sum is the same for all rows. Sparse rows are divided by their largest number first.

    Examples
    --------
    >>> import torch
    >>> layer = RowKANLayer(100, 3)
    >>> x = torch.eye(100)
    >>> torch.allclose(layer(x.to_sparse()), layer(x), atol=1e-5)
    True
    """

    def forward(self, x: Tensor) -> Tensor:
        """Outputs of shape (n, n_outputs) for sparse or dense inputs of shape (n, n_inputs)."""
        if not x.is_sparse:
            return super().forward(x)
        x = _scaled(x)
        if x.values().numel() >= DENSE * x.shape[0] * x.shape[1]:
            return super().forward(x.to_dense())
        at_zero = self._basis(torch.zeros(1, 1))
        n_splines = at_zero.shape[1]
        changes = self._basis(x.values().unsqueeze(1)) - at_zero
        changes = torch.cat([changes, functional.silu(x.values()).unsqueeze(1)], dim=1)
        weight = torch.cat([self.spline_weight, self.base_weight])
        constant = self.spline_weight.view(n_splines, x.shape[1], -1).sum(1)
        rows = _rows(x, changes.numpy())
        product: Tensor = _ConstantProduct.apply(rows, weight)  # type: ignore[no-untyped-call]
        return product + at_zero @ constant

    def _basis(self, x: Tensor) -> Tensor:
        basis = spline_basis(x, self.grid_range, self.grid_size, self.spline_order)
        return basis.squeeze(2)


def _scaled(x: Tensor) -> Tensor:
    """Rows divided by their largest absolute number."""
    largest = torch.zeros(x.shape[0]).scatter_reduce(
        0, x.indices()[0], x.values().abs(), "amax", include_self=True
    )
    values = x.values() / largest.clamp(min=torch.finfo(x.dtype).tiny)[x.indices()[0]]
    return torch.sparse_coo_tensor(
        x.indices(), values, x.shape, is_coalesced=True, check_invariants=False
    )


def _rows(x: Tensor, changes: Any) -> Any:
    """A csr_array with ``changes[e, m]`` for number e of x in the m-th block of its columns."""
    rows, columns = x.indices().numpy()
    n_rows, n_columns = x.shape
    n_blocks = changes.shape[1]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))]) * n_blocks
    places = columns[:, None] + n_columns * np.arange(n_blocks)
    shape = (n_rows, n_columns * n_blocks)
    return sparse.csr_array((changes.ravel(), places.ravel(), starts), shape=shape)


class _ConstantProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Any, weight: Tensor) -> Tensor:
        ctx.rows = rows
        return torch.from_numpy(rows @ weight.detach().numpy())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        return None, torch.from_numpy(ctx.rows.T @ gradients[0].contiguous().numpy())
