"""The mean decision of ridge regressions on several kernels, as one model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from nask.arrays import Array, Float64, Index, Mask
from nask.choices import Multiclass, Scale
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.explain.deciding import Asked, Decider, OnForm
from nask.explain.explanation import Explanation
from nask.explain.graphs import explain_graph
from nask.explain.nodes import explain_node
from nask.graph.chosen_nodes import node_positions
from nask.io.coerce import TakesGraphs, as_graph, as_graphs
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.fitted import FittedKernel
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.forms import Form
from nask.learning.calibration import Calibration
from nask.learning.centring import Centring
from nask.learning.conformal import Conformity
from nask.learning.coverage import class_sets, number_intervals
from nask.learning.decisions import DecisionFunctions, most_confident
from nask.learning.held_out import class_scores, confidence_of
from nask.learning.likeness import Likeness, Side, known_likeness
from nask.messages import quoted


class Member(NamedTuple):
    """A form of a kernel, and decision functions on it.

    Parameters
    ----------
    form : Form
        With a weight for each hop of the pass that several members share, 0 for those beyond.
    unit : float or None
        Mean squared distance between the training graphs, of a Gaussian form.
    multiclass : {"ovr", "ovo"}
        How the functions tell classes apart.
    functions : DecisionFunctions
        Of all training graphs; their share in the mean is part of them.
    """

    form: Form
    unit: float | None
    multiclass: Multiclass
    functions: DecisionFunctions


class Group(Protocol):
    """Decision functions that share a pass over the graphs to be judged."""

    @property
    def scores(self) -> Callable[..., Float64]:
        """A function of graphs, or of a graph and nodes: their summed scores of all classes."""

    @property
    def unit_grams(self) -> Callable[..., Iterable[Float64]]:
        """A function of the same: each kernel with the training items, in units of its spread."""


@dataclass(frozen=True, eq=False)
class GraphGroup:
    """Forms of one kernel between graphs, each with its functions.

    Parameters
    ----------
    kernel : FittedKernel
        With all hops that a member needs.
    members : tuple of Member
    n_classes : int
        1 for numbers.
    parameters : mapping
        Of the kernel.
    """

    kernel: FittedKernel
    members: tuple[Member, ...]
    n_classes: int
    parameters: Mapping[str, Any]

    def scores(self, X: Any, *, execution: Execution) -> Float64:
        """Return the summed scores of the classes of graphs, or their values, (m, n_classes)."""
        rows = self.kernel.prepare(as_graphs(X, molecules=self.kernel.molecules), execution)
        grams = self.kernel.grams_of_forms(rows, [own[:2] for own in self.members], execution)
        return _summed(self.members, grams, self.n_classes)

    def unit_grams(self, X: Any = None, *, execution: Execution) -> Iterable[Float64]:
        """Return each kernel between graphs and the training graphs, in units of its spread.

        Without graphs, they are the training graphs.
        """
        forms, training = _distinct(self.members), self.kernel.graphs
        own = self.kernel.grams_of_forms(training, forms, execution)
        if X is None:
            return in_units(own)
        rows = self.kernel.prepare(as_graphs(X, molecules=self.kernel.molecules), execution)
        return in_units(own, self.kernel.grams_of_forms(rows, forms, execution))


@dataclass(frozen=True, eq=False)
class NodeGroup:
    """Forms of one kernel between nodes, each with its functions.

    Parameters
    ----------
    kernel : FittedNodeKernel
    members : tuple of Member
    n_classes : int
    nodes : ndarray
        The training nodes, as positions in the training graph.
    parameters : mapping
        Of the kernel.
    """

    kernel: FittedNodeKernel
    members: tuple[Member, ...]
    n_classes: int
    nodes: Index
    parameters: Mapping[str, Any]

    def scores(self, graph: Any, nodes: Any = None, *, execution: Execution) -> Float64:
        """Return the summed scores of the classes of nodes of a graph."""
        graph = as_graph(graph)
        chosen = None if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        forms = [own[:2] for own in self.members]
        grams = self.kernel.grams_of_forms(graph, chosen, self.nodes, forms, execution)
        return _summed(self.members, grams, self.n_classes)

    def unit_grams(
        self, graph: Any = None, nodes: Any = None, *, execution: Execution
    ) -> Iterable[Float64]:
        """Return each kernel between nodes and the training nodes, in units of its spread.

        Without a graph, they are the training nodes.
        """
        forms, train = _distinct(self.members), self.nodes
        own = self.kernel.grams_of_forms(self.kernel.graph, train, train, forms, execution)
        if graph is None:
            return in_units(own)
        graph = as_graph(graph)
        chosen = None if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        others = self.kernel.grams_of_forms(graph, chosen, train, forms, execution)
        return in_units(own, others)


def in_units(training: Iterable[Array], others: Iterable[Array] | None = None) -> Iterable[Float64]:
    """Gram matrices over the spread of the training items, the mean diagonal when centred.

    Parameters
    ----------
    training : iterable of ndarray of shape (n_train, n_train)
    others : iterable of ndarray of shape (m, n_train), optional
        Of the same kernels; by default those of the training items are returned.
    """
    if others is None:
        for gram in training:
            yield np.asarray(gram / Centring.fit(gram).scale, dtype=np.float64)
        return
    for gram, other in zip(training, others, strict=True):
        yield np.asarray(other / Centring.fit(gram).scale, dtype=np.float64)


def _distinct(members: Sequence[Member]) -> list[tuple[Form, float | None]]:
    """The forms of members; those that differ in their functions alone once."""
    found = {repr((own.form.to_json(), own.unit)): (own.form, own.unit) for own in members}
    return list(found.values())


def _summed(members: Sequence[Member], grams: Iterable[Array], n_classes: int) -> Float64:
    scores = [
        class_scores(own.functions.decide(gram), own.multiclass, n_classes)
        for own, gram in zip(members, grams, strict=True)
    ]
    return np.asarray(np.sum(scores, axis=0))


class MemberLikeness(NamedTuple):
    """How far training graphs are from each other, by the kernel of one member.

    Parameters
    ----------
    group, member : int
        The member, of a group of graphs.
    likeness : Likeness
    """

    group: int
    member: int
    likeness: Likeness


class AveragedModel(TakesGraphs, BaseEstimator):
    """The mean of ridge regressions on several kernels; subclasses say of what."""

    groups: Sequence[Group]
    settings: Sequence[dict[str, Any]]
    n_jobs: int | None
    conformity: Conformity | None
    likeness: MemberLikeness | None

    @property
    def conformity_(self) -> Conformity | None:
        """How wrong the model was about items that it had not learned from, where it knows."""
        return self.conformity

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        kernels = [group.kernel for group in self.groups if isinstance(group, GraphGroup)]
        return kernels[0].molecules if kernels else None

    # The column of a table that the target came from, where a command learned from a table.
    target_name_ = cast("str | None", None)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def summed_scores(self, *where: Any) -> Float64:
        """Scores of the classes of graphs, or nodes, or their values, (m, n_classes).

        Parameters
        ----------
        *where
            A list of graphs; or a graph and, if not all, the nodes in question.
        """
        execution = Execution(n_jobs=self.n_jobs)
        summed = sum(group.scores(*where, execution=execution) for group in self.groups)
        return np.asarray(summed, dtype=np.float64)

    def mean_kernel(self, *where: Any) -> Float64:
        """One kernel for all: the mean of the chosen ones, with the training graphs or nodes.

        Each is in units of its spread among them, so that all count alike. It is positive
        semidefinite, as they are, and a learner of your own can take it:
        ``SVC(kernel="precomputed").fit(model.mean_kernel(), y)``.

        Parameters
        ----------
        *where
            As in :meth:`summed_scores`; without any, the training graphs or nodes.
        """
        execution = Execution(n_jobs=self.n_jobs)
        total, n_kernels = np.zeros(()), 0
        for group in self.groups:
            for gram in group.unit_grams(*where, execution=execution):
                total, n_kernels = total + gram, n_kernels + 1
        return total / n_kernels

    def explain(
        self,
        graph: Any,
        node: int | None = None,
        *,
        target: Any = None,
        against: Any = None,
        scale: Scale = "decision",
    ) -> Explanation:
        """Tell why, as :meth:`nask.NASKClassifier.explain` does: the mean of sums is a sum.

        Parameters
        ----------
        graph : graph
        node : int, default=None
            Of a model of nodes, the node in question.
        target, against, scale
            As in :meth:`nask.NASKClassifier.explain`.
        """
        execution, asked = Execution(n_jobs=self.n_jobs), Asked(target, against, scale)
        graphs = [group for group in self.groups if isinstance(group, GraphGroup)]
        if graphs:
            if node is not None:
                raise ParameterError(
                    f"This is a model of graphs, which decides about no single node. Got the node "
                    f"{quoted(node)}: leave it out."
                )
            decider = self._decider(graphs, np.arange(graphs[0].kernel.n_graphs))
            return explain_graph(graph, [g.kernel for g in graphs], decider, asked, execution)
        nodes = [group for group in self.groups if isinstance(group, NodeGroup)]
        if not nodes:
            raise ParameterError("Only kernels of stars have shares of nodes to explain.")
        decider = self._decider(nodes, nodes[0].nodes)
        return explain_node(graph, node, [g.kernel for g in nodes], decider, asked, execution)

    def applicability(self, X: Any) -> Float64:
        """How much each graph is like those of training: see NASKClassifier.applicability.

        By the kernel of the best setting.
        """
        if any(isinstance(group, NodeGroup) for group in self.groups):
            raise ParameterError("This is a model of nodes: applicability is told of graphs alone.")
        owner, at = type(self).__name__, self.likeness
        known = known_likeness(None if at is None else at.likeness, owner)
        assert at is not None
        group = self.groups[at.group]
        assert isinstance(group, GraphGroup)
        kernel, member = group.kernel, group.members[at.member]
        execution = Execution(n_jobs=self.n_jobs)
        rows = kernel.prepare(as_graphs(X, molecules=kernel.molecules), execution)
        [gram] = kernel.grams_of_forms(rows, [member[:2]], execution)
        return known.p_values(gram, *(Side.of(own, member.form) for own in (rows, kernel.graphs)))

    def _decider(self, groups: Sequence[GraphGroup | NodeGroup], training: Index) -> Decider:
        members = [[OnForm(*member) for member in group.members] for group in groups]
        classes: Array | None = getattr(self, "classes", None)
        return Decider(members, classes, getattr(self, "calibration", None), training)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`nask.load` reads."""
        from nask.estimators.saving import save_averaged
        from nask.estimators.saving_nodes import save_averaged_nodes

        of_nodes = any(isinstance(group, NodeGroup) for group in self.groups)
        (save_averaged_nodes if of_nodes else save_averaged)(self, path)


class AveragedClassifier(ClassifierMixin, AveragedModel):
    """The mean decision of ridge regressions on several kernels.

    It is what :class:`nask.TunedNASKClassifier` chooses: every setting that is as good as the best,
    as far as leave-one-out can tell. Its decision is still a sum over stars.

    Parameters
    ----------
    groups : sequence of GraphGroup or NodeGroup
        Forms of kernels and the functions on them.
    classes : ndarray
        The classes, by number.
    calibration : Calibration, optional
        What makes probabilities of decisions.
    settings : sequence of dict, optional
        The parameters of the settings that are averaged.
    n_jobs : int, optional
        Threads, in joblib's convention.
    conformity : Conformity, optional
        How wrong the mean of leave-one-out answers was.
    likeness : MemberLikeness, optional
        How far training graphs are from each other.

    Attributes
    ----------
    classes_ : ndarray
    """

    def __init__(
        self,
        groups: Sequence[Group],
        classes: Array,
        calibration: Calibration | None = None,
        settings: Sequence[dict[str, Any]] = (),
        n_jobs: int | None = None,
        conformity: Conformity | None = None,
        likeness: MemberLikeness | None = None,
    ) -> None:
        self.groups = groups
        self.classes = classes
        self.calibration = calibration
        self.settings = settings
        self.n_jobs = n_jobs
        self.conformity = conformity
        self.likeness = likeness

    @property
    def classes_(self) -> Array:
        """The classes, by number."""
        return self.classes

    def __repr__(self) -> str:
        # scikit-learn would print the arrays of every kernel.
        return f"AveragedClassifier({len(self.settings)} settings, {len(self.classes)} classes)"

    def decision_function(self, *where: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise.

        Parameters
        ----------
        *where
            A list of graphs; or a graph and, if not all, the nodes in question.
        """
        return confidence_of(self.summed_scores(*where))

    def predict(self, *where: Any) -> Array:
        """Most confident class of each graph, or node."""
        return np.asarray(self.classes[most_confident(self.decision_function(*where))])

    def predict_proba(self, *where: Any) -> Float64:
        """Calibrated probability of each class, (m, n_classes)."""
        if self.calibration is None:
            raise ParameterError(
                "This model has no probabilities, since a class had a single training member. Fit "
                "with two or more of each class."
            )
        return self.calibration.probabilities(self.decision_function(*where))

    def predict_set(self, *where: Any, coverage: float = 0.9, by_class: bool = False) -> Mask:
        """Tell which classes each graph, or node, may have: see NASKClassifier.predict_set."""
        known, owner = (self.conformity, self.calibration), type(self).__name__
        decide = partial(self.decision_function, *where)
        return class_sets(*known, decide, coverage, by_class, owner)


class AveragedRegressor(RegressorMixin, AveragedModel):
    """The mean prediction of ridge regressions on several kernels.

    It is what :class:`nask.TunedNASKRegressor` chooses.

    Parameters
    ----------
    groups : sequence of GraphGroup
        Forms of kernels and the functions on them.
    settings : sequence of dict, optional
        The parameters of the settings that are averaged.
    n_jobs : int, optional
        Threads, in joblib's convention.
    conformity : Conformity, optional
        How wrong the mean of leave-one-out predictions was.
    likeness : MemberLikeness, optional
        How far training graphs are from each other.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        settings: Sequence[dict[str, Any]] = (),
        n_jobs: int | None = None,
        conformity: Conformity | None = None,
        likeness: MemberLikeness | None = None,
    ) -> None:
        self.groups = groups
        self.settings = settings
        self.n_jobs = n_jobs
        self.conformity = conformity
        self.likeness = likeness

    def __repr__(self) -> str:
        return f"AveragedRegressor({len(self.settings)} settings)"

    def predict(self, X: Any) -> Float64:
        """Predicted value of each graph."""
        return self.summed_scores(X)[:, 0]

    def predict_interval(self, X: Any, *, coverage: float = 0.9) -> Float64:
        """Lower and upper end of an interval for each graph: see NASKRegressor.predict_interval."""
        owner = type(self).__name__
        return number_intervals(self.conformity, lambda: self.predict(X), coverage, owner)
