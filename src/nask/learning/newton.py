"""Linear machines with squared hinge loss by Newton's method, in few passes over the rows.

The matrix is large and the functions are few, so what counts is how often the rows are read. A step
is found by conjugate gradients, one pass each; they need few, since the second moments of a sample
of the rows tell the curvature nearly. How far to go along it is found without reading the rows: the
values of the functions are kept, and those of the step come with the conjugate gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from nask.learning.feature_rows import Array, FeatureRows, Floats, Index

# Rows a column of the sample: in theory, its moments are those of all rows within a factor of 1.5.
SAMPLE = 32
# Conjugate gradients end when the residual is this part of the gradient, or after so many passes.
RESIDUAL = 0.1
MOST_GRADIENTS = 30
# The slope along a step where it ends, as a part of that where it begins.
SLOPE = 0.01
MOST_TRIALS = 30
# Far beyond what is needed: 14 passes in all, as measured, leave room for 3 or 4.
MOST_STEPS = 100
ONE = np.int8(1)


class NewtonSolver:
    """Functions w x + b that minimise 1/2 |w|^2 + C sum_i weight_i max(0, 1 - y_i (w x_i + b))^2.

    All functions are trained in the same passes; one that is done is left out of the others.

    Parameters
    ----------
    data : FeatureRows
    codes : ndarray of shape (n,)
        Number of the class of each row.
    positive : ndarray of shape (n_functions,)
        The class for which y is 1, else -1.
    weights : ndarray of shape (n,)
    functions : ndarray of shape (n_functions, n_columns + 1) or None
        Where to start: w, and b at the end, for rows centred and scaled. The attribute of this
        name is the solution later.
    """

    def __init__(
        self,
        data: FeatureRows,
        codes: Index,
        positive: Index,
        weights: Floats,
        functions: Floats | None = None,
    ) -> None:
        self._data, self._codes, self._positive = data, codes, positive
        self._weights = weights.astype(data.dtype)
        shape = (len(positive), len(data))
        self._values = np.zeros(shape, dtype=data.dtype)  # of the functions
        self._changes = np.zeros(shape, dtype=data.dtype)  # of the values, along the step
        self._products = np.zeros(shape, dtype=data.dtype)  # rows times a conjugate gradient
        if functions is None:
            self.functions = np.zeros((len(positive), data.n_columns + 1))
            share = [np.average(codes == k, weights=weights) for k in positive]
            # The best functions that are constant.
            self.functions[:, -1] = 2 * np.array(share) - 1
            self._values[:] = self.functions[:, -1:]
        else:
            self.functions = functions.copy()
            self._multiply(np.arange(len(positive)), self.functions, self._values)
        self._spread, self._axes = _moments(data.every(SAMPLE * (data.n_columns + 1)))

    def solve(self, C: float, tolerance: float) -> Iterator[None]:
        """Go to the optimum for this C; yields after each pass over the rows."""
        live = np.arange(len(self.functions))
        before = np.full(len(live), np.inf)
        rounding = float(np.finfo(self._data.dtype).eps)
        for _ in range(MOST_STEPS):
            gradient, objective, active = self._gradient(live, C)
            yield
            curvature = self._curvature(C, active)
            # Twice how far the objective is above its minimum, nearly.
            excess = np.einsum("kj,kj->k", gradient, self._conditioned(gradient, curvature))
            near = excess <= 2 * tolerance**2 * objective
            stuck = before[live] - objective <= rounding * objective
            before[live] = objective
            going = np.flatnonzero(~(near | stuck))
            live = live[going]
            if not len(live):
                return
            step = yield from self._step(live, C, gradient[going], curvature[going])
            length = self._length(live, C, step)
            self.functions[live] += length[:, None] * step
            self._values[live] += length.astype(self._data.dtype)[:, None] * self._changes[live]
        warnings.warn(
            f"A linear machine with C={C:g} was not at its optimum after {MOST_STEPS} Newton "
            "steps. A smaller C, or a larger tolerance, takes fewer.",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _signs(self, live: Index, place: slice) -> npt.NDArray[np.int8]:
        return np.where(self._codes[place] == self._positive[live, None], ONE, -ONE)

    def _gradient(self, live: Index, C: float) -> tuple[Floats, Floats, Floats]:
        """Gradient and objective, and the summed weights of the rows with a loss."""

        def part(place: slice, block: Array) -> tuple[Array, ...]:
            signs, weights = self._signs(live, place), self._weights[place]
            slack = np.maximum(1 - signs * self._values[live, place], 0)
            weighted = weights * slack
            active = np.where(slack > 0, weights, 0).sum(axis=1, dtype=np.float64)
            loss = (weighted * slack).sum(axis=1, dtype=np.float64)
            return (signs * weighted) @ block, loss, active

        slope, loss, active = self._data.sums(part)
        functions = self.functions[live]
        gradient = -2 * C * slope * self._data.units
        gradient[:, :-1] += functions[:, :-1]
        objective = (functions[:, :-1] ** 2).sum(axis=1) / 2 + C * loss
        return gradient, objective, active

    def _curvature(self, C: float, active: Floats) -> Floats:
        """Second derivatives along the axes of the sample, were the active rows like all."""
        # A function that no row holds back is curved by its penalty only.
        held = 2 * C * np.maximum(active, self._weights.min(initial=np.inf))[:, None]
        return np.hstack([1 + held * self._spread, held])

    def _conditioned(self, gradient: Floats, curvature: Floats) -> Floats:
        """The gradient times the inverse of the curvature."""
        turned = np.hstack([gradient[:, :-1] @ self._axes, gradient[:, -1:]]) / curvature
        return np.hstack([turned[:, :-1] @ self._axes.T, turned[:, -1:]])

    def _step(
        self, live: Index, C: float, gradient: Floats, curvature: Floats
    ) -> Generator[None, None, Floats]:
        """Newton's step by conjugate gradients; the changes of the values are kept.

        Each class ends by itself.
        """
        self._changes[live] = 0
        step, residual = np.zeros_like(gradient), -gradient
        better = self._conditioned(residual, curvature)
        direction = better.copy()
        size = np.einsum("kj,kj->k", residual, better)
        enough = RESIDUAL**2 * size
        going = np.arange(len(live))
        for _ in range(MOST_GRADIENTS):
            own = live[going]
            bent = self._bend(own, C, direction[going])
            yield
            along = size[going] / np.einsum("kj,kj->k", direction[going], bent)
            step[going] += along[:, None] * direction[going]
            self._changes[own] += along.astype(self._data.dtype)[:, None] * self._products[own]
            residual[going] -= along[:, None] * bent
            better = self._conditioned(residual[going], curvature[going])
            after = np.einsum("kj,kj->k", residual[going], better)
            direction[going] = better + (after / size[going])[:, None] * direction[going]
            size[going] = after
            going = going[after > enough[going]]
            if not len(going):
                break
        return step

    def _bend(self, live: Index, C: float, direction: Floats) -> Floats:
        """Second derivatives times a direction; the rows times it are kept."""
        scaled = (direction * self._data.units).astype(self._data.dtype)

        def part(place: slice, block: Array) -> tuple[Array, ...]:
            product = scaled @ block.T
            self._products[live, place] = product
            held = self._signs(live, place) * self._values[live, place] < 1
            return (np.where(held, self._weights[place] * product, 0) @ block,)

        [bent] = self._data.sums(part)
        bent *= 2 * C * self._data.units
        bent[:, :-1] += direction[:, :-1]
        return bent

    def _multiply(self, live: Index, functions: Floats, out: Array) -> None:
        scaled = (functions * self._data.units).astype(self._data.dtype)

        def part(place: slice, block: Array) -> tuple[Array, ...]:
            out[live, place] = scaled @ block.T
            return ()

        self._data.sums(part)

    def _length(self, live: Index, C: float, step: Floats) -> Floats:
        """How far to go along each step: to the minimum of a convex function of one number."""
        w, p = self.functions[live, :-1], step[:, :-1]
        inner, own = (w * p).sum(axis=1), (p * p).sum(axis=1)

        def slopes(length: Floats) -> tuple[Floats, Floats]:
            far = length.astype(self._data.dtype)[:, None]
            first, second = inner + length * own, own.copy()
            for place in self._data.stretches():
                signs, change = self._signs(live, place), self._changes[live, place]
                slack = np.maximum(1 - signs * (self._values[live, place] + far * change), 0)
                pull = self._weights[place] * change
                first -= 2 * C * (signs * pull * slack).sum(axis=1, dtype=np.float64)
                second += 2 * C * np.where(slack > 0, pull * change, 0).sum(axis=1, dtype=float)
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


def _moments(sample: FeatureRows) -> tuple[Floats, Floats]:
    """Second moments of the rows as their values along orthogonal axes, and the axes."""
    [square] = sample.sums(lambda _, block: (block[:, :-1].T @ block[:, :-1],))
    values, axes = np.linalg.eigh(square / (len(sample) * sample.scale**2))
    return np.maximum(values, 0), axes
