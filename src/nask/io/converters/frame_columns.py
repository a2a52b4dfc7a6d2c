"""One attribute of many graphs in one column: split by graph, or joined again."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from nask.arrays import Index
from nask.exceptions import SchemaError
from nask.graph.attribute import Attribute
from nask.messages import quoted


def split_attribute(attribute: Attribute, graph: Index, n_graphs: int) -> list[Attribute]:
    """Return the attribute of each graph, given the graph (in ascending order) of each element.

    Examples
    --------
    >>> pooled = Attribute.from_values(["a", "b", "b"])
    >>> for attribute in split_attribute(pooled, np.array([0, 0, 1]), 2):
    ...     print(attribute.values(), attribute.categories)
    ['a', 'b'] ('a', 'b')
    ['b'] ('b',)
    """
    stop = np.searchsorted(graph, np.arange(n_graphs + 1))
    data, categories = attribute.data, attribute.categories
    if attribute.kind == "numerical":
        dates = attribute.dates
        return [Attribute("numerical", data[a:b].copy(), dates=dates) for a, b in pairwise(stop)]
    # A graph keeps its own categories only; the whole column may have many.
    present = np.flatnonzero(data >= 0)
    width = len(categories)
    used, rank = np.unique(graph[present] * width + data[present], return_inverse=True)
    used_stop = np.searchsorted(used, np.arange(n_graphs + 1) * width)
    local = np.full(len(data), -1, dtype=np.int32)
    local[present] = rank - used_stop[graph[present]]
    own = [categories[code] for code in (used % width).tolist()]
    return [
        Attribute("categorical", local[a:b].copy(), tuple(own[c:d]))
        for (a, b), (c, d) in zip(pairwise(stop), pairwise(used_stop), strict=True)
    ]


def join_attributes(
    graphs: Sequence[Mapping[str, Attribute]], lengths: Sequence[int]
) -> dict[str, Attribute]:
    """Return the attributes of all graphs one after another, missing where a graph has none.

    Examples
    --------
    >>> graphs = [{"age": Attribute.from_values([3])}, {"region": Attribute.from_values(["a"])}]
    >>> {name: column.values() for name, column in join_attributes(graphs, [1, 1]).items()}
    {'age': [3.0, None], 'region': [None, 'a']}
    """
    names = dict.fromkeys(name for attributes in graphs for name in attributes)
    return {name: _join([own.get(name) for own in graphs], lengths, name) for name in names}


def _join(owned: Sequence[Attribute | None], lengths: Sequence[int], name: str) -> Attribute:
    given = [(k, own) for k, own in enumerate(owned) if own is not None]
    # A graph in which all values are missing fits either kind.
    first, model = next(((k, p) for k, p in given if not p.missing.all()), given[0])
    index: dict[Hashable, int] = {}
    arrays = []
    for k, (own, length) in enumerate(zip(owned, lengths, strict=True)):
        if own is None or own.missing.all():
            missing = np.nan if model.kind == "numerical" else -1
            arrays.append(np.full(length, missing, dtype=model.data.dtype))
        elif own.kind != model.kind:
            raise SchemaError(
                f"The attribute {quoted(name)} is {model.kind} in graph {first}, but {own.kind} "
                f"in graph {k}: no column can hold both. Convert its values."
            )
        elif own.kind == "numerical":
            arrays.append(own.data)
        else:
            codes = [index.setdefault(category, len(index)) for category in own.categories]
            arrays.append(np.array([*codes, -1], dtype=np.int32)[own.data])
    dates = any(own.dates for _, own in given)
    return Attribute(model.kind, np.concatenate(arrays), tuple(index), dates)
