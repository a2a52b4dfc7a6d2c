"""What is predicted, and by which splits: the graphs of a set, or the nodes of a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from nask.arrays import Array, Positions
from nask.choices import Items, LearningTask, SplitName
from nask.evaluation.class_sizes import check_class_sizes
from nask.evaluation.splits import Split, check_enough, outer_splits, plain_splits, public_split
from nask.exceptions import ParameterError
from nask.graph.isomorphism import isomorphic_groups
from nask.io.dataset import Dataset
from nask.io.node_dataset import NO_CLASS, NodeDataset
from nask.kernels.parameters import is_integer
from nask.learning.targets import as_numbers, class_codes
from nask.messages import listed, quoted

LEAST = {"folds": 2, "repeats": 1, "inner": 2, "random_state": 0}
# Ten times ten folds over the nodes of a network would take hours.
DEFAULTS: Mapping[Items, Mapping[str, int]] = {
    "graphs": {"folds": 10, "repeats": 10, "inner": 5},
    "nodes": {"folds": 10, "repeats": 1, "inner": 3},
}


@dataclass(frozen=True, eq=False)
class Task:
    """A dataset as an evaluation sees it.

    Parameters
    ----------
    name : str
        Of the dataset, with "@public" for the public split, "@grouped" for folds that keep
        isomorphic graphs together.
    items : {"graphs", "nodes"}
    data : tuple of AttributedGraph, or AttributedGraph
    y : ndarray of shape (n,)
        Class of each graph or node; -1, or None beside text, for a node without one. Or a
        number.
    classes : ndarray or None
        None of numbers.
    target : ndarray of shape (n,)
        Position of the class in ``classes``; -1 for a node without one. Or the number itself.
    splits : list of Split
    folds, repeats : int
    inner : int or None
        None where parameters are chosen on a validation set.
    """

    name: str
    items: Items
    data: Any
    y: Array
    classes: Array | None
    target: Array
    splits: list[Split]
    folds: int
    repeats: int
    inner: int | None

    @property
    def kind(self) -> LearningTask:
        """Whether classes are predicted, or numbers."""
        return "regress" if self.classes is None else "classify"

    @property
    def known(self) -> Positions:
        """Positions of what has a class, or a number."""
        return np.arange(len(self.y)) if self.classes is None else np.flatnonzero(self.target >= 0)

    @property
    def labels(self) -> Array:
        """The class of each graph or node, or its number, as records have it."""
        return self.y if self.classes is None else self.classes[self.target]

    def sizes(self) -> dict[str, Any]:
        """Return how many of each class are tested in a repeat; of numbers, how many there are."""
        if self.classes is None:
            return {"task": self.kind, "n_items": len(self.y)}
        tested = np.concatenate([split.test for split in self.splits if split.repeat == 0])
        counts = np.bincount(self.target[tested], minlength=len(self.classes))
        return {"classes": {str(c): int(n) for c, n in zip(self.classes, counts, strict=True)}}


def make_task(
    dataset: Dataset | NodeDataset,
    split: SplitName,
    folds: int | None,
    repeats: int | None,
    inner: int | None,
    random_state: int,
    least: int = 1,
) -> Task:
    """Check the protocol and draw the splits.

    Parameters
    ----------
    dataset : Dataset or NodeDataset
    split : {"folds", "grouped", "public", "planetoid"}
        "planetoid" is the older name of "public", under which records may have been kept.
    folds, repeats, inner : int or None
        None: the default for graphs or for nodes.
    random_state : int
    least : int, default=1
        How many of each class have to be in every training set.

    Examples
    --------
    >>> import nask
    >>> network = nask.lab.make_social_network(100)
    >>> task = make_task(network, "folds", 5, None, None, 0)
    >>> task.items, task.repeats, task.inner, [len(split.test) for split in task.splits]
    ('nodes', 1, 3, [20, 20, 20, 20, 20])
    >>> make_task(network, "public", None, None, None, 0).name
    'social_network@public'
    """
    items: Items = "nodes" if isinstance(dataset, NodeDataset) else "graphs"
    given = {
        name: value
        for name, value in {"folds": folds, "repeats": repeats, "inner": inner}.items()
        if value is not None
    }
    for name, value in {**given, "random_state": random_state}.items():
        if not is_integer(value) or value < LEAST[name]:
            expected = f"an int of at least {LEAST[name]}"
            raise ParameterError.expected(name, "evaluate", expected, value)
    if split not in get_args(SplitName):
        expected = f"one of {', '.join(map(repr, get_args(SplitName)))}"
        raise ParameterError.expected("split", "evaluate", expected, split)
    numbers = {**DEFAULTS[items], **given}
    if isinstance(dataset, NodeDataset):
        if split == "grouped":
            raise ParameterError(
                f"{dataset.name} is one network: split='grouped' keeps isomorphic graphs "
                "together, and is for sets of graphs."
            )
        if split in ("public", "planetoid"):
            return _public_task(dataset, split, given, numbers["inner"], least)
        labelled = np.flatnonzero(dataset.known)
        classes, codes = _classes_of_nodes(dataset)
        names = [str(k) if dataset.ids is None else dataset.ids[k] for k in labelled.tolist()]
        check_class_sizes(classes, codes[labelled], numbers["folds"], least, items, names)
        drawn = [
            s._replace(train=labelled[s.train], test=labelled[s.test])
            for s in outer_splits(
                codes[labelled], numbers["folds"], numbers["repeats"], random_state
            )
        ]
        return Task(dataset.name, items, dataset.graph, dataset.y, classes, codes, drawn, **numbers)
    if split in ("public", "planetoid"):
        raise ParameterError(
            f"{dataset.name} is a set of graphs, which has no public split. Use split='folds'."
        )
    y = _targets_of_graphs(dataset)
    name = f"{dataset.name}@{split}" if split == "grouped" else dataset.name
    drawn_by = numbers["folds"], numbers["repeats"], random_state
    if dataset.learning_task()[0] == "regress":
        values = as_numbers(y, "evaluate", dataset.ids)
        check_enough(len(values), numbers["folds"])
        groups = isomorphic_groups(dataset.graphs) if split == "grouped" else None
        splits = list(plain_splits(len(values), *drawn_by, groups))
        return Task(name, items, dataset.graphs, values, None, values, splits, **numbers)
    classes, codes = class_codes(y, ids=dataset.ids)
    check_class_sizes(classes, codes, numbers["folds"], least, items, dataset.ids)
    groups = isomorphic_groups(dataset.graphs) if split == "grouped" else None
    splits = list(outer_splits(codes, *drawn_by, groups))
    return Task(name, items, dataset.graphs, y, classes, codes, splits, **numbers)


def _targets_of_graphs(dataset: Dataset) -> Array:
    """Return the target of a set of graphs; raise where there is none, or more than one."""
    if dataset.y is not None and dataset.y.ndim == 2:
        raise ParameterError(
            f"{dataset.name} has {dataset.y.shape[1]} targets per graph, and evaluate takes one: "
            "make a Dataset of one column of y."
        )
    if dataset.y is None:
        raise ParameterError(
            f"{dataset.name} has no classes or numbers to predict: expected a column y in "
            f"graphs.csv, or a file {dataset.name}_graph_labels.txt or "
            f"{dataset.name}_graph_attributes.txt beside the others, or y of Dataset."
        )
    return np.asarray(dataset.y)


def _public_task(
    dataset: NodeDataset, name: SplitName, given: Mapping[str, int], inner: int, least: int
) -> Task:
    classes, codes = _classes_of_nodes(dataset)
    split = public_split(dataset)
    few = np.flatnonzero(np.bincount(codes[split.train]) < least)
    if split.validation is None and len(few):
        raise ParameterError(
            f"The public split of {dataset.name} has one training node of class "
            f"{quoted(classes[few[0]])} and no validation nodes: choosing parameters takes "
            f"{least} of each class. Use split='folds', or a method that chooses nothing, such as "
            "NASKNodeClassifier."
        )
    fixed = ("folds", "repeats") if split.validation is None else ("folds", "repeats", "inner")
    for number in fixed:
        if number in given:
            raise ParameterError(
                f"The {number!r} parameter of evaluate is for split='folds': the public split has "
                "one training and one test set, and parameters are chosen on its validation "
                "nodes."
            )
    return Task(
        f"{dataset.name}@{name}",
        "nodes",
        dataset.graph,
        dataset.y,
        classes,
        codes,
        [split],
        folds=1,
        repeats=1,
        inner=inner if split.validation is None else None,
    )


def _classes_of_nodes(dataset: NodeDataset) -> tuple[Array, Positions]:
    labelled = dataset.known
    if not labelled.any():
        raise ParameterError(
            f"{dataset.name} has no node with a class: nodes.csv has no column y, or an empty "
            "one. Name the column of the classes (--target NAME, load_dataset(..., y=NAME)). "
            f"Columns are: {listed(dataset.graph.node_attributes)}."
        )
    codes = np.full(len(dataset.y), NO_CLASS, dtype=np.intp)
    classes, codes[labelled] = class_codes(dataset.y[labelled])
    return classes, codes
