"""The exact engine for nested stars, and walks, that repeat: every distinct star is compared once.

    k_h = core * (M_h P_{h-1} M'_h^T + edges),   Gram matrix = N_h kappa_h N'_h^T

Nodes of equal colour have equal stars (``stars/colours.py``), hence equal rows of k_h. M_h holds
the members of the distinct stars of hop h, which are stars of hop h - 1; N_h holds how often each
star occurs in each graph. Only P is stored. The last hop has the most stars, but no P_h: its
kappa_h is added to the Gram matrix at once. Of walks, cores are compared by P_0, which stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from nask.arrays import Float64, Floats
from nask.attributes.similarity_matrix import similarity_matrix
from nask.compiled.lines import whole_vectors
from nask.compiled.vectors import LANES, aligned
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.contract import Engine
from nask.engines.distinct import rows as star_rows
from nask.engines.distinct.groups import DistinctGroup, DistinctPrepared, cut_into_groups
from nask.engines.pairwise.engine import PairwiseEngine
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.colours import StarColours
from nask.stars.hop_rules import HopRules
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# Rows of a task: whole vectors, and enough work that handing out a task costs nothing.
TASK_STARS = 16 * LANES


class DistinctEngine(Engine[DistinctPrepared]):
    """Distinct stars, each compared once and weighted by how often it occurs."""

    name = "distinct"

    @staticmethod
    def applies(spec: StarSpec) -> bool:
        """Tell whether equal colours mean equal stars: all but balls of several hops."""
        return spec.deepens or spec.n_hops == 1

    def prepare(
        self,
        batch: GraphBatch,
        spec: StarSpec,
        execution: Execution,
        colours: StarColours | None = None,
    ) -> DistinctPrepared:
        """Colour the stars, unless that is done, and find the norms of stars and graphs."""
        # Node by node: within one graph few stars repeat, and these pairs are few.
        by_node = PairwiseEngine().prepare(batch, spec, execution)
        if colours is None:
            colours = StarColours.of(batch, spec)
        return DistinctPrepared(batch, spec, by_node.hop_self, colours, by_node)

    def grams(
        self,
        rows: DistinctPrepared,
        columns: DistinctPrepared,
        combinations: Float64,
        execution: Execution,
        window: Window,
    ) -> Floats:
        """Compare groups of graphs, as large as memory allows, hop by hop."""
        symmetric, spec = columns is rows and window.on_diagonal, rows.spec
        n_results = len(combinations)
        a_groups, b_groups = cut_into_groups(
            rows, columns, n_results, TASK_STARS, execution, window
        )
        result = np.zeros((n_results, *window.shape), dtype=spec.dtype)
        places = [
            (a, b)
            for i, a in enumerate(a_groups)
            for j, b in enumerate(b_groups)
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
    sums: Float64,
    a: DistinctGroup,
    b: DistinctGroup,
    spec: StarSpec,
    combinations: Float64,
    execution: Execution,
) -> Iterator[None]:
    """Add the weighted sums of kappa_h over pairs of stars; yields once per task.

    If both groups are the same, half of each sum is added, so that adding the transpose makes it
    whole.

    Parameters
    ----------
    sums : ndarray of shape (n_results, graphs of a, graphs of b)
    combinations : ndarray of shape (n_results, n_hops)
    """
    edge_term, nearest = _edge_term(a, b, spec), -1.0
    P = similarity_matrix(a.nodes, b.nodes, spec.nodes, spec.dtype)
    nodes = P
    for h, (stars, others) in enumerate(zip(a.hops, b.hops, strict=True)):
        is_last = h == spec.n_hops - 1
        shape = (len(stars.core), 0 if is_last else len(others.core))
        deeper = aligned((whole_vectors(shape[0]), whole_vectors(shape[1])), spec.dtype)
        # The last hop needs the upper triangle only; the others need all of P_h.
        rules = HopRules.of(spec, h, spec.nodes.floor)
        cores = nodes if rules.walk else P
        hop = DistinctHop(P, cores, edge_term, stars, others, rules, deeper, a is b and is_last)
        weights = combinations[:, h] * (0.5 if a is b and not is_last else 1.0)
        ranges = _row_ranges(stars)
        # In order, so that rounding does not depend on the number of threads.
        tasks = (delayed(hop.rows)(*stars_of_task, b.n_graphs) for stars_of_task in ranges)
        done = execution.run(tasks, len(stars.core) * len(others.core))
        for (first, _), (rows, near) in zip(ranges, done, strict=True):
            nearest = max(nearest, near)
            for k in np.flatnonzero(weights):
                star_rows.add_rows(sums[k], rows, stars, first, weights[k])
            yield
        P = deeper
    warn_of_near_stars(nearest, spec)


@dataclass(frozen=True, eq=False)
class DistinctHop:
    """What all rows of one hop share; the parameters are those of ``compare_stars``."""

    P: Floats
    cores: Floats
    edge_term: Floats
    a: star_rows.DistinctStars
    b: star_rows.DistinctStars
    rules: HopRules
    deeper: Floats
    triangle: bool

    def rows(self, first: int, last: int, n_graphs: int) -> tuple[Float64, float]:
        """Compare stars ``first`` to ``last - 1`` of ``a`` with all of ``b``, and write their P_h.

        Returns
        -------
        sums : ndarray of shape (last - first, n_graphs)
            kappa_h by star of ``a`` and graph of ``b``.
        nearest : float
            The largest similarity of stars that are not alike, if the hop is watched.
        """
        out = np.empty((last - first, n_graphs))
        widths = self.P.shape[1], self.cores.shape[1], self.edge_term.shape[1]
        space = star_rows.DistinctWorkspace.of(*widths, n_graphs)
        # Pairs of stars within these rows come twice, in both orders.
        start, n_half = (first, last) if self.triangle else (0, 0)
        star_rows.compare_stars(
            self.P, self.cores, self.edge_term, self.a, first, last, self.b, start, n_half,
            self.rules, self.deeper, space, out,
        )  # fmt: skip
        return out, float(space.nearest.max())


def _row_ranges(stars: star_rows.DistinctStars) -> list[tuple[int, int]]:
    n = len(stars.core)
    return [(first, min(first + TASK_STARS, n)) for first in range(0, n, TASK_STARS)]


def _edge_term(a: DistinctGroup, b: DistinctGroup, spec: StarSpec) -> Floats:
    """Return sums of P between the edges of two bundles, with whole vectors of columns."""
    n, m = (group.bundles.shape[0] for group in (a, b))
    term = aligned((n, whole_vectors(m)), spec.dtype)
    term[:] = 0
    if spec.use_edges:
        P: Any = similarity_matrix(a.edges, b.edges, spec.edges, spec.dtype)[:, : len(b.edges)]
        term[:, :m] = (b.bundles @ (a.bundles @ P).T).T
    return term
