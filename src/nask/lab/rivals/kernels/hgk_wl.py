"""HGK-WL: the Weisfeiler-Lehman subtree kernel on hashes of numerical attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from nask.arrays import Float64, Index
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.kernels.base import (
    KernelClassifier,
    NormalisedKernel,
    with_gaussian_forms,
)
from nask.lab.rivals.kernels.mixed_nodes import MixedEncoder, MixedNodes
from nask.numeric import inverse_root
from nask.stars.colours import refined_colours
from nask.tuning.grid import Grid

GRID = with_gaussian_forms({"n_iter": [1, 2, 3, 4, 5]})
# A colour that more than this share of the graphs have is counted in a dense matrix.
COMMON = 0.05


@dataclass(kw_only=True, eq=False, repr=False)
class HGKWL(NormalisedKernel):
    r"""Hash graph kernel with the Weisfeiler-Lehman subtree kernel as its base.

    Numerical attributes become labels by random hash functions, and the base kernel of the
    labelled graphs is averaged over them:

    .. math::
        k(G, H) = \frac{1}{I} \sum_{i=1}^{I} k_{WL}(\xi_i(G), \xi_i(H)), \qquad
        \xi_i(x) = \left\lfloor \frac{\langle a_i, x \rangle + b_i}{w} \right\rfloor ,

    with the entries of :math:`a_i` standard normal and :math:`b_i` uniform in [0, w], the
    2-stable locality sensitive hashing: the nearer two vectors, the more likely their hashes are
    equal. :math:`k_{WL}` counts pairs of nodes of equal colour after 0, 1, ..., ``n_iter`` rounds.

    Parameters
    ----------
    n_iter : int, default=3
        Rounds of refinement.
    n_hashes : int, default=20
        I.
    width : float, default=1.0
        w, in standard deviations of an attribute.
    normalize : bool, default=True
        Whether to divide by the square roots of k(G, G) and k(H, H).
    random_state : int, default=0
        Seed of the hash functions. They do not depend on ``n_iter``.
    n_jobs : int, default=None
        Threads over the hash functions, in joblib's convention; the result is the same.

    Notes
    -----
    I, w, the standardised attributes and the normalised Gram matrix are those of the paper's
    experiments. Mixed attributes: the first colour of a node is its labels and its hash together,
    so that two nodes are alike if their labels are equal and their vectors near. Without numerical
    attributes all hashes are equal, and the kernel is the Weisfeiler-Lehman subtree kernel.
    A missing number counts as the mean, missing categories are alike, and attributes of edges are
    not used; the paper has none of these.

    References
    ----------
    Morris, Kriege, Kersting, Mutzel, "Faster kernels for graphs with continuous attributes via
    hashing", ICDM 2016.

    Examples
    --------
    >>> import nask
    >>> a, b, c = (nask.AttributedGraph(2, [(0, 1)], {"age": ages}) for ages in
    ...            ([20, 40], [25, 45], [60, 80]))
    >>> HGKWL(n_iter=1).fit_transform([a, b, c]).round(2)
    array([[1.  , 0.8 , 0.31],
           [0.8 , 1.  , 0.32],
           [0.31, 0.32, 1.  ]])
    """

    n_iter: int = 3
    n_hashes: int = 20
    width: float = 1.0
    normalize: bool = True
    random_state: int = 0
    n_jobs: int | None = None

    least = (("n_iter", 0), ("n_hashes", 1))
    positive = ("width",)

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = MixedEncoder(graphs)
        self.nodes_ = self.encoder_.encode(graphs)
        n_hashes = self.n_hashes if self.encoder_.has_numbers else 1
        draw = np.random.default_rng(self.random_state)
        self.directions_ = draw.standard_normal((self.nodes_.vectors.shape[1], n_hashes))
        self.offsets_ = draw.uniform(0, self.width, n_hashes)

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        # New graphs are coloured together with the training graphs, so no colours are stored.
        nodes = self.nodes_
        if graphs is not None:
            nodes = nodes.union(self.encoder_.encode(graphs))
        n_train = self.nodes_.batch.n_graphs
        first = 0 if graphs is None else n_train
        labels = nodes.labels()
        hashes = hash_values(nodes.vectors, self.directions_, self.offsets_, self.width)
        results = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator_unordered")(
            delayed(_base_kernel)(nodes, labels, hashed, self.n_iter, first, n_train)
            for hashed in hashes.T
        )
        total = np.zeros((nodes.batch.n_graphs - first, n_train))
        own = np.zeros(nodes.batch.n_graphs)
        for gram, diagonal in results:
            total += gram
            own += diagonal
        if self.normalize:
            scale = inverse_root(own)
            total *= scale[first:, None] * scale[:n_train]
        else:
            total /= hashes.shape[1]
        return total


def hash_values(vectors: Float64, directions: Float64, offsets: Float64, width: float) -> Index:
    """Return the hash of each vector under each function, (n_vectors, n_functions).

    Parameters
    ----------
    vectors : ndarray of shape (n_vectors, n_columns)
    directions : ndarray of shape (n_columns, n_functions)
        Each function projects the vectors onto its direction.
    offsets : ndarray of shape (n_functions,)
        Added to the projections.
    width : float
        Projections within an interval of this width have the same hash.

    Examples
    --------
    >>> hash_values(np.array([[0.2], [0.9], [1.1]]), np.ones((1, 1)), np.zeros(1), 1.0).T
    array([[0, 0, 1]])
    """
    return np.floor((vectors @ directions + offsets) / width).astype(np.int64)


def _base_kernel(
    nodes: MixedNodes, labels: Index, hashed: Index, n_iter: int, first: int, n_train: int
) -> tuple[Float64, Float64]:
    """Return the subtree kernel of the graphs from ``first`` on with the first ``n_train``, and of
    each graph with itself. These are sums of integers, exact in any order.

    A colour of one graph only is left out of the product: it counts in ``own`` alone.
    """
    n_graphs = nodes.batch.n_graphs
    gram = np.zeros((n_graphs - first, n_train))
    own = np.zeros(n_graphs)
    for counts in _counts(nodes, labels, hashed, n_iter):
        own += (counts * counts).sum(axis=1)
        spread = np.bincount(counts.indices, minlength=counts.shape[1])
        common = np.flatnonzero(spread > COMMON * n_graphs)
        rare = np.flatnonzero((spread > 1) & (spread <= COMMON * n_graphs))
        by_column = counts.tocsc()
        dense = by_column[:, common].toarray()
        gram += dense[first:] @ dense[:n_train].T
        few = by_column[:, rare].tocsr()
        gram += (few[first:] @ few[:n_train].T).toarray()
    if first == 0:
        np.fill_diagonal(gram, own)
    return gram, own


def _counts(
    nodes: MixedNodes, labels: Index, hashed: Index, n_iter: int
) -> Iterator[sparse.csr_array]:
    """Yield the number of nodes by graph (rows) and colour (columns), one matrix per round."""
    n_graphs = nodes.batch.n_graphs
    graph = np.repeat(np.arange(n_graphs), np.diff(nodes.ptr))
    start = np.unique(np.column_stack([labels, hashed]), axis=0, return_inverse=True)[1]
    rounds = refined_colours(start.astype(np.int64), nodes.batch.endpoints)
    for colours in islice(rounds, n_iter + 1):
        shape = (n_graphs, int(colours.max(initial=-1)) + 1)
        yield sparse.coo_array((np.ones(len(graph)), (graph, colours)), shape=shape).tocsr()


class HGKWLClassifier(KernelClassifier):
    """A support vector machine on :class:`HGKWL`; see :class:`KernelClassifier` for parameters.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = HGKWLClassifier(grid={"n_iter": [1, 2]}).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    """

    kernel_type: ClassVar[type[NormalisedKernel]] = HGKWL
    default_grid: ClassVar[Grid] = GRID
