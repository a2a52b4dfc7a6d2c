"""Classification of the nodes of one graph."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal, Self, cast, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Index, Mask, Positions
from nask.choices import Scale
from nask.estimators.base import LearnsClasses
from nask.exceptions import ParameterError
from nask.execution.resources import total_memory
from nask.explain.deciding import Asked, Decider, OnForm
from nask.explain.features import FeatureExplanation, explain_rows
from nask.explain.nodes import NodeExplanation, check_node, explain_node
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.chosen_nodes import node_positions
from nask.io.coerce import as_graph
from nask.kernels.feature_work import FeatureType
from nask.kernels.features import NASKFeatures
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.node_nask import NodeNASK
from nask.kernels.parameters import NodeKernelParameters, StarParameters, is_integer
from nask.learning.conformal import Conformity
from nask.learning.coverage import class_sets
from nask.learning.decisions import KernelModel, most_confident
from nask.learning.linear import fit_linear
from nask.learning.mixins import ScoresNodes
from nask.learning.node_targets import class_per_node, known_nodes, weighted_nodes
from nask.learning.targets import class_codes

Method = Literal["auto", "exact", "features"]


@dataclass(kw_only=True, eq=False, repr=False)
class NASKNodeClassifier(ScoresNodes, LearnsClasses, NodeKernelParameters):
    """A classifier of the nodes of one graph, on their stars: an SVM or ridge regression.

    The classes of some nodes are known; those of the others are found from their attributes and
    neighbourhoods, which are compared by :class:`nask.NodeNASK`. Nodes whose class is not known
    take part as neighbours, and the ranges and categories of attributes are those of all nodes.

    Parameters
    ----------
    learner : {"svm", "ridge"}, default="svm"
        A support vector machine, or ridge regression, as in :class:`nask.NASKClassifier`, which
        also tells of ``alpha`` and ``multiclass``.
    C : float, default=10.0
        Penalty of training errors, on a Gram matrix centred and scaled to unit mean diagonal.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's SVC.
    probability : bool, default=False
        Whether to calibrate probabilities, at the cost of five more fits of an SVM.
    method : {"auto", "exact", "features"}, default="auto"
        "exact": the kernel between all nodes, which takes two or three matrices of nodes x nodes.
        "features": a linear SVM on random features that approximate the kernel. "auto": exact where
        that fits ``memory_limit``, or half of the computer's memory where no limit is given.
    n_components : int, default=4096
        Number of features, for "features" only. It learns with the squared hinge loss, one class
        against the others, and has neither probabilities nor a Gaussian Gram. They are of float16
        where those of float32 would not fit that memory, see :class:`nask.NASKFeatures`.
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
        The fitted kernel, with the training graph; of "exact" only.
    functions_ : KernelSVM or KernelRidge
        Coefficients of the support nodes, and constants; of "exact" only.
    support_ : ndarray of int
        Support nodes, as positions in the training graph; of "exact" only.
    features_ : NASKFeatures
        Of "features" only.
    linear_ : LinearSVM
        Of "features" only.
    n_nodes_ : int
        Number of nodes of the training graph.
    train_ : ndarray of int
        The training nodes, as positions in the training graph.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(6, [(i, i + 1) for i in range(5)], {"age": [1, 2, 3, 7, 8, 9]})
    >>> y = ["young", None, None, None, None, "old"]
    >>> nask.NASKNodeClassifier(n_hops=2).fit(path, y).predict(path).tolist()
    ['young', 'young', 'young', 'old', 'old', 'old']
    """

    # The column of a table that the target came from, where a command learned from a table.
    target_name_ = cast("str | None", None)

    probability: bool = False
    method: Method = "auto"
    n_components: int = 4096
    random_state: int = 0

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self.check_learner()
        self._check_option("method", get_args(Method))
        valid = is_integer(self.n_components) and self.n_components >= 1
        self._check(valid, "n_components", "an int in the range [1, inf)")

    def fit(self, graph: Any, y: Any, train: Any = None, sample_weight: Any = None) -> Self:
        """Train on the nodes of a graph whose class is known.

        Parameters
        ----------
        graph : graph
            An :class:`AttributedGraph`, a networkx graph or PyG ``Data``.
        y : array of shape (n_nodes,)
            One class per node, text or integers; -1, None or NaN where it is not known.
        train : array of int, or of bool, default=None
            Nodes to train on, by their positions or by a mask; all whose class is known by
            default. Classes of other nodes are not looked at.
        sample_weight : array of shape (n_nodes,), default=None
            How much each training node counts, beside the weight of its class. A node of weight 2
            is as good as two, one of weight 0 is not learned from.
        """
        self.check_parameters()
        graph = as_graph(graph)
        target = class_per_node(y, graph.n_nodes)
        nodes, weights = weighted_nodes(
            known_nodes(target, train, "train"), sample_weight, graph, type(self).__name__
        )
        self.classes_, codes = class_codes(target[nodes], "node", nodes)
        self.weights_by_code(self.classes_)
        self.n_nodes_ = graph.n_nodes
        kernel = FittedNodeKernel.fit(self, graph)
        self.method_ = self._choose_method(kernel, len(nodes))
        if self.method_ == "features":
            self._fit_features(graph, nodes, codes, weights)
        else:
            self._fit_exact(kernel, nodes, codes, weights)
        return self

    @property
    def support_(self) -> Index:
        """Support nodes, as positions in the training graph."""
        return self._nodes[self.functions_.support]

    def decision_function(self, graph: Any, nodes: Any = None) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        check_is_fitted(self)
        graph = as_graph(graph)
        chosen = None if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        if self.method_ == "exact":
            kernel, support = self.kernel_.fitted_, self.support_
            return self.functions_.confidence(kernel.gram(graph, chosen, support, self.execution()))
        if graph is self._graph or graph == self._graph:
            confidence = self._confidence
        else:
            confidence = self.linear_.confidence(self.features_.transform(graph))
        return confidence if chosen is None else confidence[chosen]

    def predict(self, graph: Any, nodes: Any = None) -> Array:
        """Most confident class of nodes of a graph.

        Parameters
        ----------
        graph : graph
            The training graph, or another one with the same attributes.
        nodes : array of int, or of bool, default=None
            Which nodes of ``graph``, by their positions or by a mask; all by default.
        """
        chosen = most_confident(self.decision_function(graph, nodes))
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, graph: Any, nodes: Any = None) -> Float64:
        """Calibrated probability of each class, (m, n_classes)."""
        check_is_fitted(self)
        if self.method_ == "features" or self.functions_.calibration is None:
            raise ParameterError(
                "This NASKNodeClassifier has no probabilities: it was fitted with "
                "probability=False, or a class had a single training node. Fit with "
                "probability=True and two nodes or more of each class."
            )
        return self.functions_.calibration.probabilities(self.decision_function(graph, nodes))

    def predict_set(
        self, graph: Any, nodes: Any = None, *, coverage: float = 0.9, by_class: bool = False
    ) -> Mask:
        """Tell which classes each node may have: see :meth:`nask.NASKClassifier.predict_set`.

        It takes ``probability=True``. Nodes are covered so often where those learned from were
        drawn at random from all.
        """
        check_is_fitted(self)
        calibration = None if self.conformity_ is None else self.functions_.calibration
        decide = partial(self.decision_function, graph, nodes)
        how = coverage, by_class, type(self).__name__
        return class_sets(self.conformity_, calibration, decide, *how)

    @property
    def conformity_(self) -> Conformity | None:
        """How wrong the model was about nodes that it had not learned from, where it knows."""
        return self.functions_.conformity if self.method_ == "exact" else None

    def explain(
        self,
        graph: Any,
        node: int,
        *,
        target: Any = None,
        against: Any = None,
        scale: Scale = "decision",
    ) -> NodeExplanation:
        """Tell why: exact shares of the nodes around, their attributes and edges in a decision.

        Parameters
        ----------
        graph : graph
            The training graph, or another one with the same attributes.
        node : int
            The position of the node in question.
        target, against, scale
            As in :meth:`nask.NASKClassifier.explain`.

        Examples
        --------
        >>> import nask
        >>> edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
        >>> path = nask.AttributedGraph(5, edges, {"age": [1, 2, 4, 8, 9]})
        >>> y = ["young", None, None, None, "old"]
        >>> model = nask.NASKNodeClassifier(n_hops=1).fit(path, y)
        >>> why = model.explain(path, 2)
        >>> why.nodes.shape, why.target, np.flatnonzero(why.nodes)
        ((5,), 'young', array([1, 2, 3]))
        >>> total = why.nodes.sum() + why.intercept
        >>> bool(np.isclose(total, model.decision_function(path, [2])[0]))
        True
        """
        check_is_fitted(self)
        if self.method_ == "features":
            raise ParameterError(
                "Random features do not tell the members of a star apart, so a model that learned "
                "from features cannot be explained exactly. Fit with method='exact', or call "
                "explain_stars for the shares of stars alone."
            )
        fitted, functions = self.kernel_.fitted_, self.functions_
        on = OnForm(fitted.form, fitted.unit, functions.scheme, functions)
        decider = Decider([[on]], self.classes_, functions.calibration, self.support_)
        asked = Asked(target, against, scale)
        return explain_node(graph, node, [fitted], decider, asked, self.execution())

    def explain_stars(
        self, graph: Any, node: int, *, target: Any = None, against: Any = None
    ) -> FeatureExplanation:
        """Tell why, of a model on random features: shares of stars, hop by hop.

        Without ``restart`` only the star of the node itself has a share.

        Parameters
        ----------
        graph : graph
        node : int
        target, against
            As in :meth:`explain`.
        """
        check_is_fitted(self)
        if self.method_ != "features":
            raise ParameterError("explain_stars is for method='features'. Call explain instead.")
        own, asked = as_graph(graph), Asked(target, against)
        check_node(node, own)
        return explain_rows(self.features_, self.linear_, self.classes_, own, node, asked)

    @property
    def train_(self) -> Index:
        """Training nodes, as positions in the training graph."""
        return self._nodes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays, without code. It holds the whole training
        graph, since the stars of nodes reach into it. A model of "features" has no file.
        """
        from nask.estimators.saving_nodes import save_node_classifier

        check_is_fitted(self)
        save_node_classifier(self, path)

    def set_fitted(self, kernel: FittedNodeKernel, functions: KernelModel, nodes: Index) -> None:
        """Be fitted, with the exact kernel.

        Parameters
        ----------
        kernel : FittedNodeKernel
        functions : KernelModel
            Of the training nodes.
        nodes : ndarray of int
            The training nodes.
        """
        self.kernel_ = NodeNASK(**self.kernel_parameters())
        self.kernel_.fitted_, self.functions_ = kernel, functions
        self.method_, self.n_nodes_, self._nodes = "exact", kernel.n_nodes, nodes

    def _fit_exact(
        self,
        kernel: FittedNodeKernel,
        nodes: Index,
        codes: Positions,
        weights: Float64 | None,
    ) -> None:
        fitted, gram = kernel.training_gram(nodes, self.execution())
        self.set_fitted(fitted, self.learn(gram, codes, self.classes_, weights), nodes)

    def _fit_features(
        self,
        graph: AttributedGraph,
        nodes: Index,
        codes: Positions,
        weights: Float64 | None,
    ) -> None:
        owner = type(self).__name__
        for name, only in (
            ("learner", "svm"),
            ("gram", "linear"),
            ("prune_cores", False),
            ("probability", False),
        ):
            if getattr(self, name) != only:
                raise ParameterError(
                    f"{owner} learns from features here, with which {name} can only be {only!r}. "
                    "Use that, or method='exact' and a memory_limit that suffices."
                )
        shared = {field.name: getattr(self, field.name) for field in fields(StarParameters)}
        self.features_ = NASKFeatures(
            level="node",
            n_components=self.n_components,
            restart=self.restart,
            random_state=self.random_state,
            dtype=self._choose_dtype(graph.n_nodes),
            **shared,
        ).set_output(transform="default")
        rows = self.features_.fit_transform(graph)
        self.linear_ = fit_linear(
            rows,
            codes,
            self.C,
            nodes,
            self.weights_by_code(self.classes_),
            n_jobs=self.n_jobs,
            progress=self.verbose,
            sample_weight=weights,
        )
        # The rows take gigabytes: what they say of the nodes of this graph is kept instead.
        self._graph, self._confidence = graph, self.linear_.confidence(rows)
        self._nodes = nodes

    def _choose_dtype(self, n_nodes: int) -> FeatureType:
        """float16 where float32 does not fit, and the features can be of it."""
        plain = self.star_norm and self.normalize and not self.restart and not self.hop_weights
        limit = self.execution().memory_limit or total_memory() // 2
        # Of a node: its features, and the vectors of two hops, which are about as long in all.
        fits = 2 * 4 * n_nodes * self.n_components <= limit
        return "float32" if fits or not plain else "float16"

    def _choose_method(self, kernel: FittedNodeKernel, n_train: int) -> str:
        if self.method != "auto":
            return self.method
        execution = self.execution()
        limit = execution.memory_limit or total_memory() // 2
        # Learning takes the Gram matrix and a centred copy in float64; comparing takes P between
        # all nodes, which is told before the graph is encoded.
        learning, least = 16 * n_train**2, 4 * kernel.n_nodes**2
        if max(learning, least) > limit:
            return "features"
        needed = kernel.needed_bytes(n_train, n_train, execution)
        return "exact" if needed <= limit else "features"
