"""The README's example runs as it stands."""

import re
from pathlib import Path

import pytest

import nask

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.slow
def test_the_python_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    found = {}
    for block in blocks:
        namespace = {}
        exec(block, namespace)
        found |= namespace
    assert len(found["two_graphs"]) == 2
    assert 0.7 < found["result"].accuracy_mean < 0.95
    assert (tmp_path / "mutag.nask").exists()


@pytest.mark.slow
def test_the_page_on_tables_runs(tmp_path, monkeypatch):
    """Its files are written, then its commands and its Python are run, in the order of the page."""
    from typer.testing import CliRunner

    from nask.cli.main import app

    monkeypatch.chdir(tmp_path)
    page = README.with_name("docs").joinpath("data.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(csv|console|python) ?(\S*)\n(.*?)```", page, re.DOTALL)
    assert {kind for kind, _, _ in blocks} == {"csv", "console", "python"}
    told = ""
    for kind, file, content in blocks:
        if kind == "csv":
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text(content)
        elif kind == "console":
            for line in content.splitlines():
                result = CliRunner().invoke(app, line.split()[1:], catch_exceptions=False)
                assert result.exit_code == 0, (line, result.output)
                told += result.output
        else:
            exec(content, {})
    assert "carl,go" in told
    assert "eva,chess" in told


@pytest.mark.slow
def test_the_examples_of_the_page_on_evaluation_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = README.parent / "docs" / "evaluation.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    found = {}
    for block in blocks:
        exec(block, found)
    assert found["results"][0].score_mean > 0.5 > found["results"][1].score_mean
    assert 0.5 < found["area"].score_mean < 1


@pytest.mark.slow
def test_the_examples_of_the_page_on_large_data_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (README.parent / "docs" / "large.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    found = {}
    for block in blocks:
        exec(block, found)
    assert found["parts"].n_graphs_ == 94
    assert found["rows"].nbytes == 5000 * 256 * 2
    assert "float16" in capsys.readouterr().out


@pytest.mark.slow
def test_the_example_on_a_citation_network_runs(benchmark_set):
    """In a block of its own kind, since it needs data that is not in the package."""
    benchmark_set("Cora")
    (block,) = re.findall(r"```py\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    found = {}
    exec(block, found)
    cora = found["cora"]
    assert found["model"].score(cora.graph, cora.y, cora.validation) > 0.6


def test_the_table_has_every_name_of_the_front():
    text = README.read_text(encoding="utf-8")
    table = text.partition("## What is where")[2].partition("\n## ")[0]
    missing = [
        name
        for name in nask.__all__
        if name != "__version__" and not re.search(rf"`(nask\.)?{name}`", table)
    ]
    assert not missing
