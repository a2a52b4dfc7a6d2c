"""The command line as a user meets it."""

import os
import sys

import pytest
from typer.testing import CliRunner

import nask
from nask.cli.main import app, run


def test_a_mistake_ends_with_a_message_and_no_traceback(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["nask", "demo", "--n-jobs", "0"])
    monkeypatch.setattr(os, "environ", os.environ.copy())  # the command adds to it
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "nask: The 'n_jobs' parameter of NASK must be None, or an int other than 0. "
        "Got 0 instead.\n"
    )


def test_help_and_version():
    runner = CliRunner()
    assert "demo" in runner.invoke(app, ["--help"]).output
    assert runner.invoke(app, ["--version"]).output == f"nask {nask.__version__}\n"


@pytest.mark.slow
def test_demo_prints_a_table_of_both_sets():
    done = CliRunner().invoke(app, ["demo", "--folds", "2"])
    assert done.exit_code == 0
    for name in ("MUTAG", "Cuneiform"):
        row = next(line for line in done.stdout.splitlines() if f" {name} " in line)
        majority, accuracy = row.split("±")[0].split()[-2:]
        assert float(accuracy) > float(majority) + 10
    assert done.stderr == ""
