"""What estimators share: the kernel of graphs and saving; how classes are learned."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Floats, Positions
from nask.choices import Learner, Multiclass, Scale
from nask.exceptions import ParameterError
from nask.explain.deciding import Asked, Decider, OnForm
from nask.explain.explanation import GraphExplanation
from nask.explain.graphs import explain_graph
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.fitted import FittedKernel
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, GraphKernelParameters, is_positive
from nask.learning.class_weights import ClassWeight, CodeWeight, weights_by_code
from nask.learning.conformal import Conformity
from nask.learning.decisions import KernelModel
from nask.learning.likeness import Likeness, Side, known_likeness
from nask.learning.ridge import KernelRidge
from nask.learning.svm import KernelSVM


def check_penalty(C: Any, owner: str) -> None:
    """Raise unless C is a penalty of training errors."""
    if not is_positive(C):
        raise ParameterError.expected("C", owner, POSITIVE, C)


def check_alpha(alpha: Any, owner: str) -> None:
    """Raise unless alpha is a penalty of complexity, or None."""
    if alpha is not None and not is_positive(alpha):
        raise ParameterError.expected("alpha", owner, f"None, or {POSITIVE}", alpha)


@dataclass(kw_only=True, eq=False, repr=False)
class LearnsClasses(BaseEstimator):
    """How classes are learned from a Gram matrix."""

    learner: Learner = "svm"
    C: float = 10.0
    alpha: float | None = None
    multiclass: Multiclass | None = None
    class_weight: ClassWeight = None
    probability: bool = True

    def check_learner(self) -> None:
        """Raise on the first of these parameters outside its range."""
        owner = type(self).__name__
        check_penalty(self.C, owner)
        check_alpha(self.alpha, owner)
        options = {"learner": get_args(Learner), "multiclass": (None, *get_args(Multiclass))}
        for name, known in options.items():
            value = getattr(self, name)
            if not (value is None or isinstance(value, str)) or value not in known:
                expected = f"one of {', '.join(map(repr, known))}"
                raise ParameterError.expected(name, owner, expected, value)
        if not isinstance(self.probability, (bool, np.bool_)):
            raise ParameterError.expected("probability", owner, "a bool", self.probability)

    def weights_by_code(self, classes: Array) -> CodeWeight:
        """The weights of the classes by their number; raise where they are not weights."""
        return weights_by_code(self.class_weight, classes, type(self).__name__)

    def learn(
        self,
        gram: Floats,
        codes: Positions,
        classes: Array,
        sample_weight: Float64 | None = None,
    ) -> KernelModel:
        """Learn the classes of the training graphs, or nodes, from their Gram matrix.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        codes : ndarray of shape (n,)
            The number of each one's class.
        classes : ndarray
            The classes by number.
        sample_weight : ndarray of shape (n,), optional
            Multiplied by the weights of classes.
        """
        weights = self.weights_by_code(classes)
        if self.learner == "svm":
            return KernelSVM.classify(gram, codes, self.C, weights, self.probability, sample_weight)
        return KernelRidge.classify(
            gram, codes, self.alpha, self.multiclass, weights, self.probability, sample_weight
        )


@dataclass(kw_only=True, eq=False, repr=False)
class GraphEstimator(GraphKernelParameters):
    """A learner on the kernel between graphs; it keeps only the graphs that carry weight."""

    # The column of a table that the target came from, where a command learned from a table.
    target_name_ = cast("str | None", None)
    likeness_ = cast("Likeness | None", None)

    @property
    def support_(self) -> Positions:
        """Positions of the support graphs in the training list."""
        return self.functions_.support

    @property
    def conformity_(self) -> Conformity | None:
        """How wrong the model was about graphs that it had not learned from, where it knows."""
        found: Conformity | None = getattr(self.functions_, "conformity", None)
        return found

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        return self.kernel_.molecules_

    def explain(
        self, graph: Any, *, target: Any = None, against: Any = None, scale: Scale = "decision"
    ) -> GraphExplanation:
        """Tell why: exact shares of nodes, hops, attributes and edges in a decision.

        Parameters
        ----------
        graph : graph
            One graph, of any kind that ``predict`` takes lists of.
        target : class, default=None
            The class in question; by default the second of two classes, which decisions are
            positive for, or the predicted one of several.
        against : class, default=None
            Of several classes, the one that ``target`` is compared with. By default the score of
            ``target`` itself is explained; of an SVM, whose votes are no sum, the sum of its
            decisions for ``target`` against each other class.
        scale : {"decision", "logit"}, default="decision"
            Whether to explain the decision, or the logit of the calibrated probability. Of several
            classes that is the log odds of ``target`` against another one, by default the next
            best.

        Returns
        -------
        GraphExplanation

        Examples
        --------
        >>> import nask
        >>> mutag = nask.load_dataset("MUTAG")
        >>> model = nask.NASKClassifier(n_hops=2).fit(mutag.graphs[::2], mutag.y[::2])
        >>> why = model.explain(mutag.graphs[1])
        >>> why.hops.shape, why.nodes.shape, why.attribute_names
        ((2, 13), (13,), ('node_label',))
        >>> total = why.nodes.sum() + why.intercept
        >>> bool(np.isclose(total, model.decision_function(mutag.graphs[1:2])[0]))
        True
        """
        check_is_fitted(self)
        fitted, functions = self.kernel_.fitted_, self.functions_
        on = OnForm(fitted.form, fitted.unit, functions.scheme, functions)
        classes = getattr(self, "classes_", None)
        decider = Decider([[on]], classes, functions.calibration, functions.support)
        asked = Asked(target, against, scale)
        return explain_graph(graph, [fitted], decider, asked, self.execution())

    def applicability(self, X: Any) -> Float64:
        """How much each graph is like those of training, from 0 to 1; graphs like them at random.

        0.02 says: of the training graphs, 2 % are as far from their nearest one as this graph is,
        or farther. So if graphs with a value of 0.05 or less are set apart, these are 5 % of those
        that are like the training graphs, and most of those that are not. The nearest one is looked
        for among the support graphs, by distance in the feature space of the kernel and by size.

        Parameters
        ----------
        X : list of graphs

        Returns
        -------
        ndarray of shape (n_graphs,)

        Examples
        --------
        >>> import nask
        >>> mutag = nask.load_dataset("MUTAG")
        >>> model = nask.NASKClassifier().fit(mutag.graphs[::2], mutag.y[::2])
        >>> ring = nask.AttributedGraph(
        ...     30,
        ...     [(k, (k + 1) % 30) for k in range(30)],
        ...     {"node_label": [5] * 30},
        ...     {"edge_label": [3] * 30},
        ...     categorical=["node_label", "edge_label"],
        ... )
        >>> model.applicability([mutag.graphs[1], ring]).round(2)
        array([0.85, 0.01])
        """
        check_is_fitted(self)
        known = known_likeness(self.likeness_, type(self).__name__)
        kernel, execution = self.kernel_.fitted_, self.execution()
        rows = kernel.prepare(as_graphs(X, molecules=kernel.molecules), execution)
        gram = kernel.gram(rows, kernel.graphs, self.gram_folder, execution)
        return known.p_values(gram, *(Side.of(own, kernel.form) for own in (rows, kernel.graphs)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays. It holds the support graphs' encoded
        attributes, and no code.
        """
        from nask.estimators.saving import save

        save(self, path)

    def set_fitted(
        self,
        kernel: FittedKernel,
        functions: KernelModel,
        n_graphs: int,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Be fitted: with a kernel that has the support graphs alone.

        Parameters
        ----------
        kernel : FittedKernel
        functions : KernelModel
        n_graphs : int
            Number of training graphs.
        parameters : mapping of str to object, optional
            Those of the kernel, where they are not this estimator's.
        """
        self.kernel_ = NASK(**(parameters or self.kernel_parameters()))
        self.kernel_.fitted_ = kernel
        self.functions_, self.n_graphs_ = functions, n_graphs

    def _keep(
        self,
        kernel: FittedKernel,
        functions: KernelModel,
        there: Positions,
        n_graphs: int,
        gram: Floats | None = None,
    ) -> None:
        """Be fitted: with the support graphs of those that were there to learn from.

        The Gram matrix of these tells how far they are from each other.
        """
        side = Side.of(kernel.graphs, kernel.form)
        self.likeness_ = None if gram is None else Likeness.fit(gram, side, functions.support)
        reduced = kernel.take(functions.support)
        self.set_fitted(reduced, replace(functions, support=there[functions.support]), n_graphs)

    def _gram(self, X: Any) -> Floats:
        """The kernel between graphs and the support graphs."""
        check_is_fitted(self)
        kernel, execution = self.kernel_.fitted_, self.execution()
        rows = kernel.prepare(as_graphs(X, molecules=kernel.molecules), execution)
        return kernel.gram(rows, kernel.graphs, self.gram_folder, execution)

    def _fit_kernel(self, graphs: list[AttributedGraph]) -> tuple[FittedKernel, Floats]:
        fitted = FittedKernel.fit(self, graphs)
        return fitted.training_gram(self.gram_folder, self.execution())
