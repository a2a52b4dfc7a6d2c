"""Random features of stars, hop by hop: in linear time, without a Gram matrix.

Every node gets a vector z_0 whose products are P on average (``embedding``). Its star gets a vector
whose products are k_1 (``star_sketch``), from which comes a vector z_1 for P_1, and so on. The
vectors of a node do not depend on the other graphs of the batch, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from nask.arrays import Array, Float32, Float64
from nask.attributes.random_map import Columns, RandomMap
from nask.compiled.singles import WIDE
from nask.engines.sketch import star_sketch
from nask.engines.sketch.embedding import Values, embed, embedding_space
from nask.engines.sketch.star_sketch import SCALARS, Directions, Rotations, SketchRules, SketchStars
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.stars.members import Members, star_matrices, star_pattern
from nask.stars.spec import StarSpec

# Nodes, or edges, of a task: whole vectors, and enough work that handing it out costs nothing.
TASK_ELEMENTS = 32 * WIDE
# One number of a node's vector takes as long as this many pairs of nodes of the exact engines, in
# which work is counted when the number of threads is chosen.
PAIRS_PER_NUMBER = 2
# Stars that single precision tells apart have a similarity of e^-10000 at most. With a larger one
# the arguments of waves lose their last digit, and then overflow.
SHARPEST = 1e12

Result = TypeVar("Result")
Rows = tuple[int, int, Float32]
"""The first node, the last one and one more, and their rows."""


@dataclass(frozen=True, eq=False)
class RandomStars:
    """The random choices for a kernel, and the directions that make their errors small.

    Parameters
    ----------
    widths : tuple of int
        Number of columns of each hop's features.
    width : int
        Width of the vectors inside, a power of two.
    rotations : tuple of Rotations
        One per hop.
    node_signs, edge_signs : ndarray
        Signs of the rotation of embedded nodes and edges.
    node_directions, edge_directions : tuple of ndarray
        The direction of the mean vector of the nodes, and of the edges, one per hop. Empty before
        a :class:`HopPass` learns them.
    """

    spec: StarSpec
    widths: tuple[int, ...]
    width: int
    nodes: RandomMap
    edges: RandomMap
    rotations: tuple[Rotations, ...]
    node_signs: Float64
    edge_signs: Float64
    node_directions: tuple[Float64, ...] = ()
    edge_directions: tuple[Float64, ...] = ()

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
        """Draw the random choices.

        Parameters
        ----------
        n_components : int
            Number of columns of all hops together.
        node_names, edge_names : tuple of str
            Names of the categorical attributes of nodes and of edges.
        binary : bool
            Whether all node features are zeros and ones.
        """
        # SketchStars of more hops differ more, so they get more columns.
        ends = np.cumsum(np.arange(spec.n_hops + 1))
        widths = tuple(np.diff(n_components * ends // ends[-1]).tolist())
        width = max(WIDE, 1 << (max(widths) - SCALARS - 1).bit_length())
        seeds = iter(np.random.SeedSequence(seed).spawn(4 + spec.n_hops))
        nodes = RandomMap.draw(spec.nodes, node_names, width, next(seeds), binary)
        edges = RandomMap.draw(spec.edges, edge_names, width, next(seeds), binary=False)
        node_signs, edge_signs = (
            np.random.default_rng(next(seeds)).choice([-1.0, 1.0], width) / np.sqrt(width)
            for _ in range(2)
        )
        rotations = tuple(Rotations.draw(next(seeds), width) for _ in range(spec.n_hops))
        return cls(spec, widths, width, nodes, edges, rotations, node_signs, edge_signs)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and hashed: nothing that follows from the rest."""
        return {name: own for name, own in vars(self).items() if name != "directions"}

    @cached_property
    def directions(self) -> list[Directions]:
        """The learned directions of each hop, also rotated."""
        learned = self.rotations, self.node_directions, self.edge_directions
        return list(map(Directions.of, *learned))


class HopPass:
    """One pass through the hops of some graphs.

    If ``drawn`` has no directions yet, the pass learns them.

    Parameters
    ----------
    new : pair of tuples
        The categories that training did not have, of nodes and of edges: one tuple per categorical
        attribute.
    dtype : float32 or float16
        Of the vectors of nodes between hops.
    """

    def __init__(
        self,
        drawn: RandomStars,
        batch: GraphBatch,
        new: Any,
        execution: Execution,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self._drawn = drawn
        self._batch = batch
        self._new = new
        self._dtype = np.dtype(dtype)
        self._execution = execution
        self._node_directions = list(drawn.node_directions)
        self._edge_directions = list(drawn.edge_directions)

    def learned(self) -> RandomStars:
        """Return the random choices with the directions of this pass."""
        return replace(
            self._drawn,
            node_directions=tuple(self._node_directions),
            edge_directions=tuple(self._edge_directions),
        )

    @property
    def n_tasks(self) -> int:
        """Number of tasks of all hops together."""
        return self._drawn.spec.n_hops * -(-self._batch.n_nodes // TASK_ELEMENTS)

    def hops(self) -> Iterator[Iterator[Rows]]:
        """Yield the rows of all nodes per hop, task by task; the caller must take all of them."""
        drawn, batch, spec = self._drawn, self._batch, self._drawn.spec
        nested = spec.expansion == "nested"
        members, incident, counts = _lists(batch, spec)
        columns = drawn.nodes.with_new(self._new[0])
        nodes = self._embedded(batch.nodes, batch.features, columns, drawn.node_signs)
        compared = spec.use_edges and not spec.edges.is_constant
        edges = np.empty((0, drawn.width), dtype=self._dtype)
        if compared:
            columns = drawn.edges.with_new(self._new[1])
            edges = self._embedded(batch.edges, None, columns, drawn.edge_signs)
        deeper = np.empty_like(nodes) if nested and spec.n_hops > 1 else nodes[:0]
        for h in range(spec.n_hops):
            level = 0 if nested else h
            is_last = h == spec.n_hops - 1
            if is_last:
                # Its memory is given back.
                deeper = nodes[:0]
            stars = SketchStars(
                core=_bits(nodes), nodes=_bits(nodes),
                member_ptr=members.ptr[level], member=members.index, edges=_bits(edges),
                incident_ptr=incident.ptr[level], incident=incident.index, n_edges=counts[level],
            )  # fmt: skip
            size = float(np.sqrt(spec.edges.base)) if spec.use_edges and not compared else 0.0
            rules = SketchRules(
                self._directions(h, nodes[: batch.n_nodes], edges[: len(batch.edges)]),
                edge_size=size,
                edge_attributes=compared,
                star_norm=spec.star_norm,
                gamma_star=min(spec.gamma_star, SHARPEST),
                deeper=nested and not is_last,
            )
            yield self._rows(stars, h, rules, deeper)
            if nested and not is_last:
                nodes, deeper = deeper, nodes

    def _directions(self, hop: int, nodes: Array, edges: Array) -> Directions:
        drawn = self._drawn
        if drawn.node_directions:
            return drawn.directions[hop]
        self._node_directions.append(_mean_direction(nodes))
        self._edge_directions.append(_mean_direction(edges))
        own = self._node_directions[hop], self._edge_directions[hop]
        return Directions.of(drawn.rotations[hop], *own)

    def _rows(
        self, stars: SketchStars, h: int, rules: SketchRules, deeper: Array
    ) -> Iterator[Rows]:
        drawn, n = self._drawn, self._batch.n_nodes

        def task(first: int, last: int) -> Rows:
            out = np.empty((last - first, drawn.widths[h]), dtype=np.float32)
            space = star_sketch.SketchWorkspace.of(drawn.width)
            star_sketch.sketch_stars(
                stars, drawn.rotations[h], rules, first, last, space, out, _bits(deeper)
            )
            return first, last, out

        return self._in_tasks(task, n)

    def _embedded(
        self, elements: Elements, features: Any, columns: Columns, signs: Float64
    ) -> Array:
        """Return the vectors of all elements, with zeros up to whole vectors of rows."""
        n, width = len(elements), self._drawn.width
        values = Values.of(elements, features)
        rows = np.zeros((-(-n // WIDE) * WIDE, width), dtype=self._dtype)

        def task(first: int, last: int) -> None:
            space = embedding_space(width)
            if rows.dtype == np.float32:
                embed(values, first, last, columns, signs, space, rows[first:])
                return
            own = np.empty((-(-(last - first) // WIDE) * WIDE, width), dtype=np.float32)
            embed(values, first, last, columns, signs, space, own)
            rows[first:last] = own[: last - first]

        for _ in self._in_tasks(task, n):
            pass
        return rows

    def _in_tasks(self, task: Callable[[int, int], Result], n: int) -> Iterator[Result]:
        n_pairs = n * self._drawn.width * PAIRS_PER_NUMBER
        return self._execution.run_ranges(task, n, TASK_ELEMENTS, n_pairs)


def _bits(rows: Array) -> Array:
    """Rows as compiled code takes them, which knows no float16."""
    return rows.view(np.uint16) if rows.dtype == np.float16 else rows


def _mean_direction(rows: Array) -> Float64:
    mean = rows.mean(axis=0, dtype=np.float64) if len(rows) else np.zeros(rows.shape[1])
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else mean


def _lists(batch: GraphBatch, spec: StarSpec) -> tuple[Members, Members, Any]:
    """Return members and edges of the stars, and the numbers of edges, by level."""
    alike = spec.edges.is_constant or not spec.use_edges
    if spec.nested and alike and spec.max_leaves is None:
        # Edges are only counted; their lists would take twice the memory of the members.
        members = Members.from_matrices([star_pattern(batch)])
        return members, members, members.counts() - 1.0
    nodes, edges = star_matrices(batch, spec)
    incident = Members.from_matrices(edges)
    return Members.from_matrices(nodes), incident, incident.counts().astype(np.float64)
