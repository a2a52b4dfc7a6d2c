"""The kernel in linear time: random features of graphs, or of nodes, as a transformer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
from joblib import delayed
from sklearn.base import TransformerMixin

from nask import remote
from nask.attributes.random_map import are_binary
from nask.engines.contract import Execution
from nask.engines.random_stars import PAIRS_PER_NUMBER, RandomStars, Walk
from nask.engines.star_sketch import SCALARS, add_by_graph, normalise
from nask.exceptions import SchemaError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch, unseen_categories
from nask.graph.schema import AttributeSpec, Schema
from nask.io.coerce import as_graphs
from nask.kernels.parameters import StarParameters, is_integer
from nask.remote import active_client

Floats = npt.NDArray[np.float32]
Level = Literal["graph", "node"]
# Where the rows of some graphs begin, and the graphs.
Part = tuple[int, Sequence[AttributedGraph]]

# Nodes from which the directions of means are learned; more would hardly change them.
SAMPLE_NODES = 4096
# Bytes of the vectors of a batch of graphs, small enough for the cache of a processor.
BATCH_BYTES = 16_000_000
# Each hop has its exact columns and at least as many others.
FEWEST_COLUMNS = 2 * SCALARS


@dataclass(kw_only=True, eq=False, repr=False)
class NASKFeatures(TransformerMixin, StarParameters):
    r"""Features whose inner products approximate the Neighborhood-Aware Star Kernel.

    The time is linear in the numbers of nodes and edges, and there is no Gram matrix, so that
    millions of graphs, or one graph of millions of nodes, meet a linear model. The error
    falls as 1 / sqrt(n_components).

    Hop by hop, a node has a vector z whose products are :math:`P_{h-1}` on average: waves of its
    numbers (random Fourier features [1]_), columns of its categories. Its star has a vector of
    products of z with the sum of z over its members, both turned at random by transforms of Walsh
    and Hadamard [2]_, which has :math:`k_h` as its product; Gaussian random features of that give
    the z of the next hop.

    Parameters
    ----------
    n_components : int, default=1024
        Number of columns, those of all hops together. Hop h gets a share in proportion to h.
    level : {"graph", "node"}, default="graph"
        One row a graph, or one a node.
    random_state : int, default=0
        The seed. The same one gives the same features, bit for bit, whatever the batches and
        ``n_jobs``.
    n_hops, gamma, gamma_star, expansion, star_norm, normalize, hop_weights, attribute_weights, \
degree, use_edges
        Those of the kernel: see :class:`nask.NASK`. ``normalize`` gives every row the length 1.
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

    Notes
    -----
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
    random_state: int = 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        hops_need = FEWEST_COLUMNS * self.n_hops * (self.n_hops + 1) // 2
        self._check(
            is_integer(self.n_components) and self.n_components >= hops_need,
            "n_components",
            f"an int of at least {hops_need} for {self.n_hops} hops",
        )
        self._check_option("level", get_args(Level))
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
        graphs = self._graphs(X)
        if not hasattr(self, "schema_"):
            return self.fit(graphs)
        self._check_parameters()
        if self.schema_.features:
            raise SchemaError(
                "partial_fit cannot widen the ranges of node_features. Call fit with all graphs."
            )
        self._draw(self.schema_.joined(Schema.fit(graphs, self.degree)), self._sample)
        return self

    def transform(self, X: Any) -> Floats:
        """Features of graphs, (n_graphs, n_components), or of all their nodes in a row."""
        self._check_fitted()
        return self._transform(self._graphs(X))

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
            As :meth:`transform` of the next graphs.
        """
        self._check_fitted()
        following = iter(graphs)
        while batch := list(islice(following, batch_size)):
            yield self.transform(batch)

    def _fit(self, graphs: list[AttributedGraph], keep: bool = False) -> Floats | None:
        self._check_parameters()
        # Graphs from the whole of the list, which may be sorted.
        sizes = sum(graph.n_nodes for graph in graphs)
        step = max(1, sizes // SAMPLE_NODES) if len(graphs) > 1 else 1
        return self._draw(Schema.fit(graphs, self.degree), graphs[::step], keep)

    def _draw(
        self, schema: Schema, sample: list[AttributedGraph], keep: bool = False
    ) -> Floats | None:
        """Draw all that is random, and learn directions; return the sample's features if asked."""
        batch = GraphBatch.encode(sample, schema)
        drawn = RandomStars.draw(
            self._spec(schema), self.n_components, _categorical(schema.nodes),
            _categorical(schema.edges), are_binary(batch.features), self.random_state,
        )  # fmt: skip
        work = FeatureWork(drawn, schema, self.level, self.normalize, self._hop_weights())
        rows = work.learn(batch, self._execution(), keep)
        self.schema_, self._sample, self._work = schema, sample, work
        self._remember_parameters()
        return rows

    def _transform(self, graphs: list[AttributedGraph]) -> Floats:
        work, execution = self._work, self._execution()
        sizes = np.array([graph.n_nodes for graph in graphs])
        n_rows = len(graphs) if self.level == "graph" else int(sizes.sum())
        batches = work.batches(sizes)
        largest = max(int(sizes[batch].sum()) for batch in batches)
        needed = 4 * n_rows * self.n_components + work.n_working(largest)
        execution.check_memory(needed, f"{n_rows} rows of features", "use a smaller n_components")
        client = active_client()
        if len(batches) == 1 and client is None:
            return work.rows(graphs, execution)
        heights = np.ones_like(sizes) if self.level == "graph" else sizes
        starts = np.cumsum(heights) - heights
        parts = ((int(starts[batch.start]), graphs[batch]) for batch in batches)
        if client is not None:
            done = remote.run(client, work, parts)
        else:
            tasks = (delayed(work.placed)(part) for part in parts)
            n_numbers = float(sizes.sum()) * work.drawn.width * self.n_hops
            done = execution.run(tasks, n_numbers * PAIRS_PER_NUMBER)
        result = np.empty((n_rows, self.n_components), dtype=np.float32)
        for (start, _), rows in execution.track(done, len(batches)):
            result[start : start + len(rows)] = rows
        return result

    def _graphs(self, X: Any) -> list[AttributedGraph]:
        return as_graphs([X] if isinstance(X, AttributedGraph) else X)


def _categorical(specs: Sequence[AttributeSpec]) -> tuple[str, ...]:
    return tuple(spec.name for spec in specs if spec.kind == "categorical")


class FeatureWork:
    """What turns graphs into rows of features, in this process or another.

    Parameters
    ----------
    drawn : RandomStars
    schema : Schema
    level : {"graph", "node"}
    normalize : bool
    hop_weights : ndarray
    """

    def __init__(
        self,
        drawn: RandomStars,
        schema: Schema,
        level: Level,
        normalize: bool,
        hop_weights: npt.NDArray[np.float64],
    ) -> None:
        self.drawn = drawn
        self._schema = schema
        self._level = level
        self._normalize = normalize
        self._roots = np.sqrt(hop_weights)

    def learn(self, batch: GraphBatch, execution: Execution, keep: bool) -> Floats | None:
        """Learn directions from training graphs; return their features if asked."""
        new = tuple(tuple(() for _ in own.names) for own in (self.drawn.nodes, self.drawn.edges))
        n_rows = batch.n_graphs if self._level == "graph" else batch.n_nodes
        needed = self.n_working(batch.n_nodes) + keep * 4 * n_rows * sum(self.drawn.widths)
        execution.check_memory(needed, f"{n_rows} rows of features", "use a smaller n_components")
        walk = Walk(self.drawn, batch, new, execution)
        rows = self._collected(walk, batch, execution) if keep else None
        if not keep:
            for blocks in walk.hops():
                for _ in blocks:
                    pass
        self.drawn = walk.learned()
        return rows

    def rows(self, graphs: Sequence[AttributedGraph], execution: Execution) -> Floats:
        """Features of some graphs, all at work at once."""
        batch = GraphBatch.encode(graphs, self._schema)
        if self.drawn.nodes.columns.binary and not are_binary(batch.features):
            raise SchemaError(
                "The node_features of these graphs are not zeros and ones, as those of the "
                "training graphs were. Fit on graphs with such numbers."
            )
        new = (
            unseen_categories([g.node_attributes for g in graphs], self._schema.nodes),
            unseen_categories([g.edge_attributes for g in graphs], self._schema.edges),
        )
        return self._collected(Walk(self.drawn, batch, new, execution), batch, execution)

    def __call__(self, part: Part) -> Floats:
        """Features of some graphs, the work of one thread."""
        return self.rows(part[1], Execution(n_jobs=1))

    def placed(self, part: Part) -> tuple[Part, Floats]:
        """The same, with what they are of."""
        return part, self(part)

    def batches(self, sizes: npt.NDArray[Any]) -> list[slice]:
        """Stretches of graphs whose vectors are small together, one graph at least."""
        most = max(1, BATCH_BYTES // (4 * self.drawn.width))
        ends, total = [0], 0
        for position, size in enumerate(sizes.tolist()):
            if total and total + size > most:
                ends.append(position)
                total = 0
            total += size
        return [slice(a, b) for a, b in zip(ends, [*ends[1:], len(sizes)], strict=True)]

    def n_working(self, n_nodes: int) -> int:
        """Bytes of the vectors of so many nodes, of two hops."""
        return 2 * 4 * n_nodes * self.drawn.width

    def _collected(self, walk: Walk, batch: GraphBatch, execution: Execution) -> Floats:
        graph = np.repeat(np.arange(batch.n_graphs), np.diff(batch.nodes.ptr))
        by_graph = self._level == "graph"
        n_rows = batch.n_graphs if by_graph else batch.n_nodes
        result = np.empty((n_rows, sum(self.drawn.widths)), dtype=np.float32)
        starts = np.cumsum([0, *self.drawn.widths])

        def blocks() -> Iterator[None]:
            for h, rows_of_hop in enumerate(walk.hops()):
                columns = result[:, starts[h] : starts[h + 1]]
                sums = np.zeros(columns.shape) if by_graph else None
                for first, last, rows in rows_of_hop:
                    if sums is not None:
                        add_by_graph(sums, rows, graph, first)
                    else:
                        columns[first:last] = rows
                    yield
                if sums is not None:
                    columns[:] = sums
                if self._roots[h] != 1.0:
                    columns *= np.float32(self._roots[h])

        for _ in execution.track(blocks(), walk.n_blocks):
            pass
        if self._normalize:
            normalise(result)
        return result
