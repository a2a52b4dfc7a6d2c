"""Explicit features for balls on categorical attributes: one matrix product makes the Gram.

With phi the finite feature map of P (a constant and a one-hot block for each attribute), R_h and
Q_h the members of the balls, a star's feature at hop h is phi(v) tensor [(R_h phi)(v), (Q_h
psi)(v)], a graph's the sum over its stars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.attributes.similarity import AttributeSimilarity
from nask.engines.contract import Engine, Execution, Prepared
from nask.graph.batch import Elements, GraphBatch
from nask.numeric import inverse_root
from nask.stars.members import star_matrices
from nask.stars.spec import StarSpec

# Features are multiplied as dense matrices up to this size, as sparse ones beyond.
DENSE_BYTES = 500_000_000


@dataclass(frozen=True, eq=False)
class ExplicitPrepared(Prepared):
    """A batch as features: one sparse matrix, graphs x features, for each hop.

    A feature is a pair of one of the core and one of the members, in that order of counting.
    """

    features: list[sparse.csr_array]
    core_sizes: list[int]
    member_sizes: list[int]


class ExplicitEngine(Engine[ExplicitPrepared]):
    """Finite feature maps."""

    name = "explicit"

    @staticmethod
    def applies(spec: StarSpec) -> bool:
        """Tell whether the kernel has a finite feature map here.

        It takes balls, or stars of one hop, which are the same, and no numerical attribute.
        """
        numerical = len(spec.nodes.numerical_gamma)
        if spec.use_edges:
            numerical += len(spec.edges.numerical_gamma)
        return numerical == 0 and (spec.expansion == "ball" or spec.n_hops == 1)

    @staticmethod
    def n_features(spec: StarSpec) -> int:
        """Number of features of a graph at each hop."""
        nodes, edges = (1 + int(s.n_categories.sum()) for s in (spec.nodes, spec.edges))
        return nodes * (nodes + edges * spec.use_edges)

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> ExplicitPrepared:
        """Compute the features of every graph at every hop."""
        phi = OneHot.of(batch.nodes, spec.nodes)
        core = OneHot.of(batch.nodes, spec.nodes, pruned=spec.prune_cores)
        maps = [phi]
        memberships, incidences = star_matrices(batch, spec.n_hops, "ball")
        levels = [[membership @ phi.matrix()] for membership in memberships]
        if spec.use_edges:
            psi = OneHot.of(batch.edges, spec.edges)
            maps.append(psi)
            for level, incidence in zip(levels, incidences, strict=True):
                level.append(incidence @ psi.matrix())
        hop_self = np.zeros((spec.n_hops, batch.n_graphs))
        features = []
        for h, level in enumerate(levels):
            members = sparse.csr_array(sparse.hstack(level))
            if spec.star_norm:
                members = _normalised(members, core.squared_norms())
            features.append(core.times(members, batch.nodes.ptr))
            hop_self[h] = _squared_norms(features[h])
        member_sizes = [size for one_hot in maps for size in one_hot.sizes]
        return ExplicitPrepared(batch, spec, hop_self, features, core.sizes, member_sizes)

    def grams(
        self,
        rows: ExplicitPrepared,
        columns: ExplicitPrepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
    ) -> npt.NDArray[np.floating]:
        """Multiply the features, hop by hop."""
        shape = (len(combinations), rows.batch.n_graphs, columns.batch.n_graphs)
        result = np.zeros(shape, dtype=rows.spec.dtype)
        core_sizes = np.maximum(rows.core_sizes, columns.core_sizes)
        member_sizes = np.maximum(rows.member_sizes, columns.member_sizes)
        a_features, b_features = (
            _widened(side, core_sizes, member_sizes) for side in (rows, columns)
        )
        hops = list(zip(combinations.T, a_features, b_features, strict=True))
        for weights, a, b in execution.track(hops, len(hops)):
            product = _product(a.astype(rows.spec.dtype), b.astype(rows.spec.dtype))
            for k in np.flatnonzero(weights):
                result[k] += weights[k] * product
        return result


@dataclass(frozen=True, eq=False)
class OneHot:
    """The feature map of P: in each slot an element has one non-zero feature, or none.

    Parameters
    ----------
    codes : list of ndarray
        By slot, which feature each element has; negative for none. The first slot is the
        constant, the others are the categorical attributes.
    sizes : list of int
        By slot, the number of features. A batch with categories unseen in training has more.
    values : list of float
        By slot, the value of the non-zero feature.
    """

    codes: list[npt.NDArray[np.int32]]
    sizes: list[int]
    values: list[float]

    @classmethod
    def of(
        cls, elements: Elements, similarity: AttributeSimilarity, pruned: bool = False
    ) -> OneHot:
        """Map P of a batch or, pruned, the core factor (P - floor) / (1 - floor)."""
        floor, spread = (similarity.floor, similarity.spread) if pruned else (0.0, 1.0)
        gains = -similarity.categorical_weight * np.expm1(-similarity.categorical_gamma)
        seen = elements.categorical.max(axis=1, initial=-1) + 1
        return cls(
            [np.zeros(len(elements), dtype=np.int32), *elements.categorical],
            [1, *np.maximum(similarity.n_categories, seen).tolist()],
            [float(np.sqrt(value / spread)) for value in (similarity.base - floor, *gains)],
        )

    def matrix(self) -> sparse.csr_array:
        """The features, elements x features."""
        blocks = [
            _indicator(np.flatnonzero(code >= 0), code[code >= 0], value, (len(code), size))
            for code, size, value in zip(self.codes, self.sizes, self.values, strict=True)
        ]
        return sparse.csr_array(sparse.hstack(blocks))

    def squared_norms(self) -> npt.NDArray[np.float64]:
        """P of each element with itself."""
        slots = zip(self.codes, self.values, strict=True)
        return np.asarray(np.sum([value**2 * (code >= 0) for code, value in slots], axis=0))

    def times(self, other: sparse.csr_array, ptr: npt.NDArray[np.int64]) -> sparse.csr_array:
        """Tensor products with the rows of another matrix, summed over each graph.

        In each slot, the sum over the elements of one graph and one category is one row of a
        product with an indicator matrix.
        """
        n_graphs = len(ptr) - 1
        graph = np.repeat(np.arange(n_graphs), np.diff(ptr))
        blocks = []
        for code, size, value in zip(self.codes, self.sizes, self.values, strict=True):
            has = np.flatnonzero(code >= 0)
            shape = (n_graphs * size, len(code))
            sums = _indicator(graph[has] * size + code[has], has, value, shape) @ other
            blocks.append(sums.reshape((n_graphs, size * other.shape[1])))
        return sparse.csr_array(sparse.hstack(blocks))


def _indicator(
    rows: npt.NDArray[np.integer],
    columns: npt.NDArray[np.integer],
    value: float,
    shape: tuple[int, int],
) -> sparse.csr_array:
    return sparse.csr_array((np.full(len(rows), value), (rows, columns)), shape=shape)


def _squared_norms(matrix: sparse.csr_array) -> npt.NDArray[np.float64]:
    return np.asarray(matrix.power(2).sum(axis=1), dtype=np.float64).ravel()


def _normalised(members: sparse.csr_array, core_self: npt.NDArray[np.float64]) -> sparse.csr_array:
    """Scale each star by 1 / sqrt(k(v, v)), and to 0 where that is 1 / 0."""
    scale = inverse_root(core_self * _squared_norms(members))
    return sparse.csr_array(sparse.diags_array(scale) @ members)


def _widened(
    prepared: ExplicitPrepared,
    core_sizes: npt.NDArray[np.int64],
    member_sizes: npt.NDArray[np.int64],
) -> list[sparse.csr_array]:
    """The features laid out in slots of these sizes, so that two batches have the same."""
    core = _places(prepared.core_sizes, core_sizes)
    member = _places(prepared.member_sizes, member_sizes)
    width = int(member_sizes.sum())
    places = (core[:, None] * width + member[None, :]).ravel()
    shape = (prepared.batch.n_graphs, int(core_sizes.sum()) * width)
    return [
        sparse.csr_array((matrix.data, places[matrix.indices], matrix.indptr), shape=shape)
        for matrix in prepared.features
    ]


def _places(sizes: Sequence[int], wider: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where each feature goes when its slot is widened.

    Examples
    --------
    >>> _places([1, 2], np.array([1, 3])), _places([2, 1], np.array([4, 1]))
    (array([0, 1, 2]), array([0, 1, 4]))
    """
    starts = np.cumsum(wider) - wider
    return np.concatenate([start + np.arange(n) for start, n in zip(starts, sizes, strict=True)])


def _product(a: sparse.csr_array, b: sparse.csr_array) -> npt.NDArray[np.floating]:
    dense = (a.shape[0] + b.shape[0]) * a.shape[1] * a.dtype.itemsize <= DENSE_BYTES
    return np.asarray(a.toarray() @ b.toarray().T if dense else (a @ b.T).toarray())
