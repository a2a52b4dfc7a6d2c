"""Commands as users run them: within this process, or as a process of their own."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from nask.cli.main import app


@pytest.fixture
def invoke():
    """Run a command here; an error of nask is raised, not printed."""

    def run(*arguments, succeed=True):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert (result.exit_code == 0) == succeed, result.output
        return result

    return run


@pytest.fixture(scope="session")
def process():
    """Run a command as a process of its own, with standard output and error apart."""

    def run(*arguments, **environment):
        command = [sys.executable, "-c", "from nask.cli.main import run; run()"]
        return subprocess.run(
            [*command, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env={**os.environ, **environment},
        )

    return run


@pytest.fixture
def tiny(tmp_path):
    """Write a small dataset in TUDataset form; returns its folder as text.

    Six paths of 1 to 6 nodes, the targets being file contents by ending.
    """

    def write(name="TINY", **targets):
        folder = tmp_path / name
        folder.mkdir()
        sizes = range(1, 7)
        first = {size: sum(range(1, size)) + 1 for size in sizes}
        arcs = [
            f"{a}, {b}"
            for size in sizes
            for i in range(first[size], first[size] + size - 1)
            for a, b in ((i, i + 1), (i + 1, i))
        ]
        files = {
            "A": arcs,
            "graph_indicator": [str(size) for size in sizes for _ in range(size)],
            "node_labels": [str(i % 2) for size in sizes for i in range(size)],
            **targets,
        }
        for ending, lines in files.items():
            (folder / f"{name}_{ending}.txt").write_text("\n".join(map(str, lines)) + "\n")
        return str(folder)

    return write
