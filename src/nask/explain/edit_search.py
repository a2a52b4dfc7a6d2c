"""The search for the smallest edit: all single ones, then pairs of the most promising."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from nask.arrays import Float64
from nask.execution.progress import Progress, track
from nask.explain.edits import Edit, edited
from nask.explain.judge import Judge, batch_size, in_batches
from nask.graph.attributed_graph import AttributedGraph

Edits = tuple[Edit, ...]
# Of the budget, where there are more single edits than that; the rest is for pairs.
SHARE_OF_SINGLES = 0.75
# Of changes and margins: what differs by less is equal. Two nodes that are alike have margins that
# differ by rounding errors, and those of float32 kernels by more.
DIGITS = 9
TIE = 10.0**-DIGITS


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Parameters
    ----------
    edits : tuple of Edit
        The smallest that flip, or those that came nearest.
    flips : bool
        Which of the two.
    n_evaluated : int
        Edited graphs that were judged.
    complete : bool
        Whether all edits were tried that are as few.
    """

    edits: Edits
    flips: bool
    n_evaluated: int
    complete: bool


@dataclass(frozen=True)
class EditSearch:
    """A search among edits of one graph.

    Parameters
    ----------
    judge : Judge
    graph : AttributedGraph
    budget : int
        The most edited graphs that are judged.
    verbose : bool, int or callable
        Whether to show a bar, or a function told ``(done, total)`` batches.
    """

    judge: Judge
    graph: AttributedGraph
    budget: int
    verbose: Progress = False

    def run(self, singles: Iterable[Edit]) -> Found:
        """Return the smallest edits that flip: one, or where no single one does, two.

        Parameters
        ----------
        singles : iterable of Edit
            All single edits; as many as the budget allows are tried. If that is not all, a quarter
            of the budget is kept for pairs.
        """
        offered = list(islice(singles, self.budget + 1))
        all_single = len(offered) <= self.budget
        n_single = self.budget if all_single else max(1, int(self.budget * SHARE_OF_SINGLES))
        single: list[Edits] = [(edit,) for edit in offered[:n_single]]
        margins = self.margins(single, "Trying single edits")
        smallest = self.smallest(single, margins)
        if smallest:
            return Found(smallest, True, len(single), all_single)
        order = np.argsort(-np.round(margins, DIGITS), kind="stable")
        promising = [single[i][0] for i in order.tolist()]
        offered_pairs = pairs_of(promising)
        pairs: list[Edits] = list(islice(offered_pairs, self.budget - len(single)))
        all_pairs = all_single and next(offered_pairs, None) is None
        pair_margins = self.margins(pairs, "Trying pairs of edits")
        n_evaluated = len(single) + len(pairs)
        smallest = self.smallest(pairs, pair_margins)
        if smallest:
            return Found(smallest, True, n_evaluated, all_pairs)
        tried, reached = [*single, *pairs], np.concatenate([margins, pair_margins])
        # The first of equal ones: a single edit before a pair.
        nearest = tried[int(np.round(reached, DIGITS).argmax())] if tried else ()
        return Found(nearest, False, n_evaluated, all_pairs)

    def margins(self, candidates: Sequence[Edits], what: str) -> Float64:
        """Return how far each edited graph is on the wanted side of the decision."""
        size = batch_size(self.graph)
        batches, total = in_batches(candidates, size), -(-len(candidates) // size)
        found = [np.empty(0)]
        for batch in track(batches, total, self.verbose, what):
            found.append(self.judge.margins(self._graphs(batch)))
        return np.concatenate(found)

    def smallest(self, candidates: Sequence[Edits], margins: Float64) -> Edits:
        """Return the edits of the smallest change to which the model gives the wanted class.

        Of equal changes, those with the largest margin; of equal margins, the first. Empty if none
        flips. What is within a rounding error of the decision is for the model to say, so it is
        asked.
        """
        changes = [sum(edit.change for edit in edits) for edits in candidates]
        keys = -np.round(margins, DIGITS), np.round(changes, DIGITS)
        order: list[int] = np.lexsort(keys).tolist()
        ordered = [candidates[i] for i in order if margins[i] > -TIE]
        # The first alone, since it nearly always does.
        rest = in_batches(ordered[1:], batch_size(self.graph))
        for batch in chain([ordered[:1]] if ordered else [], rest):
            graphs = self._graphs(batch)
            flipped = self.judge.flipped(graphs)
            for edits, graph, flips in zip(batch, graphs, flipped, strict=True):
                # Once more by itself, which is how the user will ask.
                if flips and self.judge.flipped([graph])[0]:
                    return edits
        return ()

    def _graphs(self, batch: Iterable[Edits]) -> list[AttributedGraph]:
        return [edited(self.graph, edits) for edits in batch]


def pairs_of(edits: Sequence[Edit]) -> Iterator[Edits]:
    """Return the pairs of edits that can be made together, those of the first few first.

    Examples
    --------
    >>> from nask.explain.edits import EdgeRemoval
    >>> edits = [EdgeRemoval((0, 1)), EdgeRemoval((1, 2)), EdgeRemoval((0, 2))]
    >>> for first, second in pairs_of(edits):
    ...     print(first, "and", second)
    edge 0-1 removed and edge 1-2 removed
    edge 0-1 removed and edge 0-2 removed
    edge 1-2 removed and edge 0-2 removed
    """
    for position, second in enumerate(edits):
        for first in edits[:position]:
            if not first.excludes(second):
                yield first, second
