"""A classifier of nodes that chooses its own kernel parameters and learner."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from nask.arrays import Array, Float64, Floats, Mask, Positions
from nask.choices import GridName, Scale
from nask.estimators.averaged import AveragedClassifier, Group, NodeGroup
from nask.estimators.node_classifier import NASKNodeClassifier
from nask.exceptions import ParameterError
from nask.explain.nodes import NodeExplanation
from nask.io.coerce import as_graph
from nask.io.target import as_target
from nask.kernels.node_nask import NodeNASK
from nask.learning.goals import Goal
from nask.learning.mixins import ScoresNodes
from nask.learning.node_targets import class_per_node, known_nodes, weighted_nodes
from nask.learning.targets import class_codes
from nask.messages import quoted
from nask.tuning.grid import Grid
from nask.tuning.inner_folds import one_split, refuse_single_members
from nask.tuning.leave_one_out import OnValidation, RidgeJudge
from nask.tuning.sweeps import ChosenFunctions, StarSweep, Sweep
from nask.tuning.tuned_classifier import TunedStarClassifier


@dataclass(frozen=True)
class NodeSweep(StarSweep):
    """One pass over all pairs of nodes of a network, and the candidates that come out of it."""

    kernel_type: ClassVar[type[NodeNASK]] = NodeNASK

    def shares_pass(self, other: Sweep) -> bool:
        """Whether the Gram matrices of another sweep come from the same pass.

        Walks are apart, and fewer hops are a part of more.
        """
        own = {name: self.parameters[name] for name in ("restart", "n_hops")}
        return repr({**other.parameters, **own}) == repr(dict(self.parameters))

    def compute_all(
        self,
        sweeps: Sequence[Self],
        data: Any,
        items: Positions | None = None,
        n_jobs: int | None = None,
    ) -> Iterator[Floats]:
        """As of :class:`StarSweep`."""
        deepest = max(own.parameters["n_hops"] for own in sweeps)
        parameters = {**self.parameters, "n_hops": deepest, "n_jobs": n_jobs}
        kernel = self.kernel_type(**parameters).fit(data)
        restarts = [own.parameters["restart"] for own in sweeps]
        stacks = kernel.fitted_.hop_grams_of_walks(restarts, items, kernel.execution())
        for own, stack in zip(sweeps, stacks, strict=True):
            yield stack[: own.parameters["n_hops"]]

    def group(
        self,
        kernel: Any,
        members: Sequence[ChosenFunctions],
        train: Positions | None,
        n_classes: int,
    ) -> Group:
        """As of :class:`StarSweep`; ``train`` are the training nodes, all where None."""
        nodes = np.arange(kernel.fitted_.n_nodes) if train is None else train
        forms = self.members(kernel.n_hops, members)
        return NodeGroup(kernel.fitted_, forms, n_classes, nodes, kernel.kernel_parameters())


@dataclass(kw_only=True, eq=False, repr=False)
class TunedNASKNodeClassifier(ScoresNodes, TunedStarClassifier):
    """A classifier of nodes that chooses the parameters of the kernel and of the learner.

    Every setting of a grid is judged on training nodes that it has not learned from, or on
    validation nodes. The kernel is transductive: it sees the whole network and the attributes of
    all nodes. Classes are seen of training and validation nodes only.

    Parameters
    ----------
    learner : {"ridge", "svm", "best"}, default="ridge"
        As in :class:`nask.TunedNASKClassifier`.
    estimator : NASKNodeClassifier, default=None
        Gives the parameters that the grid does not vary; by default one with ``dtype="float32"``.
    grid : {"nodes", "default", "full"}, dict of lists by parameter, or list of such, \
default="nodes"
        What to try: values of any parameter of :class:`NASKNodeClassifier` that the kernel or C
        has.
    inner : int, default=3
        Number of folds, for SVMs.
    scoring : str, default=None
        As in :class:`nask.TunedNASKClassifier`.
    random_state : int, default=0
        Of the folds.
    n_jobs : int, default=None
        Threads, in joblib's convention.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    best_estimator_ : AveragedClassifier or NASKNodeClassifier
        Fitted on all training nodes.
    best_params_ : dict
        The values of the best setting, and how many are averaged.
    best_score_ : float
        Its score by leave-one-out, on the folds, or on the validation nodes. Too good by the
        choice itself: see :func:`nask.evaluate`.
    classes_ : ndarray
    seconds_kernel_, seconds_learning_ : float
        Time spent on comparing nodes, and on learning.

    Examples
    --------
    >>> import nask
    >>> network = nask.lab.make_social_network(300)
    >>> grid = {"gamma": [1.0], "n_hops": [1, 2]}
    >>> model = nask.TunedNASKNodeClassifier(grid=grid)
    >>> model = model.fit(network.graph, network.y, network.train)
    >>> sorted(model.best_params_)
    ['alpha', 'averaged', 'gamma', 'learner', 'n_hops']
    >>> bool(model.score(network.graph, network.y, network.test) > 0.6)
    True
    """

    grid: GridName | Grid = "nodes"
    inner: int = 3

    sweep_type: ClassVar[type[StarSweep]] = NodeSweep

    def fit(
        self,
        graph: Any,
        y: Any,
        train: Any = None,
        validation: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Choose, then train on the training nodes.

        Parameters
        ----------
        graph : graph
        y : array-like of shape (n_nodes,)
            One class per node; -1, None or NaN where it is not known. Classes of nodes outside
            ``train`` and ``validation`` are not looked at.
        train : array-like of int, or of bool, default=None
            The training nodes, by their positions or by a mask; by default all that have a
            class and are not held out.
        validation : array-like of int, or of bool, default=None
            Nodes to choose the parameters on, instead of folds of the training nodes. They are
            not trained on.
        sample_weight : array-like of shape (n_nodes,), default=None
            How much each node counts, in learning and in the score that chooses, beside the weight
            of its class. One of weight 0 is neither trained nor judged on.
        """
        graph = as_graph(graph)
        target = class_per_node(y, graph.n_nodes)
        held_out = None if validation is None else known_nodes(target, validation, "validation")
        if train is None and held_out is not None:
            train = np.setdiff1d(known_nodes(target, None, "train"), held_out)
        owner = type(self).__name__
        given = known_nodes(target, train, "train")
        rows, weights = weighted_nodes(given, sample_weight, graph, owner)
        self.classes_, codes = class_codes(target[rows], "node", rows)
        judged, splits = rows, None
        known = codes
        if held_out is not None:
            held_out = weighted_nodes(held_out, sample_weight, graph, owner)[0]
            check_held_out(target, rows, held_out)
            judged, splits = one_split(rows, held_out)
            known = np.searchsorted(self.classes_, as_target(target[judged]))
            weights = weighted_nodes(judged, sample_weight, graph, owner)[1]
        self.check_search()
        both = self.goal(known, self.classes_, weights)
        goal = both.part(np.s_[: len(rows)])
        if held_out is None:
            refuse_single_members(codes, self.classes_)
        sweeps = self.sweeps_for(graph, rows, goal)
        judge: RidgeJudge | None = None
        if self.judges_ridge(len(codes)):
            judge = (
                self.judge(goal) if held_out is None else self.judge_on_validation(both, len(rows))
            )
        svm_judge = None
        if self.learner_for(len(codes)) != "ridge":
            svm_judge = self.svm_judge(both, self.classes_, self.n_jobs, splits)
        chosen = self.choose(graph, judge, svm_judge, goal, sweeps, judged)
        fitted = isinstance(chosen, AveragedClassifier)
        self.best_estimator_ = chosen if fitted else chosen.fit(graph, target, rows, sample_weight)
        return self

    def judge_on_validation(self, goal: Goal, n_train: int) -> OnValidation:
        """Return the judge of ridge regressions on validation nodes.

        Parameters
        ----------
        goal : Goal
            Of the training and then of the validation nodes.
        n_train : int
        """
        self.check_search()
        return OnValidation(goal, self.n_jobs, self.rough, n_train=n_train)

    def predict(self, graph: Any, nodes: Any = None) -> Array:
        """Most confident class of each node, or of the given ones."""
        predicted: Array = self.fitted().predict(graph, nodes)
        return predicted

    def decision_function(self, graph: Any, nodes: Any = None) -> Float64:
        """As :meth:`NASKNodeClassifier.decision_function`, of the best estimator."""
        decisions: Float64 = self.fitted().decision_function(graph, nodes)
        return decisions

    def predict_proba(self, graph: Any, nodes: Any = None) -> Float64:
        """As :meth:`NASKNodeClassifier.predict_proba`, where the estimator calibrates them."""
        probabilities: Float64 = self.fitted().predict_proba(graph, nodes)
        return probabilities

    def predict_set(
        self, graph: Any, nodes: Any = None, *, coverage: float = 0.9, by_class: bool = False
    ) -> Mask:
        """As :meth:`NASKNodeClassifier.predict_set`, where the estimator calibrates them."""
        how = {"coverage": coverage, "by_class": by_class}
        sets: Mask = self.fitted().predict_set(graph, nodes, **how)
        return sets

    def explain(
        self,
        graph: Any,
        node: int,
        *,
        target: Any = None,
        against: Any = None,
        scale: Scale = "decision",
    ) -> NodeExplanation:
        """Tell why, as :meth:`nask.NASKNodeClassifier.explain` does."""
        found: NodeExplanation = self.fitted().explain(
            graph, node, target=target, against=against, scale=scale
        )
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best estimator to a file that :func:`nask.load` reads."""
        self.fitted().save(path)

    def kernel(self, **parameters: Any) -> NodeNASK:
        """Return the kernel of a candidate, the rest of its parameters those of the estimator."""
        return NodeNASK(**{**self.base().kernel_parameters(), **parameters})

    @staticmethod
    def untuned() -> NASKNodeClassifier:
        """Return the classifier whose parameters are chosen, with its defaults."""
        return NASKNodeClassifier(dtype="float32")


def check_held_out(target: Array, rows: Positions, held_out: Positions) -> None:
    """Raise unless validation nodes are there, apart from training nodes and of their classes."""
    if not len(held_out):
        raise ParameterError("There are no validation nodes: expected one at least, or None.")
    both = np.intersect1d(rows, held_out)
    if len(both):
        raise ParameterError(
            f"Node {both[0]} is in 'train' and in 'validation': expected it in one of them."
        )
    unknown = np.setdiff1d(as_target(target[held_out]), as_target(target[rows])).tolist()
    if unknown:
        raise ParameterError(
            f"No training node has the class {quoted(unknown[0])} of a validation node: expected "
            "validation nodes of classes that can be learned."
        )
