"""Classification of the nodes of one graph."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from nask.estimators.classifier import (
    Calibration,
    ClassWeight,
    calibrate,
    probabilities,
    weights_by_code,
)
from nask.estimators.machine import MachineParameters
from nask.exceptions import ParameterError
from nask.execution.resources import total_memory
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.chosen_nodes import node_positions
from nask.io.coerce import as_graph
from nask.io.node_dataset import NO_CLASS
from nask.io.target import as_target, is_number
from nask.kernels.features import NASKFeatures
from nask.kernels.node_nask import NodeNASK
from nask.kernels.parameters import StarParameters, is_integer
from nask.learning.linear import fit_linear, most_decided
from nask.learning.support import Centring, SupportMachine, class_confidence, most_confident
from nask.learning.targets import class_codes, one_column

Method = Literal["auto", "exact", "features"]
Index = npt.NDArray[np.int64]
Weights = dict[int, float] | str | None


@dataclass(kw_only=True, eq=False, repr=False)
class NASKNodeClassifier(ClassifierMixin, MachineParameters):
    """A support vector classifier of the nodes of one graph, on their stars.

    The classes of some nodes are known; those of the others are found from their attributes and
    neighbourhoods, which are compared by :class:`nask.NodeNASK`. Nodes whose class is not known
    take part as neighbours, and the ranges and categories of attributes are those of all nodes.

    Parameters
    ----------
    C : float, default=10.0
        Penalty of training errors, on a Gram matrix centred and scaled to unit mean diagonal.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's SVC.
    probability : bool, default=False
        Whether to calibrate probabilities, at the cost of five more fits of the SVM.
    method : {"auto", "exact", "features"}, default="auto"
        "exact": the kernel between all nodes, which takes two or three matrices of nodes x nodes.
        "features": a linear machine on features that approximate the kernel. "auto": exact where
        that fits ``memory_limit``, or half of the machine's memory where no limit is given.
    n_components : int, default=4096
        Number of features, for "features" only. It learns with the squared hinge loss, one class
        against the others, and has neither probabilities nor a Gaussian Gram.
    random_state : int, default=0
        Of the features.
    **kernel parameters
        All those of :class:`nask.NodeNASK`, with the same defaults. With ``gram="rbf"`` the mean
        squared distance is that between training nodes.

    Attributes
    ----------
    classes_ : ndarray
    method_ : str
        The method in use.
    kernel_ : NodeNASK
        The fitted kernel, with the training graph.
    support_ : ndarray of int
        Support nodes, as positions in the training graph; of "exact" only.
    features_ : NASKFeatures
        Of "features" only.
    n_nodes_ : int
        Number of nodes of the training graph.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(6, [(i, i + 1) for i in range(5)], {"age": [1, 2, 3, 7, 8, 9]})
    >>> y = ["young", None, None, None, None, "old"]
    >>> nask.NASKNodeClassifier(n_hops=2).fit(path, y).predict(path).tolist()
    ['young', 'young', 'young', 'old', 'old', 'old']
    """

    class_weight: ClassWeight = None
    probability: bool = False
    method: Method = "auto"
    n_components: int = 4096
    random_state: int = 0

    def fit(self, graph: Any, y: Any, train: Any = None) -> Self:
        """Train on the nodes of a graph whose class is known.

        Parameters
        ----------
        graph : graph
            An :class:`AttributedGraph`, a networkx graph or PyG ``Data``.
        y : array of shape (n_nodes,)
            One class a node, text or integers; -1, None or NaN where it is not known.
        train : array of int, or of bool, default=None
            Nodes to train on, by their positions or by a mask; all whose class is known by
            default. Classes of other nodes are not looked at.
        """
        self._check_parameters()
        graph = as_graph(graph)
        target = one_class_a_node(y, graph.n_nodes)
        nodes = known_nodes(target, train, "train")
        self.classes_, codes = class_codes(target[nodes], "node", nodes)
        weights = self._weights_by_code(self.classes_)
        self.n_nodes_ = graph.n_nodes
        kernel = NodeNASK(**self._kernel_parameters())
        kernel._fit(graph)
        self.kernel_ = kernel
        self.method_ = self._choose_method(kernel, len(nodes))
        if self.method_ == "features":
            self._fit_features(graph, nodes, codes, weights)
        else:
            self._fit_exact(kernel, nodes, codes, weights)
        return self

    def _fit_exact(
        self, kernel: NodeNASK, nodes: Index, codes: npt.NDArray[np.intp], weights: Weights
    ) -> None:
        gram = kernel._training_gram(nodes)
        model = SVC(kernel="precomputed", C=self.C, class_weight=weights)
        centring = Centring.fit(gram)
        centred = centring.apply(gram)
        del gram
        model.fit(centred, codes)
        self.support_ = nodes[model.support_]
        self._machine = SupportMachine.from_libsvm(model, centring)
        self._calibration: Calibration | None = None
        smallest = int(np.bincount(codes).min())
        if self.probability and smallest > 1:
            self._calibration = calibrate(model, centred, codes, smallest)

    def _weights_by_code(self, classes: npt.NDArray[Any]) -> Weights:
        return weights_by_code(self.class_weight, classes, type(self).__name__)

    def _fit_features(
        self, graph: AttributedGraph, nodes: Index, codes: npt.NDArray[np.intp], weights: Weights
    ) -> None:
        owner = type(self).__name__
        for name, only in (("gram", "linear"), ("prune_cores", False), ("probability", False)):
            if getattr(self, name) != only:
                raise ParameterError(
                    f"{owner} learns from features here, with which {name} can only be {only!r}. "
                    "Use that, or method='exact' and a memory_limit that suffices."
                )
        shared = {field.name: getattr(self, field.name) for field in fields(StarParameters)}
        self.features_ = NASKFeatures(
            level="node", n_components=self.n_components, random_state=self.random_state, **shared
        )
        rows = self.features_.fit_transform(graph)
        self._linear = fit_linear(
            rows, codes, self.C, nodes, weights, n_jobs=self.n_jobs, progress=self.verbose
        )
        # The rows take gigabytes: what they say of the nodes of this graph is kept instead.
        self._decisions = self._linear.decide(rows)
        self._calibration = None

    def decision_function(self, graph: Any, nodes: Any = None) -> npt.NDArray[np.float64]:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        check_is_fitted(self)
        if self.method_ == "features":
            decisions = self._decide_by_features(graph, nodes)
            return decisions[:, 0] if len(self.classes_) == 2 else decisions
        return class_confidence(self._decide(graph, nodes), len(self.classes_))

    def predict(self, graph: Any, nodes: Any = None) -> npt.NDArray[Any]:
        """Most confident class of nodes of a graph.

        Parameters
        ----------
        graph : graph
            The training graph, or another one with the same attributes.
        nodes : array of int, or of bool, default=None
            Which nodes of ``graph``, by their positions or by a mask; all by default.
        """
        check_is_fitted(self)
        if self.method_ == "features":
            chosen = most_decided(self._decide_by_features(graph, nodes))
        else:
            chosen = most_confident(self._decide(graph, nodes), len(self.classes_))
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, graph: Any, nodes: Any = None) -> npt.NDArray[np.float64]:
        """Calibrated probability of each class, (m, n_classes)."""
        check_is_fitted(self)
        if self._calibration is None:
            raise ParameterError(
                "This NASKNodeClassifier has no probabilities: it was fitted with "
                "probability=False, or a class had a single training node. Fit with "
                "probability=True and two nodes or more of each class."
            )
        return probabilities(self.decision_function(graph, nodes), *self._calibration)

    def score(self, graph: Any, y: Any, nodes: Any = None) -> float:
        """Share of nodes whose class is found.

        Parameters
        ----------
        graph : graph
        y : array of shape (n_nodes,)
            One class a node, as in :meth:`fit`.
        nodes : array of int, or of bool, default=None
            Which nodes, by their positions or by a mask; all whose class is known by default.
        """
        graph = as_graph(graph)
        target = one_class_a_node(y, graph.n_nodes)
        chosen, truth = scored_nodes(target, nodes)
        return float(np.mean(self.predict(graph, chosen) == truth))

    def _decide(self, graph: Any, nodes: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        return self._machine.decide(self.kernel_._between(graph, nodes, self.support_))

    def _decide_by_features(self, graph: Any, nodes: Any) -> npt.NDArray[np.float64]:
        graph = as_graph(graph)
        chosen = slice(None) if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        if self.kernel_.is_training(graph):
            return self._decisions[chosen]
        return self._linear.decide(self.features_.transform(graph))[chosen]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        if self.method not in get_args(Method):
            options = ", ".join(map(repr, get_args(Method)))
            raise ParameterError.expected("method", owner, f"one of {options}", self.method)
        if not is_integer(self.n_components) or self.n_components < 1:
            expected = "an int in the range [1, inf)"
            raise ParameterError.expected("n_components", owner, expected, self.n_components)
        if not isinstance(self.probability, (bool, np.bool_)):
            raise ParameterError.expected("probability", owner, "a bool", self.probability)

    def _choose_method(self, kernel: NodeNASK, n_train: int) -> str:
        if self.method != "auto":
            return self.method
        limit = self._execution().memory_limit or total_memory() // 2
        # Learning takes the Gram matrix and a centred copy in float64.
        comparing, learning = kernel._needed_bytes(n_train, n_train), 16 * n_train**2
        return "exact" if max(comparing, learning) <= limit else "features"


def one_class_a_node(y: Any, n_nodes: int) -> npt.NDArray[Any]:
    """Classes as an array of objects, None where one is not known."""
    if y is None:
        raise ParameterError(
            "A classifier of nodes requires y to be passed, but the target y is None: expected "
            "one class a node."
        )
    target = np.array(one_column(y, "node"), dtype=object)
    if len(target) != n_nodes:
        raise ParameterError(
            f"Got {len(target)} values of y for a graph of {n_nodes} nodes: expected one a node, "
            "-1 or None where the class is not known."
        )
    target[[is_missing(label) or _is_no_class(label) for label in target]] = None
    return target


def _is_no_class(label: Any) -> bool:
    return is_number(label) and bool(label == NO_CLASS)


def known_nodes(target: npt.NDArray[Any], nodes: Any, name: str) -> Index:
    """Check the nodes given, or take all that have a class."""
    known = np.array([label is not None for label in target], dtype=bool)
    if nodes is None:
        return np.flatnonzero(known)
    positions = node_positions(nodes, len(target), name)
    unknown = positions[~known[positions]]
    if len(unknown):
        raise ParameterError(
            f"Node {unknown[0]} is in {name!r}, but has no class (-1, None or NaN in y). Leave it "
            "out."
        )
    return positions


def scored_nodes(target: npt.NDArray[Any], nodes: Any) -> tuple[Index, npt.NDArray[Any]]:
    """Nodes to score and their classes: the given ones, or all that have a class."""
    chosen = known_nodes(target, nodes, "nodes")
    if not len(chosen):
        raise ParameterError(
            "There are no nodes to score: expected one at least whose class is in y."
        )
    return chosen, as_target(target[chosen])
