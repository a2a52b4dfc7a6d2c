"""Gram matrices that all folds share, in files: processes read them, and a rerun finds them."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nask.arrays import Array
from nask.evaluation.journal import OUT, Journal
from nask.evaluation.methods import deciding
from nask.exceptions import MemoryLimitError
from nask.execution.progress import Progress, track
from nask.execution.resources import free_disk, readable_bytes
from nask.storage.contents import Contents
from nask.storage.hashes import content_hash
from nask.storage.npy_chunks import FORMAT, read_npy, write_npy
from nask.storage.write_errors import writing
from nask.tuning.sweeps import StarSweep, Sweep, stacks_of

# The folder of results keeps this much of the disk free.
SPARE_BYTES = 10**9
# How many hops deeper a pass may be that serves in place of one.
MORE_HOPS = 8


def shared_stacks(
    sweeps: Sequence[Sweep],
    data: Any,
    n_items: int,
    folder: Path,
    journal: Journal,
    n_jobs: int | None,
    progress: Progress,
    description: str,
) -> list[Array]:
    """Compute each sweep's stack of matrices, or find it where an earlier process left it.

    Parameters
    ----------
    sweeps : sequence of StarSweep or KernelSweep
    data : list of AttributedGraph, or AttributedGraph
        The whole set, or network; its ranges and categories are those of the schema.
    n_items : int
        Number of its graphs, or nodes.
    folder : Path
        Holds one file per sweep, and its record. Runs on the same data that need the same pass
        share it, whatever they learn from it.
    journal : Journal
        Notes each pass that was made, with the seconds it took.
    n_jobs : int or None
        Threads, in joblib's convention.
    progress : bool or callable
        Whether to show a bar, or a function told ``(done, total)`` after each sweep.
    description : str
        The text beside the bar.

    Returns
    -------
    list of read-only memory maps
    """
    with writing(folder, OUT):
        folder.mkdir(parents=True, exist_ok=True)
    named = [_contents(journal, sweep) for sweep in sweeps]
    paths = [_file(folder, contents) for contents in named]
    stacks = [_found(folder, journal, sweep, n_items) for sweep in sweeps]
    missing = [place for place, stack in enumerate(stacks) if stack is None]
    _check_disk([sweeps[place] for place in missing], n_items, folder)
    start = time.perf_counter()
    found = stacks_of([sweeps[place] for place in missing], data, n_jobs=n_jobs)
    before = len(sweeps) - len(missing)
    for number, stack in track(found, len(sweeps), progress, description, start=before):
        place = missing[number]
        paths[place].unlink(missing_ok=True)
        # First of all: after a kill between the two, the pass is made and noted again, and the
        # last note counts. The other way round, its seconds would be lost.
        journal.note_pass(place, time.perf_counter() - start)
        stacks[place] = write_npy(paths[place], named[place], stack, OUT)
        start = time.perf_counter()
    return [stack for stack in stacks if stack is not None]


def remove_stacks(folder: Path) -> None:
    """Delete the files once all folds are done, and the folder above if that leaves it empty."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()


def _file(folder: Path, contents: Contents) -> Path:
    return folder / f"pass-{contents.identity[:16]}.npy"


def _found(folder: Path, journal: Journal, sweep: Sweep, n_items: int) -> Array | None:
    """Map the stack of a pass that an earlier process left, or of the same one with more hops.

    The first matrices of a deeper pass are those of a shallower one.
    """
    contents = _contents(journal, sweep)
    found = read_npy(_file(folder, contents), contents, n_items, OUT)
    if found is not None or not isinstance(sweep, StarSweep):
        return found
    n_hops = sweep.parameters["n_hops"]
    for deeper in range(n_hops + 1, n_hops + MORE_HOPS + 1):
        contents = _contents(journal, sweep, n_hops=deeper)
        found = read_npy(_file(folder, contents), contents, n_items, OUT)
        if found is not None:
            return found[:n_hops]
    return None


def _contents(journal: Journal, sweep: Sweep, **others: Any) -> Contents:
    """Return what the stack of a pass holds: graphs, kernel and parameters decide it.

    With other parameters than its own, where some are given.
    """
    parameters = {"kernel": sweep.kernel_name, **deciding({**sweep.parameters, **others})}
    identity = content_hash(FORMAT, journal.run["content"], repr(parameters))
    return Contents("Gram matrices that folds share", identity, parameters)


def _check_disk(missing: Sequence[Sweep], n_items: int, folder: Path) -> None:
    needed = sum(sweep.n_bytes(n_items) for sweep in missing)
    free = free_disk(folder)
    if needed + SPARE_BYTES > free:
        raise MemoryLimitError(
            f"The Gram matrices of {len(missing)} passes over {n_items} graphs or nodes take "
            f"{readable_bytes(needed)} in {folder}, where {readable_bytes(free)} are free and "
            f"{readable_bytes(SPARE_BYTES)} should stay so. Give {OUT} a folder on another disk "
            "(without out, it is that for temporary files, which the environment variable TMPDIR "
            "names), or use a smaller grid or dtype='float32'."
        )
