"""``nask features``: a row of numbers for each graph of a dataset, as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

import nask
from nask.cli.arguments import CategoricalOption, DatasetArgument, JobsOption, load_graphs
from nask.cli.kernel_options import KERNEL
from nask.cli.output import output_file
from nask.cli.store_options import ChunkOption, SchedulerOption, check_store_options
from nask.cluster.features import RUNNING, write_features
from nask.cluster.store import checked_place
from nask.io.dataset import Dataset
from nask.kernels.nask import NASK

FORMATS = (".npy", ".npz", ".zarr")


def features(
    dataset: DatasetArgument,
    out: Annotated[
        Path,
        typer.Option(
            help="File to write. .npz holds features, y and parameters (JSON text); .npy the "
            "features alone; .zarr is a chunked store, filled partition by partition."
        ),
    ],
    n_components: Annotated[
        int, typer.Option("--components", help="Numbers of a row.", rich_help_panel=KERNEL)
    ] = 1024,
    n_hops: Annotated[
        int, typer.Option("--hops", help="How far stars reach.", rich_help_panel=KERNEL)
    ] = NASK.n_hops,
    gamma: Annotated[
        float,
        typer.Option(
            help="How fast similarity falls with a difference in an attribute.",
            rich_help_panel=KERNEL,
        ),
    ] = 1.0,
    gamma_star: Annotated[
        float,
        typer.Option(
            help="How sharply stars are told apart from the second hop on.", rich_help_panel=KERNEL
        ),
    ] = NASK.gamma_star,
    random_state: Annotated[
        int, typer.Option("--seed", help="Of what is drawn.", rich_help_panel=KERNEL)
    ] = 0,
    n_jobs: JobsOption = -1,
    categorical: CategoricalOption = "",
    scheduler: SchedulerOption = None,
    chunk: ChunkOption = None,
) -> None:
    """Compute features of the graphs of a dataset, whose products approximate the kernel.

    A .zarr store is filled partition by partition, by the workers of a Dask cluster with
    --scheduler. Run again, the command skips the partitions that are there, and does those anew
    that are damaged.
    """
    in_store = check_store_options(out, scheduler, chunk)
    transformer = _transformer(
        n_components=n_components,
        n_hops=n_hops,
        gamma=gamma,
        gamma_star=gamma_star,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=True,
    )
    if in_store:
        checked_place(out)
        data = load_graphs(dataset, categorical)
        write_features(transformer, data.graphs, out, scheduler, y=data.y, chunk=chunk)
    else:
        with output_file(out, "--out", FORMATS) as file:
            data = load_graphs(dataset, categorical)
            _write(file, transformer.fit_transform(data.graphs), data, transformer)
    typer.echo(f"{data.name}: wrote {n_components} features of {len(data)} graphs to {out}.")


def _transformer(**parameters: Any) -> Any:
    return nask.NASKFeatures(**parameters)


def _write(file: Path, rows: npt.NDArray[Any], data: Dataset, transformer: Any) -> None:
    # Opened here: given a name, numpy would add its own ending to one in capitals.
    with file.open("wb") as stream:
        if file.suffix.lower() == ".npy":
            np.save(stream, rows)
            return
        parameters = {k: v for k, v in transformer.get_params().items() if k not in RUNNING}
        arrays: dict[str, Any] = {"features": rows, "parameters": json.dumps(parameters)}
        if data.y is not None:
            # Text, where numpy would have to pickle.
            arrays["y"] = data.y.astype(str) if data.y.dtype == object else data.y
        np.savez(stream, **arrays)
