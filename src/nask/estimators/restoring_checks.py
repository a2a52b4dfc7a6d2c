"""Numbers of a model file, each checked before it is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ModelFileError
from nask.kernels.parameters import is_number
from nask.messages import quoted
from nask.storage.model_file import Arrays

# Sums of coefficients; with kernel and decision values they stay finite.
LARGEST, LARGEST_OF_CALIBRATION = 1e300, 1e100


def as_finite(value: Any, positive: bool = False) -> float:
    """Return a value as a float; raise unless it is a finite number."""
    if not is_number(value) or (positive and value <= 0):
        raise ModelFileError(f"Expected a finite number, got {quoted(value)}.")
    return float(value)


def within(positions: npt.NDArray[Any], n: int) -> bool:
    """Tell whether all are positions from 0 to n - 1."""
    return not len(positions) or bool(positions.min() >= 0 and int(positions.max()) < n)


def restored_functions(
    arrays: Arrays, name: str, n_functions: int, n_inputs: int
) -> tuple[Float64, Float64]:
    """Coefficients and constants of the decision functions, or of their calibration."""
    coefficients, constants = arrays[f"{name}/coefficients"], arrays[f"{name}/constants"]
    shapes = (coefficients.shape, constants.shape)
    types = {coefficients.dtype, constants.dtype}
    if shapes != ((n_functions, n_inputs), (n_functions,)) or types != {np.dtype(np.float64)}:
        raise ModelFileError(
            f"The {name} has coefficients of shape {shapes[0]} and constants of shape {shapes[1]}; "
            f"expected {(n_functions, n_inputs)} and {(n_functions,)} numbers of type float64."
        )
    with np.errstate(over="ignore"):
        largest = np.abs(coefficients).sum(axis=1) + np.abs(constants)
    if not (largest <= (LARGEST_OF_CALIBRATION if name == "calibration" else LARGEST)).all():
        raise ModelFileError(f"The {name} has numbers that are missing, infinite or too large.")
    return np.ascontiguousarray(coefficients), constants
