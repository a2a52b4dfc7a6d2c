"""The search for classifiers: which learner, and what it needs to know of classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, get_args

import numpy as np
from sklearn.base import ClassifierMixin

from nask.arrays import Array, Float64, Mask, Positions
from nask.choices import TunedLearner
from nask.estimators.averaged import AveragedClassifier
from nask.exceptions import ParameterError
from nask.kernels.parameters import is_integer
from nask.learning.class_weights import CodeWeight
from nask.learning.goals import ClassGoal, Goal
from nask.learning.sample_weights import weights_of_items
from nask.learning.scores import score_named
from nask.learning.targets import class_codes, training_data
from nask.tuning.inner_folds import InnerFolds, JudgedSVM, Splits, refuse_single_members
from nask.tuning.leave_one_out import RidgeJudge
from nask.tuning.screening import LARGEST_RIDGE, LARGEST_UNSCREENED, finalists
from nask.tuning.sweeps import Sweep
from nask.tuning.tuned import TunedModel, TunedStarModel


@dataclass(kw_only=True, eq=False, repr=False)
class TunedClassifier(ClassifierMixin, TunedModel):
    """A search over a grid of classifiers, and the one that it chose."""

    learner: TunedLearner = "ridge"
    inner: int = 5

    @abstractmethod
    def svm_estimator(self, best: JudgedSVM) -> Any:
        """Return the SVM with the parameters of the best, not yet fitted."""

    @abstractmethod
    def class_weight_by_code(self, classes: Array) -> CodeWeight:
        """Return the weights of the classes by their number among these."""

    def check_search(self) -> None:
        """Raise on the first parameter of the search outside its range."""
        owner = type(self).__name__
        if not isinstance(self.learner, str) or self.learner not in get_args(TunedLearner):
            expected = f"one of {', '.join(map(repr, get_args(TunedLearner)))}"
            raise ParameterError.expected("learner", owner, expected, self.learner)
        if not is_integer(self.inner) or self.inner < 2:
            raise ParameterError.expected(
                "inner", owner, "an int in the range [2, inf)", self.inner
            )
        score = score_named(self.scoring, "classify")
        if self.learner != "ridge" and score.needs == "probabilities":
            raise ParameterError(
                f"The score {score.name!r} takes probabilities, and SVMs are judged without any. "
                "Use learner='ridge', or a score of predicted classes or decisions."
            )

    def goal(
        self, target: Array, classes: Array | None, sample_weight: Float64 | None = None
    ) -> ClassGoal:
        """Return what is to be learned: classes, with their weights.

        Parameters
        ----------
        target : ndarray of int of shape (n,)
            Classes by their number.
        classes : ndarray
            Those the numbers stand for.
        sample_weight : ndarray of shape (n,), optional
        """
        self.check_search()
        assert classes is not None
        score = score_named(self.scoring, "classify", len(classes))
        weights = self.class_weight_by_code(classes)
        return ClassGoal(target, len(classes), weights, score, sample_weight)

    @property
    def rough(self) -> bool:
        """Whether ridge regressions only rank kernels for SVMs."""
        return self.learner == "svm"

    def svm_judge(
        self,
        goal: Goal,
        classes: Array,
        n_jobs: int | None = None,
        splits: Splits | None = None,
    ) -> InnerFolds:
        """Return the judge of SVMs, on folds of what a goal is of.

        Parameters
        ----------
        goal : ClassGoal
        classes : ndarray
            Those that its numbers stand for.
        n_jobs : int, optional
            Threads.
        splits : list of (ndarray, ndarray), optional
            Positions to learn from and positions to judge on, instead of folds.
        """
        self.check_search()
        assert isinstance(goal, ClassGoal)
        if splits is None:
            refuse_single_members(goal.codes, classes)
        how = goal.class_weight, self.random_state, n_jobs, splits
        return InnerFolds(goal.codes, self.inner, *how, goal.score, goal.sample_weight)

    def choose(
        self,
        data: Any,
        judge: RidgeJudge | None,
        svm_judge: InnerFolds | None,
        goal: Goal,
        sweeps: Sequence[Sweep],
        rows: Positions | None = None,
    ) -> Any:
        """Judge all settings; return the classifier of the better learner.

        It is the mean of the ridge regressions that are as good as the best, or the best SVM, which
        is not yet fitted.

        Parameters
        ----------
        data : list of AttributedGraph, or AttributedGraph
        judge : RidgeJudge or None
            Of ridge regressions. None where a sample has left few kernels, and SVMs learn.
        svm_judge : InnerFolds or None
            Of SVMs, where they are among the learners.
        goal : Goal
            Of the training items.
        sweeps : sequence of Sweep
        rows : ndarray, optional
            What of the data is judged; all by default.
        """
        self.seconds_kernel_ = self.seconds_learning_ = 0.0
        kernels: dict[int, Any] = {}
        n_train = len(goal.truth)
        choice = best = None
        if judge is not None:
            self.pass_over(data, judge, rows, sweeps, kernels)
            choice = judge.choose() if self.learner_for(n_train) != "svm" else None
        if svm_judge is not None:
            few = None if judge is None else finalists(judge)
            self.pass_over(data, svm_judge, rows, sweeps, kernels, few)
            best = svm_judge.best
        if best is not None and (choice is None or best.score > choice.score):
            self.best_params_, self.best_score_ = best.parameters, best.score
            return self.svm_estimator(best)
        if choice is None:
            raise RuntimeError("There is no learner to choose.")
        train = None if rows is None else rows[:n_train]
        return self.mean_of(choice, kernels, goal, self.classes_, train)

    def learner_for(self, n_train: int) -> TunedLearner:
        """Return the learner for so many training graphs or nodes."""
        return "svm" if n_train > LARGEST_RIDGE else self.learner

    def judges_ridge(self, n_train: int) -> bool:
        """Tell whether ridge regressions judge kernels: for themselves, or which SVMs to try.

        Of a large set a sample has left few kernels, and SVMs are tried with all of them.
        """
        return self.learner_for(n_train) != "svm" or n_train <= LARGEST_UNSCREENED


@dataclass(kw_only=True, eq=False, repr=False)
class TunedGraphClassifier(TunedClassifier):
    """A search over a grid of classifiers of graphs."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose, then train on all graphs and their classes.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts, in learning and in the score that chooses, beside the
            weight of its class. One of weight 0 is left out; explanations count the others.
        """
        owner = type(self).__name__
        graphs, target = training_data(X, y, owner)
        there, weights = weights_of_items(sample_weight, len(graphs), owner)
        graphs, target = [graphs[k] for k in there], target[there]
        self.classes_, codes = class_codes(target)
        self.check_search()
        refuse_single_members(codes, self.classes_)
        goal = self.goal(codes, self.classes_, weights)
        sweeps = self.sweeps_for(graphs, np.arange(len(graphs)), goal)
        judge = svm_judge = None
        if self.judges_ridge(len(codes)):
            judge = self.judge_of_graphs(goal, graphs)
            if self.learner_for(len(codes)) == "svm":
                judge.apart = None
        if self.learner_for(len(codes)) != "ridge":
            svm_judge = self.svm_judge(goal, self.classes_, self.n_jobs)
        chosen = self.choose(graphs, judge, svm_judge, goal, sweeps)
        if not isinstance(chosen, AveragedClassifier):
            chosen = chosen.fit(graphs, target, weights)
        self.best_estimator_ = chosen
        return self

    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        decisions: Float64 = self.fitted().decision_function(X)
        return decisions

    def predict(self, X: Any) -> Array:
        """Most confident class of each graph."""
        predicted: Array = self.fitted().predict(X)
        return predicted

    def predict_proba(self, X: Any) -> Float64:
        """Calibrated probability of each class, (m, n_classes)."""
        probabilities: Float64 = self.fitted().predict_proba(X)
        return probabilities

    def predict_set(self, X: Any, *, coverage: float = 0.9, by_class: bool = False) -> Mask:
        """Tell which classes each graph may have: see :meth:`nask.NASKClassifier.predict_set`."""
        sets: Mask = self.fitted().predict_set(X, coverage=coverage, by_class=by_class)
        return sets


@dataclass(kw_only=True, eq=False, repr=False)
class TunedStarClassifier(TunedClassifier, TunedStarModel):
    """A search over parameters of the star kernel and of a classifier."""

    def given(self) -> dict[str, tuple[Any, ...]]:
        """Return what to try of the learners where the grid does not say."""
        base = self.base()
        base.check_learner()
        given: dict[str, tuple[Any, ...]] = {"C": (base.C,)}
        given |= {"alpha": (base.alpha,)} if base.alpha is not None else {}
        given |= {"multiclass": (base.multiclass,)} if base.multiclass is not None else {}
        return given

    def svm_estimator(self, best: JudgedSVM) -> Any:
        """Return the SVM with the parameters of the best, not yet fitted."""
        return self.base().set_params(**best.parameters, n_jobs=self.n_jobs)

    def class_weight_by_code(self, classes: Array) -> CodeWeight:
        """Return the weights of the classes by their number among these."""
        weights: CodeWeight = self.base().weights_by_code(classes)
        return weights
