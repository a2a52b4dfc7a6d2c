"""From sums over stars to the Gram matrix a learner sees: weights, normalisation, Gaussian form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.numeric import TINY, inverse_root

Floats = npt.NDArray[np.floating]
# Relative differences below this are rounding errors.
ROUNDING = 1e-12


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

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs[:20]
    >>> hops = nask.NASK(n_hops=3).fit(graphs).hop_grams(graphs)
    >>> shallow = nask.NASK(n_hops=2, gram="rbf").fit_transform(graphs)
    >>> bool(np.allclose(gram_of_hops(hops, n_hops=2, gram="rbf"), shallow))
    True
    """
    weights = np.ones(n_hops) if hop_weights is None else np.asarray(hop_weights, dtype=np.float64)
    linear = np.tensordot(weights, hops[:n_hops], axes=1)
    own = linear.diagonal().copy()
    if normalize:
        scale = inverse_root(own)
        linear *= scale[:, None]
        linear *= scale[None, :]
        own = self_similarity(own, normalize=True)
    if gram == "linear":
        return linear
    distances = squared_distances(linear, own, own)
    np.fill_diagonal(distances, 0)
    return gaussian(distances, gram_scale, distance_unit(distances, own))


def self_similarity(own: npt.NDArray[Any], normalize: bool) -> npt.NDArray[Any]:
    """K(G, G) of each graph: 1 where normalised, but 0 of a graph without nodes."""
    return (own >= TINY).astype(np.float64) if normalize else own


def squared_distances(
    gram: Floats, row_self: npt.NDArray[Any], column_self: npt.NDArray[Any]
) -> Floats:
    """Squared distances in the kernel's feature space."""
    distances: Floats = np.maximum(row_self[:, None] + column_self[None, :] - 2 * gram, 0)
    return distances


def distance_unit(distances: Floats, own: npt.NDArray[Any]) -> float:
    """Mean squared distance between two different graphs.

    Graphs that are all alike leave rounding errors only: their own size is the unit then, instead
    of magnifying these.
    """
    n = len(distances)
    mean = float(distances.sum()) / (n * (n - 1)) if n > 1 else 0.0
    size = float(own.mean())
    return mean if mean > ROUNDING * size else size or 1.0


def gaussian(distances: Floats, scale: float, unit: float) -> Floats:
    """Return exp(-scale * distance / unit)."""
    return np.asarray(np.exp(-scale / unit * distances))
