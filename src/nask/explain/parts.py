"""The parts of a decision about a graph: one per kernel, each a weighted sum over its stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nask.arrays import Float64, Index
from nask.engines.pairwise.shares import Flow
from nask.exceptions import GraphError
from nask.execution.execution import Execution
from nask.explain.compared import ComparedGraph
from nask.explain.deciding import Compared, Term
from nask.explain.gram_row import centred_shares
from nask.graph.batch import GraphBatch
from nask.graph.schema import FEATURES, Schema

STRUCTURE = "structure"
"""The name of the share of nodes without any attribute: that they are there."""


@dataclass(frozen=True, eq=False)
class GraphPart:
    """What one kernel has in a decision about a graph, as sums over stars.

    Parameters
    ----------
    compared : ComparedGraph
    terms : tuple of Term
    weights : ndarray of shape (n_hops, n_graphs)
        What a unit of kappa_h with a training graph is worth.
    rest : float
        What no star has: of a Gaussian form, the decision about a graph unlike everything.
    by_item : ndarray of shape (n_graphs,)
        The share of each training graph.
    """

    compared: ComparedGraph
    terms: tuple[Term, ...]
    weights: Float64
    rest: float
    by_item: Float64

    @classmethod
    def of(cls, compared: ComparedGraph, terms: Sequence[Term]) -> GraphPart:
        """Add up the terms of a kernel."""
        n_hops, _, n_graphs = compared.sums.shape
        return cls(compared, tuple(terms), *added_up(compared, terms, (n_hops, n_graphs)))

    @property
    def hops(self) -> Float64:
        """The share of the star of each node at each hop, (n_hops, n_nodes)."""
        return np.asarray(np.einsum("hi,hvi->hv", self.weights, self.compared.sums))

    def flow(self, execution: Execution) -> tuple[dict[str, Float64], Float64]:
        """The shares of attributes, each (n_nodes,) by name, and of edges, (n_edges,)."""
        stars = self.compared.stars
        across = np.repeat(self.weights, np.diff(stars.columns.batch.nodes.ptr), axis=1)
        found = stars.flow(np.ones(stars.rows.batch.n_nodes), across, execution)
        return by_name(found, self.compared.kernel.schema), found.edges

    def decide(self, batch: GraphBatch, execution: Execution) -> Float64:
        """What the functions on the kernel decide about each graph of an encoded batch."""
        kernel = self.compared.kernel
        rows = kernel.prepare_batch(batch, execution)
        forms = [(term.on.form, term.on.unit) for term in self.terms]
        grams = kernel.grams_of_forms(rows, forms, execution)
        pairs = zip(grams, self.terms, strict=True)
        return np.asarray(np.sum([term.decide(gram) for gram, term in pairs], axis=0))

    def as_it_is(self, execution: Execution) -> float:
        """The same about the graph itself."""
        return float(self.decide(self.compared.stars.rows.batch, execution)[0])

    def without(self, attribute: str, nodes: Index, execution: Execution) -> Float64:
        """The same about the graph with an attribute missing, once for each of the nodes."""
        batch = self.compared.stars.rows.batch
        place = attribute_rows(self.compared.kernel.schema).get(attribute)
        copies = batch.take(np.zeros(len(nodes), dtype=np.intp))
        if place is not None:
            kind, row = place
            where = np.arange(len(nodes)) * batch.n_nodes + nodes
            values = getattr(copies.nodes, kind).copy()
            values[row, where] = np.nan if kind == "numerical" else -1
            copies = replace(copies, nodes=replace(copies.nodes, **{kind: values}))
        return self.decide(copies, execution)


def added_up(
    compared: Compared, terms: Sequence[Term], shape: tuple[int, int]
) -> tuple[Float64, float, Float64]:
    """Add up the terms of a kernel.

    Parameters
    ----------
    compared : Compared
    terms : sequence of Term
    shape : (int, int)
        Number of hops, and of training items.

    Returns
    -------
    weights : ndarray of that shape
        What a unit of kappa_h with an item is worth.
    rest : float
        What no star has.
    by_item : ndarray of shape (n_items,)
        The share of each item.
    """
    weights, by_item, rest = np.zeros(shape), np.zeros(shape[1]), 0.0
    for on, _, coefficients in terms:
        row = compared.row(on.form, on.unit)
        weights += np.outer(on.form.hop_weights, coefficients * row.slope)
        by_item += centred_shares(coefficients, row)
        rest += float(coefficients @ row.rest)
    return weights, rest, by_item


def by_name(found: Flow, schema: Schema) -> dict[str, Float64]:
    """The shares of attributes, each (n_nodes,), by name."""
    rows = (*found.numerical, *found.categorical)
    shares = dict(zip(attribute_rows(schema), rows, strict=True))
    constant = constant_name(schema)
    if constant is not None:
        shares[constant] = found.constant
    return shares


def attribute_rows(schema: Schema) -> dict[str, tuple[str, int]]:
    """Where the values of each attribute of nodes are: the array of ``Elements``, and its row.

    Columns of node features are the last numerical attributes. Attributes without any training
    value are nowhere.

    Examples
    --------
    >>> import nask
    >>> pair = nask.AttributedGraph(2, node_attributes={"atom": ["C", "N"], "charge": [0.0, 1.0]})
    >>> attribute_rows(Schema.fit([pair]))
    {'charge': ('numerical', 0), 'atom': ('categorical', 0)}
    """
    numbers = [spec.name for spec in schema.nodes if spec.kind == "numerical"]
    columns = [f"{FEATURES}[{column}]" for column in range(len(schema.features))]
    for name in columns:
        if any(spec.name == name for spec in schema.nodes):
            raise GraphError(
                f"The graphs have node_features, a column of which is called {name!r} in "
                "explanations, and also a node attribute of that name. Rename the attribute."
            )
    numbers += columns
    categories = [spec.name for spec in schema.nodes if spec.kind == "categorical"]
    return {
        name: (kind, row)
        for kind, names in (("numerical", numbers), ("categorical", categories))
        for row, name in enumerate(names)
    }


def constant_name(schema: Schema) -> str | None:
    """The name of the share that no value has: of attributes that training graphs had none of."""
    if not schema.nodes and not schema.features:
        return STRUCTURE
    return " and ".join(spec.name for spec in schema.nodes if spec.kind == "missing") or None
