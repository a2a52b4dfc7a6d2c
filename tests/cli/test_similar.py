"""``nask similar``: its table, its file and its picture tell what the index finds."""

import csv

import pytest

import nask
from nask.exceptions import ParameterError

MOLECULES = """id,smiles
aspirin,CC(=O)Oc1ccccc1C(=O)O
salicylic,OC(=O)c1ccccc1O
paracetamol,CC(=O)Nc1ccc(O)cc1
ethanol,CCO
ethanol,CCCO
"""


@pytest.fixture
def molecules(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text(MOLECULES)
    return path


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_hits_of_a_graph_of_the_set(invoke, tmp_path, mutag):
    out, picture = tmp_path / "hits.csv", tmp_path / "hits.png"
    told = invoke(
        "similar", "MUTAG", 3, "-k", 4, "--hops", 2, "--out", out, "--picture", picture
    ).stdout
    expected = nask.Index(mutag.graphs, n_hops=2).neighbours(3, k=4)
    found = rows(out)
    assert [int(row["position"]) for row in found] == expected.positions.tolist()
    assert [float(row["similarity"]) for row in found] == expected.similarities.tolist()
    assert {row["query"] for row in found} == {"3"}
    for row, hit in zip(found, expected, strict=True):
        likeness = [f"{hit.likeness[pair.node, pair.other]:.2f}" for pair in hit.stars]
        assert row["stars"].split() == [
            f"{pair.node}={pair.other}" + f"({own})" * (own != "1.00")
            for pair, own in zip(hit.stars, likeness, strict=True)
        ]
    assert "(" in found[-1]["stars"]
    assert "MUTAG: most similar to 3" in told
    assert f"{expected[0].similarity:.4f}" in told
    assert picture.stat().st_size > 10_000


def test_a_graph_by_id_by_position_from_a_file_and_as_smiles(invoke, molecules, tmp_path):
    def best(name, *options, data=molecules):
        out = tmp_path / "hits.csv"
        invoke("similar", data, name, "--id", "id", "--out", out, *options)
        return [(row["query"], row["id"]) for row in rows(out) if row["rank"] == "1"]

    assert best("aspirin") == best("0") == [("aspirin", "salicylic")]
    assert best("OC(=O)c1ccccc1") == [("OC(=O)c1ccccc1", "salicylic")]
    assert best("CC(O)=O", "--method", "features")[0][0] == "CC(O)=O"
    found = best(molecules)  # themselves: graphs of a file are other graphs
    assert [name == hit for name, hit in found] == [True] * 5


def test_a_number_is_no_position_where_ids_are_numbers(invoke, tmp_path):
    """Molecules go by their lines: that of a row that was left out is not some other molecule."""
    table, numbers = tmp_path / "lines.csv", tmp_path / "numbers.csv"
    table.write_text("smiles\nCCO\nC1CC\nCCC\nCCCC\n")
    for name in ("3", "0"):
        with pytest.raises(ParameterError, match=f"no graph '{name}'.*Expected an id, the path"):
            invoke("similar", table, name)
    assert "most similar to 4" in invoke("similar", table, "4").stdout
    numbers.write_text("id,smiles\n7,CCO\n7,CCC\n9,CCCC\n")
    with pytest.raises(ParameterError, match=r"2 graphs of the id '7'.*Make them differ"):
        invoke("similar", numbers, "7", "--id", "id")


def test_what_is_not_there(invoke, molecules, tmp_path):
    for name, message in {
        "asprin": "mols has no graph 'asprin'. Did you mean 'aspirin'?.*SMILES that RDKit can read",
        "7": "no graph '7'.*a position from 0 to 4",
        "ethanol": "2 graphs of the id 'ethanol', at the positions 3, 4",
    }.items():
        with pytest.raises(ParameterError, match=message):
            invoke("similar", molecules, name, "--id", "id")
    with pytest.raises(
        ParameterError, match=r"MUTAG has no graph 'x'. Expected a position from 0 to"
    ):
        invoke("similar", "MUTAG", "x")
    with pytest.raises(ParameterError, match=r"--picture draws one query, and .* has 5 graphs"):
        invoke("similar", molecules, molecules, "--picture", tmp_path / "a.png")
    with pytest.raises(ParameterError, match=r"the ending '.txt' is unknown. Give --out a file"):
        invoke("similar", "MUTAG", 3, "--out", tmp_path / "hits.txt")
    invoke("similar", "MUTAG", 3, "-k", 0, succeed=False)
