"""Compiled code on disk is never older than its source, and never harmed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nask.compiled.cache import PACKAGE, CheckedFile, source_stamp, sources

# A vector filled with e^-2, and one with cosines: little to compile.
EXPONENTIAL = """
import numpy as np
from nask.stars.hop_rules import fill_floor
values = np.empty(8)
fill_floor(2.0, values)
print(values[0])
"""
COSINES = """
import numpy as np
from nask.attributes.random_map import RandomMap
from nask.attributes.similarity import attribute_similarities
from nask.engines.sketch.embedding import Values, embed, embedding_space
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
import nask
graph = nask.AttributedGraph(2, node_attributes={"x": [0.3, 1.0]})
schema = Schema.fit([graph])
nodes, _ = attribute_similarities(schema, 1.0, None, "NASK")
columns = RandomMap.draw(nodes, (), 64, np.random.SeedSequence(0), binary=False).columns
out = np.zeros((8, 64), dtype=np.float32)
values = Values.of(GraphBatch.encode([graph], schema).nodes, None)
embed(values, 0, 2, columns, np.ones(64), embedding_space(64), out)
print(np.abs(out[0]).sum())
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, tmp_path / "nask", ignore=ignored))


def run(package: Path, program: str) -> float:
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-W", "error", "-c", program]
    # From another folder, so that no other copy of the package comes first.
    done = subprocess.run(
        command, env=environment, cwd=package.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def kept(package: Path) -> dict[Path, int]:
    return {
        file: file.stat().st_mtime_ns
        for pattern in ("*.nbi", "*.nbc")
        for file in package.rglob(pattern)
    }


@pytest.mark.slow
def test_code_is_compiled_anew_when_a_helper_changes_or_a_file_is_harmed(package):
    """One package and four processes: each begins with the files that the last one left."""
    before, files = run(package, EXPONENTIAL), kept(package)
    assert files
    replace(package / "execution" / "progress.py", "Progress of long work", "Progress")
    assert run(package, EXPONENTIAL) == before
    assert kept(package) == files
    helper = package / "compiled" / "exponential.py"
    replace(helper, "1 / math.factorial(k)", "1.001 / math.factorial(k)")
    changed = run(package, EXPONENTIAL)
    assert changed != before
    codes = list(package.rglob("*.nbc"))
    whole = [file.stat().st_size for file in codes]
    for file in codes:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run(package, EXPONENTIAL) == changed
    assert [file.stat().st_size for file in codes] == whole


@pytest.mark.slow
def test_a_changed_helper_of_a_helper_changes_the_result(package):
    before = run(package, COSINES)
    mixing = package / "engines" / "sketch" / "mixing.py"
    replace(mixing, "return cosine, sine", "return sine, cosine")
    assert run(package, COSINES) != before


def test_a_harmed_file_counts_as_absent(tmp_path):
    def opened():
        return CheckedFile(str(tmp_path), "loop", "stamp")

    code = {"machine code": b"of a loop"}
    opened().save("signature", code)
    assert opened().load("signature") == code
    for pattern in ("*.nbi", "*.nbc"):
        [file] = tmp_path.glob(pattern)
        content = file.read_bytes()
        changed = [
            content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :] for k in range(len(content))
        ]
        for harmed in (*changed, content[: len(content) // 2], b""):
            file.write_bytes(harmed)
            assert opened().load("signature") in (None, code)
        # The last harm leaves nothing to load, until the code is saved again.
        assert opened().load("signature") is None
        opened().save("signature", code)
        assert opened().load("signature") == code


@pytest.mark.parametrize(
    ("module", "helpers"),
    [
        (
            "engines/pairwise/tile",
            ["compiled/vectors", "compiled/lines", "stars/guard", "attributes/compiled_similarity"],
        ),
        ("engines/distinct/rows", ["compiled/vectors", "stars/hop_rules", "stars/guard"]),
        ("engines/nodes/rows", ["compiled/vectors", "compiled/lines", "compiled/compiling"]),
        ("engines/sketch/star_sketch", ["compiled/lines", "engines/sketch/mixing", "numeric"]),
    ],
)
def test_sources_hold_every_helper_and_constant(module, helpers):
    expected = {PACKAGE / f"{name}.py" for name in [module, *helpers]}
    assert expected <= set(sources(PACKAGE / f"{module}.py"))


def test_stamps_differ_by_file():
    files = [PACKAGE / "engines" / name for name in ("pairwise/tile.py", "distinct/rows.py")]
    assert len({source_stamp(file) for file in files}) == 2
