"""Graphs with the ids of their source, so that labels go to the right graphs."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from nask.arrays import Array
from nask.exceptions import InputError, ParameterError
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import first_few, quoted


class GraphList(list[AttributedGraph]):
    """A list of graphs with their ids, which cannot be changed.

    Slices of it, such as ``graphs[:10]``, have ids too. ``list(graphs)`` is a list that can be
    changed, without ids.

    Parameters
    ----------
    graphs : iterable of AttributedGraph
    ids : iterable of hashable
        One per graph, in the same order.
    notes : iterable of str
        What was changed in making them, in words.

    Attributes
    ----------
    ids : tuple of hashable
    notes : tuple of str

    Examples
    --------
    >>> graphs = GraphList([AttributedGraph(1), AttributedGraph(2)], ids=["b", "a"])
    >>> graphs.ids, len(graphs)
    (('b', 'a'), 2)
    >>> graphs.align({"a": "yes", "b": "no"}).tolist()
    ['no', 'yes']
    >>> graphs.align({"a": "yes", "c": "no"})
    Traceback (most recent call last):
    nask.exceptions.ParameterError: There is no label for 1 graphs: 'b'. There is no graph for 1
    labels: 'c'. Give each graph one label, and leave out those of others.
    """

    def __init__(
        self,
        graphs: Iterable[AttributedGraph],
        ids: Iterable[Hashable],
        notes: Iterable[str] = (),
    ) -> None:
        super().__init__(graphs)
        self.ids, self.notes = tuple(ids), tuple(notes)
        if len(self.ids) != len(self):
            raise ParameterError(
                f"The 'ids' parameter of GraphList must be one id per graph ({len(self)}). Got "
                f"{len(self.ids)} instead."
            )

    def _unchanged(self, *args: Any, **options: Any) -> Any:
        raise TypeError(
            "These graphs have ids, which would no longer be theirs after this change. Change "
            "list(graphs), a list without ids, or take a slice of them, such as graphs[:10]."
        )

    append = extend = insert = remove = pop = clear = sort = reverse = _unchanged
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _unchanged

    def __getitem__(self, index: Any) -> Any:
        graphs = super().__getitem__(index)
        return (
            GraphList(graphs, self.ids[index], self.notes) if isinstance(index, slice) else graphs
        )

    def check_order(self, labels: Any) -> None:
        """Raise where labels, a pandas Series by graph id, are in another order than the graphs.

        Labels that are not indexed by these ids are not checked.
        """
        index = list(getattr(labels, "index", ()) if hasattr(labels, "to_numpy") else ())
        if len(index) == len(self.ids) and set(index) == set(self.ids) and index != [*self.ids]:
            raise ParameterError(
                "The labels are indexed by graph id and come in another order than the graphs: "
                f"the first label is of graph {quoted(index[0])}, the first graph is "
                f"{quoted(self.ids[0])}. Pass graphs.align(y)."
            )

    def align(self, labels: Any) -> Array:
        """Return labels in the order of the graphs.

        Parameters
        ----------
        labels : mapping, or pandas Series indexed by graph id
            A label for each graph id: text, or numbers. Ids without a label, labels without a
            graph and ids with two labels are errors that name them.

        Returns
        -------
        ndarray of shape (n_graphs,)
        """
        is_table = hasattr(labels, "columns")
        if is_table or not callable(getattr(labels, "items", None)):
            remedy = (
                "labels.set_index('graph')['y'] of pandas"
                if is_table
                else "a dictionary, such as dict(zip(ids, y))"
            )
            raise InputError(
                "Expected labels by graph id, a dictionary or a pandas Series; got "
                f"{type(labels).__name__}. Pass {remedy}, with the names of your columns."
            )
        given = list(labels.items())
        found = {key: label for key, label in given if not is_missing(label)}
        repeated = [key for key, count in Counter(key for key, _ in given).items() if count > 1]
        unlabelled = [key for key in self.ids if key not in found]
        unknown = [key for key in dict.fromkeys(key for key, _ in given) if key not in {*self.ids}]
        problems = [
            f"{what} {len(keys)} {things}: {first_few([quoted(key) for key in keys])}."
            for what, things, keys in (
                ("There is no label for", "graphs", unlabelled),
                ("There is no graph for", "labels", unknown),
                ("There are several labels for", "graphs", repeated),
            )
            if keys
        ]
        if problems:
            raise ParameterError(
                f"{' '.join(problems)} Give each graph one label, and leave out those of others."
                f"{self._hint(unlabelled, unknown)}"
            )
        values = [found[key] for key in self.ids]
        for key, value in zip(self.ids, values, strict=True):
            if not isinstance(value, (str, bytes, numbers.Number, np.generic)):
                raise ParameterError(
                    f"The label of graph {quoted(key)} must be text or a number. Got "
                    f"{quoted(value)}."
                )
        if len({isinstance(value, (str, bytes)) for value in values}) > 1:
            raise ParameterError("The labels mix text and numbers: expected either in all of them.")
        return np.array(values)

    def _hint(self, unlabelled: Sequence[Hashable], unknown: Sequence[Hashable]) -> str:
        if unlabelled and {str(key) for key in unlabelled} & {str(key) for key in unknown}:
            kinds = [type(keys[0]).__name__ for keys in (unlabelled, unknown)]
            return f" (The graphs' ids are of type {kinds[0]}, those of the labels {kinds[1]}.)"
        return ""

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphList, (list(self), self.ids, self.notes)
