"""A league of methods over many sets: who is first, how sure that is, and what it would take."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from nask.arrays import Float64
from nask.evaluation.compare import differences_of, shared_folds
from nask.evaluation.methods import SUFFIXES
from nask.evaluation.ranking import dataset_ranks
from nask.evaluation.records import Evaluation
from nask.evaluation.results import read_results
from nask.evaluation.run_folds import better_folds
from nask.evaluation.significance import corrected_error, corrected_t_test
from nask.exceptions import ParameterError, did_you_mean
from nask.learning.scores import ACCURACY
from nask.messages import listed, quoted

# Collections of sets that are drawn to see how far average ranks could have come out differently.
N_DRAWS = 10_000
# Two-sided level and power of the test whose number of sets is told.
LEVEL, POWER = 0.05, 0.8


@dataclass(frozen=True)
class Duel:
    """The reference against another method on one set.

    Accuracies and their differences are fractions.

    Parameters
    ----------
    difference : float
        Accuracy of the reference minus that of the other, the mean over shared folds.
    error : float
        Its standard error, corrected for the overlap of training sets; NaN for a single fold.
    p : float
        Of the corrected resampled t-test; 1 for a single fold.
    """

    difference: float
    error: float
    p: float

    @property
    def outcome(self) -> int:
        """1 where the reference is significantly better, -1 where it is worse, else 0."""
        return 0 if self.p > LEVEL else int(math.copysign(1, self.difference))


@dataclass(frozen=True)
class Standing:
    """One method in the league.

    Parameters
    ----------
    method : str
    accuracy : float
        Mean over sets of its mean accuracies.
    rank : float
        Average rank over sets; 1 is the best there can be.
    rank_interval : (float, float)
        95 % of the average ranks on collections of as many sets, drawn from these with repetition.
    first : float
        Share of these collections on which no method has a better average rank.
    difference, error : float
        Accuracy of the reference minus its own, mean over sets and standard error over sets.
    wins, ties, losses : int
        Sets on which the reference is significantly better, as good, or worse.
    ahead : int
        Sets on which the accuracy of the reference is higher, significantly or not.
    sets_needed : float
        Number of sets on which the difference of the two average ranks would be significant, with
        a probability of 80 %, if all sets were like these; infinite where the ranks are equal.
    """

    method: str
    accuracy: float
    rank: float
    rank_interval: tuple[float, float]
    first: float
    difference: float
    error: float
    wins: int
    ties: int
    losses: int
    ahead: int
    sets_needed: float


@dataclass(frozen=True)
class League:
    """Methods over many sets. Made by :func:`league`.

    Parameters
    ----------
    reference : str
        What the others are compared with.
    datasets : tuple of str
    standings : tuple of Standing
        Of the methods that were run on all sets, the best average rank first.
    results : mapping of (dataset, method) to Evaluation
    duels : mapping of (dataset, method) to Duel
        Of all methods but the reference; without those that did not end in time.
    unranked : mapping of str to tuple of str
        Methods that are not in the standings, and the sets they would have needed.
    """

    reference: str
    datasets: tuple[str, ...]
    standings: tuple[Standing, ...]
    results: Mapping[tuple[str, str], Evaluation]
    duels: Mapping[tuple[str, str], Duel]
    unranked: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        places = [standing.method for standing in self.standings]
        place = places.index(self.reference) + 1
        return (
            f"League({self.reference} has place {place} of {len(places)} on {len(self.datasets)} "
            "sets)"
        )


def league(
    results: str | os.PathLike[str] | Iterable[Evaluation], reference: str = "nask"
) -> League:
    """Rank methods over all sets they share, and say how sure the ranks are.

    Parameters
    ----------
    results : folder, or iterable of Evaluation
        Of one protocol per set: folds are shared. Those with another score than accuracy, or on
        numbers, are left out.
    reference : str, default="nask"
        The method that all others are compared with.

    Examples
    --------
    >>> import nask
    >>> from sklearn.dummy import DummyClassifier
    >>> mutag = nask.load_dataset("MUTAG")
    >>> half = nask.Dataset("half", mutag.graphs[::2], mutag.y[::2])
    >>> models = nask.NASKClassifier(n_hops=1), DummyClassifier()
    >>> found = [nask.evaluate(m, d, folds=5, repeats=1) for m in models for d in (mutag, half)]
    >>> found = league(found, reference="NASKClassifier")
    >>> found
    League(NASKClassifier has place 1 of 2 on 2 sets)
    >>> found.standings[1].method, found.standings[1].ahead, found.standings[1].first
    ('DummyClassifier', 2, 0.0)
    """
    given = read_results(results) if isinstance(results, str | os.PathLike) else list(results)
    # By accuracy: runs with other scores, or on numbers, have no part in the same ranks.
    given = [own for own in given if own.scoring == ACCURACY.name]
    found = {(own.dataset, own.method): own for own in given}
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in found))
    methods = sorted({method for _, method in found})
    if reference not in methods:
        hint = did_you_mean(reference, methods)
        raise ParameterError(f"There is no result of the reference {quoted(reference)}. {hint}")
    missing = {
        method: tuple(dataset for dataset in datasets if (dataset, method) not in found)
        for method in methods
    }
    if missing[reference]:
        raise ParameterError(
            f"{reference} has no result on {listed(list(missing[reference]))}: expected one on "
            "every set of the league."
        )
    ranked = [method for method in methods if not missing[method]]
    if len(ranked) < 2 or len(datasets) < 2:
        raise ParameterError(
            "A league needs two methods with results on the same two sets or more. Got "
            f"{len(ranked)} on {len(datasets)}."
        )
    duels = _duels(found, reference)
    standings = _standings(found, datasets, ranked, reference, duels)
    unranked = {method: sets for method, sets in missing.items() if sets}
    return League(reference, datasets, standings, found, duels, unranked)


def with_best_learner(results: Iterable[Evaluation]) -> list[Evaluation]:
    """Of every kernel with two learners, the better one of each fold, under the plain name.

    Which one is better is decided in the training set of each fold, as with "-best" in
    :func:`nask.evaluate`. A method without a second learner stays as it is.

    Parameters
    ----------
    results : iterable of Evaluation
        With "wl" and "wl-svm", for instance, on the same folds.
    """
    given = list(results)
    by_name = {(own.dataset, own.method): own for own in given}
    chosen: list[Evaluation] = []
    for own in given:
        if own.method.endswith(tuple(SUFFIXES)):
            continue
        svm = by_name.get((own.dataset, f"{own.method}-svm"))
        if svm is None or svm.timeout is not None:
            chosen.append(own)
            continue
        if own.timeout is not None:
            chosen.append(replace(svm, method=own.method))
            continue
        pairs = shared_folds(own, svm)
        records = tuple(better_folds(*zip(*pairs, strict=True)))
        repeats = min(own.repeats, svm.repeats)
        chosen.append(replace(own, records=records, repeats=repeats))
    return chosen


def _duels(
    results: Mapping[tuple[str, str], Evaluation], reference: str
) -> dict[tuple[str, str], Duel]:
    found = {}
    for (dataset, method), own in results.items():
        base = results[dataset, reference]
        if method == reference or own.timeout is not None or base.timeout is not None:
            continue
        differences, ratio = differences_of(base, own)
        several = len(differences) > 1
        found[dataset, method] = Duel(
            float(differences.mean()),
            corrected_error(differences, ratio) if several else math.nan,
            corrected_t_test(differences, ratio) if several else 1.0,
        )
    return found


def _standings(
    results: Mapping[tuple[str, str], Evaluation],
    datasets: Sequence[str],
    methods: Sequence[str],
    reference: str,
    duels: Mapping[tuple[str, str], Duel],
) -> tuple[Standing, ...]:
    means = np.array([[results[d, m].accuracy_mean for m in methods] for d in datasets])
    # A method that did not end in time has NaN: the last rank of its set.
    ranks = dataset_ranks(np.where(np.isnan(means), -np.inf, means))
    drawn = drawn_ranks(ranks)
    is_first = drawn <= drawn.min(axis=1, keepdims=True) + 1e-12
    base = methods.index(reference)
    standings = []
    for column, method in enumerate(methods):
        own = [duels[d, method] for d in datasets if (d, method) in duels]
        gaps = np.array([duel.difference for duel in own])
        outcomes = [duel.outcome for duel in own]
        low, high = np.quantile(drawn[:, column], [0.025, 0.975])
        standings.append(
            Standing(
                method=method,
                accuracy=float(np.mean(means[:, column])),
                rank=float(ranks[:, column].mean()),
                rank_interval=(float(low), float(high)),
                first=float(is_first[:, column].mean()),
                difference=float(gaps.mean()) if own else 0.0,
                error=float(stats.sem(gaps)) if len(own) > 1 else math.nan,
                wins=outcomes.count(1),
                ties=outcomes.count(0),
                losses=outcomes.count(-1),
                ahead=int((gaps > 0).sum()),
                sets_needed=sets_needed(ranks[:, column] - ranks[:, base]),
            )
        )
    return tuple(sorted(standings, key=lambda own: (own.rank, own.method)))


def drawn_ranks(ranks: Float64, n_draws: int = N_DRAWS) -> Float64:
    """Average ranks on collections of sets that are drawn from these with repetition.

    Parameters
    ----------
    ranks : ndarray of shape (n_datasets, n_methods)
    n_draws : int

    Returns
    -------
    ndarray of shape (n_draws, n_methods)

    Examples
    --------
    >>> drawn = drawn_ranks(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]))
    >>> print(f"{drawn[:, 0].mean():.1f} {np.mean(drawn[:, 0] < drawn[:, 1]):.1f}")
    1.3 0.7
    """
    n = len(ranks)
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=n_draws)
    return np.asarray(counts @ ranks / n)


def sets_needed(differences: Float64) -> float:
    """Return on how many sets a paired t-test would tell the mean of these from 0.

    It is the least number with which the test at level 0.05 has a power of 0.8, if the mean and the
    spread over sets are those found here.

    Parameters
    ----------
    differences : ndarray of shape (n_datasets,)

    Examples
    --------
    >>> sets_needed(np.array([1.0, 2.0, 0.0, 1.0, 1.0]))
    7.0
    >>> sets_needed(np.array([1.0, -1.0])), sets_needed(np.array([1.0, 1.0]))
    (inf, 2.0)
    """
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if mean == 0.0:
        return math.inf
    if deviation == 0.0:
        return 2.0
    effect = abs(mean) / deviation
    n = 2
    # Doubled until it is enough, then halved: the power grows with the number of sets.
    while _power(effect, n) < POWER and n < 2**20:
        n *= 2
    low = n // 2
    while n - low > 1:
        middle = (low + n) // 2
        low, n = (low, middle) if _power(effect, middle) >= POWER else (middle, n)
    return float(n)


def _power(effect: float, n: int) -> float:
    """Power of a paired t-test on n sets, for a mean of ``effect`` standard deviations."""
    if n < 2:
        return 0.0
    critical = stats.t.ppf(1 - LEVEL / 2, n - 1)
    return float(stats.nct.sf(critical, n - 1, effect * math.sqrt(n)))
