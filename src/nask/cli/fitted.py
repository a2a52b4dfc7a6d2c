"""The model that the options of ``nask fit`` ask for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import typer

import nask
from nask.choices import FitLearner
from nask.exceptions import ParameterError

# What learns in a way of its own: the options of a search or of random features say nothing to it.
ALONE = ("process", "outliers")
# A learned parameter is at its bound within this part of it.
AT_BOUND = 1e-6
HOW_TO_RUN = ("n_jobs", "memory_limit", "verbose")


@dataclass(frozen=True)
class Wanted:
    """What the options ask for.

    Parameters
    ----------
    learner : {"svm", "ridge", "process", "outliers"}
    C : float
        Penalty of an SVM.
    tune : bool
        Whether parameters are searched for.
    features : int or None
        Columns of random features, where models learn from these.
    kernel : mapping
        Parameters of the kernel.
    given : collection of str
        The parameters that the user wrote, and did not leave at their defaults.
    """

    learner: FitLearner
    C: float
    tune: bool
    features: int | None
    kernel: Mapping[str, Any]
    given: Collection[str]

    def check(self) -> None:
        """Raise where options contradict each other, before data is read."""
        if self.features is not None and self.tune:
            raise ParameterError(
                "--tune compares all pairs of graphs, and --features none: leave out one of them. "
                "With --features the penalty is always chosen, by cross-validation."
            )
        if "C" in self.given and self.learner != "svm":
            raise ParameterError(
                f"--C is the penalty of an SVM, and --learner {self.learner} has none: leave out "
                "one of them."
            )
        for option, asked in (("--tune", self.tune), ("--features", self.features is not None)):
            if asked and self.learner in ALONE:
                raise ParameterError(
                    f"--learner {self.learner} learns without {option}: leave out one of them."
                )
        for option, name in (("--learner", "learner"), ("--C", "C")):
            if self.features is not None and name in self.given:
                raise ParameterError(
                    f"What learns from --features is a ridge regression: leave out {option}."
                )

    def check_nodes(self, network: str) -> None:
        """Raise where the model cannot be one of the nodes of a network."""
        for option, asked in (
            (f"--learner {self.learner}", self.learner in ALONE),
            ("--features", self.features is not None),
        ):
            if asked:
                raise ParameterError(
                    f"{network} is one network: {option} is for sets of graphs. Leave it out."
                )

    def of_nodes(self) -> nask.NASKNodeClassifier:
        """The classifier of nodes, unfitted."""
        return nask.NASKNodeClassifier(probability=True, method="exact", **self._learning())

    def outliers(self) -> nask.NASKOutlierDetector:
        """The detector of outliers, unfitted."""
        return nask.NASKOutlierDetector(**self._with_own_defaults())

    def fit(self, data: nask.Dataset, numbers: bool) -> Any:
        """Train the model, of numbers or of classes."""
        model = self._of_graphs(numbers)
        if self.tune:
            return _tuned(model, data, self.search())
        return model.fit(data.graphs, data.y)

    def _of_graphs(self, numbers: bool) -> Any:
        if self.features is not None:
            return self._of_features(self.features, numbers)
        if self.learner == "process":
            own = self._with_own_defaults()
            if numbers:
                return nask.NASKGaussianProcessRegressor(**own)
            return nask.NASKGaussianProcessClassifier(**own)
        return (nask.NASKRegressor if numbers else nask.NASKClassifier)(**self._learning())

    def _learning(self) -> dict[str, Any]:
        """The parameters of a model with an SVM or a ridge regression."""
        own = {"C": self.C} if self.learner == "svm" else {}
        return {"learner": self.learner, **own, **self.kernel}

    def _with_own_defaults(self) -> dict[str, Any]:
        """Parameters for a model whose defaults are not those of the kernel."""
        return {k: v for k, v in self.kernel.items() if k in self.given or k in HOW_TO_RUN}

    def search(self) -> dict[str, Any]:
        """What the search for classifiers is to know of the learner."""
        return {"learner": self.learner} if "learner" in self.given else {}

    def _of_features(self, n_components: int, numbers: bool) -> Any:
        """The model of a stream, with the kernel's options that random features have."""
        known = {own.name for own in fields(nask.NASKFeatures)} - {"dtype"}
        exact = nask.NASK()
        for name, value in self.kernel.items():
            if name not in known and value != getattr(exact, name):
                raise ParameterError(
                    f"Random features have no option --{name.replace('_', '-')}. Leave out one of "
                    "the two."
                )
        chosen = {k: v for k, v in self.kernel.items() if k in known - {"verbose"}}
        graph_map = nask.NASKFeatures(n_components=n_components, **chosen)
        stream = nask.NASKStreamRegressor if numbers else nask.NASKStreamClassifier
        return stream(
            features=graph_map, n_jobs=self.kernel["n_jobs"], verbose=self.kernel["verbose"]
        )


def _tuned(
    model: nask.NASKClassifier | nask.NASKRegressor, data: nask.Dataset, how: dict[str, Any]
) -> Any:
    """Search the parameters of a model; tell what was chosen."""
    from sklearn.base import clone

    quiet = clone(model).set_params(verbose=False)
    numbers = isinstance(model, nask.NASKRegressor)
    if numbers and how.pop("learner", "ridge") == "svm":
        raise ParameterError(
            "The search for a model of numbers knows ridge regressions alone: leave out --learner "
            "svm, or --tune."
        )
    tuned = nask.TunedNASKRegressor if numbers else nask.TunedNASKClassifier
    search = tuned(estimator=quiet, n_jobs=model.n_jobs, verbose=True, **how)
    search.fit(data.graphs, data.y)
    chosen = ", ".join(f"{name} {value}" for name, value in search.best_params_.items())
    score = f"{100 * search.best_score_:.1f} % right"
    if numbers:
        score = f"R2 {search.best_score_:.3f}"
    judged = "on inner folds" if how.get("learner") == "svm" else "by leave-one-out"
    typer.echo(f"Chosen: {chosen} ({score} {judged}).")
    return search.best_estimator_


def what_it_learned(trained: Any) -> str:
    """Say what a trained model is made of.

    Examples
    --------
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = nask.NASKClassifier(learner="ridge", n_hops=1)
    >>> what_it_learned(model.fit(mutag.graphs[:20], mutag.y[:20]))
    '20 support graphs.'
    """
    if hasattr(trained, "learned_names"):
        return (
            f"Learned: {', '.join(_learned(trained))}; log marginal likelihood "
            f"{trained.log_marginal_likelihood_value_:.2f}."
        )
    if hasattr(trained, "features_"):
        return f"{trained.features_.n_components} features, penalty {trained.alpha_:g}."
    if hasattr(trained, "settings"):
        return f"The mean of {len(trained.settings)} settings."
    return f"{len(trained.support_)} support graphs."


def _learned(process: Any) -> Iterator[str]:
    """Each parameter that a Gaussian process learned, and whether it would have gone further."""
    from nask.estimators.gaussian_process import BOUNDS

    for name in process.learned_names():
        value = getattr(process.kernel_, name, None)
        value = getattr(process, f"{name}_") if value is None else value
        bounds = (process.bounds or {}).get(name, BOUNDS[name])
        at_one = any(math.isclose(value, bound, rel_tol=AT_BOUND) for bound in bounds)
        yield f"{name} {value:.3g}{' (at its bound)' if at_one else ''}"
