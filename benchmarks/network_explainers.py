"""Explainers of torch_geometric on our own GIN: the same graphs, scores by node and attribute."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from sklearn.metrics import log_loss
from torch import Tensor, nn
from torch_geometric.explain import CaptumExplainer, Explainer, GNNExplainer, PGExplainer

import nask
from nask.arrays import Array, Float64
from nask.lab.rivals.networks.batching import Batch, GraphTensors
from nask.lab.rivals.networks.gin import GINClassifier
from nask.lab.rivals.networks.training import held_out

GNN, PG, IG, SALIENCY = "GNNExplainer", "PGExplainer", "integrated gradients", "saliency"
EXPLAINERS = (GNN, PG, IG, SALIENCY)
# As many layers as nask has hops; the learning rates are those of the paper's protocol.
LAYERS = 3
EPOCHS = {GNN: 100, PG: 30}
RATES = {GNN: 0.01, PG: 0.003}
# Training graphs of PGExplainer, each seen once per epoch.
PG_GRAPHS = 60
MODEL = {"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"}
Graphs = Sequence[nask.AttributedGraph]
Scores = dict[str, Float64]


class Unbatched(nn.Module):
    """A network of ours as torch_geometric calls networks: with rows and edges of one graph."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Logits, (1, n_classes)."""
        every = torch.arange(len(x))
        batch = Batch(x, edge_index, torch.zeros(len(x), dtype=torch.long), 1, every)
        logits: Tensor = self.network(batch)
        return logits


def fit_gin(graphs: Graphs, y: Array, max_epochs: int = 100) -> tuple[GINClassifier, Any]:
    """Train a GIN; where graphs have no attributes, on the one of three inputs that is best.

    Judged on the graphs that every network holds out, by accuracy and then by log loss. Returns
    the network, and what turns a graph into its input.
    """
    inputs: dict[str, Any] = {"as it is": lambda graph: graph}
    if not any(graph.node_attributes for graph in graphs):
        inputs |= {"a constant": _constant, "degrees by category": _degrees}
    best: Any = None
    for prepare in inputs.values():
        given = [prepare(graph) for graph in graphs]
        network = GINClassifier(n_layers=LAYERS, max_epochs=max_epochs).fit(given, y)
        codes = np.searchsorted(network.classes_, y)
        _, unseen = held_out(codes, network.random_state)
        probability = network.predict_proba([given[k] for k in unseen])
        loss = log_loss(codes[unseen], probability, labels=np.arange(len(network.classes_)))
        if best is None or (network.best_score_, -loss) > best[0]:
            best = (network.best_score_, -loss), network, prepare
    return best[1], best[2]


def _constant(graph: nask.AttributedGraph) -> nask.AttributedGraph:
    return _labelled(graph, ["node"] * graph.n_nodes)


def _degrees(graph: nask.AttributedGraph) -> nask.AttributedGraph:
    return _labelled(graph, graph.degrees().tolist())


def _labelled(graph: nask.AttributedGraph, labels: list[Any]) -> nask.AttributedGraph:
    return nask.AttributedGraph(
        graph.n_nodes, graph.edges, {"input": labels}, categorical=["input"]
    )


class NetworkExplainers:
    """All explainers of one trained GIN.

    Parameters
    ----------
    gin : GINClassifier
    graphs : sequence of AttributedGraph
        Training graphs, from which PGExplainer learns.
    epochs : dict of int, default=EPOCHS
        Of the explainers that are trained.
    """

    def __init__(self, gin: GINClassifier, graphs: Graphs, epochs: Any = None) -> None:
        self.gin, self.epochs = gin, epochs or EPOCHS
        self.network = Unbatched(gin.network_).eval()
        self.owner = _attribute_of_column(gin)
        torch.manual_seed(0)
        self._parametric = self._trained(graphs[:PG_GRAPHS])

    def explain(self, method: str, graph: nask.AttributedGraph) -> tuple[Scores, Scores]:
        """Return scores of nodes by name; of attributes of nodes, signed and absolute.

        A mask of edges gives a node the mean, or the largest, of those of its edges. The second
        result, of shape (n_nodes, n_attributes) each, is empty where an explainer has no masks of
        attributes.
        """
        x, edges = self.tensors(graph)
        if method == PG:
            target = self.network(x, edges).argmax(dim=1)
            mask = self._parametric(x, edges, target=target).edge_mask
            return by_edges(mask, edges, len(x)), {}
        by = self._masked if method == GNN else self._gradients
        scores, columns = by(method, x, edges)
        both = {"signed": columns, "absolute": np.abs(columns)}
        return scores, {kind: own @ self.owner for kind, own in both.items()}

    def _masked(self, method: str, x: Tensor, edges: Tensor) -> tuple[Scores, Float64]:
        torch.manual_seed(0)
        found = self._explainer(self._trainable(GNNExplainer), "object", "object")(x, edges)
        scores = {"nodes": _numbers(found.node_mask).sum(axis=1)}
        scores |= by_edges(found.edge_mask, edges, len(x))
        if self.owner.shape[1] == 1:
            return scores, np.zeros(x.shape)
        # Masks of attributes take a second training, which is for nothing where there is only one.
        found = self._explainer(self._trainable(GNNExplainer), "attributes", "object")(x, edges)
        columns = _numbers(found.node_mask)
        return {**scores, "attributes": columns.sum(axis=1)}, columns

    def _gradients(self, method: str, x: Tensor, edges: Tensor) -> tuple[Scores, Float64]:
        options = ("IntegratedGradients", {}) if method == IG else ("Saliency", {"abs": False})

        def explained(nodes: str | None, edge: str | None) -> Any:
            name, given = options
            return self._explainer(CaptumExplainer(name, **given), nodes, edge)(x, edges)

        columns = _numbers(explained("attributes", None).node_mask)
        mask = explained(None, "object").edge_mask
        absolute = by_edges(mask.abs(), edges, len(x))
        return {
            "nodes": columns.sum(axis=1),
            "|nodes|": np.abs(columns).sum(axis=1),
            **by_edges(mask, edges, len(x)),
            **{f"|{name}|": own for name, own in absolute.items()},
        }, columns

    def _trainable(self, kind: Any) -> Any:
        name = GNN if kind is GNNExplainer else PG
        return kind(epochs=self.epochs[name], lr=RATES[name])

    def _explainer(self, algorithm: Any, nodes: str | None, edges: str | None) -> Explainer:
        kind = "phenomenon" if isinstance(algorithm, PGExplainer) else "model"
        # A copy: masks that one explainer registers as parameters would break the next one.
        return Explainer(
            copy.deepcopy(self.network),
            algorithm,
            explanation_type=kind,
            node_mask_type=nodes,
            edge_mask_type=edges,
            model_config=MODEL,
        )

    def _trained(self, graphs: Graphs) -> Explainer:
        """PGExplainer after its training on what the network predicts."""
        explainer = self._explainer(self._trainable(PGExplainer), None, "object")
        inputs = [own for own in map(self.tensors, graphs) if own[1].numel()]
        targets = [self.network(*own).argmax(dim=1) for own in inputs]
        for epoch in range(self.epochs[PG]):
            for (x, edges), target in zip(inputs, targets, strict=True):
                explainer.algorithm.train(epoch, explainer.model, x, edges, target=target)
        return explainer

    def tensors(self, graph: nask.AttributedGraph) -> tuple[Tensor, Tensor]:
        """Return the rows of the nodes of a graph, and its edges in both directions."""
        tensors = GraphTensors.of([graph], self.gin.encoder_)
        return tensors.x, tensors.edges


def by_edges(mask: Tensor, edges: Tensor, n_nodes: int) -> dict[str, Float64]:
    """Scores of nodes from those of their directed edges; the least of all without any."""
    values, ends = _numbers(mask), edges.numpy().ravel()
    both = np.concatenate([values, values])
    least = values.min(initial=0.0)
    counts = np.bincount(ends, minlength=n_nodes)
    sums = np.bincount(ends, weights=both, minlength=n_nodes)
    largest = np.full(n_nodes, -np.inf)
    np.maximum.at(largest, ends, both)
    alone = counts == 0
    return {
        "mean edge": np.where(alone, least, sums / np.maximum(counts, 1)),
        "largest edge": np.where(alone, least, largest),
    }


def _attribute_of_column(gin: GINClassifier) -> Float64:
    """A 1 for each column of the input in the column of its attribute, in the order of names."""
    specs = gin.encoder_.schema_.nodes
    names = sorted(spec.name for spec in specs)
    owners = list(_owners(specs))
    table = np.zeros((gin.encoder_.n_columns_, max(1, len(names))))
    for column, name in enumerate(owners):
        table[column, names.index(name)] = 1.0
    return table


def _owners(specs: Sequence[Any]) -> Iterator[str]:
    """The attribute of each column: categories first, then numbers."""
    for spec in specs:
        if spec.kind == "categorical":
            yield from [spec.name] * len(spec.categories)
    for spec in specs:
        if spec.kind == "numerical":
            yield spec.name


def _numbers(mask: Tensor) -> Float64:
    return np.asarray(mask.detach().double().numpy())
