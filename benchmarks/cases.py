"""What is measured: each case is the work of one fresh process."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any

DATASETS = ("MUTAG", "PTC_MR", "BZR", "COX2", "ENZYMES", "PROTEINS_full", "NCI1", "DD")
WITH_NUMBERS = ("BZR", "COX2", "ENZYMES", "PROTEINS_full")
NESTED, BALL = "nask nested", "nask ball"
WL, PROPAGATION, HOPPER = "GraKeL WL", "GraKeL PropagationAttr", "GraKeL GraphHopper"
WWL = "WWL on POT"
METHODS = (NESTED, BALL, WL, PROPAGATION, HOPPER, WWL)

# WWL solves a transport problem for each pair of graphs, which takes hours on these sets.
WWL_GRAPHS = {"PROTEINS_full": 200, "NCI1": 300, "DD": 60}
THREADS = 2
# No case except those of GraphHopper should come near this.
HOUR = 3600.0

BASE = {"graphs": 200, "nodes": 32, "attributes": 16, "hops": 3, "threads": 1}
AXES: dict[str, tuple[int, ...]] = {
    "graphs": (50, 100, 200, 400, 800),
    "nodes": (8, 16, 32, 64, 128),
    "attributes": (4, 8, 16, 32, 64, 128),
    "hops": (1, 2, 3, 4, 6, 8),
    "threads": tuple(2**k for k in range((os.cpu_count() or 1).bit_length())),
}

FEATURE_BASE = {"nodes": 50_000, "degree": 10, "components": 384, "hops": 3, "threads": 1}
FEATURE_AXES: dict[str, tuple[int, ...]] = {
    "nodes": (25_000, 50_000, 100_000, 200_000),
    "degree": (5, 10, 20, 40),
    "components": (96, 192, 384, 768, 1536),
    "hops": (1, 2, 3, 4),
    "threads": AXES["threads"],
}
# As many people and friendships as the network Pokec has.
POKEC = {
    "n_nodes": 1_632_803, "degree": 27.32, "n_components": 768, "n_hops": 3, "memory_limit": "8GB",
}  # fmt: skip

# Rows and columns of a linear SVM.
LINEAR_SIZES = (
    ("Cora", 140, 512), ("Cora", 140, 4096), ("Cora", 1000, 512), ("Cora", 2708, 512),
    ("network", 1000, 512), ("network", 10_000, 512),
)  # fmt: skip
# Measured once, the last by our solver alone.
LARGE_LINEAR_SIZES = (("network", 50_000, 1024), ("network", 100_000, 1024))
PATH_SETS = ("MUTAG", "PTC_MR", "ENZYMES")
# Options that tell cases of one kind and subject apart.
SIZES = ("n_rows", "n_columns", "n_penalties", "n_repeats")


@dataclass(frozen=True)
class Case:
    """One measurement.

    Parameters
    ----------
    work : str
        What ``worker.py`` does: "gram", "first call", "threads", "scaling", "arithmetic",
        "feature scaling", "feature accuracy", "network", "linear solvers", "path solvers" or
        "ridge solvers".
    subject : str
        The dataset, or the quantity that is varied.
    method : str
        One of METHODS, for a Gram matrix.
    options : dict
        Further arguments of the function.
    """

    work: str
    subject: str = ""
    method: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Text that identifies the case."""
        return json.dumps(asdict(self), sort_keys=True)

    def __str__(self) -> str:
        parameters: dict[str, Any] = self.options.get("parameters", {})
        words = [f"{value} {name.removeprefix('n_')}" for name, value in parameters.items()]
        words += [f"{self.options[name]} {name[2:]}" for name in SIZES if name in self.options]
        what = ", ".join([self.method or self.work, *words])
        return f"{what} on {self.subject}" if self.subject else what


def all_cases() -> list[Case]:
    """Return everything that ``make bench`` measures, small sets first."""
    cases = []
    for name in DATASETS:
        cases.append(_nask(NESTED, name, n_hops=2 if name == "DD" else 3))
        if name in ("NCI1", "DD"):
            cases.append(_nask(BALL, name, n_hops=5 if name == "NCI1" else 3))
        cases.append(_gram(WL, name))
        if name in WITH_NUMBERS:
            cases.append(_gram(PROPAGATION, name))
        cases.append(_gram(HOPPER, name, limit=120.0))
        cases.append(_gram(WWL, name, n_graphs=WWL_GRAPHS.get(name)))
    cases += [Case("first call", name, options={"repeats": 5}) for name in ("MUTAG", "BZR")]
    cases.append(Case("threads", "ENZYMES", options={"n_hops": 3, "pairs": 9}))
    for axis, values in AXES.items():
        cases.append(Case("scaling", axis, options={"values": values, "base": BASE, "repeats": 3}))
    cases.append(Case("arithmetic", options={"n_graphs": 40, "n_nodes": 200, "repeats": 5}))
    for axis, values in FEATURE_AXES.items():
        options = {"values": values, "base": FEATURE_BASE, "repeats": 3}
        cases.append(Case("feature scaling", axis, options=options))
    chosen = {"gamma": 2.0, "gamma_star": 8.0, "n_hops": 3}
    options = {"parameters": chosen, "components": (1024, 4096), "seeds": 4, "repeats": 3}
    cases.append(Case("feature accuracy", "ENZYMES", options=options))
    cases.append(Case("network", options=POKEC))
    cases += [_linear(*size) for size in LINEAR_SIZES]
    large, largest = LARGE_LINEAR_SIZES
    cases += [_linear(*large, turns=1), _linear(*largest, turns=1, peer=False)]
    cases += [_path(name, n, turns=5) for name in PATH_SETS for n in (3, 7)]
    cases += [_ridge(name, n, turns=5) for name in PATH_SETS for n in (1, 10)]
    return cases


def quick_cases() -> list[Case]:
    """Return every kind of case on a few graphs of embedded sets: a fast check, no measurement."""
    few: dict[str, Any] = {"n_graphs": 12, "repeats": 2}
    cases = [
        _nask(NESTED, "MUTAG", n_hops=3, **few),
        _nask(BALL, "MUTAG", n_hops=3, **few),
        _gram(WL, "MUTAG", **few),
        _gram(HOPPER, "MUTAG", **few | {"limit": 0.001}),
        _gram(WWL, "MUTAG", **few),
        _gram(PROPAGATION, "Cuneiform", **few),
        Case("first call", "MUTAG", options={"repeats": 1, "n_graphs": 12}),
    ]
    cases.append(Case("threads", "MUTAG", options={"n_hops": 2, "pairs": 2}))
    small = BASE | {"graphs": 10, "nodes": 8, "attributes": 2}
    options = {"values": (4, 8, 16), "base": small, "repeats": 1}
    cases.append(Case("scaling", "graphs", options=options))
    cases.append(Case("arithmetic", options={"n_graphs": 10, "n_nodes": 40, "repeats": 1}))
    few_nodes = FEATURE_BASE | {"nodes": 200, "components": 48}
    options = {"values": (100, 200, 400), "base": few_nodes, "repeats": 1}
    cases.append(Case("feature scaling", "nodes", options=options))
    options = {"parameters": {"n_hops": 2}, "components": (64,), "seeds": 1, "repeats": 1}
    cases.append(Case("feature accuracy", "MUTAG", options=options))
    cases.append(Case("network", options=POKEC | {"n_nodes": 2000, "n_components": 96}))
    cases += [_linear("network", 300, 32, turns=2), _path("MUTAG", 2, turns=1)]
    cases += [_ridge("MUTAG", 1, turns=1)]
    return cases


def _gram(method: str, dataset: str, **options: Any) -> Case:
    given = {"parameters": {}, "n_graphs": None, "repeats": 5, "limit": HOUR} | options
    return Case("gram", dataset, method, given)


def _nask(method: str, dataset: str, *, n_hops: int, n_jobs: int = THREADS, **options: Any) -> Case:
    return _gram(method, dataset, parameters={"n_hops": n_hops, "n_jobs": n_jobs}, **options)


def _linear(rows: str, n_rows: int, n_columns: int, turns: int = 3, *, peer: bool = True) -> Case:
    options = {"n_rows": n_rows, "n_columns": n_columns, "C": 10.0, "turns": turns, "peer": peer}
    return Case("linear solvers", rows, options=options)


def _path(dataset: str, n_penalties: int, turns: int) -> Case:
    return Case("path solvers", dataset, options={"n_penalties": n_penalties, "turns": turns})


def _ridge(dataset: str, n_repeats: int, turns: int) -> Case:
    return Case("ridge solvers", dataset, options={"n_repeats": n_repeats, "turns": turns})
