"""The page on search does what it says: its file, its commands, what they print, its Python."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nask.cli.main import app

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")


def blocks(kind=""):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [text for own, text in found if own == kind]


@pytest.mark.slow
def test_the_page_on_search_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (table,) = blocks("csv")
    Path("mols.csv").write_text(table)
    commands, told, *_ = blocks()
    printed = []
    for command in commands.splitlines():
        name, *arguments = shlex.split(command)
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert (name, result.exit_code) == ("nask", 0)
        printed.append([line.rstrip() for line in result.stdout.splitlines()])
    own = [line.rstrip() for line in told.splitlines() if line.strip()]
    assert own == [line for line in printed[0] if line][: len(own)]
    assert Path("similar.png").exists()
    assert len(Path("hits.csv").read_text().splitlines()) == 1 + 2 * 9

    for example in blocks("python"):
        found = {}
        exec(example, found)
    assert found["D"].shape == (150, 150)
    assert Path("mutag.index").exists()
