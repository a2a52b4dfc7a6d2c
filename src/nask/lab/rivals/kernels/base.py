"""What kernel rivals share: a kernel in two steps, and the machine that learns from it."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from nask.estimators.machine import training_data
from nask.exceptions import ParameterError
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.kernels.parameters import POSITIVE, is_integer, is_positive
from nask.learning.support import Centring, SupportMachine, class_confidence, most_confident
from nask.learning.targets import class_codes
from nask.tuning.grid import Grid, settings
from nask.tuning.race import Race, Splits, refuse_single_members
from nask.tuning.sweeps import Candidate

Floats = npt.NDArray[np.float64]
# The paper's penalties, 10^-3 to 10^3.
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3)


class GraphKernel(TransformerMixin, BaseEstimator):
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

    def compare(self, X: Any = None) -> Floats:
        """Result of the pass, graphs x training graphs; without graphs the training ones."""
        check_is_fitted(self)
        return self._compare(None if X is None else as_graphs(X))

    def finish(self, compared: Floats) -> Floats:
        """Kernel from the result of a pass."""
        return compared

    def transform(self, X: Any) -> Floats:
        """Kernel between graphs and the training graphs."""
        return self.finish(self.compare(X))

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Kernel between the training graphs, symmetric to the last digit."""
        return self.fit(X).finish(self.compare())

    @abstractmethod
    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        """Set fitted attributes, whose names end in an underscore."""

    @abstractmethod
    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Floats:
        """As :meth:`compare`."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


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

    def compute(self, data: Any, n_jobs: int | None = None) -> Floats:
        """Result of the pass over a list of graphs, (n, n)."""
        return self.fitted(data, n_jobs).compare()

    def fitted(self, data: Any, n_jobs: int | None = None) -> GraphKernel:
        """The kernel of the pass, fitted on graphs."""
        kernel: GraphKernel = clone(self.kernel)
        if "n_jobs" in self.parameters:
            kernel.set_params(n_jobs=n_jobs)
        return kernel.fit(data)

    def gram(self, stack: npt.NDArray[np.floating], candidate: Candidate) -> Floats:
        """Gram matrix of a candidate from the result of the pass."""
        kernel: GraphKernel = clone(self.kernel).set_params(**candidate.form)
        return kernel.finish(np.asarray(stack, dtype=np.float64))

    @staticmethod
    def n_bytes(n_items: int) -> int:
        """Size of what ``compute`` returns."""
        return 8 * n_items**2


@dataclass(kw_only=True, eq=False, repr=False)
class KernelClassifier(ClassifierMixin, BaseEstimator):
    """A support vector machine on a kernel whose parameters are chosen on folds of the training
    graphs; a subclass says which kernel.

    The search and the machine are those of :class:`nask.TunedNASKClassifier`: the Gram matrix is
    centred and scaled to unit mean diagonal, and C is chosen with the kernel's parameters.

    Parameters
    ----------
    grid : dict of lists by parameter, or list of such, default=None
        What to try; by default the grid beside the kernel, with C from 10^-3 to 10^3.
    inner : int, default=5
        Number of folds.
    random_state : int, default=0
        Of the folds.
    n_jobs : int, default=None
        In joblib's convention.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    best_params_ : dict
        The chosen values of what the grid varies, and of C.
    best_score_ : float
        Their accuracy on the folds.
    kernel_ : GraphKernel
        The chosen kernel, fitted on the training graphs.
    classes_ : ndarray
    seconds_kernel_, seconds_learning_ : float
    """

    grid: Grid | None = None
    inner: int = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: Progress = False

    kernel_type: ClassVar[type[GraphKernel]]
    default_grid: ClassVar[Grid] = {}

    def sweeps(self) -> list[KernelSweep]:
        """Return the passes that the grid needs."""
        kernel = self.kernel_type()
        form = kernel.form
        passes: dict[str, list[dict[str, Any]]] = {}
        grid = self.default_grid if self.grid is None else self.grid
        known = [*kernel.get_params(deep=False), "C"]
        owner = type(self).__name__
        for setting in settings(grid, known, owner):
            chosen = {name: value for name, value in setting.items() if name != "C"}
            self.kernel_type(**chosen).check_parameters()
            if not is_positive(setting.get("C", 1.0)):
                raise ParameterError.expected("C", owner, POSITIVE, setting["C"])
            shared = {name: value for name, value in setting.items() if name not in (*form, "C")}
            passes.setdefault(repr(shared), []).append(setting)
        return [self._sweep(entries) for entries in passes.values()]

    def _sweep(self, entries: list[dict[str, Any]]) -> KernelSweep:
        form = self.kernel_type.form
        penalties: dict[str, tuple[dict[str, Any], set[float]]] = {}
        for setting in entries:
            chosen = {name: value for name, value in setting.items() if name != "C"}
            own = penalties.setdefault(repr(chosen), (chosen, set()))[1]
            own.update([setting["C"]] if "C" in setting else PENALTIES)
        candidates = tuple(
            Candidate(chosen, {k: v for k, v in chosen.items() if k in form}, tuple(sorted(own)))
            for chosen, own in penalties.values()
        )
        shared = {k: v for k, v in entries[0].items() if k not in (*form, "C")}
        return KernelSweep(self.kernel_type(**shared), candidates)

    def race(
        self,
        codes: npt.NDArray[np.intp],
        classes: npt.NDArray[Any],
        n_jobs: int | None = None,
        splits: Splits | None = None,
    ) -> Race:
        """Return the judge of candidates; see :meth:`nask.TunedNASKClassifier.race`."""
        if not is_integer(self.inner) or self.inner < 2:
            expected = "an int in the range [2, inf)"
            raise ParameterError.expected("inner", type(self).__name__, expected, self.inner)
        if splits is None:
            refuse_single_members(codes, classes)
        return Race(codes, self.inner, None, self.random_state, n_jobs, splits)

    @staticmethod
    def class_weight_by_code(classes: npt.NDArray[Any]) -> None:
        """Return None: all classes have the same weight."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose, then train on all graphs and their classes."""
        graphs, target = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target)
        race = self.race(codes, self.classes_, self.n_jobs)
        sweeps = self.sweeps()
        self.seconds_kernel_ = self.seconds_learning_ = 0.0
        kernels, results = [], []
        for sweep in track(sweeps, len(sweeps), self.verbose, "Tuning"):
            start = time.perf_counter()
            kernels.append(sweep.fitted(graphs, self.n_jobs))
            results.append(kernels[-1].compare())
            between = time.perf_counter()
            race.enter(sweep, results[-1])
            self.seconds_kernel_ += between - start
            self.seconds_learning_ += time.perf_counter() - between
        winner = race.winner()
        self.best_params_, self.best_score_ = winner.parameters, winner.score
        number = list[Any](sweeps).index(winner.sweep)
        self.kernel_ = kernels[number].set_params(**winner.candidate.form)
        gram = self.kernel_.finish(results[number])
        centring = Centring.fit(gram)
        model = SVC(kernel="precomputed", C=winner.C).fit(centring.apply(gram), codes)
        self.support_ = np.asarray(model.support_)
        self._machine = SupportMachine.from_libsvm(model, centring)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        return class_confidence(self._decide(X), len(self.classes_))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Most confident class of each graph."""
        decisions = self._decide(X)
        return np.asarray(self.classes_[most_confident(decisions, len(self.classes_))])

    def _decide(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._machine.decide(self.kernel_.transform(X)[:, self.support_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags
