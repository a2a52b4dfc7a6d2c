"""What estimators share: the kernel of graphs and saving; how classes are learned."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from sklearn.base import BaseEstimator

from nask.arrays import Array, Floats, Positions
from nask.choices import Learner, Multiclass
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.fitted import FittedKernel
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, GraphKernelParameters, is_positive
from nask.learning.class_weights import ClassWeight, CodeWeight, weights_by_code
from nask.learning.decisions import KernelModel
from nask.learning.ridge import KernelRidge
from nask.learning.svm import KernelSVM


def check_penalty(C: Any, owner: str) -> None:
    """Raise unless C is a penalty of training errors."""
    if not is_positive(C):
        raise ParameterError.expected("C", owner, POSITIVE, C)


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
        if self.alpha is not None and not is_positive(self.alpha):
            raise ParameterError.expected("alpha", owner, f"None, or {POSITIVE}", self.alpha)
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

    def learn(self, gram: Floats, codes: Positions, classes: Array) -> KernelModel:
        """Learn the classes of the training graphs, or nodes, from their Gram matrix.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        codes : ndarray of shape (n,)
            The number of each one's class.
        classes : ndarray
            The classes by number.
        """
        weights = self.weights_by_code(classes)
        if self.learner == "svm":
            return KernelSVM.classify(gram, codes, self.C, weights, self.probability)
        return KernelRidge.classify(
            gram, codes, self.alpha, self.multiclass, weights, self.probability
        )


@dataclass(kw_only=True, eq=False, repr=False)
class GraphEstimator(GraphKernelParameters):
    """A learner on the kernel between graphs; it keeps only the graphs that carry weight."""

    @property
    def support_(self) -> Positions:
        """Positions of the support graphs in the training list."""
        return self.functions_.support

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays. It holds the support graphs' encoded
        attributes, and no code.
        """
        from nask.estimators.saving import save

        save(self, path)

    def set_fitted(self, kernel: FittedKernel, functions: KernelModel, n_graphs: int) -> None:
        """Be fitted: with a kernel that has the support graphs alone.

        Parameters
        ----------
        kernel : FittedKernel
        functions : KernelModel
        n_graphs : int
            Number of training graphs.
        """
        self.kernel_ = NASK(**self.kernel_parameters())
        self.kernel_.fitted_ = kernel
        self.functions_, self.n_graphs_ = functions, n_graphs

    def _fit_kernel(self, graphs: list[AttributedGraph]) -> tuple[FittedKernel, Floats]:
        fitted = FittedKernel.fit(self, graphs)
        return fitted.training_gram(self.gram_folder, self.execution())
