"""Weights of training items, as scikit-learn has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Float64, Positions
from nask.exceptions import ParameterError
from nask.messages import quoted


def weights_of_items(
    given: Any, n_items: int, owner: str, item: str = "graph"
) -> tuple[Positions, Float64 | None]:
    """Positions of items that have a weight above 0, and their weights; None where all are 1.

    An item of weight 0 is as good as not there.

    Parameters
    ----------
    given : array-like of shape (n_items,), or None
    n_items : int
    owner : str
        Whose parameter it is, for messages.
    item : str

    Examples
    --------
    >>> weights_of_items([2.0, 0.0, 1.0], 3, "NASKClassifier")
    (array([0, 2]), array([2., 1.]))
    >>> weights_of_items(None, 2, "NASKClassifier")
    (array([0, 1]), None)
    >>> weights_of_items([1.0, -1.0], 2, "NASKClassifier")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'sample_weight' parameter of NASKClassifier has the value
    -1.0 for graph 1: expected a finite number of 0 or more.
    """
    everything = np.arange(n_items)
    if given is None:
        return everything, None
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError.expected(
            "sample_weight", owner, f"None or one number per {item}", given
        ) from None
    if weights.shape != (n_items,):
        raise ParameterError(
            f"The 'sample_weight' parameter of {owner} has the shape {weights.shape}: expected "
            f"one number for each of the {n_items} {item}s."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ParameterError(
            f"The 'sample_weight' parameter of {owner} has the value {quoted(weights[bad[0]])} for "
            f"{item} {bad[0]}: expected a finite number of 0 or more."
        )
    there = np.flatnonzero(weights)
    if not len(there):
        raise ParameterError(
            f"The 'sample_weight' parameter of {owner} is 0 for every {item}: expected one above "
            "0 at least."
        )
    own = weights[there]
    return there, None if (own == 1).all() else own
