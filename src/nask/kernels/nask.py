"""The Neighborhood-Aware Star Kernel as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Floats
from nask.engines.contract import Prepared
from nask.graph.schema import Schema
from nask.io.coerce import as_graphs
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.fitted import FittedKernel
from nask.kernels.parameters import GraphKernelParameters


@dataclass(kw_only=True, eq=False, repr=False)
class NASK(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GraphKernelParameters):
    r"""The Neighborhood-Aware Star Kernel between graphs with mixed attributes.

    Two nodes compare by their attributes,

    .. math:: P(v, v') = \sum_d w_d \, e^{-\gamma_d (1 - s_d(v, v'))}

    with Gower's similarity s of each attribute; two stars by their cores, nodes and edges,

    .. math:: k_h(v, v') = P_{h-1}(v, v') \Big( \sum_{u \in N[v]} \sum_{u' \in N[v']} P_{h-1}(u, u')
              + \sum_{e \in E(v)} \sum_{e' \in E(v')} P_E(e, e') \Big)

    and stars of stars hop by hop, with
    :math:`P_h = \exp(-\gamma_\star (1 - \hat k_h))` of the normalised :math:`\hat k_h`. The graph
    kernel sums over hops and pairs of stars. It is positive (semi-)definite, with missing values
    and values outside the training range included.

    Gower's similarity of two numbers falls from 1 to 0 as they move apart by the range of the
    training values (and is 1 where the training graphs had a single value); that of two categories
    is 1 if they are equal. A missing value is entirely dissimilar to any other, a missing one
    included.

    Parameters
    ----------
    n_hops : int, default=3
        How far stars reach, H.
    gamma : float or dict of str to float, default=1.0
        How fast similarity falls with a difference in an attribute. One for all, or by name of
        node or edge attribute (1.0 where not named). Of no use with ``similarity="one-hot"``.
    gamma_star : float, default=8.0
        How sharply stars are told apart from the second hop on (nested expansion only). Large
        values approach the hard relabelling of Weisfeiler-Lehman; any is right, or, where stars
        differ by so little that rounding decides, a :class:`PrecisionWarning` says so.
    expansion : {"nested", "ball", "walk"}, default="nested"
        "nested": a star of hop h has stars of hop h - 1 as its core and leaves. "ball": it has all
        nodes within h hops, compared by their own attributes. "walk": random walks in place of
        stars. A walk of h steps is a node, compared by its own attributes, and walks of h - 1
        steps from its neighbours; ``gamma_star`` is of no use, and a node without neighbours has
        no walk, so that it contributes 0.
    star_norm : bool, default=True
        Whether each star counts with its normalised similarity, so that large stars do not
        outweigh small ones.
    normalize : bool, default=True
        Whether graphs are scaled to K(G, G) = 1 (0 for a graph without nodes).
    gram : {"linear", "rbf"}, default="linear"
        "rbf": a Gaussian of the distance in the kernel's feature space, exp(-gram_scale *
        distance^2 / mean squared distance between two training graphs). A graph without nodes
        is the origin of that space.
    gram_scale : float, default=1.0
        Of the "rbf" form.
    hop_weights : sequence of n_hops floats, default=None
        Weight of each hop; all 1 by default.
    attribute_weights : dict of str to float, default=None
        Relative weights of attributes, by name; 1 where not named.
    attributes : {"all", "categorical", "numerical"}, default="all"
        Which attributes of nodes and edges are compared. The others are as if they were not there:
        numbers that only say how a graph was drawn, such as coordinates, hide what labels say.
    degree : {None, "categorical", "numerical"}, default=None
        Whether a node's degree is one more attribute of it, named "degree".
    similarity : {"gower", "one-hot", "euclidean"}, default="gower"
        How the values of attributes are compared, of nodes and of edges. "gower": as above.
        "one-hot": 1 if equal, else 0; numbers are equal in the same of ten bins of equal width over
        the training range, with one more bin below it and one above. "euclidean": P is a Gaussian,
        exp(-sum of w gamma distance^2), where two categories are as far apart as the ends of a
        training range. A missing value is a point there, too: the middle of the range, or half
        way from every category. So it resembles values, and equals another missing one, which
        it does with neither of the others.
    max_leaves : int or None, default=None
        How many leaves a star has at most: those most similar to its core, by P, and others that
        are as similar as the last of them; and the edges to these. None keeps all. Not for balls.
    use_edges : bool, default=True
        Whether stars compare by their edges too.
    prune_cores : bool, default=False
        Whether stars with entirely dissimilar cores contribute exactly nothing.
    engine : {"auto", "reference", "pairwise", "explicit", "distinct"}, default="auto"
        How to compute; all give the same result. "reference" is the equations as plain loops,
        "pairwise" compiled tiles for any attributes, "explicit" a matrix product for balls on
        categorical attributes and numbers of few distinct values, "distinct" compares each
        distinct nested star once, which pays where few attributes make stars repeat.
    dtype : {"float64", "float32"}, default="float64"
        Of the result. float32 takes half the memory and is exact to 1e-5. The fast engines also
        hold what they compute on in float32 where that is enough for 1e-5, which a large
        ``gamma_star``, many nested hops, ``prune_cores`` or ``gram="rbf"`` rule out; they
        calculate in float64 always.
    n_jobs : int, default=None
        Threads, in joblib's convention: None is 1, -1 all cores.
    memory_limit : int or str, default=None
        Memory for the result and the tiles it is computed in, in bytes or as "4GB". A Gram matrix
        that would take more is computed tile by tile into a file, and comes back as a read-only
        ``numpy.memmap`` of it. Where not even a pair of graphs fits, an error is raised.
    gram_folder : str or path, default=None
        Folder for Gram matrices larger than ``memory_limit``, where they stay; running again with
        the same graphs and parameters goes on where the last run was stopped. With
        ``gram="rbf"`` the linear form stays there as well. By default a temporary file, gone with
        the array.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar on standard error, where that is a terminal; a function is
        called with (done, total) after each part of the work.

    Attributes
    ----------
    fitted_ : FittedKernel
        All that was learned. Parameters of the kernel that change later count from the next
        ``fit`` on; how to run (``n_jobs``, ``memory_limit``, ``gram_folder``, ``verbose``) is
        asked for at every call.
    schema_ : Schema
        Attributes, ranges and categories of the training graphs.
    engine_ : str
        The engine in use.
    molecules_ : MoleculeReading or None
        How training molecules were read, as new SMILES and RDKit molecules are; None if they were
        other graphs.
    n_graphs_ : int
        Number of training graphs.
    mean_squared_distance_ : float
        Between two different training graphs; with ``gram="rbf"`` only.

    Notes
    -----
    ``get_feature_names_out`` names the columns, one per training graph, and ``set_output`` makes
    tables of them, with pandas or polars.

    References
    ----------
    Huang, H., Chen, H., Gao, H. and Yao, C. Heterogeneous attributed graph learning via
    neighborhood-aware star kernels. arXiv:2511.11245, 2025.

    Gower, J. C. A general coefficient of similarity and some of its properties. Biometrics 27,
    1971.

    Examples
    --------
    >>> import nask
    >>> dataset = nask.load_dataset("MUTAG")
    >>> kernel = nask.NASK(n_hops=2)
    >>> kernel.fit_transform(dataset.graphs[:100]).shape
    (100, 100)
    >>> kernel.transform(dataset.graphs[100:]).shape
    (88, 100)
    >>> nask.NASK(gamma=-1).fit(dataset.graphs)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'gamma' parameter of NASK must be ... Got -1 instead.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the schema of the training graphs and prepare them for comparison.

        Parameters
        ----------
        X : list of graphs
            :class:`AttributedGraph`, networkx graphs, PyG ``Data``, GraKeL graphs, RDKit molecules
            or a column of SMILES.
        y : ignored
        """
        self._fit(X)
        if self.gram == "rbf":
            self._training_gram()
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Floats:
        """Fit, and return the kernel between the training graphs, (n, n)."""
        self._fit(X)
        return self._training_gram()

    def transform(self, X: Any) -> Floats:
        """Kernel between m new graphs and the n training graphs, (m, n).

        New graphs are read with the training schema: a category never seen in training matches
        only itself, and a number as far from another as the training range or farther, inside
        or outside of it, is entirely dissimilar to it.
        """
        return self._gram(self._prepare(X), self.fitted_.graphs)

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        """Kernel between any graphs under the training schema, (m, n), or (m, m) without ``Y``."""
        if Y is None:
            rows = columns = self._prepare(X)
        else:
            check_is_fitted(self)
            molecules = self.fitted_.molecules
            both = as_graphs(X, molecules=molecules), as_graphs(Y, molecules=molecules)
            rows, columns = self.fitted_.prepare_both(*both, self.execution())
        return self._gram(rows, columns)

    def diag(self, X: Any) -> Floats:
        """Kernel of each graph with itself, (m,); the diagonal of its own Gram matrix."""
        prepared, form = self._prepare(X), self.fitted_.form
        own = self.fitted_.own(prepared)
        return (np.ones_like(own) if form.gram == "rbf" else own).astype(form.dtype)

    def hop_grams(self, X: Any = None) -> Floats:
        """Kernel of each hop between m graphs and the n training graphs, (n_hops, m, n).

        All come from one pass, before hop weights, normalisation and the form of the Gram: their
        weighted sum is what :meth:`transform` gives with ``normalize=False`` and
        ``gram="linear"``. Without graphs, between the training graphs.
        """
        check_is_fitted(self)
        rows = self.fitted_.graphs if X is None else self._prepare(X)
        return self.fitted_.hop_grams(rows, self.gram_folder, self.execution())

    @property
    def schema_(self) -> Schema:
        """Attributes, ranges and categories of the training graphs."""
        return self.fitted_.schema

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        return self.fitted_.molecules

    @property
    def engine_(self) -> str:
        """The engine in use."""
        return self.fitted_.engine

    @property
    def n_graphs_(self) -> int:
        """Number of training graphs."""
        return self.fitted_.n_graphs

    @property
    def _n_features_out(self) -> int:
        """Number of columns, for scikit-learn's names of them: nask0, nask1, ..."""
        return self.n_graphs_

    @property
    def mean_squared_distance_(self) -> float:
        """Between two different training graphs; with ``gram="rbf"`` only."""
        if self.fitted_.unit is None:
            raise AttributeError("Only a kernel with gram='rbf' has a mean squared distance.")
        return self.fitted_.unit

    def _fit(self, X: Any) -> None:
        self.check_parameters()
        self.fitted_ = FittedKernel.fit(self, as_graphs(X))

    def _training_gram(self) -> Floats:
        self.fitted_, gram = self.fitted_.training_gram(self.gram_folder, self.execution())
        return gram

    def _prepare(self, X: Any) -> Prepared:
        check_is_fitted(self)
        graphs = as_graphs(X, molecules=self.fitted_.molecules)
        return self.fitted_.prepare(graphs, self.execution())

    def _gram(self, rows: Prepared, columns: Prepared) -> Floats:
        return self.fitted_.gram(rows, columns, self.gram_folder, self.execution())
