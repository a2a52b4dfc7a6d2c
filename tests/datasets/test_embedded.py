from __future__ import annotations

import importlib.util
import runpy
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from nask.datasets import load_dataset
from nask.datasets.places import EMBEDDED
from nask.exceptions import FormatError
from nask.io.readers.tu import read_tu

NAMES = ["MUTAG", "Cuneiform"]
SCRIPT = Path(__file__).parents[2] / "scripts/embed_datasets.py"


@pytest.fixture(autouse=True)
def only_the_package(monkeypatch, tmp_path):
    monkeypatch.delenv("NASK_DATA", raising=False)
    monkeypatch.setenv("NASK_CACHE", str(tmp_path))


def counts(data) -> tuple[int, int, int]:
    return len(data), sum(g.n_nodes for g in data.graphs), sum(g.n_edges for g in data.graphs)


def test_mutag():
    data = load_dataset("MUTAG")
    assert counts(data) == (188, 3371, 3721)
    labels, sizes = np.unique(data.y, return_counts=True)
    assert dict(zip(labels.tolist(), sizes.tolist(), strict=True)) == {-1: 63, 1: 125}
    graph = data.graphs[0]
    assert graph.node_attributes["node_label"].categories == tuple(range(7))
    assert graph.edge_attributes["edge_label"].categories == tuple(range(4))
    assert data.notes == ()


def test_cuneiform():
    data = load_dataset("Cuneiform")
    assert counts(data) == (267, 5680, 11961)
    assert np.unique(data.y).tolist() == list(range(30))
    graph = data.graphs[0]
    assert {name: a.kind for name, a in graph.node_attributes.items()} == {
        "node_label_0": "categorical",
        "node_label_1": "categorical",
        "node_attribute_0": "numerical",
        "node_attribute_1": "numerical",
        "node_attribute_2": "numerical",
    }
    assert list(graph.edge_attributes) == ["edge_label", "edge_attribute_0", "edge_attribute_1"]
    assert all((g.edge_attributes["edge_attribute_0"].data >= 0).all() for g in data.graphs)
    assert [note.split()[0] for note in data.notes] == ["edge_attribute_0", "edge_attribute_1"]


def test_cuneiform_holds_displacements():
    """Its edge attributes: lines 109 and 117 are the two directions of the edge 1-5."""
    with pytest.raises(FormatError, match=r"Cuneiform_edge_attributes.txt, line 117"):
        read_tu(EMBEDDED / "Cuneiform.zip")
    dropped = read_tu(EMBEDDED / "Cuneiform.zip", opposite="drop")
    assert list(dropped.graphs[0].edge_attributes) == ["edge_label"]


@pytest.mark.parametrize(
    ("name", "citation"), [("MUTAG", b"J. Med. Chem. 34"), ("Cuneiform", b"arXiv:1802.05908")]
)
def test_the_citation_travels_with_the_data(name, citation):
    with zipfile.ZipFile(EMBEDDED / f"{name}.zip") as archive:
        assert citation in archive.read(f"{name}/README.txt")


@pytest.mark.parametrize("name", NAMES)
def test_the_script_writes_the_zips_again(name):
    grakel = importlib.util.find_spec("grakel")
    source = Path(grakel.origin).parent / "tests/data" / name if grakel else None
    if source is None or not source.is_dir():
        pytest.skip("needs the test data that the grakel wheel installs")
    script = runpy.run_path(str(SCRIPT))
    rebuilt = script["zip_bytes"](name, {f.name: f.read_bytes() for f in source.iterdir()})
    committed = (EMBEDDED / f"{name}.zip").read_bytes()
    if "ng" in zlib.ZLIB_RUNTIME_VERSION:
        pytest.skip("zlib-ng compresses to other bytes than zlib")
    assert rebuilt == committed
