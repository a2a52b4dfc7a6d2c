"""Names for the types of arrays, by what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Of any type."""
Floats = npt.NDArray[np.floating]
"""Numbers in the precision that was asked for."""
Float64 = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]
Index = npt.NDArray[np.int64]
"""Positions of nodes, edges or graphs, in arrays that compiled code reads."""
Positions = npt.NDArray[np.intp]
"""Positions, and codes of classes, as numpy's own functions return them."""
Mask = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
