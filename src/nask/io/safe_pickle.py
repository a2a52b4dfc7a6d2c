"""Pickles of arrays and plain containers, read without running what else they may hold."""

from __future__ import annotations

import collections
import io
import pickle
from typing import Any

import numpy as np
from scipy import sparse

from nask.exceptions import FormatError
from nask.messages import quoted

_reconstruct = np.empty(0).__reduce__()[0]

# All that a pickle may call, by the names of old and new releases of numpy and scipy.
ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("scipy.sparse.csr", "csr_matrix"): sparse.csr_matrix,
    ("scipy.sparse._csr", "csr_matrix"): sparse.csr_matrix,
    ("collections", "defaultdict"): collections.defaultdict,
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
}


class _ArraysOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise FormatError(f"it would call {module}.{name}") from None


def load_arrays(data: bytes, where: str) -> Any:
    """Unpickle numpy arrays, sparse matrices, numbers, text, lists and dictionaries.

    Everything else is refused, since unpickling can run any code.

    Parameters
    ----------
    data : bytes
        Also of Python 2.
    where : str
        How errors call the file.

    Examples
    --------
    >>> load_arrays(pickle.dumps({1: [2, 3]}), "graph")
    {1: [2, 3]}
    >>> load_arrays(pickle.dumps(print), "graph")
    Traceback (most recent call last):
    nask.exceptions.FormatError: graph is a pickle that is not read: it would call
    builtins.print. Only arrays and plain containers are; get the file from its source.
    """
    try:
        return _ArraysOnly(io.BytesIO(data), encoding="latin1").load()
    except FormatError as error:
        raise FormatError(
            f"{where} is a pickle that is not read: {error}. Only arrays and plain containers "
            "are; get the file from its source."
        ) from None
    except Exception as error:  # damaged bytes raise anything
        raise FormatError(
            f"{where} cannot be read: expected a pickle, got {quoted(error)}. Get the file again."
        ) from error
