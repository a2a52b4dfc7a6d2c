"""What a user gives for one graph, checked: attributes by name, forced kinds, node features."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from nask.exceptions import GraphError, did_you_mean
from nask.graph.attribute import Attribute, Kind
from nask.messages import quoted


def named_columns(attributes: Any, element: str) -> Mapping[str, Iterable[Any]]:
    """Return the attributes of nodes or of edges by name; an error if they have no names."""
    attributes = {} if attributes is None else attributes
    if not isinstance(attributes, Mapping) or not all(isinstance(name, str) for name in attributes):
        raise GraphError(
            f"{element}_attributes must map names to values, one per {element}, such as "
            f"{{'age': [23, 31]}}. Got {quoted(attributes)}."
        )
    return attributes


def listed_names(names: Any) -> list[str]:
    """Return the names of attributes in a collection, or a single one; else raise an error."""
    listed = [names] if isinstance(names, str) else names
    listed = list(listed) if isinstance(listed, Iterable) else [None]
    if not all(isinstance(name, str) for name in listed):
        raise GraphError(
            "'categorical' and 'numerical' must be collections of names of attributes, such as "
            f"['age']. Got {quoted(names)}."
        )
    return listed


def forced_kinds(
    categorical: Collection[str], numerical: Collection[str], known: Collection[str]
) -> dict[str, Kind]:
    """Return the kinds that the user forces, by name; an error for a name that is not known."""
    kinds: dict[str, Kind] = {}
    forced: tuple[tuple[Kind, Collection[str]], ...] = (
        ("categorical", categorical),
        ("numerical", numerical),
    )
    for kind, names in forced:
        for name in listed_names(names):
            if name not in known:
                raise GraphError(
                    f"{kind}={quoted(name)} names no attribute of this graph. "
                    f"{did_you_mean(name, known)}"
                )
            if kinds.get(name, kind) != kind:
                raise GraphError(
                    f"Attribute {quoted(name)} is declared both categorical and numerical."
                )
            kinds[name] = kind
    return kinds


def attribute_column(
    element: str, name: str, values: Iterable[Any], expected: int, kinds: Mapping[str, Kind]
) -> Attribute:
    """Return one attribute of a graph; an error unless it has one value per node, or edge.

    Parameters
    ----------
    element : {"node", "edge"}
    values : iterable, or Attribute
    expected : int
        Number of values that there should be.
    kinds : mapping of str to kind
        The forced kinds, by name.
    """
    forced = kinds.get(name)
    if isinstance(values, Attribute) and forced not in (None, values.kind):
        values = values.values()
    attribute: Attribute = (
        values
        if isinstance(values, Attribute)
        else Attribute.from_values(values, kind=forced, element=element, name=name)
    )
    if len(attribute) != expected:
        raise GraphError(
            f"The {element} attribute {quoted(name)} has {len(attribute)} values, but the graph "
            f"has {expected} {element}s: expected one value each."
        )
    return attribute


def feature_matrix(values: Any, n_nodes: int) -> sparse.csr_array:
    """Return node features as a sparse matrix; an error unless they are finite numbers."""
    try:
        features = sparse.csr_array(values, dtype=np.float64, copy=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(
            f"node_features must be a matrix of numbers, one row per node: {error}. Text and "
            "missing values go into node_attributes."
        ) from None
    if features.ndim != 2 or features.shape[0] != n_nodes:
        raise GraphError(
            f"node_features has the shape {features.shape}, but the graph has {n_nodes} nodes: "
            "expected one row per node."
        )
    features.sum_duplicates()
    features.eliminate_zeros()
    bad = np.flatnonzero(~np.isfinite(features.data))
    if len(bad):
        node = int(np.searchsorted(features.indptr, bad[0], side="right")) - 1
        raise GraphError(
            f"node_features has {features.data[bad[0]]} at node {node}, column "
            f"{features.indices[bad[0]]}: expected finite numbers. Columns with missing values go "
            "into node_attributes."
        )
    return features


def same_features(a: Any, b: Any) -> bool:
    """Tell whether two graphs have the same node features, or both have none."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("indptr", "indices", "data")
    )
