"""Ridge regression in one pass: sums of products of columns, kept fold by fold.

With rows x and a column of ones, X, and targets Y, the sums X'X, X'Y and the squares of Y are all
that a ridge regression needs, for any penalty. They do not grow with the number of rows, and those
of a fold that is left out are subtracted. So the penalty is chosen by exact cross-validation,
without a second pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from joblib import delayed
from scipy.linalg import cho_factor, cho_solve

from nask.arrays import Array, Float64, Index
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.execution.threads import one_blas_thread
from nask.learning.linear import LinearFunctions

# Tried where none is given, on rows of unit mean squared length after centring.
ALPHAS = (1e-5, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# Where there are too few rows for two folds.
CAUTIOUS = 1.0
# Rows that are as long as this part of what they have in common are all alike: rounding.
ALIKE = 1e3 * float(np.finfo(np.float64).eps)
# Sums take one operation in the time of comparing this part of a pair of nodes.
PRODUCTS_PER_PAIR = 100
GOLDEN = np.uint64(0x9E3779B97F4A7C15)

Numbers = npt.NDArray[np.uint64]


def hashed(positions: Index, seed: int) -> Numbers:
    """Numbers of 64 bits that look random, from positions in a stream (splitmix64).

    Folds drawn from these do not depend on how a stream is cut, and classes that take turns are in
    all of them.

    Examples
    --------
    >>> np.bincount((hashed(np.arange(9000), 0) % 3).astype(int)).tolist()
    [3028, 2984, 2988]
    """
    with np.errstate(over="ignore"):
        x = positions.astype(np.uint64) + np.uint64(seed % 2**32) * np.uint64(2**32)
        x = (x + np.uint64(1)) * GOLDEN
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


@dataclass(frozen=True)
class Sums:
    """Sums over some rows x, with 1 at the end, and their targets y.

    Parameters
    ----------
    products : ndarray of shape (n_columns + 1, n_columns + 1)
        Of columns with columns.
    cross : ndarray of shape (n_columns + 1, n_targets)
        Of columns with targets.
    squares : ndarray of shape (n_targets,)
        Of targets with themselves.

    Examples
    --------
    >>> sums = Sums.zeros(2, 1)
    >>> sums.add(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[3.0], [1.0]]))
    >>> sums.products[-1], sums.cross.ravel(), sums.squares
    (array([1., 2., 2.]), array([3., 2., 4.]), array([10.]))
    """

    products: Float64
    cross: Float64
    squares: Float64

    @classmethod
    def zeros(cls, n_columns: int, n_targets: int) -> Sums:
        """Those over no rows."""
        n = n_columns + 1
        return cls(np.zeros((n, n)), np.zeros((n, n_targets)), np.zeros(n_targets))

    @property
    def weight(self) -> float:
        """Sum of the weights of rows; without weights their number."""
        return float(self.products[-1, -1])

    def add(self, rows: Array, targets: Float64, weights: Float64 | None = None) -> None:
        """Add some rows to the sums, in place."""
        block = np.ones((len(rows), rows.shape[1] + 1))
        block[:, :-1] = rows
        if weights is not None:
            roots = np.sqrt(weights)[:, None]
            block *= roots
            targets = targets * roots
        self.products.__iadd__(block.T @ block)
        self.cross.__iadd__(block.T @ targets)
        self.squares.__iadd__((targets**2).sum(axis=0))

    def without(self, other: Sums) -> Sums:
        """The sums over those rows that are not in ``other``."""
        return Sums(
            self.products - other.products, self.cross - other.cross, self.squares - other.squares
        )

    def errors(self, functions: LinearFunctions) -> Float64:
        """Sums of the squared errors of functions on these rows, one per target."""
        both = np.vstack([functions.coefficients.T, functions.constants])
        fitted = (both * (self.products @ both - 2 * self.cross)).sum(axis=0)
        return np.asarray(np.maximum(self.squares + fitted, 0.0))

    def ridges(self, alphas: Iterable[float]) -> list[LinearFunctions]:
        """The ridge regressions on these rows, one per penalty, with free constants.

        The penalty counts for rows that are centred and scaled to unit mean squared length.
        """
        n = self.weight
        mean, middle = self.products[-1, :-1] / n, self.cross[-1] / n
        spread = self.products[:-1, :-1] - n * np.outer(mean, mean)
        slopes = self.cross[:-1] - n * np.outer(mean, middle)
        square = float(np.trace(spread)) / n
        alike = square <= ALIKE * float(np.trace(self.products[:-1, :-1])) / n
        scale = 1.0 if alike else float(np.sqrt(square))
        spread /= scale**2
        found = []
        for alpha in alphas:
            system = spread.copy()
            np.fill_diagonal(system, spread.diagonal() + alpha)
            # Transposed, which is the same, so that LAPACK writes over it.
            factor = cho_factor(system.T, lower=True, overwrite_a=True, check_finite=False)
            coefficients = cho_solve(factor, slopes / scale, check_finite=False) / scale
            found.append(LinearFunctions(coefficients.T.copy(), middle - mean @ coefficients))
        return found


@dataclass(frozen=True)
class ChosenRidge:
    """A ridge regression whose penalty was chosen by cross-validation.

    Parameters
    ----------
    functions : LinearFunctions
        On all rows.
    alpha : float
    alphas : tuple of float
        Those that were tried.
    errors : ndarray of shape (n_alphas,)
        Mean squared error of each on rows that were held out; NaN where there were too few.
    held_out : dict of int to LinearFunctions
        The functions with this penalty, without the rows of each fold.
    """

    functions: LinearFunctions
    alpha: float
    alphas: tuple[float, ...]
    errors: Float64
    held_out: dict[int, LinearFunctions]


class Moments:
    """Sums over the rows of each fold, for ridge regressions on all of them.

    Parameters
    ----------
    n_columns, n_targets, n_folds : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = X @ [1.0, 2.0, 0.0, 0.0] + 5
    >>> moments = Moments(4, 1, 5)
    >>> moments.add(X[:100], y[:100, None], np.arange(100) % 5)
    >>> moments.add(X[100:], y[100:, None], np.arange(200) % 5)
    >>> chosen = moments.choose()
    >>> chosen.alpha, chosen.functions.coefficients.round(3), chosen.functions.constants.round(3)
    (1e-05, array([[1., 2., 0., 0.]]), array([5.]))
    """

    def __init__(self, n_columns: int, n_targets: int, n_folds: int) -> None:
        self.folds = [Sums.zeros(n_columns, n_targets) for _ in range(n_folds)]

    def add(
        self,
        rows: Array,
        targets: Float64,
        folds: Array,
        weights: Float64 | None = None,
        execution: Execution | None = None,
    ) -> None:
        """Add rows to the folds that they are in.

        Parameters
        ----------
        rows : ndarray of shape (n, n_columns)
        targets : ndarray of shape (n, n_targets)
        folds : ndarray of int of shape (n,)
        weights : ndarray of shape (n,), optional
        execution : Execution, optional
        """

        def task(fold: int) -> None:
            own = np.flatnonzero(folds == fold)
            if len(own):
                weight = None if weights is None else weights[own]
                self.folds[fold].add(rows[own], targets[own], weight)

        tasks = (delayed(task)(fold) for fold in range(len(self.folds)))
        n_pairs = rows.size * rows.shape[1] / PRODUCTS_PER_PAIR
        # One thread per product, so that their number does not decide the last digit.
        with one_blas_thread():
            for _ in (execution or Execution()).run(tasks, n_pairs):
                pass

    def total(self) -> Sums:
        """The sums over all rows."""
        first, *others = self.folds
        result = Sums(first.products.copy(), first.cross.copy(), first.squares.copy())
        for own in others:
            result.products.__iadd__(own.products)
            result.cross.__iadd__(own.cross)
            result.squares.__iadd__(own.squares)
        return result

    def choose(self, alpha: float | None = None) -> ChosenRidge:
        """Fit on all rows, with the penalty given or that of the least error on held-out rows."""
        total = self.total()
        if not np.isfinite(total.products.diagonal()).all():
            raise ParameterError(
                "The features hold a value that is not a finite number, so nothing can be learned "
                "from them. Look at the transformer that made them."
            )
        alphas = ALPHAS if alpha is None else (alpha,)
        filled = [k for k, own in enumerate(self.folds) if own.weight > 0]
        held_out: dict[int, list[LinearFunctions]] = {}
        errors = np.full(len(alphas), np.nan)
        with one_blas_thread():
            if len(filled) > 1:
                errors[:] = 0.0
                for fold in filled:
                    own = self.folds[fold]
                    held_out[fold] = total.without(own).ridges(alphas)
                    errors += [float(own.errors(ridge).sum()) for ridge in held_out[fold]]
                errors /= total.weight
            best = int(np.argmin(errors)) if len(filled) > 1 else 0
            chosen = alphas[best] if len(filled) > 1 or alpha is not None else CAUTIOUS
            [functions] = total.ridges([chosen])
        without = {fold: ridges[best] for fold, ridges in held_out.items()}
        return ChosenRidge(functions, chosen, alphas, errors, without)
