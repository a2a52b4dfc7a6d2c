"""How alike two graphs are, and how far apart all graphs of a list are."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Float64
from nask.io.coerce import as_graph, as_graphs
from nask.io.converters.molecule_reading import common_reading
from nask.kernels.forms import ROUNDING, to_squared_distances
from nask.search.parameters import OF_DISTANCES, OF_SIMILARITIES, kernel_of
from nask.search.ranking import as_similarities


def similarity(graph: Any, other: Any, *, schema_of: Any = None, **kernel: Any) -> float:
    """How alike two graphs are, from 0 to 1: the normalised kernel between them.

    1 is what a graph has with itself and with its copies in any order of nodes; 0 is what a graph
    without nodes (with ``expansion="walk"``, without edges) has with any other.

    Parameters
    ----------
    graph, other : graph
    schema_of : list of graphs, optional
        Those whose ranges and categories count: two ages differ by much or by little beside those
        that occur. By default the two graphs themselves, so that every number in which they differ
        throughout is as different as can be.
    **kernel
        Parameters of :class:`nask.NASK`, such as ``n_hops``.

    Returns
    -------
    float

    See Also
    --------
    nask.NASK : for all similarities between many graphs at once.
    nask.Index : for the most similar ones of many graphs.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> nask.similarity(graphs[0], graphs[0])
    1.0
    >>> round(nask.similarity(graphs[0], graphs[1], schema_of=graphs, n_hops=2), 3)
    0.976
    """
    own = kernel_of(kernel, "similarity", OF_SIMILARITIES)
    known = None if schema_of is None else as_graphs(schema_of)
    molecules = None if known is None else common_reading(known)
    pair = [as_graph(graph, molecules), as_graph(other, molecules)]
    value = own.fit(known or pair)(pair)[0, 1]
    return float(as_similarities(value))


def distances(graphs: Any, others: Any = None, **kernel: Any) -> Float64:
    r"""Distances between graphs in the kernel's feature space.

    .. math:: d(G, G') = \sqrt{K(G, G) + K(G', G') - 2 K(G, G')}

    The matrix is what scikit-learn takes with ``metric="precomputed"``. It is symmetric to the last
    bit and has zeros on its diagonal; graphs whose difference is rounding alone, such as copies
    with nodes in another order, are at 0. Distances of the normalised kernel are at most
    :math:`\sqrt 2`.

    Parameters
    ----------
    graphs : list of graphs
        The rows.
    others : list of graphs, optional
        The columns; the graphs themselves by default. Ranges and categories of attributes are
        those of the columns, so ``distances(new, train)`` goes with ``distances(train)``.
    **kernel
        Parameters of :class:`nask.NASK`, such as ``n_hops`` or ``gram="rbf"``.

    Returns
    -------
    ndarray of shape (n_graphs, n_others)

    Examples
    --------
    >>> import nask
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> mutag = nask.load_dataset("MUTAG")
    >>> train, new = mutag.graphs[:150], mutag.graphs[150:]
    >>> near = KNeighborsClassifier(metric="precomputed").fit(nask.distances(train), mutag.y[:150])
    >>> bool(near.score(nask.distances(new, train), mutag.y[150:]) > 0.7)
    True
    """
    own = kernel_of(kernel, "distances", OF_DISTANCES)
    columns = as_graphs(graphs if others is None else others)
    rows = columns if others is None else as_graphs(graphs, molecules=common_reading(columns))
    own.execution().check_memory(
        8 * len(rows) * len(columns),
        f"A matrix of {len(rows)} x {len(columns)} distances",
        "find the nearest graphs with nask.Index, which needs no matrix",
    )
    gram = own.fit_transform(columns) if others is None else own.fit(columns).transform(rows)
    # A copy of a map of a file: with its tiles, the matrix may not have fitted memory.
    gram = np.array(gram, dtype=np.float64) if isinstance(gram, np.memmap) else gram
    row_self = own.diag(rows)
    column_self = row_self if others is None else own.diag(columns)
    squared = to_squared_distances(gram, row_self, column_self, diagonal=others is None)
    for i, size in enumerate(row_self):
        squared[i, squared[i] <= ROUNDING * (size + column_self)] = 0
    return np.sqrt(squared, out=squared)
