"""From sums over stars to the Gram matrix a learner sees: weights, normalisation, Gaussian form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Array, Float64, Floats
from nask.choices import DType, GramForm
from nask.numeric import TINY, inverse_root, scale_pairs
from nask.storage.window import Window, window_of

# Relative differences below this are rounding errors.
ROUNDING = 1e-12
# Numbers of a Gram matrix that are looked at together: 2 MB.
WINDOW_NUMBERS = 250_000


@dataclass(frozen=True, eq=False)
class Form:
    """What is made of the hops' Gram matrices: their weighted sum, normalised, linear or Gaussian.

    Parameters
    ----------
    hop_weights : ndarray of shape (n_hops,)
    gram : {"linear", "rbf"}
    scale : float
        Of the Gaussian.
    dtype : {"float32", "float64"}
        Of the result.
    """

    hop_weights: Float64
    normalize: bool
    gram: GramForm
    scale: float
    dtype: DType

    def to_json(self) -> dict[str, Any]:
        """Return the form by the names of the kernel's parameters."""
        return {
            "hop_weights": self.hop_weights.tolist(),
            "normalize": self.normalize,
            "gram": self.gram,
            "gram_scale": self.scale,
        }

    def raw_self(self, hop_self: Float64) -> Float64:
        """K(G, G) before normalisation, from that of each hop."""
        return np.asarray(self.hop_weights @ hop_self)

    def own(self, hop_self: Float64) -> Array:
        """K(G, G) of the linear kernel, from that of each hop."""
        return self_similarity(self.raw_self(hop_self), self.normalize)


def gram_of_hops(
    hops: Floats,
    *,
    n_hops: int,
    hop_weights: Sequence[float] | None = None,
    normalize: bool = True,
    gram: str = "linear",
    gram_scale: float = 1.0,
) -> Floats:
    """Gram matrix of a collection with itself from that of each hop.

    Equal to :meth:`nask.NASK.fit_transform` with the same parameters, without comparing any graphs
    again.

    Parameters
    ----------
    hops : ndarray of shape (n_hops or more, n, n)
        As :meth:`nask.NASK.hop_grams` returns them. Hops beyond ``n_hops`` are left out.
    n_hops, hop_weights, normalize, gram, gram_scale
        As in :class:`nask.NASK`.

    Returns
    -------
    ndarray of shape (n, n)
        In the precision of ``hops``; the only array of that size that is made.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs[:20]
    >>> hops = nask.NASK(n_hops=3).fit(graphs).hop_grams(graphs)
    >>> shallow = nask.NASK(n_hops=2, gram="rbf").fit_transform(graphs)
    >>> bool(np.allclose(gram_of_hops(hops, n_hops=2, gram="rbf"), shallow))
    True
    """
    linear, own = _linear_of_hops(hops, n_hops, hop_weights, normalize)
    if gram == "linear":
        return linear
    unit = distance_unit(linear, own)
    return gaussian(to_squared_distances(linear, own, own, diagonal=True), gram_scale, unit)


def unit_of_hops(
    hops: Floats,
    *,
    n_hops: int,
    hop_weights: Sequence[float] | None = None,
    normalize: bool = True,
    gram: str = "linear",
    gram_scale: float = 1.0,
) -> float | None:
    """Mean squared distance that a Gaussian form of these hops has; None of a linear one.

    Parameters are those of :func:`gram_of_hops`.
    """
    if gram == "linear":
        return None
    return distance_unit(*_linear_of_hops(hops, n_hops, hop_weights, normalize))


def _linear_of_hops(
    hops: Floats, n_hops: int, hop_weights: Sequence[float] | None, normalize: bool
) -> tuple[Floats, Array]:
    """Linear Gram matrix, and K(G, G) of each graph."""
    weights = np.ones(n_hops) if hop_weights is None else np.asarray(hop_weights, dtype=np.float64)
    linear = np.empty(hops.shape[1:], dtype=hops.dtype)
    # In windows of some rows: the sum is made in float64, and the hops may be larger than memory.
    height = max(1, WINDOW_NUMBERS // len(linear))
    for start in range(0, len(linear), height):
        rows = slice(start, start + height)
        linear[rows] = np.tensordot(weights, hops[:n_hops, rows], axes=1)
    own = linear.diagonal().copy()
    if normalize:
        scale = inverse_root(own)
        scale_pairs(linear, scale, scale)
        own = self_similarity(own, normalize=True)
    return linear, own


def self_similarity(own: Array, normalize: bool) -> Array:
    """K(G, G) of each graph: 1 where normalised, but 0 of a graph without nodes."""
    return (own >= TINY).astype(np.float64) if normalize else own


@dataclass(frozen=True, eq=False)
class GaussianForm:
    """exp(-scale * squared distance / unit) from the kernel between two batches.

    Parameters
    ----------
    row_self, column_self : ndarray
        K(G, G) of the graphs of both batches.
    symmetric : bool
        Whether both are the same batch.
    """

    row_self: Floats
    column_self: Floats
    symmetric: bool
    scale: float
    unit: float

    def apply(self, gram: Floats, window: Window) -> Floats:
        """Write the form over a part of the kernel."""
        own, others = self.row_self[window.rows], self.column_self[window.columns]
        diagonal = self.symmetric and window.on_diagonal
        distances = to_squared_distances(gram, own, others, diagonal)
        return gaussian(distances, self.scale, self.unit)


def to_squared_distances(
    gram: Floats, row_self: Array, column_self: Array, diagonal: bool
) -> Floats:
    """Squared distances in the kernel's feature space, in place of the kernel.

    ``row_self`` and ``column_self`` are K(G, G). With ``diagonal`` rows and columns are the same
    graphs, which rounding must not part.
    """
    gram *= -2
    for i, own in enumerate(row_self):
        # Their sum first: it is the same either way round.
        gram[i] += own + column_self
    np.maximum(gram, 0, out=gram)
    if diagonal:
        np.fill_diagonal(gram, 0)
    return gram


def distance_unit(gram: Floats, own: Array) -> float:
    """Mean squared distance between two different graphs, from their kernel."""
    n = len(gram)
    # In windows of some rows, since the kernel may be a file larger than memory.
    height = max(1, WINDOW_NUMBERS // n)
    total = 0.0
    for window in Window(slice(0, n), slice(0, n)).tiles(height, n):
        rows = window_of(gram, window)
        distances = to_squared_distances(rows, own[window.rows], own, diagonal=False)
        np.fill_diagonal(distances[:, window.rows], 0)
        total += float(distances.sum())
    return mean_distance(total, own)


def mean_distance(total: float, own: Array) -> float:
    """Mean squared distance between two different graphs, from the sum over all pairs.

    Graphs that are all alike leave rounding errors only: their own size is the unit then, instead
    of magnifying these.
    """
    n = len(own)
    mean = total / (n * (n - 1)) if n > 1 else 0.0
    size = float(own.mean())
    return mean if mean > ROUNDING * size else size or 1.0


def gaussian(distances: Floats, scale: float, unit: float) -> Floats:
    """exp(-scale * distance / unit), in place of the distances."""
    # Infinity times a distance of 0 would be no number.
    factor = min(scale / unit, float(np.finfo(distances.dtype).max))
    with np.errstate(over="ignore"):
        distances *= -factor
    return np.exp(distances, out=distances)
