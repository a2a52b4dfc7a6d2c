"""Run the tests on the oldest and the newest versions of the dependencies that are allowed.

    python scripts/compatibility.py            # every Python found, oldest and newest, most tests
    python scripts/compatibility.py --quick    # the core alone: kernels, estimators, readers

For each interpreter (python3.11, python3.12, ... on the PATH, or those named by --python) and each
end, a virtual environment is built in a folder that is removed afterwards. *Oldest* is the least
version of each dependency that pyproject.toml allows and that has a wheel for this Python; *newest*
is what pip takes by itself; *locked* is what constraints.txt says. Tools of the tests are the
newest.

torch, which takes gigabytes, is left out with the files of tests that import it; --torch takes it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from dependencies import CONSTRAINTS, ROOT, project
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

ENDS = ("oldest", "newest", "locked")
EXTRAS = ("plots", "networkx", "frames", "molecules", "dask")
# Packages that tests import, by the extra that has them.
LARGE = {"torch": "pyg", "torch_geometric": "pyg", "grakel": "grakel", "ot": "lab"}
TOOLS = ("pytest", "pytest-timeout", "hypothesis", "mpmath")
CORE = ("kernels", "estimators", "io", "engines", "graph", "attributes", "stars", "learning")
PIP = ("-m", "pip", "--disable-pip-version-check")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the core tests alone")
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter")
    parser.add_argument("--end", action="append", choices=ENDS, help="by default oldest and newest")
    parser.add_argument("--torch", action="store_true", help="install torch, and test networks")
    parser.add_argument("--folder", type=Path, help="where environments are built and kept")
    given = parser.parse_args()
    failed = []
    for python in given.python or list(interpreters()):
        for end in given.end or ENDS[:2]:
            label = f"Python {version_of(python)}, {end}"
            began = time.monotonic()
            told = check(python, end, given.quick, given.torch, given.folder)
            print(f"{label}: {told} ({time.monotonic() - began:.0f} s)", flush=True)
            if told != "passed":
                failed.append(label)
    if failed:
        sys.exit(f"Failed: {'; '.join(failed)}.")


def interpreters() -> Iterator[str]:
    """The interpreters on the PATH that pyproject.toml allows and that start."""
    least = int(project()["requires-python"].rpartition(".")[2])
    for minor in range(least, least + 10):
        found = shutil.which(f"python3.{minor}")
        if found and version_of(found):
            yield found


def version_of(python: str) -> str:
    """Its version; empty where it cannot be started (a shim of a version that is not chosen)."""
    code = "import platform; print(platform.python_version())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def check(python: str, end: str, quick: bool, torch: bool, kept: Path | None) -> str:
    """Build an environment and run the tests in it; tell what came out."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if kept is None else kept / f"{version_of(python)}-{end}"
        own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        if not own.exists():
            subprocess.run([python, "-m", "venv", str(folder)], check=True)
        install(str(own), end, (*EXTRAS, *(("lab",) if torch else ())), folder)
        names = [f"tests/{name}" for name in CORE] if quick else ["tests"]
        command = [str(own), "-m", "pytest", "-q", "-p", "no:cacheprovider", *names]
        command += ["-m", "not slow"] if quick else []
        command += [] if torch else [f"--ignore={file}" for file in without_large(names)]
        environment = {**os.environ, "PYTHONPATH": "", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    return "passed" if done.returncode == 0 else "FAILED"


def install(python: str, end: str, extras: Sequence[str], folder: Path) -> None:
    """Install the package, as it lies here, with versions of one end, and tell which they are."""
    wanted = list(requirements(extras))
    lines = []
    if end == "oldest":
        lines = [f"{own.name}=={least_version(python, own)}" for own in wanted]
    elif end == "locked":
        lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    else:  # what has a build without CUDA
        lines = [own for own in CONSTRAINTS.read_text("utf-8").splitlines() if "torch==" in own]
    limits = folder / "limits.txt"
    limits.write_text("\n".join(lines) + "\n", encoding="utf-8")
    package = f"{ROOT}[{','.join(extras)}]"
    options = ["--constraint", str(limits), "--editable", package, *TOOLS]
    command = [python, *PIP, "install", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    listed = subprocess.run(
        [python, *PIP, "list", "--format=json"], capture_output=True, check=True
    )
    found = {own["name"].lower(): own["version"] for own in json.loads(listed.stdout)}
    names = [f"{own.name} {found.get(own.name.lower(), '-')}" for own in wanted]
    print(f"{end}: {', '.join(names)}", flush=True)


def requirements(extras: Sequence[str]) -> Iterator[Requirement]:
    """What pyproject.toml asks for, with the extras."""
    own = project()
    listed = [*own["dependencies"]]
    for extra in extras:
        listed += own["optional-dependencies"][extra]
    yield from {Requirement(line).name: Requirement(line) for line in listed}.values()


def least_version(python: str, wanted: Requirement) -> str:
    """The least allowed version that pip can install on this Python from a wheel, if from any."""
    command = [python, *PIP, "index", "versions", wanted.name]
    for options in (["--only-binary", ":all:"], []):
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        found = re.search(r"Available versions: (.*)", done.stdout)
        listed = [] if found is None else found[1].split(", ")
        fitting = [Version(own) for own in listed if is_allowed(own, wanted)]
        if fitting:
            return str(min(fitting))
    raise SystemExit(f"There is no version of {wanted} for {python}: {done.stderr.strip()}")


def is_allowed(version: str, wanted: Requirement) -> bool:
    try:
        return wanted.specifier.contains(Version(version))
    except InvalidVersion:
        return False


def without_large(names: Sequence[str]) -> Iterator[str]:
    """The files of tests that import a package that is left out."""
    pattern = re.compile(rf"^(?:import|from) (?:{'|'.join(LARGE)})\b", re.MULTILINE)
    for name in names:
        for file in sorted((ROOT / name).rglob("*.py")):
            if pattern.search(file.read_text(encoding="utf-8")):
                yield str(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
