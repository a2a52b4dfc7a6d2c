"""``nask gram``: the kernel between all graphs of a dataset, as a file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import nask
from nask.arrays import Array
from nask.cli.arguments import (
    ChunkOption,
    DatasetArgument,
    SchedulerOption,
    check_store_options,
)
from nask.cli.kernel_options import with_kernel_options
from nask.cli.output import check_output, check_picture, save_arrays, save_picture
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.storage.replacing import replacing

FORMATS = (".csv", ".npy", ".npz", ".zarr")
# Enough digits to read the same number back.
DIGITS = {"float32": "%.9g", "float64": "%.17g"}


@with_kernel_options
@with_reading_options
def gram(
    dataset: DatasetArgument,
    out: Annotated[
        Path,
        typer.Option(
            help="File to write. .npz holds gram, y and parameters (JSON text); .npy and .csv the "
            "matrix alone; .zarr is a store, filled chunk by chunk."
        ),
    ],
    kernel: dict[str, Any],
    reading: ReadingOptions,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw heat map and embedding into this .png, .pdf or .svg as well."),
    ] = None,
    scheduler: SchedulerOption = None,
    chunk: ChunkOption = None,
) -> None:
    """Compute the Gram matrix of a dataset: the kernel between all its graphs.

    With --memory-limit, a matrix that takes more is computed chunk by chunk in a hidden folder
    beside the file. If the command is killed and run again, it goes on from there.

    A .zarr store is filled chunk by chunk as well; with --scheduler, by the workers of a Dask
    cluster. If the command is run again, it skips the chunks that are there and computes damaged
    ones again.
    """
    in_store = check_store_options(out, scheduler, chunk)
    if plot:
        check_picture(plot, "--plot")
    if in_store:
        from nask.storage.zarr_chunks import checked_place

        checked_place(out)
        data = reading.load_graphs(dataset)
        model = nask.NASK(**kernel)
        store = nask.write_gram(model, data.graphs, out, scheduler, y=data.y, chunk=chunk)
        matrix = store[:] if plot else np.empty(0)
    else:
        check_output(out, "--out", FORMATS)
        data = reading.load_graphs(dataset)
        matrix = _compute(data, kernel, out)
    typer.echo(f"{data.name}: wrote the kernel between {len(data)} graphs to {out}.")
    if plot:
        _draw(plot, matrix, data)
        typer.echo(f"{data.name}: drew it into {plot}.")


def _compute(data: nask.Dataset, kernel: dict[str, Any], out: Path) -> Array:
    unfinished = out.resolve().with_name(f".{out.resolve().name}.unfinished")
    model = nask.NASK(**kernel, gram_folder=unfinished)
    with _kept_while_unfinished(unfinished):
        matrix = model.fit_transform(data.graphs)
        with replacing(out, "--out") as file:
            _write(file, matrix, data, model)
    return matrix


@contextmanager
def _kept_while_unfinished(folder: Path) -> Iterator[None]:
    """Remove a folder of chunks when the block ends well, or fails before anything is stored."""
    try:
        yield
    except BaseException:
        if not any(folder.glob("*.npy")):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _write(file: Path, matrix: Array, data: nask.Dataset, model: nask.NASK) -> None:
    suffix = file.suffix.lower()
    if suffix == ".npy" and isinstance(matrix, np.memmap):
        # A link, not a move: if the process is killed now, a rerun still finds the chunks.
        try:
            os.link(str(matrix.filename), file)
        except OSError:  # a file system without links
            os.replace(str(matrix.filename), file)
        return
    if suffix == ".csv":
        np.savetxt(file, matrix, fmt=DIGITS[matrix.dtype.name], delimiter=",")
        return
    save_arrays(file, "gram", matrix, data, model)


def _draw(file: Path, matrix: Array, data: nask.Dataset) -> None:
    # Several targets per graph give no single order or colour.
    y = data.y if data.y is not None and data.y.ndim == 1 else None
    task = None if y is None else data.learning_task()[0]
    overview = nask.plots.kernel_overview(matrix, y, data.name, task=task)
    save_picture(overview, file, "--plot", dpi=200)
