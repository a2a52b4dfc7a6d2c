"""Graphs as vectors of the feature map: phi(core) tensor phi(members), summed over stars.

A cell is a graph and one column of phi for cores. It holds phi of the members, summed over the
stars of the graph whose cores have an entry in that column. Few of all cells have such stars, so
only these are stored, as the rows of a table; no array has the size of all cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nask.arrays import Index, Positions
from nask.stars.members import lists_of


@dataclass(frozen=True, eq=False)
class MappedGraphs:
    """The cells of graphs, with one table of their members' sums per hop.

    Parameters
    ----------
    ptr : ndarray of shape (n_graphs + 1,)
        The cells of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    core : ndarray of shape (n_cells,)
        The column of phi for cores of each cell.
    n_core : int
        Number of these columns.
    tables : list of sparse arrays of shape (n_cells, number of columns of phi for members)
        One per hop.
    """

    ptr: Index
    core: Index
    n_core: int
    tables: list[sparse.csr_array]

    def take(self, graphs: Positions) -> MappedGraphs:
        """Return the vectors of some graphs, in the order given."""
        ptr, cells = lists_of(self.ptr, np.arange(len(self.core)), graphs)
        tables = [table[cells] for table in self.tables]
        return MappedGraphs(ptr, self.core[cells], self.n_core, tables)

    def within(self, graphs: slice) -> MappedGraphs:
        """Return the vectors of consecutive graphs."""
        ptr = self.ptr[graphs.start : graphs.stop + 1]
        cells = slice(ptr[0], ptr[-1])
        tables = [table[cells] for table in self.tables]
        return MappedGraphs(ptr - ptr[0], self.core[cells], self.n_core, tables)

    def with_members(self, similarities: sparse.csr_array) -> MappedGraphs:
        """Return the vectors with phi of members times C, in the columns of another batch."""
        if is_identity(similarities):
            return self
        tables = [table @ similarities for table in self.tables]
        return MappedGraphs(self.ptr, self.core, self.n_core, tables)

    def with_cores(self, similarities: sparse.csr_array) -> MappedGraphs:
        """Return the vectors with phi of cores times C, in the columns of another batch."""
        if is_identity(similarities):
            return self
        ptr, core, sums = grouped(self.ptr, similarities[self.core])
        tables = [sums @ table for table in self.tables]
        return MappedGraphs(ptr, core, similarities.shape[1], tables)

    def flat(self, hop: int) -> sparse.csr_array:
        """Return one row per graph, with one column per pair of a core column and a member column.

        Examples
        --------
        >>> table = sparse.csr_array([[5, 0, 0], [0, 7, 9]])
        >>> MappedGraphs(np.array([0, 2]), np.array([0, 3]), 4, [table]).flat(0).indices.tolist()
        [0, 10, 11]
        """
        table = self.tables[hop]
        core = np.repeat(self.core, np.diff(table.indptr))
        columns = core * table.shape[1] + table.indices
        shape = (len(self.ptr) - 1, self.n_core * table.shape[1])
        return sparse.csr_array((table.data, columns, table.indptr[self.ptr]), shape=shape)


def grouped(ptr: Index, phi: sparse.csr_array) -> tuple[Index, Index, sparse.csr_array]:
    """Return the cells of some rows that belong to graphs, as sums over the rows.

    Parameters
    ----------
    ptr : ndarray of shape (n_graphs + 1,)
        The rows of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    phi : sparse array of shape (n_rows, number of columns)

    Returns
    -------
    ptr : ndarray of shape (n_graphs + 1,)
    core : ndarray of shape (n_cells,)
    sums : sparse array of shape (n_cells, n_rows)

    Examples
    --------
    >>> two_nodes_of_one_graph = sparse.csr_array([[1.0, 0.5], [2.0, 0.0]])
    >>> ptr, core, sums = grouped(np.array([0, 2]), two_nodes_of_one_graph)
    >>> ptr, core, sums.toarray()
    (array([0, 2]), array([0, 1]), array([[1. , 2. ], [0.5, 0. ]]))
    """
    n_rows, size = phi.shape
    row = np.repeat(np.arange(n_rows), np.diff(phi.indptr))
    graph = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    cells, cell = np.unique(graph[row] * size + phi.indices, return_inverse=True)
    sums = sparse.csr_array((phi.data, (cell, row)), shape=(len(cells), n_rows))
    return np.searchsorted(cells, np.arange(len(ptr)) * size), cells % size, sums


def is_identity(matrix: sparse.csr_array) -> bool:
    """Tell whether a sparse matrix with sorted indices is the identity.

    Examples
    --------
    >>> is_identity(sparse.eye_array(3, format="csr")), is_identity(sparse.csr_array([[0, 1]]))
    (True, False)
    """
    n, m = matrix.shape
    same = n == m == matrix.nnz and np.array_equal(matrix.indices, np.arange(n))
    return bool(same and (np.diff(matrix.indptr) == 1).all() and (matrix.data == 1).all())
