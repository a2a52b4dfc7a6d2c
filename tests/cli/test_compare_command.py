"""The command nask compare as a user meets it."""

import csv
import shutil

import pytest

import nask
from made_up_results import result, write
from nask.exceptions import NaskError

NASK = [9, 8, 9, 10, 9, 8, 9, 9, 10, 9]
NEAR = [9, 9, 8, 10, 8, 9, 9, 8, 10, 9]
FAR = [5, 6, 4, 5, 6, 5, 5, 6, 4, 5]
RIGHT = {"nask": NASK, "near": NEAR, "far": FAR}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    sets = ("A", "B", "PTC_MR")
    made = [result(d, method, right) for d in sets for method, right in RIGHT.items()]
    return write(tmp_path_factory.mktemp("results"), *made)


@pytest.fixture
def with_nodes(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "results")
    nodes = [result(d, m, RIGHT[m], items="nodes") for d in ("X", "Y") for m in ("nask", "far")]
    return write(copy, *nodes)


def test_a_table_with_ties_ranks_and_a_legend(invoke, folder):
    shown = invoke("compare", folder).stdout
    rows = {line.split()[0]: line.split() for line in shown.splitlines() if line.strip()}
    assert rows["method"] == ["method", "A", "B", "PTC_MR", "rank"]
    assert rows["nask"] == ["nask", *["*90.0", "±", "6.3"] * 3, "1.00"]
    assert rows["near"] == ["near", *["89.0", "±", "7.0", "="] * 3, "2.00"]
    assert rows["far"] == ["far", *["51.0", "±", "7.0"] * 3, "3.00"]
    text = " ".join(shown.split())
    assert "* is the best of each set; = does not differ from it significantly" in text
    assert "Average ranks on 3 sets of graphs: nask 1.00, near 2.00, far 3.00." in text


def test_wide_tables_are_cut_to_the_terminal(invoke, tmp_path, monkeypatch):
    names = [f"dataset_number_{i}" for i in range(9)]
    write(tmp_path, *(result(d, m, r) for d in names for m, r in RIGHT.items()))
    monkeypatch.setenv("COLUMNS", "70")
    lines = invoke("compare", tmp_path).stdout.splitlines()
    assert max(map(len, lines)) <= 70
    heads = [line.split()[1:] for line in lines if line.split()[:1] == ["method"]]
    assert len(heads) > 2
    assert [name for head in heads for name in head] == [*names, "rank"]
    assert not any("…" in line for line in lines)


def test_choosing_datasets_and_methods(invoke, folder):
    shown = invoke("compare", folder, "--dataset", "PTC_MR", "--dataset", "A", "--method", "near",
                   "--method", "far", "--reference", "far").stdout  # fmt: skip
    words = shown.split()
    assert "nask" not in words
    assert words[words.index("method") :][:3] == ["method", "PTC_MR", "A"]
    assert "*89.0 ± 7.0 +" in shown
    assert "Beside far," in " ".join(words)


def test_files(invoke, folder, tmp_path):
    files = {kind: tmp_path / f"out.{kind}" for kind in ("markdown", "csv", "latex")}
    picture = tmp_path / "ranks.png"
    options = [text for kind, path in files.items() for text in (f"--{kind}", path)]
    shown = invoke("compare", folder, *options, "--plot", picture, "--alpha", 0.1).stdout
    expected = nask.compare(folder, alpha=0.1)
    assert files["markdown"].read_text(encoding="utf-8") == expected.to_markdown()
    assert files["latex"].read_text(encoding="utf-8") == expected.to_latex()
    with files["csv"].open(newline="", encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == 9
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert all(path.name in "".join(shown.split()) for path in (*files.values(), picture))


def test_graphs_and_nodes_have_a_picture_each(invoke, with_nodes, tmp_path):
    shown = invoke("compare", with_nodes, "--plot", tmp_path / "ranks.svg").stdout
    assert "Accuracy in %, graphs" in shown
    assert "Accuracy in %, nodes" in shown
    names = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert names == ["ranks-graphs.svg", "ranks-nodes.svg"]


@pytest.mark.parametrize("options", [["--dataset", "A"], []])
def test_without_ranks_the_picture_has_the_accuracies(invoke, folder, tmp_path, options):
    """Of one dataset, or where no two methods have the same sets."""
    place = folder
    if not options:
        made = [("A", "nask"), ("A", "far"), ("B", "far"), ("B", "near")]
        place = write(tmp_path / "apart", *(result(d, m, RIGHT[m]) for d, m in made))
    picture = tmp_path / "ranks.svg"
    shown = " ".join(invoke("compare", place, *options, "--plot", picture).stdout.split())
    assert "The picture has the accuracies: average ranks take two methods" in shown
    drawn = picture.read_text()
    assert "Accuracy (%)" in drawn
    assert "± std over folds" in drawn
    assert [path.name for path in tmp_path.glob("*.svg")] == ["ranks.svg"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "PTC_RM"], "no result of a dataset 'PTC_RM'. Did you mean 'PTC_MR'?"),
        (["--method", "naks"], "no result of a method 'naks'. Did you mean 'nask'?"),
        (["--reference", "naks"], "reference 'naks'. Did you mean 'nask'?"),
        (["--method", "nask"], "no dataset has results of two methods"),
        (["--alpha", "2"], "'alpha' parameter of compare must be"),
        (["--plot", "ranks.doc"], "the ending '.doc' is unknown"),
        (["--csv", "nowhere/a.csv"], "give --csv a place in one that exists"),
    ],
)
def test_mistakes(invoke, folder, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NaskError) as raised:
        invoke("compare", folder, *arguments)
    assert message in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_a_folder_without_results(invoke, tmp_path):
    with pytest.raises(NaskError, match="has no results with a finished repeat"):
        invoke("compare", tmp_path)
