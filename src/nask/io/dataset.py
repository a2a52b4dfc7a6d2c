"""A named collection of graphs with its target, as readers return it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np

from nask.arrays import Array
from nask.choices import LearningTask
from nask.description.description import Description
from nask.exceptions import ParameterError
from nask.graph.attribute import frozen, is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.io.target import as_target, common_classes, learning_task


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Graphs, and the target to predict.

    Parameters
    ----------
    name : str
    graphs : tuple of AttributedGraph
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets), optional
        Class labels or regression targets, unchanged. Kept as a read-only copy.
    ids : tuple of str, optional
        Names of the graphs in their source, in the same order.
    notes : tuple of str
        Everything that reading changed, in words. Empty if nothing was.
    task : {"classify", "regress"}, optional
        Whether ``y`` holds classes or numbers on a scale; by default decided by its values.

    Examples
    --------
    >>> import nask
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"age": [23, 31]})
    >>> single = nask.AttributedGraph(1, [], {"age": [45]})
    >>> data = Dataset("people", (pair, single), y=[1, -1])
    >>> data
    Dataset('people': 2 graphs, 3 nodes, 1 edges; y: 2 classes; node: age (numerical))
    >>> len(data), data.y.tolist()
    (2, [1, -1])
    >>> Dataset("people", (pair, single), y=[1])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'y' parameter of Dataset must be None or an array \
with one entry per graph (2). Got shape (1,) instead.
    """

    name: str
    graphs: tuple[AttributedGraph, ...]
    y: Array | None = None
    notes: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None
    task: LearningTask | None = None

    # Whether attributes were made on reading, such as those of atoms, and not written by people.
    attributes_are_made: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "graphs", tuple(self.graphs))
        object.__setattr__(self, "notes", tuple(self.notes))
        if self.task not in (None, *get_args(LearningTask)):
            expected = f"None or one of {', '.join(map(repr, get_args(LearningTask)))}"
            raise ParameterError.expected("task", "Dataset", expected, self.task)
        if self.y is None:
            return
        y = frozen(np.array(as_target(self.y)))
        if y.ndim not in (1, 2) or len(y) != len(self.graphs):
            raise ParameterError(
                "The 'y' parameter of Dataset must be None or an array with one entry per graph "
                f"({len(self.graphs)}). Got shape {y.shape} instead."
            )
        object.__setattr__(self, "y", y)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.y is not None:
            frozen(self.y)

    def __len__(self) -> int:
        return len(self.graphs)

    def __repr__(self) -> str:
        n_nodes = sum(graph.n_nodes for graph in self.graphs)
        n_edges = sum(graph.n_edges for graph in self.graphs)
        facts = [f"{len(self)} graphs, {n_nodes} nodes, {n_edges} edges"]
        if self.y is not None:
            facts.append(f"y: {self._described_target(self.y)}")
        for element in ("node", "edge"):
            kinds = {
                name: attribute.kind
                for graph in self.graphs
                for name, attribute in getattr(graph, f"{element}_attributes").items()
            }
            if kinds:
                facts.append(f"{element}: {_abridged(kinds.items())}")
        if self.notes:
            facts.append("1 note" if len(self.notes) == 1 else f"{len(self.notes)} notes")
        return f"Dataset({self.name!r}: {'; '.join(facts)})"

    def describe(self) -> Description:
        """Tell what the graphs hold, column by column, and what looks wrong.

        Examples
        --------
        >>> import nask
        >>> nask.load_dataset("MUTAG").describe()
        Description('MUTAG': 2 columns, ... suspicions)
        """
        labels = None if self.y is None else self.y.tolist()
        if self.y is not None and self.y.ndim == 2:
            labels = self.y[:, 0].tolist() if self.y.shape[1] else None
        on_scale = self.y is not None and self.learning_task()[0] == "regress"
        return Description.of(
            self.name,
            self.graphs,
            labels,
            "graphs",
            on_scale=on_scale,
            made=self.attributes_are_made,
            notes=self.notes,
        )

    def without_rare_classes(self, least: int) -> Dataset:
        """Return the dataset without the graphs of classes that have fewer than ``least``.

        Its name says so, with "~", and so do its notes; nothing changes where no class is rare.

        Examples
        --------
        >>> import nask
        >>> data = nask.Dataset("three", [nask.AttributedGraph(1)] * 5, ["a", "a", "b", "b", "c"])
        >>> fewer = data.without_rare_classes(2)
        >>> fewer, fewer.notes
        (Dataset('three~2': 4 graphs, 4 nodes, 0 edges; y: 2 classes; 1 note),
         ("1 graphs of classes with fewer than 2 left out: 'c' (1).",))
        """
        if self.y is None or self.y.ndim != 1:
            raise ParameterError(f"{self.name} has no classes, of which some could be left out.")
        keep, note = common_classes(self.y.tolist(), least, "graphs")
        if note is None:
            return self
        chosen = np.flatnonzero(keep).tolist()
        return replace(
            self,
            name=f"{self.name}~{least}",
            graphs=tuple(self.graphs[k] for k in chosen),
            y=self.y[chosen],
            ids=None if self.ids is None else tuple(self.ids[k] for k in chosen),
            notes=(*self.notes, note),
        )

    def learning_task(self) -> tuple[LearningTask, str]:
        """Tell whether ``y`` holds classes or numbers on a scale, and why.

        Examples
        --------
        >>> import nask
        >>> nask.load_dataset("MUTAG").learning_task()
        ('classify', 'y holds integers')
        """
        if self.task is not None:
            return self.task, "the dataset says so"
        return learning_task(self.y)

    def _described_target(self, y: Array) -> str:
        if y.ndim == 2:
            return f"{y.shape[1]} targets"
        if self.learning_task()[0] == "regress":
            return "real numbers"
        missing = sum(map(is_missing, y.tolist()))
        n_classes = len({value for value in y.tolist() if not is_missing(value)})
        return f"{n_classes} classes, {missing} missing" if missing else f"{n_classes} classes"


def _abridged(kinds: Iterable[tuple[str, str]]) -> str:
    """List up to four attributes; PROTEINS_full has thirty."""
    listed = [f"{name} ({kind})" for name, kind in kinds]
    if len(listed) > 4:
        listed[2:-1] = ["..."]
    return ", ".join(listed)
