"""The shares of nodes' attributes, of the nodes that have any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Index, Positions
from nask.engines.pairwise.flow_shares import Flow
from nask.exceptions import GraphError
from nask.graph.schema import FEATURES, Schema

STRUCTURE = "structure"
"""The name of the share of nodes without any attribute: that they are there."""
JOINT = "all attributes"
"""The name of the share of all attributes together, where they are compared as one point."""
NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class AttributeShares:
    """The shares of attributes of some nodes; other nodes have none.

    Of a network of thousands of nodes with thousands of words, few nodes have shares.

    Parameters
    ----------
    names : tuple of str
        The attributes.
    nodes : ndarray
        In ascending order.
    values : ndarray of shape (n_attributes, len(nodes))
    """

    names: tuple[str, ...]
    nodes: Index
    values: Float64

    @classmethod
    def of(
        cls, found: Flow, schema: Schema, nodes: Index, sparse: Positions = NONE
    ) -> AttributeShares:
        """Name the shares of attributes.

        Parameters
        ----------
        found : Flow
        schema : Schema
        nodes : ndarray
            Those whose shares they are.
        sparse : ndarray
            The columns of node features that ``found.features`` has. The others are the last
            rows of ``found.numerical``.
        """
        if schema.similarity == "euclidean":
            # Of a schema without any value that counts, the constant is that of structure.
            name = JOINT if attribute_rows(schema) else constant_name(schema)
            return cls((str(name),), nodes, found.constant[None])
        names = list(attribute_rows(schema))
        n_columns = len(schema.features)
        values = np.empty((len(names), len(nodes)))
        n_named = len(found.numerical) + len(sparse) - n_columns
        last = n_named + n_columns
        values[:n_named], values[last:] = found.numerical[:n_named], found.categorical
        is_sparse = np.zeros(n_columns, dtype=bool)
        is_sparse[sparse] = True
        values[n_named:last][is_sparse] = found.features
        values[n_named:last][~is_sparse] = found.numerical[n_named:]
        constant = constant_name(schema)
        if constant is not None:
            names, values = [*names, constant], np.vstack([values, found.constant])
        return cls(tuple(names), nodes, values)

    @classmethod
    def added_up(cls, parts: Sequence[AttributeShares]) -> AttributeShares:
        """Return the sums of shares of the same attribute of the same node.

        Examples
        --------
        >>> x = AttributeShares(("x",), np.array([0, 2]), np.array([[1.0, 2.0]]))
        >>> y = AttributeShares(("y", "x"), np.array([2]), np.array([[5.0], [7.0]]))
        >>> AttributeShares.added_up([x, y]).table(3).tolist()
        [[1.0, 0.0], [0.0, 0.0], [9.0, 5.0]]
        """
        if len(parts) == 1:
            return parts[0]
        row = {name: k for k, name in enumerate(dict.fromkeys(n for p in parts for n in p.names))}
        nodes = np.unique(np.concatenate([NONE, *(part.nodes for part in parts)]))
        values = np.zeros((len(row), len(nodes)))
        for part in parts:
            rows = np.array([row[name] for name in part.names], dtype=np.intp)
            values[rows[:, None], np.searchsorted(nodes, part.nodes)] += part.values
        return cls(tuple(row), nodes, values)

    def table(self, n_nodes: int) -> Float64:
        """Return the shares of all nodes, (n_nodes, n_attributes)."""
        shares = np.zeros((n_nodes, len(self.names)))
        shares[self.nodes] = self.values.T
        return shares

    def by_node(self, n_nodes: int) -> Float64:
        """Return the sum of all attributes of each node, (n_nodes,)."""
        total = np.zeros(n_nodes)
        total[self.nodes] = self.values.sum(axis=0)
        return total


def attribute_rows(schema: Schema) -> dict[str, tuple[str, int]]:
    """Where the values of each attribute of nodes are: the array of ``Elements``, and its row.

    Columns of node features are the last numerical attributes. Attributes without any training
    value are nowhere.

    Examples
    --------
    >>> import nask
    >>> pair = nask.AttributedGraph(2, node_attributes={"atom": ["C", "N"], "charge": [0.0, 1.0]})
    >>> attribute_rows(Schema.fit([pair]))
    {'charge': ('numerical', 0), 'atom': ('categorical', 0)}
    """
    numbers = [spec.name for spec in schema.nodes if spec.encoded == "numerical"]
    columns = [f"{FEATURES}[{column}]" for column in range(len(schema.features))]
    for name in columns:
        if any(spec.name == name for spec in schema.nodes):
            raise GraphError(
                f"The graphs have node_features, a column of which is called {name!r} in "
                "explanations, and also a node attribute of that name. Rename the attribute."
            )
    numbers += columns
    categories = [spec.name for spec in schema.nodes if spec.encoded == "categorical"]
    return {
        name: (kind, row)
        for kind, names in (("numerical", numbers), ("categorical", categories))
        for row, name in enumerate(names)
    }


def missing_numbers(schema: Schema) -> list[float]:
    """What encodes a missing value in each row of the numerical attributes of nodes.

    A column of node features is 0 at one end of its training range, or somewhere within it.
    """
    named = [spec.missing_number for spec in schema.nodes if spec.encoded == "numerical"]
    columns = 0.0 if schema.similarity == "euclidean" else float("nan")
    return [*named, *[columns] * len(schema.features)]


def constant_name(schema: Schema) -> str | None:
    """The name of the share that no value has: of attributes that training graphs had none of."""
    if not schema.nodes and not schema.features:
        return STRUCTURE
    return " and ".join(spec.name for spec in schema.nodes if spec.kind == "missing") or None
