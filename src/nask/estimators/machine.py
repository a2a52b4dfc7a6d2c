"""What the classifier and the regressor share: the kernel, its centring, saving."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.io.graph_list import GraphList
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, StarKernelParameters, is_positive
from nask.learning.support import Centring, SupportMachine
from nask.learning.targets import one_column, refuse_missing


@dataclass(kw_only=True, eq=False, repr=False)
class MachineParameters(StarKernelParameters):
    """Parameters of a support vector machine on the kernel."""

    C: float = 10.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_positive(self.C):
            raise ParameterError.expected("C", type(self).__name__, POSITIVE, self.C)


@dataclass(kw_only=True, eq=False, repr=False)
class KernelMachine(MachineParameters):
    """A support vector machine on the kernel; it keeps only the graphs that carry weight."""

    def _training_data(self, X: Any, y: Any) -> tuple[list[AttributedGraph], npt.NDArray[Any]]:
        self._check_parameters()
        return training_data(X, y, type(self).__name__)

    def _learn(self, graphs: list[AttributedGraph], model: Any, y: npt.NDArray[Any]) -> Any:
        """Fit an SVC or SVR on the centred Gram; return that Gram."""
        kernel = NASK(**self._kernel_parameters())
        gram = kernel.fit_transform(graphs)
        centring = Centring.fit(gram)
        centred = centring.apply(gram)
        model.fit(centred, y)
        self.support_ = np.asarray(model.support_)
        self._machine = SupportMachine.from_libsvm(model, centring)
        kernel._set_training(kernel._training.batch.take(self.support_))
        self.kernel_ = kernel
        self.n_graphs_ = len(graphs)
        return centred

    def _decide(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        return self._machine.decide(self.kernel_.transform(X))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays. It holds the support graphs' encoded
        attributes, and no code.
        """
        from nask.estimators.saving import save

        save(self, path)


def training_data(X: Any, y: Any, owner: str) -> tuple[list[AttributedGraph], npt.NDArray[Any]]:
    """Graphs and one value of the target each, or an error that names the estimator."""
    if y is None:
        raise ParameterError(
            f"{owner} requires y to be passed, but the target y is None: "
            "expected one value a graph."
        )
    if isinstance(X, GraphList):
        X.check_order(y)
    graphs = as_graphs(X)
    target = one_column(y)
    if len(target) != len(graphs):
        raise ParameterError(
            f"Got {len(graphs)} graphs but {len(target)} values of y: expected one a graph."
        )
    refuse_missing(target)
    return graphs, target
