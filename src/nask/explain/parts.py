"""The parts of a decision about a graph: one per kernel, each a weighted sum over its stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nask.arrays import Float64, Index
from nask.execution.execution import Execution
from nask.explain.attribute_shares import (
    JOINT,
    AttributeShares,
    attribute_rows,
    missing_numbers,
)
from nask.explain.compared import ComparedGraph
from nask.explain.deciding import Compared, Term
from nask.explain.gram_row import centred_shares
from nask.graph.batch import GraphBatch


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

    def flow(self, execution: Execution) -> tuple[AttributeShares, Float64]:
        """The shares of attributes, and of edges, (n_edges,)."""
        stars = self.compared.stars
        across = np.repeat(self.weights, np.diff(stars.columns.batch.nodes.ptr), axis=1)
        found = stars.flow(np.ones(stars.rows.batch.n_nodes), across, execution)
        nodes = np.arange(stars.rows.batch.n_nodes)
        return AttributeShares.of(found, self.compared.kernel.schema, nodes), found.edges

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
        batch, schema = self.compared.stars.rows.batch, self.compared.kernel.schema
        rows = attribute_rows(schema)
        places = [rows[attribute]] if attribute in rows else []
        if attribute == JOINT and schema.similarity == "euclidean":
            places = list(rows.values())
        copies = batch.take(np.zeros(len(nodes), dtype=np.intp))
        where = np.arange(len(nodes)) * batch.n_nodes + nodes
        numerical, categorical = copies.nodes.numerical.copy(), copies.nodes.categorical.copy()
        missing = missing_numbers(schema)
        for kind, row in places:
            if kind == "numerical":
                numerical[row, where] = missing[row]
            else:
                categorical[row, where] = -1
        lacking = replace(copies.nodes, numerical=numerical, categorical=categorical)
        return self.decide(replace(copies, nodes=lacking), execution)


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
