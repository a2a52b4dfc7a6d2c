import re
import subprocess
import sys

import grakel
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Batch, Data, HeteroData

from nask import AttributedGraph, load_dataset
from nask.exceptions import GraphError, InputError, MissingDependencyError, NaskError
from nask.io import coerce, from_frames, from_grakel, from_smiles
from nask.io.coerce import as_graph, as_graphs
from nask.io.converters.molecule_reading import MoleculeReading
from nask.lab import make_social_network

PAIR = AttributedGraph(2, [(0, 1)])
ONE_OF_EACH = [
    PAIR,
    nx.path_graph(2),
    nx.MultiGraph([(0, 1)]),
    Data(num_nodes=2, edge_index=torch.tensor([[0, 1], [1, 0]])),
    Chem.MolFromSmiles("CC"),
    grakel.Graph({(0, 1), (1, 0)}),
]


def object_array(items):
    array = np.empty(len(items), dtype=object)
    for k, item in enumerate(items):
        array[k] = item
    return array


@pytest.mark.parametrize("collect", [list, tuple, iter, object_array])
def test_any_collection_of_any_graphs(collect):
    graphs = as_graphs(collect(ONE_OF_EACH))
    assert all(isinstance(graph, AttributedGraph) for graph in graphs)
    assert [graph.edges.tolist() for graph in graphs] == [[[0, 1]]] * len(ONE_OF_EACH)


def test_graphs_of_nask_pass_unchanged():
    graphs = [PAIR]
    result = as_graphs(graphs)
    assert result[0] is PAIR
    assert result is not graphs


@pytest.mark.parametrize("graph", ONE_OF_EACH, ids=lambda graph: type(graph).__name__)
def test_a_single_graph_is_told_to_go_in_a_list(graph):
    name = type(graph).__name__
    with pytest.raises(InputError) as caught:
        as_graphs(graph)
    assert str(caught.value) == (
        f"Expected a list of graphs; got a single {name}. Put it in a list: [graph]."
    )


@pytest.mark.parametrize(
    ("X", "got"),
    [
        (None, "got None"),
        ("CCO", "of type str"),
        (b"CCO", "of type bytes"),
        ({"a": PAIR}, "of type dict"),
        ({1, 2}, "of type set"),
        (3, "of type int"),
        (np.ones(3), r"dtype float64 and shape \(3,\)"),
        (np.ones((2, 3)), r"dtype float64 and shape \(2, 3\)"),
        (object_array(ONE_OF_EACH).reshape(-1, 1), r"dtype object and shape \(6, 1\)"),
    ],
)
def test_other_collections(X, got):
    with pytest.raises(InputError, match=f"Expected a list of graphs; .*{got}"):
        as_graphs(X)


@pytest.mark.parametrize("empty", [[], (), np.empty(0, dtype=object), iter([])])
def test_no_graphs(empty):
    with pytest.raises(GraphError, match="at least one graph"):
        as_graphs(empty)


@pytest.mark.parametrize("item", [None, 3, (0, 1), HeteroData(), nx])
def test_unknown_items_are_named(item):
    with pytest.raises(InputError, match=f"Item 1 .* of type {type(item).__name__}"):
        as_graphs([PAIR, item])


SMILES = ["CCO", "c1ccccc1"]


@pytest.mark.parametrize(
    "column",
    [
        SMILES,
        tuple(SMILES),
        iter(SMILES),
        np.array(SMILES),
        np.array(SMILES, dtype=object),
        pd.Series(SMILES, index=["b", "a"]),
        pd.Series(SMILES, dtype="string"),
        pl.Series(SMILES),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', '')}",
)
def test_columns_of_smiles(column):
    assert as_graphs(column) == [from_smiles(smiles) for smiles in SMILES]


def test_molecules_are_read_as_others_were():
    reading = MoleculeReading.of(["isotope"], ["conjugated"], explicit_hydrogens=True)
    both = as_graphs(["CCO", Chem.MolFromSmiles("CCO"), PAIR], molecules=reading)
    expected = from_smiles("CCO", atoms=["isotope"], bonds=["conjugated"], explicit_hydrogens=True)
    assert both == [expected, expected, PAIR]
    assert as_graph("CCO", reading) == expected


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_a_missing_smiles_is_to_be_left_out(nothing):
    with pytest.raises(InputError, match=r"^Item 1 is not a graph.* Leave out what has .* of y"):
        as_graphs(["CCO", nothing])


def test_a_single_text_that_is_no_molecule_may_be_the_name_of_a_dataset():
    with pytest.raises(GraphError, match=r"^'Cora' is not a valid SMILES.*nask.load_dataset"):
        as_graph("Cora")


@pytest.mark.usefixtures("rdkit_reasons")
def test_a_bad_smiles_is_named_by_its_position():
    with pytest.raises(GraphError, match=r"^Graph 8: 'C1CC' is not .*: unclosed ring\. Correct it"):
        as_graphs(["CCO", "C1CC"], first=7)


def test_errors_of_a_graph_name_its_position():
    with pytest.raises(GraphError, match=r"^Graph 1: The graph is directed"):
        as_graphs([PAIR, nx.DiGraph([(0, 1)])])
    with pytest.raises(GraphError, match=r"^Graph 2: The Data object does not tell"):
        as_graphs([PAIR, PAIR, Data()])


@pytest.mark.parametrize("error", [GraphError, InputError, MissingDependencyError])
def test_errors_keep_their_class(monkeypatch, error):
    def fail(_):
        raise error("why")

    monkeypatch.setitem(coerce.CONVERTERS, ("networkx", "Graph"), fail)
    with pytest.raises(NaskError) as caught:
        as_graphs([nx.path_graph(2)])
    assert type(caught.value) is error
    assert str(caught.value).startswith("Graph 0: why")
    assert ("Options are those of nask.fail" in str(caught.value)) == (error is GraphError)


def test_other_errors_pass(monkeypatch):
    def fail(_):
        raise RuntimeError("why")

    monkeypatch.setitem(coerce.CONVERTERS, ("networkx", "Graph"), fail)
    with pytest.raises(RuntimeError, match=r"^why$"):
        as_graphs([nx.path_graph(2)])


@pytest.mark.slow
def test_no_optional_package_is_imported():
    # scikit-learn, which nask builds on, imports pandas and narwhals where it finds them.
    code = """
import sys
import sklearn.svm
before = set(sys.modules)
import nask
from nask.io import coerce
from nask.io.converters import frames
coerce.as_graphs([nask.AttributedGraph(1)])
optional = {"networkx", "pandas", "polars", "narwhals", "torch", "rdkit", "grakel"}
print(sorted(optional & (set(sys.modules) - before)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (pd.DataFrame({"age": [1]}), "nask.io.from_frames"),
        (pl.DataFrame({"age": [1]}), "nask.io.from_frames"),
        (load_dataset("MUTAG"), "data.graphs"),
        (np.eye(3), "kernel='precomputed'"),
    ],
)
def test_what_is_no_list_of_graphs_says_what_to_do(value, advice):
    with pytest.raises(InputError, match=re.escape(advice)):
        as_graphs(value)


TORCH_PAIR = Data(num_nodes=2, edge_index=torch.tensor([[0, 1], [1, 0]]))
NODES = pd.DataFrame({"graph": [1, 1], "node": [0, 1]})
EDGES = pd.DataFrame({"graph": [1], "source": [0], "target": [1]})


@pytest.mark.parametrize(
    ("given", "advice", "follow"),
    [
        (Batch.from_data_list([TORCH_PAIR]), "batch.to_data_list()", Batch.to_data_list),
        ({"a": PAIR}, "list(graphs.values())", lambda graphs: list(graphs.values())),
        ({5}, "A set has no order: pass a list", lambda _: [PAIR]),
        ("MUTAG", "nask.load_dataset(name).graphs", lambda name: load_dataset(name).graphs),
        (
            [([(0, 1), (1, 0)],)],
            "nask.io.from_grakel",
            lambda pairs: [from_grakel(p) for p in pairs],
        ),
        ("CC", "a single SMILES goes in a list: [smiles]", lambda smiles: [smiles]),
        (pd.DataFrame({"smiles": SMILES}), "table['smiles']", lambda table: table["smiles"]),
        (NODES, "nask.io.from_frames", lambda nodes: from_frames(nodes, EDGES)),
        ((NODES, EDGES), "nask.io.from_frames", lambda tables: from_frames(*tables)),
        (make_social_network(20), "[data.graph]", lambda data: [data.graph]),
        (load_dataset("MUTAG"), "data.graphs", lambda data: data.graphs),
        (PAIR, "[graph]", lambda graph: [graph]),
    ],
    ids=lambda value: None if callable(value) else type(value).__name__,
)
def test_advice_leads_to_graphs(given, advice, follow):
    with pytest.raises(InputError, match=re.escape(advice)):
        as_graphs(given)
    assert all(isinstance(graph, AttributedGraph) for graph in as_graphs(follow(given)))


def test_a_batch_where_one_graph_is_expected():
    batch = Batch.from_data_list([TORCH_PAIR])
    with pytest.raises(InputError, match=r"got a Batch .* Pass one of batch.to_data_list"):
        as_graph(batch)
    assert as_graph(batch.to_data_list()[0]) == PAIR


def test_a_single_graph_has_no_number():
    with pytest.raises(GraphError, match=r"^The graph is directed"):
        as_graph(nx.DiGraph([(0, 1)]))


def test_a_part_of_a_list_counts_from_where_it_begins():
    with pytest.raises(InputError, match=r"^Item 9 is not"):
        as_graphs([PAIR, PAIR, 5], first=7)
    with pytest.raises(GraphError, match=r"^Graph 8: The graph is directed"):
        as_graphs([PAIR, nx.DiGraph([(0, 1)])], first=7)
