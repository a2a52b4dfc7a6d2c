"""Whether one method is better than another on a dataset, or only luckier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from nask.exceptions import ParameterError


def corrected_t_test(differences: npt.ArrayLike, test_ratio: float) -> float:
    """Test whether differences of two methods on the same folds have the mean 0.

    Folds share training items, so their differences are not independent, and the ordinary t-test
    finds a difference too often. Its variance of the mean, s² / n, is replaced by
    s² (1 / n + n_test / n_train) [1]_. Here n counts the folds of all repeats [2]_, and there are
    n - 1 degrees of freedom.

    Parameters
    ----------
    differences : array-like of shape (n_folds,)
        Difference of the accuracies on each fold; at least two.
    test_ratio : float
        n_test / n_train. With 0 this is the ordinary paired t-test.

    Returns
    -------
    float
        The two-sided p-value. If all differences are 0, p = 1. If all are equal but not 0, they
        have no spread, and p = 0, the limit as the spread goes to 0.

    References
    ----------
    .. [1] Nadeau, Bengio: Inference for the generalization error. Machine Learning 52, 2003.
    .. [2] Bouckaert, Frank: Evaluating the replicability of significance tests for comparing
       learning algorithms. PAKDD 2004.

    Examples
    --------
    >>> differences = [0.02, 0.05, -0.01, 0.04, 0.03]
    >>> print(f"{corrected_t_test(differences, 0.0):.3f} {corrected_t_test(differences, 1/4):.3f}")
    0.065 0.168
    >>> corrected_t_test([0.0, 0.0], 1/9), corrected_t_test([0.25, 0.25], 1/9)
    (1.0, 0.0)
    """
    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    if n < 2:
        raise ParameterError(f"A test needs the differences of two folds or more. Got {n}.")
    mean, error = float(values.mean()), corrected_error(values, test_ratio)
    if error == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    return float(2 * stats.t.sf(abs(mean / error), n - 1))


def corrected_error(differences: npt.ArrayLike, test_ratio: float) -> float:
    """Standard error of the mean difference of two methods on the same folds.

    It is that of :func:`corrected_t_test`, whose parameters are the same.

    Examples
    --------
    >>> print(f"{corrected_error([0.02, 0.05, -0.01, 0.04, 0.03], 1 / 4):.4f}")
    0.0154
    """
    values = np.asarray(differences, dtype=np.float64)
    return float(np.sqrt(values.var(ddof=1) * (1 / len(values) + test_ratio)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values of several tests by Holm's method.

    If all hypotheses with a corrected p-value of at most alpha are rejected, the probability of
    one or more false rejections is at most alpha.

    Parameters
    ----------
    p_values : sequence of float

    Returns
    -------
    list of float
        In the same order. The i-th smallest of m is multiplied by m - i + 1; it is at least the
        corrected one before it, and at most 1.

    References
    ----------
    Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.03, 0.5, 0.01])
    [0.06, 0.5, 0.03]
    """
    m = len(p_values)
    corrected, least = [0.0] * m, 0.0
    for place, index in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        least = max(least, min(1.0, (m - place) * p_values[index]))
        corrected[index] = least
    return corrected
