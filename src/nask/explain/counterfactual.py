"""The smallest edit of a graph that changes its class."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from nask.exceptions import GraphError, ParameterError, did_you_mean
from nask.execution.progress import Progress
from nask.explain.edit_search import EditSearch
from nask.explain.editable import OWNER, editable_attributes, names_of
from nask.explain.edits import Edit, edited
from nask.explain.judge import Judge, check_classifier, training_schemas
from nask.explain.single_edits import single_edits
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graph
from nask.kernels.parameters import is_integer
from nask.messages import quoted

EditSort = Literal["attributes", "edges"]
Decision = float | tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactual:
    """The smallest edit of a graph that changes its class, or the nearest where none was found.

    Parameters
    ----------
    graph : AttributedGraph
        As it was given.
    edited : AttributedGraph
        With the edits.
    edits : tuple of Edit
        What was edited; the text of each says it in words.
    before, after : object
        The class that the model gives the graph, and the edited one.
    decision_before, decision_after : float or tuple of float
        As ``decision_function`` has them: one number for two classes, positive for the second,
        else one per class.
    n_evaluated : int
        Edited graphs that were judged on the way.
    found : bool
        Whether the class changes as it was asked for. If not, these are the edits that came
        nearest.
    complete : bool
        Whether all edits were tried that are as few: if so, there is no smaller one among those
        that are tried at all.
    """

    graph: AttributedGraph
    edited: AttributedGraph
    edits: tuple[Edit, ...]
    before: Any
    after: Any
    decision_before: Decision
    decision_after: Decision
    n_evaluated: int
    found: bool
    complete: bool

    @property
    def change(self) -> float:
        """How large the edits are together: the sum of their changes."""
        return float(sum(edit.change for edit in self.edits))

    def __str__(self) -> str:
        edits = "; ".join(map(str, self.edits))
        classes = f"class {quoted(self.before)} -> {quoted(self.after)}"
        decision = f"decision {_written(self.decision_before)} -> {_written(self.decision_after)}"
        if self.found:
            return f"{edits}: {classes}, {decision}"
        none = f"no edit found in {self.n_evaluated} tried"
        return f"{none}; nearest: {edits}: {classes}, {decision}" if edits else none

    def __repr__(self) -> str:
        return f"Counterfactual({self})"

    def to_json(self) -> dict[str, Any]:
        """Return everything but the two graphs as plain values."""
        return {
            "found": self.found,
            "before": self.before,
            "after": self.after,
            "decision_before": _listed(self.decision_before),
            "decision_after": _listed(self.decision_after),
            "edits": [{**edit.to_json(), "text": str(edit)} for edit in self.edits],
            "change": self.change,
            "n_evaluated": self.n_evaluated,
            "complete": self.complete,
        }


def counterfactual(
    model: Any,
    graph: Any,
    *,
    target: Any = None,
    edit: EditSort | Collection[EditSort] = ("attributes", "edges"),
    keep: str | Collection[str] = (),
    values: Mapping[str, Sequence[Any]] | None = None,
    budget: int = 3000,
    verbose: Progress = False,
) -> Counterfactual:
    """Return the smallest edit of a graph after which the model gives it another class.

    An edit is another value of one attribute of a node or an edge, a missing value included, an
    edge removed, or an edge added. All single edits are tried. If none changes the class, pairs of
    them are, in the order of how far each moved the decision. Every edited graph is judged by the
    model itself, and what is returned was checked with its ``predict``.

    Of the edits that change the class, the one with the smallest change is returned. The change of
    a number is 1 - s of Gower's similarity s, |new - old| in units of the training range, at most
    1; that of anything else is 1; those of two edits are added. Of equal changes, the one with the
    largest margin is returned: the score of the new class minus the highest score of the others.

    Parameters
    ----------
    model : classifier of graphs
        A fitted :class:`nask.NASKClassifier`, :class:`nask.TunedNASKClassifier`, or any other
        with the methods ``predict`` and ``decision_function``.
    graph : graph
        Of nask, networkx, PyTorch Geometric, RDKit or GraKeL.
    target : object, default=None
        The class that is wanted; any other by default.
    edit : {"attributes", "edges"} or both, default=("attributes", "edges")
        What may be edited. Node features without names are never edited.
    keep : str or collection of str, default=()
        Attributes whose values may not change.
    values : dict of lists by attribute, default=None
        What to try for an attribute; None is missing. By default each category of the training
        graphs, or five points spread evenly over the training range of numbers, and missing. If the
        model does not tell what it was trained on, categories and ranges are those of the graph.
    budget : int, default=3000
        The most edited graphs that are judged. If there are more single edits, some of each sort
        and attribute are tried, and a quarter of the budget is for pairs.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar on standard error, where that is a terminal; a function is
        called with (done, total) after each batch of edited graphs.

    Notes
    -----
    A new edge has one of the values to try of each edge attribute. All combinations are tried, but
    of more than 24 only those that differ from a typical edge of the graph in one attribute.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = nask.NASKClassifier(n_hops=2).fit(mutag.graphs, mutag.y)
    >>> why_not = nask.counterfactual(model, mutag.graphs[2], edit="attributes")
    >>> why_not.found, why_not.before, why_not.after, len(why_not.edits)
    (True, ...)
    """
    check_classifier(model)
    graph = as_graph(graph, getattr(model, "molecules_", None))
    if not graph.n_nodes:
        raise GraphError("The graph has no nodes, so there is nothing to edit.")
    if not is_integer(budget) or budget < 1:
        raise ParameterError.expected("budget", OWNER, "an int in the range [1, inf)", budget)
    schemas = training_schemas(model)
    sorts, kept = _sorts(edit), _names(keep, names_of(graph, schemas))
    judge = Judge.of(model, graph, target)
    attributes = editable_attributes(graph, schemas, values)
    search = EditSearch(judge, graph, int(budget), verbose)
    result = search.run(single_edits(graph, attributes, kept, sorts))
    other = edited(graph, result.edits)
    before, after = judge.decide([graph, other])
    return Counterfactual(
        graph=graph,
        edited=other,
        edits=result.edits,
        before=judge.classes[judge.before],
        after=judge.predict([other])[0],
        decision_before=_plain(before),
        decision_after=_plain(after),
        n_evaluated=result.n_evaluated,
        found=result.flips,
        complete=result.complete,
    )


def _sorts(edit: Any) -> set[str]:
    """Return what may be edited; raise on other words."""
    known = get_args(EditSort)
    words = [edit] if isinstance(edit, str) else edit
    if not isinstance(words, Collection) or not words or not all(word in known for word in words):
        expected = f"one or more of {', '.join(map(repr, known))}"
        raise ParameterError.expected("edit", OWNER, expected, edit)
    return set(words)


def _names(keep: Any, known: Collection[str]) -> set[str]:
    """Return the attributes that may not change; raise on a name that is none."""
    names = [keep] if isinstance(keep, str) else keep
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        expected = "a collection of names of attributes, such as ['atom']"
        raise ParameterError.expected("keep", OWNER, expected, keep)
    for name in names:
        if name not in known:
            raise ParameterError(
                f"keep names {quoted(name)}, which is no attribute of the graph or of the "
                f"training graphs. {did_you_mean(name, known)}"
            )
    return set(names)


def _plain(decision: Any) -> Decision:
    return tuple(decision.tolist()) if np.ndim(decision) else float(decision)


def _listed(decision: Decision) -> float | list[float]:
    return list(decision) if isinstance(decision, tuple) else decision


def _written(decision: Decision) -> str:
    if isinstance(decision, tuple):
        return f"({', '.join(f'{score:.3g}' for score in decision)})"
    return f"{decision:.3g}"
