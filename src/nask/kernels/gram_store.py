"""Gram matrices in a Zarr store, chunk by chunk, by this machine or by a Dask cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy.typing as npt

from nask.arrays import Floats
from nask.exceptions import FormatError, ParameterError
from nask.execution.cluster import connected
from nask.execution.execution import Execution
from nask.execution.progress import track
from nask.io.coerce import as_graphs
from nask.kernels.fitted import FittedKernel
from nask.kernels.forms import GaussianForm, mean_distance, to_squared_distances
from nask.kernels.gram_work import GramWork
from nask.kernels.nask import NASK
from nask.kernels.parameters import RUNNING, is_integer
from nask.storage.contents import Contents
from nask.storage.hashes import content_hash
from nask.storage.window import Window, in_quarters
from nask.storage.zarr_chunks import ZarrChunks, ZarrStore, checked_place


def write_gram(
    kernel: NASK,
    graphs: Any,
    path: str | os.PathLike[str],
    scheduler: Any = None,
    *,
    y: npt.ArrayLike | None = None,
    chunk: int | None = None,
) -> Any:
    """Fit a kernel, and write the Gram matrix of its graphs into a chunked Zarr store.

    Chunks are computed by the workers of a Dask cluster, which write them straight into the store;
    the graphs travel to each worker once. Run again with the same graphs and parameters, chunks
    that are there are skipped. Every chunk has a checksum: one that is damaged is computed again.

    Parameters
    ----------
    kernel : NASK
        Its ``memory_limit`` is for one task, by default half of the memory a worker has for each
        of its threads. ``n_jobs`` is for this machine, ``verbose`` for one progress bar.
    graphs : list of graphs
    path : str or path
        Folder of the store, on a file system that all workers share. It holds the array ``gram``,
        the array ``y`` where there is one, checksums of the chunks, and attributes: the
        parameters of the kernel, and whether it is complete. With ``gram="rbf"`` the linear form
        lies beside as ``linear``.
    scheduler : str, distributed.Client or None, default=None
        Address of a Dask scheduler, its scheduler file (.json) or a client. None computes on this
        machine, or on the cluster of ``joblib.parallel_config("dask")``.
    y : array-like, default=None
        Target to keep beside the matrix; of text, codes, with ``classes`` in its attributes.
    chunk : int, default=None
        Graphs along a chunk. By default at most 1024, fewer where graphs are large. A store that is
        there keeps its own.

    Returns
    -------
    zarr.Array
        The matrix, opened for reading.

    Examples
    --------
    >>> import tempfile
    >>> import nask
    >>> data = nask.load_dataset("MUTAG")
    >>> path = tempfile.mkdtemp() + "/gram.zarr"
    >>> gram = nask.write_gram(nask.NASK(n_hops=1), data.graphs, path, y=data.y, chunk=100)
    >>> gram.shape, gram.chunks, round(float(gram[0, 0]), 6)
    ((188, 188), (100, 100), 1.0)
    >>> nask.write_gram(nask.NASK(n_hops=2), data.graphs, path)
    Traceback (most recent call last):
    nask.exceptions.FormatError: ...gram.zarr was computed with n_hops=1, not 2. ...
    """
    check_chunk(chunk, "write_gram")
    checked_place(path)
    with connected(scheduler):
        kernel.check_parameters()
        fitted = kernel.fitted_ = FittedKernel.fit(kernel, as_graphs(graphs))
        work = fitted.gram_work(fitted.graphs, fitted.graphs)
        identity = content_hash(work.identity, kernel.gram, float(kernel.gram_scale), kernel.dtype)
        parameters = {k: v for k, v in kernel.kernel_parameters().items() if k not in RUNNING}
        store = ZarrStore(path, Contents("a Gram matrix", identity, parameters))
        store.write_targets(y)
        name, n_passes = ("gram", 1) if kernel.gram == "linear" else ("linear", 2)
        side = min(chunk or work.side, work.shape[0])
        linear = store.chunks(name, work.shape, (side, side), work.dtype, symmetric=True)
        n_steps = n_passes * len(linear.windows)
        for _ in track(_steps(kernel, store, work, linear), n_steps, kernel.verbose):
            pass
        store.note(complete=True)
        return store.array("gram")


def check_chunk(chunk: int | None, owner: str) -> None:
    """Raise unless it is a number of graphs, or None."""
    if chunk is not None and not (is_integer(chunk) and chunk >= 1):
        expected = "None or an int in the range [1, inf)"
        raise ParameterError.expected("chunk", owner, expected, chunk)


def _steps(kernel: NASK, store: ZarrStore, work: GramWork, linear: ZarrChunks) -> Iterator[None]:
    """Fill the store, first with the linear form; yields once per chunk."""
    execution = replace(kernel.execution(), progress=False)
    fitted, windows = kernel.fitted_, linear.windows
    own, sums = fitted.own(fitted.graphs), []
    distances = own if kernel.gram == "rbf" else None
    task = partial(_linear_chunk, chunks=linear, work=work, execution=execution, own=distances)
    for _, total in execution.map(task, windows):
        sums.append(total)
        yield
    if kernel.gram == "linear":
        return
    # Exactly rounded, so that the order in which chunks come makes no difference.
    fitted = kernel.fitted_ = replace(fitted, unit=mean_distance(math.fsum(sums), own))
    store.note(mean_squared_distance=fitted.unit)
    chunks = store.chunks("gram", work.shape, linear.shape, kernel.dtype, symmetric=True)
    form = fitted.gaussian_form(fitted.graphs, fitted.graphs)
    gaussian = partial(_gaussian_chunk, chunks=chunks, linear=linear, form=form, dtype=kernel.dtype)
    for _ in execution.map(gaussian, windows):
        yield


def _linear_chunk(
    window: Window, chunks: ZarrChunks, work: GramWork, execution: Execution, own: Floats | None
) -> float:
    """Find a chunk of the linear form intact in the store, or compute and write it.

    Return the sum of squared distances between the graphs of both sides, if K(G, G) of each graph
    is given, or 0.
    """
    chunks.ensure(window, work.tiles(window, execution))
    if own is None:
        return 0.0
    values, sides = _intact(chunks, window), (own[window.rows], own[window.columns])
    total = float(to_squared_distances(values, *sides, window.on_diagonal).sum())
    return total if window.on_diagonal else 2 * total


def _gaussian_chunk(
    window: Window, chunks: ZarrChunks, linear: ZarrChunks, form: GaussianForm, dtype: str
) -> None:
    """Find a chunk of the Gaussian form intact in the store, or make it of the linear one."""

    def compute(tile: Window) -> Floats:
        return form.apply(_intact(linear, tile), tile).astype(dtype, copy=False)

    chunks.ensure(window, in_quarters(compute, window, True))


def _intact(chunks: ZarrChunks, window: Window) -> Floats:
    """Read a chunk that was there a moment ago."""
    values = chunks.read(window)
    if values is None:
        raise FormatError(
            f"A chunk of {chunks.path} was damaged after it had been computed. Run again."
        )
    return values
