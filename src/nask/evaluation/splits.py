"""Outer folds: the same for every method, so that differences can be paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from nask.exceptions import ParameterError


class Split(NamedTuple):
    """One outer fold of one repeat, as positions of graphs."""

    repeat: int
    fold: int
    train: npt.NDArray[np.intp]
    test: npt.NDArray[np.intp]


def outer_splits(
    y: npt.NDArray[Any], folds: int, repeats: int, random_state: int
) -> Iterator[Split]:
    """Folds stratified by class, shuffled anew for each repeat.

    They depend on the classes, the number of folds and the seed alone. More repeats leave the
    first ones as they are.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> [(s.repeat, s.fold, s.test.size) for s in outer_splits(y, 3, 2, random_state=0)]
    [(0, 0, 2), (0, 1, 2), (0, 2, 2), (1, 0, 2), (1, 1, 2), (1, 2, 2)]
    """
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < folds:
        raise ParameterError(
            f"{folds} folds need as many graphs of each class, but the smallest class has "
            f"{smallest}. Use {smallest} folds or fewer."
        )
    for repeat in range(repeats):
        splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state + repeat)
        for fold, (train, test) in enumerate(splitter.split(y, y)):
            yield Split(repeat, fold, train, test)
