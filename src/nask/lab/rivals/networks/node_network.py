"""The base of networks that classify the nodes of one graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn
from torch.nn import functional

from nask.arrays import Array, Float64, Index
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.chosen_nodes import node_positions
from nask.io.coerce import as_graph
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.networks.batching import both_directions
from nask.lab.rivals.networks.layers import sparse_rows
from nask.lab.rivals.networks.network import (
    GRID,
    Grid,
    Lesson,
    Network,
    decisions,
    probabilities,
)
from nask.lab.rivals.networks.training import apart, held_out
from nask.learning.mixins import ScoresNodes
from nask.learning.node_targets import class_per_node, known_nodes
from nask.learning.targets import class_codes
from nask.tuning.node_classifier import check_held_out

NODE_GRID: Grid = {**GRID, "weight_decay": (0.0, 5e-4)}


@dataclass(kw_only=True, eq=False, repr=False)
class NodeNetwork(ScoresNodes, Network):
    """A graph neural network that classifies nodes; subclasses say which.

    All nodes take part in every step; the loss is that of the training nodes. Every candidate of
    the grid is trained until the loss on the validation nodes has not fallen for ``patience``
    epochs, and keeps the weights of its best epoch. The candidate that is most accurate on the
    validation nodes predicts; the loss breaks ties. The classes of other nodes are never used;
    their attributes are.

    A subclass defines ``build(n_inputs, n_classes)``: a module whose ``forward(x, edges)``
    returns logits (n_nodes, n_classes). ``edges`` has each edge in both directions and no loop.
    ``x`` is dense, or a sparse tensor where the graph has ``node_features``.

    Parameters
    ----------
    n_layers : int, default=2
        The last one has one unit per class.
    dropout : float, default=0.5
        Share of the inputs of each layer that are dropped in training.
    weight_decay : float, default=5e-4
        Used where the grid does not vary it. The grid of the class also tries no decay: 5e-4 was
        made for a few training nodes per class.
    max_epochs : int, default=200
        An epoch is a single step here.
    **parameters
        The others are those of :class:`GraphNetwork`, but for ``batch_size``.

    Attributes
    ----------
    classes_, best_params_, best_score_, n_epochs_, network_, encoder_
        As those of :class:`GraphNetwork`, with nodes in place of graphs.
    """

    dropout: float = 0.5
    weight_decay: float = 5e-4
    max_epochs: int = 200

    default_grid: ClassVar[Grid] = NODE_GRID

    def loss(self, network: nn.Module, logits: Tensor, target: Tensor) -> Tensor:
        """Return what training minimises: by default the cross entropy of the training nodes."""
        return functional.cross_entropy(logits, target)

    def fit(self, graph: Any, y: Any, train: Any = None, validation: Any = None) -> Self:
        """Train on nodes of a graph whose class is known.

        Parameters
        ----------
        graph : graph
        y : array-like of shape (n_nodes,)
            One class per node; -1, None or NaN where it is not known.
        train : array-like of int, or of bool, default=None
            The training nodes, by their positions or by a mask; by default all that have a
            class and are not held out.
        validation : array-like of int, or of bool, default=None
            Nodes to stop and to choose on; by default a tenth of the training nodes, drawn by
            class, which is then not trained on.
        """
        self.check_parameters()
        graph = as_graph(graph)
        target = class_per_node(y, graph.n_nodes)
        learned, judged = self._learned_and_judged(target, train, validation)
        self.encoder_ = NodeEncoder().fit([graph])
        x, edges = self._tensors(graph)
        numbers = {label: code for code, label in enumerate(self.classes_.tolist())}
        learned_codes, judged_codes = (
            torch.tensor([numbers[label] for label in target[nodes].tolist()])
            for nodes in (learned, judged)
        )
        learned_nodes, judged_nodes = torch.from_numpy(learned), torch.from_numpy(judged)

        def lesson(network: nn.Module, candidate: Self) -> Lesson:
            def losses() -> Iterator[Tensor]:
                yield candidate.loss(network, network(x, edges)[learned_nodes], learned_codes)

            def judge() -> tuple[float, float]:
                logits = network(x, edges)[judged_nodes]
                hits = (logits.argmax(dim=1) == judged_codes).float().mean()
                return float(hits), float(functional.cross_entropy(logits, judged_codes))

            return losses, judge

        self._choose(self.encoder_.n_columns_, lesson)
        return self

    def _learned_and_judged(
        self, target: Array, train: Any, validation: Any
    ) -> tuple[Index, Index]:
        """Return nodes to train on and nodes to judge by; set ``classes_`` from the former."""
        judged = None if validation is None else known_nodes(target, validation, "validation")
        if train is None and judged is not None:
            train = np.setdiff1d(known_nodes(target, None, "train"), judged)
        learned = np.unique(known_nodes(target, train, "train"))
        self.classes_, codes = class_codes(target[learned], "node", learned)
        if judged is None:
            kept, out = held_out(codes, int(self.random_state))
            return learned[kept], learned[out]
        check_held_out(target, learned, judged)
        return learned, judged

    def _tensors(self, graph: AttributedGraph) -> tuple[Tensor, Tensor]:
        rows = self.encoder_.encode([graph])
        sparse = graph.node_features is not None
        x = sparse_rows(rows) if sparse else torch.from_numpy(rows.toarray())
        return x, both_directions(graph.edges)

    def _logits(self, graph: Any, nodes: Any) -> Tensor:
        check_is_fitted(self)
        graph = as_graph(graph)
        chosen = slice(None) if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        with apart(), torch.no_grad():
            logits: Tensor = self.network_(*self._tensors(graph))
            return logits[chosen]

    def predict(self, graph: Any, nodes: Any = None) -> Array:
        """Return the most probable class of nodes of a graph.

        Parameters
        ----------
        graph : graph
            The training graph, or another one with the same attributes.
        nodes : array of int, or of bool, default=None
            Which nodes of ``graph``, by their positions or by a mask; all by default.
        """
        return self._most_probable(self._logits(graph, nodes))

    def predict_proba(self, graph: Any, nodes: Any = None) -> Float64:
        """Return the probability of each class, (m, n_classes), as the network has it."""
        return probabilities(self._logits(graph, nodes))

    def decision_function(self, graph: Any, nodes: Any = None) -> Float64:
        """Return logits: (m,) for two classes, positive for the second; else (m, n_classes)."""
        return decisions(self._logits(graph, nodes))
