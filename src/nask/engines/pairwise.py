"""The fast exact engine for any attributes: compiled tiles, driven by joblib threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from nask.attributes.similarity import AttributeSimilarity
from nask.engines import tile
from nask.engines.contract import Engine, Execution, Prepared
from nask.graph.batch import Elements, GraphBatch
from nask.stars.members import Members, star_matrices
from nask.stars.spec import StarSpec

# Nodes across a tile: P, its successor and the attribute columns of ENZYMES then fit a 2 MB L2.
RUN_NODES = 1024
# Nodes down a block of row graphs: enough work that handing out a block costs nothing.
BLOCK_NODES = 512
# exp(+-x) is a normal number in the arithmetic's type for |x| up to this.
LARGEST_EXPONENT = {"float32": 80.0, "float64": 700.0}


@dataclass(frozen=True, eq=False)
class PairwisePrepared(Prepared):
    """A batch laid out for tiles."""

    side: tile.Side
    rules: tile.Rules


class PairwiseEngine(Engine):
    """Blocks of graphs against runs of graphs laid side by side."""

    name = "pairwise"

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PairwisePrepared:
        """Lay the batch out and find the self-similarity of every star and graph."""
        # Against itself a batch may hold values far outside the training range; against training
        # graphs such values are clipped to where they are just entirely dissimilar.
        own, own_rules = _layout(batch, spec, clip=False)
        blocks = _blocks(batch.nodes.ptr, BLOCK_NODES)
        tasks = (
            delayed(tile.compare_block)(own, *block, own, *block, own_rules, tile.OWN)
            for block in blocks
        )
        hop_self, norms = [np.empty((spec.n_hops, 0))], [own.norm[:, :0]]
        for hops, norm in _run(tasks, execution, ordered=True):
            hop_self.append(hops.diagonal(axis1=1, axis2=2))
            norms.append(norm)
        side, rules = _layout(batch, spec, clip=True)
        side = side._replace(norm=np.concatenate(norms, axis=1))
        return PairwisePrepared(batch, spec, np.concatenate(hop_self, axis=1), side, rules)

    def grams(
        self,
        rows: Prepared,
        columns: Prepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
        symmetric: bool,
    ) -> npt.NDArray[np.floating]:
        """Compare blocks of row graphs with runs of column graphs, in threads."""
        assert isinstance(rows, PairwisePrepared)
        assert isinstance(columns, PairwisePrepared)
        shape = (len(combinations), rows.batch.n_graphs, columns.batch.n_graphs)
        result = np.zeros(shape, dtype=rows.spec.dtype)
        blocks = _blocks(rows.batch.nodes.ptr, BLOCK_NODES)
        runs = _blocks(columns.batch.nodes.ptr, RUN_NODES)
        places = [(b, r) for r in runs for b in blocks if not symmetric or b[0] < r[1]]
        places.sort(key=lambda place: -_cost(rows, place[0], columns, place[1]))

        def task(block: tuple[int, int], run: tuple[int, int]) -> tuple[Any, ...]:
            pairs = tile.UPPER if symmetric else tile.ALL
            hops, _ = tile.compare_block(rows.side, *block, columns.side, *run, rows.rules, pairs)
            return block, run, np.tensordot(combinations, hops, axes=1)

        done = _run((delayed(task)(*place) for place in places), execution, ordered=False)
        for (i0, i1), (j0, j1), values in execution.track(done, len(places)):
            result[:, i0:i1, j0:j1] = values
        if symmetric:
            for gram in result:
                lower = np.tril_indices(len(gram), -1)
                gram[lower] = gram.T[lower]
        return result


def _run(tasks: Iterable[Any], execution: Execution, ordered: bool) -> Iterator[Any]:
    order = "generator" if ordered else "generator_unordered"
    run: Callable[..., Iterator[Any]] = Parallel(
        n_jobs=execution.n_jobs, prefer="threads", return_as=order
    )
    return run(tasks)


def _blocks(ptr: npt.NDArray[np.int64], n_nodes: int) -> list[tuple[int, int]]:
    """Cut the graphs into stretches of at most ``n_nodes`` nodes, one graph at least.

    Examples
    --------
    >>> _blocks(np.array([0, 30, 60, 160, 170]), 64)
    [(0, 2), (2, 3), (3, 4)]
    """
    blocks, first = [], 0
    while first < len(ptr) - 1:
        last = int(np.searchsorted(ptr, ptr[first] + n_nodes, side="right")) - 1
        last = min(max(last, first + 1), len(ptr) - 1)
        blocks.append((first, last))
        first = last
    return blocks


def _cost(rows: Prepared, block: tuple[int, int], columns: Prepared, run: tuple[int, int]) -> int:
    """Pairs of nodes in a place of the Gram matrix: the largest goes first, to balance threads."""
    a, b = rows.batch.nodes.ptr, columns.batch.nodes.ptr
    return int((a[block[1]] - a[block[0]]) * (b[run[1]] - b[run[0]]))


def _layout(batch: GraphBatch, spec: StarSpec, clip: bool) -> tuple[tile.Side, tile.Rules]:
    node_matrices, edge_matrices = star_matrices(batch, spec.n_hops, spec.expansion)
    members, incident = Members.from_matrices(node_matrices), Members.from_matrices(edge_matrices)
    nodes, node_similarity = _operand(batch.nodes, spec.nodes, spec.dtype, clip)
    edges, edge_similarity = _operand(batch.edges, spec.edges, spec.dtype, clip)
    number = np.dtype(spec.dtype).type
    side = tile.Side(
        # Copies, since a frozen array is another type to the compiler than a thawed one.
        node_ptr=batch.nodes.ptr.copy(),
        edge_ptr=batch.edges.ptr.copy(),
        nodes=nodes,
        edges=edges,
        member_ptr=members.ptr,
        member=members.index,
        incident_ptr=incident.ptr,
        incident=incident.index,
        n_incident=incident.counts().astype(spec.dtype),
        norm=np.zeros((spec.n_hops, batch.n_nodes), dtype=spec.dtype),
    )
    if not spec.use_edges:
        edge_mode = tile.NO_EDGES
    else:
        edge_mode = tile.EDGE_COUNTS if spec.edges.is_constant else tile.EDGE_ATTRIBUTES
    floors = np.array([spec.core_floor(hop) for hop in range(1, spec.n_hops + 1)])
    floors *= spec.prune_cores
    rules = tile.Rules(
        nodes=node_similarity,
        edges=edge_similarity,
        edge_mode=edge_mode,
        nested=spec.expansion == "nested",
        star_norm=spec.star_norm,
        gamma_star=number(spec.gamma_star),
        core_floor=floors.astype(spec.dtype),
        core_scale=(1 / (1 - floors)).astype(spec.dtype),
    )
    return side, rules


def _operand(
    elements: Elements, similarity: AttributeSimilarity, dtype: str, clip: bool
) -> tuple[tile.Operand, tile.Similarity]:
    """The factors p and q of each numerical attribute, and the codes of each categorical one."""
    gamma, weight = similarity.numerical_gamma, similarity.numerical_weight
    x = elements.numerical
    if clip:
        x = np.clip(x, -1.0, 2.0)
        largest = 1.5 * gamma
    else:
        largest = gamma * np.nanmax(np.abs(x - 0.5), axis=1, initial=0.0)
    wide = largest > LARGEST_EXPONENT[dtype]
    exponent = gamma[~wide, None] * (x[~wide] - 0.5)
    operand = tile.Operand(
        p=np.nan_to_num(np.exp(exponent)).astype(dtype),
        q=np.nan_to_num(np.exp(-exponent)).astype(dtype),
        wide=gamma[wide, None] * x[wide],
        codes=elements.categorical.copy(),
    )
    least = weight * np.exp(-gamma)
    gain = -similarity.categorical_weight * np.expm1(-similarity.categorical_gamma)
    parameters = tile.Similarity(
        weight=weight[~wide].astype(dtype),
        least=least[~wide].astype(dtype),
        wide_gamma=gamma[wide],
        wide_weight=weight[wide],
        wide_least=least[wide],
        gain=gain.astype(dtype),
        base=np.dtype(dtype).type(similarity.base),
    )
    return operand, parameters
