"""Models of the nodes of a network, for ``nask fit`` and ``nask predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import typer

import nask
from nask.arrays import Array, Index
from nask.exceptions import ParameterError
from nask.messages import listed

NodeChoice = Literal["unknown", "all", "train", "validation", "test"]


def fit_nodes(
    data: nask.NodeDataset,
    model: Path,
    trained: Any,
    search_for: dict[str, Any] | None,
    target: str,
) -> None:
    """Train a given classifier on the nodes of a network whose class is known, and save it.

    Where the network comes with a public split, on its training nodes; with parameters of a search,
    those of the model are chosen on its validation nodes.
    """
    train, validation = _known(data, data.train), _known(data, data.validation)
    if not data.known.any():
        raise ParameterError(
            f"{data.name} has no classes to learn: expected a column y in nodes.csv, or --target "
            "NAME for another one. Its attributes are: "
            f"{listed(data.graph.node_attributes)}."
        )
    masked = len(data.train) > 0
    if masked and not len(train):
        raise ParameterError(f"No node of the train_mask of {data.name} has a class.")
    if not masked:
        train = np.setdiff1d(np.flatnonzero(data.known), validation)
    if search_for is not None:
        from sklearn.base import clone

        quiet = clone(trained).set_params(verbose=False)
        search = nask.TunedNASKNodeClassifier(
            estimator=quiet, n_jobs=trained.n_jobs, verbose=trained.verbose, **search_for
        )
        search.fit(data.graph, data.y, train, validation if len(validation) else None)
        trained = search.best_estimator_
        chosen = ", ".join(f"{name} {value}" for name, value in search.best_params_.items())
        judged = "of the validation nodes" if len(validation) else "by leave-one-out"
        typer.echo(f"Chosen: {chosen} ({100 * search.best_score_:.1f} % right {judged}).")
    else:
        trained.fit(data.graph, data.y, train)
    trained.target_name_ = target
    trained.save(model)
    which = "the nodes of train_mask" if masked else "all nodes"
    typer.echo(
        f"{data.name}: trained a {type(trained).__name__} on {len(train)} of "
        f"{data.graph.n_nodes} nodes, {which} that have a class."
    )
    labels, counts = np.unique(data.y[train].astype(str), return_counts=True)
    sizes = ", ".join(f"{label} ({n})" for label, n in zip(labels, counts, strict=True))
    typer.echo(f"{len(labels)} classes with their nodes: {sizes}. Saved to {model}.")


def chosen_nodes(data: nask.NodeDataset, choice: NodeChoice) -> Index:
    """Return the positions of the nodes to predict; raise where there is none.

    Examples
    --------
    >>> network = nask.lab.make_social_network(100)
    >>> len(chosen_nodes(network, "all")), len(chosen_nodes(network, "test"))
    (100, 25)
    """
    if choice == "all":
        return np.arange(data.graph.n_nodes)
    if choice == "unknown":
        nodes = np.flatnonzero(~data.known)
        why = "all of its nodes have a class. --nodes all predicts all of them"
    else:
        nodes = getattr(data, choice)
        why = "that takes a column of true and false in nodes.csv"
    if not len(nodes):
        raise ParameterError(f"{data.name} has no nodes for --nodes {choice}: {why}.")
    return nodes


def node_columns(data: nask.NodeDataset, nodes: Index) -> dict[str, Any]:
    """Return the column of the nodes' names: their ids, or positions from 0 without any."""
    positions = nodes.tolist()
    return {"node": positions if data.ids is None else [data.ids[k] for k in positions]}


def node_score(trained: Any, data: nask.NodeDataset, nodes: Index, predicted: Array) -> str:
    """Return the accuracy, in words, on nodes with a class that were not learned from.

    Empty where there are none.
    """
    seen = _training_nodes(trained, data.graph)
    tested = data.known[nodes] & ~np.isin(nodes, seen)
    if not tested.any():
        return ""
    truth = data.y[nodes[tested]]
    if not {*truth.tolist()} & {*trained.classes_.tolist()}:
        return "No accuracy: the classes of the dataset are not those of the model."
    right = int(np.sum(predicted[tested] == truth))
    beside = " that the model did not learn from" if len(np.intersect1d(nodes, seen)) else ""
    share = f"Accuracy {100 * right / tested.sum():.1f} %"
    return f"{share} ({right} of {tested.sum()} nodes with a class{beside})."


def _training_nodes(trained: Any, graph: nask.AttributedGraph) -> Index:
    """Return the nodes of a network that a model learned from; none of another network."""
    groups = getattr(trained, "groups", None)
    kernel = trained.kernel_.fitted_ if groups is None else groups[0].kernel
    if kernel.graph != graph:
        return np.empty(0, dtype=np.int64)
    nodes: Index = trained.train_ if groups is None else groups[0].nodes
    return nodes


def _known(data: nask.NodeDataset, nodes: Index) -> Index:
    return nodes[data.known[nodes]]
