"""Positions of the nodes that a user chooses, by positions or by a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Index, Mask
from nask.exceptions import ParameterError


def node_positions(nodes: Any, n_nodes: int, name: str) -> Index:
    """Return the positions of nodes in a graph, checked.

    Parameters
    ----------
    nodes : array-like of int or of bool
        Positions, or a mask with one True or False per node, as in PyTorch Geometric.
    name : str
        The parameter's name, for messages.

    Examples
    --------
    >>> node_positions([2, 0], 3, "train"), node_positions([True, False, True], 3, "train")
    (array([2, 0]), array([0, 2]))
    >>> node_positions([3], 3, "train")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 'train' must be positions of nodes, integers from 0 to 2, or a
    mask with one True or False per node. Got 3.
    """
    given = np.asarray(nodes)
    if given.dtype == object and given.size and all(isinstance(v, bool) for v in given.flat):
        given = given.astype(bool)
    if not given.size:
        given = given.astype(np.int64)
    if given.ndim == 1 and given.dtype.kind == "b":
        return _positions_of_mask(given, n_nodes, name)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise _expected(name, n_nodes, f"an array of {given.dtype} of shape {given.shape}")
    outside = given[(given < 0) | (given >= n_nodes)]
    if len(outside):
        raise _expected(name, n_nodes, str(outside[0]))
    _refuse_integers_for_a_mask(nodes, given, n_nodes, name)
    return given.astype(np.int64)


def _positions_of_mask(mask: Mask, n_nodes: int, name: str) -> Index:
    if len(mask) != n_nodes:
        raise ParameterError(
            f"{name!r} is a mask of {len(mask)} values, but the graph has {n_nodes} nodes: "
            "expected one True or False per node."
        )
    return np.flatnonzero(mask).astype(np.int64)


def _refuse_integers_for_a_mask(nodes: Any, given: Index, n_nodes: int, name: str) -> None:
    """Raise where True and False were given as 1 and 0, which would mean nodes 1 and 0."""
    if isinstance(nodes, (list, tuple)) and any(isinstance(v, (bool, np.bool_)) for v in nodes):
        raise ParameterError(
            f"{name!r} mixes True or False with positions of nodes: give positions alone, or a "
            "mask with one True or False per node."
        )
    # As positions they would name two nodes again and again.
    if len(given) == n_nodes > 2 and given.max() <= 1:
        raise ParameterError(
            f"{name!r} holds only 0 and 1, one per node: it seems to be a mask, not positions. "
            "Give True and False instead, for instance by numpy.asarray(mask).astype(bool)."
        )


def _expected(name: str, n_nodes: int, got: str) -> ParameterError:
    return ParameterError(
        f"{name!r} must be positions of nodes, integers from 0 to {n_nodes - 1}, or a mask with "
        f"one True or False per node. Got {got}."
    )
