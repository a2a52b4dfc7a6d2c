"""The command line as a user meets it."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from nask.cli.main import app


def test_help_and_version():
    runner = CliRunner()
    assert "demo" in runner.invoke(app, ["--help"]).output
    assert runner.invoke(app, ["--version"]).output.startswith("nask ")


@pytest.mark.slow
def test_demo_prints_a_table_of_both_sets():
    command = [sys.executable, "-c", "from nask.cli.main import app; app()", "demo", "--folds", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    for name in ("MUTAG", "Cuneiform"):
        row = next(line for line in done.stdout.splitlines() if f" {name} " in line)
        majority, accuracy = (cell.split("±")[0] for cell in row.split("│")[5:7])
        assert float(accuracy) > float(majority) + 10
    assert done.stderr == ""
