"""Pages do what they say: their files, their commands, what these print, their Python."""

import csv
import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

from nask.cli.main import app
from nask.io.converters.molecule_attributes import ATOM_SORTS, BOND_SORTS

PAGE = (Path(__file__).parents[1] / "docs" / "molecules.md").read_text(encoding="utf-8")


def blocks(kind=""):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [text for own, text in found if own == kind]


# The search takes long, and has tests of its own.
FASTER = {"evaluate": ["--method", "majority", "--no-pictures"]}


@pytest.mark.slow
def test_the_page_on_molecules_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (table,) = blocks("csv")
    Path("mols.csv").write_text(table)
    commands, told, *_ = blocks()
    printed = {}
    for command in commands.splitlines():
        name, *arguments = shlex.split(command)
        arguments += FASTER.get(arguments[0], [])
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert (name, result.exit_code) == ("nask", 0)
        printed[arguments[0]] = result.stderr + result.stdout
    assert told in printed["fit"]
    with Path("predicted.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["graph"] for row in rows] == [line.split(",")[0] for line in table.splitlines()[1:]]
    assert [row["graph"] for row in rows if not row["prediction"]] == ["broken"]
    assert Path("why/aspirin.png").exists()

    examples = blocks("python")
    assert len(examples) == 2
    for example in examples:
        exec(example, {})
    plt.close("all")


@pytest.mark.slow
def test_the_page_on_gaussian_processes_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs" / "gaussian-processes.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    found = {}
    exec(example, found)
    inside = abs(found["mean"] - found["density"][1::2]) < 1.96 * found["std"]
    assert inside.mean() > 0.85
    assert found["covariance"].shape == (94, 94)
    assert found["classifier"].score(found["new"], found["mutag"].y[1::2]) > 0.75
    assert set(found["each"].kernel_.gamma) == {"node_label", "edge_label"}


def test_the_tables_have_every_attribute():
    tables = {"atoms": ATOM_SORTS, "bonds": BOND_SORTS}
    for element, sorts in tables.items():
        table = PAGE.partition(f"| {element} | kind | |")[2].partition("\n\n")[0]
        assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(sorts)
        for name, sort in sorts.items():
            word = re.search(rf"`{name}` \| ([\w ]+) \|", table)[1]
            assert (word == "number") == (sort.kind == "numerical")


@pytest.mark.slow
def test_the_page_on_uncertainty_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in kinds] == ["python", "console", "python", "python"]
    for kind, text in kinds:
        if kind == "python":
            exec(text, {})
            continue
        for command in text.splitlines():
            name, *arguments = shlex.split(command)
            result = CliRunner().invoke(app, arguments, catch_exceptions=False)
            assert (name, result.exit_code) == ("nask", 0)
    with Path("predicted.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["graph", "prediction", "set", "applicability"]
    assert {row["set"] for row in rows} <= {"-1", "1", "-1|1"}
    assert Path("detector.nask").exists()
