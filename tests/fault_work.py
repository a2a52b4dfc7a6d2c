"""Every command that writes, killed at, or refused, each step that it takes on the disk.

    python tests/fault_work.py kill|full all|some [COMMAND ...]

A hook of Python's hears of each file that is opened, renamed or removed in the folder of the
results. So an undisturbed run tells how many such steps a command takes, and runs in forked
processes are killed before a step, or are told there that the disk is full. Then what is on disk
must be whole, old or new, and the same command, run again, must end with what the undisturbed run
ended with, and leave nothing else behind. Prints what is wrong, one line each.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nask
from nask.datasets.catalogue import DatasetInfo, catalogue

# Of each command, when not all of its steps are tried.
MOST_STEPS = 4
WATCHED = ("open", "os.rename", "os.remove", "os.mkdir", "os.truncate", "os.link")
FEW = ["--n-jobs", "1"]
QUICK = ["--folds", "2", "--repeats", "1", *FEW]
SMALL = ["--try", "gamma=1", "--try", "n_hops=1", "--try", "gamma_star=4", "--no-pictures"]


@dataclass(frozen=True)
class Command:
    """Its arguments, and others with which files were written before it; OUT is their folder."""

    arguments: Sequence[str]
    before: Sequence[str] | None = None


COMMANDS = {
    "evaluate": Command(["evaluate", "SET", "--out", "OUT", *QUICK, *SMALL, "--grams", "OUT/g"]),
    "evaluate, SVM": Command(
        ["evaluate", "SET", "--method", "nask-svm", "--inner", "2", "--out", "OUT", *QUICK, *SMALL]
    ),
    "evaluate, pictures": Command(
        ["evaluate", "SET", "--method", "majority", "--out", "OUT", *QUICK],
    ),
    "compare": Command(
        [
            "compare",
            "RECORDS",
            "--markdown",
            "OUT/a.md",
            "--csv",
            "OUT/a.csv",
            "--plot",
            "OUT/a.png",
        ],
        ["compare", "RECORDS", "--alpha", "0.5", "--markdown", "OUT/a.md", "--csv", "OUT/a.csv"],
    ),
    "league": Command(
        [
            "league",
            "SET",
            "OTHER",
            "--method",
            "majority",
            "--method",
            "attributes-only",
            "--reference",
            "majority",
            "--out",
            "OUT",
            "--no-svm",
            "--no-grouped",
            *FEW,
        ],
    ),
    "gram": Command(
        ["gram", "SET", "--out", "OUT/k.npz", *FEW],
        ["gram", "SET", "--hops", "1", "--out", "OUT/k.npz", *FEW],
    ),
    "gram in chunks": Command(
        ["gram", "SET", "--out", "OUT/k.npy", "--memory-limit", "60kB", "--hops", "1", *FEW]
    ),
    "gram in a store": Command(["gram", "SET", "--out", "OUT/k.zarr", "--chunk", "12", *FEW]),
    "features": Command(["features", "SET", "--components", "64", "--out", "OUT/f.npy", *FEW]),
    "features in a store": Command(
        ["features", "SET", "--components", "64", "--out", "OUT/f.zarr", "--chunk", "12", *FEW]
    ),
    "fit": Command(
        ["fit", "SET", "--model", "OUT/m.nask", *FEW],
        ["fit", "SET", "--hops", "1", "--model", "OUT/m.nask", *FEW],
    ),
    "predict": Command(["predict", "MODEL", "SET", "--proba", "--out", "OUT/p.csv", *FEW]),
    "explain": Command(
        ["explain", "MODEL", "SET", "--graph", "0,1", "--out", "OUT", *FEW],
        ["explain", "MODEL", "SET", "--graph", "2", "--out", "OUT", *FEW],
    ),
    "similar": Command(
        ["similar", "SET", "0", "-k", "2", "--out", "OUT/s.csv", "--picture", "OUT/s.png", *FEW],
    ),
    "describe": Command(["describe", "SET", "--plot", "OUT/d.png"]),
    "datasets fetch": Command(["datasets", "fetch", "FETCHED"]),
}


class Steps:
    """Counts what the command is about to do in a folder, and does something at one of them."""

    def __init__(self) -> None:
        self.folder = ""
        self.n = 0
        self.at: int | None = None
        self.fault: Callable[[], None] = lambda: None

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder or event not in WATCHED or not self._is_here(arguments):
            return
        if event == "open" and not self._writes(arguments):
            return
        self.n += 1
        if self.n - 1 == self.at:
            self.fault()

    def _is_here(self, arguments: tuple[Any, ...]) -> bool:
        paths = [own for own in arguments[:2] if isinstance(own, (str, bytes, os.PathLike))]
        return any(os.fsdecode(own).startswith(self.folder) for own in paths)

    def _writes(self, arguments: tuple[Any, ...]) -> bool:
        _, mode, flags = arguments
        if isinstance(mode, str):
            return any(letter in mode for letter in "wax+")
        return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


STEPS = Steps()


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


FAULTS = {"kill": kill, "full": full}


@dataclass(frozen=True)
class Places:
    """Where what commands read lies."""

    data: Path
    model: Path
    records: Path

    def given(self, arguments: Sequence[str], out: Path) -> list[str]:
        other = self.data.with_name("OTHER")
        names = {"SET": self.data, "OTHER": other, "MODEL": self.model, "RECORDS": self.records}
        return [
            str(names[own]) if own in names else own.replace("OUT", str(out)) for own in arguments
        ]


def run(arguments: Sequence[str], out: Path, at: int | None = None, fault: str = "kill") -> Any:
    """Run a command in a forked process; its exit code, what it said, and its number of steps."""
    said, steps = out.with_name("said"), out.with_name("steps")
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        n = int(steps.read_text()) if steps.exists() else -1
        steps.unlink(missing_ok=True)
        return os.waitstatus_to_exitcode(status), said.read_text(errors="replace"), n
    code = 99
    try:
        stream = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        os.environ["NASK_CACHE"] = str(out)
        sys.argv = ["nask", *arguments]
        STEPS.folder, STEPS.n, STEPS.at, STEPS.fault = str(out), 0, at, FAULTS[fault]
        from nask.cli.main import run as command

        try:
            command()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        STEPS.folder = ""
        steps.write_text(str(STEPS.n))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def contents(out: Path) -> dict[str, Any]:
    """What the files of a folder say, without what differs from run to run."""
    found = {}
    for path in sorted(out.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(out))] = content(path)
    return found


def content(path: Path) -> Any:
    """What a file says; an error where it is not whole."""
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        # Where a pass was made again, it is noted again, and the last note counts.
        passes = {f"pass {line['pass']}" for line in lines if "pass" in line}
        others = [line for line in lines if not {"pass", "environment"} & line.keys()]
        return sorted([*passes, *(json.dumps(plain(line), sort_keys=True) for line in others)])
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: arrays[name].tolist() for name in arrays.files}
    if path.suffix == ".nask":
        return str(nask.load(path).get_params())
    if path.name == "league.md":
        return path.read_text().partition("##")[0]  # further down are seconds
    return path.read_bytes()


def difference(found: Any, expected: Any) -> str:
    """What one has and the other has not, of lines."""
    if not isinstance(found, list):
        return ""
    more = [line for line in found if found.count(line) > expected.count(line)]
    less = [line for line in expected if expected.count(line) > found.count(line)]
    return f"more {str(more)[:300]}, less {str(less)[:300]}"


def plain(line: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in line.items() if not k.startswith("seconds")}


def wrongs(places: Places, name: str, fault: str, every: bool, folder: Path) -> Iterator[str]:
    """What goes wrong with a command."""
    own, out = COMMANDS[name], folder / "out"
    arguments = places.given(own.arguments, out)

    def begin() -> dict[str, Any]:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        if own.before is not None:
            code, said, _ = run(places.given(own.before, out), out)
            assert code == 0, f"{name}: what comes before it ends with {code}: {said}"
        return contents(out)

    begin()
    code, said, n_steps = run(arguments, out)
    assert code == 0, f"{name}: {code}: {said}"
    assert n_steps > 2, f"{name} takes {n_steps} steps"
    expected = contents(out)
    chosen = range(n_steps)
    if not every and n_steps > MOST_STEPS:
        chosen = sorted({round(k) for k in np.linspace(0, n_steps - 1, MOST_STEPS)})
    for at in chosen:
        old = begin()
        code, said, _ = run(arguments, out, at, fault)
        found = [*of_the_end(fault, code, said), *of_what_is_left(out, old, expected)]
        for partial in out.rglob("*.partial"):
            os.utime(partial, (0, 0))  # as if found again an hour later
        code, said, _ = run(arguments, out)
        found += of_the_second_run(code, said, contents(out), expected)
        yield from (f"{name}, step {at} of {n_steps}: {wrong}" for wrong in found)


def of_the_end(fault: str, code: int, said: str) -> Iterator[str]:
    """What is wrong with how a command ended."""
    if fault == "kill":
        if code != -signal.SIGKILL:
            yield f"ended with {code}: {said[-600:]}"
    elif code not in (0, 2) or "Traceback" in said or (code and "nask:" not in said):
        yield f"ended with {code}: {said[-600:]}"


def of_what_is_left(out: Path, old: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    """What is wrong on disk: files that are neither old nor new; records and chunks may grow."""
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if not path.is_file() or name not in expected or ".zarr" in name:
            continue
        # A league tells of what is there when a method could not be run.
        if path.suffix in {".jsonl", ".npy"} or path.stem in {"league", "twins"}:
            continue
        try:
            if content(path) not in (expected[name], old.get(name)):
                yield f"{name} is neither old nor new"
        except Exception as error:
            yield f"{name}: {error!r}"


def of_the_second_run(
    code: int, said: str, found: dict[str, Any], expected: dict[str, Any]
) -> Iterator[str]:
    """What is wrong with the same command, run again."""
    if code != 0:
        yield f"run again, it ends with {code}: {said[-600:]}"
    for name in sorted(expected.keys() | found.keys()):
        if name not in found or name not in expected:
            yield f"run again, {name} is {'too much' if name in found else 'missing'}"
        elif found[name] != expected[name]:
            yield f"run again, {name} differs: {difference(found[name], expected[name])}"


def prepare(folder: Path) -> Places:
    """Write what commands read, and compile what they use, so that forked ones need not."""
    mutag = nask.load_dataset("MUTAG")
    data = folder / "SET"
    data.mkdir()
    few = [*range(0, 12), *range(130, 142)]
    first, arcs, indicator, labels = 1, [], [], []
    for number, k in enumerate(few, start=1):
        graph = mutag.graphs[k]
        arcs += [f"{first + a}, {first + b}" for a, b in graph.edges.tolist()]
        arcs += [f"{first + b}, {first + a}" for a, b in graph.edges.tolist()]
        indicator += [number] * graph.n_nodes
        labels += [v % 3 for v in range(graph.n_nodes)]
        first += graph.n_nodes
    for ending, lines in {
        "A": arcs,
        "graph_indicator": indicator,
        "node_labels": labels,
        "graph_labels": [mutag.y[k] for k in few],
    }.items():
        (data / f"SET_{ending}.txt").write_text("\n".join(map(str, lines)) + "\n")
    (folder / "OTHER").mkdir()
    with zipfile.ZipFile(folder / "FETCHED.zip", "w") as archive:
        for path in data.iterdir():
            archive.write(path, f"FETCHED/{path.name.replace('SET', 'FETCHED')}")
            shutil.copy(path, folder / "OTHER" / path.name.replace("SET", "OTHER"))
    here = nask.load_dataset(str(data))
    model = nask.NASKClassifier(n_hops=2).fit(here.graphs, here.y)
    model.save(folder / "model.nask")
    for method in ("majority", "attributes-only"):
        nask.evaluate(method, here, folds=2, repeats=2, out=folder / "records")
    return Places(data, folder / "model.nask", folder / "records")


def offline(folder: Path) -> None:
    """Have one more set in the catalogue, which is copied instead of downloaded."""
    import pooch

    class Copied:
        def __init__(self, **_: Any) -> None:
            pass

        def __call__(self, address: str, file: str, _: Any) -> None:
            shutil.copy(folder / "FETCHED.zip", file)

    pooch.HTTPDownloader = Copied
    catalogue()["FETCHED"] = DatasetInfo(
        name="FETCHED", addresses=("http://nowhere/FETCHED.zip",), n_graphs=24, node_labels=1
    )


def main() -> None:
    fault, extent, *names = sys.argv[1:]
    os.environ.pop("NASK_DATA", None)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        places = prepare(folder)
        offline(folder)
        sys.addaudithook(STEPS.hear)
        for name in names or COMMANDS:
            for wrong in wrongs(places, name, fault, extent == "all", folder):
                print(wrong, flush=True)


if __name__ == "__main__":
    main()
