"""What a model file knows of how sure its model is, and how far its training graphs are apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.estimators.restoring_checks import LARGEST, as_finite, restored_functions, within
from nask.exceptions import ModelFileError
from nask.learning.calibration import Calibration
from nask.learning.conformal import Conformity
from nask.learning.likeness import Likeness
from nask.messages import listed
from nask.storage.model_file import Arrays

# The arrays that a model may have.
CALIBRATION = ["calibration/coefficients", "calibration/constants"]
CONFORMITY = ["conformity/errors", "conformity/codes"]
DISTANCES = "likeness/distances"
# Numbers have one function, as if there were one class.
OF_NUMBERS = 1


def calibration_of(arrays: Arrays, n_classes: int) -> Calibration | None:
    """What makes probabilities of decisions, where the file holds it."""
    if "calibration/coefficients" not in arrays:
        return None
    n_scores = 1 if n_classes == 2 else n_classes
    return Calibration(*restored_functions(arrays, "calibration", n_classes, n_scores))


def conformity_of(arrays: Arrays, n_classes: int, n_items: int) -> Conformity | None:
    """How wrong a model was about so many items, where the file holds it.

    ``n_classes`` is 1 for numbers.
    """
    there = [name for name in CONFORMITY if name in arrays]
    if not there:
        return None
    of_classes = n_classes != OF_NUMBERS
    if there != (CONFORMITY if of_classes else CONFORMITY[:1]):
        raise ModelFileError(f"Of held-out errors the file has {listed(there)} alone.")
    errors, codes = arrays[CONFORMITY[0]], arrays.get(CONFORMITY[1])
    if errors.dtype != np.float64 or errors.ndim != 1 or not 0 < len(errors) <= n_items:
        raise ModelFileError(
            f"The held-out errors have shape {errors.shape} and type {errors.dtype}: expected "
            f"{n_items} numbers of type float64 at most."
        )
    # Those of classes are at most 1, but for rounding.
    if not (errors.min() >= 0 and errors.max() <= (2.0 if of_classes else LARGEST)):
        raise ModelFileError("The held-out errors are missing, negative or too large.")
    if codes is None:
        return Conformity(errors)
    whole = codes.shape == errors.shape and codes.dtype.kind in "iu"
    if not whole or not within(codes, n_classes):
        raise ModelFileError(
            f"The classes of held-out errors have shape {codes.shape} and type {codes.dtype}: "
            f"expected {len(errors)} numbers of the {n_classes} classes."
        )
    if CALIBRATION[0] not in arrays:
        raise ModelFileError("The file has held-out errors of probabilities, but no probabilities.")
    return Conformity(errors, codes.astype(np.intp))


def likeness_of(document: Mapping[str, Any], arrays: Arrays, n_graphs: int) -> Likeness | None:
    """How far training graphs are from each other, where the file holds it."""
    content = document.get("likeness")
    if content is None and DISTANCES not in arrays:
        return None
    if not isinstance(content, Mapping) or DISTANCES not in arrays:
        raise ModelFileError("The file has distances of training graphs, or their units, alone.")
    distances = arrays[DISTANCES]
    whole = distances.dtype == np.float64 and distances.ndim == 1
    if not whole or not 0 < len(distances) <= n_graphs:
        raise ModelFileError(
            f"The distances of training graphs have shape {distances.shape} and type "
            f"{distances.dtype}: expected {n_graphs} numbers of type float64 at most."
        )
    finite = np.isfinite(distances).all() and distances[0] >= 0
    if not finite or (np.diff(distances) < 0).any():
        raise ModelFileError("The distances of training graphs are no numbers from 0, in order.")
    units = (as_finite(content[name], positive=True) for name in ("unit", "size_unit"))
    return Likeness(distances, *units)
