"""A classifier of graphs as a judge: how near each graph is to the class that is wanted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Mask
from nask.exceptions import (
    AbsentAttributeWarning,
    InputError,
    ParameterError,
    UnseenAttributeWarning,
)
from nask.explain.editable import OWNER
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import Schema
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.learning.mixins import ScoresNodes
from nask.messages import listed, quoted

T = TypeVar("T")
# Graphs, and their nodes, that are judged at once, so that memory stays bounded.
LARGEST_BATCH, NODES_OF_BATCH = 256, 20_000
METHODS = ("predict", "decision_function")


def check_classifier(model: Any) -> None:
    """Raise unless a model is a fitted classifier of graphs that decides.

    Examples
    --------
    >>> import nask
    >>> check_classifier(nask.NASKRegressor())
    Traceback (most recent call last):
    nask.exceptions.InputError: counterfactual needs a classifier of graphs, with the methods
    predict and decision_function. Got a NASKRegressor, ...
    """
    name = type(model).__name__
    if isinstance(model, ScoresNodes) or any(
        isinstance(getattr(group, "kernel", None), FittedNodeKernel) for group in _groups(model)
    ):
        raise InputError(
            f"{OWNER} needs a classifier of graphs. Got a {name}, which classifies the nodes of "
            "one graph: give it a NASKClassifier or a TunedNASKClassifier."
        )
    absent = [method for method in METHODS if not callable(getattr(model, method, None))]
    if absent:
        raise InputError(
            f"{OWNER} needs a classifier of graphs, with the methods {' and '.join(METHODS)}. Got "
            f"a {name}, which has no {' and no '.join(absent)}: give it a NASKClassifier or a "
            "TunedNASKClassifier."
        )
    # What is only ever built fitted, as an AveragedClassifier is, has no fit.
    if hasattr(model, "fit"):
        check_is_fitted(model)


def training_schemas(model: Any) -> list[Schema]:
    """Return what the training graphs of a model had, as each of its kernels saw it.

    Empty if the model does not tell.
    """
    chosen = getattr(model, "best_estimator_", model)
    kernels = [getattr(group, "kernel", None) for group in _groups(chosen)]
    schemas = [getattr(kernel, "schema", None) for kernel in kernels]
    schemas.append(getattr(getattr(chosen, "kernel_", None), "schema_", None))
    return [schema for schema in schemas if isinstance(schema, Schema)]


def _groups(model: Any) -> Sequence[Any]:
    """Return the kernels that an averaged classifier has, each with its functions."""
    groups: Sequence[Any] = getattr(model, "groups", ())
    return groups if isinstance(groups, Sequence) else ()


@dataclass(frozen=True)
class Judge:
    """A model, the class it has now and the one it should have.

    Parameters
    ----------
    model : classifier of graphs
    classes : list
    before : int
        Number of the class that the model gives the graph.
    target : int or None
        Number of the class that is wanted; None is any other than ``before``.
    """

    model: Any
    classes: list[Any]
    before: int
    target: int | None

    @classmethod
    def of(cls, model: Any, graph: AttributedGraph, target: Any = None) -> Judge:
        """Return the judge of edits of a graph; raise where the target is not to be had."""
        check_classifier(model)
        predicted = model.predict([graph])[0]
        classes = np.asarray(model.classes_).tolist()
        before = classes.index(predicted)
        if target is None:
            return cls(model, classes, before, None)
        try:
            wanted = classes.index(target)
        except ValueError:
            expected = f"None or one of the classes of the model, {listed(classes)}"
            raise ParameterError.expected("target", OWNER, expected, target) from None
        if wanted == before:
            raise ParameterError(
                f"target={quoted(target)} is the class that the model gives the graph already. "
                "Choose another, or leave target out for any other."
            )
        return cls(model, classes, before, wanted)

    def decide(self, graphs: Sequence[AttributedGraph]) -> Float64:
        """Return what the model's ``decision_function`` returns."""
        with _warned_before():
            return np.asarray(self.model.decision_function(graphs), dtype=np.float64)

    def scores(self, graphs: Sequence[AttributedGraph]) -> Float64:
        """Return the score of each class, (n_graphs, n_classes); 0 for the first of two."""
        found = self.decide(graphs)
        return found.copy() if found.ndim == 2 else np.column_stack([np.zeros(len(found)), found])

    def margins(self, graphs: Sequence[AttributedGraph]) -> Float64:
        """Return how far each graph is on the wanted side of the decision; negative before it.

        The score of the wanted class minus the highest score of the others. If any other class than
        now is wanted, it is the best of them.
        """
        scores, rows = self.scores(graphs), np.arange(len(graphs))
        wanted = np.full(len(graphs), self.target)
        if self.target is None:
            others = scores.copy()
            others[:, self.before] = -np.inf
            wanted = others.argmax(axis=1)
        own = scores[rows, wanted]
        scores[rows, wanted] = -np.inf
        return np.asarray(own - scores.max(axis=1))

    def flipped(self, graphs: Sequence[AttributedGraph]) -> Mask:
        """Tell which graphs the model gives the wanted class."""
        predicted = self.predict(graphs)
        if self.target is None:
            return np.array([label != self.classes[self.before] for label in predicted])
        return np.array([label == self.classes[self.target] for label in predicted])

    def predict(self, graphs: Sequence[AttributedGraph]) -> list[Any]:
        """Return the class that the model gives each graph, as a plain value."""
        with _warned_before():
            predicted: Array = np.asarray(self.model.predict(graphs))
        return list(predicted.tolist())


@contextmanager
def _warned_before() -> Iterator[None]:
    """Keep quiet of attributes that only the graph has, or only training graphs: it was told."""
    with warnings.catch_warnings():
        for category in (AbsentAttributeWarning, UnseenAttributeWarning):
            warnings.simplefilter("ignore", category)
        yield


def batch_size(graph: AttributedGraph) -> int:
    """Return how many edited copies of a graph are judged at once.

    Examples
    --------
    >>> batch_size(AttributedGraph(20)), batch_size(AttributedGraph(1000))
    (256, 20)
    """
    return max(1, min(LARGEST_BATCH, NODES_OF_BATCH // max(1, graph.n_nodes)))


def in_batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Return parts of a sequence, in order.

    Examples
    --------
    >>> list(in_batches("abcde", 2))
    ['ab', 'cd', 'e']
    """
    return (items[start : start + size] for start in range(0, len(items), size))
