"""Edits of graphs: what they leave, what they exclude, and that all of them are there."""

import numpy as np
import pytest

import nask
from brute_force_edits import all_edits, built, made, random_graph, training_values
from nask.explain.editable import editable_attributes
from nask.explain.edits import EdgeAddition, EdgeRemoval, ValueChange, edited
from nask.explain.single_edits import single_edits
from nask.graph.schema import Schema


def written(nodes, edges):
    """A plain graph as text, without the order of edges and without rounding errors."""

    def row(values):
        numbers = {k: round(v, 9) + 0.0 if isinstance(v, float) else v for k, v in values.items()}
        return sorted(numbers.items())

    return repr(([row(own) for own in nodes], sorted((k, row(own)) for k, own in edges.items())))


def read(graph):
    def rows(attributes, size):
        columns = {name: attribute.values() for name, attribute in attributes.items()}
        return [{name: values[k] for name, values in columns.items()} for k in range(size)]

    ends = map(tuple, graph.edges.tolist())
    edges = rows(graph.edge_attributes, graph.n_edges)
    return rows(graph.node_attributes, graph.n_nodes), dict(zip(ends, edges, strict=True))


@pytest.mark.parametrize("seed", range(100, 106))
def test_single_edits_are_those_made_another_way(seed):
    draw = np.random.default_rng(seed)
    train = [random_graph(draw, 4) for _ in range(6)]
    plain = random_graph(draw, 4)
    graph, schema = built(plain), Schema.fit([built(own) for own in train])
    edits = list(single_edits(graph, editable_attributes(graph, [schema], None)))
    got = sorted(written(*read(edited(graph, [edit]))) for edit in edits)
    every = all_edits(plain, *training_values(train))
    assert got == sorted(written(*made(plain, edit)) for edit, _ in every)
    changes = sorted(edit.change for edit in edits)
    assert changes == pytest.approx(sorted(change for _, change in every))
    assert graph == built(plain)


def test_which_edits_exclude_each_other():
    value = ValueChange("node", 0, "atom", "C", "N", "categorical")
    other_value = ValueChange("node", 0, "atom", "C", "O", "categorical")
    other_name = ValueChange("node", 0, "charge", 0.0, 1.0, "numerical")
    bond = ValueChange("edge", (0, 1), "bond", "s", "d", "categorical")
    length = ValueChange("edge", (0, 1), "length", 0.0, 1.0, "numerical")
    cut, other_cut = EdgeRemoval((0, 1)), EdgeRemoval((1, 2))
    single, double = (EdgeAddition((0, 2), {"bond": own}) for own in "sd")
    excluding = [(value, other_value), (bond, cut), (length, cut), (single, double)]
    together = [(value, other_name), (bond, length), (cut, other_cut), (value, cut),
                (bond, other_cut), (single, cut), (single, bond), (single, value)]  # fmt: skip
    for pairs, expected in ((excluding, True), (together, False)):
        for one, other in pairs:
            assert one.excludes(other) is other.excludes(one) is expected, f"{one}, {other}"


def test_words():
    numbers = ValueChange("edge", (2, 5), "length", 1 / 3, None, "numerical")
    assert str(numbers) == "edge 2-5: length 0.333333 -> missing"
    assert str(EdgeRemoval((2, 5))) == "edge 2-5 removed"
    assert str(EdgeAddition((2, 5), {"bond": "s", "length": None})) == (
        "edge 2-5 added (bond s, length missing)"
    )
    pair = ValueChange("node", 1, "place", ("a", 1), True, "categorical")
    assert pair.to_json() == {
        "edit": "change", "node": 1, "attribute": "place", "from": "('a', 1)", "to": True,
    }  # fmt: skip


def test_counts_of_what_was_removed_when_the_graph_was_read_stay():
    graph = nask.AttributedGraph(3, [(0, 0), (0, 1), (1, 0)])
    other = EdgeAddition((0, 2)).apply(graph)
    assert (other.n_self_loops_removed, other.n_duplicate_edges_removed) == (1, 1)
    assert other == nask.AttributedGraph(3, [(0, 1), (0, 2)])
