"""Check, before anything is computed, that every class is large enough for the folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nask.arrays import Array, Positions
from nask.exceptions import ParameterError
from nask.messages import listed, quoted

# A method that chooses parameters on folds of its training set needs this many of each class.
LEAST_TO_CHOOSE = 2


def check_class_sizes(
    classes: Array,
    codes: Positions,
    folds: int,
    least: int,
    items: str = "graphs",
    ids: Sequence[str] | None = None,
) -> None:
    """Raise if a class has fewer members than folds, or too few are left to learn from.

    Parameters
    ----------
    classes : ndarray
    codes : ndarray of shape (n,)
        Position in ``classes`` of the class of each graph or node.
    folds : int
    least : int
        How many of each class must be in a training set.
    items : str
        What is classified.
    ids : sequence of str, optional
        Names of the graphs, or nodes, for the message.

    Examples
    --------
    >>> codes = np.array([0] * 9 + [1] * 3)
    >>> check_class_sizes(np.array(["no", "yes"]), codes, 10, LEAST_TO_CHOOSE)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 10 folds need as many graphs of each class, but class 'yes' has
    3. Use 3 folds.
    """
    sizes = np.bincount(codes)
    code = int(sizes.argmin())
    size, name, item = int(sizes[code]), quoted(classes[code]), items.removesuffix("s")
    if _left(size, folds) >= least and size >= folds:
        return
    if size < folds:
        problem = f"{folds} folds need as many {items} of each class, but class {name} has {size}."
    else:
        problem = (
            f"{folds} folds leave one {item} of class {name}, which has {size}, to learn from; "
            f"choosing parameters takes {LEAST_TO_CHOOSE}."
        )
    enough = [number for number in range(2, size + 1) if _left(size, number) >= least]
    if enough:
        numbers = f"{enough[0]} to {enough[-1]}" if len(enough) > 1 else f"{enough[0]}"
        raise ParameterError(f"{problem} Use {numbers} folds.")
    members = np.flatnonzero(codes == code).tolist()
    names = listed(members if ids is None else [ids[k] for k in members])
    raise ParameterError(
        f"{problem} Leave its {item if size == 1 else items} out, or join it with another class: "
        f"{names}."
    )


def _left(size: int, folds: int) -> int:
    """Return how many of a class are in the smallest training set."""
    return size - -(-size // folds)
