"""From a model and a graph to an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nask.execution.execution import Execution
from nask.explain.compared import ComparedGraph
from nask.explain.deciding import Asked, Decider
from nask.explain.explanation import GraphExplanation
from nask.explain.parts import GraphPart
from nask.io.coerce import as_graph
from nask.kernels.fitted import FittedKernel


def explain_graph(
    graph: Any,
    kernels: Sequence[FittedKernel],
    decider: Decider,
    asked: Asked,
    execution: Execution,
) -> GraphExplanation:
    """Share out what a model decides about a graph.

    Parameters
    ----------
    graph : graph
    kernels : sequence of FittedKernel
        All on the same training graphs.
    decider : Decider
        With functions on each of the kernels.
    asked : Asked
    execution : Execution
    """
    own = as_graph(graph, kernels[0].molecules)
    compared = [ComparedGraph.of(own, kernel, execution) for kernel in kernels]
    answer = decider.answer(compared, asked)
    parts = [GraphPart.of(*each) for each in zip(compared, answer.terms, strict=True)]
    intercept = answer.constant + sum(part.rest for part in parts)
    by_graph = np.sum([part.by_item for part in parts], axis=0)
    return GraphExplanation(
        graph=own,
        **answer.words,
        decision=intercept + float(by_graph.sum()),
        intercept=intercept,
        neighbours=decider.neighbours(by_graph),
        parts=tuple(parts),
        execution=replace(execution, progress=False),
    )
