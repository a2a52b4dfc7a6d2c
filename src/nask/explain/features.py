"""Shares of stars in the decision of a linear model on random features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64
from nask.engines.pairwise.engine import PairwiseEngine
from nask.engines.pairwise.shares import ComparedStars
from nask.exceptions import InputError
from nask.execution.execution import Execution
from nask.explain.background import above_background
from nask.explain.deciding import Asked
from nask.explain.question import ask
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.io.coerce import as_graph
from nask.kernels.feature_work import FeatureWork
from nask.kernels.features import NASKFeatures
from nask.learning.linear import LinearFunctions
from nask.stars.walks import walk_ends

# The error of larger graphs is not measured: the exact kernel between all their stars would take
# longer than everything else.
LARGEST_MEASURED = 2000
# Of decisions: linear models may compute in float32.
ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class FeatureExplanation:
    """Why a linear model on random features decides as it does: shares of stars.

    The shares are exact for the model, in float32. But its features are an approximation of the
    kernel, and ``error`` says how good; and they do not tell the members of a star apart, so that
    there are no shares of attributes or edges.

    Parameters
    ----------
    graph : AttributedGraph
    node : int or None
        Of a model of nodes, the node in question.
    quantity : str
        What is explained, in words.
    decision, intercept : float
    hops : ndarray of shape (n_hops, n_nodes)
        The share of the star around each node, at each hop.
    error : float
        Error of the kernel between the stars of this graph, root of the sum of squares, as a part
        of the kernel's own. NaN of graphs of more than 2000 nodes.
    """

    graph: AttributedGraph
    node: int | None
    quantity: str
    decision: float
    intercept: float
    hops: Float64
    error: float

    @property
    def nodes(self) -> Float64:
        """The share of the star around each node; with the intercept they add up."""
        return np.asarray(self.hops.sum(axis=0))

    @property
    def background(self) -> Float64:
        """How loud the stars around each node are, whatever their sign, (n_nodes,)."""
        return above_background(self.graph, self.nodes)


def explain_features(
    model: Any,
    graph: Any,
    *,
    target: Any = None,
    against: Any = None,
) -> FeatureExplanation:
    """Tell why a pipeline of random features and a linear model decides as it does about a graph.

    Parameters
    ----------
    model : Pipeline
        Fitted: :class:`nask.NASKFeatures`, then a linear model with ``coef_`` and ``intercept_``,
        such as ``LinearSVC``, ``LogisticRegression`` or ``Ridge``.
    graph : graph
    target, against : class, default=None
        As in :meth:`nask.NASKClassifier.explain`.

    Returns
    -------
    FeatureExplanation

    Examples
    --------
    >>> import nask
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = make_pipeline(nask.NASKFeatures(n_components=512), LinearSVC())
    >>> model = model.fit(mutag.graphs[::2], mutag.y[::2])
    >>> why = explain_features(model, mutag.graphs[1])
    >>> why.hops.shape, bool(0 < why.error < 0.1)
    ((3, 13), True)
    >>> total = why.nodes.sum() + why.intercept
    >>> bool(abs(total - model.decision_function(mutag.graphs[1:2])[0]) < 1e-5)
    True
    """
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else []
    is_linear = len(steps) == 2 and hasattr(steps[1], "coef_")
    if not is_linear or not isinstance(steps[0], NASKFeatures) or steps[0].level != "graph":
        raise InputError(
            "explain_features takes a fitted pipeline of two steps: NASKFeatures(level='graph') "
            "and a linear model with coef_ and intercept_."
        )
    features, linear = steps
    check_is_fitted(linear)
    coefficients = np.atleast_2d(linear.coef_)
    constants = np.broadcast_to(np.atleast_1d(linear.intercept_), len(coefficients))
    functions = LinearFunctions(coefficients, np.asarray(constants, dtype=np.float64))
    classes = getattr(linear, "classes_", None)
    own = as_graph(graph, features.molecules_)
    _check_decides(linear, functions, classes, features.transform([own]))
    return explain_rows(features, functions, classes, own, None, Asked(target, against))


def _check_decides(
    linear: Any, functions: LinearFunctions, classes: Array | None, given: Any
) -> None:
    """Raise unless a model decides about a row of features as its coefficients do.

    Not all that have them do: Poisson regression takes an exponential, and SVC has a row of
    coefficients for every two classes, not for each.
    """
    n_functions = 1 if classes is None or len(classes) == 2 else len(classes)
    row = np.asarray(given, dtype=np.float64)
    # A table as the model was fitted on one, with names of columns.
    asked = row if isinstance(given, np.ndarray) else given
    decide = linear.predict if classes is None else linear.decision_function
    theirs, ours = np.reshape(decide(asked), -1), functions.decide(row)[0]
    size = float(np.abs(functions.coefficients).max(initial=0.0) * np.abs(row).sum())
    size += float(np.abs(functions.constants).max(initial=0.0))
    pairwise = isinstance(linear, SVC | NuSVC) and n_functions > 1
    same = len(ours) == len(theirs) == n_functions and not pairwise
    if not same or not np.allclose(ours, theirs, rtol=0.0, atol=ROUNDING * (1 + size)):
        raise InputError(
            f"{type(linear).__name__} does not decide by coef_ and intercept_ alone. Expected a "
            "linear model with one row of coef_ for two classes or a regression, and otherwise "
            "one per class, such as LinearSVC, LogisticRegression or Ridge."
        )


def explain_rows(
    features: NASKFeatures,
    functions: LinearFunctions,
    classes: Array | None,
    graph: Any,
    node: int | None,
    asked: Asked,
) -> FeatureExplanation:
    """Share out the decision of linear functions over stars.

    Parameters
    ----------
    features : NASKFeatures
    functions : LinearFunctions
        One for two classes or a regression, otherwise one per class.
    classes : ndarray or None
    graph : graph
    node : int or None
        Of features of nodes, the node in question.
    asked : Asked
    """
    own, fitted = as_graph(graph), features.fitted_
    stars = features.star_rows(own).astype(np.float64)
    counted = _counted(fitted, own, node, features.execution())
    length = float(np.linalg.norm(counted @ stars)) if fitted.normalize else 1.0
    shared = stars * (counted / (length or 1.0))[:, None]
    [decisions] = functions.decide(shared.sum(axis=0)[None])
    confidence = None
    if classes is not None:
        confidence = decisions if len(decisions) > 1 else np.append(-decisions, decisions)
    question = ask(classes, confidence, None, ["ovr"], *asked)
    weights = question.weights(decisions, "ovr")
    coefficients, intercept = weights @ functions.coefficients, float(weights @ functions.constants)
    hops = np.array([shared[:, of] @ coefficients[of] for of in features.hop_columns_])
    return FeatureExplanation(
        graph=own,
        node=node,
        quantity=question.text,
        decision=intercept + float(hops.sum()),
        intercept=intercept,
        hops=hops,
        error=_error(fitted, own, stars),
    )


def _counted(
    fitted: FeatureWork, graph: AttributedGraph, node: int | None, execution: Execution
) -> Float64:
    """How much the star of each node counts: once, or as often as walks from a node end there."""
    if node is None:
        return np.ones(graph.n_nodes)
    counted = np.zeros((1, graph.n_nodes))
    counted[0, node] = 1.0
    if fitted.restart is not None:
        batch = GraphBatch.encode([graph], fitted.schema, compare=False)
        counted = walk_ends(batch, fitted.restart, counted, execution)
    return np.asarray(counted[0])


def _error(fitted: FeatureWork, graph: AttributedGraph, stars: Float64) -> float:
    """How far products of features are from the kernel between the stars of a graph."""
    if not 0 < graph.n_nodes <= LARGEST_MEASURED:
        return float("nan")
    spec = fitted.drawn.spec
    spec = replace(spec, nodes=spec.nodes.with_dense_features())
    batch = GraphBatch.encode([graph], fitted.schema, compare=False).with_dense_features()
    exact_stars = PairwiseEngine().prepare(batch, spec, Execution())
    weights = fitted.hop_weights[:, None, None]
    pairs = ComparedStars.of(exact_stars, exact_stars).pairs(Execution())
    exact = (weights * pairs).sum(axis=0)
    return float(np.linalg.norm(stars @ stars.T - exact) / np.linalg.norm(exact))
