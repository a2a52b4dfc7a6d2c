"""Random graphs with both kinds of attributes, and the same graphs with their nodes in disorder."""

import numpy as np

import nask


def random_graphs(n_graphs, seed, letters="ab"):
    """Isolated nodes, one missing value of each kind, and at the end a graph without nodes."""
    draw = np.random.default_rng(seed)
    found = []
    for number in range(n_graphs):
        n = int(draw.integers(2, 8)) if number < n_graphs - 1 else 0
        edges = [(u, v) for u in range(n) for v in range(u) if draw.random() < 0.35]
        letter, x = draw.choice(list(letters), n).tolist(), draw.normal(size=n).tolist()
        if number == 0:
            letter[0] = x[1] = None
        attributes = {"letter": letter, "x": x, "y": draw.normal(size=n)}
        found.append(nask.AttributedGraph(n, edges, attributes))
    return found


def permuted(graph, draw):
    order = draw.permutation(graph.n_nodes)
    place = np.argsort(order)
    attributes = {name: a.take(order) for name, a in graph.node_attributes.items()}
    return nask.AttributedGraph(graph.n_nodes, place[graph.edges], attributes)


def neighbours(graph, v):
    return [b if a == v else a for a, b in graph.edges.tolist() if v in (a, b)]


def standardised(graphs, train):
    """Rows (x, y) of the nodes of each graph, by the means and deviations of the training ones."""
    columns = []
    for name in ("x", "y"):
        values = np.concatenate([graph.node_attributes[name].data for graph in train])
        mean, deviation = np.nanmean(values), np.nanstd(values)
        columns.append(
            [np.nan_to_num((g.node_attributes[name].data - mean) / deviation) for g in graphs]
        )
    return [np.column_stack(pair) for pair in zip(*columns, strict=True)]


def random_network(n=40, seed=0, features=False):
    """A network of three classes that its nodes' attributes and edges tell of, and the classes."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 3, n)
    edges = [
        (u, v)
        for u in range(n)
        for v in range(u)
        if draw.random() < (0.2 if y[u] == y[v] else 0.02)
    ]
    attributes = {
        "letter": [None if draw.random() < 0.1 else "abc"[c] for c in y],
        "x": [None if draw.random() < 0.1 else float(c + draw.normal()) for c in y],
    }
    bonds = {"bond": draw.choice(["s", "d"], len(edges)).tolist()}
    words = None
    if features:
        words = (draw.random((n, 6)) < 0.3).astype(float)
    return nask.AttributedGraph(n, edges, attributes, bonds, node_features=words), y
