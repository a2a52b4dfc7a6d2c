"""How a query is answered: compared with all graphs, or with those that features choose first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from joblib import delayed

from nask.arrays import Float64, Floats, Positions
from nask.choices import SearchMethod
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.execution.progress import track
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.features import UNMADE
from nask.kernels.nask import NASK
from nask.search.first_stage import FirstStage
from nask.search.ranking import as_similarities, best_first
from nask.storage.window import Window

Ranked = tuple[Positions, Float64]
"""Positions of the hits, and their similarities."""

# Up to so many nodes of all graphs together a query is compared with every graph: a molecule with
# 20,000 others takes 0.2 s.
MOST_EXACT_NODES = 500_000
# Candidates that are compared exactly. Of 100,000 graphs, 500 held 99.8 % of the ten best.
CANDIDATES, CANDIDATES_PER_HIT = 500, 20
# Similarities at work at a time: 64 MB.
BLOCK_NUMBERS = 2**23
# What there are no features for, and why.
WITHOUT_FEATURES = (*UNMADE, ("prune_cores", True, "they approximate the kernel of all cores"))


def chosen_method(
    method: SearchMethod, kernel: NASK, graphs: Sequence[AttributedGraph]
) -> Literal["exact", "features"]:
    """The method to use; raise if there are no features of the kernel that are asked for."""
    if method not in get_args(SearchMethod):
        expected = f"one of {', '.join(map(repr, get_args(SearchMethod)))}"
        raise ParameterError.expected("method", "Index", expected, method)
    unmade = [own for own in WITHOUT_FEATURES if getattr(kernel, own[0]) == own[1]]
    if method == "features" and unmade:
        name, value, reason = unmade[0]
        raise ParameterError(
            f"Index has no features of a kernel with {name}={value!r}: {reason}. Use "
            "method='exact', which compares a query with every graph."
        )
    if method == "auto":
        small = sum(graph.n_nodes for graph in graphs) <= MOST_EXACT_NODES
        return "exact" if small or unmade else "features"
    return method


@dataclass(frozen=True, eq=False)
class ExactSearch:
    """Compares queries with all graphs that a kernel was fitted to."""

    kernel: NASK

    def ranked(self, queries: Sequence[AttributedGraph], k: int) -> Iterator[Ranked]:
        """Yield the k best graphs of each query, and their similarities."""
        fitted, execution = self.kernel.fitted_, self.kernel.execution()
        work = fitted.gram_work(fitted.prepare(queries, execution), fitted.graphs)
        n = fitted.n_graphs
        windows = Window.whole(*work.shape).tiles(max(1, _numbers(execution, 8) // n), n)
        # One bar for all blocks, or that of the only one.
        several = execution.progress if len(windows) > 1 else False
        quiet = replace(execution, progress=False) if several else execution
        for window in track(windows, len(windows), several, "Searching"):
            for similarities in work.window(window, quiet):
                yield _best(similarities, np.arange(n), k)


@dataclass(frozen=True, eq=False)
class CandidateSearch:
    """Compares queries with the graphs whose features have the largest products with theirs.

    Parameters
    ----------
    kernel : NASK
        Fitted to all graphs.
    first_stage : FirstStage
    n_candidates : int or None
        By default 500, or 20 per hit where these are more.
    """

    kernel: NASK
    first_stage: FirstStage
    n_candidates: int | None

    def ranked(self, queries: Sequence[AttributedGraph], k: int) -> Iterator[Ranked]:
        """Yield the k best graphs of each query, and their similarities."""
        fitted, execution = self.kernel.fitted_, self.kernel.execution()
        prepared = fitted.prepare(queries, execution)
        wanted = self.n_candidates or max(CANDIDATES, CANDIDATES_PER_HIT * k)
        n = min(max(k, wanted), fitted.n_graphs)
        alone = replace(execution, n_jobs=1, progress=False)

        def rank(number: int, candidates: Positions) -> Ranked:
            row, columns = prepared.take(np.array([number])), fitted.graphs.take(candidates)
            work = fitted.gram_work(row, columns)
            return _best(work.window(Window.whole(*work.shape), alone)[0], candidates, k)

        chosen = self.first_stage.candidates(queries, n, _numbers(execution, 4))
        tasks = (delayed(rank)(number, own) for number, own in enumerate(chosen))
        nodes_per_graph = fitted.graphs.batch.n_nodes / fitted.n_graphs
        done = execution.run(tasks, prepared.batch.n_nodes * n * nodes_per_graph)
        return iter(track(done, len(queries), execution.progress, "Searching"))


def _numbers(execution: Execution, size: int) -> int:
    """How many numbers of so many bytes are at work at a time: half of the memory at most."""
    if execution.memory_limit is None:
        return BLOCK_NUMBERS
    return min(BLOCK_NUMBERS, execution.memory_limit // 2 // size)


def _best(similarities: Floats, positions: Positions, k: int) -> Ranked:
    best = best_first(similarities, k)
    return positions[best], as_similarities(similarities[best])
