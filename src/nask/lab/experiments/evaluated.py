"""A cell that is an evaluation: one method on one set, by ``nask.evaluate``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from nask.choices import Items
from nask.datasets.registry import load_dataset
from nask.evaluation.evaluate import evaluate
from nask.evaluation.methods import method_name, named_method
from nask.evaluation.records import Evaluation
from nask.evaluation.results import read_finished, records_path
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.lab.experiments.experiment import Place
from nask.tuning.grid import named_grid

Data = Dataset | NodeDataset

# A method that takes longer on a set is ended: TIMEOUT, or the repeats that it has finished.
LIMIT = 3600.0
# The kernel as the paper has it: one view of all attributes, stars without their size.
PAPERS_KERNEL: Mapping[str, Sequence[Any]] = {
    "degree": (None,),
    "use_edges": (True,),
    "attributes": ("all",),
}
# In a quick run: graphs, or nodes, per class, folds, and the folder of their records.
FEW, QUICK_FOLDS, QUICK = 10, 2, "quick"
# Of nask in a quick run, where a cell says no other values: one pass.
ONE_PASS: Mapping[str, Sequence[Any]] = {**PAPERS_KERNEL, "gamma": (0.5,), "gamma_star": (16.0,)}


@dataclass(frozen=True)
class View:
    """What is made of a set before it is evaluated: other attributes, or fewer graphs.

    Parameters
    ----------
    name : str
        Added to that of the set, after "~".
    of : callable
        From a set to the new one, whose name follows from the two.
    """

    name: str
    of: Callable[[Any], Data]


def few(dataset: Any) -> Any:
    """Return some graphs, or nodes, of each class, under a name of their own.

    Examples
    --------
    >>> few(load_dataset("MUTAG"))
    Dataset('MUTAG~few': 20 graphs, ...
    """
    y, name = np.asarray(dataset.y), f"{dataset.name}~few"
    nodes = isinstance(dataset, NodeDataset)
    classes = np.unique(y[dataset.known] if nodes else y)
    chosen = np.sort(np.concatenate([np.flatnonzero(y == own)[:FEW] for own in classes]))
    if isinstance(dataset, NodeDataset):
        none = np.empty(0, dtype=np.int64)
        return NodeDataset(name, dataset.graph.induced(chosen), y[chosen], none, none, none)
    return Dataset(name, tuple(dataset.graphs[i] for i in chosen), y[chosen])


@dataclass(frozen=True)
class Evaluated:
    """One method on one set, in nested cross-validation.

    Parameters
    ----------
    row, column : str
        How the table names them.
    dataset, method : str
        As ``nask.evaluate`` takes them.
    folder : str
        Of the records, below that of all results.
    repeats : int
        How often ten folds are drawn.
    views : tuple of View
        Applied to the set, one after the other.
    values : mapping
        Of nask: values of parameters that are tried instead of the grid's.
    items : {"graphs", "nodes"}
        What is classified.
    folds : int
    limit : float, optional
        Seconds after which the run is ended.
    """

    row: str
    column: str
    dataset: str
    method: str
    folder: str
    repeats: int = 10
    views: tuple[View, ...] = ()
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    items: Items = "graphs"
    folds: int = 10
    limit: float | None = LIMIT

    def quick(self) -> Evaluated:
        """Return the cell on a few graphs, or nodes, with two folds and records of its own."""
        few_values = ONE_PASS if self.method.startswith("nask") else {}
        return replace(
            self,
            folder=f"{QUICK}/{self.folder}",
            repeats=1,
            folds=QUICK_FOLDS,
            limit=None,
            views=(View("few", few), *self.views),
            values={**few_values, **self.values},
        )

    def model(self) -> Any:
        """The method, with what this cell varies."""
        model = named_method(self.method, self.items)
        if self.values:
            parts = named_grid(model.grid)
            model.set_params(grid=tuple({**part, **self.values} for part in parts))
        return model

    @property
    def name(self) -> str:
        """Of the set, with its views."""
        return "~".join([self.dataset, *(view.name for view in self.views)])

    def data(self) -> Any:
        """The set, as its views show it."""
        data = _loaded(self.dataset)
        for view in self.views:
            data = view.of(data)
        return data

    def find(self, place: Place) -> Evaluation | None:
        """Return the evaluation if all repeats are recorded, or the time is used up."""
        path = records_path(place.folder / self.folder, self.name, method_name(self.model()))
        found = read_finished(path, self.repeats, self.limit)
        return None if found is None else self._named(found)

    def run(self, place: Place) -> Evaluation:
        """Evaluate what the records lack."""
        result = evaluate(
            self.model(),
            self.data(),
            folds=self.folds,
            repeats=self.repeats,
            out=place.folder / self.folder,
            grams=place.grams,
            n_jobs=place.n_jobs,
            time_limit=self.limit,
            progress=place.progress,
        )
        return self._named(result)

    def _named(self, result: Evaluation) -> Evaluation:
        return replace(result, dataset=self.column, method=self.row)


@lru_cache(maxsize=1)
def _loaded(name: str) -> Data:
    return load_dataset(name)
