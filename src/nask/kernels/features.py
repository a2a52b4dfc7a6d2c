"""The kernel in linear time: random features of graphs, or of nodes, as a transformer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, get_args

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Floats
from nask.attributes.random_map import are_binary
from nask.engines.sketch.random_stars import PAIRS_PER_NUMBER, RandomStars
from nask.engines.sketch.star_sketch import SCALARS
from nask.exceptions import ParameterError, SchemaError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.new_graphs import check_graphs, compare_attributes
from nask.graph.schema import AttributeSpec, Schema
from nask.io.coerce import as_graph, as_graphs, graph_batches
from nask.io.converters.molecule_reading import MoleculeReading, common_reading
from nask.kernels.feature_work import FeatureType, FeatureWork, Level
from nask.kernels.parameters import StarParameters, check_restart, is_integer

# What there are no random features for, and why.
UNMADE = (
    ("similarity", "euclidean", "they are drawn for one attribute at a time, and it joins them"),
    ("expansion", "walk", "from hop to hop they need Gaussians, which random walks do without"),
)
# Nodes from which the directions of means are learned; more would hardly change them.
SAMPLE_NODES = 4096
# Each hop has its exact columns and at least as many others.
FEWEST_COLUMNS = 2 * SCALARS


@dataclass(kw_only=True, eq=False, repr=False)
class NASKFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, StarParameters):
    r"""Features whose inner products approximate the Neighborhood-Aware Star Kernel.

    The time is linear in the numbers of nodes and edges, and there is no Gram matrix, so that
    millions of graphs, or one graph of millions of nodes, meet a linear model. The error
    falls as 1 / sqrt(n_components).

    Hop by hop, a node has a vector z whose products are :math:`P_{h-1}` on average: waves of its
    numbers (random Fourier features [1]_), columns of its categories. Its star has a vector of
    products of z with the sum of z over its members, both rotated at random by transforms of
    Walsh and Hadamard [2]_, which has :math:`k_h` as its product. Gaussian random features of that
    give the z of the next hop.

    Parameters
    ----------
    n_components : int, default=1024
        Number of columns, those of all hops together. Hop h gets a share in proportion to h.
    level : {"graph", "node"}, default="graph"
        One row per graph, or one per node.
    restart : float or None, default=None
        Of random walks, over whose ends the rows of nodes are averaged, as in
        :class:`nask.NodeNASK`; for ``level="node"`` only.
    random_state : int, default=0
        The seed. The same one gives the same features, bit for bit, whatever the batches and
        ``n_jobs``.
    dtype : {"float32", "float16"}, default="float32"
        Of the result, and of the vectors of nodes between hops. float16 takes half the memory, for
        networks of millions of nodes: ``level="node"`` only, with ``star_norm``, ``normalize`` and
        no ``restart`` or ``hop_weights``. Its errors are far below those of random features, up to
        a ``gamma_star`` of thousands.
    n_hops, gamma, gamma_star, expansion, star_norm, normalize, hop_weights, attribute_weights, \
attributes, degree, similarity, max_leaves, use_edges
        Those of the kernel: see :class:`nask.NASK`. ``normalize`` gives every row the length 1.
        There are no random features of ``expansion="walk"`` and ``similarity="euclidean"``.
    n_jobs : int, default=None
        Threads, in joblib's convention.
    memory_limit : int or str, default=None
        Memory for the result and for the vectors of the graphs at work, such as "4GB".
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    schema_ : Schema
        Attributes, ranges and categories of the training graphs.
    molecules_ : MoleculeReading or None
        How training molecules were read, as new ones are; None if they were other graphs.

    Notes
    -----
    ``get_feature_names_out`` names the columns, and ``set_output`` makes tables of them, with
    pandas or polars.

    ``fit`` also learns the directions of the means of z over some training nodes, about 4000 in as
    many graphs as they take, or all nodes of a single graph. These make the error small; with
    any others the products are the same on average.

    References
    ----------
    .. [1] A. Rahimi and B. Recht. Random features for large-scale kernel machines. NIPS 2007.
    .. [2] F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice and S. Kumar. Orthogonal random
       features. NIPS 2016.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> features = nask.NASKFeatures(n_components=512).fit_transform(mutag.graphs)
    >>> features.shape, features.dtype
    ((188, 512), dtype('float32'))
    >>> exact = nask.NASK().fit_transform(mutag.graphs)
    >>> bool(abs(features @ features.T - exact).max() < 0.1)
    True
    >>> stream = nask.NASKFeatures(n_components=512).fit(mutag.graphs).stream(iter(mutag.graphs))
    >>> sum(len(rows) for rows in stream)
    188
    """

    n_components: int = 1024
    level: Level = "graph"
    restart: float | None = None
    random_state: int = 0
    dtype: FeatureType = "float32"

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        hops_need = FEWEST_COLUMNS * self.n_hops * (self.n_hops + 1) // 2
        self._check(
            is_integer(self.n_components) and self.n_components >= hops_need,
            "n_components",
            f"an int of at least {hops_need} for {self.n_hops} hops",
        )
        self._check_option("level", get_args(Level))
        for name, without, reason in UNMADE:
            if getattr(self, name) == without:
                raise ParameterError(
                    f"{type(self).__name__} has no random features for {name}={without!r}: "
                    f"{reason}. Use NASK, or NodeNASK for the nodes of one graph, which compute "
                    "it exactly."
                )
        check_restart(self.restart, type(self).__name__)
        if self.restart is not None and self.level == "graph":
            raise ParameterError(
                "The 'restart' parameter of NASKFeatures is for rows of nodes: expected None, or "
                "level='node'."
            )
        self._check_option("dtype", get_args(FeatureType))
        plain = self.level == "node" and self.star_norm and self.normalize
        if self.dtype == "float16" and (not plain or self.restart or self.hop_weights is not None):
            raise ParameterError(
                "NASKFeatures makes features of float16 for rows of nodes of length 1: expected "
                "level='node', star_norm=True, normalize=True, and no restart or hop_weights. Use "
                "those, or dtype='float32'."
            )
        valid = is_integer(self.random_state) and self.random_state >= 0
        self._check(valid, "random_state", "an int of 0 or more")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the schema of the training graphs.

        Parameters
        ----------
        X : list of graphs, or a graph
        y : ignored
        """
        self._fit(self._graphs(X))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more graphs, for collections that do not fit memory.

        Ranges and categories are those of all graphs so far, directions of means those of the
        first. Features made before do not fit those made after.
        """
        if not hasattr(self, "schema_"):
            return self.fit(X)
        before: MoleculeReading | None = self.molecules_
        graphs = self._graphs(X, before)
        self.check_parameters()
        if self.schema_.features:
            raise SchemaError(
                "partial_fit cannot widen the ranges of node_features. Call fit with all graphs."
            )
        self._draw(self.schema_.joined(self.schema_of(graphs)), self._sample)
        self._read_as(before and before.joined(common_reading(graphs)))
        return self

    def transform(self, X: Any) -> Floats:
        """Features of graphs, (n_graphs, n_components), or of all their nodes in a row."""
        check_is_fitted(self)
        return self._transform_new(self._graphs(X, self.molecules_))

    def transform_batch(self, graphs: list[AttributedGraph], first: int = 0) -> Floats:
        """Features of some graphs of a collection, for callers that divide it into batches.

        Parameters
        ----------
        graphs : list of AttributedGraph
            Others may have the attributes of training that these lack: it is not told.
        first : int, default=0
            Place of the first one in the collection, for errors.
        """
        check_is_fitted(self)
        check_graphs(graphs, self.schema_, first)
        return self._transform(graphs)

    def star_rows(self, graph: Any) -> Floats:
        """Features of the star of each node of a graph, (n_nodes, n_components).

        Their products approximate kappa between stars. Added up over the nodes of a graph and, with
        ``normalize``, scaled to length 1 they are its row of :meth:`transform`.
        """
        check_is_fitted(self)
        own = as_graph(graph, self.molecules_)
        check_graphs([own], self.schema_, 0)
        return self._work.star_rows(own, self.execution())

    @property
    def fitted_(self) -> FeatureWork:
        """What was drawn and learned, and the parameters as they were then."""
        check_is_fitted(self)
        return self._work

    @property
    def _n_features_out(self) -> int:
        """Number of columns, for scikit-learn's names of them: naskfeatures0, naskfeatures1, ..."""
        return int(self.hop_columns_[-1].stop)

    @property
    def hop_columns_(self) -> list[slice]:
        """The columns of each hop."""
        check_is_fitted(self)
        ends = np.cumsum([0, *self._work.drawn.widths]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Floats:
        """Fit, and return the features of the training graphs."""
        graphs = self._graphs(X)
        # Of a single graph, learning the directions makes the features on the way.
        rows = self._fit(graphs, keep=len(graphs) == 1)
        return self._transform(graphs) if rows is None else rows

    def stream(self, graphs: Iterable[Any], batch_size: int = 256) -> Iterator[Floats]:
        """Features of an endless row of graphs, some at a time, in constant memory.

        Parameters
        ----------
        graphs : iterable of graphs
            Read as far as features are asked for.
        batch_size : int
            Graphs that are read at a time.

        Yields
        ------
        ndarray
            As :meth:`transform` of the next graphs. Errors call a graph by its place in the row,
            counted from 0.
        """
        check_is_fitted(self)
        for first, batch in graph_batches(graphs, batch_size, self.molecules_):
            yield self._transform_new(batch, first)

    def _fit(self, graphs: list[AttributedGraph], keep: bool = False) -> Floats | None:
        self.check_parameters()
        self._read_as(common_reading(graphs))
        # Graphs from the whole of the list, which may be sorted.
        sizes = sum(graph.n_nodes for graph in graphs)
        step = max(1, sizes // SAMPLE_NODES) if len(graphs) > 1 else 1
        return self._draw(self.schema_of(graphs), graphs[::step], keep)

    def _draw(
        self, schema: Schema, sample: list[AttributedGraph], keep: bool = False
    ) -> Floats | None:
        """Draw all that is random, and learn directions; return the sample's features if asked."""
        batch = GraphBatch.encode(sample, schema, compare=False)
        work = self._work_of(schema, self.drawn_for(schema, are_binary(batch.features)))
        rows = work.learn(batch, self.execution(), keep)
        self.schema_, self._sample, self._work = schema, sample, work
        return rows

    def drawn_for(self, schema: Schema, binary: bool) -> RandomStars:
        """All that is random for graphs of a schema, before directions are learned.

        ``binary`` tells whether all node features are zeros and ones.
        """
        return RandomStars.draw(
            self.star_spec(schema), self.n_components, _categorical(schema.nodes),
            _categorical(schema.edges), binary, self.random_state,
        )  # fmt: skip

    def set_fitted(
        self, schema: Schema, drawn: RandomStars, molecules: MoleculeReading | None
    ) -> None:
        """Be fitted: with what was drawn, and directions that were learned."""
        self.schema_, self._sample = schema, []
        self._work = self._work_of(schema, drawn)
        self._read_as(molecules)

    def _work_of(self, schema: Schema, drawn: RandomStars) -> FeatureWork:
        weights = self.weight_of_hops()
        return FeatureWork(
            drawn, schema, self.level, self.normalize, weights, self.restart, self.dtype
        )

    def _transform_new(self, graphs: list[AttributedGraph], first: int = 0) -> Floats:
        check_graphs(graphs, self.schema_, first)
        compare_attributes(graphs, self.schema_, first)
        return self._transform(graphs)

    def _transform(self, graphs: list[AttributedGraph]) -> Floats:
        work, execution = self._work, self.execution()
        sizes = np.array([graph.n_nodes for graph in graphs])
        n_rows = len(graphs) if work.level == "graph" else int(sizes.sum())
        batches = work.batches(sizes)
        largest = max(int(sizes[batch].sum()) for batch in batches)
        needed = work.item_bytes * n_rows * work.n_components + work.n_working(largest)
        execution.check_memory(needed, f"{n_rows} rows of features", "use a smaller n_components")
        if len(batches) == 1 and not execution.n_remote:
            return work.rows(graphs, execution)
        heights = np.ones_like(sizes) if work.level == "graph" else sizes
        starts = np.cumsum(heights) - heights
        placed = ((int(starts[batch.start]), graphs[batch]) for batch in batches)
        n_numbers = float(sizes.sum()) * work.drawn.width * len(work.drawn.widths)
        done = execution.map(work, placed, n_numbers * PAIRS_PER_NUMBER)
        result = np.empty((n_rows, work.n_components), dtype=work.dtype)
        for (start, _), rows in execution.track(done, len(batches)):
            result[start : start + len(rows)] = rows
        return result

    def _read_as(self, molecules: MoleculeReading | None) -> None:
        self.molecules_ = molecules

    def _graphs(self, X: Any, molecules: MoleculeReading | None = None) -> list[AttributedGraph]:
        return as_graphs([X] if isinstance(X, AttributedGraph) else X, molecules=molecules)


def _categorical(specs: Sequence[AttributeSpec]) -> tuple[str, ...]:
    return tuple(spec.name for spec in specs if spec.encoded == "categorical")
