"""A cell that looks at one fold closely: probabilities, and two graphs with their shares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import nask
from nask.evaluation.record_fields import (
    CLASS,
    CLASSES,
    COUNT,
    MAPPINGS,
    NAMES,
    NUMBERS,
    SHARE,
    TABLES,
    Kind,
    check_fields,
)
from nask.evaluation.records import OF_LEARNERS
from nask.exceptions import FormatError, ParameterError
from nask.lab.experiments.evaluated import Evaluated
from nask.lab.experiments.experiment import Place
from nask.storage.replacing import replacing
from nask.storage.write_errors import writing

# Of probabilities that add up to 1.
ROUNDING = 1e-6
# The fields of a record, and those of a graph in it.
STUDY: Mapping[str, Kind] = {
    "parameters": NAMES,
    "classes": CLASSES,
    "truth": CLASSES,
    "probabilities": TABLES,
    "graphs": MAPPINGS,
}
STUDIED: Mapping[str, Kind] = {
    "graph": COUNT,
    "truth": CLASS,
    "predicted": CLASS,
    "probability": SHARE,
    "labels": ("a list of labels", lambda value: isinstance(value, list)),
    "edges": TABLES,
    "core": COUNT,
    "shares": NUMBERS,
}


@dataclass(frozen=True)
class StudiedGraph:
    """One graph that was classified rightly, and the share of each node in that.

    Parameters
    ----------
    graph : int
        Its position in the set.
    truth, predicted : label
    probability : float
        Of the predicted class.
    labels : tuple
        Category of each node.
    edges : tuple of (int, int)
    core : int
        The node with the most neighbours, the first of several.
    shares : tuple of float
        Of the nodes in the decision, with equal parts of the intercept; they add up to it.
    """

    graph: int
    truth: Any
    predicted: Any
    probability: float
    labels: tuple[Any, ...]
    edges: tuple[tuple[int, int], ...]
    core: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Study:
    """What a model says about the test graphs of the first fold.

    Parameters
    ----------
    parameters : mapping
        Those that the training set of this fold chose.
    classes : tuple
    truth : tuple
        Of each test graph.
    probabilities : tuple of tuple of float
        Of each test graph and class.
    graphs : tuple of StudiedGraph
        The surest of those classified rightly, one per class.
    """

    parameters: Mapping[str, Any]
    classes: tuple[Any, ...]
    truth: tuple[Any, ...]
    probabilities: tuple[tuple[float, ...], ...]
    graphs: tuple[StudiedGraph, ...]


@dataclass(frozen=True)
class StudiedFold:
    """The first fold of an evaluation, with the parameters that its training set chose.

    Parameters
    ----------
    evaluated : Evaluated
        Whose records have the fold.
    folder : str
        Of the record, below that of all results.
    """

    evaluated: Evaluated
    folder: str

    @property
    def row(self) -> str:
        """The method."""
        return self.evaluated.row

    @property
    def column(self) -> str:
        """The set."""
        return self.evaluated.column

    @property
    def name(self) -> str:
        """Of the set, with its views."""
        return self.evaluated.name

    @property
    def method(self) -> str:
        """As ``nask.evaluate`` takes it."""
        return self.evaluated.method

    def quick(self) -> StudiedFold:
        """Return the cell on a few graphs, with a record of its own."""
        own = self.evaluated.quick()
        return replace(
            self, evaluated=own, folder=own.folder.replace(self.evaluated.folder, self.folder)
        )

    def find(self, place: Place) -> Study | None:
        """Return the study if it is recorded."""
        path = self._path(place)
        if not path.exists():
            return None
        try:
            return _study(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"{path} holds no study of a fold: it {error}. Restore it from a copy, or delete "
                "it; it is then made again."
            ) from error

    def run(self, place: Place) -> Study:
        """Fit a model on the training set of the fold, ask it, and record the answers."""
        evaluation = self.evaluated.find(place) or self.evaluated.run(place)
        if not evaluation.records:
            raise ParameterError(
                f"The evaluation of {self.name} was ended by its time limit before all folds were "
                "done, so there is none to look at."
            )
        first = evaluation.records[0]
        data = self.evaluated.data()
        y, test = np.asarray(data.y), np.array(first.test)
        train = np.setdiff1d(np.arange(len(y)), test)
        kernel = {k: v for k, v in first.parameters.items() if k not in OF_LEARNERS}
        model = nask.NASKClassifier(C=first.parameters["C"], n_jobs=place.n_jobs, **kernel)
        model.fit([data.graphs[i] for i in train], y[train])
        probabilities = model.predict_proba([data.graphs[i] for i in test])
        surest = _surest(model.classes_, y[test], probabilities)
        study = Study(
            parameters=dict(first.parameters),
            classes=tuple(model.classes_.tolist()),
            truth=tuple(y[test].tolist()),
            probabilities=tuple(map(tuple, probabilities.tolist())),
            graphs=tuple(_studied(model, data, int(test[i]), probabilities[i]) for i in surest),
        )
        path = self._path(place)
        with writing(path, "--out"):
            path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, "--out") as temporary:
            temporary.write_text(json.dumps(asdict(study)) + "\n", encoding="utf-8")
        return study

    def _path(self, place: Place) -> Path:
        return place.folder / self.folder / f"{self.name}.json"


def _surest(classes: Any, truth: Any, probabilities: Any) -> list[int]:
    """Of each class, the graph that is classified rightly with the highest probability."""
    right = classes[probabilities.argmax(axis=1)] == truth
    own = [np.where(right & (truth == c), probabilities[:, k], -1.0) for k, c in enumerate(classes)]
    return [int(of.argmax()) for of in own if of.max() >= 0]


def _studied(model: Any, data: nask.Dataset, i: int, probabilities: Any) -> StudiedGraph:
    graph = data.graphs[i]
    predicted = model.classes_[probabilities.argmax()]
    why = model.explain(graph)
    sign = 1.0 if predicted == model.classes_[-1] else -1.0
    [first, *_] = graph.node_attributes.values()
    return StudiedGraph(
        graph=i,
        truth=np.asarray(data.y)[i].item(),
        predicted=predicted.item(),
        probability=float(probabilities.max()),
        labels=tuple(first.values()),
        edges=tuple((int(u), int(v)) for u, v in graph.edges),
        core=int(graph.degrees().argmax()),
        shares=tuple((sign * why.leaning).tolist()),
    )


def _study(record: Any) -> Study:
    """A study from a record; raise ValueError where it cannot be right."""
    check_fields({"record": record}, {"record": NAMES})
    check_fields(record, STUDY)
    for own in record["graphs"]:
        check_fields(own, STUDIED)
    graphs = tuple(StudiedGraph(**_tuples(own)) for own in record["graphs"])
    study = Study(**{**_tuples(record), "graphs": graphs})
    rows, classes = study.probabilities, study.classes
    if len(rows) != len(study.truth) or any(len(row) != len(classes) for row in rows):
        raise ValueError("has not one probability for each graph that was tested and each class")
    if any(min(row) < 0 or abs(sum(row) - 1) > ROUNDING for row in rows):
        raise ValueError("has probabilities that do not add up to 1")
    sure = {(classes[int(np.argmax(row))], max(row)) for row in rows}
    for graph in graphs:
        n_nodes = len(graph.labels)
        pairs = all(len(e) == 2 and all(v in range(n_nodes) for v in e) for e in graph.edges)
        if not pairs or len(graph.shares) != n_nodes or graph.core >= n_nodes:
            raise ValueError(
                f"has a graph {graph.graph} whose parts do not fit its {n_nodes} nodes"
            )
        right = graph.truth == graph.predicted
        if not right or (graph.predicted, graph.probability) not in sure:
            raise ValueError(f"has a graph {graph.graph} that its own probabilities do not have")
    return study


def _tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of JSON with tuples for lists."""

    def as_tuple(value: Any) -> Any:
        return tuple(map(as_tuple, value)) if isinstance(value, list) else value

    return {name: as_tuple(value) for name, value in record.items()}
