"""What kernel rivals share: a kernel in two steps, and the search that learns from it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, get_args

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Floats, Positions
from nask.choices import GramForm
from nask.estimators.averaged import Group, in_units
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import TakesGraphs, as_graphs
from nask.kernels.parameters import POSITIVE, is_integer, is_positive
from nask.learning.held_out import class_scores
from nask.learning.mixins import DecidesClasses
from nask.learning.svm import KernelSVM
from nask.learning.targets import class_codes, training_data
from nask.tuning.grid import Grid, settings
from nask.tuning.inner_folds import JudgedSVM
from nask.tuning.sweeps import DEFAULTS, LEARNING, Candidate, ChosenFunctions, LearnerGrid
from nask.tuning.tuned_classifier import TunedGraphClassifier

# Mean distances below this are rounding errors.
ROUNDING = 1e-12


class GraphKernel(TakesGraphs, TransformerMixin, BaseEstimator):
    """A kernel between graphs in two steps: a pass over all pairs, and a form given to its entries.

    The pass takes the time. Parameters named in ``form`` act on single entries after it, so that
    a search over them needs one pass. A subclass writes ``_fit``, ``_compare`` and, where it has
    such parameters, ``finish``. ``least`` has the smallest values of whole numbers, ``positive``
    the names of what must be above 0.
    """

    form: ClassVar[tuple[str, ...]] = ()
    least: ClassVar[tuple[tuple[str, int], ...]] = ()
    positive: ClassVar[tuple[str, ...]] = ()

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the training graphs, and learn what the kernel needs to know of them."""
        self.check_parameters()
        self._fit(as_graphs(X))
        return self

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        owner = type(self).__name__
        for name, least in self.least:
            value = getattr(self, name)
            if not is_integer(value) or value < least:
                expected = f"an int in the range [{least}, inf)"
                raise ParameterError.expected(name, owner, expected, value)
        for name in self.positive:
            if not is_positive(getattr(self, name)):
                raise ParameterError.expected(name, owner, POSITIVE, getattr(self, name))

    def compare(self, X: Any = None) -> Float64:
        """Result of the pass, graphs x training graphs; without graphs the training ones."""
        check_is_fitted(self)
        return self._compare(None if X is None else as_graphs(X))

    def unit(self, compared: Floats) -> float | None:
        """Unit of distance, from the result of a pass over the training graphs; None without."""
        return None

    def finish(self, compared: Float64, unit: float | None = None) -> Float64:
        """Kernel from the result of a pass, with the unit of the training graphs."""
        return compared

    def transform(self, X: Any) -> Float64:
        """Kernel between graphs and the training graphs."""
        return self.finish(self.compare(X))

    def fit_transform(self, X: Any, y: Any = None) -> Float64:
        """Kernel between the training graphs, symmetric to the last digit."""
        return self.fit(X).finish(self.compare())

    @abstractmethod
    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        """Set fitted attributes, whose names end in an underscore."""

    @abstractmethod
    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        """As :meth:`compare`."""


@dataclass(kw_only=True, eq=False, repr=False)
class NormalisedKernel(GraphKernel):
    r"""A kernel with K(G, G) = 1, which can be used as it is or in a Gaussian form.

    The form is that of :class:`nask.NASK`, so that every kernel has it: with m the mean of 1 - K
    over the training graphs and s the scale,

    .. math:: \exp(-s \, (1 - K(G, G')) / m).

    Parameters
    ----------
    gram : {"linear", "rbf"}, default="linear"
    gram_scale : float, default=1.0
    """

    gram: GramForm = "linear"
    gram_scale: float = 1.0

    form = ("gram", "gram_scale")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the training graphs, and learn what the kernel needs to know of them."""
        if hasattr(self, "unit_"):
            del self.unit_
        return super().fit(X)

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        owner = type(self).__name__
        if self.gram not in get_args(GramForm):
            raise ParameterError.expected("gram", owner, "'linear' or 'rbf'", self.gram)
        if not is_positive(self.gram_scale):
            raise ParameterError.expected("gram_scale", owner, POSITIVE, self.gram_scale)

    def transform(self, X: Any) -> Float64:
        """Kernel between graphs and the training graphs."""
        check_is_fitted(self)
        if not hasattr(self, "unit_") and self.gram == "rbf":
            self.unit_ = self.unit(self.compare())
        return self.finish(self.compare(X), self.unit_ if self.gram == "rbf" else None)

    def fit_transform(self, X: Any, y: Any = None) -> Float64:
        """Kernel between the training graphs, symmetric to the last digit."""
        compared = self.fit(X).compare()
        self.unit_ = self.unit(compared)
        return self.finish(compared, self.unit_)

    def unit(self, compared: Floats) -> float | None:
        """Mean of 1 - K over the training graphs; 1 if all are alike. None of a linear form."""
        if self.gram == "linear":
            return None
        mean = float(1 - np.mean(compared, dtype=np.float64))
        return mean if mean > ROUNDING else 1.0

    def finish(self, compared: Float64, unit: float | None = None) -> Float64:
        """Kernel from the result of a pass, with the unit of the training graphs."""
        if unit is None:
            return compared
        return np.asarray(np.exp((self.gram_scale / unit) * (compared - 1)))


def with_gaussian_forms(grid: Mapping[str, Sequence[Any]]) -> Grid:
    """Return a grid with the forms of the Gram matrix that the grid of NASK has.

    Examples
    --------
    >>> with_gaussian_forms({"n_iter": [1, 2]})
    [{'n_iter': [1, 2]}, {'n_iter': [1, 2], 'gram': ['rbf'], 'gram_scale': [1.0, 3.0]}]
    """
    return [dict(grid), {**grid, "gram": ["rbf"], "gram_scale": [1.0, 3.0]}]


@dataclass(frozen=True, eq=False)
class KernelSweep:
    """One pass of a kernel over all pairs of graphs, and the candidates that come out of it.

    Parameters
    ----------
    kernel : GraphKernel
        Unfitted.
    candidates : tuple of Candidate
    """

    kernel: GraphKernel
    candidates: tuple[Candidate, ...]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Those of the kernel."""
        found: dict[str, Any] = self.kernel.get_params(deep=False)
        return found

    @property
    def kernel_name(self) -> str:
        """Name of the kernel's class."""
        return type(self.kernel).__name__

    def compute(self, data: Any, n_jobs: int | None = None) -> Float64:
        """Result of the pass over a list of graphs, (n, n)."""
        return self.stack(self.fitted(data, n_jobs))

    @staticmethod
    def stack(kernel: Any) -> Float64:
        """Result of the pass of a fitted kernel, (n, n)."""
        compared: Float64 = kernel.compare()
        return compared

    def shares_pass(self, other: Any) -> bool:
        """Whether another sweep has the same pass."""
        return other is self

    def compute_all(
        self,
        sweeps: Sequence[KernelSweep],
        data: Any,
        items: Positions | None = None,
        n_jobs: int | None = None,
    ) -> Iterator[Float64]:
        """Result of each pass over all graphs, or over some of them."""
        some = data if items is None else [data[item] for item in items]
        for own in sweeps:
            yield own.compute(some, n_jobs)

    def only(self, candidates: Sequence[Candidate]) -> KernelSweep:
        """The same pass with some of its candidates."""
        return replace(self, candidates=tuple(candidates))

    def trimmed(self) -> KernelSweep:
        """The pass itself: all of it serves every candidate."""
        return self

    def fitted(self, data: Any, n_jobs: int | None = None) -> GraphKernel:
        """The kernel of the pass, fitted on graphs."""
        kernel: GraphKernel = clone(self.kernel)
        if "n_jobs" in self.parameters:
            kernel.set_params(n_jobs=n_jobs)
        return kernel.fit(data)

    def gram(self, stack: Floats, candidate: Candidate) -> Float64:
        """Gram matrix of a candidate from the result of the pass."""
        return self.finished(stack, candidate, self.unit(stack, candidate))

    def finished(self, compared: Floats, candidate: Candidate, unit: float | None) -> Float64:
        """Kernel of a candidate from a comparison with the training graphs, and their unit."""
        return self._formed(candidate).finish(np.asarray(compared, dtype=np.float64), unit)

    def unit(self, stack: Floats, candidate: Candidate) -> float | None:
        """Unit of distance of a candidate, from the result of the pass; None where it has none."""
        return self._formed(candidate).unit(stack)

    def _formed(self, candidate: Candidate) -> GraphKernel:
        kernel: GraphKernel = clone(self.kernel).set_params(**candidate.form)
        return kernel

    def group(
        self,
        kernel: Any,
        members: Sequence[ChosenFunctions],
        train: Positions | None,
        n_classes: int,
    ) -> Group:
        """Functions on forms of the fitted kernel of this pass, as a part of a classifier."""
        return RivalGroup(self, kernel, tuple(members), n_classes)

    @staticmethod
    def n_bytes(n_items: int) -> int:
        """Size of what ``compute`` returns."""
        return 8 * n_items**2


@dataclass(frozen=True, eq=False)
class RivalGroup:
    """Forms of one rival kernel, each with its functions.

    Parameters
    ----------
    sweep : KernelSweep
    kernel : GraphKernel
        Fitted on the training graphs.
    members : tuple of (Candidate, float or None, scheme, DecisionFunctions)
    n_classes : int
    """

    sweep: KernelSweep
    kernel: GraphKernel
    members: tuple[ChosenFunctions, ...]
    n_classes: int

    def scores(self, X: Any, *, execution: Execution) -> Float64:
        """Return the summed scores of the classes of graphs."""
        compared = self.kernel.compare(X)
        decided = [
            class_scores(
                functions.decide(self.sweep.finished(compared, candidate, unit)),
                scheme,
                self.n_classes,
            )
            for candidate, unit, scheme, functions in self.members
        ]
        return np.asarray(np.sum(decided, axis=0))

    def unit_grams(self, X: Any = None, *, execution: Execution) -> Iterable[Float64]:
        """Return each kernel between graphs and the training graphs, in units of its spread."""
        forms = {id(candidate): (candidate, unit) for candidate, unit, *_ in self.members}

        def grams(compared: Float64) -> Iterable[Float64]:
            return (self.sweep.finished(compared, *form) for form in forms.values())

        own = grams(self.kernel.compare())
        return in_units(own, None if X is None else grams(self.kernel.compare(X)))


@dataclass(kw_only=True, eq=False, repr=False)
class KernelSVC(DecidesClasses, TakesGraphs, BaseEstimator):
    """An SVM on a kernel.

    Parameters
    ----------
    kernel : GraphKernel
    C : float, default=1.0
        Penalty of training errors, on a Gram matrix centred and scaled to unit mean diagonal.

    Attributes
    ----------
    kernel_ : GraphKernel
        Fitted on the training graphs.
    functions_ : KernelSVM
    classes_ : ndarray
    """

    kernel: GraphKernel
    C: float = 1.0

    def fit(self, X: Any, y: Any, sample_weight: Float64 | None = None) -> Self:
        """Train on graphs and their classes, each with a weight above 0."""
        graphs, target = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target)
        self.kernel_: GraphKernel = clone(self.kernel)
        gram = self.kernel_.fit_transform(graphs)
        self.functions_ = KernelSVM.classify(gram, codes, self.C, sample_weight=sample_weight)
        return self

    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        check_is_fitted(self)
        gram = self.kernel_.transform(X)[:, self.functions_.support]
        return self.functions_.confidence(gram)


@dataclass(kw_only=True, eq=False, repr=False)
class KernelClassifier(TunedGraphClassifier):
    """A kernel whose parameters are chosen with those of a learner; a subclass says which kernel.

    The search and the learners are those of :class:`nask.TunedNASKClassifier`.

    Parameters
    ----------
    learner : {"ridge", "svm", "best"}, default="ridge"
        As in :class:`nask.TunedNASKClassifier`.
    grid : dict of lists by parameter, or list of such, default=None
        What to try; by default the grid beside the kernel, with C from 10^-3 to 10^3.
    inner : int, default=5
        Number of folds, for SVMs.
    scoring : str, default=None
        What chooses, as in :class:`nask.TunedNASKClassifier`.
    random_state : int, default=0
        Of the folds.
    n_jobs : int, default=None
        In joblib's convention.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    best_params_ : dict
        The values of the best setting, and how many are averaged.
    best_score_ : float
        Its score by leave-one-out, or on the folds.
    best_estimator_ : AveragedClassifier or KernelSVC
        Fitted on the training graphs.
    classes_ : ndarray
    seconds_kernel_, seconds_learning_ : float
    """

    grid: Grid | None = None

    kernel_type: ClassVar[type[GraphKernel]]
    default_grid: ClassVar[Grid] = {}

    def sweeps(self) -> list[KernelSweep]:
        """Return the passes that the grid needs."""
        grid = self.default_grid if self.grid is None else self.grid
        return kernel_sweeps(self.kernel_type, grid, type(self).__name__)

    def svm_estimator(self, best: JudgedSVM) -> KernelSVC:
        """Return the SVM on the best one's kernel, not yet fitted."""
        kernel = self.kernel_type(**best.candidate.parameters)
        if "n_jobs" in kernel.get_params(deep=False):
            kernel.set_params(n_jobs=self.n_jobs)
        return KernelSVC(kernel=kernel, C=best.C)

    def class_weight_by_code(self, classes: Array) -> None:
        """Return None: all classes have the same weight."""


def kernel_sweeps(kernel_type: type[GraphKernel], grid: Grid, owner: str) -> list[KernelSweep]:
    """Return the passes of a kernel over all pairs of graphs that a grid needs.

    Parameters
    ----------
    kernel_type : type
    grid : dict of lists by parameter, or list of such
    owner : str
        Whose grid it is, for messages.
    """
    kernel = kernel_type()
    learners = LearnerGrid(owner, DEFAULTS)
    passes: dict[str, list[dict[str, Any]]] = {}
    for setting in settings(grid, [*kernel.get_params(deep=False), *LEARNING], owner):
        chosen = {name: value for name, value in setting.items() if name not in LEARNING}
        kernel_type(**chosen).check_parameters()
        if learners.note(repr(chosen), setting):
            shared = {name: v for name, v in chosen.items() if name not in kernel.form}
            passes.setdefault(repr(shared), []).append(chosen)
    return [_kernel_sweep(kernel_type, entries, learners) for entries in passes.values()]


def _kernel_sweep(
    kernel_type: type[GraphKernel], entries: list[dict[str, Any]], learners: LearnerGrid
) -> KernelSweep:
    form = kernel_type.form
    candidates = tuple(
        Candidate(own, {k: v for k, v in own.items() if k in form}, **learners.values(repr(own)))
        for own in entries
    )
    shared = {k: v for k, v in entries[0].items() if k not in form}
    return KernelSweep(kernel_type(**shared), candidates)
