"""The command ``nask datasets`` as a user meets it."""

from __future__ import annotations

import json
import zipfile

import pytest
import typer
from typer.testing import CliRunner

from nask.cli.datasets import datasets_app
from nask.datasets.catalogue import DatasetInfo, catalogue
from nask.datasets.places import EMBEDDED
from nask.exceptions import DatasetNotFoundError


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """A folder of NASK_DATA with one set, an empty cache, and no network."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    with zipfile.ZipFile(data / "MINE.zip", "w") as archive:
        archive.writestr("MINE_A.txt", "")
        archive.writestr("MINE_graph_indicator.txt", "1\n")
    monkeypatch.setenv("NASK_DATA", str(data))
    monkeypatch.setenv("NASK_CACHE", str(cache))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    gone = DatasetInfo(name="GONE", n_graphs=1, addresses=("http://127.0.0.1:9/GONE.zip",))
    monkeypatch.setitem(catalogue(), "GONE", gone)
    return data, cache


def nask(*arguments: str):
    return CliRunner().invoke(datasets_app, arguments, env={"COLUMNS": "80"})


def test_the_list_fits_80_columns_and_says_everything():
    result = nask("list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in result.stdout
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.strip()}
    assert set(catalogue()) <= set(rows)
    assert rows["MUTAG"] == ["graph", "188", "2", "17.93", "19.79", "1c", "1c", "package"]
    assert rows["Cora"] == ["node", "1", "7", "2708", "5278", "1433n", "download"]
    assert rows["ZINC_test"][:3] == ["value", "5000", "-"]
    assert rows["REDDIT-MULTI-12K"][-1] == "download"
    assert rows["Pokec"] == ["node", "1", "2", "1632803", "22301964", "2c", "3n", "download"]
    assert rows["MINE"] == ["-", "-", "-", "-", "-", "-", "NASK_DATA"]


def test_the_list_as_json():
    records = {record["name"]: record for record in json.loads(nask("list", "--json").stdout)}
    assert set(records) == {*catalogue(), "MINE"}
    assert records["MUTAG"]["n_nodes"] == 3371
    assert records["MUTAG"]["path"] == str(EMBEDDED / "MUTAG.zip")
    assert (records["NCI1"]["where"], records["NCI1"]["path"]) == ("download", None)
    assert records["MINE"]["where"] == "NASK_DATA"


def test_info_as_text_and_json():
    text = " ".join(nask("info", "Cuneiform").stdout.split())
    for part in ("graph classification", "267", "arXiv:1802.05908", "magnitudes", "Cuneiform.zip"):
        assert part in text
    assert max(map(len, nask("info", "Cora").stdout.splitlines())) <= 80
    record = json.loads(nask("info", "Cuneiform", "--json").stdout)
    assert (record["n_classes"], record["where"]) == (30, "package")
    assert "NASK_DATA" in nask("info", "MINE").stdout


def test_info_of_pokec():
    record = json.loads(nask("info", "Pokec", "--json").stdout)
    assert [address.rpartition("/")[2] for address in record["addresses"]] == [
        "soc-pokec-relationships.txt.gz",
        "soc-pokec-profiles.txt.gz",
    ]
    assert "30622564 directed friendships" in record["note"]
    assert "Takac" in record["citations"][0]


def test_info_of_an_unknown_name():
    result = nask("info", "MUTGA")
    assert isinstance(result.exception, DatasetNotFoundError)
    assert "Did you mean 'MUTAG'" in str(result.exception)


def test_fetch_goes_on_after_a_failure(places):
    result = nask("fetch", "GONE", "MUTAG", "NOTHING", "MINE")
    assert result.exit_code == 2
    assert [line.split(" ")[0] for line in result.stdout.splitlines()] == [
        str(EMBEDDED / "MUTAG.zip"),
        str(places[0] / "MINE.zip"),
    ]
    assert f"put it into {places[1]} (the cache)" in result.stderr
    assert "No dataset 'NOTHING' is known" in result.stderr


def test_fetch_of_what_is_at_hand():
    result = nask("fetch", "MUTAG")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "188 graphs" in result.stdout
    assert nask("fetch").exit_code != 0


def test_it_can_be_part_of_a_larger_command():
    app = typer.Typer()
    app.add_typer(datasets_app, name="datasets")
    result = CliRunner().invoke(app, ["datasets", "list", "--json"])
    assert json.loads(result.stdout)
