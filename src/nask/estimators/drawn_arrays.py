"""What was drawn for random features as arrays of a model file, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nask.arrays import Array
from nask.attributes.random_map import Columns
from nask.engines.sketch.random_stars import RandomStars
from nask.engines.sketch.star_sketch import Rotations
from nask.exceptions import ModelFileError
from nask.storage.model_file import Arrays

# The form of what is drawn: raised when the same numbers would mean other features.
SKETCH = 2
# Columns of the map that compiled code writes to, and what must be as the schema has it.
PLACES = ("wave_column", "category_column", "feature_column", "constant_column", "shift_column")
GIVEN = ("width", "category_ptr", "binary")
OF_ELEMENTS = tuple(
    f"{element}/{field}" for element in ("nodes", "edges") for field in (*Columns._fields, "seed")
)
# What was drawn is as large as what is drawn again; frequencies have a long tail. With numbers that
# are this much larger, features stay finite.
LARGER, LARGER_FREQUENCY = 1e3, 1e6
DRAWN = (
    *(f"rotations/{field}" for field in Rotations._fields), *OF_ELEMENTS,
    "node_signs", "edge_signs", "node_directions", "edge_directions",
)  # fmt: skip


def drawn_arrays(drawn: RandomStars) -> dict[str, Array]:
    """All that was drawn or learned for random features, as arrays by name."""
    found: dict[str, Array] = {}
    for field in drawn.rotations[0]._fields:
        found[f"rotations/{field}"] = np.stack([getattr(own, field) for own in drawn.rotations])
    for element in ("nodes", "edges"):
        own = getattr(drawn, element)
        for field, value in own.columns._asdict().items():
            found[f"{element}/{field}"] = np.asarray(value)
        found[f"{element}/seed"] = np.frombuffer(own.seed, dtype=np.uint8)
    for name in ("node_signs", "edge_signs"):
        found[name] = getattr(drawn, name)
    for name in ("node_directions", "edge_directions"):
        found[name] = np.array(getattr(drawn, name)).reshape(-1, drawn.width)
    return found


def filled(template: RandomStars, arrays: Arrays) -> RandomStars:
    """What the file says was drawn, in the shape of what is drawn for the same schema."""
    n_hops = len(template.rotations)
    expected = drawn_arrays(template)
    for name in ("node_directions", "edge_directions"):
        expected[name] = np.zeros((n_hops, template.width))
    found = {
        name: _checked(name, own, arrays[f"map/{name}"], template.width)
        for name, own in expected.items()
    }
    rotations = tuple(
        Rotations(*(found[f"rotations/{field}"][h] for field in Rotations._fields))
        for h in range(n_hops)
    )
    maps = {}
    for element in ("nodes", "edges"):
        own = getattr(template, element)
        columns: dict[str, Any] = {
            field: found[f"{element}/{field}"]
            if isinstance(value, np.ndarray)
            else type(value)(found[f"{element}/{field}"])
            for field, value in own.columns._asdict().items()
        }
        seed = found[f"{element}/seed"].tobytes()
        maps[element] = replace(own, columns=Columns(**columns), seed=seed)
    return replace(
        template,
        **maps,
        rotations=rotations,
        node_signs=found["node_signs"],
        edge_signs=found["edge_signs"],
        node_directions=tuple(found["node_directions"]),
        edge_directions=tuple(found["edge_directions"]),
    )


def _checked(name: str, expected: Array, given: Array, width: int) -> Array:
    """An array of the file, as compiled code can trust it."""
    field = name.rpartition("/")[2]
    if given.shape != expected.shape or given.dtype != expected.dtype:
        raise ModelFileError(
            f"The array {name} has shape {given.shape} and type {given.dtype}: expected "
            f"{expected.shape} and {expected.dtype}."
        )
    if field in GIVEN and not np.array_equal(given, expected):
        raise ModelFileError(f"The array {name} does not fit the schema.")
    if field in PLACES and not ((given >= 0) & (given < width)).all():
        raise ModelFileError(f"The array {name} has places outside the {width} columns.")
    if given.dtype.kind == "f":
        factor = LARGER_FREQUENCY if field.endswith("frequency") else LARGER
        largest = factor * max(1.0, float(np.abs(expected).max(initial=0.0)))
        if not (np.abs(given) <= largest).all():
            raise ModelFileError(f"The array {name} has a number that is missing or too large.")
    return np.ascontiguousarray(given).reshape(given.shape)
