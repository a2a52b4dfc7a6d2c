"""Ridge regressions on some items, and what they become without a few of them.

B is the inverse of [[K + Λ, 1], [1', 0]]. What is needed of it: its diagonal, the solution
a = B [y, 0], and the rows of the items that will be left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import blas

from nask.arrays import Float64, Positions
from nask.compiled.compiling import compiled, inner
from nask.compiled.lapack import factorise, invert, multiply, square

# Columns that are solved for at once: with the rows of 400 test graphs they stay in the cache.
COLUMNS = 256
# Rows that are solved for by loops, after a product of matrices has taken off those before.
BLOCK = 32
SQUARE = 32


@dataclass(frozen=True, eq=False)
class BorderedInverse:
    """What is needed of B for m items, of which the last d may be left out.

    Parameters
    ----------
    rows : ndarray of shape (d, m + 1)
        Of B, for the last items.
    diagonal : ndarray of shape (m,)
        Of B, for all items.
    solution : ndarray of shape (m + 1, n_functions)
        The coefficients of the items, then the constants.
    targets : ndarray of shape (m, n_functions)
    """

    rows: Float64
    diagonal: Float64
    solution: Float64
    targets: Float64

    @classmethod
    def of(
        cls, gram: Float64, items: Positions, n_last: int, penalties: Float64, targets: Float64
    ) -> BorderedInverse:
        """Learn from some items.

        With K + Λ = L L', its inverse is L⁻ᵀ L⁻¹. The rows of the last items in it come from the
        last rows of L⁻¹ alone.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        items : ndarray of shape (m,)
            Positions in it; those that may be left out come last.
        n_last : int
            How many may be left out.
        penalties : ndarray of shape (m,)
            Diagonal of Λ.
        targets : ndarray of shape (m, n_functions)

        Examples
        --------
        >>> own = BorderedInverse.of(np.eye(2), np.arange(2), 1, np.ones(2), np.array([[1.0], [3]]))
        >>> own.rows, own.diagonal, own.solution[:, 0]
        (array([[-0.25,  0.25,  0.5 ]]), array([0.25, 0.25]), array([-0.5,  0.5,  2. ]))
        """
        with_ones = np.column_stack([np.ones(len(items)), targets])
        lower = _system(gram, items, penalties)
        if not factorise(lower):
            # Not positive definite: by the method of Gauss.
            inverse: Float64 = np.linalg.inv(_system(gram, items, penalties)).astype(np.float64)
            solved, diagonal = inverse @ with_ones, inverse.diagonal().copy()
            last = inverse[len(items) - n_last :]
        else:
            invert(lower)
            _clear_above(lower)
            solved = lower.T @ (lower @ with_ones)
            diagonal = np.einsum("ij,ij->j", lower, lower)
            last = _last_rows(lower, n_last)
        return cls(*_with_border(last, diagonal, solved), targets)

    def without(self, places: Positions, stops: Positions) -> tuple[Float64, Float64]:
        """Held-out decisions about all items, and the coefficients without the items of each fold.

        Parameters
        ----------
        places : ndarray
            Of the items that are left out, among the m items, fold by fold.
        stops : ndarray of shape (n_folds + 1,)
            Where those of each fold begin and end.

        Returns
        -------
        ndarray of shape (n_folds, m, n_functions)
        ndarray of shape (n_folds, m + 1, n_functions)
            With the constants at the end.
        """
        size, n_functions = self.solution.shape
        coefficients = np.empty((len(stops) - 1, size, n_functions))
        decided = np.empty((len(stops) - 1, size - 1, n_functions))
        system = self.rows, self.diagonal, self.solution, self.targets
        _leave_out(*system, places, stops, decided, coefficients)
        return decided, coefficients


def _system(gram: Float64, items: Positions, penalties: Float64) -> Float64:
    """K + Λ of some items."""
    system = part(gram, items, items)
    system[np.diag_indices(len(items))] += penalties
    return system


def part(gram: Float64, rows: Positions, columns: Positions) -> Float64:
    """Some rows and columns of a matrix: ``gram[np.ix_(rows, columns)]``, but faster.

    Examples
    --------
    >>> part(np.arange(6.0).reshape(2, 3), np.array([1]), np.array([2, 0]))
    array([[5., 3.]])
    """
    out = np.empty((len(rows), len(columns)))
    _gather(gram, rows, columns, out)
    return out


@compiled
def _gather(gram: Any, rows: Any, columns: Any, out: Any) -> None:
    for i in range(len(rows)):
        for j in range(len(columns)):
            out[i, j] = gram[rows[i], columns[j]]


@compiled
def _clear_above(matrix: Any) -> None:
    """Zeros above the diagonal."""
    for i in range(len(matrix)):
        matrix[i, i + 1 :] = 0.0


def _last_rows(lower: Float64, n_last: int) -> Float64:
    """The last rows of L'L for a lower triangle L, which is overwritten."""
    first = len(lower) - n_last
    rows = lower[first:]
    if n_last:
        corner = rows[:, first:]
        if first:
            multiply(corner, rows[:, :first])
        square(corner)
        mirror(corner)
    return rows


def _with_border(
    last: Float64, diagonal: Float64, solved: Float64
) -> tuple[Float64, Float64, Float64]:
    """Rows, diagonal and solution with the border, which lets functions have a constant.

    Parameters
    ----------
    last : ndarray of shape (d, m)
        Rows of the inverse of K + Λ.
    diagonal : ndarray of shape (m,)
        Of the inverse.
    solved : ndarray of shape (m, 1 + n_functions)
        The inverse times 1 and the targets.
    """
    m = len(solved)
    constant, without = solved[:, 0], solved[:, 1:]
    total = constant.sum()
    rows = np.empty((len(last), m + 1))
    rows[:, :m] = last
    rows[:, m] = 0.0
    if len(last):
        # In its place: B is the inverse without a border less an outer product.
        border = np.append(constant, -1.0)
        blas.dger(-1 / total, border, constant[m - len(last) :], a=rows.T, overwrite_a=True)
    constants = without.sum(axis=0) / total
    solution = np.vstack([without - constant[:, None] * constants, constants])
    return rows, diagonal - constant**2 / total, solution


@compiled
def mirror(matrix: Any) -> None:
    """Copy what is below the diagonal to above it, in squares that stay in the cache.

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.0], [2.0, 3.0]])
    >>> mirror(matrix)
    >>> matrix
    array([[1., 2.],
           [2., 3.]])
    """
    n = len(matrix)
    for first in range(0, n, SQUARE):
        for start in range(0, first + 1, SQUARE):
            for i in range(first, min(first + SQUARE, n)):
                for j in range(start, min(start + SQUARE, i)):
                    matrix[j, i] = matrix[i, j]


@inner
def _inverted(number: float) -> float:
    """1 / x; 0 of 0, which is the diagonal of an item that has been left out."""
    return 1.0 / number if number != 0.0 else 0.0


@inner
def _factorise(rows: Any, before: int, left: Any, factor: Any, pivot: Any) -> None:
    """B_HH = L D L', with ones on the diagonal of L; ``pivot`` is 1 / D."""
    for i in range(len(left)):
        for j in range(i + 1):
            factor[i, j] = rows[left[i] - before, left[j]]
    for j in range(len(left)):
        pivot[j] = _inverted(factor[j, j])
        for i in range(j + 1, len(left)):
            share = factor[i, j] * pivot[j]
            for k in range(j + 1, i + 1):
                factor[i, k] -= share * factor[k, j]
        for i in range(j + 1, len(left)):
            factor[i, j] *= pivot[j]


@inner
def _forward(factor: Any, own: Any) -> None:
    """L⁻¹ a_H in the place of a_H."""
    for i in range(len(factor)):
        for j in range(i):
            for f in range(own.shape[1]):
                own[i, f] -= factor[i, j] * own[j, f]


@inner
def _backward(factor: Any, pivot: Any, own: Any) -> None:
    """B_HH⁻¹ a_H in the place of L⁻¹ a_H."""
    for i in range(len(factor) - 1, -1, -1):
        for f in range(own.shape[1]):
            own[i, f] *= pivot[i]
            for j in range(i + 1, len(factor)):
                own[i, f] -= factor[j, i] * own[j, f]


@compiled
def _solve(factor: Any, columns: Any, product: Any) -> None:
    """L⁻¹ B_Ht in the place of B_Ht."""
    for first in range(0, len(factor), BLOCK):
        stop = min(first + BLOCK, len(factor))
        if first > 0:
            # BLAS takes off all rows before the block at once.
            off = product[: stop - first]
            np.dot(np.ascontiguousarray(factor[first:stop, :first]), columns[:first], off)
            columns[first:stop] -= off
        for i in range(first, stop):
            for j in range(first, i):
                share = factor[i, j]
                for t in range(columns.shape[1]):
                    columns[i, t] -= share * columns[j, t]


@inner
def _take_off(columns: Any, pivot: Any, own: Any, coefficients: Any, diagonal: Any) -> None:
    """B_tH B_HH⁻¹ a_H off the coefficients, diag(B_tH B_HH⁻¹ B_Ht) off the diagonal."""
    for i in range(len(columns)):
        for f in range(own.shape[1]):
            share = own[i, f] * pivot[i]
            for t in range(len(coefficients)):
                coefficients[t, f] -= share * columns[i, t]
        for t in range(len(diagonal)):
            diagonal[t] -= columns[i, t] * columns[i, t] * pivot[i]


@compiled
def _leave_out(
    rows: Any,
    diagonal: Any,
    solution: Any,
    targets: Any,
    places: Any,
    stops: Any,
    decided: Any,
    coefficients: Any,
) -> None:
    """Fill in, fold by fold, what :meth:`BorderedInverse.without` returns."""
    size, n_functions = solution.shape
    before = size - 1 - len(rows)
    product, kept = np.empty((BLOCK, COLUMNS)), np.empty(COLUMNS)
    for fold in range(len(stops) - 1):
        left = places[stops[fold] : stops[fold + 1]]
        factor, pivot = np.empty((len(left), len(left))), np.empty(len(left))
        _factorise(rows, before, left, factor, pivot)
        own = solution[left]
        _forward(factor, own)
        columns = np.zeros((len(left), COLUMNS))
        for first in range(0, size, COLUMNS):
            stop = min(first + COLUMNS, size)
            for i in range(len(left)):
                for t in range(stop - first):
                    columns[i, t] = rows[left[i] - before, first + t]
            _solve(factor, columns, product)
            some = coefficients[fold, first:stop]
            some[:] = solution[first:stop]
            n_items = min(stop, size - 1) - first
            kept[:n_items] = diagonal[first : first + n_items]
            _take_off(columns, pivot, own, some, kept[:n_items])
            for t in range(n_items):
                for f in range(n_functions):
                    moved = some[t, f] * _inverted(kept[t])
                    decided[fold, first + t, f] = targets[first + t, f] - moved
        _backward(factor, pivot, own)
        for i in range(len(left)):
            for f in range(n_functions):
                decided[fold, left[i], f] = targets[left[i], f] - own[i, f]
                coefficients[fold, left[i], f] = 0.0
