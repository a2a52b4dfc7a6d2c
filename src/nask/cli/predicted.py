"""What a saved model is asked beside its predictions, and the columns that tell it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Annotated, Any

import typer

from nask.arrays import Float64
from nask.cli.models import finds_outliers, is_classifier, tells_deviation, tells_likeness
from nask.exceptions import ParameterError

# A graph is unlike those of training below this share; so many are, if they are like them. And how
# rarely a set of graphs would have as many of them by chance as make a note.
UNLIKE, BY_CHANCE = 0.05, 0.001

ProbaOption = Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")]
StdOption = Annotated[
    bool,
    typer.Option("--std", help="Add the standard deviation of each number, of a Gaussian process."),
]
CoverageOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Add the set of classes, or the interval, that holds the truth so often, such as 0.9.",
    ),
]
ByClassOption = Annotated[
    bool, typer.Option("--by-class", help="With --coverage: of the graphs of each class so many.")
]
ApplicabilityOption = Annotated[
    bool,
    typer.Option(
        "--applicability",
        help="Add how much each graph is like those of training: of these, a share of 0.02 is as "
        "unlike the others as a graph of 0.02.",
    ),
]


@dataclass(frozen=True)
class Asked:
    """What is asked of a model beside its predictions.

    Parameters
    ----------
    proba : bool
    std : bool
    coverage : float or None
    by_class : bool
    applicability : bool
    """

    proba: bool
    std: bool
    coverage: float | None
    by_class: bool
    applicability: bool

    def check(self, trained: Any, model: Path) -> None:
        """Raise where the model, of that file, has no answer, before data is read."""
        holds = f"{model} holds a {type(trained).__name__}"
        classifies = is_classifier(trained)
        if self.proba and not classifies:
            raise ParameterError(
                f"{holds}, which has no classes and so no probabilities. Leave out --proba."
            )
        if self.std and not tells_deviation(trained):
            raise ParameterError(
                f"{holds}, which knows no standard deviations: those of numbers come from a "
                "Gaussian process, nask fit --learner process. Leave out --std."
            )
        if self.by_class and (not classifies or self.coverage is None):
            raise ParameterError(
                "--by-class is about the sets of classes of --coverage: give both to a model of "
                "classes, or leave it out."
            )
        if self.coverage is not None:
            from nask.learning.coverage import check_coverage, known_errors

            check_coverage(self.coverage, "nask predict")
            if finds_outliers(trained):
                raise ParameterError(
                    f"{holds}, whose share of alarms is its 'nu'. Leave out --coverage."
                )
            if not hasattr(trained, "predict_set") and not hasattr(trained, "predict_interval"):
                raise ParameterError(
                    f"{holds}, which has no sets and intervals by itself; nask.Conformal around it "
                    "has, in Python. Leave out --coverage."
                )
            known_errors(trained.conformity_, type(trained).__name__)
        if self.applicability and not tells_likeness(trained):
            raise ParameterError(
                f"{model} cannot tell how far its training graphs are from each other: it is a "
                "model of nodes or one of features, or was saved by a nask that did not note it. "
                "Fit one with nask fit without --features, or leave out --applicability."
            )

    def columns(self, trained: Any, where: tuple[Any, ...]) -> dict[str, list[Any]]:
        """The columns that answer, for graphs, or for a graph and some of its nodes."""
        columns: dict[str, list[Any]] = {}
        if self.proba:
            classes = [f"probability_{label}" for label in trained.classes_.tolist()]
            columns |= zip(classes, trained.predict_proba(*where).T.tolist(), strict=True)
        if self.std:
            columns["std"] = trained.predict(*where, return_std=True)[1].tolist()
        if self.coverage is None:
            return columns
        if is_classifier(trained):
            how = {"coverage": self.coverage, "by_class": self.by_class}
            names = [str(label) for label in trained.classes_.tolist()]
            sets = trained.predict_set(*where, **how).tolist()
            return columns | {"set": ["|".join(compress(names, row)) for row in sets]}
        ends = trained.predict_interval(*where, coverage=self.coverage).T.tolist()
        return columns | dict(zip(("lower", "upper"), ends, strict=True))


def note_of_unlike(shares: Float64) -> str:
    """What to tell where far more graphs than expected are unlike those of training.

    Examples
    --------
    >>> import numpy as np
    >>> note_of_unlike(np.linspace(0.0, 1.0, 40))
    ''
    >>> note_of_unlike(np.full(40, 0.01))
    'Note: 40 of 40 graphs are unlike those of training (applicability of 0.05 or less), where 2 ...
    """
    from scipy.stats import binom

    n, found = len(shares), int((shares <= UNLIKE).sum())
    if not found or binom.sf(found - 1, n, UNLIKE) > BY_CHANCE:
        return ""
    return (
        f"Note: {found} of {n} graphs are unlike those of training (applicability of {UNLIKE} or "
        f"less), where {UNLIKE * n:.0f} would be expected. What is predicted of them is less sure "
        "than it says; --applicability shows which they are."
    )
