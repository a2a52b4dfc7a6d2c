"""The exact engine for nested stars that repeat: every distinct star is compared once.

Nodes of equal colour have equal stars (``stars/colours.py``), hence equal rows of k_h. With M_h the
members of the distinct stars of hop h among those of hop h - 1, and N_h how often each occurs in
each graph, k_h = core * (M_h P_{h-1} M'_h^T + edges), and the Gram matrix is N_h kappa_h N'_h^T.
Only P is stored: the last hop, which has the most stars, goes straight into the Gram matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import delayed

from nask.engines.compiled.hop_rules import HopRules
from nask.engines.compiled.lines import whole_vectors
from nask.engines.compiled.similarity_matrix import similarity_matrix
from nask.engines.compiled.vectors import LANES, aligned
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.contract import Engine
from nask.engines.distinct import rows as star_rows
from nask.engines.distinct.parts import DistinctPrepared, Part, divide
from nask.engines.pairwise.engine import PairwiseEngine
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.colours import StarColours
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# Rows of a task: whole vectors, and enough work that handing out a task costs nothing.
TASK_STARS = 16 * LANES

Floats = npt.NDArray[np.floating]


class DistinctEngine(Engine[DistinctPrepared]):
    """Distinct stars, counted."""

    name = "distinct"

    @staticmethod
    def applies(spec: StarSpec) -> bool:
        """Tell whether equal colours mean equal stars: nested ones, or those of one hop."""
        return spec.expansion == "nested" or spec.n_hops == 1

    def prepare(
        self,
        batch: GraphBatch,
        spec: StarSpec,
        execution: Execution,
        colours: StarColours | None = None,
    ) -> DistinctPrepared:
        """Colour the stars, and find the self-similarity of every star and graph.

        Parameters
        ----------
        batch : GraphBatch
        spec : StarSpec
        execution : Execution
        colours : StarColours, optional
            Those of the stars, where they are known already.
        """
        # Node by node: within one graph few stars repeat, and these pairs are few.
        by_node = PairwiseEngine().prepare(batch, spec, execution)
        if colours is None:
            colours = StarColours.of(batch, spec.n_hops, spec.use_edges)
        return DistinctPrepared(batch, spec, by_node.hop_self, colours, by_node)

    def grams(
        self,
        rows: DistinctPrepared,
        columns: DistinctPrepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
        window: Window,
    ) -> Floats:
        """Compare the graphs part by part, as memory allows, hop by hop."""
        symmetric, spec = columns is rows and window.on_diagonal, rows.spec
        n_results = len(combinations)
        a_parts, b_parts = divide(rows, columns, n_results, TASK_STARS, execution, window)
        result = np.zeros((n_results, *window.shape), dtype=spec.dtype)
        places = [
            (a, b)
            for i, a in enumerate(a_parts)
            for j, b in enumerate(b_parts)
            if len(a.nodes) and len(b.nodes) and (i <= j or not symmetric)
        ]

        def steps() -> Iterator[None]:
            for a, b in places:
                sums = np.zeros((n_results, a.n_graphs, b.n_graphs))
                yield from _add_hops(sums, a, b, spec, combinations, execution)
                down, across = a.within(window.rows), b.within(window.columns)
                for gram, values in zip(result, sums, strict=True):
                    whole = values + values.T if a is b else values
                    gram[down, across] = whole
                    if symmetric:
                        gram[across, down] = whole.T

        n_steps = sum(len(_row_ranges(stars)) for a, _ in places for stars in a.hops)
        for _ in execution.track(steps(), n_steps):
            pass
        return result


def _add_hops(
    sums: npt.NDArray[np.float64],
    a: Part,
    b: Part,
    spec: StarSpec,
    combinations: npt.NDArray[np.float64],
    execution: Execution,
) -> Iterator[None]:
    """Add the weighted sums of kappa_h over pairs of stars, one block of rows a step.

    Where both parts are the same, half of each sum, so that adding the transpose makes it whole.
    """
    edge_term, nearest = _edge_term(a, b, spec), -1.0
    P = similarity_matrix(a.nodes, b.nodes, spec.nodes, spec.dtype)
    for h, (stars, others) in enumerate(zip(a.hops, b.hops, strict=True)):
        is_last = h == spec.n_hops - 1
        shape = (len(stars.core), 0 if is_last else len(others.core))
        deeper = aligned((whole_vectors(shape[0]), whole_vectors(shape[1])), spec.dtype)
        # The last hop can do with the upper triangle. Before it, P is wanted whole.
        rules = HopRules.of(spec, h, spec.nodes.floor)
        hop = Hop(P, edge_term, stars, others, rules, deeper, a is b and is_last)
        weights = combinations[:, h] * (0.5 if a is b and not is_last else 1.0)
        blocks = _row_ranges(stars)
        # In order, so that rounding does not depend on the number of threads.
        tasks = (delayed(hop.rows)(*block, b.n_graphs) for block in blocks)
        done = execution.run(tasks, len(stars.core) * len(others.core))
        for (first, _), (rows, near) in zip(blocks, done, strict=True):
            nearest = max(nearest, near)
            for k in np.flatnonzero(weights):
                star_rows.add_rows(sums[k], rows, stars, first, weights[k])
            yield
        P = deeper
    warn_of_near_stars(nearest, spec)


@dataclass(frozen=True, eq=False)
class Hop:
    """All that blocks of rows of one hop have in common; see ``star_rows.compare_stars``."""

    P: Floats
    edge_term: Floats
    a: star_rows.DistinctStars
    b: star_rows.DistinctStars
    rules: HopRules
    deeper: Floats
    triangle: bool

    def rows(self, first: int, last: int, n_graphs: int) -> tuple[npt.NDArray[np.float64], float]:
        """Sums of kappa_h by star and graph, and P_h on the way.

        And the largest similarity of stars that are not alike, where that is watched.
        """
        out = np.empty((last - first, n_graphs))
        space = star_rows.DistinctWorkspace.of(self.P.shape[1], self.edge_term.shape[1], n_graphs)
        # The pairs within a block come twice, in both orders.
        start, n_half = (first, last) if self.triangle else (0, 0)
        star_rows.compare_stars(
            self.P, self.edge_term, self.a, first, last, self.b, start, n_half, self.rules,
            self.deeper, space, out,
        )  # fmt: skip
        return out, float(space.nearest.max())


def _row_ranges(stars: star_rows.DistinctStars) -> list[tuple[int, int]]:
    n = len(stars.core)
    return [(first, min(first + TASK_STARS, n)) for first in range(0, n, TASK_STARS)]


def _edge_term(a: Part, b: Part, spec: StarSpec) -> Floats:
    """Sums of P between the edges of two stars, by their bundles; whole vectors of columns."""
    n, m = (part.bundles.shape[0] for part in (a, b))
    term = aligned((n, whole_vectors(m)), spec.dtype)
    term[:] = 0
    if spec.use_edges:
        P: Any = similarity_matrix(a.edges, b.edges, spec.edges, spec.dtype)[:, : len(b.edges)]
        term[:, :m] = (b.bundles @ (a.bundles @ P).T).T
    return term
