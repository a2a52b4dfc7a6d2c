"""The exact engine for balls and few distinct values: the Gram matrix is a matrix product.

    Gram matrix = F_h (C_core tensor C_members) F'_h^T

phi and psi are the feature maps of P between nodes and between edges
(``attributes/feature_map.py``), R_h and Q_h the nodes and edges of the balls. The vector of a star
at hop h is phi(v) tensor [(R_h phi)(v), (Q_h psi)(v)]; that of a graph, a row of F_h, is the sum
over its stars. C holds the similarities of the values of two batches. C_members is multiplied into
one of the factors, C_core into the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nask.arrays import Float64, Floats, Index, Positions
from nask.attributes.feature_map import FeatureMap
from nask.engines.contract import Engine, Prepared
from nask.engines.explicit.column_product import ColumnProduct
from nask.engines.explicit.mapped_graphs import MappedGraphs, grouped
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.numeric import inverse_root
from nask.stars.members import star_matrices
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# Numbers of a product computed at once: 2 MB, so that they are still in the cache when added.
TILE_NUMBERS = 250_000


@dataclass(frozen=True, eq=False)
class Maps:
    """The feature maps of cores, and of members that are nodes or edges."""

    core: FeatureMap
    nodes: FeatureMap
    edges: FeatureMap

    @classmethod
    def of(cls, batch: GraphBatch, spec: StarSpec) -> Maps:
        """Return the maps of the elements of a batch."""
        nodes = FeatureMap.of(batch.nodes, spec.nodes)
        core = nodes.pruned(spec.nodes) if spec.prune_cores else nodes
        edges = FeatureMap.of(batch.edges, spec.edges) if spec.use_edges else FeatureMap([])
        return cls(core, nodes, edges)

    def take(self, nodes: Index, edges: Index) -> Maps:
        """Return the maps of some nodes and edges."""
        return Maps(self.core.take(nodes), self.nodes.take(nodes), self.edges.take(edges))

    @property
    def members(self) -> FeatureMap:
        """The slots of nodes, then those of edges."""
        return FeatureMap([*self.nodes.slots, *self.edges.slots])


@dataclass(frozen=True, eq=False)
class ExplicitPrepared(Prepared):
    """A batch with its feature maps, and its graphs as vectors."""

    maps: Maps
    mapped: MappedGraphs

    def take(self, graphs: Positions) -> ExplicitPrepared:
        """Return the prepared batch of some graphs; the maps keep the values of all graphs."""
        nodes, edges = self.batch.elements_of(graphs)
        return ExplicitPrepared(
            self.batch.take(graphs),
            self.spec,
            self.hop_self.take(graphs, axis=1),
            self.maps.take(nodes, edges),
            self.mapped.take(graphs),
        )


class ExplicitEngine(Engine[ExplicitPrepared]):
    """Graphs as finite vectors, multiplied with each other."""

    name = "explicit"

    @staticmethod
    def applies(spec: StarSpec) -> bool:
        """Tell whether k_h depends on P alone, and P is a sum over values.

        The one is so for balls, and for stars of one hop; the other unless P is joint.
        """
        return (spec.expansion == "ball" or spec.n_hops == 1) and not spec.joint

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> ExplicitPrepared:
        """Compute the vector of every graph at every hop."""
        maps = Maps.of(batch, spec)
        phi, slots = maps.core.matrix(), maps.members.slots
        core_self = np.asarray(phi.power(2).sum(axis=1)).ravel()
        ptr, core, cores = grouped(batch.nodes.ptr, phi)
        matrices = [slot.matrix() for slot in slots]
        n_bytes, tables = 0, []
        for levels in zip(*star_matrices(batch, spec), strict=True):
            # One membership matrix per slot: those of nodes, then those of edges.
            sizes = (len(maps.nodes.slots), len(maps.edges.slots))
            of_slots = [level for level, n in zip(levels, sizes, strict=True) for _ in range(n)]
            members = [_sums(*pair) for pair in zip(of_slots, matrices, strict=True)]
            stars = cores
            if spec.star_norm:
                pairs = zip(slots, members, strict=True)
                own = core_self * np.sum([slot.squared_norms(x) for slot, x in pairs], axis=0)
                stars = cores @ sparse.diags_array(inverse_root(own), format="csr")
            tables.append(sparse.hstack([stars @ sums for sums in members], format="csr"))
            n_bytes += tables[-1].data.nbytes + tables[-1].indices.nbytes
            execution.check_memory(n_bytes, "The vectors of these graphs")
        mapped = MappedGraphs(ptr, core, phi.shape[1], tables)
        hop_self = [
            np.asarray(a.multiply(b).sum(axis=1)).ravel()
            for a, b in _factors(maps, mapped, maps, mapped)
        ]
        return ExplicitPrepared(batch, spec, np.array(hop_self), maps, mapped)

    def grams(
        self,
        rows: ExplicitPrepared,
        columns: ExplicitPrepared,
        combinations: Float64,
        execution: Execution,
        window: Window,
    ) -> Floats:
        """Multiply the vectors of the graphs of the window, hop by hop."""
        symmetric = columns is rows and window.on_diagonal
        (n, m), dtype = window.shape, rows.spec.dtype
        step = max(1, TILE_NUMBERS // max(m, 1))
        n_compared = rows.maps.members.n_compared(columns.maps.members)
        # Of a tile: the product, its multiple and a sparse one.
        n_numbers = len(combinations) * n * m + 4 * min(step, n) * m
        n_bytes = np.dtype(dtype).itemsize * n_numbers + 24 * n_compared
        what = f"A Gram matrix of {n} x {m} graphs, with their vectors,"
        execution.check_memory(n_bytes, what)
        a, b = rows.mapped.within(window.rows), columns.mapped.within(window.columns)
        factors = _factors(rows.maps, a, columns.maps, b)
        products = [ColumnProduct.of(*pair, dtype) for pair in factors]
        n_bytes += sum(product.sparse_bytes for product in products)
        n_bytes += max(product.dense_bytes for product in products)
        execution.check_memory(n_bytes, what)
        result = np.zeros((len(combinations), n, m), dtype=dtype)
        hops = list(zip(combinations.T, products, strict=True))
        for weights, product in execution.track(hops, len(hops)):
            for left, right in product.terms():
                for first in range(0, n, step):
                    tile = slice(first, first + step), slice(first if symmetric else 0, m)
                    values = _dense(left[tile[0]] @ right[tile[1]].T)
                    for k in np.flatnonzero(weights):
                        result[k][tile] += float(weights[k]) * values
        if symmetric:
            _mirror(result, step)
        return result


def _sums(membership: sparse.csr_array, matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the sums of phi over the members of each star."""
    if matrix.shape[1] == 1 and matrix.nnz == matrix.shape[0] > 0:
        # All elements are alike: count them.
        return sparse.csr_array(matrix.data[0] * np.diff(membership.indptr)[:, None])
    return membership @ matrix


def _factors(
    a_maps: Maps, a: MappedGraphs, b_maps: Maps, b: MappedGraphs
) -> list[tuple[sparse.csr_array, sparse.csr_array]]:
    """Return one pair of matrices per hop whose product x y^T is the Gram matrix.

    Their columns are pairs of a value of cores of ``a`` and a value of members of ``b``.
    """
    a = a.with_members(a_maps.members.similarities(b_maps.members))
    b = b.with_cores(b_maps.core.similarities(a_maps.core))
    return [(a.flat(h), b.flat(h)) for h in range(len(a.tables))]


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if sparse.issparse(product) else product)


def _mirror(result: Floats, step: int) -> None:
    """Copy the tiles above the diagonal to below it, and make those on the diagonal symmetric."""
    for gram in result:
        for first in range(0, len(gram), step):
            tile, rest = slice(first, first + step), slice(first + step, None)
            gram[rest, tile] = gram[tile, rest].T
            square = gram[tile, tile]
            gram[tile, tile] = (square + square.T) / 2
