"""Products of a graph's sparse matrices, which are constant, with what a network computes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

P = ParamSpec("P")
Built = TypeVar("Built")


def once_per_tensor(
    build: Callable[Concatenate[Tensor, P], Built],
) -> Callable[Concatenate[Tensor, P], Built]:
    """Keep what was last built from a tensor, for as long as the tensor lives.

    A network sees the same edges in every epoch. Nothing is kept on the network, so a saved model
    does not contain the graph.
    """
    known = WeakTensorKeyDictionary()

    def cached(tensor: Tensor, /, *args: P.args, **kwargs: P.kwargs) -> Built:
        key = (args, kwargs)
        if tensor not in known or known[tensor][0] != key:
            known[tensor] = (key, build(tensor, *args, **kwargs))
        built: Built = known[tensor][1]
        return built

    return update_wrapper(cached, build)


def adjacency(edges: Tensor, n_nodes: int) -> Any:
    """Return the adjacency matrix, a csr_array of float64.

    ``edges`` has each edge in both directions.

    Examples
    --------
    >>> adjacency(torch.tensor([[0, 1], [1, 0]]), 3).toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    rows, columns = edges.numpy()
    ones = np.ones(len(rows))
    return sparse.csr_array((ones, (rows, columns)), shape=(n_nodes, n_nodes))


def smoothing(edges: Tensor, n_nodes: int) -> Any:
    """Return D^(-1/2) (A + I) D^(-1/2) with the degrees D of A + I, a csr_array of float64.

    Examples
    --------
    >>> smoothing(torch.tensor([[0, 1], [1, 0]]), 3).toarray().round(2).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    looped = adjacency(edges, n_nodes) + sparse.eye_array(n_nodes)
    scale = sparse.diags_array(1 / np.sqrt(looped.sum(axis=1)))
    return (scale @ looped @ scale).tocsr()


def as_tensor(matrix: Any) -> Tensor:
    """Return a sparse matrix as a CSR tensor of float32."""
    rows = sparse.csr_array(matrix)
    rows.sort_indices()
    with warnings.catch_warnings():
        # Torch warns once that CSR tensors are in beta. Only products are needed here.
        warnings.filterwarnings("ignore", "Sparse CSR", UserWarning)
        return torch.sparse_csr_tensor(
            torch.from_numpy(rows.indptr.astype(np.int64)),
            torch.from_numpy(rows.indices.astype(np.int64)),
            torch.from_numpy(rows.data.astype(np.float32)),
            rows.shape,
            check_invariants=False,
        )


class _SymmetricProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Tensor, rows: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix @ rows

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        return None, ctx.matrix @ gradients[0]


def symmetric_product(matrix: Tensor, rows: Tensor) -> Tensor:
    """Return the product of a constant symmetric CSR tensor with rows that a network computed.

    Its gradient is another product with the same matrix. Torch's own gradient would transpose the
    matrix in each epoch.

    Examples
    --------
    >>> path = as_tensor(adjacency(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3))
    >>> rows = torch.tensor([[1.0], [2.0], [4.0]], requires_grad=True)
    >>> product = symmetric_product(path, rows)
    >>> product.ravel().tolist()
    [2.0, 5.0, 2.0]
    >>> product[0].sum().backward()
    >>> rows.grad.ravel().tolist()
    [0.0, 1.0, 0.0]
    """
    product: Tensor = _SymmetricProduct.apply(matrix, rows)  # type: ignore[no-untyped-call]
    return product
