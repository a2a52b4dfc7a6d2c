"""One graph with a class for each node and a public split, as readers return it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Index
from nask.exceptions import ParameterError
from nask.graph.attribute import frozen
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.chosen_nodes import node_positions

NO_CLASS = -1


@dataclass(frozen=True, eq=False, repr=False)
class NodeDataset:
    """A graph, the classes of its nodes, and a public split into training and test nodes.

    Parameters
    ----------
    name : str
    graph : AttributedGraph
        Thousands of features, such as the words of a paper, are its ``node_features``.
    y : ndarray of shape (n_nodes,)
        One class per node, an integer of 0 or more; -1 where the class is missing.
    train, validation, test : ndarray of int
        The nodes of the public split, given by their positions or by masks.
    notes : tuple of str
        Everything that reading changed, in words. Empty if nothing was.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)], node_features=np.eye(3))
    >>> NodeDataset("papers", path, y=[0, 1, -1], train=[0], validation=[], test=[1])
    NodeDataset('papers': 3 nodes, 2 edges; 3 node features, 3 of 9 not zero; y: 2 classes, 1
    missing; train 1, validation 0, test 1)
    >>> NodeDataset("papers", path, y=[0, 1], train=[0], validation=[], test=[1])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'y' parameter of NodeDataset must be an array of
    integers, one per node (3), of -1 or more. Got shape (2,) instead.
    """

    name: str
    graph: AttributedGraph
    y: Index
    train: Index
    validation: Index
    test: Index
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n_nodes = self.graph.n_nodes
        y = np.array(self.y)
        if y.shape != (n_nodes,) or y.dtype.kind not in "iu" or (y < NO_CLASS).any():
            raise ParameterError(
                "The 'y' parameter of NodeDataset must be an array of integers, one per node "
                f"({n_nodes}), of -1 or more. Got {_describe(y, (n_nodes,))} instead."
            )
        values: dict[str, Any] = {"y": y.astype(np.int64)}
        for name in ("train", "validation", "test"):
            values[name] = node_positions(getattr(self, name), n_nodes, name)
        for field, value in values.items():
            object.__setattr__(self, field, value)
        object.__setattr__(self, "notes", tuple(self.notes))
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for array in (self.y, self.train, self.validation, self.test):
            frozen(array)

    def __repr__(self) -> str:
        missing = int(np.count_nonzero(self.y == NO_CLASS))
        classes = f"{self.n_classes} classes, {missing} missing"
        facts = [
            repr(self.graph).removeprefix("AttributedGraph(").removesuffix(")"),
            f"y: {classes}" if missing else f"y: {self.n_classes} classes",
            f"train {len(self.train)}, validation {len(self.validation)}, test {len(self.test)}",
        ]
        if self.notes:
            facts.append("1 note" if len(self.notes) == 1 else f"{len(self.notes)} notes")
        return f"NodeDataset({self.name!r}: {'; '.join(facts)})"

    @property
    def n_classes(self) -> int:
        """Number of distinct classes, missing ones not counted."""
        return len(np.unique(self.y[self.y != NO_CLASS]))


def _describe(array: Any, expected: tuple[int, ...]) -> str:
    if array.shape != expected:
        return f"shape {array.shape}"
    if array.dtype.kind not in "iu":
        return f"values of type {array.dtype}"
    return f"values of {array.min()} to {array.max()}"
