"""A grid cut into passes: Grams that differ only in how hops are put together are computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, get_args

import numpy as np

from nask.arrays import Floats, Positions
from nask.choices import Multiclass
from nask.estimators.averaged import GraphGroup, Group, Member
from nask.exceptions import ParameterError
from nask.kernels.fitted import FittedKernel
from nask.kernels.forms import gram_of_hops, unit_of_hops
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, StarKernelParameters, is_positive
from nask.learning.decisions import DecisionFunctions
from nask.learning.ridge import ALPHAS
from nask.tuning.grid import Grid, settings

# Parameters that say how the hops' Grams are put together, after the pass over all graphs.
FORM = ("n_hops", "hop_weights", "normalize", "gram", "gram_scale")


# Of an SVM where the grid does not say: the paper's, 10^-3 to 10^3.
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3)
DEFAULTS: Mapping[str, tuple[Any, ...]] = {
    "C": PENALTIES,
    "alpha": ALPHAS,
    "multiclass": get_args(Multiclass),
}
# Parameters of what learns from a Gram matrix.
LEARNING = ("C", "alpha", "multiclass")


@dataclass(frozen=True)
class Candidate:
    """A setting of the kernel's parameters, and what to try of the learners with it.

    Parameters
    ----------
    parameters : mapping
        Those the grid varies and that make a difference here: the scale of a Gaussian is not
        among those of a linear Gram, nor ``gamma_star`` of a single hop, nor ``gamma`` where only
        equal values match.
    form : mapping
        All of ``FORM``.
    C : tuple of float
        Penalties of an SVM, in ascending order.
    alpha : tuple of float
        Penalties of a ridge regression, in ascending order.
    multiclass : tuple of {"ovr", "ovo"}
        Its ways to tell several classes apart.
    """

    parameters: Mapping[str, Any]
    form: Mapping[str, Any]
    C: tuple[float, ...]
    alpha: tuple[float, ...] = ALPHAS
    multiclass: tuple[Multiclass, ...] = get_args(Multiclass)


# With the unit of distance of its form, and the scheme by which the functions tell classes apart.
ChosenFunctions = tuple[Candidate, float | None, Multiclass, DecisionFunctions]


class Sweep(Protocol):
    """One pass over the graphs, and the candidates whose Gram matrices are made from its result."""

    @property
    def parameters(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def kernel_name(self) -> str: ...  # noqa: D102
    @property
    def candidates(self) -> tuple[Candidate, ...]: ...  # noqa: D102
    def fitted(self, data: Any, n_jobs: int | None = None) -> Any: ...  # noqa: D102
    def stack(self, kernel: Any) -> Floats: ...  # noqa: D102
    def compute(self, data: Any, n_jobs: int | None = None) -> Floats: ...  # noqa: D102
    def n_bytes(self, n_items: int) -> int: ...  # noqa: D102
    def shares_pass(self, other: Sweep) -> bool: ...  # noqa: D102
    def compute_all(  # noqa: D102
        self,
        sweeps: Sequence[Any],
        data: Any,
        items: Positions | None = None,
        n_jobs: int | None = None,
    ) -> Iterator[Floats]: ...
    def only(self, candidates: Sequence[Candidate]) -> Self: ...  # noqa: D102
    def trimmed(self) -> Self: ...  # noqa: D102
    def gram(self, stack: Floats, candidate: Candidate) -> Floats: ...  # noqa: D102
    def unit(self, stack: Floats, candidate: Candidate) -> float | None: ...  # noqa: D102
    def group(  # noqa: D102
        self,
        kernel: Any,
        members: Sequence[ChosenFunctions],
        train: Positions | None,
        n_classes: int,
    ) -> Group: ...


def cut_to(sweep: Sweep, candidates: Sequence[Candidate]) -> Sweep:
    """Return the same pass with those of its candidates that are among some; maybe none is."""
    known = {id(own) for own in candidates}
    return sweep.only([own for own in sweep.candidates if id(own) in known])


def stacks_of(
    sweeps: Sequence[Sweep], data: Any, items: Positions | None = None, n_jobs: int | None = None
) -> Iterator[tuple[int, Floats]]:
    """Position of each sweep and what its pass gives; each pass is made once.

    So the order is that of the passes.

    Parameters
    ----------
    sweeps : sequence of Sweep
    data : list of AttributedGraph, or AttributedGraph
    items : ndarray, optional
        What is compared; all by default.
    n_jobs : int or None
    """
    left = dict(enumerate(sweeps))
    while left:
        first = next(iter(left.values()))
        group = [place for place, own in left.items() if first.shares_pass(own)]
        some = [left.pop(place) for place in group]
        yield from zip(group, first.compute_all(some, data, items, n_jobs), strict=True)


class LearnerGrid:
    """What a grid varies of the learners, per setting of the kernel.

    Parameters
    ----------
    owner : str
        Whose grid it is, for messages.
    defaults : mapping
        What to try where the grid does not say.

    Examples
    --------
    >>> learners = LearnerGrid("TunedNASKClassifier", {"C": (10.0,), "alpha": ALPHAS})
    >>> for setting in ({"gamma": 1.0, "C": 3.0}, {"gamma": 1.0, "C": 1.0}):
    ...     _ = learners.note("gamma 1", setting)
    >>> learners.values("gamma 1")["C"]
    (1.0, 3.0)
    """

    def __init__(self, owner: str, defaults: Mapping[str, tuple[Any, ...]]) -> None:
        self._owner, self._defaults = owner, defaults
        self._found: dict[str, dict[str, set[Any]]] = {}

    def note(self, key: str, setting: Mapping[str, Any]) -> bool:
        """Take down the values of a setting; tell whether the kernel is a new one."""
        new = key not in self._found
        own = self._found.setdefault(key, {name: set() for name in LEARNING})
        for name in LEARNING:
            if name in setting:
                self._check(name, setting[name])
                own[name].add(setting[name])
        return new

    def values(self, key: str) -> dict[str, tuple[Any, ...]]:
        """Return what to try with a kernel, in order."""
        found = self._found[key]
        return {
            name: tuple(sorted(found[name])) or default for name, default in self._defaults.items()
        }

    def _check(self, name: str, value: Any) -> None:
        if name == "multiclass":
            if value not in get_args(Multiclass):
                expected = f"one of {', '.join(map(repr, get_args(Multiclass)))}"
                raise ParameterError.expected(name, self._owner, expected, value)
        elif not is_positive(value):
            raise ParameterError.expected(name, self._owner, POSITIVE, value)


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

    @property
    def kernel_name(self) -> str:
        """Name of the kernel's class."""
        return self.kernel_type.__name__

    def fitted(self, data: Any, n_jobs: int | None = None) -> Any:
        """The kernel of the pass, fitted on a list of graphs, or on one network."""
        return self.kernel_type(**{**self.parameters, "n_jobs": n_jobs}).fit(data)

    @staticmethod
    def stack(kernel: Any) -> Floats:
        """Gram matrices of each hop, (n_hops, n, n), of a fitted kernel."""
        grams: Floats = kernel.hop_grams()
        return grams

    def shares_pass(self, other: Sweep) -> bool:
        """Whether the Gram matrices of another sweep come from the same pass."""
        return other is self

    def compute_all(
        self,
        sweeps: Sequence[Self],
        data: Any,
        items: Positions | None = None,
        n_jobs: int | None = None,
    ) -> Iterator[Floats]:
        """Gram matrices of each hop, for sweeps that share the pass.

        Parameters
        ----------
        sweeps : sequence of StarSweep
        data : list of AttributedGraph, or AttributedGraph
            With the ranges of attributes.
        items : ndarray, optional
            The graphs, or nodes, that are compared; all by default.
        n_jobs : int or None
        """
        for own in sweeps:
            if items is None:
                yield own.compute(data, n_jobs)
            else:
                kernel = own.kernel_type(**{**own.parameters, "n_jobs": n_jobs})
                some = FittedKernel.fit(kernel, data, items)
                yield some.hop_grams(some.graphs, None, kernel.execution())

    def only(self, candidates: Sequence[Candidate]) -> Self:
        """The same pass with some of its candidates."""
        return replace(self, candidates=tuple(candidates))

    def trimmed(self) -> Self:
        """The same pass without hops that no candidate has."""
        deepest = max(own.form["n_hops"] for own in self.candidates)
        return replace(self, parameters={**self.parameters, "n_hops": deepest})

    def compute(self, data: Any, n_jobs: int | None = None) -> Floats:
        """Gram matrices of each hop, (n_hops, n, n), of a list of graphs, or of one network."""
        return self.stack(self.fitted(data, n_jobs))

    def n_bytes(self, n_items: int) -> int:
        """Bytes of what ``compute`` returns for so many graphs or nodes."""
        itemsize = np.dtype(self.parameters["dtype"]).itemsize
        return int(self.parameters["n_hops"] * n_items**2 * itemsize)

    @staticmethod
    def gram(stack: Floats, candidate: Candidate) -> Floats:
        """Gram matrix of a candidate from the stack that ``compute`` returned."""
        return gram_of_hops(stack, **candidate.form)

    @staticmethod
    def unit(stack: Floats, candidate: Candidate) -> float | None:
        """Mean squared distance between two graphs, which a Gaussian form needs."""
        return unit_of_hops(stack, **candidate.form)

    def group(
        self,
        kernel: Any,
        members: Sequence[ChosenFunctions],
        train: Positions | None,
        n_classes: int,
    ) -> Group:
        """Functions on forms of the fitted kernel of this pass, as a part of a classifier.

        Parameters
        ----------
        kernel : NASK
            As :meth:`fitted` returned it.
        members : sequence of (Candidate, float or None, scheme, DecisionFunctions)
        train : ndarray or None
            Not for graphs, all of which are training graphs.
        n_classes : int
            1 for numbers.
        """
        forms = self.members(kernel.n_hops, members)
        return GraphGroup(kernel.fitted_, forms, n_classes, kernel.kernel_parameters())

    @staticmethod
    def members(n_hops: int, members: Sequence[ChosenFunctions]) -> tuple[Member, ...]:
        """The same with the form that each candidate gives to the hops of the pass."""
        found = []
        for candidate, unit, multiclass, functions in members:
            kernel = NASK(**candidate.form).form()
            missing = n_hops - len(kernel.hop_weights)
            form = replace(kernel, hop_weights=np.pad(kernel.hop_weights, (0, missing)))
            found.append(Member(form, unit, multiclass, functions))
        return tuple(found)


def star_sweeps(
    base: StarKernelParameters,
    grid: Grid,
    kind: type[StarSweep] = StarSweep,
    owner: str = "TunedNASKClassifier",
    **defaults: tuple[Any, ...],
) -> list[StarSweep]:
    """Cut a grid into passes.

    Parameters
    ----------
    base : StarKernelParameters
        Gives the parameters that the grid does not vary.
    grid : mapping of str to sequence, or sequence of such
    kind : type
        Of the passes: over graphs, or over nodes.
    owner : str
        Whose grid it is, for messages.
    **defaults : tuple
        What to try of the learners' parameters where the grid does not say.

    Examples
    --------
    >>> grid = {"gamma": [0.1, 1.0], "n_hops": [1, 2, 3], "gram": ["linear", "rbf"], "C": [1, 10]}
    >>> sweeps = star_sweeps(NASK(), grid)
    >>> [(sweep.parameters["gamma"], len(sweep.candidates)) for sweep in sweeps]
    [(0.1, 6), (1.0, 6)]
    """
    kernel, check = base.kernel_parameters(), kind.kernel_type
    learners = LearnerGrid(owner, {**DEFAULTS, **defaults})
    passes: dict[str, list[tuple[str, dict[str, Any], dict[str, Any]]]] = {}
    for setting in settings(grid, [*kernel, *LEARNING], owner):
        own = {name: value for name, value in setting.items() if name not in LEARNING}
        full = {**kernel, **own}
        check(**full).check_parameters()
        relevant = {name: value for name, value in full.items() if _matters(name, full)}
        key = repr(relevant)
        if learners.note(key, setting):
            varied = {name: value for name, value in own.items() if name in relevant}
            shared = repr({name: value for name, value in full.items() if name not in FORM})
            passes.setdefault(shared, []).append((key, full, varied))
    return [_sweep(kind, entries, learners) for entries in passes.values()]


def _matters(name: str, full: Mapping[str, Any]) -> bool:
    """Whether a parameter makes a difference to the Gram, given the others."""
    if name == "gram_scale":
        return bool(full["gram"] != "linear")
    if name == "gamma_star":
        return bool(full["expansion"] == "nested" and full["n_hops"] > 1)
    if name == "gamma":
        return bool(full["similarity"] != "one-hot")
    return True


def _sweep(
    kind: type[StarSweep],
    entries: list[tuple[str, dict[str, Any], dict[str, Any]]],
    learners: LearnerGrid,
) -> StarSweep:
    _, first, _ = entries[0]
    deepest = max(full["n_hops"] for _, full, _ in entries)
    candidates = tuple(
        Candidate(varied, {name: full[name] for name in FORM}, **learners.values(key))
        for key, full, varied in entries
    )
    plain = {"hop_weights": None, "normalize": True, "gram": "linear", "gram_scale": 1.0}
    return kind({**first, **plain, "n_hops": deepest}, candidates)
