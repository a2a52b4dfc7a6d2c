"""How fast nask is meant to be, as ratios within one run, and whether it is."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from cases import BALL, NESTED, PROPAGATION, THREADS, WL, WWL
from records import Record, Records

Value = Callable[[Records], float | None]


@dataclass(frozen=True)
class Target:
    """A bound on a measured value.

    Parameters
    ----------
    subject, quantity : str
        What is measured, in words.
    bound : float
        That the value may be at most, or must be at least.
    value : callable
        The value of a file of records, or None where something was not measured.
    unit : str
    at_least : bool
    """

    subject: str
    quantity: str
    bound: float
    value: Value
    unit: str = "x"
    at_least: bool = False

    @property
    def goal(self) -> str:
        """The bound in words."""
        return f"{'at least' if self.at_least else 'at most'} {self.bound:g} {self.unit}"

    def verdict(self, records: Records) -> tuple[str, str]:
        """The value, and "met" or by how much it is missed, as text."""
        value = self.value(records)
        if value is None:
            return "", "not measured"
        excess = self.bound / value if self.at_least else value / self.bound
        met = "met" if excess <= 1 else f"**missed by a factor of {excess:.2f}**"
        return f"{value:.3g} {self.unit}", met


def _gram(
    records: Records, method: str, dataset: str, n_hops: int = 3, n_jobs: int = THREADS
) -> Record | None:
    parameters = {"n_hops": n_hops, "n_jobs": n_jobs} if method in (NESTED, BALL) else {}
    record: Record | None = records.find("gram", dataset, method, **parameters)
    return record


def _times(dataset: str, method: str, peer: str, n_hops: int = 3) -> Value:
    """Seconds of nask, as a multiple of a peer's."""

    def value(records: Records) -> float | None:
        own = _seconds(_gram(records, method, dataset, n_hops))
        other = _seconds(_gram(records, peer, dataset))
        return own / other if own and other else None

    return value


def _faster(dataset: str, peer: str) -> Value:
    """How many times faster than a peer nask is."""
    ratio = _times(dataset, NESTED, peer)

    def value(records: Records) -> float | None:
        times = ratio(records)
        return 1 / times if times else None

    return value


def _memory(dataset: str, method: str, n_hops: int, peer: str = "") -> Value:
    """Peak memory in GB, or as a multiple of a peer's."""

    def value(records: Records) -> float | None:
        own = _peak(_gram(records, method, dataset, n_hops))
        other = _peak(_gram(records, peer, dataset)) if peer else 1000.0
        return own / other if own and other else None

    return value


def _speed_up(records: Records) -> float | None:
    record = records.find("threads", "ENZYMES")
    if record is None or record.failed:
        return None
    return float(statistics.median(one / two for one, two in record.result["seconds"]))


def _first_call(records: Records) -> float | None:
    found = [records.find("first call", name) for name in ("MUTAG", "BZR")]
    if any(record is None or record.failed for record in found):
        return None
    return max(float(record.result["first"] - record.result["later"]) for record in found)


def _arithmetic(records: Records) -> float | None:
    record = records.find("arithmetic")
    if record is None or record.failed:
        return None
    return float(record.result["peak_gflops"] / record.result["p_gflops"])


def _seconds(record: Record | None) -> float | None:
    return None if record is None else record.seconds()


def _peak(record: Record | None) -> float | None:
    return None if record is None else record.result.get("peak_mb")


ENZYMES = "ENZYMES, 19 attributes, nested, 3 hops"
PROTEINS = "PROTEINS_full, 30 attributes, nested, 3 hops"
TIME, FASTER = "time against", "faster than"
TARGETS = (
    Target(ENZYMES, f"{TIME} {PROPAGATION}", 0.5, _times("ENZYMES", NESTED, PROPAGATION)),
    Target(ENZYMES, f"{FASTER} {WWL}", 40, _faster("ENZYMES", WWL), at_least=True),
    Target(PROTEINS, f"{TIME} {PROPAGATION}", 0.5, _times("PROTEINS_full", NESTED, PROPAGATION)),
    Target("BZR, nested, 3 hops", f"{FASTER} {WWL}", 20, _faster("BZR", WWL), at_least=True),
    Target("COX2, nested, 3 hops", f"{FASTER} {WWL}", 20, _faster("COX2", WWL), at_least=True),
    Target("NCI1, nested, 3 hops", f"{TIME} {WL}", 1, _times("NCI1", NESTED, WL)),
    Target("NCI1, nested, 3 hops", f"memory against {WL}", 0.5, _memory("NCI1", NESTED, 3, WL)),
    Target("NCI1, ball, 5 hops", f"{TIME} {WL}", 0.5, _times("NCI1", BALL, WL, n_hops=5)),
    Target("DD, ball, 3 hops", f"{TIME} {WL}", 1, _times("DD", BALL, WL)),
    Target("DD, nested, 2 hops", "peak memory", 8, _memory("DD", NESTED, 2), unit="GB"),
    Target("ENZYMES, 2 threads", "faster than 1 thread", 1.7, _speed_up, at_least=True),
    Target("first call in a process", "overhead, compiled code cached", 1, _first_call, unit="s"),
    Target("numerical P stage", "rate of a matrix product against its own", 4, _arithmetic),
)  # fmt: skip
