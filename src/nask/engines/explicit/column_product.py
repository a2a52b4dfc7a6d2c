"""Products a b^T of sparse matrices, with common columns multiplied as dense matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nask.arrays import Index

# A multiply-add of a sparse product takes as long as this many of a dense one. On one thread, with
# 500 to 4110 rows, 300 to 1000 were measured for 3 to 6 % of nonzeros, 170 to 350 for 10 %.
DENSE_PER_SPARSE = 500
# So many bytes of columns are made dense at once, of both factors together.
DENSE_BYTES = 100_000_000


@dataclass(frozen=True, eq=False)
class ColumnProduct:
    """a b^T as a sum over columns: dense if common in both a and b, sparse if rare.

    Parameters
    ----------
    a, b : sparse arrays with the same columns
    dense, rare : ndarray of int
        Columns to multiply as dense and as sparse matrices. Columns that are empty in a or b are
        in neither.
    dtype : str
        Precision of the product.
    """

    a: sparse.csr_array
    b: sparse.csr_array
    dense: Index
    rare: Index
    dtype: str

    @classmethod
    def of(cls, a: sparse.csr_array, b: sparse.csr_array, dtype: str) -> ColumnProduct:
        """Choose dense or sparse for each column, by the work it takes.

        Examples
        --------
        >>> a = sparse.csr_array(np.eye(50) + np.eye(50)[:, [0]].T)
        >>> product = ColumnProduct.of(a, a, "float64")
        >>> product.dense.tolist(), len(product.rare)
        ([0], 49)
        """
        a_columns, a_counts = np.unique(a.indices, return_counts=True)
        b_columns, b_counts = np.unique(b.indices, return_counts=True)
        columns, in_a, in_b = np.intersect1d(
            a_columns, b_columns, assume_unique=True, return_indices=True
        )
        sparse_work = DENSE_PER_SPARSE * a_counts[in_a] * b_counts[in_b]
        is_dense = sparse_work >= a.shape[0] * b.shape[0]
        return cls(a, b, columns[is_dense], columns[~is_dense], dtype)

    @property
    def sparse_bytes(self) -> int:
        """Bytes of the factors."""
        return int(sum(m.data.nbytes + m.indices.nbytes for m in (self.a, self.b)))

    @property
    def dense_bytes(self) -> int:
        """Bytes of the columns that are dense at once."""
        return self._column_bytes * min(len(self.dense), self._at_a_time)

    def terms(self) -> Iterator[tuple[Any, Any]]:
        """Yield pairs of matrices x, y, both dense or both sparse; a b^T is the sum of x y^T."""
        if len(self.rare):
            yield self._columns(self.a, self.rare), self._columns(self.b, self.rare)
        for first in range(0, len(self.dense), self._at_a_time):
            columns = self.dense[first : first + self._at_a_time]
            a, b = self._columns(self.a, columns), self._columns(self.b, columns)
            yield a.toarray(), b.toarray()

    @property
    def _at_a_time(self) -> int:
        return max(1, DENSE_BYTES // max(1, self._column_bytes))

    @property
    def _column_bytes(self) -> int:
        return int((self.a.shape[0] + self.b.shape[0]) * np.dtype(self.dtype).itemsize)

    def _columns(self, matrix: sparse.csr_array, columns: Index) -> sparse.csr_array:
        place = np.searchsorted(columns[:-1], matrix.indices)
        has = columns[place] == matrix.indices
        ptr = np.concatenate([[0], np.cumsum(has)])[matrix.indptr]
        data = matrix.data[has].astype(self.dtype)
        return sparse.csr_array((data, place[has], ptr), shape=(matrix.shape[0], len(columns)))
