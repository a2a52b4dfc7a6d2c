"""Random features of stars, hop by hop: linear in nodes and edges, without a Gram matrix.

Every node gets a vector z_0 whose products are P on average (``embedding``), its star one whose
products are k_1 (``star_sketch``), from that a vector z_1 for P_1, and so on. Nothing that is
computed for a node depends on what other graphs are in the batch, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import delayed

from nask.attributes.random_map import Columns, RandomMap
from nask.engines.compiled.vectors import LANES
from nask.engines.sketch import star_sketch
from nask.engines.sketch.embedding import Values, embed, embedding_space
from nask.engines.sketch.star_sketch import SCALARS, SketchRules, Stars, Turns
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.stars.members import Members, star_matrices, star_pattern
from nask.stars.spec import StarSpec

# Nodes or edges of a task: whole vectors, and enough work that handing it out costs nothing.
BLOCK = 64 * LANES
# Pairs of nodes that take as long as one number of one node's vector, for the choice of threads.
PAIRS_PER_NUMBER = 2

Floats = npt.NDArray[np.float32]
Direction = npt.NDArray[np.float64]
Rows = tuple[int, int, Floats]


@dataclass(frozen=True, eq=False)
class RandomStars:
    """The random choices for a kernel, and what was learned to make their errors small.

    Parameters
    ----------
    spec : StarSpec
    widths : tuple of int
        Columns of the features of each hop.
    width : int
        Of the vectors inside, a power of two.
    nodes, edges : RandomMap
    turns : tuple of Turns, one a hop
    node_signs, edge_signs : ndarray
        Of the rotation of embedded nodes and edges.
    node_directions : tuple of ndarray, one a hop
        The direction of the mean of the nodes' vectors; none before a :class:`Walk` learns them.
    edge_directions : tuple of ndarray
    """

    spec: StarSpec
    widths: tuple[int, ...]
    width: int
    nodes: RandomMap
    edges: RandomMap
    turns: tuple[Turns, ...]
    node_signs: Direction
    edge_signs: Direction
    node_directions: tuple[Direction, ...] = ()
    edge_directions: tuple[Direction, ...] = ()

    @classmethod
    def draw(
        cls,
        spec: StarSpec,
        n_components: int,
        node_names: tuple[str, ...],
        edge_names: tuple[str, ...],
        binary: bool,
        seed: int,
    ) -> RandomStars:
        """Draw all that is random.

        Parameters
        ----------
        spec : StarSpec
        n_components : int
            Columns of all hops together.
        node_names, edge_names : tuple of str
            Of the categorical attributes of nodes and of edges.
        binary : bool
            Whether sparse features are zeros and ones.
        seed : int
        """
        # Stars of more hops differ more, so that theirs need more columns.
        ends = np.cumsum(np.arange(spec.n_hops + 1))
        widths = tuple(np.diff(n_components * ends // ends[-1]).tolist())
        width = max(2 * LANES, 1 << (max(widths) - SCALARS - 1).bit_length())
        seeds = iter(np.random.SeedSequence(seed).spawn(4 + spec.n_hops))
        nodes = RandomMap.draw(spec.nodes, node_names, width, next(seeds), binary)
        edges = RandomMap.draw(spec.edges, edge_names, width, next(seeds), binary=False)
        node_signs, edge_signs = (
            np.random.default_rng(next(seeds)).choice([-1.0, 1.0], width) / np.sqrt(width)
            for _ in range(2)
        )
        turns = tuple(Turns.draw(next(seeds), width) for _ in range(spec.n_hops))
        return cls(spec, widths, width, nodes, edges, turns, node_signs, edge_signs)


class Walk:
    """One way through the hops of some graphs.

    Where ``drawn`` has no directions yet they are learned on the way.

    Parameters
    ----------
    drawn : RandomStars
    batch : GraphBatch
    new : pair of tuples of categories
        Those unseen in training, of nodes and of edges, by categorical attribute.
    execution : Execution
    """

    def __init__(
        self, drawn: RandomStars, batch: GraphBatch, new: Any, execution: Execution
    ) -> None:
        self._drawn = drawn
        self._batch = batch
        self._new = new
        self._execution = execution
        self._node_directions = list(drawn.node_directions)
        self._edge_directions = list(drawn.edge_directions)

    def learned(self) -> RandomStars:
        """Return the random choices with the directions of this way."""
        return replace(
            self._drawn,
            node_directions=tuple(self._node_directions),
            edge_directions=tuple(self._edge_directions),
        )

    @property
    def n_blocks(self) -> int:
        """How many blocks of rows all hops have together."""
        return self._drawn.spec.n_hops * -(-self._batch.n_nodes // BLOCK)

    def hops(self) -> Iterator[Iterator[Rows]]:
        """Yield for each hop the rows of all nodes, block by block; all have to be taken."""
        drawn, batch, spec = self._drawn, self._batch, self._drawn.spec
        nested = spec.expansion == "nested"
        members, incident, counts = _lists(batch, spec)
        columns = drawn.nodes.with_new(self._new[0])
        nodes = self._embedded(batch.nodes, batch.features, columns, drawn.node_signs)
        compared = spec.use_edges and not spec.edges.is_constant
        edges = np.empty((0, drawn.width), dtype=np.float32)
        if compared:
            columns = drawn.edges.with_new(self._new[1])
            edges = self._embedded(batch.edges, None, columns, drawn.edge_signs)
        deeper = np.empty_like(nodes) if nested and spec.n_hops > 1 else nodes[:0]
        for h in range(spec.n_hops):
            level = 0 if nested else h
            stars = Stars(
                core=nodes, nodes=nodes, member_ptr=members.ptr[level], member=members.index,
                edges=edges, incident_ptr=incident.ptr[level], incident=incident.index,
                n_edges=counts[level],
            )  # fmt: skip
            is_last = h == spec.n_hops - 1
            size = float(np.sqrt(spec.edges.base)) if spec.use_edges and not compared else 0.0
            rules = SketchRules(
                node_direction=self._direction(self._node_directions, h, nodes, batch.n_nodes),
                edge_direction=self._direction(self._edge_directions, h, edges, len(batch.edges)),
                edge_size=size,
                edge_attributes=compared,
                star_norm=spec.star_norm,
                gamma_star=spec.gamma_star,
                deeper=nested and not is_last,
            )
            yield self._rows(stars, h, rules, deeper)
            if nested and not is_last:
                nodes, deeper = deeper, nodes

    def _direction(self, known: list[Direction], hop: int, rows: Floats, n: int) -> Direction:
        if hop == len(known):
            some = rows[:n]
            mean = some.mean(axis=0, dtype=np.float64) if len(some) else np.zeros(rows.shape[1])
            length = float(np.linalg.norm(mean))
            known.append(mean / length if length > 0 else mean)
        return known[hop]

    def _rows(self, stars: Stars, h: int, rules: SketchRules, deeper: Floats) -> Iterator[Rows]:
        drawn, n = self._drawn, self._batch.n_nodes

        def task(first: int, last: int) -> Rows:
            out = np.empty((last - first, drawn.widths[h]), dtype=np.float32)
            space = star_sketch.Space.of(drawn.width)
            star_sketch.sketch_stars(stars, drawn.turns[h], rules, first, last, space, out, deeper)
            return first, last, out

        tasks = (delayed(task)(first, min(first + BLOCK, n)) for first in range(0, n, BLOCK))
        return self._execution.run(tasks, n * drawn.width * PAIRS_PER_NUMBER)

    def _embedded(
        self, elements: Elements, features: Any, columns: Columns, signs: Direction
    ) -> Floats:
        """The vectors of all elements; rows of whole vectors."""
        n, width = len(elements), self._drawn.width
        values = Values.of(elements, features)
        rows = np.zeros((-(-n // LANES) * LANES, width), dtype=np.float32)

        def task(first: int, last: int) -> None:
            space = embedding_space(width)
            embed(values, first, last, columns, signs, space, rows[first:])

        tasks = (delayed(task)(first, min(first + BLOCK, n)) for first in range(0, n, BLOCK))
        for _ in self._execution.run(tasks, n * width * PAIRS_PER_NUMBER):
            pass
        return rows


def _lists(batch: GraphBatch, spec: StarSpec) -> tuple[Members, Members, Any]:
    """Members and edges of the stars, and the numbers of edges, by level."""
    if spec.expansion == "nested" and (spec.edges.is_constant or not spec.use_edges):
        # Edges are only counted: their lists would take twice the memory of the members.
        members = Members.from_matrices([star_pattern(batch)])
        return members, members, members.counts() - 1.0
    nodes, edges = star_matrices(batch, spec.n_hops, spec.expansion)
    incident = Members.from_matrices(edges)
    return Members.from_matrices(nodes), incident, incident.counts().astype(np.float64)
