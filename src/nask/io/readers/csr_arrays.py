"""Sparse matrices from the arrays of a file, which are checked first."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from nask.exceptions import FormatError
from nask.storage.read_limit import check_demand

# Bytes that a column takes once a model learns from it.
COLUMN_BYTES = 100


def checked_csr(
    data: Any, indices: Any, indptr: Any, n_columns: Any, where: str, n_bytes: int
) -> Any:
    """Return the matrix of these arrays in CSR form.

    All positions are checked, because compiled code trusts them.

    Parameters
    ----------
    data, indices, indptr : object
        What the file holds for the three arrays of the form.
    where : str
        Name of the file in errors.
    n_bytes : int
        Its size, which bounds the number of columns.

    Examples
    --------
    >>> arrays = np.array([5.0]), np.array([1]), np.array([0, 1, 1])
    >>> checked_csr(*arrays, 2, "words", 100).toarray().tolist()
    [[0.0, 5.0], [0.0, 0.0]]
    >>> checked_csr(*arrays, 1, "words", 100)
    Traceback (most recent call last):
    nask.exceptions.FormatError: words: the arrays of the matrix do not fit: ...
    """
    for name, array in {"data": data, "indices": indices, "indptr": indptr}.items():
        kinds = "biuf" if name == "data" else "iu"
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in kinds:
            raise FormatError(f"{where}: the {name} of the matrix are no row of numbers.")
    if isinstance(n_columns, int):
        check_demand(COLUMN_BYTES * n_columns, n_bytes, f"{where} has {n_columns} columns, of")
    try:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
        matrix = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise FormatError(f"{where}: the arrays of the matrix do not fit: {error}.") from None
    return matrix
