"""The exact kernel kappa between the nodes of one graph: P between all nodes, then hop by hop.

    k_h = core * (A P_{h-1} A^T + edge term),   P_h = exp(-gamma_star (1 - k_h normalised))

A holds the members of the stars. P_{h-1} and P_h are in memory as a whole; each hop reads the one
and writes the other. Balls use the same P at every hop, with other members. Of walks P_h is k_h
normalised, and P_0 stays in memory: it is the core at every hop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import effective_n_jobs

from nask.arrays import Float64, Floats, Index
from nask.compiled.lines import whole_vectors
from nask.compiled.vectors import LANES, aligned
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.nodes.edge_term import DistinctEdges
from nask.engines.nodes.rows import NodeStars, NodeWorkspace, compare_nodes, self_terms
from nask.engines.nodes.similarity import NodeSimilarity, filled_columns
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.numeric import TINY, inverse_root
from nask.stars.alike import common_labels, star_names
from nask.stars.hop_rules import HopRules
from nask.stars.members import lists_of, star_matrices
from nask.stars.spec import StarSpec

# Rows of a task: whole vectors, and so few that all threads end at about the same time.
TASK_ROWS = 8 * LANES
NO_MATRIX = np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class NodeGrams:
    """Weighted sums of kappa_h between nodes.

    Parameters
    ----------
    values : ndarray of shape (n_combinations, n_rows, n_columns)
    own : ndarray of shape (n_hops, n_nodes)
        kappa_h(v, v) of every node of the batch.
    star_self : ndarray of shape (n_hops, n_nodes)
        k_h(v, v), by which stars are normalised.
    """

    values: Floats
    own: Float64
    star_self: Float64


def node_grams(
    batch: GraphBatch,
    spec: StarSpec,
    combinations: Float64,
    execution: Execution,
    dtype: str,
    rows: Index | None = None,
    columns: Index | None = None,
) -> NodeGrams:
    """Return weighted sums of kappa_h between nodes of a batch, whose graphs count as one graph.

    Parameters
    ----------
    batch : GraphBatch
        Its node features, if any, are sparse.
    combinations : ndarray of shape (n_combinations, n_hops)
        The weight of each hop in each result.
    dtype : str
        Type of the result.
    rows, columns : ndarray of int, or None
        The nodes to compare; all by default. Half the work if both are the same object.

    Examples
    --------
    >>> import nask
    >>> kernel = nask.NodeNASK(n_hops=2)
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"colour": ["red", "blue", "red"]})
    >>> kernel.fit(path).hop_grams()[0].round(3)  # both ends are alike
    array([[1.   , 0.359, 1.   ], [0.359, 1.   , 0.359], [1.   , 0.359, 1.   ]])
    """
    n = batch.n_nodes
    edges = _distinct_edges(batch, spec)
    n_rows, n_columns = (n if nodes is None else len(nodes) for nodes in (rows, columns))
    shape = (len(combinations), n_rows, n_columns)
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize + working_bytes(batch, spec, execution)
    execution.check_memory(n_bytes, f"Comparing the nodes of a graph of {n} nodes")
    whole = rows is None and columns is None
    values, star_self = np.zeros(shape, dtype=dtype), np.zeros((spec.n_hops, n))
    nearest = [-1.0]

    def steps() -> Iterator[None]:
        width = whole_vectors(n)
        P, *others = (aligned((width, width), spec.dtype) for _ in range(_n_matrices(spec)))
        similarity = NodeSimilarity.of(batch, spec.nodes, spec.prune_cores)
        fill = partial(similarity.fill, P)
        yield from execution.run_ranges(fill, width, TASK_ROWS, float(width) ** 2)
        edge_weight = float(spec.edges.base) if spec.use_edges and edges is None else 0.0
        nodes_P = P
        for h, (nodes, edge_term) in enumerate(_stars(batch, spec, edges)):
            rules = HopRules.of(spec, h, similarity.floor)
            cores = nodes_P if rules.walk else P
            hop = NodeHop(P, cores, edge_term, edge_weight, rules, nearest)
            star_self[h] = hop.self_similarity(nodes)
            stars = nodes._replace(norm=inverse_root(star_self[h]))
            deeper = others[0] if others and h < spec.n_hops - 1 else NO_MATRIX
            a = stars if rows is None else _take(stars, rows)
            b = a if columns is rows else stars if columns is None else _take(stars, columns)
            weights = np.ascontiguousarray(combinations[:, h])
            if deeper.size and not whole:
                yield from hop.compare(stars, stars, deeper, weights[:0], values[:0], execution)
                deeper = NO_MATRIX
            yield from hop.compare(a, b, deeper, weights, values, execution)
            if others:
                # P_0 of walks is not written over.
                free = [] if rules.walk and P is cores else [P]
                P, others = others[0], [*others[1:], *free]

    # P, the hops, and each P_h that is computed apart from the result.
    n_alone = (spec.n_hops - 1) * (spec.deepens and not whole)
    n_steps = (1 + n_alone) * -(-n // TASK_ROWS) + spec.n_hops * -(-n_rows // TASK_ROWS)
    for _ in execution.track(steps(), n_steps):
        pass
    warn_of_near_stars(max(nearest), spec)
    own = (star_self >= TINY).astype(np.float64) if spec.star_norm else star_self
    return NodeGrams(values, own, star_self)


@dataclass(frozen=True, eq=False)
class NodeHop:
    """What all rows of one hop share; the parameters are those of ``compare_nodes``."""

    P: Floats
    cores: Floats
    edge_term: Floats
    edge_weight: float
    rules: HopRules
    nearest: list[float]
    """Takes the largest similarity of stars that are not alike, where rules are watched."""

    def self_similarity(self, stars: NodeStars) -> Float64:
        """Return k_h(v, v) of every star."""
        own = np.empty(len(stars.core))
        self_terms(self.P, self.cores, self.edge_term, self.edge_weight, stars, self.rules, own)
        return own

    def compare(
        self,
        a: NodeStars,
        b: NodeStars,
        deeper: Floats,
        weights: Float64,
        out: Floats,
        execution: Execution,
    ) -> Iterator[None]:
        """Add kappa_h between stars to results and write P_h; yields once per task.

        Parameters
        ----------
        deeper : ndarray
            Takes P_h, unless it is empty.
        weights : ndarray of shape (n_results,)
        out : ndarray of shape (n_results, stars of a, stars of b)
        """
        deeper = deeper.astype(self.P.dtype, copy=False)

        def rows(first: int, last: int) -> None:
            space = NodeWorkspace.of(self.P.shape[1], len(self.edge_term) > 0)
            compare_nodes(
                self.P, self.cores, self.edge_term, self.edge_weight, a, first, last, b, a is b,
                self.rules, deeper, weights, out, space,
            )  # fmt: skip
            self.nearest.append(float(space.nearest.max()))

        n_pairs = len(a.core) * float(len(b.core))
        return execution.run_ranges(rows, len(a.core), TASK_ROWS, n_pairs)


def _n_matrices(spec: StarSpec) -> int:
    """Return how many matrices of all nodes are in memory: P_{h-1}, P_h if there is one, and P_0.

    P_0 is another one than these from the second hop of a walk on.
    """
    if not spec.deepens:
        return 1
    return min(spec.n_hops, 3 if spec.expansion == "walk" else 2)


def _distinct_edges(batch: GraphBatch, spec: StarSpec) -> DistinctEdges | None:
    """Return the kinds of edges, or None where all edges are alike or do not count."""
    return DistinctEdges.of(batch) if spec.use_edges and not spec.edges.is_constant else None


def working_bytes(batch: GraphBatch, spec: StarSpec, execution: Execution) -> int:
    """Return the bytes that :func:`node_grams` needs beside its result."""
    edges = _distinct_edges(batch, spec)
    width, size = whole_vectors(batch.n_nodes), np.dtype(spec.dtype).itemsize
    n_lines = _n_matrices(spec) * width + (0 if edges is None else edges.n_lines)
    threads: int = effective_n_jobs(execution.n_jobs) * (3 if edges is None else 4) * LANES
    # Factors of the attributes that are compared in vectors, and what they are made from.
    n_dense = len(batch.nodes.numerical) + len(filled_columns(batch, spec.nodes)[0])
    return width * (n_lines * size + 8 * (threads + 6 * n_dense))


def _stars(
    batch: GraphBatch, spec: StarSpec, edges: DistinctEdges | None
) -> Iterator[tuple[NodeStars, Floats]]:
    """Yield the stars of all nodes, without norms, and the lines of their edge term, per hop."""
    node_levels, edge_levels = star_matrices(batch, spec)
    core = np.arange(batch.n_nodes)
    if spec.guarded:
        names = star_names(batch, spec)
        labels, _ = common_labels(names, names[:, :0])
    for h in range(spec.n_hops):
        if h < len(node_levels):
            members, incident = node_levels[h], edge_levels[h]
            lines = np.empty((0, 0), dtype=spec.dtype)
            line_ptr, line = np.zeros(len(core) + 1, dtype=np.int64), core[:0]
            if edges is not None:
                lines, line_ptr, line = edges.term(incident, spec)
            stars = NodeStars(
                core=core,
                member_ptr=members.indptr.astype(np.int64),
                member=members.indices.astype(np.int64),
                n_edges=np.diff(incident.indptr).astype(np.float64),
                line_ptr=line_ptr,
                line=line,
                norm=np.empty(0),
                alike=np.empty(0, dtype=np.int32),
            )
        yield (stars._replace(alike=labels[h]) if spec.guarded else stars), lines


def _take(stars: NodeStars, nodes: Index) -> NodeStars:
    member_ptr, member = lists_of(stars.member_ptr, stars.member, nodes)
    line_ptr, line = lists_of(stars.line_ptr, stars.line, nodes)
    return NodeStars(
        core=stars.core[nodes],
        member_ptr=member_ptr,
        member=member,
        n_edges=stars.n_edges[nodes],
        line_ptr=line_ptr,
        line=line,
        norm=stars.norm[nodes],
        alike=stars.alike[nodes] if len(stars.alike) else stars.alike,
    )
