"""Outer folds: the same for every method, so that differences can be paired."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold

from nask.arrays import Array, Positions
from nask.exceptions import ParameterError
from nask.io.node_dataset import NodeDataset
from nask.messages import quoted

# Without two numbers in a test set there is no variance to explain.
LEAST_TESTED = 2


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


def outer_splits(
    y: Array, folds: int, repeats: int, random_state: int, groups: Positions | None = None
) -> Iterator[Split]:
    """Yield folds stratified by class, shuffled anew for each repeat.

    They depend only on the classes, the groups, the number of folds and the seed. More repeats do
    not change the first ones.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Class of each graph or node.
    folds, repeats : int
    random_state : int
        Seed of the first repeat; each later one adds 1.
    groups : ndarray of shape (n,), optional
        A group is never divided between training and test. Folds are then of unequal sizes, and
        differ from those without groups even if each group has one member.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> [(s.repeat, s.fold, s.test.size) for s in outer_splits(y, 3, 2, random_state=0)]
    [(0, 0, 2), (0, 1, 2), (0, 2, 2), (1, 0, 2), (1, 1, 2), (1, 2, 2)]
    >>> twins = np.array([0, 0, 1, 2, 2, 3])
    >>> sorted(s.test.tolist() for s in outer_splits(y, 2, 1, random_state=0, groups=twins))
    [[0, 1, 5], [2, 3, 4]]
    """
    for repeat in range(repeats):
        seed = random_state + repeat
        if groups is None:
            splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
            parts = _without_warning(splitter.split(y, y))
        else:
            parts = _group_folds(y, groups, folds, seed)
        for fold, (train, test) in enumerate(parts):
            yield Split(repeat, fold, train, test)


def _without_warning(
    parts: Iterator[tuple[Positions, Positions]],
) -> list[tuple[Positions, Positions]]:
    """Draw folds; who draws them has told which classes are rare, by name."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(parts)


def plain_splits(
    n_items: int,
    folds: int,
    repeats: int,
    random_state: int,
    groups: Positions | None = None,
) -> Iterator[Split]:
    """Yield folds of what has numbers, shuffled anew for each repeat.

    They depend only on how many there are, the groups, the number of folds and the seed.

    Parameters
    ----------
    n_items : int
    folds, repeats, random_state, groups
        As of :func:`outer_splits`.

    Examples
    --------
    >>> [(s.repeat, s.fold, s.test.size) for s in plain_splits(7, 3, 1, random_state=0)]
    [(0, 0, 3), (0, 1, 2), (0, 2, 2)]
    >>> twins = np.array([0, 0, 1, 2, 2, 3])
    >>> sorted(s.test.tolist() for s in plain_splits(6, 2, 1, random_state=0, groups=twins))
    [[0, 1, 2], [3, 4, 5]]
    """
    own = np.arange(n_items) if groups is None else groups
    names = np.unique(own)
    _check_groups(len(names), folds)
    for repeat in range(repeats):
        parts = KFold(folds, shuffle=True, random_state=random_state + repeat).split(names)
        for fold, (_, chosen) in enumerate(parts):
            tested = np.isin(own, names[chosen])
            if tested.sum() < LEAST_TESTED:
                raise ParameterError(
                    f"Fold {fold} of {folds} has one graph to test, and R2 takes two. Use fewer "
                    "folds, or no groups."
                )
            yield Split(repeat, fold, np.flatnonzero(~tested), np.flatnonzero(tested))


def check_enough(n_items: int, folds: int) -> None:
    """Raise where a fold would test a single item with a number, of which there is no R2.

    Examples
    --------
    >>> check_enough(15, 10)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 10 folds of 15 graphs leave one graph to test in some, and R2
    takes two. Use 2 to 7 folds.
    """
    most = n_items // LEAST_TESTED
    if folds <= most:
        return
    if most < 2:
        raise ParameterError(
            f"{n_items} graphs are too few for 2 folds: expected {2 * LEAST_TESTED} at least."
        )
    raise ParameterError(
        f"{folds} folds of {n_items} graphs leave one graph to test in some, and R2 takes two. "
        f"Use {f'2 to {most}' if most > 2 else '2'} folds."
    )


def _check_groups(n_groups: int, folds: int) -> None:
    if n_groups < folds:
        raise ParameterError(
            f"{folds} folds need as many groups, since a group is in one fold, but there "
            f"{'is' if n_groups == 1 else 'are'} {n_groups}. Use fewer folds, or no groups."
        )


def _group_folds(
    y: Array, groups: Positions, folds: int, seed: int
) -> list[tuple[Positions, Positions]]:
    """Return training and test sets that share no group; raise if a test set is empty."""
    n_groups = len(np.unique(groups))
    _check_groups(n_groups, folds)
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    parts = _without_warning(splitter.split(y, y, groups))
    for fold, (_, test) in enumerate(parts):
        if not len(test):
            raise ParameterError(
                f"Fold {fold} of {folds} is empty: {n_groups} groups, the largest of "
                f"{np.unique(groups, return_counts=True)[1].max()} members, leave nothing for it "
                f"with random_state={seed}. Use fewer folds, or no groups."
            )
    return parts


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
        nodes[dataset.known[nodes]].astype(np.intp)
        for nodes in (dataset.train, dataset.validation, dataset.test)
    )
    if not len(train) or not len(test):
        raise ParameterError(
            f"{dataset.name} has no public split: expected nodes with a class in its train and "
            "test (columns train_mask and test_mask of a nodes.csv). Use split='folds'."
        )
    everything = np.concatenate([train, validation, test])
    nodes, counts = np.unique(everything, return_counts=True)
    if counts.max() > 1:
        raise ParameterError(
            f"Node {nodes[counts > 1][0]} of {dataset.name} is twice in its public split: expected "
            "each node in one of train, validation and test."
        )
    learned = set(dataset.y[train].tolist())
    unknown = [label for label in dataset.y[everything].tolist() if label not in learned]
    if unknown:
        raise ParameterError(
            f"The public split of {dataset.name} has no training node of class "
            f"{quoted(unknown[0])}."
        )
    return Split(0, 0, train, test, validation if len(validation) else None)
