"""The fast exact engine for any attributes: compiled tiles, driven by joblib threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs

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
    """A batch with the members of its stars and their norms 1 / sqrt(k_h(v, v))."""

    members: Members
    incident: Members
    norm: npt.NDArray[np.float64]


class PairwiseEngine(Engine[PairwisePrepared]):
    """Blocks of graphs against runs of graphs laid side by side."""

    name = "pairwise"

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PairwisePrepared:
        """Find the self-similarity of every star and graph."""
        nodes, edges = star_matrices(batch, spec.n_hops, spec.expansion)
        prepared = PairwisePrepared(
            batch,
            spec,
            np.zeros((spec.n_hops, batch.n_graphs)),
            Members.from_matrices(nodes),
            Members.from_matrices(edges),
            np.zeros((spec.n_hops, batch.n_nodes)),
        )
        (side, _), rules = _layout(prepared, prepared)
        blocks = _blocks(batch.nodes.ptr, BLOCK_NODES)
        tiles = max((_n_working(side, *b, side, *b, rules) for b in blocks), default=0)
        _check_tiles(execution, tiles, np.empty(0, dtype=spec.dtype))
        tasks = (delayed(_compare)(side, block, side, block, rules, tile.OWN) for block in blocks)
        for (i0, i1), (hops, norm) in zip(blocks, _run(tasks, execution, True), strict=True):
            prepared.hop_self[:, i0:i1] = hops.diagonal(axis1=1, axis2=2)
            prepared.norm[:, batch.nodes.ptr[i0] : batch.nodes.ptr[i1]] = norm
        return prepared

    def grams(
        self,
        rows: PairwisePrepared,
        columns: PairwisePrepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
    ) -> npt.NDArray[np.floating]:
        """Compare blocks of row graphs with runs of column graphs, in threads."""
        symmetric = columns is rows
        (a, b), rules = _layout(rows, columns)
        shape = (len(combinations), rows.batch.n_graphs, columns.batch.n_graphs)
        result = np.zeros(shape, dtype=rows.spec.dtype)
        blocks = _blocks(rows.batch.nodes.ptr, BLOCK_NODES)
        runs = _blocks(columns.batch.nodes.ptr, RUN_NODES)
        places = [(b, r) for r in runs for b in blocks if not symmetric or b[0] < r[1]]
        places.sort(key=lambda place: -_cost(rows, place[0], columns, place[1]))
        tiles = max((_n_working(a, *p[0], b, *p[1], rules) for p in places), default=0)
        _check_tiles(execution, tiles, result)

        def task(block: tuple[int, int], run: tuple[int, int]) -> tuple[Any, ...]:
            pairs = tile.UPPER if symmetric else tile.ALL
            hops, _ = _compare(a, block, b, run, rules, pairs)
            return block, run, np.tensordot(combinations, hops, axes=1)

        done = _run((delayed(task)(*place) for place in places), execution, ordered=False)
        for (i0, i1), (j0, j1), values in execution.track(done, len(places)):
            result[:, i0:i1, j0:j1] = values
        if symmetric:
            for gram in result:
                for i in range(1, len(gram)):
                    gram[i, :i] = gram[:i, i]
        return result


def _compare(
    a: tile.Side,
    block: tuple[int, int],
    b: tile.Side,
    run: tuple[int, int],
    rules: tile.Rules,
    pairs: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Compare a block of row graphs with a run of column graphs: hops x rows x columns.

    The second array holds the norms of the stars of the block if ``pairs`` is OWN.
    """
    (i0, i1), (j0, j1), n_hops = block, run, len(a.norm)
    space = np.empty(_n_working(a, i0, i1, b, j0, j1, rules), dtype=a.nodes.p.dtype)
    m, m_edges = (int(ptr[j1] - ptr[j0]) for ptr in (b.node_ptr, b.edge_ptr))
    lines = np.empty(2 * m + m_edges)
    out = np.zeros((n_hops, i1 - i0, j1 - j0))
    n_norms = int(a.node_ptr[i1] - a.node_ptr[i0]) if pairs == tile.OWN else 0
    own_norms = np.zeros((n_hops, n_norms))
    tile.compare(a, i0, i1, b, j0, j1, rules, pairs, space, lines, out, own_norms)
    return out, own_norms


def _n_working(
    a: tile.Side, i0: int, i1: int, b: tile.Side, j0: int, j1: int, rules: tile.Rules
) -> int:
    """Numbers of working memory for the largest tile of a block and a run."""
    n, n_edges = (int(np.diff(ptr[i0 : i1 + 1]).max()) for ptr in (a.node_ptr, a.edge_ptr))
    m, m_edges = (int(ptr[j1] - ptr[j0]) for ptr in (b.node_ptr, b.edge_ptr))
    return 3 * n * m + n_edges * m_edges if rules.edge_attributes else 2 * n * m


def _check_tiles(execution: Execution, n_numbers: int, result: npt.NDArray[Any]) -> None:
    workers = effective_n_jobs(execution.n_jobs)
    execution.check_memory(
        result.nbytes + workers * n_numbers * result.itemsize,
        f"Comparing these graphs, with a tile for each of {workers} threads,",
    )


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


def _layout(
    rows: PairwisePrepared, columns: PairwisePrepared
) -> tuple[tuple[tile.Side, tile.Side], tile.Rules]:
    """Two batches as the rows and the columns of tiles, and the rules for comparing them."""
    spec = rows.spec
    nodes = Exponents.of(spec.nodes, spec.dtype, rows.batch.nodes, columns.batch.nodes)
    edges = Exponents.of(spec.edges, spec.dtype, rows.batch.edges, columns.batch.edges)
    a = _side(rows, nodes, edges)
    b = a if columns is rows else _side(columns, nodes, edges)
    alike = spec.edges.is_constant
    number = np.dtype(spec.dtype).type
    floors = np.zeros(spec.n_hops)
    if spec.prune_cores:
        floors[:] = number(spec.nodes.floor)
        if spec.expansion == "nested":
            floors[1:] = number(tile.star_floor(spec.gamma_star))
    rules = tile.Rules(
        nodes=nodes.similarity(),
        edges=edges.similarity(),
        edge_attributes=spec.use_edges and not alike,
        edge_count_weight=spec.edges.base if spec.use_edges and alike else 0.0,
        nested=spec.expansion == "nested",
        star_norm=spec.star_norm,
        gamma_star=spec.gamma_star,
        core_floor=floors,
        core_scale=1 / spec.core_spreads() if spec.prune_cores else np.ones(spec.n_hops),
    )
    return (a, b), rules


def _side(prepared: PairwisePrepared, nodes: Exponents, edges: Exponents) -> tile.Side:
    batch = prepared.batch
    return tile.Side(
        # Copies, since a frozen array is another type to the compiler than a thawed one.
        node_ptr=batch.nodes.ptr.copy(),
        edge_ptr=batch.edges.ptr.copy(),
        nodes=nodes.operand(batch.nodes),
        edges=edges.operand(batch.edges),
        member_ptr=prepared.members.ptr,
        member=prepared.members.index,
        incident_ptr=prepared.incident.ptr,
        incident=prepared.incident.index,
        n_incident=prepared.incident.counts().astype(np.float64),
        norm=prepared.norm,
    )


@dataclass(frozen=True, eq=False)
class Exponents:
    """How the numerical attributes of two batches are compared: by factors, or one by one.

    The factors exp(+-gamma (x - 1/2)) overflow where gamma is huge or a value is far outside the
    training range. Such attributes are "wide" and compared one exponential at a time.
    """

    parameters: AttributeSimilarity
    dtype: str
    wide: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, parameters: AttributeSimilarity, dtype: str, *sides: Elements) -> Exponents:
        """Decide for the values that occur."""
        largest = [np.nanmax(np.abs(x.numerical - 0.5), axis=1, initial=0.0) for x in sides]
        wide = np.max(largest, axis=0) > LARGEST_EXPONENT[dtype] / parameters.numerical_gamma
        return cls(parameters, dtype, wide)

    def operand(self, elements: Elements) -> tile.Operand:
        """The factors p and q of numerical attributes, and the codes of categorical ones."""
        gamma, x = self.parameters.numerical_gamma[:, None], elements.numerical
        exponent = gamma[~self.wide] * (x[~self.wide] - 0.5)
        return tile.Operand(
            p=np.nan_to_num(np.exp(exponent)).astype(self.dtype),
            q=np.nan_to_num(np.exp(-exponent)).astype(self.dtype),
            wide=x[self.wide],
            codes=elements.categorical.copy(),
        )

    def similarity(self) -> tile.Similarity:
        """The parameters of P in the same order."""
        given, wide, dtype = self.parameters, self.wide, self.dtype
        gamma, weight = given.numerical_gamma, given.numerical_weight
        least = weight * np.exp(-gamma)
        gain = -given.categorical_weight * np.expm1(-given.categorical_gamma)
        return tile.Similarity(
            weight=weight[~wide].astype(dtype),
            least=least[~wide].astype(dtype),
            wide_gamma=gamma[wide],
            wide_weight=weight[wide],
            wide_least=least[wide],
            gain=gain.astype(dtype),
            base=np.dtype(dtype).type(given.base),
        )
