"""Outer folds: the same for every method, so that differences can be paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from nask.exceptions import ParameterError
from nask.io.node_dataset import NO_CLASS, NodeDataset

Positions = npt.NDArray[np.intp]


class Split(NamedTuple):
    """One outer fold of one repeat, as positions of graphs or nodes.

    Parameters are chosen on the validation part where there is one, else on folds of the
    training part.
    """

    repeat: int
    fold: int
    train: Positions
    test: Positions
    validation: Positions | None = None


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
    for repeat in range(repeats):
        splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state + repeat)
        for fold, (train, test) in enumerate(splitter.split(y, y)):
            yield Split(repeat, fold, train, test)


def public_split(dataset: NodeDataset) -> Split:
    """The split that comes with a network, without the nodes that have no class.

    Examples
    --------
    >>> import nask
    >>> split = public_split(nask.lab.make_social_network(100))
    >>> len(split.train), len(split.validation), len(split.test)
    (50, 25, 25)
    """
    parts = {}
    for name in ("train", "validation", "test"):
        nodes = getattr(dataset, name)
        parts[name] = nodes[dataset.y[nodes] != NO_CLASS].astype(np.intp)
    if not len(parts["train"]) or not len(parts["test"]):
        raise ParameterError(
            f"{dataset.name} has no public split: expected nodes with a class in its train and "
            "test. Use split='folds'."
        )
    everything = np.concatenate(list(parts.values()))
    nodes, counts = np.unique(everything, return_counts=True)
    if counts.max() > 1:
        raise ParameterError(
            f"Node {nodes[counts > 1][0]} of {dataset.name} is twice in its public split: expected "
            "each node in one of train, validation and test."
        )
    unknown = np.setdiff1d(dataset.y[everything], dataset.y[parts["train"]])
    if len(unknown):
        raise ParameterError(
            f"The public split of {dataset.name} has no training node of class {unknown[0]}."
        )
    validation = parts["validation"] if len(parts["validation"]) else None
    return Split(0, 0, parts["train"], parts["test"], validation)
