"""How much a graph is like those of training: its distance from the nearest, among theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nask.arrays import Array, Float64, Floats, Positions
from nask.engines.contract import Prepared
from nask.exceptions import ParameterError
from nask.kernels.forms import Form

# Numbers of a Gram matrix that are looked at together: 2 MB.
WINDOW_NUMBERS = 250_000
# Of logarithms of sizes, where the training graphs have one size: then a graph with 14 % more nodes
# is as far from them as they are from each other on average.
LEAST_SPREAD = 0.1
# Relative differences of distances below this are rounding errors of the Gram matrix; so are
# squared distances, where graphs are the same.
ROUNDING = 1e-6


class Side(NamedTuple):
    """What is known of each graph of a batch by itself.

    Parameters
    ----------
    own : ndarray of shape (n,)
        K(G, G).
    n_nodes : ndarray of shape (n,)
    """

    own: Array
    n_nodes: Array

    @classmethod
    def of(cls, graphs: Prepared, form: Form) -> Side:
        """Look at a batch, with the kernel in a form."""
        n_nodes = np.diff(graphs.batch.nodes.ptr)
        own = np.ones(len(n_nodes)) if form.gram == "rbf" else form.own(graphs.hop_self)
        return cls(own, n_nodes)

    def take(self, positions: Positions) -> Side:
        """The same of some graphs."""
        return Side(self.own[positions], self.n_nodes[positions])


@dataclass(frozen=True, eq=False)
class Likeness:
    r"""Distance of each training graph from the nearest other one, to compare new graphs with.

    The squared distance of two graphs is that in the kernel's feature space and that of their
    sizes, each in units of its mean over pairs of training graphs,

    .. math:: (K(G, G) + K(G', G') - 2 K(G, G')) / u + (\log n - \log n')^2 / u_s.

    A normalised kernel does not see the size. With it, a graph of many copies of a training graph
    is far from that.

    Parameters
    ----------
    distances : ndarray of shape (n,)
        Of each training graph from the nearest support graph that is another one; in order.
    unit, size_unit : float
        u and u_s.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 30.0])
    >>> side = Side(x * x, np.full(9, 10))
    >>> known = Likeness.fit(np.outer(x, x), side, np.arange(9))
    >>> new = np.array([3.5, 20.0, 300.0])
    >>> known.p_values(np.outer(new, x), Side(new * new, np.full(3, 10)), side)
    array([1. , 0.2, 0.1])
    """

    distances: Float64
    unit: float
    size_unit: float

    @classmethod
    def fit(cls, gram: Floats, side: Side, support: Positions) -> Likeness | None:
        """Measure the training graphs; None where a graph has no other to be compared with.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        side : Side
            Of the training graphs.
        support : ndarray of shape (n_support,)
            Positions of the graphs that new ones will be compared with.
        """
        n = len(gram)
        if len(support) < 2:
            return None
        total = n * float(np.sum(side.own, dtype=np.float64))
        total -= sum(float(np.sum(gram[rows], dtype=np.float64)) for rows in _windows(n, n))
        # Twice as much, over the pairs of different graphs.
        unit, size = 2 * total / (n * (n - 1)), float(np.mean(side.own)) or 1.0
        spread = max(float(np.std(_log(side.n_nodes))), LEAST_SPREAD)
        units = cls(np.empty(0), unit if unit > ROUNDING * size else size, 2 * spread**2)
        distances = units.distances_of(gram, side, side.take(support), support)
        return cls(np.sort(distances), units.unit, units.size_unit)

    def distances_of(
        self, gram: Floats, rows: Side, columns: Side, support: Positions | None = None
    ) -> Float64:
        """Distance of each graph from the nearest support graph.

        Parameters
        ----------
        gram : ndarray of shape (m, n_support); with ``support`` of shape (m, m)
        rows, columns : Side
            Of the graphs, and of the support graphs.
        support : ndarray of shape (n_support,), optional
            Positions of the support graphs among the graphs: these are not near themselves.
        """
        nearest = np.empty(len(gram))
        chosen: Positions | slice = slice(None) if support is None else support
        for window in _windows(*gram.shape):
            some = np.asarray(gram[window], dtype=np.float64)[:, chosen]
            squared = self.squared(some, Side(*(part[window] for part in rows)), columns)
            if support is not None:
                squared[np.arange(len(gram))[window, None] == support] = np.inf
            nearest[window] = squared.min(axis=1)
        return np.sqrt(np.where(nearest < ROUNDING, 0.0, nearest))

    def squared(self, gram: Floats, rows: Side, columns: Side) -> Float64:
        """Squared distances of graphs from others, from the kernel between them.

        Parameters
        ----------
        gram : ndarray of shape (m, k)
        rows, columns : Side
        """
        apart = _log(rows.n_nodes)[:, None] - _log(columns.n_nodes)
        # Units of a model file may be as small as a float can be.
        with np.errstate(over="ignore"):
            in_space = np.maximum(rows.own[:, None] + columns.own - 2 * gram, 0) / self.unit
            return np.asarray(in_space + apart**2 / self.size_unit, dtype=np.float64)

    def p_values(self, gram: Floats, rows: Side, columns: Side) -> Float64:
        """Share of graphs that are as far from the nearest as each graph is, or farther.

        These are the training graphs and the graph itself, so that of graphs like those of training
        a share of p at most has a value of p or less.

        Parameters
        ----------
        gram : ndarray of shape (m, n_support)
        rows, columns : Side
        """
        return shares_as_far(self.distances, self.distances_of(gram, rows, columns))


def known_likeness(likeness: Likeness | None, owner: str) -> Likeness:
    """Return what a model knows of its training graphs; raise where it knows nothing.

    Parameters
    ----------
    likeness : Likeness or None
    owner : str
        Name of the model's class, for the message.
    """
    if likeness is None:
        raise ParameterError(
            f"This {owner} cannot tell how far its training graphs are from each other: it keeps "
            "less than two of them, or was saved by a nask that did not note it. Fit it anew."
        )
    return likeness


def shares_as_far(known: Float64, distances: Float64) -> Float64:
    """Share of distances that are as large as each one, with itself as one of them.

    Parameters
    ----------
    known : ndarray of shape (n,)
        In order.
    distances : ndarray of shape (m,)

    Examples
    --------
    >>> shares_as_far(np.array([0.1, 0.2, 0.2]), np.array([0.3, 0.2, 0.0]))
    array([0.25, 0.75, 1.  ])
    """
    first = np.searchsorted(known, distances * (1 - ROUNDING), side="left")
    return np.asarray((1 + len(known) - first) / (len(known) + 1))


def _log(n_nodes: Array) -> Float64:
    """Logarithms of sizes; graphs may have no nodes."""
    return np.log1p(np.asarray(n_nodes, dtype=np.float64))


def _windows(n_rows: int, n_columns: int) -> Sequence[slice]:
    """Parts of some rows each: the Gram matrix may be a file larger than memory."""
    height = max(1, WINDOW_NUMBERS // max(1, n_columns))
    return [slice(start, start + height) for start in range(0, n_rows, height)]
