"""What the kernel of a file may ask for, before it is made."""

from __future__ import annotations

import numpy as np

from nask.arrays import Index
from nask.exceptions import ModelFileError
from nask.kernels.parameters import GraphKernelParameters, StarParameters
from nask.storage.read_limit import check_demand

LARGEST_OF_HOPS = 1e100
# Pairs of nodes that are worth a byte of the limit of a file, some 0.3 µs of the processor. Eight
# members of a star take as long as a pair itself. Members of balls are counted as often as walks
# lead to them, and the explicit engine adds them up faster.
PAIRS_PER_BYTE, PAIRS_PER_BYTE_OF_BALLS, MEMBERS_PER_PAIR = 128, 1200, 8
# Balls of more hops are as large as their graphs.
DEEPEST = 30


def check_work(
    sizes: Index,
    ends: Index,
    n_bytes: int,
    model: GraphKernelParameters,
    engine: str,
    n_kernels: int = 1,
) -> None:
    """Raise where comparing each graph with itself, as loading does, would take very long.

    A graph of 60,000 nodes in a file of 100 kB has as many pairs of nodes as large sets have.

    Parameters
    ----------
    sizes : ndarray of shape (n_graphs,)
        Their numbers of nodes.
    ends : ndarray of shape (n_edges, 2)
        Of all edges, as positions among the nodes of all graphs.
    n_bytes : int
        The size of the file.
    model : GraphKernelParameters
    engine : str
        The engine that compares them, or "auto".
    n_kernels : int, default=1
        How many such kernels the file has.
    """
    n_nodes, ball, added_up = int(sizes.sum()), model.expansion == "ball", engine == "explicit"
    most = np.repeat(sizes, sizes).astype(np.float64)
    (u, v), members = ends.T, np.ones(n_nodes)
    depth = min(int(model.n_hops), DEEPEST) if ball else 1
    kept = pairs = 0.0
    for hop in range(depth):
        beside = np.bincount(u, members[v], n_nodes) + np.bincount(v, members[u], n_nodes)
        members = np.minimum(members + beside, most)
        hops = 1 if hop < depth - 1 else int(model.n_hops) - hop
        kept += hops * float(members.sum())
        each = members if added_up else 1.0 + members / MEMBERS_PER_PAIR
        pairs += hops * float((each * most).sum())
    worth = PAIRS_PER_BYTE_OF_BALLS if added_up else PAIRS_PER_BYTE
    # Members of stars are listed once, those of balls at every hop.
    needed = n_kernels * max(pairs / worth, kept if ball else 0.0)
    if not added_up:
        # Pairs of the largest graph with itself lie in memory.
        needed = max(needed, float(sizes.max(initial=0)) ** 2)
    demand = "The pairs of nodes in its graphs, at so many a byte, count as"
    check_demand(int(needed), n_bytes, demand, ModelFileError)


def refuse_huge_weights(kernel: StarParameters) -> None:
    """Raise where sums over hops would not stay finite."""
    if max(kernel.hop_weights or (0.0,)) > LARGEST_OF_HOPS:
        raise ModelFileError("A hop has a weight that is too large for sums over hops.")
