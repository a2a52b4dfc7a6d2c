"""Linear SVMs with squared hinge loss by Newton's method, in few passes over the rows.

The matrix is large and the functions are few, so what counts is how often the rows are read. A step
is found by conjugate gradients, one pass each; they need few, since a sample of the rows tells in
which directions the objective is curved most. How far to go along a step is found without reading
the rows: the values of the functions are kept, and those of the step come with the conjugate
gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from nask.arrays import Array, Float64, Positions
from nask.learning.centred_rows import CentredRows

# Axes of the sample at most: those of 1024 columns take 0.5 s, of 4096 a minute.
MOST_AXES = 1024
# Rows of the sample per axis: in theory, their mean squares are those of all rows within a factor
# of 1.8.
ROWS_PER_AXIS = 16
# Conjugate gradients end when the residual is this part of the gradient, or after so many passes.
RESIDUAL = 0.1
MOST_GRADIENTS = 30
# The slope along a step where it ends, as a part of that where it begins.
SLOPE = 0.01
MOST_TRIALS = 30
# Far beyond what is needed, which is 3 to 10.
MOST_STEPS = 100
ONE = np.int8(1)


class NewtonSolver:
    """Functions w x + b that minimise 1/2 |w|^2 + C sum_i weight_i max(0, 1 - y_i (w x_i + b))^2.

    All functions are trained in the same passes; one that is done is left out of the others.

    Parameters
    ----------
    data : CentredRows
    codes : ndarray of shape (n,)
        Number of the class of each row.
    positive : ndarray of shape (n_functions,)
        The class for which y is 1; for the others it is -1.
    weights : ndarray of shape (n,)
    C : float

    Attributes
    ----------
    functions : ndarray of shape (n_functions, n_columns + 1)
        w, and b at the end, for rows centred and scaled.
    """

    def __init__(
        self,
        data: CentredRows,
        codes: Positions,
        positive: Positions,
        weights: Float64,
        C: float,
    ) -> None:
        self._data, self._codes, self._positive, self._C = data, codes, positive, C
        self._weights = weights.astype(data.dtype)
        # The best functions that are constant.
        share = [np.average(codes == k, weights=weights) for k in positive]
        self.functions = np.zeros((len(positive), data.n_columns + 1))
        self.functions[:, -1] = 2 * np.array(share) - 1
        shape = (len(positive), len(data))
        self._values = np.empty(shape, dtype=data.dtype)  # of the functions
        self._values[:] = self.functions[:, -1:]
        self._changes = np.zeros(shape, dtype=data.dtype)  # of the values, along the step
        self._products = np.zeros(shape, dtype=data.dtype)  # rows times a conjugate gradient
        few = data.n_columns <= MOST_AXES
        n_sample = ROWS_PER_AXIS * data.n_columns if few else MOST_AXES
        self._spread, self._axes = principal_axes(data.sample(n_sample))

    def solve(self, tolerance: float) -> Iterator[None]:
        """Go to the optimum; yields after each pass over the rows.

        Ends where decisions differ from those of the optimum by ``tolerance`` times the mean slack.
        """
        live = np.arange(len(self.functions))
        before = np.full(len(live), np.inf)
        rounding = float(np.finfo(self._data.dtype).eps)
        for _ in range(MOST_STEPS):
            gradient, objective, active = self.gradient(live)
            yield
            falls = before[live] - objective > rounding * objective
            live, gradient, objective = live[falls], gradient[falls], objective[falls]
            if not len(live):
                return
            before[live] = objective
            step = yield from self._step(live, gradient, self._held(active[falls]))
            length = self.length(live, step)
            self.functions[live] += length[:, None] * step
            self._values[live] += length.astype(self._data.dtype)[:, None] * self._changes[live]
            # Twice how far the objective was above its minimum, nearly. The step leaves a tenth of
            # it at most, as it leaves a tenth of the gradient.
            excess = -RESIDUAL * np.einsum("kj,kj->k", gradient, step)
            live = live[excess > 2 * tolerance**2 * objective]
            if not len(live):
                return
        warnings.warn(
            f"A linear SVM with C={self._C:g} was not at its optimum after {MOST_STEPS} Newton "
            "steps. A smaller C, or a larger tolerance, takes fewer.",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _signs(self, live: Positions, place: slice) -> npt.NDArray[np.int8]:
        return np.where(self._codes[place] == self._positive[live, None], ONE, -ONE)

    def gradient(self, live: Positions) -> tuple[Float64, Float64, Float64]:
        """Gradient and objective, and the summed weights of the rows with a loss."""

        def terms(place: slice, tile: Array) -> tuple[Array, ...]:
            signs, weights = self._signs(live, place), self._weights[place]
            slack = np.maximum(1 - signs * self._values[live, place], 0)
            weighted = weights * slack
            active = np.where(slack > 0, weights, 0).sum(axis=1, dtype=np.float64)
            loss = (weighted * slack).sum(axis=1, dtype=np.float64)
            return (signs * weighted) @ tile, loss, active

        slope, loss, active = self._data.sums(terms)
        functions = self.functions[live]
        gradient = -2 * self._C * slope * self._data.units
        gradient[:, :-1] += functions[:, :-1]
        objective = (functions[:, :-1] ** 2).sum(axis=1) / 2 + self._C * loss
        return gradient, objective, active

    def _held(self, active: Float64) -> Float64:
        """Second derivatives of the loss per unit of variance, were the active rows like all."""
        # A function that no row holds back is curved by its penalty only.
        return 2 * self._C * np.maximum(active, float(self._weights.min()))[:, None]

    def _conditioned(self, gradient: Float64, held: Float64) -> Float64:
        """The gradient times the inverse of the second derivatives, as the sample tells them.

        Across its axes the rows vary as along the shortest of them.
        """
        across = 1 + held * (self._spread[0] if len(self._spread) else 0.0)
        along = (gradient[:, :-1] @ self._axes) * (1 / (1 + held * self._spread) - 1 / across)
        inner = gradient[:, :-1] / across + along @ self._axes.T
        return np.hstack([inner, gradient[:, -1:] / held])

    def _step(
        self, live: Positions, gradient: Float64, held: Float64
    ) -> Generator[None, None, Float64]:
        """Newton's step by conjugate gradients; the changes of the values are kept.

        Each function ends by itself.
        """
        self._changes[live] = 0
        step, residual = np.zeros_like(gradient), -gradient
        direction = self._conditioned(residual, held)
        size = np.einsum("kj,kj->k", residual, direction)
        enough = RESIDUAL**2 * size
        going = np.flatnonzero(size > 0)
        for _ in range(MOST_GRADIENTS):
            if not len(going):
                break
            own = live[going]
            bent = self.bend(own, direction[going])
            yield
            along = size[going] / np.einsum("kj,kj->k", direction[going], bent)
            step[going] += along[:, None] * direction[going]
            self._changes[own] += along.astype(self._data.dtype)[:, None] * self._products[own]
            residual[going] -= along[:, None] * bent
            better = self._conditioned(residual[going], held[going])
            after = np.einsum("kj,kj->k", residual[going], better)
            direction[going] = better + (after / size[going])[:, None] * direction[going]
            size[going] = after
            going = going[after > enough[going]]
        return step

    def bend(self, live: Positions, direction: Float64) -> Float64:
        """Second derivatives times a direction; the rows times it are kept."""
        scaled = (direction * self._data.units).astype(self._data.dtype)

        def terms(place: slice, tile: Array) -> tuple[Array, ...]:
            product = scaled @ tile.T
            self._products[live, place] = product
            held = self._signs(live, place) * self._values[live, place] < 1
            return (np.where(held, self._weights[place] * product, 0) @ tile,)

        [bent] = self._data.sums(terms)
        bent *= 2 * self._C * self._data.units
        bent[:, :-1] += direction[:, :-1]
        return bent

    def length(self, live: Positions, step: Float64) -> Float64:
        """How far to go along each step: to the minimum of a convex function of one number."""
        w, p = self.functions[live, :-1], step[:, :-1]
        inner, own = (w * p).sum(axis=1), (p * p).sum(axis=1)

        def slopes(length: Float64) -> tuple[Float64, Float64]:
            far = length.astype(self._data.dtype)[:, None]
            first, second = inner + length * own, own.copy()
            for place in self._data.windows():
                signs, change = self._signs(live, place), self._changes[live, place]
                slack = np.maximum(1 - signs * (self._values[live, place] + far * change), 0)
                pull = 2 * self._C * self._weights[place] * change
                first -= (signs * pull * slack).sum(axis=1, dtype=np.float64)
                second += np.where(slack > 0, pull * change, 0).sum(axis=1, dtype=np.float64)
            return first, second

        enough = SLOPE * np.abs(slopes(np.zeros(len(live)))[0])
        low, high = np.zeros(len(live)), np.full(len(live), np.inf)
        length = np.ones(len(live))
        for _ in range(MOST_TRIALS):
            first, second = slopes(length)
            if (np.abs(first) <= enough).all():
                break
            low, high = np.where(first < 0, length, low), np.where(first < 0, high, length)
            trial = length - first / np.maximum(second, np.finfo(np.float64).tiny)
            middle = np.where(np.isfinite(high), (low + high) / 2, 2 * low)
            inside = (trial > low) & (trial < high)
            length = np.where(np.abs(first) <= enough, length, np.where(inside, trial, middle))
        return length


def principal_axes(rows: Float64) -> tuple[Float64, Float64]:
    """Mean squares of the rows along orthogonal axes, and the axes as columns.

    There are no more than rows or columns. Directions in which the rows do not vary are left out.
    """
    long = rows if rows.shape[0] < rows.shape[1] else rows.T
    squares, vectors = np.linalg.eigh(long @ long.T / len(rows))
    seen = squares > 1e3 * float(np.finfo(np.float64).eps) * squares[-1]
    squares, vectors = squares[seen], vectors[:, seen]
    if long is rows:
        vectors = rows.T @ vectors / np.sqrt(len(rows) * squares)
    return squares, vectors
