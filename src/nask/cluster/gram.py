"""Gram matrices in a Zarr store, tile by tile, by this machine or by a Dask cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from nask.arrays import Floats
from nask.cluster.store import Chunks, Contents, Store, check_chunk, checked_place
from nask.exceptions import FormatError
from nask.execution.execution import Execution
from nask.execution.progress import track
from nask.execution.remote import connected, run, task_memory
from nask.io.coerce import as_graphs
from nask.kernels.comparison import Comparison
from nask.kernels.fitted import FittedKernel
from nask.kernels.forms import GaussianForm, mean_distance, to_squared_distances
from nask.kernels.nask import NASK
from nask.kernels.parameters import RUNNING
from nask.storage.hashes import content_hash
from nask.storage.window import Window


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

    Tiles are computed by the workers of a Dask cluster, which write them straight into the store;
    the graphs travel to each worker once. Run again with the same graphs and parameters, tiles that
    are there are skipped. Every chunk has a checksum: one that is damaged is computed again.

    Parameters
    ----------
    kernel : NASK
        Its ``memory_limit`` is for one task, by default half of the memory a worker has for each
        of its threads. ``n_jobs`` is for this machine, ``verbose`` for one progress bar.
    graphs : list of graphs
    path : str or path
        Folder of the store, on a file system that all workers share. It holds the array ``gram``,
        the array ``y`` where there is one, and attributes: the parameters of the kernel, and
        whether it is complete. With ``gram="rbf"`` the linear form lies beside as ``linear``.
    scheduler : str, distributed.Client or None, default=None
        Address of a Dask scheduler, its scheduler file (.json) or a client. None computes on this
        machine, or on the cluster of ``joblib.parallel_config("dask")``.
    y : array-like, default=None
        Target to keep beside the matrix; of text, codes, with ``classes`` in its attributes.
    chunk : int, default=None
        Graphs along a tile. By default at most 1024, fewer where graphs are large. A store that is
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
    with connected(scheduler) as client:
        kernel.check_parameters()
        kernel.fitted_ = FittedKernel.fit(kernel, as_graphs(graphs))
        return _Filling.of(kernel, path, chunk, y).fill(kernel, client)


@dataclass(frozen=True, eq=False)
class _Filling:
    """A store to fill with the Gram matrix of a fitted kernel."""

    store: Store
    comparison: Comparison
    linear: Chunks
    chunk: int

    @classmethod
    def of(
        cls, kernel: NASK, path: str | os.PathLike[str], chunk: int | None, y: npt.ArrayLike | None
    ) -> _Filling:
        fitted = kernel.fitted_
        comparison = fitted.comparison(fitted.graphs, fitted.graphs)
        form = (kernel.gram, float(kernel.gram_scale), kernel.dtype)
        identity = content_hash(comparison.identity, *form)
        parameters = {k: v for k, v in kernel.kernel_parameters().items() if k not in RUNNING}
        store = Store(path, Contents("a Gram matrix", identity, parameters))
        store.write_targets(y)
        name = "gram" if kernel.gram == "linear" else "linear"
        side = min(chunk or comparison.side, comparison.shape[0])
        linear = store.chunks(name, comparison.shape, (side, side), comparison.dtype)
        return cls(store, comparison, linear, linear.shape[0])

    @property
    def tiles(self) -> list[Window]:
        whole = Window.whole(*self.comparison.shape)
        return whole.tiles(self.chunk, self.chunk, symmetric=True)

    def fill(self, kernel: NASK, client: Any) -> Any:
        n_passes = 1 if kernel.gram == "linear" else 2
        steps = self._steps(kernel, client)
        for _ in track(steps, n_passes * len(self.tiles), kernel.verbose):
            pass
        self.store.note(complete=True)
        return self.store.array("gram")

    def _steps(self, kernel: NASK, client: Any) -> Iterator[None]:
        execution = replace(kernel.execution(), progress=False)
        if client is not None:
            execution = replace(execution, n_jobs=1)
        own = kernel.fitted_.own(kernel.fitted_.graphs)
        distances = own if kernel.gram == "rbf" else None
        sums = []
        work = LinearTile(self.linear, self.comparison, execution, distances)
        for _, total in run(client, work, self.tiles):
            sums.append(total)
            yield
        if kernel.gram == "linear":
            return
        # Exactly rounded, so that the order in which tiles come makes no difference.
        unit = mean_distance(math.fsum(sums), own)
        kernel.fitted_ = replace(kernel.fitted_, unit=unit)
        self.store.note(mean_squared_distance=unit)
        chunks = self.store.chunks(
            "gram", self.comparison.shape, (self.chunk, self.chunk), kernel.dtype
        )
        form = GaussianForm(own, own, True, float(kernel.gram_scale), unit)
        for _ in run(client, GaussianTile(chunks, self.linear, form, kernel.dtype), self.tiles):
            yield


@dataclass(frozen=True, eq=False)
class LinearTile:
    """A tile and its mirror image: found whole in the store, or computed and written.

    Parameters
    ----------
    chunks : Chunks
    comparison : Comparison
    execution : Execution
    own : ndarray or None
        K(G, G) of each graph, where the sum of squared distances is wanted.
    """

    chunks: Chunks
    comparison: Comparison
    execution: Execution
    own: Floats | None

    def __call__(self, window: Window) -> float:
        """Return the sum of squared distances between the graphs of both, or 0."""
        values = _read(self.chunks, window)
        if values is None:
            limit = self.execution.memory_limit or task_memory()
            values = self.comparison.in_parts(window, replace(self.execution, memory_limit=limit))
            _write(self.chunks, window, values)
        if self.own is None:
            return 0.0
        own, others = self.own[window.rows], self.own[window.columns]
        total = float(to_squared_distances(values.copy(), own, others, window.on_diagonal).sum())
        return total if window.on_diagonal else 2 * total


@dataclass(frozen=True, eq=False)
class GaussianTile:
    """The Gaussian form of a tile: found whole in the store, or made of the linear one."""

    chunks: Chunks
    linear: Chunks
    form: GaussianForm
    dtype: str

    def __call__(self, window: Window) -> None:
        """Write the tile and its mirror image."""
        if _read(self.chunks, window) is not None:
            return
        values = _read(self.linear, window)
        if values is None:
            raise FormatError(
                f"A tile of {self.linear.path} was damaged after it had been computed. Run again."
            )
        _write(self.chunks, window, self.form.apply(values, window).astype(self.dtype, copy=False))


def _read(chunks: Chunks, window: Window) -> Floats | None:
    """Read a tile, where that and its mirror image are whole."""
    if not window.on_diagonal and chunks.read((window.columns, window.rows)) is None:
        return None
    return chunks.read((window.rows, window.columns))


def _write(chunks: Chunks, window: Window, values: Floats) -> None:
    chunks.write((window.rows, window.columns), values)
    if not window.on_diagonal:
        chunks.write((window.columns, window.rows), values.T)
