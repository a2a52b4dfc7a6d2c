"""Sparse matrices made of arrays from a file, once these are known to fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from nask.exceptions import FormatError


def checked_csr(data: Any, indices: Any, indptr: Any, n_columns: Any, where: str) -> Any:
    """The matrix of these parts in CSR form; compiled code trusts positions, so all are checked.

    Examples
    --------
    >>> parts = np.array([5.0]), np.array([1]), np.array([0, 1, 1])
    >>> checked_csr(*parts, 2, "words").toarray().tolist()
    [[0.0, 5.0], [0.0, 0.0]]
    >>> checked_csr(*parts, 1, "words")
    Traceback (most recent call last):
    nask.exceptions.FormatError: words: the parts of the matrix do not fit: ...
    """
    parts = {"data": data, "indices": indices, "indptr": indptr}
    for name, part in parts.items():
        kinds = "biuf" if name == "data" else "iu"
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in kinds:
            raise FormatError(f"{where}: the {name} of the matrix are no row of numbers.")
    try:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
        matrix = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise FormatError(f"{where}: the parts of the matrix do not fit: {error}.") from None
    return matrix
