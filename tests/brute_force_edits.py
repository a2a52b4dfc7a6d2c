"""Every edit of a small graph, made and judged one by one on plain dictionaries.

A second implementation of what ``nask.counterfactual`` tries: it shares no code with it.
"""

from itertools import combinations, product

import numpy as np

import nask

NODE_NUMBERS, NODE_LETTERS = {"x"}, {"letter"}
EDGE_NUMBERS, EDGE_LETTERS = {"length"}, {"bond"}
NUMBERS = NODE_NUMBERS | EDGE_NUMBERS


def random_graph(draw, n_nodes, letters="abc", bonds="st", missing=0.15, density=0.5):
    """A plain graph: attributes by node, and by edge."""

    def one(choices):
        return None if draw.random() < missing else choices()

    nodes = [
        {"letter": one(lambda: str(draw.choice(list(letters)))),
         "x": one(lambda: round(float(draw.normal()), 2))}
        for _ in range(n_nodes)
    ]  # fmt: skip
    edges = {
        pair: {"bond": one(lambda: str(draw.choice(list(bonds)))),
               "length": one(lambda: round(float(draw.random()), 2))}
        for pair in combinations(range(n_nodes), 2) if draw.random() < density
    }  # fmt: skip
    return nodes, edges


def built(plain):
    nodes, edges = plain

    def columns(rows, names):
        return {name: [row[name] for row in rows] for name in sorted(names)}

    return nask.AttributedGraph(
        len(nodes), list(edges), columns(nodes, NODE_NUMBERS | NODE_LETTERS),
        columns(edges.values(), EDGE_NUMBERS | EDGE_LETTERS),
        categorical=NODE_LETTERS | EDGE_LETTERS, numerical=NUMBERS,
    )  # fmt: skip


def training_values(train):
    """What is tried by attribute, and the training range of the numbers."""
    rows = [row for nodes, edges in train for row in (*nodes, *edges.values())]
    values, ranges = {}, {}
    for name in NUMBERS | NODE_LETTERS | EDGE_LETTERS:
        seen = {row[name] for row in rows if row.get(name) is not None}
        if name in NUMBERS:
            low, high = min(seen), max(seen)
            values[name] = [low + (high - low) * step / 4 for step in range(5)]
            ranges[name] = high - low
        else:
            values[name] = sorted(seen)
    return values, ranges


def all_edits(plain, values, ranges):
    """Pairs of what an edit does to a plain graph and its change."""
    nodes, edges = plain
    found = []
    for kind, rows in (("node", enumerate(nodes)), ("edge", edges.items())):
        for place, row in rows:
            for name, old in row.items():
                for new in [*values[name], None]:
                    if new == old or (name in NUMBERS and None not in (old, new)
                                      and abs(new - old) < 1e-9):  # fmt: skip
                        continue
                    change = 1.0
                    if name in NUMBERS and None not in (old, new):
                        change = min(1.0, abs(new - old) / ranges[name])
                    found.append(((kind, place, name, new), change))
    for pair in combinations(range(len(nodes)), 2):
        if pair in edges:
            found.append((("cut", pair), 1.0))
        else:
            for bond, length in product(values["bond"], values["length"]):
                found.append((("join", pair, bond, length), 1.0))
    return found


def made(plain, *edits):
    """The plain graph with edits; None where two of them are of the same thing."""
    nodes, edges = [dict(row) for row in plain[0]], {k: dict(row) for k, row in plain[1].items()}
    places = [edit[:3] if edit[0] in ("node", "edge") else edit[1] for edit in edits]
    for one, other in combinations(edits, 2):
        edge_of = [e[1] for e in (one, other) if e[0] != "node"]
        same_edge = len(edge_of) == 2 and edge_of[0] == edge_of[1]
        both_values = {one[0], other[0]} == {"edge"} and one[2] != other[2]
        if len(set(places)) < len(places) or (same_edge and not both_values):
            return None
    for edit in edits:
        match edit:
            case ("node", place, name, new):
                nodes[place][name] = new
            case ("edge", place, name, new):
                edges[place][name] = new
            case ("cut", pair):
                del edges[pair]
            case ("join", pair, bond, length):
                edges[pair] = {"bond": bond, "length": length}
    return nodes, edges


def judged(model, plain, sets_of_edits, before, target=None):
    """The flips among sets of edits: their change and margin, largest margin first."""
    graphs, changes = [], []
    for edits in sets_of_edits:
        edited = made(plain, *(edit for edit, _ in edits))
        if edited is not None:
            graphs.append(built(edited))
            changes.append(sum(change for _, change in edits))
    classes = model.classes_.tolist()
    scores = model.decision_function(graphs)
    if scores.ndim == 1:
        scores = np.column_stack([-scores / 2, scores / 2])
    found = []
    for label, score, change in zip(model.predict(graphs), scores, changes, strict=True):
        if label != before and target in (None, label):
            own = classes.index(label)
            found.append((round(change, 9), score[own] - np.delete(score, own).max()))
    return sorted(found, key=lambda pair: (pair[0], -pair[1])), len(graphs)
