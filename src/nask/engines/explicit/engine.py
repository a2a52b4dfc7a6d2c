"""Explicit features for balls: the Gram matrix is a matrix product.

With phi the finite feature map of P (``attributes/feature_map.py``), R_h and Q_h the members of
the balls, a star's feature at hop h is phi(v) tensor [(R_h phi)(v), (Q_h psi)(v)], a graph's the
sum F_h over its stars. Between two batches, with C the similarities of their values, the Gram
matrix is F_h (C_core tensor C_members) F'_h^T: one factor gets C_members, the other C_core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.arrays import Index, Positions
from nask.attributes.feature_map import FeatureMap
from nask.engines.contract import Engine, Prepared
from nask.engines.explicit.column_product import ColumnProduct
from nask.engines.explicit.star_features import StarFeatures, grouped
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.numeric import inverse_root
from nask.stars.members import star_matrices
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# Numbers of a product computed at a time: 2 MB, so that adding them up stays in the cache.
BLOCK_NUMBERS = 250_000


@dataclass(frozen=True, eq=False)
class Maps:
    """Feature maps of the core and of the members, nodes and edges."""

    core: FeatureMap
    nodes: FeatureMap
    edges: FeatureMap

    @classmethod
    def of(cls, batch: GraphBatch, spec: StarSpec) -> Maps:
        """Map the elements of a batch."""
        nodes = FeatureMap.of(batch.nodes, spec.nodes)
        core = nodes.pruned(spec.nodes) if spec.prune_cores else nodes
        edges = FeatureMap.of(batch.edges, spec.edges) if spec.use_edges else FeatureMap([])
        return cls(core, nodes, edges)

    def take(self, nodes: Index, edges: Index) -> Maps:
        """The maps of some of the elements."""
        return Maps(self.core.take(nodes), self.nodes.take(nodes), self.edges.take(edges))

    @property
    def members(self) -> FeatureMap:
        """The slots of nodes, then those of edges."""
        return FeatureMap([*self.nodes.slots, *self.edges.slots])


@dataclass(frozen=True, eq=False)
class ExplicitPrepared(Prepared):
    """A batch as features, with the values they stand for."""

    maps: Maps
    features: StarFeatures

    def take(self, graphs: Positions) -> ExplicitPrepared:
        """Some of the graphs; the maps keep the values of all."""
        nodes, edges = self.batch.elements_of(graphs)
        return ExplicitPrepared(
            self.batch.take(graphs),
            self.spec,
            self.hop_self.take(graphs, axis=1),
            self.maps.take(nodes, edges),
            self.features.take(graphs),
        )


class ExplicitEngine(Engine[ExplicitPrepared]):
    """Finite feature maps."""

    name = "explicit"

    @staticmethod
    def applies(spec: StarSpec) -> bool:
        """Tell whether P alone decides a star: balls, or stars of one hop, which are the same."""
        return spec.expansion == "ball" or spec.n_hops == 1

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> ExplicitPrepared:
        """Compute the features of every graph at every hop."""
        maps = Maps.of(batch, spec)
        phi, slots = maps.core.matrix(), maps.members.slots
        core_self = np.asarray(phi.power(2).sum(axis=1)).ravel()
        ptr, core, cores = grouped(batch.nodes.ptr, phi)
        matrices = [slot.matrix() for slot in slots]
        n_bytes, tables = 0, []
        for levels in zip(*star_matrices(batch, spec.n_hops, "ball"), strict=True):
            # Nodes and edges as often as their maps have slots.
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
            execution.check_memory(n_bytes, "The features of these graphs")
        features = StarFeatures(ptr, core, phi.shape[1], tables)
        hop_self = [
            np.asarray(a.multiply(b).sum(axis=1)).ravel()
            for a, b in _factors(maps, features, maps, features)
        ]
        return ExplicitPrepared(batch, spec, np.array(hop_self), maps, features)

    def grams(
        self,
        rows: ExplicitPrepared,
        columns: ExplicitPrepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
        window: Window,
    ) -> npt.NDArray[np.floating]:
        """Multiply the features of the graphs of the window, hop by hop."""
        symmetric = columns is rows and window.on_diagonal
        (n, m), dtype = window.shape, rows.spec.dtype
        step = max(1, BLOCK_NUMBERS // max(m, 1))
        n_compared = rows.maps.members.n_compared(columns.maps.members)
        # Of a block, the product, its multiple and a sparse one.
        n_numbers = len(combinations) * n * m + 4 * min(step, n) * m
        n_bytes = np.dtype(dtype).itemsize * n_numbers + 24 * n_compared
        what = f"A Gram matrix of {n} x {m} graphs, with their features,"
        execution.check_memory(n_bytes, what)
        a, b = rows.features.within(window.rows), columns.features.within(window.columns)
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
                    block = slice(first, first + step), slice(first if symmetric else 0, m)
                    values = _dense(left[block[0]] @ right[block[1]].T)
                    for k in np.flatnonzero(weights):
                        result[k][block] += float(weights[k]) * values
        if symmetric:
            _mirror(result, step)
        return result


def _sums(membership: sparse.csr_array, matrix: sparse.csr_array) -> sparse.csr_array:
    """Sums of features over the members of each star."""
    if matrix.shape[1] == 1 and matrix.nnz == matrix.shape[0] > 0:
        # All elements are alike: count them.
        return sparse.csr_array(matrix.data[0] * np.diff(membership.indptr)[:, None])
    return membership @ matrix


def _factors(
    a_maps: Maps, a: StarFeatures, b_maps: Maps, b: StarFeatures
) -> list[tuple[sparse.csr_array, sparse.csr_array]]:
    """Matrices of graphs x features, a pair for each hop, whose product is the Gram matrix.

    Their features are pairs of a value of the core of ``a`` and a value of the members of ``b``.
    """
    a = a.with_members(a_maps.members.similarities(b_maps.members))
    b = b.with_cores(b_maps.core.similarities(a_maps.core))
    return [(a.flat(h), b.flat(h)) for h in range(len(a.tables))]


def _dense(product: Any) -> npt.NDArray[np.floating]:
    return np.asarray(product.toarray() if sparse.issparse(product) else product)


def _mirror(result: npt.NDArray[np.floating], step: int) -> None:
    """Copy what is above the blocks on the diagonal to below, and make these symmetric."""
    for gram in result:
        for first in range(0, len(gram), step):
            block, rest = slice(first, first + step), slice(first + step, None)
            gram[rest, block] = gram[block, rest].T
            square = gram[block, block]
            gram[block, block] = (square + square.T) / 2
