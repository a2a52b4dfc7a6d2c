"""Linear classification of the rows of a large dense matrix of features, in little more memory.

scikit-learn's LinearSVC copies the matrix to float64; here it is read where it lies, in float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nask.execution.execution import Execution
from nask.execution.progress import Progress, track
from nask.learning.class_weights import CodeWeight, weight_of_classes
from nask.learning.feature_rows import Array, FeatureRows, Floats, Index
from nask.learning.newton import NewtonSolver

# Decisions differ from those of the optimum by this part of the mean slack, or less.
TOLERANCE = 1e-3
# Passes over the rows and machines done that one C typically takes, for the progress bar.
TYPICAL_PASSES = 15
# Rows decided at a time.
ROWS = 4096


@dataclass(frozen=True)
class LinearMachine:
    """Decision functions f(x) = coefficients x + constant.

    Parameters
    ----------
    coefficients : ndarray of shape (n_functions, n_columns)
        One function for two classes, positive for the second; one a class otherwise, which tells
        it from the rest.
    constants : ndarray of shape (n_functions,)

    Examples
    --------
    >>> machine = LinearMachine(np.array([[1.0, -1.0]]), np.array([0.5]))
    >>> machine.decide(np.array([[3.0, 1.0], [0.0, 2.0]]))
    array([[ 2.5],
           [-1.5]])
    >>> machine.predict(np.array([[3.0, 1.0], [0.0, 2.0]]))
    array([1, 0])
    """

    coefficients: Floats
    constants: Floats

    def decide(self, X: Array, rows: Index | None = None) -> Floats:
        """Values of the functions, rows x functions; of all rows where none are chosen.

        Products are taken in the precision of X, in blocks of rows.
        """
        n = len(X) if rows is None else len(rows)
        coefficients = self.coefficients.T.astype(np.result_type(X.dtype, np.float32))
        decisions = np.empty((n, len(self.constants)))
        for first in range(0, n, ROWS):
            place = slice(first, first + ROWS)
            decisions[place] = X[place if rows is None else rows[place]] @ coefficients
        decisions += self.constants
        return decisions

    def predict(self, X: Array, rows: Index | None = None) -> npt.NDArray[np.intp]:
        """Number of the class of each row."""
        return most_decided(self.decide(X, rows))


def most_decided(decisions: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Number of the chosen class, from one decision of two classes or one for each of several.

    Examples
    --------
    >>> most_decided(np.array([[0.5], [-2.0]])), most_decided(np.array([[0.5, 2.0, -1.0]]))
    (array([1, 0]), array([1]))
    """
    if decisions.shape[1] == 1:
        return np.asarray(decisions[:, 0] > 0, dtype=np.intp)
    return np.asarray(decisions.argmax(axis=1))


def fit_linear(
    X: Array,
    codes: Index,
    C: float,
    rows: Index | None = None,
    class_weight: CodeWeight = None,
    start: LinearMachine | None = None,
    tolerance: float = TOLERANCE,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> LinearMachine:
    """Train on chosen rows: squared hinge loss, and a penalty on all but the constant.

    Minimises 1/2 |w|^2 + C sum_i weight_i max(0, 1 - y_i (w x_i + b))^2, with x centred by the mean
    of the chosen rows and scaled so that their mean squared length is 1. So C means the same as for
    the kernel machine.

    Parameters
    ----------
    X : ndarray of shape (n_all, n_columns)
        float32 or float64; may be a memory map. Never copied, only blocks of it.
    codes : ndarray of shape (n,)
        Classes of the chosen rows, numbered from 0; two at least.
    C : float
    rows : ndarray of shape (n,) or None
        Positions of the chosen rows, in any order; all where None. Ascending ones are read faster.
    class_weight : dict by number of the class, "balanced" or None
        A row has the weight of its own class in every function.
    start : LinearMachine or None
        Where to begin; the result is the same but for the tolerance.
    tolerance : float
        How far decisions may be from those of the optimum, as a part of the mean slack.
    n_jobs : int or None
        Threads, in joblib's convention; they do not change the result.
    progress : bool or callable
        Whether to show a bar, or a function told ``(done, total)`` after each pass over the rows.
        The total is what is typical.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 4)).astype(np.float32)
    >>> codes = np.arange(90) % 3
    >>> X[np.arange(90), codes] += 4
    >>> machine = fit_linear(X, codes[::2], C=1.0, rows=np.arange(0, 90, 2))
    >>> machine.coefficients.shape, np.mean(machine.predict(X) == codes) > 0.9
    ((3, 4), np.True_)
    """
    path = linear_path(X, codes, [C], rows, class_weight, start, tolerance, n_jobs, progress)
    [machine] = path
    return machine


def linear_path(
    X: Array,
    codes: Index,
    penalties: Sequence[float],
    rows: Index | None = None,
    class_weight: CodeWeight = None,
    start: LinearMachine | None = None,
    tolerance: float = TOLERANCE,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Iterator[LinearMachine]:
    """One machine for each C, in ascending order, each the start of the next.

    Parameters are those of :func:`fit_linear`.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]], dtype=np.float32)
    >>> for machine in linear_path(X, np.array([0, 0, 1, 1]), [0.1, 1.0, 1000.0]):
    ...     print(machine.decide(X).ravel().round(2))
    [-0.53 -0.18  0.18  0.53]
    [-1.33 -0.44  0.44  1.33]
    [-3. -1.  1.  3.]
    """
    total = TYPICAL_PASSES * len(penalties)
    steps = _steps(X, codes, penalties, rows, class_weight, start, tolerance, n_jobs)
    for step in track(steps, total, progress, "Training"):
        if step is not None:
            yield step


def _steps(
    X: Array,
    codes: Index,
    penalties: Sequence[float],
    rows: Index | None,
    class_weight: CodeWeight,
    start: LinearMachine | None,
    tolerance: float,
    n_jobs: int | None,
) -> Iterator[LinearMachine | None]:
    """None after each pass over the rows, and the machines in between."""
    data = FeatureRows.fit(X, rows, Execution(n_jobs=n_jobs))
    yield None
    n_classes = int(codes.max()) + 1
    positive = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    weights = weight_of_classes(class_weight, codes, n_classes)[codes]
    functions = None
    if start is not None:
        constants = start.constants + start.coefficients @ data.mean
        functions = np.column_stack([start.coefficients * data.scale, constants])
    solver = NewtonSolver(data, codes, positive, weights, functions)
    yield None
    for C in penalties:
        for _ in solver.solve(C, tolerance):
            yield None
        coefficients = solver.functions[:, :-1] / data.scale
        constants = solver.functions[:, -1] - coefficients @ data.mean
        yield LinearMachine(coefficients, constants)
