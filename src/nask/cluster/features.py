"""Features of graphs in a Zarr store, partition by partition, by this machine or a cluster."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from nask.cluster.store import Chunks, Contents, Store, check_chunk, checked_place
from nask.exceptions import ParameterError
from nask.execution.progress import track
from nask.execution.remote import connected, run
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.new_graphs import compare_attributes
from nask.graph.schema import Schema
from nask.io.coerce import as_graphs
from nask.kernels.features import NASKFeatures
from nask.kernels.parameters import RUNNING
from nask.storage.hashes import content_hash

DTYPE = "float32"
# Graphs of a partition: with 1024 features a row, 4 MB.
PARTITION = 1024


def write_features(
    features: Any,
    graphs: Any,
    path: str | os.PathLike[str],
    scheduler: Any = None,
    *,
    y: npt.ArrayLike | None = None,
    chunk: int | None = None,
) -> Any:
    """Write the features of graphs into a chunked Zarr store, partition by partition.

    Partitions are computed by the workers of a Dask cluster, which write them straight into the
    store; each graph travels once, to the worker that computes its features. Run again with the
    same graphs and parameters, partitions that are there are skipped. Every chunk has a checksum:
    one that is damaged is computed again.

    Parameters
    ----------
    features : transformer
        Such as ``nask.NASKFeatures``: ``transform`` gives a row of ``n_components`` numbers a
        graph, which do not depend on the other graphs. Where it is not fitted, a clone of it is
        fitted to the graphs. Its ``verbose`` is for one progress bar.
    graphs : list of graphs
    path : str or path
        Folder of the store, on a file system that all workers share. It holds the array
        ``features``, the array ``y`` where there is one, and attributes: the parameters, and
        whether it is complete.
    scheduler, y
        As in :func:`nask.write_gram`.
    chunk : int, default=None
        Graphs of a partition; 1024 by default. A store that is there keeps its own.

    Returns
    -------
    zarr.Array
        Of shape (n_graphs, n_components) and type float32, opened for reading.
    """
    check_chunk(chunk, "write_features")
    checked_place(path)
    if getattr(features, "level", "graph") != "graph":
        raise ParameterError.expected("level", "features to write", "'graph'", features.level)
    with connected(scheduler) as client:
        collection = as_graphs(graphs)
        store = Store(path, _contents(features, collection))
        fitted = features if _is_fitted(features) else clone(features).fit(collection)
        if isinstance(fitted, NASKFeatures):
            # Here, where all graphs are at hand: a partition may lack what others have.
            compare_attributes(collection, fitted.schema_)
        store.write_targets(y)
        shape = (len(collection), int(features.n_components))
        height = min(chunk or PARTITION, len(collection))
        chunks = store.chunks("features", shape, (height, shape[1]), DTYPE)
        height = chunks.shape[0]
        partitions = (
            Partition(first, collection[first : first + height])
            for first in range(0, shape[0], height)
        )
        work = PartitionWork(chunks, _quiet(fitted, alone=client is None), shape[1])
        done = run(client, work, partitions)
        progress = getattr(features, "verbose", False)
        for _ in track(done, -(-shape[0] // height), progress, "Computing features"):
            pass
        store.note(complete=True)
        return store.array("features")


@dataclass(frozen=True, eq=False)
class Partition:
    """A stretch of graphs, and the position of the first one."""

    first: int
    graphs: Sequence[AttributedGraph]


@dataclass(frozen=True, eq=False)
class PartitionWork:
    """A stretch of rows: found whole in the store, or computed and written."""

    chunks: Chunks
    features: Any
    n_components: int

    def __call__(self, partition: Partition) -> None:
        """Write the rows of these graphs."""
        first, last = partition.first, partition.first + len(partition.graphs)
        place = (slice(first, last), slice(0, self.n_components))
        if self.chunks.read(place) is None:
            graphs = partition.graphs
            if isinstance(self.features, NASKFeatures):
                rows = self.features.transform_part(list(graphs), first)
            else:
                rows = np.asarray(self.features.transform(graphs), dtype=DTYPE)
            self.chunks.write(place, rows)


def _is_fitted(features: Any) -> bool:
    try:
        check_is_fitted(features)
    except NotFittedError:
        return False
    return True


def _quiet(features: Any, alone: bool) -> Any:
    """A copy without a progress bar, and with one thread where a worker has tasks for all."""
    running = {"verbose": False} if alone else {"verbose": False, "n_jobs": 1}
    known = features.get_params()
    return copy.copy(features).set_params(**{k: v for k, v in running.items() if k in known})


def _contents(features: Any, graphs: Sequence[AttributedGraph]) -> Contents:
    known = features.get_params()
    parameters = {k: v for k, v in known.items() if k not in RUNNING}
    # What it learned may be of other graphs; what it will learn is told by these and parameters.
    learned = {k: v for k, v in vars(features).items() if k not in known}
    schema = Schema.fit(graphs)
    identity = content_hash(
        version("nask"),
        type(features).__name__,
        tuple(sorted((name, repr(value)) for name, value in parameters.items())),
        joblib.hash(learned) if _is_fitted(features) else None,
        schema,
        GraphBatch.encode(graphs, schema),
    )
    return Contents("features", identity, parameters)
