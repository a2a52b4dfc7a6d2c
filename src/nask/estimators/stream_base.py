"""What models of streams of graphs share: a map to rows, and sums over them that do not grow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float32, Float64, Index, Positions
from nask.estimators.base import check_alpha
from nask.exceptions import ModelFileError, ParameterError
from nask.execution.execution import Execution
from nask.execution.progress import Progress
from nask.execution.threads import one_blas_thread
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.new_graphs import compare_attributes, warn_of_unseen
from nask.io.coerce import TakesGraphs, as_graphs, graph_batches
from nask.io.converters.molecule_reading import MoleculeReading
from nask.io.graph_list import GraphList
from nask.kernels.features import NASKFeatures
from nask.kernels.nystroem import NASKNystroem
from nask.kernels.parameters import ChecksParameters, is_integer
from nask.learning.linear import LinearFunctions
from nask.learning.moments import ChosenRidge, Moments, hashed
from nask.learning.sample_weights import weights_of_items
from nask.learning.targets import one_column

GraphMap = NASKFeatures | NASKNystroem
Encode = Callable[[Array], tuple[Float64, Positions | None]]
"""From values of y to columns of targets, and to the numbers of classes where they are some."""
# Folds within which the penalty is chosen.
FOLDS = 5
# Rows that are kept to calibrate probabilities on.
SAMPLE = 2048
# Added to the seed of folds for the choice of that sample.
OTHER_SEED = 1


@dataclass
class Sample:
    """Some rows of a stream, all equally likely, however the stream is cut."""

    keys: Any
    rows: Float32
    codes: Positions
    folds: Index
    weights: Float64

    def add(
        self, keys: Any, rows: Array, codes: Positions, folds: Index, weights: Float64 | None
    ) -> None:
        """Take rows into the sample that have smaller keys than those in it."""
        given = np.ones(len(rows)) if weights is None else weights
        whole = len(self.keys) >= SAMPLE
        new = np.flatnonzero(keys < self.keys.max()) if whole else np.arange(len(keys))
        both = np.concatenate([self.keys, keys[new]])
        kept = np.sort(np.argpartition(both, SAMPLE)[:SAMPLE]) if len(both) > SAMPLE else ...
        self.keys = both[kept]
        parts = ("rows", rows), ("codes", codes), ("folds", folds), ("weights", given)
        for name, more in parts:
            setattr(self, name, np.concatenate([getattr(self, name), more[new]])[kept])


@dataclass
class Learned:
    """What a stream has left so far."""

    graph_map: GraphMap
    moments: Moments
    sample: Sample
    told: set[str] = field(default_factory=set)
    n_graphs: int = 0


@dataclass(kw_only=True, eq=False, repr=False)
class StreamEstimator(ChecksParameters, TakesGraphs, BaseEstimator):
    """A ridge regression on rows of graphs, learned in one pass and in constant memory."""

    features: GraphMap | None = None
    alpha: float | None = None
    batch_size: int = 4096
    random_state: int = 0
    n_jobs: int | None = None
    verbose: Progress = False

    # The column of a table that the target came from, where a command learned from a table.
    target_name_ = cast("str | None", None)

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; ``fit`` begins with it."""
        known = self.features is None or isinstance(self.features, (NASKFeatures, NASKNystroem))
        self._check(known, "features", "None, a NASKFeatures or a NASKNystroem")
        if getattr(self.features, "level", "graph") != "graph":
            raise ParameterError.expected(
                "level", "the features of a stream of graphs", "'graph'", "node"
            )
        check_alpha(self.alpha, type(self).__name__)
        self._check_integer("batch_size", 1)
        valid = is_integer(self.random_state) and self.random_state >= 0
        self._check(valid, "random_state", "an int of 0 or more")
        valid = self.n_jobs is None or (is_integer(self.n_jobs) and self.n_jobs != 0)
        self._check(valid, "n_jobs", "None, or an int other than 0")
        self._check_verbose(self.verbose)

    @property
    def features_(self) -> GraphMap:
        """The fitted map from graphs to rows."""
        check_is_fitted(self)
        return self._map

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        return self.features_.molecules_

    @property
    def functions_(self) -> LinearFunctions:
        """Coefficients of the columns, and constants; found when they are first asked for."""
        self._solve()
        return self._functions

    @property
    def alpha_(self) -> float:
        """The penalty in use."""
        self._solve()
        return self._alpha

    @property
    def errors_(self) -> dict[float, float]:
        """Mean squared error of targets on held-out folds, by penalty; of classes, -1 and 1."""
        self._solve()
        return self._errors

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays, without code. It holds the map and the
        functions, of some hundred kilobytes, and not the sums: what is read predicts, and cannot
        learn from more graphs.
        """
        from nask.estimators.saving_streams import save_stream

        check_is_fitted(self)
        save_stream(self, path)

    def set_fitted(
        self, graph_map: GraphMap, functions: LinearFunctions, alpha: float, n_graphs: int
    ) -> None:
        """Be fitted, without the sums to go on learning with."""
        self._map, self._functions, self._alpha = graph_map, functions, alpha
        self.n_graphs_ = n_graphs
        self._errors: dict[float, float] = {}
        self._sums: Learned | None = None

    def _fit(self, X: Any, target: Array, encode: Encode, n_targets: int, weights: Any) -> None:
        """Learn from all graphs anew; nothing is changed where that fails."""
        there = _weights(weights, len(target), type(self).__name__)
        if isinstance(X, GraphList):
            X.check_order(target)
        graphs = X if not _is_list(X) else as_graphs(X)
        if _is_list(X) and len(graphs) != len(target):
            raise _other_length(f"{len(graphs)}", len(target))
        batches = self._batches(graphs)
        sums: Learned | None = None
        if _is_list(X):
            sums = self._begin(graphs, n_targets)
        n = 0
        for first, batch in self._tracked(batches, len(target)):
            n = first + len(batch)
            if n > len(target):
                raise _other_length(f"{len(target) + 1} or more", len(target))
            sums = sums or self._begin(batch, n_targets)
            place = slice(first, n)
            own = None if there is None else there[place]
            warn_of_unseen(batch, sums.graph_map.schema_, first, sums.told)
            rows = sums.graph_map.transform_batch(batch, first)
            self._add(sums, rows, *encode(target[place]), own)
        if sums is None or n < len(target):
            raise _other_length(f"{n}", len(target))
        self._set_sums(sums)

    def _partial_fit(self, X: Any, target: Array, encode: Encode, n_targets: int, w: Any) -> None:
        """Learn from more graphs; nothing is changed where that fails."""
        sums = cast("Learned | None", getattr(self, "_sums", None))
        if sums is None and hasattr(self, "n_graphs_"):
            raise ModelFileError(
                f"This {type(self).__name__} was read from a file, which holds no sums to add more "
                "graphs to. Fit anew, or go on with the model that was saved."
            )
        weights = _weights(w, len(target), type(self).__name__)
        graphs = as_graphs(X, 0, sums.graph_map.molecules_ if sums else None)
        if len(graphs) != len(target):
            raise _other_length(f"{len(graphs)}", len(target))
        if sums is None:
            sums = self._begin(graphs, n_targets)
        warn_of_unseen(graphs, sums.graph_map.schema_, sums.n_graphs, sums.told)
        # All rows before the first sum, so that an error leaves the model as it was.
        rows = [
            sums.graph_map.transform_batch(own, first)
            for first, own in graph_batches(graphs, self.batch_size)
        ]
        self._add(sums, np.concatenate(rows), *encode(target), weights)
        self._set_sums(sums)

    def _begin(self, graphs: list[AttributedGraph], n_targets: int) -> Learned:
        """The map, fitted to these graphs unless it is fitted, and no sums yet."""
        graph_map = self.features
        if graph_map is None or not _is_fitted(graph_map):
            graph_map = NASKFeatures() if graph_map is None else clone(graph_map)
            graph_map.set_output(transform="default")
            if self.n_jobs is not None and graph_map.n_jobs is None:
                graph_map.set_params(n_jobs=self.n_jobs)
            graph_map.fit(graphs)
        n_columns = graph_map.transform_batch(graphs[:1]).shape[1]
        empty = np.empty(0, dtype=np.int64)
        sample = Sample(
            np.empty(0, dtype=np.uint64), np.empty((0, n_columns), dtype=np.float32),
            empty.astype(np.intp), empty, np.empty(0),
        )  # fmt: skip
        return Learned(graph_map, Moments(n_columns, n_targets, FOLDS), sample)

    def _add(
        self, sums: Learned, rows: Array, targets: Float64, codes: Any, weights: Float64 | None
    ) -> None:
        """Add rows to the sums, and to the sample where they have codes of classes."""
        positions = np.arange(sums.n_graphs, sums.n_graphs + len(rows))
        seed = 2 * int(self.random_state)
        folds = (hashed(positions, seed) % np.uint64(FOLDS)).astype(np.int64)
        sums.moments.add(rows, targets, folds, weights, Execution(n_jobs=self.n_jobs))
        if codes is not None:
            keys = hashed(positions, seed + OTHER_SEED)
            sums.sample.add(keys, rows, codes, folds, weights)
        sums.n_graphs += len(rows)

    def _set_sums(self, sums: Learned) -> None:
        self._map, self._sums, self.n_graphs_ = sums.graph_map, sums, sums.n_graphs
        self.__dict__.pop("_functions", None)

    def _solve(self) -> None:
        """Find the functions, unless they were found since the last graphs."""
        check_is_fitted(self)
        if hasattr(self, "_functions"):
            return
        assert self._sums is not None
        chosen = self._sums.moments.choose(self.alpha)
        self._calibrate(chosen, self._sums.sample)
        self._alpha = chosen.alpha
        self._errors = dict(zip(chosen.alphas, chosen.errors.tolist(), strict=True))
        self._functions = chosen.functions

    def _calibrate(self, chosen: ChosenRidge, sample: Sample) -> None:
        """Learn what else depends on decisions for rows that were held out."""

    def _decide(self, X: Any) -> Float64:
        """Values of the functions, graphs x functions; in constant memory beside the result."""
        functions, graph_map = self.functions_, self._map
        graphs, whole = X, _is_list(X)
        if whole:
            graphs = as_graphs(X, molecules=graph_map.molecules_)
            compare_attributes(graphs, graph_map.schema_)
        total = len(graphs) if whole else 0
        found = []
        for first, batch in self._tracked(self._batches(graphs, graph_map.molecules_), total):
            if first == 0 and not whole:
                compare_attributes(batch, graph_map.schema_)
            with one_blas_thread():
                rows = graph_map.transform_batch(batch, first)
                # In float64, so that a decision does not depend on the other graphs of its batch.
                found.append(functions.decide(rows.astype(np.float64)))
        if not found:
            return np.empty((0, len(functions.constants)))
        return np.concatenate(found)

    def _batches(
        self, graphs: Iterable[Any], molecules: MoleculeReading | None = None
    ) -> Iterator[tuple[int, list[AttributedGraph]]]:
        return graph_batches(graphs, self.batch_size, molecules)

    def _tracked(
        self, batches: Iterator[tuple[int, list[AttributedGraph]]], n_graphs: int
    ) -> Iterable[tuple[int, list[AttributedGraph]]]:
        n_batches = -(-n_graphs // self.batch_size)
        return Execution(progress=self.verbose).track(batches, n_batches)


def targets_of(y: Any, owner: str) -> Array:
    """One value per graph; raise where there is none at all."""
    if y is None:
        raise ParameterError(
            f"{owner} requires y to be passed, but the target y is None: "
            "expected one value per graph."
        )
    return one_column(y)


def _weights(given: Any, n: int, owner: str) -> Float64 | None:
    """The weights of graphs, 0 among them."""
    there, weights = weights_of_items(given, n, owner)
    if weights is None and len(there) == n:
        return None
    every = np.zeros(n)
    every[there] = 1.0 if weights is None else weights
    return every


def _other_length(n_graphs: str, n_values: int) -> ParameterError:
    return ParameterError(
        f"Got {n_graphs} graphs but {n_values} values of y: expected one per graph."
    )


def _is_list(X: Any) -> bool:
    return isinstance(X, Sequence) or hasattr(X, "__len__")


def _is_fitted(graph_map: GraphMap) -> bool:
    try:
        check_is_fitted(graph_map)
    except NotFittedError:
        return False
    return True
