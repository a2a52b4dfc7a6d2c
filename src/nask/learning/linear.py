"""Linear SVMs on the rows of a large dense matrix of features.

``benchmarks/solvers.py`` measures them beside scikit-learn's LinearSVC, which copies the matrix to
float64 and reads it once per class and step. Here it is read where it lies, in float32, by all
classes at once and in threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.execution.execution import Execution
from nask.execution.progress import Progress, track
from nask.execution.threads import one_blas_thread
from nask.learning.centred_rows import CentredRows
from nask.learning.class_weights import CodeWeight, weight_of_items
from nask.learning.decisions import most_confident
from nask.learning.newton import NewtonSolver

# Decisions differ from those of the optimum by this part of the mean slack, or less.
TOLERANCE = 1e-3
# Passes over the rows that training typically takes, for the progress bar.
TYPICAL_PASSES = 15
# Rows decided at a time.
ROWS = 4096


@dataclass(frozen=True)
class LinearFunctions:
    """Decision functions f(x) = coefficients x + constant.

    Parameters
    ----------
    coefficients : ndarray of shape (n_functions, n_columns)
        One function for two classes, positive for the second; otherwise one per class, which tells
        it from the others.
    constants : ndarray of shape (n_functions,)

    Examples
    --------
    >>> functions = LinearFunctions(np.array([[1.0, -1.0]]), np.array([0.5]))
    >>> functions.decide(np.array([[3.0, 1.0], [0.0, 2.0]]))
    array([[ 2.5],
           [-1.5]])
    >>> functions.predict(np.array([[3.0, 1.0], [0.0, 2.0]]))
    array([1, 0])
    """

    coefficients: Float64
    constants: Float64

    def decide(self, X: Array, rows: Positions | None = None) -> Float64:
        """Values of the functions, rows x functions; of all rows where none are chosen.

        Products are taken in the precision of X, tile by tile.
        """
        n = len(X) if rows is None else len(rows)
        coefficients = self.coefficients.T.astype(np.result_type(X.dtype, np.float32))
        decisions = np.empty((n, len(self.constants)))
        for first in range(0, n, ROWS):
            place = slice(first, first + ROWS)
            decisions[place] = X[place if rows is None else rows[place]] @ coefficients
        decisions += self.constants
        return decisions

    def predict(self, X: Array, rows: Positions | None = None) -> Positions:
        """Number of the class of each row."""
        return most_confident(self.confidence(X, rows))

    def confidence(self, X: Array, rows: Positions | None = None) -> Float64:
        """Confidence in the second of two classes, (m,), or in each class, (m, n_classes)."""
        decisions = self.decide(X, rows)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions


def fit_linear(
    X: Array,
    codes: Positions,
    C: float,
    rows: Positions | None = None,
    class_weight: CodeWeight = None,
    tolerance: float = TOLERANCE,
    n_jobs: int | None = None,
    progress: Progress = False,
    sample_weight: Float64 | None = None,
) -> LinearFunctions:
    """Train on chosen rows: squared hinge loss, and a penalty on all but the constant.

    Minimises 1/2 |w|^2 + C sum_i weight_i max(0, 1 - y_i (w x_i + b))^2, with x centred by the mean
    of the chosen rows and scaled so that their mean squared length is 1. So C means the same as for
    the SVM on a Gram matrix.

    Parameters
    ----------
    X : ndarray of shape (n_all, n_columns)
        float32 or float64; may be a memory map. Never copied, only tiles of it.
    codes : ndarray of shape (n,)
        Classes of the chosen rows, numbered from 0; at least two.
    C : float
        Penalty of training errors.
    rows : ndarray of shape (n,) or None
        Positions of the chosen rows, in any order; all where None. Ascending ones are read faster.
    class_weight : dict by number of the class, "balanced" or None
        A row has the weight of its own class in every function.
    tolerance : float
        How far decisions may be from those of the optimum, as a part of the mean slack.
    n_jobs : int or None
        Threads, in joblib's convention; they do not change the result.
    progress : bool or callable
        Whether to show a bar, or a function told ``(done, total)`` after each pass over the rows.
        The total is what is typical.
    sample_weight : ndarray of shape (n,), optional
        Weights of the chosen rows, beside those of their classes. The mean row and the scale of
        rows are those without weights.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 4)).astype(np.float32)
    >>> codes = np.arange(90) % 3
    >>> X[np.arange(90), codes] += 4
    >>> functions = fit_linear(X, codes[::2], C=1.0, rows=np.arange(0, 90, 2))
    >>> functions.coefficients.shape, np.mean(functions.predict(X) == codes) > 0.9
    ((3, 4), np.True_)
    """
    n_classes = int(codes.max()) + 1
    positive = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    weights = weight_of_items(class_weight, codes, n_classes, sample_weight)
    # One thread per product: threads of BLAS would wait for each other, and their number would
    # decide the last digit.
    with one_blas_thread():
        data = CentredRows.fit(X, rows, Execution(n_jobs=n_jobs))
        solver = NewtonSolver(data, codes, positive, weights, C)
        for _ in track(solver.solve(tolerance), TYPICAL_PASSES, progress, "Training"):
            pass
    coefficients = solver.functions[:, :-1] / data.scale
    constants = solver.functions[:, -1] - coefficients @ data.mean
    return LinearFunctions(coefficients, constants)
