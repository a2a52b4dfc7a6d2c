"""An explanation with the parts that pictures draw, whose shares add up."""

from types import SimpleNamespace

import numpy as np


def made_up_explanation(graph, *, n_hops=2, n_attributes=3, n_neighbours=12, seed=100, target=1):
    rng = np.random.default_rng(seed)
    hops = rng.normal(size=(n_hops, graph.n_nodes))
    edges = rng.normal(size=graph.n_edges) / 2
    attributes = rng.normal(size=(graph.n_nodes, n_attributes))
    if graph.n_nodes and n_attributes:
        attributes += (hops.sum() - edges.sum() - attributes.sum()) / attributes.size
    intercept = 0.25
    return SimpleNamespace(
        graph=graph,
        quantity=f"decision for class {target}",
        intercept=intercept,
        decision=intercept + hops.sum(),
        nodes=hops.sum(axis=0),
        leaning=hops.sum(axis=0) + intercept / max(1, graph.n_nodes),
        hops=hops,
        edges=edges,
        attributes=attributes,
        attribute_names=tuple(f"attribute {number}" for number in range(n_attributes)),
        neighbours=[(int(at), share) for at, share in enumerate(rng.normal(size=n_neighbours))],
    )
