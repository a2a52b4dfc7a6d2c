"""Which graphs of a collection are isomorphic, decided exactly.

Nodes are coloured by their attributes, and colours refined by those of neighbours and edges, all
graphs at once. A graph whose colours no other graph has is done; of these most collections
consist. The others are divided into parts that can be compared one by one. Where a part cannot be
divided, one of its nodes is marked, and all begins anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nask.arrays import Index, Mask, Positions
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.elements import Elements
from nask.graph.new_graphs import check_graphs
from nask.graph.numbering import number_multisets, number_pairs
from nask.graph.schema import AttributeSpec, Schema


def isomorphic_groups(graphs: Sequence[AttributedGraph], *, numbers: bool = True) -> Positions:
    """Return the number of each graph's group; graphs of one group are isomorphic.

    Two graphs are isomorphic if the nodes of one can be renumbered so that it has the edges of the
    other, and equal attributes of nodes and edges. Missing values are equal to each other, and an
    attribute that a graph does not have is missing everywhere.

    The answer is exact. Graphs made to be hard, such as those of Cai, Fürer and Immerman, take time
    that grows exponentially with their size.

    Parameters
    ----------
    graphs : sequence of AttributedGraph
        They must agree on the kind of every attribute.
    numbers : bool, default=True
        Whether numerical attributes and node features have to be equal, too.

    Returns
    -------
    ndarray of shape (n_graphs,)
        Groups are numbered from 0 in the order in which they appear.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"atom": ["C", "C", "O"]})
    >>> renumbered = nask.AttributedGraph(3, [(0, 2), (2, 1)], {"atom": ["O", "C", "C"]})
    >>> other = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"atom": ["C", "O", "C"]})
    >>> isomorphic_groups([path, other, renumbered]).tolist()
    [0, 1, 0]
    """
    groups = _groups(_Family.of(graphs, numbers))
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.intp)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[inverse]


@dataclass(frozen=True, eq=False)
class _Family:
    """Graphs with coloured nodes and edges, side by side.

    Parameters
    ----------
    n_graphs : int
    owners : ndarray of shape (n_nodes,)
        Graph of each node.
    colours : ndarray of shape (n_nodes,)
    endpoints : ndarray of shape (n_edges, 2)
        Positions of nodes.
    bonds : ndarray of shape (n_edges,)
        Colour of each edge.
    """

    n_graphs: int
    owners: Index
    colours: Index
    endpoints: Index
    bonds: Index

    @classmethod
    def of(cls, graphs: Sequence[AttributedGraph], numbers: bool) -> _Family:
        """Return graphs coloured by their attributes."""
        schema = Schema.fit(graphs, attributes="all" if numbers else "categorical")
        check_graphs(graphs, schema)
        sizes = [graph.n_nodes for graph in graphs]
        colours = _attribute_colours([g.node_attributes for g in graphs], sizes, schema.nodes)
        if schema.features:
            features = sparse.vstack([graph.node_features for graph in graphs], format="coo")
            values = np.unique(features.data, return_inverse=True)[1]
            items = number_pairs(features.col.astype(np.int64), values)
            colours = number_multisets(colours, features.row, items)
        starts = np.cumsum([0, *sizes])
        pairs = [graph.edges + start for graph, start in zip(graphs, starts, strict=False)]
        return cls(
            len(graphs),
            np.repeat(np.arange(len(graphs)), sizes),
            colours,
            np.concatenate([np.empty((0, 2), np.int64), *pairs]),
            _attribute_colours(
                [g.edge_attributes for g in graphs], [g.n_edges for g in graphs], schema.edges
            ),
        )

    def take(self, chosen: Mask) -> _Family:
        """Return some of the graphs, numbered anew."""
        nodes = chosen[self.owners]
        edges = nodes[self.endpoints[:, 0]]
        graph, node = np.cumsum(chosen) - 1, np.cumsum(nodes) - 1
        return _Family(
            int(np.count_nonzero(chosen)),
            graph[self.owners[nodes]],
            self.colours[nodes],
            node[self.endpoints[edges]],
            self.bonds[edges],
        )

    def n_colours(self) -> int:
        """Return the number of distinct colours of nodes."""
        return len(np.unique(self.colours))

    def refined(self) -> _Family:
        """Tell nodes apart by their neighbours' colours, each with that of its edge."""
        nodes, leaves = self.endpoints.T.ravel(), self.endpoints[:, ::-1].T.ravel()
        items = number_pairs(np.tile(self.bonds, 2), self.colours[leaves])
        return replace(self, colours=number_multisets(self.colours, nodes, items))

    def palettes(self) -> Index:
        """Return numbers of the graphs, equal where their nodes have the same colours."""
        ordered = self.colours[np.lexsort((self.colours, self.owners))]
        ends = np.cumsum(np.bincount(self.owners, minlength=self.n_graphs)).tolist()
        # As bytes in a dictionary: number_multisets would sort once per node of the largest graph.
        numbers: dict[bytes, int] = {}
        found = [
            numbers.setdefault(ordered[start:end].tobytes(), len(numbers))
            for start, end in pairwise([0, *ends])
        ]
        return np.array(found, dtype=np.int64)

    def classes(self) -> tuple[Index, Index]:
        """Return the class of each node, and its size: the nodes of one colour in one graph."""
        classes = number_pairs(self.owners, self.colours)
        return classes, np.bincount(classes)[classes]

    def without_full_edges(self) -> _Family:
        """Leave out the edges of one colour between any two classes, if all nodes are joined.

        Whatever maps colours to themselves preserves them.
        """
        classes, sizes = self.classes()
        a, b = np.sort(classes[self.endpoints], axis=1).T
        kinds = number_pairs(number_pairs(a, b), self.bonds)
        one, other = sizes[self.endpoints].T
        most = np.where(a == b, one * (one - 1) // 2, one * other)
        kept = np.bincount(kinds)[kinds] < most
        return replace(self, endpoints=self.endpoints[kept], bonds=self.bonds[kept])

    def components(self) -> _Family:
        """Return the connected components, each as a graph."""
        n, ones = len(self.owners), np.ones(len(self.endpoints))
        joined = sparse.coo_array((ones, tuple(self.endpoints.T)), shape=(n, n))
        n_components, component = connected_components(joined, directed=False)
        return replace(self, n_graphs=n_components, owners=component.astype(np.int64))


def _attribute_colours(
    collections: Sequence[Mapping[str, Attribute]],
    sizes: Sequence[int],
    specs: Sequence[AttributeSpec],
) -> Index:
    """Return colours of all nodes, or edges, by their attributes."""
    colours = np.zeros(sum(sizes), dtype=np.int64)
    for codes in Elements.encode(collections, sizes, specs).categorical:
        colours = number_pairs(colours, codes + 1)
    for spec in specs:
        if spec.kind == "numerical":
            # As given: scaled to the range of all graphs, two numbers may become one.
            column = [attributes.get(spec.name) for attributes in collections]
            values = [
                np.full(size, np.nan) if a is None or a.kind != "numerical" else a.data
                for a, size in zip(column, sizes, strict=True)
            ]
            ranks = np.unique(np.concatenate(values), return_inverse=True)[1]
            colours = number_pairs(colours, ranks)
    return colours


def _groups(family: _Family) -> Index:
    """Return numbers of the graphs, equal exactly where they are isomorphic."""
    groups = family.palettes()
    left = np.arange(family.n_graphs)

    def tell_apart(found: Index) -> Index:
        everywhere = np.zeros(len(groups), dtype=np.int64)
        everywhere[left] = found
        return number_pairs(groups, everywhere)

    while True:
        shared = np.bincount(groups)[groups[left]] > 1
        left, family = left[shared], family.take(shared)
        finer = family.refined()
        if finer.n_colours() == family.n_colours():
            break
        family = finer
        groups = tell_apart(family.palettes())
    # Colours are stable, so nodes of a colour have equally many neighbours of each colour.
    reduced = family.without_full_edges()
    if not len(reduced.endpoints):
        return groups
    parts = reduced.components()
    graph = np.empty(parts.n_graphs, dtype=np.int64)
    graph[parts.owners] = family.owners
    whole = (np.bincount(graph)[graph] == 1) & (np.bincount(parts.owners) > 1)
    found = np.empty(parts.n_graphs, dtype=np.int64)
    found[~whole] = _groups(parts.take(~whole))
    found[whole] = _groups_by_marks(parts.take(whole), groups[left][graph[whole]])
    return tell_apart(number_multisets(groups[left], graph, found))


def _groups_by_marks(family: _Family, groups: Index) -> Index:
    """Return numbers of connected graphs with stable colours, of which no class is a single node.

    Graphs of different ``groups`` are known to differ. Each other graph is compared with the first
    of its group, a node of which is marked by a colour of its own. The two are isomorphic exactly
    if they still are after one of the nodes of the same colour has been marked in the other.
    """
    _, sizes = family.classes()
    nodes = np.lexsort((family.colours, sizes, family.owners))
    # The nodes of the smallest class of each graph.
    starts = np.searchsorted(family.owners[nodes], np.arange(family.n_graphs))
    sizes = sizes[nodes[starts]]
    mark = family.colours.max(initial=0) + 1
    models = np.full(family.n_graphs, -1)
    while (models < 0).any():
        left = np.flatnonzero(models < 0)
        _, first, inverse = np.unique(groups[left], return_index=True, return_inverse=True)
        candidates = models.copy()
        candidates[left] = left[first][inverse]
        models[left[first]] = left[first]
        for attempt in range(sizes.max()):
            tried = (models < 0) & (attempt < sizes)
            if not tried.any():
                break
            taken = tried.copy()
            taken[candidates[tried]] = True
            colours = family.colours.copy()
            colours[nodes[starts + attempt * tried]] = mark
            found = np.empty(family.n_graphs, dtype=np.int64)
            found[taken] = _groups(replace(family, colours=colours).take(taken))
            alike = tried.copy()
            alike[tried] = found[tried] == found[candidates[tried]]
            models[alike] = candidates[alike]
    return models
