"""One graph with a class for each node and a public split, as readers return it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nask.arrays import Array, Index, Mask
from nask.description.description import Description
from nask.exceptions import ParameterError
from nask.graph.attribute import frozen, is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.chosen_nodes import node_positions
from nask.io.target import as_target, common_classes

NO_CLASS = -1


def _no_nodes() -> Index:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class NodeDataset:
    """A graph, the classes of its nodes, and a public split into training and test nodes.

    Parameters
    ----------
    name : str
    graph : AttributedGraph
        Thousands of features, such as the words of a paper, are its ``node_features``.
    y : ndarray of shape (n_nodes,)
        One class per node: an integer of 0 or more, -1 where the class is missing; or text, None
        where it is missing.
    train, validation, test : ndarray of int
        The nodes of the public split, given by their positions or by masks; empty without one.
    notes : tuple of str
        Everything that reading changed, in words. Empty if nothing was.
    ids : tuple of str, optional
        Names of the nodes in their source, in the same order.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)], node_features=np.eye(3))
    >>> NodeDataset("papers", path, y=[0, 1, -1], train=[0], validation=[], test=[1])
    NodeDataset('papers': 3 nodes, 2 edges; 3 node features, 3 of 9 not zero; y: 2 classes, 1
    missing; train 1, validation 0, test 1)
    >>> NodeDataset("papers", path, y=[0, 1], train=[0], validation=[], test=[1])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'y' parameter of NodeDataset must be an array of text, or
    of integers of -1 or more, one per node (3). Got shape (2,) instead.
    >>> people = NodeDataset("people", path, y=["old", None, "young"])
    >>> people.known, people.n_classes
    (array([ True, False,  True]), 2)
    """

    name: str
    graph: AttributedGraph
    y: Array
    train: Index = field(default_factory=_no_nodes)
    validation: Index = field(default_factory=_no_nodes)
    test: Index = field(default_factory=_no_nodes)
    notes: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        n_nodes = self.graph.n_nodes
        values: dict[str, Any] = {"y": _classes(self.y, n_nodes)}
        if self.ids is not None:
            values["ids"] = tuple(self.ids)
            if len(values["ids"]) != n_nodes:
                raise ParameterError(
                    f"The 'ids' parameter of NodeDataset must be None or one id per node "
                    f"({n_nodes}). Got {len(values['ids'])} instead."
                )
        for name in ("train", "validation", "test"):
            values[name] = node_positions(getattr(self, name), n_nodes, name)
        for part, value in values.items():
            object.__setattr__(self, part, value)
        object.__setattr__(self, "notes", tuple(self.notes))
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for array in (self.y, self.train, self.validation, self.test):
            frozen(array)

    def __repr__(self) -> str:
        missing = int(np.count_nonzero(~self.known))
        classes = f"{self.n_classes} classes, {missing} missing"
        facts = [
            repr(self.graph).removeprefix("AttributedGraph(").removesuffix(")"),
            f"y: {classes}" if missing else f"y: {self.n_classes} classes",
        ]
        parts = {part: len(getattr(self, part)) for part in ("train", "validation", "test")}
        if any(parts.values()):
            facts.append(", ".join(f"{part} {size}" for part, size in parts.items()))
        if self.notes:
            facts.append("1 note" if len(self.notes) == 1 else f"{len(self.notes)} notes")
        return f"NodeDataset({self.name!r}: {'; '.join(facts)})"

    @property
    def known(self) -> Mask:
        """True for the nodes that have a class."""
        if self.y.dtype != object:
            return np.asarray(self.y != NO_CLASS)
        return np.array([label is not None for label in self.y], dtype=bool)

    def describe(self) -> Description:
        """Tell what the network holds, column by column, and what looks wrong.

        Examples
        --------
        >>> import nask
        >>> people = nask.lab.make_social_network(100).describe()
        >>> people.items, people.n_nodes, people.split
        ('nodes', 100, (('train', 50), ('validation', 25), ('test', 25)))
        """
        labels = [
            label if known else None
            for label, known in zip(self.y.tolist(), self.known.tolist(), strict=True)
        ]
        parts = [(part, len(getattr(self, part))) for part in ("train", "validation", "test")]
        split = parts if any(size for _, size in parts) else []
        return Description.of(
            self.name, [self.graph], labels, "nodes", notes=self.notes, split=split
        )

    def without_rare_classes(self, least: int) -> NodeDataset:
        """Return the network with classes of fewer than ``least`` nodes as unknown ones.

        Its name says so, with "~", and so do its notes; nothing changes where no class is rare.

        Examples
        --------
        >>> import nask
        >>> path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
        >>> NodeDataset("path", path, ["a", "b", "a", None]).without_rare_classes(2).y.tolist()
        ['a', None, 'a', None]
        """
        labels = [
            label if known else None
            for label, known in zip(self.y.tolist(), self.known.tolist(), strict=True)
        ]
        keep, note = common_classes(labels, least, "nodes")
        if note is None:
            return self
        y = self.y.copy()
        y[~keep] = None if y.dtype == object else NO_CLASS
        return replace(self, name=f"{self.name}~{least}", y=y, notes=(*self.notes, note))

    @property
    def n_classes(self) -> int:
        """Number of distinct classes, missing ones not counted."""
        return len(set(self.y[self.known].tolist()))


def _classes(y: Any, n_nodes: int) -> Array:
    """Return the classes of nodes: integers, -1 where missing; or text as objects, or None."""
    array: Array = np.array(as_target(y))
    if array.shape == (n_nodes,) and array.dtype.kind in "OU":
        missing = np.array([is_missing(label) for label in array], dtype=bool)
        present = array[~missing].tolist()
        if all(isinstance(label, str) for label in present):
            text = array.astype(object)
            text[missing] = None
            return text
        if all(type(label) is int for label in present):
            array = np.where(missing, NO_CLASS, array).astype(np.int64)
    if array.shape == (0,):
        array = array.astype(np.int64)
    if array.shape != (n_nodes,) or array.dtype.kind not in "iu" or (array < NO_CLASS).any():
        raise ParameterError(
            "The 'y' parameter of NodeDataset must be an array of text, or of integers of -1 or "
            f"more, one per node ({n_nodes}). Got {_describe(array, (n_nodes,))} instead."
        )
    return array.astype(np.int64)


def _describe(array: Any, expected: tuple[int, ...]) -> str:
    if array.shape != expected:
        return f"shape {array.shape}"
    if array.dtype.kind not in "iu":
        return f"values of type {array.dtype}"
    return f"values of {array.min()} to {array.max()}"
