"""Outer folds: the same for every method, so that differences can be paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from nask.arrays import Array, Positions
from nask.exceptions import ParameterError
from nask.io.node_dataset import NO_CLASS, NodeDataset


class Split(NamedTuple):
    """One outer fold of one repeat, as positions of graphs or nodes.

    Parameters are chosen on the validation set where there is one, else on folds of the training
    set.
    """

    repeat: int
    fold: int
    train: Positions
    test: Positions
    validation: Positions | None = None


def outer_splits(y: Array, folds: int, repeats: int, random_state: int) -> Iterator[Split]:
    """Yield folds stratified by class, shuffled anew for each repeat.

    They depend only on the classes, the number of folds and the seed. More repeats do not change
    the first ones.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Class of each graph or node.
    folds, repeats : int
    random_state : int
        Seed of the first repeat; each later one adds 1.

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
    """Return the split that comes with a network, without the nodes that have no class.

    Examples
    --------
    >>> import nask
    >>> split = public_split(nask.lab.make_social_network(100))
    >>> len(split.train), len(split.validation), len(split.test)
    (50, 25, 25)
    """
    train, validation, test = (
        nodes[dataset.y[nodes] != NO_CLASS].astype(np.intp)
        for nodes in (dataset.train, dataset.validation, dataset.test)
    )
    if not len(train) or not len(test):
        raise ParameterError(
            f"{dataset.name} has no public split: expected nodes with a class in its train and "
            "test. Use split='folds'."
        )
    everything = np.concatenate([train, validation, test])
    nodes, counts = np.unique(everything, return_counts=True)
    if counts.max() > 1:
        raise ParameterError(
            f"Node {nodes[counts > 1][0]} of {dataset.name} is twice in its public split: expected "
            "each node in one of train, validation and test."
        )
    unknown = np.setdiff1d(dataset.y[everything], dataset.y[train])
    if len(unknown):
        raise ParameterError(
            f"The public split of {dataset.name} has no training node of class {unknown[0]}."
        )
    return Split(0, 0, train, test, validation if len(validation) else None)
