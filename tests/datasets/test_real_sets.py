"""The benchmark sets themselves, where NASK_DATA names a folder that holds them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from nask.datasets import available_datasets, load_dataset
from nask.datasets.catalogue import catalogue


class Expected(NamedTuple):
    graphs: int
    nodes: int
    edges: int
    classes: dict[int, int]
    node_labels: int
    node_attributes: int
    edge_labels: int
    sizes: tuple[int, int]
    isolated: int | None = None


SETS = {
    "MUTAG": Expected(188, 3371, 3721, {-1: 63, 1: 125}, 7, 0, 4, (10, 28)),
    "PTC_MR": Expected(344, 4915, 5054, {-1: 192, 1: 152}, 18, 0, 4, (2, 64)),
    "ENZYMES": Expected(
        600, 19580, 37282, dict.fromkeys(range(1, 7), 100), 3, 18, 0, (2, 126), 106
    ),
    "BZR": Expected(405, 14479, 15535, {-1: 319, 1: 86}, 10, 3, 0, (13, 57)),
    "COX2": Expected(467, 19252, 20289, {-1: 365, 1: 102}, 8, 3, 0, (32, 56)),
    "PROTEINS": Expected(1113, 43471, 81044, {1: 663, 2: 450}, 3, 1, 0, (4, 620), 5),
    "PROTEINS_full": Expected(1113, 43471, 81044, {1: 663, 2: 450}, 3, 29, 0, (4, 620), 5),
    "NCI1": Expected(4110, 122747, 132753, {0: 2053, 1: 2057}, 37, 0, 0, (3, 111), 428),
    "Synthie": Expected(
        400, 38000, 69171, {0: 93, 1: 107, 2: 110, 3: 90}, 0, 15, 0, (90, 100), 1361
    ),
    "SYNTHETICnew": Expected(300, 30000, 58875, {-1: 150, 1: 150}, 0, 1, 0, (100, 100)),
    "SYNTHETIC": Expected(300, 30000, 58800, {0: 150, 1: 150}, 8, 1, 0, (100, 100)),
    "DD": Expected(1178, 334925, 843046, {1: 691, 2: 487}, 82, 0, 0, (30, 5748)),
}


class Network(NamedTuple):
    nodes: int
    edges: int
    features: int
    not_zero: int
    classes: int
    split: tuple[int, int, int]
    isolated: int
    without_class: int


NETWORKS = {
    "Cora": Network(2708, 5278, 1433, 49216, 7, (140, 500, 1000), 0, 0),
    "Citeseer": Network(3327, 4552, 3703, 105165, 6, (120, 500, 1000), 48, 15),
    "Pubmed": Network(19717, 44324, 500, 988031, 3, (60, 500, 1000), 0, 0),
}


def load(name: str):
    folders = [Path(f) for f in os.environ.get("NASK_DATA", "").split(os.pathsep) if f.strip()]
    if not folders:
        pytest.skip("NASK_DATA is not set: it names the folder of the benchmark sets")
    if not any((f / f"{name}.zip").is_file() or (f / name).is_dir() for f in folders):
        pytest.skip(f"NASK_DATA holds no {name}")
    return load_dataset(name)


def n_categories(graph, name: str) -> int:
    attributes = {**graph.node_attributes, **graph.edge_attributes}
    return len(attributes[name].categories) if name in attributes else 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_counts(name):
    data, expected = load(name), SETS[name]
    graphs = data.graphs
    labels, counts = np.unique(data.y, return_counts=True)
    sizes = [graph.n_nodes for graph in graphs]
    assert len(graphs) == expected.graphs
    assert sum(sizes) == expected.nodes
    assert sum(graph.n_edges for graph in graphs) == expected.edges
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == expected.classes
    assert (min(sizes), max(sizes)) == expected.sizes
    assert n_categories(graphs[0], "node_label") == expected.node_labels
    assert n_categories(graphs[0], "edge_label") == expected.edge_labels
    for graph in graphs:
        kinds = [attribute.kind for attribute in graph.node_attributes.values()]
        assert kinds.count("numerical") == expected.node_attributes
        assert kinds.count("categorical") == (expected.node_labels > 0)
        assert len(graph.edge_attributes) == (expected.edge_labels > 0)
    if expected.isolated is not None:
        isolated = sum(np.count_nonzero(graph.degrees() == 0) for graph in graphs)
        assert isolated == expected.isolated
    repeats = sum(graph.n_duplicate_edges_removed for graph in graphs)
    assert repeats == (23402 if name == "Synthie" else 0)
    assert len(data.notes) == (name == "Synthie")
    assert sum(graph.n_self_loops_removed for graph in graphs) == 0


@pytest.mark.slow
def test_proteins_is_the_same_set_twice():
    plain, full = load("PROTEINS"), load("PROTEINS_full")
    assert plain.y.tolist() == full.y.tolist()
    for a, b in zip(plain.graphs, full.graphs, strict=True):
        assert np.array_equal(a.edges, b.edges)
        assert a.node_attributes["node_label"] == b.node_attributes["node_label"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_citation_networks(name):
    data, expected = load(name), NETWORKS[name]
    assert (data.graph.n_nodes, data.graph.n_edges) == (expected.nodes, expected.edges)
    assert data.graph.node_features.shape == (expected.nodes, expected.features)
    assert data.graph.node_features.nnz == expected.not_zero
    assert np.unique(data.y[data.y >= 0]).tolist() == list(range(expected.classes))
    assert np.count_nonzero(data.y == -1) == expected.without_class
    assert np.count_nonzero(data.graph.degrees() == 0) == expected.isolated
    parts = data.train, data.validation, data.test
    assert tuple(map(len, parts)) == expected.split
    assert len(np.unique(np.concatenate(parts))) == sum(expected.split)
    assert np.bincount(data.y[data.train]).tolist() == [20] * expected.classes
    without_class = np.flatnonzero(data.y == -1)
    assert data.graph.node_features[without_class].nnz == 0
    assert not np.isin(without_class, data.test).any()


@pytest.mark.slow
def test_every_zip_at_hand_loads_and_is_listed():
    folders = [Path(f) for f in os.environ.get("NASK_DATA", "").split(os.pathsep) if f.strip()]
    names = {path.stem for folder in folders for path in folder.glob("*.zip")}
    if not names:
        pytest.skip("NASK_DATA names no folder with benchmark sets")
    assert names <= set(available_datasets())
    for name in names & set(catalogue()) - SETS.keys() - NETWORKS.keys():
        load_dataset(name)
