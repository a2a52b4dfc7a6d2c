from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nask.datasets import available_datasets, load_dataset
from nask.datasets.catalogue import catalogue
from nask.datasets.places import EMBEDDED, cache_folder, places
from nask.datasets.registry import dataset_info
from nask.exceptions import DatasetNotFoundError, FormatError, ParameterError
from pokec_files import profile, write_files


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Three empty folders: two that NASK_DATA names, and the cache."""
    made = tmp_path / "first", tmp_path / "second", tmp_path / "cache"
    for folder in made:
        folder.mkdir()
    monkeypatch.setenv("NASK_DATA", os.pathsep.join(map(str, made[:2])))
    monkeypatch.setenv("NASK_CACHE", str(made[2]))
    return made


def put(folder: Path, name: str, n_nodes: int, *, as_zip: bool = True) -> Path:
    files = {
        f"{name}_A.txt": "",
        f"{name}_graph_indicator.txt": "1\n" * n_nodes,
    }
    if as_zip:
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for file, text in files.items():
                archive.writestr(f"{name}/{file}", text)
        return folder / f"{name}.zip"
    (folder / name).mkdir()
    for file, text in files.items():
        (folder / name / file).write_text(text)
    return folder / name


def put_network(folder: Path, name: str) -> None:
    np.savez(
        folder / f"{name}.npz", edges=[[0, 1]], labels=[0, 1], x_data=[1.0], x_indices=[0],
        x_indptr=[0, 1, 1], x_shape=[2, 1], train_idx=[0], val_idx=[], test_idx=[1],
    )  # fmt: skip


def n_nodes(source: str | Path) -> int:
    return sum(graph.n_nodes for graph in load_dataset(source).graphs)


@pytest.mark.parametrize("as_zip", [True, False])
def test_zips_and_folders_of_nask_data(folders, as_zip):
    put(folders[1], "MINE", 3, as_zip=as_zip)
    assert available_datasets() == ["Cuneiform", "MINE", "MUTAG"]
    assert load_dataset("MINE").name == "MINE"
    assert n_nodes("MINE") == 3


def test_the_first_folder_wins_then_the_second_then_the_cache(folders):
    for count, folder in enumerate(reversed(folders), start=1):
        put(folder, "MINE", count)
        assert n_nodes("MINE") == count
    assert available_datasets() == ["Cuneiform", "MINE", "MUTAG"]


@pytest.mark.parametrize("place", [0, 2])
def test_nask_data_and_the_cache_win_over_the_package(folders, place):
    assert n_nodes("MUTAG") == 3371
    put(folders[place], "MUTAG", 2)
    with pytest.raises(FormatError, match=str(folders[place])):
        load_dataset("MUTAG")


@pytest.mark.parametrize(
    ("place", "remedy"), [(0, "another name"), (2, r"Remove .*MUTAG.zip; it is then downloaded")]
)
def test_a_set_that_is_not_the_published_one_is_refused(folders, place, remedy):
    path = put(folders[place], "MUTAG", 2)
    with pytest.raises(FormatError, match=remedy) as caught:
        load_dataset("MUTAG")
    for part in (str(path), "1 graphs, not 188", "2 nodes, not 3371", "0 classes, not 2"):
        assert part in str(caught.value)
    assert n_nodes(path) == 2  # a path is read as it is


def test_a_zip_wins_over_a_folder(folders):
    put(folders[0], "MINE", 3, as_zip=False)
    put(folders[0], "MINE", 4, as_zip=True)
    assert n_nodes("MINE") == 4


@pytest.mark.parametrize("variable", ["", " ", os.pathsep, None])
def test_without_nask_data_the_package_serves(folders, tmp_path, monkeypatch, variable):
    """And not the current folder, which an empty path would mean."""
    put(tmp_path, "MINE", 1)
    monkeypatch.chdir(tmp_path)
    if variable is None:
        monkeypatch.delenv("NASK_DATA")
    else:
        monkeypatch.setenv("NASK_DATA", variable)
    assert available_datasets() == ["Cuneiform", "MUTAG"]


@pytest.mark.parametrize("variable", ["", " ", None])
def test_without_nask_cache_the_cache_is_that_of_the_platform(tmp_path, monkeypatch, variable):
    monkeypatch.chdir(tmp_path)
    if variable is None:
        monkeypatch.delenv("NASK_CACHE", raising=False)
    else:
        monkeypatch.setenv("NASK_CACHE", variable)
    assert cache_folder().is_absolute()
    assert cache_folder().name.lower() in ("nask", "cache")


def test_an_unknown_name_says_where_it_was_looked_for_and_what_to_do(folders, monkeypatch):
    nowhere = folders[0] / "nowhere"
    monkeypatch.setenv("NASK_DATA", f"{folders[0]}{os.pathsep}{nowhere}")
    with pytest.raises(DatasetNotFoundError) as caught:
        load_dataset("MUTGA")
    message = str(caught.value)
    assert message.startswith("No dataset 'MUTGA' is known. Did you mean 'MUTAG'?")
    for part in (
        f"{folders[0]} (NASK_DATA)", f"{nowhere} (NASK_DATA; does not exist)",
        f"{folders[2]} (the cache)", f"{EMBEDDED} (the package)",
    ):  # fmt: skip
        assert part in message


@pytest.mark.parametrize(
    ("name", "meant"), [("mutag", "MUTAG"), ("NCI-1", "NCI1"), ("cora", "Cora"), ("MIN", "MINE")]
)
def test_hints_know_published_sets_and_those_at_hand(folders, name, meant):
    put(folders[1], "MINE", 1)
    with pytest.raises(DatasetNotFoundError, match=f"Did you mean '{meant}'"):
        load_dataset(name)


@pytest.mark.parametrize("name", ["", " "])
def test_what_is_no_name(folders, name):
    with pytest.raises(DatasetNotFoundError):
        load_dataset(name)


def test_the_folder_one_is_in(folders, monkeypatch):
    monkeypatch.chdir(put(folders[0], "MINE", 4, as_zip=False))
    assert n_nodes(".") == 4
    monkeypatch.chdir(folders[1])
    with pytest.raises(FormatError, match=r"the folder holds no files. Expected nodes\.csv"):
        load_dataset(".")


@pytest.fixture
def small_pokec(monkeypatch):
    """A catalogue in which Pokec has three people and two friendships."""
    small = replace(catalogue()["Pokec"], n_nodes=3, n_edges=2)
    monkeypatch.setitem(catalogue(), "Pokec", small)


def put_pokec(folder: Path, form: str = "plain") -> Path:
    people = "".join(
        profile(user, 1, 50, user % 2, "zilina", "2005-04-03", 20 + user) for user in (1, 2, 3)
    )
    write_files(folder, people, "1\t2\n2\t1\n2\t3\n", packed=form == "gz")
    if form == "zip":
        with zipfile.ZipFile(folder.with_suffix(".zip"), "w") as archive:
            for file in folder.iterdir():
                archive.write(file, file.name)
                file.unlink()
        folder.rmdir()
        return folder.with_suffix(".zip")
    return folder


@pytest.mark.parametrize("form", ["plain", "gz", "zip"])
@pytest.mark.parametrize("place", [0, 2])
def test_pokec_in_a_folder_or_a_zip(folders, small_pokec, form, place):
    assert "Pokec" not in available_datasets()
    path = put_pokec(folders[place] / "Pokec", form)
    assert "Pokec" in available_datasets()
    for source in ("Pokec", path, str(path)):
        data = load_dataset(source)
        assert data.name == "Pokec"
        assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
        assert data.y.tolist() == [1, 0, 1]


@pytest.mark.parametrize("form", ["plain", "gz"])
def test_the_files_of_pokec_among_others_in_a_folder_of_nask_data(folders, small_pokec, form):
    put_pokec(folders[1], form)
    put(folders[1], "MINE", 3, as_zip=False)
    put_network(folders[1], "mine")
    (folders[1] / "nodes.csv").write_text("id\n1\n")
    assert {"MINE", "Pokec"} <= set(available_datasets())
    assert load_dataset("Pokec").graph.n_nodes == 3
    assert n_nodes("MINE") == 3
    assert places()["Pokec"].path == folders[1]
    assert places()["Pokec"].kind == "NASK_DATA"
    put_pokec(folders[0] / "Pokec", "zip")
    assert places()["Pokec"].path == folders[0] / "Pokec.zip"


def test_files_of_pokec_that_lie_loose_in_the_cache_are_none(folders):
    """An error would advise to remove the whole cache."""
    put_pokec(folders[2])
    assert "Pokec" not in available_datasets()


def test_pokec_that_is_not_the_published_one(folders):
    path = put_pokec(folders[0] / "Pokec")
    with pytest.raises(FormatError, match=r"3 nodes, not 1632803; 2 edges, not 22301964\. Give"):
        load_dataset("Pokec")
    assert load_dataset(path).graph.n_nodes == 3
    for file in path.iterdir():
        file.rename(file.with_name(f"my-{file.name}"))
    with pytest.raises(FormatError, match=r"does not hold soc-pokec-profiles.txt"):
        load_dataset("Pokec")


def test_a_network_in_the_form_of_pokec_under_another_name(folders):
    put_pokec(folders[0] / "Friends", "gz")
    assert "Friends" in available_datasets()
    assert load_dataset("Friends").name == "Friends"


@pytest.mark.parametrize("as_zip", [True, False])
def test_paths_of_all_spellings(folders, monkeypatch, as_zip):
    path = put(folders[0], "MINE", 5, as_zip=as_zip)
    assert n_nodes(path) == 5
    assert n_nodes(str(path)) == 5
    monkeypatch.delenv("NASK_DATA")
    monkeypatch.chdir(folders[0])
    assert n_nodes(Path(path.name)) == 5
    assert n_nodes(f".{os.sep}{path.name}") == 5
    assert n_nodes(path.name) == 5


@pytest.mark.parametrize("source", ["no/such/folder", "MINE.zip", Path("nowhere")])
def test_a_path_that_leads_nowhere(folders, source):
    put(folders[0], "MINE", 1)
    with pytest.raises(FormatError, match="does not exist"):
        load_dataset(source)


def test_citation_networks_by_name_and_path(folders):
    (folders[1] / "Mine").mkdir()
    put_network(folders[1] / "Mine", "mine")
    assert "Mine" in available_datasets()
    assert load_dataset("Mine").graph.node_features.shape == (2, 1)
    assert load_dataset(folders[1] / "Mine").train.tolist() == [0]
    (folders[1] / "Cora").mkdir()
    put_network(folders[1] / "Cora", "Cora")
    with pytest.raises(FormatError, match=r"2 nodes, not 2708; 1 edges, not 5278"):
        load_dataset("Cora")


def test_a_damaged_zip_is_not_listed_and_says_so_when_loaded(folders):
    for folder in folders[1:]:
        (folder / f"BAD{folder.name}.zip").write_bytes(b"PK\3\4 nothing more")
    with zipfile.ZipFile(folders[0] / "Other.zip", "w") as archive:
        archive.writestr("Cora/ind.cora.x", b"")
    assert available_datasets() == ["Cuneiform", "MUTAG"]
    with pytest.raises(FormatError, match=r"BADsecond.zip") as caught:
        load_dataset("BADsecond")
    assert "Remove" not in str(caught.value)
    with pytest.raises(FormatError, match=r"Remove .*BADcache.zip; it is then downloaded"):
        load_dataset("BADcache")


def test_a_download_under_way_is_no_set(folders):
    (folders[2] / ".download-x").mkdir()
    put(folders[2] / ".download-x", "MINE", 1)
    put(folders[2], ".MINE", 1)
    assert available_datasets() == ["Cuneiform", "MUTAG"]


def test_an_array_file_beside_a_set_does_not_hide_it(folders):
    place = put(folders[0], "MINE", 3, as_zip=False)
    np.savez(place / "gram.npz", gram=np.eye(3))
    assert n_nodes(place) == 3
    assert n_nodes("MINE") == 3


def test_an_empty_folder_does_not_hide_a_set(folders):
    (folders[0] / "MUTAG").mkdir()
    assert len(load_dataset("MUTAG")) == 188


def test_a_folder_here_goes_by_its_name_unless_a_set_has_it(folders, tmp_path, monkeypatch):
    put(tmp_path, "HERE", 2, as_zip=False)
    put(tmp_path, "MUTAG", 2, as_zip=False)
    monkeypatch.chdir(tmp_path)
    assert n_nodes("HERE") == 2
    assert n_nodes("MUTAG") == 3371


def test_codes_of_a_folder_of_tables(folders, tmp_path):
    (tmp_path / "nodes.csv").write_text("graph,node,atom\n1,a,6\n1,b,8\n")
    (tmp_path / "edges.csv").write_text("graph,source,target\n1,a,b\n")
    kinds = [
        load_dataset(tmp_path, **codes).graphs[0].node_attributes["atom"].kind
        for codes in ({}, {"categorical": ["atom"]})
    ]
    assert kinds == ["numerical", "categorical"]
    with pytest.raises(ParameterError, match="'categorical' is for sets of your own"):
        load_dataset("MUTAG", categorical=["atom"])
    with pytest.raises(ParameterError, match=r"holds no nodes\.csv"):
        load_dataset(put(tmp_path, "TEXT", 2), categorical=["atom"])


@pytest.mark.parametrize(
    ("files", "source", "message"),
    [
        ({"mine/readme.txt": ""}, "mine", "no dataset: the folder holds readme.txt. Expected"),
        ({"mine/edges.csv": ""}, "mine", "There is no nodes.csv in mine, but edges.csv"),
        ({f"mine/{k}.txt": "" for k in range(7)}, "mine", "holds 0.txt, .* 4.txt and 2 more. Exp"),
        ({"mine/in/nodes.csv": ""}, "mine", "Give the path of that folder: mine.in"),
        ({"nodes.csv": "", "edges.csv": ""}, "nodes.csv", "give the path of its folder"),
        ({"notes.txt": ""}, "notes.txt", "notes.txt is not a zip"),
        ({"notes.txt": ""}, "./notes.txt", "notes.txt is not a zip"),
    ],
)  # fmt: skip
def test_a_path_that_is_no_dataset_says_what_is_there(
    tmp_path, monkeypatch, files, source, message
):
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError, match=message):
        load_dataset(source)
    with pytest.raises(DatasetNotFoundError, match="is a path; expected the name of a set"):
        dataset_info(source)


def test_a_zip_of_tables_is_to_be_extracted(tmp_path):
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as opened:
        opened.writestr("mine/nodes.csv", "graph,node\n")
    with pytest.raises(FormatError, match=r"holds mine/nodes.csv. CSV .* folder: extract the zip"):
        load_dataset(tmp_path / "mine.zip")
