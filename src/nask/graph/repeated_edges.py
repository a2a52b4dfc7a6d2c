"""What becomes of an edge that is listed several times with different values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, get_args

import numpy as np

from nask.arrays import Index, Mask
from nask.choices import RepeatedEdges
from nask.exceptions import GraphError, ParameterError, did_you_mean
from nask.graph.attribute import Attribute
from nask.messages import quoted

# One rule for all attributes of edges, or one by name; those that it does not name must agree.
Repeated = RepeatedEdges | Mapping[str, RepeatedEdges]
KEPT: Mapping[RepeatedEdges, str] = {
    "first": "the first value is kept",
    "mean": "their mean is kept",
    "max": "the largest is kept",
}


class Merged(NamedTuple):
    """An attribute of the distinct edges, and how many of them had different values."""

    attribute: Attribute
    n_conflicts: int


def rules_by_name(repeated: Any, names: Collection[str], owner: str) -> dict[str, RepeatedEdges]:
    """Return the rule of each attribute of edges; raise unless ``repeated`` is a rule, or some.

    Examples
    --------
    >>> rules_by_name("mean", ["amount"], "from_frames")
    {'amount': 'mean'}
    >>> rules_by_name({"amount": "max"}, ["amount", "kind"], "from_frames")
    {'amount': 'max', 'kind': 'error'}
    >>> rules_by_name("sum", ["amount"], "from_frames")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'repeated_edges' parameter of from_frames must be one of
    'error', 'first', 'mean', 'max', or a dictionary of these by attribute. Got 'sum' instead.
    """
    known = get_args(RepeatedEdges)
    given = repeated if isinstance(repeated, Mapping) else {"": repeated}
    if not all(isinstance(rule, str) and rule in known for rule in given.values()):
        expected = f"one of {', '.join(map(repr, known))}, or a dictionary of these by attribute"
        raise ParameterError.expected("repeated_edges", owner, expected, repeated)
    if not isinstance(repeated, Mapping):
        return dict.fromkeys(names, repeated)
    for name in repeated:
        if name not in names:
            raise GraphError(
                f"repeated_edges names {quoted(name)}, which is no attribute of edges. "
                f"{did_you_mean(str(name), names)}"
            )
    return {name: repeated.get(name, "error") for name in names}


def merged(
    attribute: Attribute, group: Index, n_edges: int, rule: RepeatedEdges, label: str
) -> Merged:
    """Return one value per edge, where lines that list the same edge may differ.

    A missing value gives way to one that is there. Where values are equal, they are kept to the
    last digit.

    Parameters
    ----------
    attribute : Attribute
        One value per line.
    group : ndarray
        The edge of each line; -1 for a line that is left out.
    n_edges : int
    rule : {"first", "mean", "max"}
    label : str
        What messages call the attribute.

    Examples
    --------
    >>> amount = Attribute.from_values([3.0, 1.0, None, 2.0])
    >>> merged(amount, np.array([0, 0, 1, 1]), 2, "mean", "amount")
    Merged(attribute=Attribute(kind='numerical', data=array([2., 2.]), ...), n_conflicts=1)
    """
    lines = np.flatnonzero((group >= 0) & ~attribute.missing)
    edge, values = group[lines], attribute.data[lines]
    first = np.full(n_edges, np.nan if attribute.kind == "numerical" else -1, attribute.data.dtype)
    # Backwards, so that the first value of each edge stays.
    first[edge[::-1]] = values[::-1]
    differs: Mask = np.zeros(n_edges, dtype=bool)
    differs[edge[values != first[edge]]] = True
    if differs.any() and rule in ("mean", "max"):
        if attribute.kind == "categorical":
            own = lines[edge == np.flatnonzero(differs)[0]]
            shown = [quoted(value) for value in dict.fromkeys(attribute.take(own).values())]
            raise GraphError(
                f"The {label} is categorical, and an edge has the values {' and '.join(shown)}: "
                f"categories have no {rule}. Use repeated_edges='first', a rule for each attribute "
                "(repeated_edges={'NAME': 'first'}, --repeated-edges NAME=first), or leave the "
                "attribute out."
            )
        counts = np.bincount(edge, minlength=n_edges)
        if rule == "mean":
            # Each divided first: a sum of huge values would be infinite.
            reduced = np.bincount(edge, values / counts[edge], n_edges)
        else:
            reduced = first.copy()
            np.maximum.at(reduced, edge, values)
        first[differs] = reduced[differs]
    made = Attribute(attribute.kind, first, attribute.categories, attribute.dates)
    return Merged(made, int(np.count_nonzero(differs)))


def repeated_note(name: str, n_conflicts: int, rule: RepeatedEdges) -> str:
    """Return, in words, what was done with the different values of an attribute.

    Examples
    --------
    >>> repeated_note("amount", 3, "mean")
    "amount differs where 3 edges are repeated: their mean is kept (repeated_edges='mean')."
    """
    edges = "1 edge is" if n_conflicts == 1 else f"{n_conflicts} edges are"
    return f"{name} differs where {edges} repeated: {KEPT[rule]} (repeated_edges={rule!r})."
