"""Methods ranked on several datasets, after Demšar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from nask.arrays import Float64
from nask.exceptions import ParameterError

# Means are rounded to this: those of the same accuracies in another order differ by less.
DECIMALS = 10


@dataclass(frozen=True)
class Ranking:
    """Average ranks of methods over datasets, and which of them differ.

    Parameters
    ----------
    methods : tuple of str
        The best first.
    datasets : tuple of str
        What they were ranked on.
    ranks : tuple of float
        Average rank of each method; 1 is the best there can be.
    friedman_p : float
        p-value of the hypothesis that all methods are equally good.
    critical_difference : float
        Two average ranks that differ by less are not significantly different (Nemenyi).
    alpha : float
        Level of significance of that difference.

    References
    ----------
    Demšar: Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> accuracies = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4]]
    >>> ranking = Ranking.of(["nask", "wl", "gin"], ["A", "B", "C", "D"], accuracies, 0.05)
    >>> ranking.methods, ranking.ranks
    (('nask', 'wl', 'gin'), (1.0, 2.25, 2.75))
    >>> print(f"{ranking.friedman_p:.3f} {ranking.critical_difference:.3f}")
    0.039 1.657
    >>> ranking.groups()
    [('nask', 'wl'), ('wl', 'gin')]
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    ranks: tuple[float, ...]
    friedman_p: float
    critical_difference: float
    alpha: float

    @classmethod
    def of(
        cls,
        methods: Sequence[str],
        datasets: Sequence[str],
        accuracies: npt.ArrayLike,
        alpha: float,
    ) -> Ranking:
        """Rank two or more methods on two or more datasets.

        Parameters
        ----------
        methods, datasets : sequence of str
        accuracies : array-like of shape (n_datasets, n_methods)
            -inf for a method that did not end in time; it shares the last rank.
        alpha : float
        """
        ranks = dataset_ranks(accuracies)
        average = ranks.mean(axis=0)
        order = sorted(range(len(methods)), key=lambda i: (average[i], methods[i]))
        return cls(
            methods=tuple(methods[i] for i in order),
            datasets=tuple(datasets),
            ranks=tuple(float(average[i]) for i in order),
            friedman_p=friedman(ranks),
            critical_difference=nemenyi(len(methods), len(datasets), alpha),
            alpha=alpha,
        )

    def groups(self) -> list[tuple[str, ...]]:
        """Return the largest groups of methods among which no two ranks differ significantly.

        The best group comes first. A method that differs from all others is in none.
        """
        found: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            near = [i for i, r in enumerate(self.ranks) if 0 <= r - rank < self.critical_difference]
            last = max(near)
            if last > first and not (found and found[-1][1] >= last):
                found.append((first, last))
        return [self.methods[first : last + 1] for first, last in found]


def dataset_ranks(accuracies: npt.ArrayLike) -> Float64:
    """Rank methods on each dataset by accuracy; equal accuracies share their mean rank.

    Examples
    --------
    >>> dataset_ranks([[0.7, 0.9, 0.7], [-np.inf, 0.5, -np.inf]])
    array([[2.5, 1. , 2.5],
           [2.5, 1. , 2.5]])
    """
    rounded = np.round(np.asarray(accuracies, dtype=np.float64), DECIMALS)
    ranks: Float64 = stats.rankdata(-rounded, axis=1)
    return ranks


def friedman(ranks: Float64) -> float:
    """Test whether all methods are equally good, from their ranks on each dataset.

    Return the p-value of Friedman's statistic, with the correction for shared ranks and the
    chi-squared approximation. It is 1 if all ranks are shared.

    Examples
    --------
    >>> ranks = dataset_ranks([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]])
    >>> print(f"{friedman(ranks):.4f}")
    0.0970
    """
    n, k = ranks.shape
    middle = (k + 1) / 2
    spread = float(((ranks - middle) ** 2).sum())
    if spread == 0.0:
        return 1.0
    between = n * float(((ranks.mean(axis=0) - middle) ** 2).sum())
    return float(stats.chi2.sf(n * (k - 1) * between / spread, k - 1))


def nemenyi(n_methods: int, n_datasets: int, alpha: float) -> float:
    """Return the smallest difference of two average ranks that is significant.

    It is q √(k (k + 1) / (6 N)) for k methods and N datasets. Here q is the quantile of the
    studentized range with infinitely many degrees of freedom, divided by √2.

    Examples
    --------
    >>> print(f"{nemenyi(4, 14, 0.05):.3f}")  # an example of Demšar's paper has 1.25
    1.254
    """
    if n_methods < 2 or n_datasets < 2:
        raise ParameterError(
            "Ranks need two methods and two datasets or more. Got "
            f"{n_methods} methods and {n_datasets} datasets."
        )
    q = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))
