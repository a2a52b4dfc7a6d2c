"""Check, before anything is computed, that every class is large enough for the folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from nask.arrays import Array, Positions
from nask.exceptions import ParameterError, RareClassWarning
from nask.messages import first_few, listed, quoted

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
    """Raise if too few members of a class are left to learn from; warn of fewer than folds.

    As in scikit-learn, a class with fewer members than folds is in some test sets only, and a
    number of folds that no class has members for is an error.

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
    nask.exceptions.ParameterError: 10 folds need as many graphs of one class at least, and the
    largest, 'no', has 9. Use 3 folds.
    >>> check_class_sizes(np.array(["no", "yes"]), np.array([0] * 9 + [1]), 5, LEAST_TO_CHOOSE)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 5 folds leave none of class 'yes' to learn from where its only
    graph is tested; choosing parameters takes 2. Leave its graph out (drop_rare=3, --drop-rare 3),
    or join it with another class: 9.
    """
    sizes = np.bincount(codes)
    code = int(sizes.argmin())
    size, name, item = int(sizes[code]), quoted(classes[code]), items.removesuffix("s")
    if _left(size, folds) >= least and size >= folds:
        return
    if int(sizes.max()) < folds:
        problem = (
            f"{folds} folds need as many {items} of one class at least, and the largest, "
            f"{quoted(classes[int(sizes.argmax())])}, has {sizes.max()}."
        )
    elif _left(size, folds) >= least:
        few = [k for k in range(len(classes)) if sizes[k] < folds]
        shown = first_few([f"{quoted(classes[k])} ({sizes[k]})" for k in few])
        which = "class has" if len(few) == 1 else "classes have"
        warnings.warn(
            f"{len(few)} {which} fewer {items} than there are folds ({folds}), so that some test "
            f"sets have none of them: {shown}. Use fewer folds, or leave them out (drop_rare="
            f"{folds}, --drop-rare {folds}).",
            RareClassWarning,
            stacklevel=4,
        )
        return
    elif size == 1:
        problem = (
            f"{folds} folds leave none of class {name} to learn from where its only {item} is "
            f"tested{_why(least)}."
        )
    else:
        problem = (
            f"{folds} folds leave one {item} of class {name}, which has {size}, to learn "
            f"from{_why(least)}."
        )
    enough = [number for number in range(2, size + 1) if _left(size, number) >= least]
    if enough:
        numbers = f"{enough[0]} to {enough[-1]}" if len(enough) > 1 else f"{enough[0]}"
        raise ParameterError(f"{problem} Use {numbers} folds.")
    members = np.flatnonzero(codes == code).tolist()
    names = listed(members if ids is None else [ids[k] for k in members])
    raise ParameterError(
        f"{problem} Leave its {item if size == 1 else items} out (drop_rare={least + 1}, "
        f"--drop-rare {least + 1}), or join it with another class: {names}."
    )


def _why(least: int) -> str:
    return f"; choosing parameters takes {least}" if least > 1 else ""


def _left(size: int, folds: int) -> int:
    """Return how many of a class are in the smallest training set."""
    return size - -(-size // folds)
