"""The derivatives of a function of a Gram matrix by what the matrix is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nask.arrays import Float64
from nask.kernels.forms import Form, distance_unit, gaussian, self_similarity, to_squared_distances
from nask.numeric import TINY, inverse_root, scale_pairs


class FormGradient(NamedTuple):
    """Derivatives by the sum over hops before it is normalised, and by parameters of the form."""

    raw: Float64  # graphs x graphs
    hop_weights: Float64
    gram_scale: float


def pull_form(hops: Float64, form: Form, bar: Float64) -> FormGradient:
    """Return the derivatives of a function of the Gram matrix, given its derivative by the matrix.

    Parameters
    ----------
    hops : ndarray of shape (n_hops, n, n)
        The Gram matrix of each hop, of a collection with itself.
    form : Form
        What is made of them: :func:`~nask.kernels.forms.gram_of_hops`.
    bar : ndarray of shape (n, n)
        The function's derivative by each entry, symmetric.

    Examples
    --------
    >>> hops = np.array([[[4.0, 1.0], [1.0, 1.0]]])
    >>> form = Form(np.ones(1), True, "linear", 1.0, "float64")
    >>> pull_form(hops, form, np.ones((2, 2))).raw  # by K_11, K_12, ... of 2 + 2 K_12 / norms
    array([[-0.125,  0.5  ],
           [ 0.5  , -0.5  ]])
    """
    raw = np.tensordot(form.hop_weights, hops, axes=1)
    size, linear, scale = raw.diagonal().copy(), raw.copy(), inverse_root(raw.diagonal())
    if form.normalize:
        scale_pairs(linear, scale, scale)
    own, by_scale = self_similarity(size, form.normalize), 0.0
    if form.gram == "rbf":
        distances = to_squared_distances(linear.copy(), own, own, diagonal=True)
        unit = distance_unit(linear.copy(), own)
        bar = bar * gaussian(distances.copy(), form.scale, unit) * (-form.scale / unit)
        by_scale = float((bar * distances).sum())
        n = len(bar)
        if n > 1 and np.isclose(unit, distances.sum() / (n * (n - 1)), rtol=1e-6):
            # Distances count by their ratio to their mean.
            bar = bar - by_scale / (unit * n * (n - 1))
        np.fill_diagonal(bar, 0.0)
        by_own = 2 * bar.sum(axis=1)
        bar = -2 * bar
        if not form.normalize:
            np.fill_diagonal(bar, by_own)
    if form.normalize:
        bar = bar.copy()
        np.fill_diagonal(bar, 0.0)
        by_size = np.zeros(len(size))
        there = size >= TINY
        by_size[there] = -((bar * linear).sum(axis=1)[there]) / size[there]
        scale_pairs(bar, scale, scale)
        np.fill_diagonal(bar, by_size)
    return FormGradient(bar, np.einsum("hij,ij->h", hops, bar), by_scale)
