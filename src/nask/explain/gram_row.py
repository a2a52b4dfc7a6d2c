"""The kernel between one graph, or node, and the training items as a sum over stars and a rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nask.arrays import Float64
from nask.kernels.forms import Form, self_similarity
from nask.numeric import inverse_root


class GramRow(NamedTuple):
    """One row of a Gram matrix, as a sum over stars and a rest.

    K_i = rest_i + slope_i * sum over hops of weight_h * sums of kappa_h with item i

    Parameters
    ----------
    values, rest, slope : ndarray of shape (n_items,)
        K itself; the part that no star has; and what a unit of the sum over stars is worth.
    """

    values: Float64
    rest: Float64
    slope: Float64

    @classmethod
    def of(
        cls,
        form: Form,
        unit: float | None,
        sums: Float64,
        own: Float64,
        training: Float64,
    ) -> GramRow:
        """Return the row in a form.

        A linear kernel is x = slope * sum over stars, the slope being that of normalisation. The
        Gaussian form is a function g of x. Its Aumann-Shapley value shares out g(x) - g(0) in
        proportion: the slope is multiplied by (g(x) - g(0)) / x, and g(0), the kernel with what is
        unlike everything, is the rest.

        Parameters
        ----------
        form : Form
        unit : float or None
            Mean squared distance between training items, of a Gaussian form.
        sums : ndarray of shape (n_hops, n_items)
            Sums of kappa_h.
        own : ndarray of shape (n_hops, 1)
            The same of the graph, or node, with itself.
        training : ndarray of shape (n_hops, n_items)
            The same of each training item with itself.
        """
        raw, raw_training = form.raw_self(own), form.raw_self(training)
        slope = np.ones(sums.shape[1])
        if form.normalize:
            slope = inverse_root(raw) * inverse_root(raw_training)
        x = slope * (form.hop_weights @ sums)
        if form.gram == "linear" or unit is None:
            return cls(x, np.zeros_like(x), slope)
        both = self_similarity(raw, form.normalize) + self_similarity(raw_training, form.normalize)
        rest = np.exp(-form.scale / unit * both)
        values = np.exp(-form.scale / unit * np.maximum(both - 2 * x, 0.0))
        values = np.where(x != 0, values, rest)
        per_unit = np.divide(values - rest, x, out=np.zeros_like(x), where=x != 0)
        return cls(values, rest, slope * per_unit)


def centred_shares(coefficients: Float64, row: GramRow) -> Float64:
    """Shares of training items in sum_i coefficient_i * (K_i - rest_i), which they add up to.

    Coefficients add up to 0, so that any constant may be taken from K. Its mean is: an item speaks
    by how much more like it the graph is than like others. Without that, items would have huge
    shares that cancel, since all graphs are much alike.

    Examples
    --------
    >>> row = GramRow(np.array([0.9, 0.8]), np.zeros(2), np.ones(2))
    >>> centred_shares(np.array([10.0, -10.0]), row).round(3)
    array([0.5, 0.5])
    """
    x = row.values - row.rest
    mean = x.mean() if len(x) else 0.0
    rounding = mean * coefficients.sum() / max(1, len(x))
    return np.asarray(coefficients * (x - mean) + rounding)
