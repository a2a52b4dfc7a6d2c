"""Edges that are listed several times: one rule, the same from every source."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

import nask
from nask.exceptions import FormatError, GraphError, ParameterError
from nask.graph.attribute import Attribute
from nask.graph.repeated_edges import merged
from nask.io import from_frames, from_networkx, from_pyg, read_network, read_tables, read_tu

LINES = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 1)]
AMOUNTS = [3.0, None, 1.0, 2.0, 8.0]
KEPT = {"first": [3.0, 1.0], "mean": [5.5, 1.5], "max": [8.0, 2.0]}


def folder_of(tmp_path, network):
    graph = "" if network else "g,"
    head = "" if network else "graph,"
    rows = [
        f"{graph}n{u},n{v},{'' if a is None else a}"
        for (u, v), a in zip(LINES, AMOUNTS, strict=True)
    ]
    (tmp_path / "nodes.csv").write_text(
        f"{head}node\n" + "".join(f"{graph}n{k}\n" for k in range(3))
    )
    (tmp_path / "edges.csv").write_text(f"{head}source,target,amount\n" + "\n".join(rows) + "\n")
    return tmp_path


def tu(tmp_path, rule):
    lines = [*LINES, (2, 1)]
    (tmp_path / "T_A.txt").write_text("".join(f"{u + 1}, {v + 1}\n" for u, v in lines))
    (tmp_path / "T_graph_indicator.txt").write_text("1\n1\n1\n")
    values = [*AMOUNTS, 2.0]
    text = "".join(f"{'nan' if a is None else a}\n" for a in values)
    (tmp_path / "T_edge_attributes.txt").write_text(text)
    if rule == "mean":  # 1, 2 and 2 are a mean of 5 / 3
        (tmp_path / "T_A.txt").write_text("".join(f"{u + 1}, {v + 1}\n" for u, v in LINES))
        (tmp_path / "T_edge_attributes.txt").write_text("3\nnan\n1\n2\n8\n")
    return read_tu(tmp_path, repeated_edges=rule)


def sources(tmp_path, rule):
    columns = {
        "source": [u for u, _ in LINES], "target": [v for _, v in LINES], "amount": AMOUNTS
    }  # fmt: skip
    multi = nx.MultiDiGraph()
    multi.add_nodes_from(range(3))
    for (u, v), amount in zip(LINES, AMOUNTS, strict=True):
        multi.add_edge(u, v, **({} if amount is None else {"amount": amount}))
    data = Data(
        num_nodes=3,
        edge_index=torch.tensor(LINES).T,
        amount_edge=torch.tensor([np.nan if a is None else a for a in AMOUNTS]),
    )
    yield nask.AttributedGraph(3, LINES, {}, {"amount": AMOUNTS}, repeated_edges=rule)
    for table in (pd.DataFrame, pl.DataFrame):
        nodes = table({"node": range(3)})
        yield from from_frames(nodes, table(columns), graph=None, repeated_edges=rule)
    yield from_networkx(multi, to_undirected=True, repeated_edges=rule)
    yield from_pyg(data, to_undirected=True, repeated_edges=rule)
    yield read_network(folder_of(tmp_path, True), repeated_edges=rule).graph
    [read] = read_tables(folder_of(tmp_path, False), repeated_edges={"amount": rule}).graphs
    yield read
    yield tu(tmp_path, rule).graphs[0]


@pytest.mark.parametrize("rule", KEPT)
def test_every_source_keeps_the_same_value(tmp_path, rule):
    for graph in sources(tmp_path, rule):
        [values] = [own.values() for own in graph.edge_attributes.values()]
        assert dict(zip(map(tuple, graph.edges.tolist()), values, strict=True)) == {
            (0, 1): KEPT[rule][0],
            (1, 2): KEPT[rule][1],
        }


def test_by_default_it_is_an_error_everywhere(tmp_path):
    for make in range(8):
        with pytest.raises((GraphError, FormatError), match="repeated_edges"):
            next(graph for k, graph in enumerate(sources(tmp_path, "error")) if k == make)


def test_what_was_done_is_noted(tmp_path):
    note = "amount differs where 2 edges are repeated: their mean is kept (repeated_edges='mean')."
    data = read_network(folder_of(tmp_path, True), repeated_edges="mean")
    assert data.notes == (note, "edges.csv: 3 repeats of an edge, in either direction, removed.")
    assert note in read_tables(folder_of(tmp_path, False), repeated_edges="mean").notes
    assert any("edge_attribute differs where 2 edges" in n for n in tu(tmp_path, "max").notes)
    agree = nask.io.to_frames([nask.AttributedGraph(2, [(0, 1)], {}, {"amount": [1]})])
    assert from_frames(*agree, repeated_edges="mean").notes == ()


def test_categories_have_a_first_value_only():
    kinds, lines = {"amount": [1, 3], "kind": ["a", "b"]}, [(0, 1), (1, 0)]
    with pytest.raises(
        GraphError, match=r"'kind' is categorical, and an edge has the values 'a' and 'b'.*no mean"
    ):
        nask.AttributedGraph(2, lines, {}, kinds, repeated_edges="mean")
    graph = nask.AttributedGraph(
        2, lines, {}, kinds, repeated_edges={"amount": "mean", "kind": "first"}
    )
    assert [own.values() for own in graph.edge_attributes.values()] == [[2.0], ["a"]]
    with pytest.raises(GraphError, match="'kind': 'a' at position 0 and 'b'"):
        nask.AttributedGraph(2, lines, {}, kinds, repeated_edges={"amount": "mean"})
    for rule, error, message in (
        ("sum", ParameterError, "must be one of 'error', 'first'"),
        ({"amonut": "mean"}, GraphError, "Did you mean 'amount'"),
    ):
        with pytest.raises(error, match=message):
            nask.AttributedGraph(2, lines, {}, kinds, repeated_edges=rule)


@given(
    st.lists(st.tuples(st.integers(-1, 4), st.one_of(st.none(), st.floats(-9, 9))), max_size=25),
    st.sampled_from(["first", "mean", "max"]),
)
def test_against_plain_loops(lines, rule):
    group = np.array([edge for edge, _ in lines], dtype=np.int64)
    attribute = Attribute.from_values([value for _, value in lines], kind="numerical")
    found = merged(attribute, group, 5, rule, "x")
    of_edge = [[v for e, v in lines if e == edge and v is not None] for edge in range(5)]
    how = {"first": lambda own: own[0], "mean": lambda own: sum(own) / len(own), "max": max}[rule]
    expected = [how(own) if own else None for own in of_edge]
    assert found.attribute.values() == pytest.approx(expected, nan_ok=True)
    assert found.n_conflicts == sum(len(set(own)) > 1 for own in of_edge)
    for own, value in zip(of_edge, found.attribute.values(), strict=True):
        if len(set(own)) == 1:
            assert value == own[0]  # to the last digit
