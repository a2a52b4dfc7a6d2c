"""A whole dataset, described: sizes, target, columns, duplicates, and what looks wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.choices import Items
from nask.description.columns import Column, column_of, describe_columns
from nask.description.duplicates import MOST_NODES, Duplicates
from nask.description.suspicions import EMPTY, Suspicion, suspicions_of
from nask.exceptions import SchemaError
from nask.graph.attribute import Attribute, is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import first_few, quoted
from nask.optional import named

# Classes with fewer members are told: ten folds have none of them in some test sets.
FEW = 10


@dataclass(frozen=True)
class Description:
    """What a dataset holds; ``str`` of it is a table, ``to_json`` plain data, ``plot`` a picture.

    Parameters
    ----------
    name : str
    items : {"graphs", "nodes"}
        What has the target.
    n_graphs, n_nodes, n_edges : int
    nodes_per_graph : (int, float, int)
        Fewest, mean and most.
    classes : tuple of (value, int)
        Classes with their sizes, the largest first; none where the target is on a scale.
    target : Column or None
        The target, where it is on a scale.
    n_without_target : int
        Graphs, or nodes, whose class is not known.
    columns : tuple of Column
    n_features : int
        Columns of ``node_features``, which are not described one by one.
    duplicates : Duplicates or None
        None for a network, and where they were not looked for.
    suspicions : tuple of Suspicion
        What looks wrong, and what to do.
    notes : tuple of str
        What reading changed.
    split : mapping of str to int
        Sizes of the parts of a public split.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG").describe()
    >>> mutag.n_graphs, mutag.classes, [column.name for column in mutag.columns]
    (188, ((1, 125), (-1, 63)), ['node_label', 'edge_label'])
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"age": [23, 31]})
    >>> for suspicion in nask.Dataset("two", (pair, pair), [0, 1]).describe().suspicions[1:]:
    ...     print(suspicion)
    graphs: 2 of 2 are isomorphic to another one, all attributes equal (2 node by node; 2 of another
    class). What is learned from one is known of the other: nask evaluate --split grouped keeps them
    in one fold.
    """

    name: str
    items: Items
    n_graphs: int
    n_nodes: int
    n_edges: int
    nodes_per_graph: tuple[int, float, int]
    classes: tuple[tuple[Any, int], ...]
    target: Column | None
    n_without_target: int
    columns: tuple[Column, ...]
    n_features: int
    duplicates: Duplicates | None
    suspicions: tuple[Suspicion, ...]
    notes: tuple[str, ...]
    split: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        graphs: Sequence[AttributedGraph],
        labels: Sequence[Any] | None,
        items: Items,
        *,
        on_scale: bool = False,
        made: bool = False,
        notes: Sequence[str] = (),
        split: Sequence[tuple[str, int]] = (),
    ) -> Description:
        """Describe graphs, or one network.

        Parameters
        ----------
        labels : sequence or None
            The target of each graph, or node; None where it is missing.
        on_scale : bool
            Whether it holds numbers on a scale, not classes.
        made : bool
            Whether attributes were made on reading, and not written by people: then none of them is
            suspected.
        """
        sizes = np.array([graph.n_nodes for graph in graphs] or [0])
        elements = (
            ("node", [g.node_attributes for g in graphs], [g.n_nodes for g in graphs]),
            ("edge", [g.edge_attributes for g in graphs], [g.n_edges for g in graphs]),
        )
        columns: list[Column] = []
        found: list[Suspicion] = []
        for element, collections, lengths in elements:
            for column in describe_columns(element, collections, lengths):  # type: ignore[arg-type]
                columns.append(column)
                if not made:
                    found += suspicions_of(column, column_of(column.name, collections, lengths)[0])
        present = [label for label in labels or () if not is_missing(label)]
        target, classes = None, Counter[Any]()
        if on_scale:
            numbers = [Attribute.from_values(labels or (), kind="numerical")]
            target = Column.of("graph", "y", numbers)
            found += [own for own in suspicions_of(target, numbers) if own.what != "codes"]
        else:
            classes = Counter(present)
        widths = [g.node_features.shape[1] for g in graphs if g.node_features is not None]
        duplicates = None
        if items == "graphs" and int(sizes.sum()) <= MOST_NODES:
            try:
                duplicates = Duplicates.of(graphs, labels)
            except SchemaError as error:
                found.append(Suspicion("kinds", "graphs", str(error).rstrip("."), "see above"))
        ordered = tuple(sorted(classes.items(), key=lambda own: (-own[1], str(own[0]))))
        found += _of_structure(graphs, items)
        found += _of_classes(ordered, items) if classes else []
        found += _of_duplicates(duplicates, len(graphs))
        return cls(
            name, items, len(graphs), int(sizes.sum()), sum(g.n_edges for g in graphs),
            (int(sizes.min()), float(sizes.mean()), int(sizes.max())), ordered, target,
            0 if labels is None else len(labels) - len(present), tuple(columns),
            max(widths, default=0), duplicates, tuple(found), tuple(notes), tuple(split),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the description as JSON can hold it."""
        return {
            "name": self.name,
            "items": self.items,
            "n_graphs": self.n_graphs,
            "n_nodes": self.n_nodes,
            "n_edges": self.n_edges,
            "nodes_per_graph": list(self.nodes_per_graph),
            "classes": [[label, size] for label, size in self.classes],
            "target": None if self.target is None else self.target.to_json(),
            "n_without_target": self.n_without_target,
            "split": dict(self.split),
            "columns": [column.to_json() for column in self.columns],
            "n_features": self.n_features,
            "duplicates": None if self.duplicates is None else self.duplicates.to_json(),
            "suspicions": [own.to_json() for own in self.suspicions],
            "notes": list(self.notes),
        }

    def plot(self) -> Any:
        """Draw the histograms of target and columns; as ``nask.plots.description``."""
        return named("nask.plots:description")(self)

    def __str__(self) -> str:
        from nask.description.text import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return (
            f"Description({self.name!r}: {len(self.columns)} columns, {len(self.suspicions)} "
            "suspicions)"
        )


def _of_structure(graphs: Sequence[AttributedGraph], items: Items) -> list[Suspicion]:
    """What looks wrong in nodes and edges."""
    found = []
    isolated = [int(np.count_nonzero(graph.degrees() == 0)) for graph in graphs]
    n_nodes = sum(graph.n_nodes for graph in graphs)
    if sum(isolated):
        one = sum(isolated) == 1
        n_graphs = int(np.count_nonzero(isolated))
        in_graphs = f", in {n_graphs} {'graph' if n_graphs == 1 else 'graphs'}"
        found.append(
            Suspicion(
                "isolated",
                "nodes",
                f"{sum(isolated)} of {n_nodes} {'has' if one else 'have'} no edge"
                + in_graphs * (items == "graphs"),
                "if they should have some, look at the ids in the table of edges; else all is well",
            )
        )
    empty = [k for k, graph in enumerate(graphs) if not graph.n_nodes]
    if empty:
        found.append(
            Suspicion(
                "empty",
                "graphs",
                f"{len(empty)} without nodes, at {first_few(list(map(str, empty)))}",
                "leave them out, or add their nodes",
            )
        )
    removed = (
        ("self-loops", sum(graph.n_self_loops_removed for graph in graphs)),
        ("repeats of an edge", sum(graph.n_duplicate_edges_removed for graph in graphs)),
    )
    for what, count in removed:
        if count:
            found.append(
                Suspicion(
                    "removed",
                    "edges",
                    f"{count} {what} were removed, as the kernel has no place for them",
                    "if they matter, count them in an attribute of nodes or edges",
                )
            )
    return found


def _of_classes(classes: Sequence[tuple[Any, int]], items: Items) -> list[Suspicion]:
    """What looks wrong in the classes."""
    if len(classes) == 1:
        text = f"all {items} with a class have the same, {quoted(classes[0][0])}"
        return [Suspicion("classes", "y", text, "there is nothing to tell apart")]
    found = []
    rare = [(label, size) for label, size in classes if size < FEW]
    if rare:
        shown = first_few([f"{quoted(label)} ({size})" for label, size in rare])
        found.append(
            Suspicion(
                "classes",
                "y",
                f"{len(rare)} of {len(classes)} classes have fewer than {FEW} {items}: {shown}",
                f"use fewer folds, leave them out (nask evaluate --drop-rare {FEW}), or join them",
            )
        )
    for label, size in classes:
        if isinstance(label, str) and label.strip().lower() in ("-1", "unknown", "?", "none"):
            found.append(
                Suspicion(
                    "classes",
                    "y",
                    f"{quoted(label)} is a class like any other, of {size} {items}",
                    f"if it means that the class is not known, {EMPTY}",
                )
            )
    return found


def _of_duplicates(duplicates: Duplicates | None, n_graphs: int) -> list[Suspicion]:
    if duplicates is None or not duplicates.isomorphic:
        return []
    return [
        Suspicion(
            "duplicates",
            "graphs",
            f"{duplicates.isomorphic} of {n_graphs} are isomorphic to another one, all attributes "
            f"equal ({duplicates.identical} node by node; {duplicates.of_other_class} of another "
            "class)",
            "what is learned from one is known of the other: nask evaluate --split grouped keeps "
            "them in one fold",
        )
    ]
