from __future__ import annotations

import tomllib
from dataclasses import replace
from urllib.parse import urlparse

import pytest

import nask
from nask.datasets.catalogue import TABLE, DatasetInfo, catalogue
from nask.datasets.checks import differences
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset

PAPER = [
    "MUTAG", "NCI1", "PTC_MR", "DD", "PROTEINS", "SYNTHETIC", "SYNTHETICnew", "Synthie", "ENZYMES",
    "PROTEINS_full", "BZR", "COX2", "Cora", "Citeseer", "Pubmed", "Pokec", "Cuneiform",
]  # fmt: skip

# Means of nodes and edges per graph as the collection's table prints them.
PRINTED = {
    "MUTAG": ("17.93", "19.79"),
    "PTC_MR": ("14.29", "14.69"),
    "ENZYMES": ("32.63", "62.14"),
    "BZR": ("35.75", "38.36"),
    "COX2": ("41.22", "43.45"),
    "PROTEINS": ("39.06", "72.82"),
    "NCI1": ("29.87", "32.30"),
    "DD": ("284.32", "715.66"),
    "SYNTHETIC": ("100.00", "196.00"),
    "SYNTHETICnew": ("100.00", "196.25"),
    "Synthie": ("95.00", "172.93"),
    "Cuneiform": ("21.27", "44.80"),
    "IMDB-BINARY": ("19.77", "96.53"),
}


def test_the_sets_of_the_paper_and_twenty_more_are_known():
    assert set(PAPER) <= set(catalogue())
    assert len(catalogue()) >= len(PAPER) + 20


@pytest.mark.parametrize("name", PRINTED)
def test_exact_totals_agree_with_the_printed_means(name):
    info = catalogue()[name]
    assert info.n_nodes is not None
    assert (f"{info.mean_nodes:.2f}", f"{info.mean_edges:.2f}") == PRINTED[name]


@pytest.mark.parametrize("info", catalogue().values(), ids=lambda info: info.name)
def test_every_entry_is_whole(info):
    assert info.about.endswith(".")
    assert len(info.citations) >= 2
    assert info.addresses
    assert all(urlparse(address).scheme == "https" for address in (info.page, *info.addresses))
    assert not any("{" in address for address in info.addresses)
    if info.collection == "TUDataset":
        assert info.addresses[0].endswith(f"/{info.name}.zip")
    assert (info.n_classes is None) >= (info.task == "graph regression")
    assert info.n_graphs
    assert info.mean_nodes


def test_no_citation_is_left_over():
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    used = {key for entry in table["sets"].values() for key in entry["citations"]}
    used |= {collection["citation"] for collection in table["collections"].values()}
    assert used == set(table["citations"])


CUNEIFORM_CHANGES = {
    "n_graphs": (268, "267 graphs, not 268"),
    "n_classes": (29, "30 classes, not 29"),
    "n_nodes": (5681, "5680 nodes, not 5681"),
    "n_edges": (11960, "11961 edges, not 11960"),
    "node_labels": (1, "2 categorical node attributes, not 1"),
    "node_attributes": (0, "3 numerical node attributes, not 0"),
    "edge_labels": (2, "1 categorical edge attributes, not 2"),
    "edge_attributes": (3, "2 numerical edge attributes, not 3"),
}


@pytest.mark.parametrize("field", CUNEIFORM_CHANGES)
def test_every_count_is_checked(cuneiform, field):
    info = catalogue()["Cuneiform"]
    assert differences(cuneiform, info) == []
    value, message = CUNEIFORM_CHANGES[field]
    assert differences(cuneiform, replace(info, **{field: value})) == [message]


# 3371 / 188 = 17.9308..., 3721 / 188 = 19.7925...
@pytest.mark.parametrize(
    ("nodes", "edges", "wrong"),
    [
        (17.93, 19.79, []),
        (17.93, 19.80, []),
        (17.94, 19.79, []),
        (17.95, 19.79, ["17.9309 nodes per graph, not 17.95"]),
        (17.93, 19.78, ["19.7926 edges per graph, not 19.78"]),
        (None, None, []),
    ],
)
def test_published_means_are_compared_to_two_decimals(mutag, nodes, edges, wrong):
    info = DatasetInfo(
        name="MUTAG", mean_nodes=nodes, mean_edges=edges, node_labels=1, edge_labels=1
    )
    assert differences(mutag, info) == wrong


def test_a_set_without_classes_is_not_one_with_classes(mutag):
    graphs = Dataset("MUTAG", mutag.graphs)
    assert differences(graphs, catalogue()["MUTAG"]) == ["0 classes, not 2"]
    assert "one graph whose nodes" in differences(graphs, catalogue()["Cora"])[0]


def test_every_count_of_nodes_is_checked():
    attributes = {"age": [20, 30, None], "region": ["a", "b", None]}
    graph = nask.AttributedGraph(3, [(0, 1)], attributes, node_features=[[0, 1]] * 3)
    data = NodeDataset("tiny", graph, [0, 1, -1], [0], [1], [])
    info = DatasetInfo(
        name="tiny", task="node classification", n_graphs=1, n_classes=2, n_nodes=3, n_edges=1,
        node_labels=1, node_attributes=3, split=(1, 1, 0),
    )  # fmt: skip
    assert differences(data, info) == []
    changed = replace(
        info, n_classes=3, n_nodes=4, n_edges=2, node_labels=0, node_attributes=1, split=(2, 0, 1)
    )
    assert differences(data, changed) == [
        "2 classes, not 3", "3 nodes, not 4", "1 edges, not 2", "3 features, not 1",
        "1 categorical node attributes, not 0",
        "1 train nodes, not 2", "1 validation nodes, not 0", "0 test nodes, not 1",
    ]  # fmt: skip
