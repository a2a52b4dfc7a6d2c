"""What the classifier and the regressor of graphs share: the kernel, and saving."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64, Floats, Positions
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.fitted import FittedKernel
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, GraphKernelParameters, is_positive
from nask.learning.svm import KernelSVM


def check_penalty(C: Any, owner: str) -> None:
    """Raise unless C is a penalty of training errors."""
    if not is_positive(C):
        raise ParameterError.expected("C", owner, POSITIVE, C)


@dataclass(kw_only=True, eq=False, repr=False)
class GraphSVM(GraphKernelParameters):
    """An SVM on the kernel between graphs; it keeps only the graphs that carry weight."""

    C: float = 10.0

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        check_penalty(self.C, type(self).__name__)

    @property
    def support_(self) -> Positions:
        """Positions of the support graphs in the training list."""
        return self.svm_.support

    def decide(self, X: Any) -> Float64:
        """Values of the decision functions, graphs x functions."""
        check_is_fitted(self)
        return self.svm_.decide(self.kernel_.transform(X))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays. It holds the support graphs' encoded
        attributes, and no code.
        """
        from nask.estimators.saving import save

        save(self, path)

    def set_fitted(self, kernel: FittedKernel, svm: KernelSVM, n_graphs: int) -> None:
        """Be fitted: with a kernel that has the support graphs alone.

        Parameters
        ----------
        kernel : FittedKernel
        svm : KernelSVM
        n_graphs : int
            Number of training graphs.
        """
        self.kernel_ = NASK(**self.kernel_parameters())
        self.kernel_.fitted_ = kernel
        self.svm_, self.n_graphs_ = svm, n_graphs

    def _fit_kernel(self, graphs: list[AttributedGraph]) -> tuple[FittedKernel, Floats]:
        fitted = FittedKernel.fit(self, graphs)
        return fitted.training_gram(self.gram_folder, self.execution())
