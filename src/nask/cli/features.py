"""``nask features``: one row of numbers per graph of a dataset, as a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import nask
from nask.cli.arguments import (
    ChunkOption,
    DatasetArgument,
    SchedulerOption,
    check_store_options,
)
from nask.cli.kernel_options import option, with_kernel_options
from nask.cli.output import check_output, save_arrays
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.storage.replacing import replacing

FORMATS = (".npy", ".npz", ".zarr")
OPTIONS = {
    "n_hops", "gamma", "gamma_star", "expansion", "star_norm", "normalize", "attributes", "degree",
    "similarity", "max_leaves", "use_edges", "n_jobs",
}  # fmt: skip


@partial(with_kernel_options, names=OPTIONS)
@with_reading_options
def features(
    dataset: DatasetArgument,
    out: Annotated[
        Path,
        typer.Option(
            help="File to write. .npz holds features, y and parameters (JSON text); .npy the "
            "features alone; .zarr is a store, filled chunk by chunk."
        ),
    ],
    kernel: dict[str, Any],
    reading: ReadingOptions,
    n_components: Annotated[int, option("--components", help="Numbers per row.")] = 1024,
    random_state: Annotated[int, option("--seed", help="Seed of the random features.")] = 0,
    scheduler: SchedulerOption = None,
    chunk: ChunkOption = None,
) -> None:
    """Compute features of the graphs of a dataset, whose products approximate the kernel.

    A .zarr store is filled chunk by chunk, by the workers of a Dask cluster with --scheduler. Run
    again, the command skips the chunks that are there, and does those anew that are damaged.
    """
    in_store = check_store_options(out, scheduler, chunk)
    transformer = nask.NASKFeatures(n_components=n_components, random_state=random_state, **kernel)
    if in_store:
        from nask.storage.zarr_chunks import checked_place

        checked_place(out)
        data = reading.load_graphs(dataset)
        nask.write_features(transformer, data.graphs, out, scheduler, y=data.y, chunk=chunk)
    else:
        check_output(out, "--out", FORMATS)
        data = reading.load_graphs(dataset)
        rows = transformer.fit_transform(data.graphs)
        with replacing(out, "--out") as file:
            save_arrays(file, "features", rows, data, transformer)
    typer.echo(f"{data.name}: wrote {n_components} features of {len(data)} graphs to {out}.")
