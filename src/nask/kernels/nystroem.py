"""Few columns that carry the exact kernel: its values with landmarks, made orthogonal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64, Floats, Positions
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.new_graphs import compare_attributes
from nask.graph.schema import Schema
from nask.io.coerce import as_graphs, graph_batches
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.fitted import FittedKernel
from nask.kernels.landmarks import CANDIDATES_PER_LANDMARK, far_apart, uniform, whitening
from nask.kernels.parameters import GraphKernelParameters, is_integer, is_number

Landmarks = Literal["uniform", "k-means++"]


@dataclass(kw_only=True, eq=False, repr=False)
class NASKNystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GraphKernelParameters):
    r"""Rows whose products are the exact kernel, as far as landmark graphs span it.

    Between :class:`nask.NASK`, which compares every graph with every other, and
    :class:`nask.NASKFeatures`, whose products are right on average only. Some training graphs are
    landmarks L. A graph G has the row :math:`K(G, L) \, V \Lambda^{-1/2}` with the eigenvectors
    and eigenvalues of K(L, L) [1]_. Products with rows of landmarks are exact; others are those of
    the parts that lie in the span of the landmarks. The time is that of comparing each graph with
    the landmarks, and a row depends on the graph and the landmarks alone, so graphs may come in a
    stream.

    Parameters
    ----------
    n_components : int, default=256
        Number of landmarks: all training graphs, where there are fewer.
    landmarks : {"uniform", "k-means++"}, default="uniform"
        How they are chosen. "uniform": at random. "k-means++": one after the other, each with a
        chance in proportion to its squared distance from the nearest one before, among
        four times as many graphs drawn at random.
    cut : float, default=1e-10
        Eigenvalues of K(L, L) up to this part of the largest one are left out, with their columns:
        1 / sqrt of them would magnify rounding errors.
    random_state : int, default=0
        The seed of the choice.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults. With ``gram="rbf"`` the mean
        squared distance is that between landmarks.

    Attributes
    ----------
    fitted_ : FittedKernel
        The kernel, with the landmarks as its training graphs.
    landmarks_ : ndarray of int
        Positions of the landmarks among the training graphs.
    n_components_ : int
        Number of columns, after the cut.
    schema_ : Schema
        Attributes, ranges and categories of all training graphs.
    molecules_ : MoleculeReading or None
        How training molecules were read, as new ones are; None if they were other graphs.

    References
    ----------
    .. [1] C. K. I. Williams and M. Seeger. Using the Nystroem method to speed up kernel machines.
       NIPS 2000.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> rows = nask.NASKNystroem(n_components=64).fit_transform(mutag.graphs)
    >>> exact = nask.NASK().fit_transform(mutag.graphs)
    >>> bool(abs(rows @ rows.T - exact).mean() < 0.01)
    True
    >>> nask.NASKNystroem(landmarks="random").fit(mutag.graphs)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'landmarks' parameter of NASKNystroem must be ...
    """

    n_components: int = 256
    landmarks: Landmarks = "uniform"
    cut: float = 1e-10
    random_state: int = 0

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check_integer("n_components", 1)
        self._check_option("landmarks", get_args(Landmarks))
        valid = is_number(self.cut) and 0 <= self.cut < 1
        self._check(valid, "cut", "a float in the range [0, 1)")
        valid = is_integer(self.random_state) and self.random_state >= 0
        self._check(valid, "random_state", "an int of 0 or more")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the schema of the training graphs, choose landmarks and compare them.

        Parameters
        ----------
        X : list of graphs
        y : ignored
        """
        self.check_parameters()
        graphs, execution = as_graphs(X), self.execution()
        n = int(self.n_components)
        if self.landmarks == "uniform":
            chosen = uniform(len(graphs), n, self.random_state)
        else:
            some = uniform(len(graphs), CANDIDATES_PER_LANDMARK * n, self.random_state)
            candidates = FittedKernel.fit(self, graphs, some)
            chosen = some[far_apart(candidates, n, self.random_state, execution)]
        kernel = FittedKernel.fit(self, graphs, chosen)
        kernel, gram = kernel.training_gram(self.gram_folder, execution)
        self.set_fitted(kernel, whitening(gram, float(self.cut)), chosen)
        return self

    def transform(self, X: Any) -> Floats:
        """Rows of graphs, (n_graphs, n_components_)."""
        check_is_fitted(self)
        graphs = as_graphs(X, molecules=self.molecules_)
        compare_attributes(graphs, self.schema_)
        return self.transform_batch(graphs)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Floats:
        """Fit, and return the rows of the training graphs."""
        graphs = as_graphs(X)
        return self.fit(graphs).transform_batch(graphs)

    def transform_batch(self, graphs: list[AttributedGraph], first: int = 0) -> Floats:
        """Rows of some graphs of a collection, for callers that divide it into batches.

        Parameters
        ----------
        graphs : list of AttributedGraph
            Others may have the attributes of training that these lack: it is not told.
        first : int, default=0
            Place of the first one in the collection, for errors.
        """
        check_is_fitted(self)
        kernel, execution = self.fitted_, self.execution()
        batch = GraphBatch.encode(graphs, self.schema_, compare=False, first=first)
        rows = kernel.prepare_batch(batch.with_dense_features(), execution)
        gram = kernel.gram(rows, kernel.graphs, self.gram_folder, execution)
        return np.asarray(gram @ self.whitening_, dtype=kernel.form.dtype)

    def stream(self, graphs: Iterable[Any], batch_size: int = 256) -> Iterator[Floats]:
        """Rows of an endless row of graphs, some at a time, in constant memory.

        Parameters
        ----------
        graphs : iterable of graphs
            Read as far as rows are asked for.
        batch_size : int
            Graphs that are read at a time.
        """
        check_is_fitted(self)
        for first, batch in graph_batches(graphs, batch_size, self.molecules_):
            compare_attributes(batch, self.schema_, first)
            yield self.transform_batch(batch, first)

    def set_fitted(self, kernel: FittedKernel, whitening: Float64, chosen: Positions) -> None:
        """Be fitted: with landmarks, what their Gram matrix gives, and their positions."""
        self.fitted_, self.whitening_, self.landmarks_ = kernel, whitening, chosen

    @property
    def n_components_(self) -> int:
        """Number of columns, after the cut."""
        check_is_fitted(self)
        return int(self.whitening_.shape[1])

    @property
    def schema_(self) -> Schema:
        """Attributes, ranges and categories of the training graphs."""
        return self.fitted_.schema

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        return self.fitted_.molecules

    @property
    def _n_features_out(self) -> int:
        """Number of columns, for scikit-learn's names of them."""
        return self.n_components_
