"""What all altered datasets share: checks, the values of a whole set, names, new graphs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.arrays import Float64, Positions
from nask.exceptions import InputError, ParameterError
from nask.graph.attribute import Attribute, Kind
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import AttributeSpec, Schema
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.lab.generators.checks import check_integer, check_number

# Between the name of a set and what was done to it.
MARK = "~"


def check_graphs(dataset: Any, owner: str) -> None:
    """Raise unless it is a set of graphs.

    Examples
    --------
    >>> check_graphs("BZR", "add_noise")
    Traceback (most recent call last):
    nask.exceptions.InputError: add_noise alters a Dataset. Got 'BZR'. Load it with
    nask.load_dataset.
    """
    if isinstance(dataset, NodeDataset):
        raise InputError(
            f"{owner} alters sets of graphs. Got {dataset.name}, a network whose nodes are "
            "classified: make its graph part of a Dataset first."
        )
    if not isinstance(dataset, Dataset):
        hint = " Load it with nask.load_dataset." if isinstance(dataset, str) else ""
        got = repr(dataset) if isinstance(dataset, str) else f"a {type(dataset).__name__}"
        raise InputError(f"{owner} alters a Dataset. Got {got}.{hint}")


def check_request(dataset: Any, share: Any, seed: Any, owner: str) -> None:
    """Raise unless it is a set of graphs, a share from 0 to 1 and a seed.

    Graphs with ``node_features`` are refused: they have no names, and a copy that left them as they
    are would not be what it says.
    """
    check_graphs(dataset, owner)
    check_number("share", owner, share, 0.0, 1.0)
    # A seed is part of the name, so neither None nor a generator will do.
    check_integer("seed", owner, seed, 0)
    if any(graph.node_features is not None for graph in dataset.graphs):
        raise ParameterError(
            f"{owner} alters named attributes, but graphs of {dataset.name} have node_features. "
            "Make them node_attributes first."
        )


def node_specs(dataset: Dataset) -> dict[str, AttributeSpec]:
    """Node attributes of the set by name: the kind of each is that of the whole set."""
    return {spec.name: spec for spec in Schema.fit(dataset.graphs).nodes}


def of_kind(specs: Mapping[str, AttributeSpec], kind: Kind) -> list[str]:
    """Names of the attributes of a kind."""
    return [name for name, spec in specs.items() if spec.kind == kind]


def numbers(dataset: Dataset, name: str) -> Float64:
    """Numbers of one attribute at all nodes of the set that have one.

    Examples
    --------
    >>> graphs = AttributedGraph(2, (), {"age": [23, None]}), AttributedGraph(1)
    >>> numbers(Dataset("people", graphs), "age").tolist()
    [23.0]
    """
    columns = [graph.node_attributes.get(name) for graph in dataset.graphs]
    given = [own for own in columns if own is not None and own.kind == "numerical"]
    return np.concatenate([np.empty(0), *(own.data[~own.missing] for own in given)])


def first_nodes(dataset: Dataset) -> Positions:
    """Place of the first node of each graph among all nodes of the set, and their number."""
    return np.cumsum([0, *(graph.n_nodes for graph in dataset.graphs)])


def with_attributes(
    graph: AttributedGraph,
    nodes: Mapping[str, Attribute],
    edges: Mapping[str, Attribute] | None = None,
) -> AttributedGraph:
    """Return the graph with these attributes of nodes, and of edges where they are given.

    ``node_features`` are left out.
    """
    return AttributedGraph.from_valid(
        graph.n_nodes,
        graph.edges,
        nodes,
        graph.edge_attributes if edges is None else edges,
        n_self_loops_removed=graph.n_self_loops_removed,
        n_duplicate_edges_removed=graph.n_duplicate_edges_removed,
    )


def altered(
    dataset: Dataset, graphs: list[AttributedGraph], what: tuple[object, ...], note: str
) -> Dataset:
    """Return the set with other graphs, under a name and with a note that say what was done.

    Examples
    --------
    >>> altered(Dataset("BZR", ()), [], ("noise", 0.1, 3), "noise").name
    'BZR~noise-0.1-3'
    """
    words = [_short(own) if isinstance(own, float) else str(own) for own in what]
    return dataclasses.replace(
        dataset,
        name=f"{dataset.name}{MARK}{'-'.join(words)}",
        graphs=tuple(graphs),
        notes=(*dataset.notes, note),
    )


def _short(number: float) -> str:
    """Return the number with as many digits as tell it from any other."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
