"""A cell that is a time: one Gram matrix by one kernel, on one thread.

Processor time, not that of the clock: on one thread they are the same, unless other work runs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import nask
from nask.evaluation.environment import environment
from nask.evaluation.methods import named_method
from nask.evaluation.record_fields import COUNT, FLAG, NAMES, TIME, Kind, check_fields
from nask.evaluation.time_limit import run_within
from nask.exceptions import FormatError
from nask.execution.threads import one_blas_thread
from nask.io.dataset import Dataset
from nask.lab.experiments.evaluated import LIMIT, QUICK, few
from nask.lab.experiments.experiment import Place
from nask.messages import quoted
from nask.storage.replacing import replacing
from nask.storage.write_errors import writing

# The best of so many runs, as long as all of them take less than this many seconds.
MOST_RUNS, ENOUGH = 5, 60.0
# The fields of a record, and those of its time.
RECORD = {"run": NAMES, "time": NAMES, "environment": NAMES}
TIMED: Mapping[str, Kind] = {"seconds": TIME, "timeout": FLAG, "n_graphs": COUNT}
# So many graphs are compared first: code is compiled, and packages are loaded.
N_WARM = 4


@dataclass(frozen=True)
class GramTime:
    """The processor time of one Gram matrix.

    Parameters
    ----------
    seconds : float
        The best of some runs; the limit, by the clock, if none ended in time.
    timeout : bool
        Whether none did.
    n_graphs : int
    """

    seconds: float
    timeout: bool
    n_graphs: int


@dataclass(frozen=True)
class TimedGram:
    """One kernel on one set of graphs, on one thread, in a process of its own.

    Parameters
    ----------
    row, column : str
        How the table names them.
    dataset, method : str
        As ``nask.evaluate`` takes them; the kernel has its default parameters.
    folder : str
        Of the records, below that of all results.
    parameters : mapping
        Of nask: other parameters than the default ones.
    small : bool
        Whether a few graphs are enough.
    """

    row: str
    column: str
    dataset: str
    method: str
    folder: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    small: bool = False

    def quick(self) -> TimedGram:
        """Return the cell on a few graphs, with a record of its own."""
        return replace(self, folder=f"{QUICK}/{self.folder}", small=True)

    def find(self, place: Place) -> GramTime | None:
        """Return the time if it is recorded."""
        path = self._path(place)
        if not path.exists():
            return None
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            check_fields({"record": record}, {"record": NAMES})
            check_fields(record, RECORD)
            check_fields(record["time"], TIMED)
            if record["run"] != self._what():
                raise ValueError(f"is of {quoted(record['run'])}, expected {quoted(self._what())}")
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"{path} holds no time of this Gram matrix: it {error}. Restore it from a copy, or "
                "delete it; the time is then measured again."
            ) from error
        return GramTime(**record["time"])

    def run(self, place: Place) -> GramTime:
        """Measure it, and record it."""
        path = self._path(place)
        with writing(path, "--out"):
            path.parent.mkdir(parents=True, exist_ok=True)
        dataset = nask.load_dataset(self.dataset)
        assert isinstance(dataset, Dataset)
        graphs = few(dataset).graphs if self.small else dataset.graphs
        for _ in run_within(LIMIT, self._measure, path, graphs):
            pass
        # Not before: a run that is interrupted is no timeout.
        if not path.exists():
            self._record(path, GramTime(LIMIT, True, len(graphs)))
        found = self.find(place)
        assert found is not None
        return found

    def _measure(self, path: Path, graphs: Any) -> None:
        kernel = self.kernel()
        kernel.fit_transform(graphs[:N_WARM])
        taken: list[float] = []
        while len(taken) < MOST_RUNS and sum(taken) < ENOUGH:
            with one_blas_thread():
                start = time.process_time()
                kernel.fit_transform(graphs)
                taken.append(time.process_time() - start)
            self._record(path, GramTime(min(taken), False, len(graphs)))

    def kernel(self) -> Any:
        """The kernel, unfitted."""
        if self.method == "nask":
            return nask.NASK(n_jobs=1, **self.parameters)
        [sweep, *_] = named_method(self.method).sweeps()
        return type(sweep.kernel)()

    def _record(self, path: Path, found: GramTime) -> None:
        record = {"run": self._what(), "time": asdict(found), "environment": environment()}
        with replacing(path, "--out") as temporary:
            temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    def _what(self) -> dict[str, Any]:
        what = {"dataset": self.dataset, "method": self.method, **self.parameters}
        plain: dict[str, Any] = json.loads(json.dumps(what))
        return plain

    def _path(self, place: Place) -> Path:
        return place.folder / self.folder / f"{self.column}--{self.row}.json"
