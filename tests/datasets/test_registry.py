from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from nask.datasets import available_datasets, load_dataset
from nask.datasets.registry import EMBEDDED
from nask.exceptions import DatasetNotFoundError, FormatError


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two empty folders that NASK_DATA names."""
    places = tmp_path / "first", tmp_path / "second"
    for place in places:
        place.mkdir()
    monkeypatch.setenv("NASK_DATA", os.pathsep.join(map(str, places)))
    return places


def put(folder: Path, name: str, n_nodes: int, *, as_zip: bool = True) -> None:
    files = {
        f"{name}_A.txt": "",
        f"{name}_graph_indicator.txt": "1\n" * n_nodes,
    }
    if as_zip:
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for file, text in files.items():
                archive.writestr(f"{name}/{file}", text)
    else:
        (folder / name).mkdir()
        for file, text in files.items():
            (folder / name / file).write_text(text)


def n_nodes(name: str) -> int:
    return sum(graph.n_nodes for graph in load_dataset(name).graphs)


@pytest.mark.parametrize("as_zip", [True, False])
def test_zips_and_folders_of_nask_data(folders, as_zip):
    put(folders[1], "MINE", 3, as_zip=as_zip)
    assert available_datasets() == ["Cuneiform", "MINE", "MUTAG"]
    assert load_dataset("MINE").name == "MINE"
    assert n_nodes("MINE") == 3


def test_the_first_folder_wins_then_the_second_then_the_package(folders):
    assert n_nodes("MUTAG") == 3371
    put(folders[1], "MUTAG", 2)
    assert n_nodes("MUTAG") == 2
    put(folders[0], "MUTAG", 1)
    assert n_nodes("MUTAG") == 1
    assert available_datasets() == ["Cuneiform", "MUTAG"]


def test_a_zip_wins_over_a_folder(folders):
    put(folders[0], "MINE", 3, as_zip=False)
    put(folders[0], "MINE", 4, as_zip=True)
    assert n_nodes("MINE") == 4


@pytest.mark.parametrize("variable", ["", " ", os.pathsep, None])
def test_without_nask_data_the_package_serves(tmp_path, monkeypatch, variable):
    """And not the current folder, which an empty path would mean."""
    put(tmp_path, "MINE", 1)
    monkeypatch.chdir(tmp_path)
    if variable is None:
        monkeypatch.delenv("NASK_DATA", raising=False)
    else:
        monkeypatch.setenv("NASK_DATA", variable)
    assert available_datasets() == ["Cuneiform", "MUTAG"]


def test_not_found_says_where_it_looked_and_what_to_do(folders, monkeypatch):
    put(folders[0], "MINE", 1)
    nowhere = folders[0] / "nowhere"
    monkeypatch.setenv("NASK_DATA", f"{folders[0]}{os.pathsep}{nowhere}")
    with pytest.raises(DatasetNotFoundError) as caught:
        load_dataset("MUTGA")
    message = str(caught.value)
    assert message.startswith("No dataset 'MUTGA' is at hand. Did you mean 'MUTAG'?")
    for part in (
        f"{folders[0]} (NASK_DATA)", f"{nowhere} (NASK_DATA; no such folder)", str(EMBEDDED),
        "Available: Cuneiform, MINE, MUTAG.", "read_tu",
    ):  # fmt: skip
        assert part in message


@pytest.mark.parametrize("name", ["mutag", "../second/MINE", "", "MUTAG.zip", "."])
def test_only_a_name_is_a_name(folders, name):
    put(folders[1], "MINE", 1)
    with pytest.raises(DatasetNotFoundError):
        load_dataset(name)


def test_a_damaged_zip_is_not_listed_and_says_so_when_loaded(folders):
    (folders[0] / "BAD.zip").write_bytes(b"PK\3\4 nothing more")
    with zipfile.ZipFile(folders[0] / "Cora.zip", "w") as archive:
        archive.writestr("Cora/ind.cora.x", b"")
    assert available_datasets() == ["Cuneiform", "MUTAG"]
    with pytest.raises(FormatError, match=r"BAD.zip"):
        load_dataset("BAD")
