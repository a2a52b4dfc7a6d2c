"""From a fitted model and a graph to an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.choices import Scheme
from nask.execution.execution import Execution
from nask.explain.compared import ComparedGraph
from nask.explain.explanation import Explanation, Neighbour
from nask.explain.parts import Part, Term
from nask.explain.question import ask, scores_of
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graph
from nask.kernels.fitted import FittedKernel
from nask.kernels.forms import Form
from nask.learning.calibration import Calibration
from nask.learning.decisions import DecisionFunctions, most_confident


class OnForm(NamedTuple):
    """Decision functions on a form of a kernel.

    Parameters
    ----------
    form : Form
    unit : float or None
    scheme : {"ovr", "ovo", "votes"}
    functions : DecisionFunctions
    """

    form: Form
    unit: float | None
    scheme: Scheme
    functions: DecisionFunctions


def explain_graph(
    graph: Any,
    kernels: Sequence[tuple[FittedKernel, Sequence[OnForm]]],
    classes: Array | None,
    calibration: Calibration | None,
    training: Positions,
    execution: Execution,
    *,
    target: Any = None,
    against: Any = None,
    scale: str = "decision",
) -> Explanation:
    """Share out what a model decides about a graph.

    Parameters
    ----------
    graph : graph
    kernels : sequence of (FittedKernel, sequence of OnForm)
        What decides is the sum of all functions.
    classes : ndarray, or None
        None of a regression.
    calibration : Calibration or None
    training : ndarray
        Where the graphs of the kernels are in the training list.
    execution : Execution
    target, against, scale
        As in ``explain`` of the estimators.
    """
    own: AttributedGraph = as_graph(graph)
    compared = [ComparedGraph.of(own, kernel, execution) for kernel, _ in kernels]
    decided = [
        (number, on, on.functions.decide(against_all.row(on.form, on.unit).values[None])[0])
        for number, (against_all, (_, members)) in enumerate(zip(compared, kernels, strict=True))
        for on in members
    ]
    confidence = None
    if classes is not None:
        scores = [scores_of(values, on.scheme, len(classes)) for _, on, values in decided]
        confidence = np.sum(scores, axis=0)
    schemes = [on.scheme for _, on, _ in decided]
    question = ask(classes, confidence, calibration, schemes, target, against, scale)
    terms: list[list[Term]] = [[] for _ in kernels]
    constant = question.shift
    for number, on, values in decided:
        weights = question.weights(values, on.scheme)
        terms[number].append(Term(on.form, on.unit, weights @ on.functions.coefficients))
        constant += float(weights @ on.functions.constants)
    parts = [Part.of(*each) for each in zip(compared, terms, strict=True)]
    intercept = constant + sum(part.rest for part in parts)
    by_graph = np.sum([part.by_graph for part in parts], axis=0)
    loudest = np.argsort(-np.abs(by_graph), kind="stable")
    return Explanation(
        graph=own,
        quantity=question.text,
        target=_named(classes, question.target),
        against=_named(classes, question.against),
        prediction=_prediction(classes, confidence, [values for _, _, values in decided]),
        decision=intercept + float(by_graph.sum()),
        intercept=intercept,
        hops=_summed_hops(parts, own.n_nodes),
        neighbours=tuple(Neighbour(int(training[i]), float(by_graph[i])) for i in loudest),
        parts=tuple(parts),
        execution=replace(execution, progress=False),
    )


def _prediction(
    classes: Array | None, confidence: Float64 | None, decided: Sequence[Float64]
) -> Any:
    if classes is None or confidence is None:
        return float(np.sum(decided))
    single = confidence[1:] if len(classes) == 2 else confidence[None]
    return classes[most_confident(single)[0]]


def _named(classes: Array | None, number: int | None) -> Any:
    return None if classes is None or number is None else classes[number]


def _summed_hops(parts: Sequence[Part], n_nodes: int) -> Float64:
    """The shares of all kernels, which may have different numbers of hops."""
    hops = np.zeros((max(len(part.weights) for part in parts), n_nodes))
    for part in parts:
        own = part.hops
        hops[: len(own)] += own
    return hops
