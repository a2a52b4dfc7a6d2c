"""What a model decides about one graph, or node, and the terms that its decision is a sum of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from nask.arrays import Array, Float64, Floats, Positions
from nask.choices import Scale, Scheme
from nask.explain.gram_row import GramRow
from nask.explain.question import Question, ask, scores_of
from nask.kernels.forms import Form
from nask.learning.calibration import Calibration
from nask.learning.decisions import DecisionFunctions, most_confident


class OnForm(NamedTuple):
    """Decision functions on a form of a kernel.

    Parameters
    ----------
    form : Form
    unit : float or None
        Mean squared distance between training items, of a Gaussian form.
    scheme : {"ovr", "ovo", "votes"}
        How the functions tell classes apart.
    functions : DecisionFunctions
    """

    form: Form
    unit: float | None
    scheme: Scheme
    functions: DecisionFunctions


class Term(NamedTuple):
    """A sum over training items of coefficient * K, in one form of a kernel.

    Parameters
    ----------
    on : OnForm
    question : Question
        Which of the functions on that form count, and how much.
    coefficients : ndarray of shape (n_items,)
    """

    on: OnForm
    question: Question
    coefficients: Float64

    def decide(self, gram: Floats) -> Float64:
        """What the functions come to about other graphs, (m,), constants included.

        The question is asked anew: if a class's least duel is another one, that one counts.

        Parameters
        ----------
        gram : ndarray of shape (m, n_items)
        """
        decisions, scheme = self.on.functions.decide(gram), self.on.scheme
        return np.array([self.question.weights(own, scheme) @ own for own in decisions])


class Neighbour(NamedTuple):
    """A training graph, or node, by its position in training, and its share in a decision."""

    position: int
    share: float


class Compared(Protocol):
    """A graph, or node, compared with the training items of one kernel."""

    def row(self, form: Form, unit: float | None) -> GramRow:
        """The kernel with every training item, in a form."""


class Asked(NamedTuple):
    """What the user asks about a decision; see ``explain`` of the estimators."""

    target: Any = None
    against: Any = None
    scale: Scale = "decision"


@dataclass(frozen=True, eq=False)
class Decider:
    """What decides: the sum of decision functions on several kernels.

    Parameters
    ----------
    members : sequence of sequences of OnForm
        By kernel.
    classes : ndarray, or None
        None of a regression.
    calibration : Calibration or None
    training : ndarray
        Where the items that the kernels compare with are in training.
    """

    members: Sequence[Sequence[OnForm]]
    classes: Array | None
    calibration: Calibration | None
    training: Positions

    def answer(self, compared: Sequence[Compared], asked: Asked) -> Answer:
        """Decide, and tell what the decision in question is a sum of.

        Parameters
        ----------
        compared : sequence of Compared
            By kernel.
        asked : Asked
        """
        decided = [
            (number, on, on.functions.decide(own.row(on.form, on.unit).values[None])[0])
            for number, (own, members) in enumerate(zip(compared, self.members, strict=True))
            for on in members
        ]
        confidence, classes = None, self.classes
        if classes is not None:
            scores = [scores_of(values, on.scheme, len(classes)) for _, on, values in decided]
            confidence = np.sum(scores, axis=0)
        schemes = [on.scheme for _, on, _ in decided]
        question = ask(classes, confidence, self.calibration, schemes, *asked)
        terms: list[list[Term]] = [[] for _ in compared]
        constant = question.shift
        for number, on, values in decided:
            weights = question.weights(values, on.scheme)
            terms[number].append(Term(on, question, weights @ on.functions.coefficients))
            constant += float(weights @ on.functions.constants)
        return Answer(
            terms=terms,
            constant=constant,
            words={
                "quantity": question.text,
                "target": self._named(question.target),
                "against": self._named(question.against),
                "prediction": self._prediction(confidence, decided),
            },
        )

    def neighbours(self, shares: Float64) -> tuple[Neighbour, ...]:
        """Training items by the size of their shares."""
        loudest = np.argsort(-np.abs(shares), kind="stable")
        return tuple(Neighbour(int(self.training[i]), float(shares[i])) for i in loudest)

    def _prediction(self, confidence: Float64 | None, decided: Sequence[Any]) -> Any:
        if self.classes is None or confidence is None:
            return float(sum(values.sum() for _, _, values in decided))
        single = confidence[1:] if len(self.classes) == 2 else confidence[None]
        return self._named(int(most_confident(single)[0]))

    def _named(self, number: int | None) -> Any:
        if self.classes is None or number is None:
            return None
        found = self.classes[number]
        # As plain Python, JSON and readers have it.
        return found.item() if isinstance(found, np.generic) else found


class Answer(NamedTuple):
    """The decision in question.

    Parameters
    ----------
    terms : list of lists of Term
        By kernel.
    constant : float
    words : dict
        What an explanation says of it.
    """

    terms: list[list[Term]]
    constant: float
    words: dict[str, Any]
