"""A race of candidates over inner folds: who cannot win any more does not run on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from nask.estimators.support import Centring, most_confident
from nask.exceptions import ParameterError
from nask.tuning.path import ClassWeight, penalty_path
from nask.tuning.sweeps import Candidate

Floats = npt.NDArray[np.floating]
Positions = npt.NDArray[np.intp]
# Standard errors that a candidate may lie behind the leader on the folds both have run.
BEHIND = 2.0


class Sweep(Protocol):
    """A stack of matrices from one pass over the graphs, and the candidates made from it."""

    @property
    def parameters(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def candidates(self) -> tuple[Candidate, ...]: ...  # noqa: D102
    def gram(self, stack: Floats, candidate: Candidate) -> Floats: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Choice:
    """The leader of a race.

    Parameters
    ----------
    sweep, candidate, C
        What was chosen.
    right : ndarray of bool
        Of each training graph, whether it was classified rightly when it was held out.
    """

    sweep: Sweep
    candidate: Candidate
    C: float
    right: npt.NDArray[np.bool_]

    @property
    def score(self) -> float:
        """Accuracy on the inner folds."""
        return float(self.right.mean())

    @property
    def parameters(self) -> dict[str, Any]:
        """The chosen values, C included."""
        return {**self.candidate.parameters, "C": self.C}


class Race:
    """The best of the candidates seen so far, judged by cross-validation of a training set.

    A candidate runs fold by fold and is stopped as soon as it has made more errors than the
    leader made in all, or lies more than two standard errors behind it on the graphs both have
    classified (a paired comparison). Candidates of one sweep run against the leader of those
    before, in any number of threads; ties go to the earlier. The outcome does not depend on
    the number of threads.

    Parameters
    ----------
    codes : ndarray of shape (n_train,)
        Class of each training graph, numbered from 0.
    inner : int
        Number of folds; fewer where a class has fewer graphs.
    class_weight : dict, "balanced" or None
        As in scikit-learn's SVC.
    random_state : int
        Of the folds.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> import nask
    >>> from nask.tuning.sweeps import star_sweeps
    >>> mutag = nask.load_dataset("MUTAG")
    >>> race = Race((mutag.y > 0).astype(np.intp), inner=3)
    >>> for sweep in star_sweeps(nask.NASK(), 1.0, {"gamma": [0.1, 1.0], "C": [1, 10]}):
    ...     race.enter(sweep, sweep.compute(mutag.graphs))
    >>> sorted(race.leader.parameters), bool(race.leader.score > 0.8)
    (['C', 'gamma'], True)
    """

    def __init__(
        self,
        codes: Positions,
        inner: int = 5,
        class_weight: ClassWeight = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        smallest = int(np.bincount(codes).min())
        if smallest < 2:
            raise ParameterError(
                "Choosing parameters by cross-validation needs two training graphs or more of "
                "each class, but a class has one. Leave it out, or use NASKClassifier."
            )
        folds = StratifiedKFold(min(inner, smallest), shuffle=True, random_state=random_state)
        self._codes = codes
        self._splits: list[tuple[Positions, Positions]] = list(folds.split(codes, codes))
        self._class_weight = class_weight
        self._n_jobs = n_jobs
        self._leader: Choice | None = None

    @property
    def leader(self) -> Choice:
        """The best so far."""
        if self._leader is None:
            raise ParameterError("The grid has no candidates: expected one setting at least.")
        return self._leader

    def enter(self, sweep: Sweep, stack: Floats, rows: Positions | None = None) -> None:
        """Let the candidates of a sweep run.

        Parameters
        ----------
        sweep : Sweep
        stack : ndarray
            What its pass over the graphs gave.
        rows : ndarray of int, optional
            Positions of the training graphs in the stack, where that holds others too.
        """
        run = Parallel(n_jobs=self._n_jobs, prefer="threads")
        tasks = (delayed(self._run)(sweep, stack, rows, entrant) for entrant in sweep.candidates)
        for candidate, finished in zip(sweep.candidates, run(tasks), strict=True):
            for C, right in finished:
                if self._leader is None or right.sum() > self._leader.right.sum():
                    self._leader = Choice(sweep, candidate, C, right)

    def predict(
        self, gram: Floats, codes: Positions, train: Positions, test: Positions
    ) -> Positions:
        """Classes of test graphs, learned with the leader's C from a Gram of its candidate."""
        [predicted] = predictions(gram, codes, train, test, [self.leader.C], self._class_weight)
        return predicted

    def _run(
        self, sweep: Sweep, stack: Floats, rows: Positions | None, candidate: Candidate
    ) -> list[tuple[float, npt.NDArray[np.bool_]]]:
        """Which training graphs each C that reached the end classified rightly."""
        gram = sweep.gram(stack, candidate)
        gram = gram if rows is None else gram[np.ix_(rows, rows)]
        right = {C: np.zeros(len(self._codes), dtype=bool) for C in candidate.C}
        running = list(candidate.C)
        tested = np.zeros(len(self._codes), dtype=bool)
        for train, test in self._splits:
            tested[test] = True
            for C, predicted in zip(
                running,
                predictions(gram, self._codes, train, test, running, self._class_weight),
                strict=True,
            ):
                right[C][test] = predicted == self._codes[test]
            running = [C for C in running if not self._is_beaten(right[C], tested)]
            if not running:
                break
        return [(C, right[C]) for C in running]

    def _is_beaten(self, right: npt.NDArray[np.bool_], tested: npt.NDArray[np.bool_]) -> bool:
        if self._leader is None:
            return False
        leader = self._leader.right
        lost = int(np.count_nonzero(leader & ~right & tested))
        won = int(np.count_nonzero(right & ~leader))
        errors = int(np.count_nonzero(tested & ~right))
        hopeless = errors > int(np.count_nonzero(~leader))
        return hopeless or lost - won > BEHIND * (lost + won) ** 0.5


def predictions(
    gram: Floats,
    codes: Positions,
    train: Positions,
    test: Positions,
    penalties: Sequence[float],
    class_weight: ClassWeight,
) -> Iterator[Positions]:
    """Numbers of the test graphs' classes for each C, in ascending order, learned from the others.

    All classes have to be among the training graphs.
    """
    square = gram[np.ix_(train, train)]
    centring = Centring.fit(square)
    new = centring.apply(gram[np.ix_(test, train)])
    n_classes = int(codes.max()) + 1
    for machine in penalty_path(centring.apply(square), codes[train], penalties, class_weight):
        yield most_confident(machine.decide(new), n_classes)
