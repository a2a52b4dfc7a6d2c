"""Features of graphs in a Zarr store, chunk by chunk, by this machine or by a Dask cluster."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from nask.exceptions import ParameterError
from nask.execution.cluster import connected
from nask.execution.execution import Execution
from nask.execution.progress import track
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.new_graphs import compare_attributes
from nask.graph.schema import Schema
from nask.io.coerce import as_graphs
from nask.kernels.features import NASKFeatures
from nask.kernels.gram_store import check_chunk
from nask.kernels.parameters import RUNNING
from nask.storage.contents import Contents
from nask.storage.hashes import content_hash
from nask.storage.window import Tile, Window
from nask.storage.zarr_chunks import ZarrChunks, ZarrStore, checked_place

DTYPE = "float32"
# Graphs of a chunk: with 1024 features per row, 4 MB.
CHUNK = 1024

# Where the rows of some graphs are, and the graphs.
Batch = tuple[Window, Sequence[AttributedGraph]]


def write_features(
    features: Any,
    graphs: Any,
    path: str | os.PathLike[str],
    scheduler: Any = None,
    *,
    y: npt.ArrayLike | None = None,
    chunk: int | None = None,
) -> Any:
    """Write the features of graphs into a Zarr store, chunk by chunk.

    Chunks are computed by the workers of a Dask cluster, which write them straight into the
    store; each graph travels once, to the worker that computes its features. Run again with the
    same graphs and parameters, chunks that are there are skipped. Every chunk has a checksum:
    one that is damaged is computed again.

    Parameters
    ----------
    features : transformer
        Such as ``nask.NASKFeatures``: ``transform`` gives a row of ``n_components`` numbers per
        graph, which do not depend on the other graphs. Where it is not fitted, a clone of it is
        fitted to the graphs. Its ``verbose`` is for one progress bar.
    graphs : list of graphs
    path : str or path
        Folder of the store, on a file system that all workers share. It holds the array
        ``features``, the array ``y`` where there is one, checksums of the chunks, and
        attributes: the parameters, and whether it is complete.
    scheduler, y
        As in :func:`nask.write_gram`.
    chunk : int, default=None
        Graphs of a chunk; 1024 by default. A store that is there keeps its own.

    Returns
    -------
    zarr.Array
        Of shape (n_graphs, n_components) and type float32, opened for reading.
    """
    check_chunk(chunk, "write_features")
    checked_place(path)
    if getattr(features, "level", "graph") != "graph":
        raise ParameterError.expected("level", "features to write", "'graph'", features.level)
    with connected(scheduler):
        collection = as_graphs(graphs)
        store = ZarrStore(path, _contents(features, collection))
        fitted = features if _is_fitted(features) else clone(features).fit(collection)
        if isinstance(fitted, NASKFeatures):
            # Here, where all graphs are at hand: a batch may lack what others have.
            compare_attributes(collection, fitted.schema_)
        store.write_targets(y)
        shape = (len(collection), int(features.n_components))
        height = min(chunk or CHUNK, len(collection))
        chunks = store.chunks("features", shape, (height, shape[1]), DTYPE)
        windows = chunks.windows
        batches = ((window, collection[window.rows]) for window in windows)
        execution = Execution(progress=getattr(features, "verbose", False))
        quiet = _quiet(fitted, alone=not execution.n_remote)
        work = partial(_chunk, chunks=chunks, features=quiet)
        done = execution.map(work, batches)
        for _ in track(done, len(windows), execution.progress, "Computing features"):
            pass
        store.note(complete=True)
        return store.array("features")


def _chunk(batch: Batch, chunks: ZarrChunks, features: Any) -> None:
    """Find the rows of some graphs intact in the store, or compute and write them."""
    chunks.ensure(batch[0], _tiles(batch, features))


def _tiles(batch: Batch, features: Any) -> Iterator[Tile]:
    """Compute the rows of some graphs, when they are asked for."""
    window, graphs = batch
    if isinstance(features, NASKFeatures):
        yield window, features.transform_batch(list(graphs), window.rows.start)
    else:
        yield window, np.asarray(features.transform(graphs), dtype=DTYPE)


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
