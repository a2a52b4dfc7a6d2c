"""A grid cut into passes: Grams that differ only in how hops are put together are computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nask.arrays import Floats
from nask.exceptions import ParameterError
from nask.kernels.forms import gram_of_hops
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, StarKernelParameters, is_positive
from nask.tuning.grid import Grid, settings

# Parameters that say how the hops' Grams are put together, after the pass over all graphs.
FORM = ("n_hops", "hop_weights", "normalize", "gram", "gram_scale")


@dataclass(frozen=True)
class Candidate:
    """A setting of the kernel's parameters, and the penalties to try with it.

    Parameters
    ----------
    parameters : mapping
        Those the grid varies and that make a difference here: the scale of a Gaussian is not
        among those of a linear Gram, nor ``gamma_star`` of a single hop.
    form : mapping
        All of ``FORM``.
    C : tuple of float
        In ascending order.
    """

    parameters: Mapping[str, Any]
    form: Mapping[str, Any]
    C: tuple[float, ...]


@dataclass(frozen=True)
class StarSweep:
    """One pass over all pairs of graphs, and the candidates whose Grams come out of it.

    Parameters
    ----------
    parameters : mapping
        Of :class:`nask.NASK`, the deepest number of hops among the candidates included.
    candidates : tuple of Candidate
    """

    parameters: Mapping[str, Any]
    candidates: tuple[Candidate, ...]

    kernel_type: ClassVar[type[Any]] = NASK

    def compute(self, data: Any, n_jobs: int | None = None) -> Floats:
        """Gram matrices of each hop, (n_hops, n, n), of a list of graphs, or of one network."""
        kernel = self.kernel_type(**{**self.parameters, "n_jobs": n_jobs}).fit(data)
        grams: Floats = kernel.hop_grams()
        return grams

    def n_bytes(self, n_items: int) -> int:
        """Bytes of what ``compute`` returns for so many graphs or nodes."""
        itemsize = np.dtype(self.parameters["dtype"]).itemsize
        return int(self.parameters["n_hops"] * n_items**2 * itemsize)

    @staticmethod
    def gram(stack: Floats, candidate: Candidate) -> Floats:
        """Gram matrix of a candidate from the stack that ``compute`` returned."""
        return gram_of_hops(stack, **candidate.form)


def star_sweeps(
    base: StarKernelParameters,
    C: float,
    grid: Grid,
    kind: type[StarSweep] = StarSweep,
    owner: str = "TunedNASKClassifier",
) -> list[StarSweep]:
    """Cut a grid into passes.

    Parameters
    ----------
    base : StarKernelParameters
        Gives the parameters that the grid does not vary.
    C : float
        The penalty where the grid does not vary it.
    grid : mapping of str to sequence, or sequence of such
    kind : type
        Of the passes: over graphs, or over nodes.
    owner : str
        Whose grid it is, for messages.

    Examples
    --------
    >>> grid = {"gamma": [0.1, 1.0], "n_hops": [1, 2, 3], "gram": ["linear", "rbf"], "C": [1, 10]}
    >>> sweeps = star_sweeps(NASK(), 1.0, grid)
    >>> [(sweep.parameters["gamma"], len(sweep.candidates)) for sweep in sweeps]
    [(0.1, 6), (1.0, 6)]
    """
    kernel, check = base.kernel_parameters(), kind.kernel_type
    penalties: dict[str, set[float]] = {}
    passes: dict[str, list[tuple[str, dict[str, Any], dict[str, Any]]]] = {}
    for setting in settings(grid, [*kernel, "C"], owner):
        penalty = setting.pop("C", C)
        full = {**kernel, **setting}
        check(**full).check_parameters()
        if not is_positive(penalty):
            raise ParameterError.expected("C", owner, POSITIVE, penalty)
        relevant = {name: value for name, value in full.items() if _matters(name, full)}
        key = repr(relevant)
        if key not in penalties:
            varied = {name: value for name, value in setting.items() if name in relevant}
            shared = repr({name: value for name, value in full.items() if name not in FORM})
            passes.setdefault(shared, []).append((key, full, varied))
        penalties.setdefault(key, set()).add(penalty)
    return [_sweep(kind, entries, penalties) for entries in passes.values()]


def _matters(name: str, full: Mapping[str, Any]) -> bool:
    """Whether a parameter makes a difference to the Gram, given the others."""
    if name == "gram_scale":
        return bool(full["gram"] != "linear")
    if name == "gamma_star":
        return bool(full["expansion"] == "nested" and full["n_hops"] > 1)
    return True


def _sweep(
    kind: type[StarSweep],
    entries: list[tuple[str, dict[str, Any], dict[str, Any]]],
    penalties: dict[str, set[float]],
) -> StarSweep:
    _, first, _ = entries[0]
    deepest = max(full["n_hops"] for _, full, _ in entries)
    candidates = tuple(
        Candidate(varied, {name: full[name] for name in FORM}, tuple(sorted(penalties[key])))
        for key, full, varied in entries
    )
    plain = {"hop_weights": None, "normalize": True, "gram": "linear", "gram_scale": 1.0}
    return kind({**first, **plain, "n_hops": deepest}, candidates)
