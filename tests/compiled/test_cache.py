"""Compiled code on disk is never older than its source, and never harmed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nask.compiled.cache import PACKAGE, CheckedFile, source_stamp, sources

# A vector filled with e^-2, by a function of the package and by one that calls it: little to
# compile.
CALLER = """
from nask.compiled.compiling import compiled
from nask.stars.hop_rules import fill_floor

@compiled
def fill(values):
    fill_floor(2.0, values)
"""
PROGRAM = """
import numpy as np
from nask.stars.caller import fill
from nask.stars.hop_rules import fill_floor
values = np.empty((2, 8))
fill_floor(2.0, values[0])
fill(values[1])
print(*values[:, 0])
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    copy = Path(shutil.copytree(PACKAGE, tmp_path / "nask", ignore=ignored))
    (copy / "stars" / "caller.py").write_text(CALLER)
    return copy


def run(package: Path) -> list[float]:
    """Both values, as a new process computes them."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    # From another folder, so that no other copy of the package comes first.
    done = subprocess.run(
        command, env=environment, cwd=package.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [float(value) for value in done.stdout.split()]


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
    before, files = run(package), kept(package)
    assert len(files) == 4
    assert before[0] == before[1]
    replace(package / "execution" / "progress.py", "Progress of long work", "Progress")
    assert run(package) == before
    assert kept(package) == files
    helper = package / "compiled" / "exponential.py"
    replace(helper, "1 / math.factorial(k)", "1.001 / math.factorial(k)")
    changed = run(package)
    # The caller, too, which the helper is a helper of a helper of.
    assert changed[0] == changed[1] != before[0]
    codes = list(package.rglob("*.nbc"))
    whole = [file.stat().st_size for file in codes]
    for file in codes:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run(package) == changed
    assert [file.stat().st_size for file in codes] == whole


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
        ("engines/sketch/star_sketch", ["compiled/singles", "engines/sketch/mixing", "numeric"]),
    ],
)
def test_sources_hold_every_helper_and_constant(module, helpers):
    expected = {PACKAGE / f"{name}.py" for name in [module, *helpers]}
    assert expected <= set(sources(PACKAGE / f"{module}.py"))


def test_stamps_differ_by_file():
    files = [PACKAGE / "engines" / name for name in ("pairwise/tile.py", "distinct/rows.py")]
    assert len({source_stamp(file) for file in files}) == 2
