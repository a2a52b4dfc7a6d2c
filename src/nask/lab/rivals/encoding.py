"""Attributes of nodes as rows of numbers, for methods that take vectors only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float32, Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema

# A value of a new graph may be any number of standard deviations away; float32 ends at 3e38.
FARTHEST = 1e6


@dataclass(kw_only=True, eq=False, repr=False)
class NodeEncoder(BaseEstimator):
    """One row of float32 per node: categories one-hot, then numbers, then ``node_features``.

    - A categorical attribute gives one column per category of the training graphs. A missing or
      unseen category is all zeros.
    - A numerical attribute gives one column, minus the training mean and divided by the training
      standard deviation. A missing value is 0, the mean.
    - ``node_features`` stay as they are, but each row is divided by the sum of its absolute
      values, as is usual for the words of citation networks.
    - If that gives no column at all, a node has the constant 1 and log(1 + degree).

    Parameters
    ----------
    categorical, numerical : bool, default=True
        Whether to take the attributes of that kind; ``node_features`` are numerical.

    Attributes
    ----------
    schema_ : Schema
        Names, kinds and categories of the training graphs.
    n_columns_ : int
        Length of a row.

    Notes
    -----
    Attributes of edges are not encoded.

    Examples
    --------
    >>> import nask
    >>> people = nask.AttributedGraph(
    ...     3, [(0, 1)], {"region": ["Kosice", "Nitra", None], "age": [20, 40, None]}
    ... )
    >>> NodeEncoder().fit([people]).transform([people])[0]
    array([[ 1.,  0., -1.],
           [ 0.,  1.,  1.],
           [ 0.,  0.,  0.]], dtype=float32)
    >>> NodeEncoder(numerical=False).fit([people]).transform([people])[0].shape
    (3, 2)
    >>> bare = nask.AttributedGraph(3, [(0, 1)])
    >>> NodeEncoder().fit([bare]).transform([bare])[0].round(2).tolist()
    [[1.0, 0.6899999976158142], [1.0, 0.6899999976158142], [1.0, 0.0]]
    """

    categorical: bool = True
    numerical: bool = True

    def fit(self, graphs: Sequence[AttributedGraph], y: object = None) -> Self:
        """Learn the categories, means and standard deviations of the training graphs."""
        self.schema_ = Schema.fit(graphs)
        batch = GraphBatch.encode(graphs, self.schema_)
        self._mean, self._scale = _statistics(batch.nodes.numerical)
        self.n_columns_ = int(self.encode(graphs, batch).shape[1])
        return self

    def transform(self, graphs: Sequence[AttributedGraph]) -> list[Float32]:
        """Return the rows of the nodes of each graph."""
        check_is_fitted(self)
        batch = GraphBatch.encode(graphs, self.schema_)
        rows = self.encode(graphs, batch).toarray()
        return np.split(rows, batch.nodes.ptr[1:-1])

    def encode(self, graphs: Sequence[AttributedGraph], batch: GraphBatch | None = None) -> Any:
        """Return the rows of the nodes of all graphs together, as a sparse csr_array.

        Parameters
        ----------
        graphs : sequence of AttributedGraph
        batch : GraphBatch, default=None
            The same graphs encoded under ``schema_``, if the caller has them.

        Examples
        --------
        >>> import nask
        >>> graphs = [nask.AttributedGraph(2, (), {"atom": ["C", "N"]})] * 2
        >>> NodeEncoder().fit(graphs).encode(graphs).toarray().tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
        """
        if batch is None:
            batch = GraphBatch.encode(graphs, self.schema_)
        columns = []
        if self.categorical:
            specs = [spec for spec in self.schema_.nodes if spec.kind == "categorical"]
            pairs = zip(specs, batch.nodes.categorical, strict=True)
            columns += [_one_hot(codes, len(spec.categories)) for spec, codes in pairs]
        if self.numerical:
            scores = (batch.nodes.numerical.T - self._mean) / self._scale
            scores = np.clip(np.nan_to_num(scores, nan=0.0), -FARTHEST, FARTHEST)
            columns.append(sparse.csr_array(scores.astype(np.float32)))
            if self.schema_.features:
                columns.append(_normalised(graphs))
        if not sum(own.shape[1] for own in columns):
            columns = [_constant_and_degree(batch)]
        return sparse.hstack(columns, format="csr", dtype=np.float32)


def _statistics(values: Float64) -> tuple[Float64, Float64]:
    """Return mean and standard deviation of each row, without missing values; 1 instead of 0."""
    present = ~np.isnan(values)
    counts = np.maximum(present.sum(axis=1), 1)
    mean = np.where(present, values, 0.0).sum(axis=1) / counts
    squares = np.where(present, values - mean[:, None], 0.0) ** 2
    deviation = np.sqrt(squares.sum(axis=1) / counts)
    # Equal values may differ from their mean by rounding.
    return mean, np.where(deviation > 1e-12, deviation, 1.0)


def _one_hot(codes: npt.NDArray[np.int32], n_categories: int) -> Any:
    rows = np.flatnonzero((codes >= 0) & (codes < n_categories))
    shape = (len(codes), n_categories)
    return sparse.csr_array((np.ones(len(rows), np.float32), (rows, codes[rows])), shape=shape)


def _normalised(graphs: Sequence[AttributedGraph]) -> Any:
    features = sparse.vstack([graph.node_features for graph in graphs], format="csr")
    totals = abs(features).sum(axis=1)
    features.data /= np.repeat(totals, np.diff(features.indptr))
    return features


def _constant_and_degree(batch: GraphBatch) -> Any:
    degrees = np.bincount(batch.endpoints.ravel(), minlength=batch.n_nodes)
    columns = np.column_stack([np.ones(batch.n_nodes), np.log1p(degrees)])
    return sparse.csr_array(columns.astype(np.float32))
