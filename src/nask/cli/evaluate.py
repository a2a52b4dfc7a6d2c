"""``nask evaluate``: scores by nested cross-validation, with records, a table and pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import nask
from nask.choices import Expansion, GridName, Items, LearningTask, SplitName
from nask.cli.arguments import (
    FoldJobsOption,
    GramsOption,
    TaskOption,
    TimeLimitOption,
    other_task,
    seconds,
    with_task,
)
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.cli.show import results_tables, show
from nask.cli.stopping import STOPPING
from nask.evaluation.records import Evaluation
from nask.exceptions import NaskError, ParameterError
from nask.lab.rivals.catalogue import RIVALS

PROTOCOL = "Protocol"
SEARCH = "Search for parameters"
EXPANSION: Expansion = "nested"


@with_reading_options
def evaluate(
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET", help="Names of datasets, such as MUTAG, or paths of your own."
        ),
    ],
    reading: ReadingOptions,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"One of: nask, {', '.join(RIVALS)}. Repeat it for several. A kernel's name with "
            "-svm, such as nask-svm, has an SVM as its learner instead of ridge regressions; with "
            "-best, the learner is chosen on each training set. Numbers on a scale have nask, the "
            "kernels and mean.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for records and pictures; a rerun goes on from them.")
    ] = Path("results"),
    grams: GramsOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per dataset and method instead.")
    ] = False,
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Draw PNG files beside the records.")
    ] = True,
    task: TaskOption = None,
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Score that counts and that parameters are chosen by, as scikit-learn calls it: "
            "balanced_accuracy, f1_macro, roc_auc, neg_log_loss, neg_mean_absolute_error, ...",
            show_default="accuracy; of numbers r2",
            rich_help_panel=PROTOCOL,
        ),
    ] = None,
    split: Annotated[
        SplitName,
        typer.Option(
            help="grouped: folds that keep isomorphic graphs together; public: the split that "
            "comes with a network (train_mask, val_mask and test_mask of nodes.csv); planetoid is "
            "an older name of it.",
            rich_help_panel=PROTOCOL,
        ),
    ] = "folds",
    folds: Annotated[
        int | None,
        typer.Option(min=2, help="Outer folds.", show_default="10", rich_help_panel=PROTOCOL),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How often folds are drawn.",
            show_default="10; of nodes 1",
            rich_help_panel=PROTOCOL,
        ),
    ] = None,
    inner: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Inner folds, on which parameters of SVMs and networks are chosen.",
            show_default="5; of nodes 3",
            rich_help_panel=PROTOCOL,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all splits.", rich_help_panel=PROTOCOL)] = 0,
    drop_rare: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Leave out classes with fewer members than N.",
            rich_help_panel=PROTOCOL,
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Take ranges and categories of attributes from each training fold alone.",
            rich_help_panel=PROTOCOL,
        ),
    ] = False,
    grid: Annotated[
        str | None,
        typer.Option(
            help=f"One of: {', '.join(get_args(GridName))}.",
            show_default="default; for nodes nodes",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    try_values: Annotated[
        list[str] | None,
        typer.Option(
            "--try",
            metavar="NAME=VALUE,...",
            help="Values to try of one parameter, instead of the grid's: --try n_hops=1,2.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    expansion: Annotated[
        Expansion,
        typer.Option(
            help="nested: stars of stars; ball: all nodes within h hops; walk: random walks of h "
            "steps.",
            rich_help_panel=SEARCH,
        ),
    ] = EXPANSION,
    n_jobs: FoldJobsOption = -1,
    time_limit: TimeLimitOption = None,
) -> None:
    """Estimate how well classes of graphs or of nodes, or numbers, are predicted.

    Nested cross-validation: parameters are chosen on each training set alone, by leave-one-out
    or on inner folds, and each test set is predicted once. If it is stopped and started again with
    the same arguments, it goes on from the last finished fold.
    """
    limit = seconds(time_limit)
    searched = grid is not None or try_values or expansion != EXPANSION
    if searched and not {"nask", "nask-svm", "nask-best"} & set(method or ["nask"]):
        raise ParameterError("--grid, --try and --expansion are for nask.")
    if pictures and find_spec("matplotlib") is None:
        typer.echo(
            "No pictures are drawn: that needs matplotlib. Install it with: "
            "pip install 'nask[plots]'",
            err=True,
        )
        pictures = False
    results: list[Evaluation] = []
    failures: list[str] = []
    for name in datasets:
        with _told(name, failures, out):
            dataset = reading.load(name, "skip")
            told = ""
            if isinstance(dataset, nask.Dataset) and dataset.y is not None:
                dataset, told = with_task(dataset, task)
                told += "" if task else other_task(dataset)
            if drop_rare is not None:
                dataset = dataset.without_rare_classes(drop_rare)
            if not as_json:
                typer.echo(f"{dataset!r}\n{told}".strip(), err=True)
            items: Items = "nodes" if isinstance(dataset, nask.NodeDataset) else "graphs"
            kind: LearningTask = "classify"
            if isinstance(dataset, nask.Dataset):
                kind = dataset.learning_task()[0]
            for label in method or ["nask"]:
                with _told(name, failures, out):
                    model = _model(label, items, kind, grid, try_values or [], expansion)
                    result = nask.evaluate(
                        model,
                        dataset,
                        scoring=scoring,
                        split=split,
                        folds=folds,
                        repeats=repeats,
                        inner=inner,
                        random_state=seed,
                        strict=strict,
                        out=out,
                        grams=grams,
                        n_jobs=n_jobs,
                        time_limit=limit,
                        progress=True,
                    )
                    results.append(result)
                    if as_json:
                        typer.echo(json.dumps(result.to_json()))
                    if pictures and result.timeout is None:
                        from nask.cli.pictures import draw_result

                        draw_result(result, model, dataset, out, n_jobs)
    if results:
        _show(results, out, as_json, pictures)
    if failures:
        raise typer.Exit(2)


@contextmanager
def _told(name: str, failures: list[str], out: Path) -> Iterator[None]:
    """Print an error, so that the next method or dataset can follow; end if the user interrupts."""
    try:
        yield
    except (NaskError, OSError) as error:
        typer.echo(f"nask: {name}: {error}", err=True)
        failures.append(name)
    except KeyboardInterrupt:
        typer.echo(
            f"nask: stopped. The same command goes on from the folds that are in {out}.", err=True
        )
        STOPPING.told = True
        raise typer.Exit(130) from None


def _model(
    name: str,
    items: Items,
    task: LearningTask,
    grid: str | None,
    values: Sequence[str],
    expansion: Expansion,
) -> Any:
    from nask.cli.grid_options import grid_from_options
    from nask.evaluation.methods import named_method
    from nask.tuning.regressor import for_numbers
    from nask.tuning.tuned import TunedStarModel

    model = named_method(name, items, task)
    if isinstance(model, TunedStarModel):
        name_of_grid = grid or ("nodes" if items == "nodes" else "default")
        found = grid_from_options(name_of_grid, values)
        if task == "regress" and not isinstance(found, str):
            found = for_numbers(found)
        model.set_params(grid=found)
        if expansion != EXPANSION:
            model.set_params(estimator=model.untuned().set_params(expansion=expansion))
    return model


def _show(results: Sequence[Evaluation], out: Path, as_json: bool, pictures: bool) -> None:
    if pictures:
        from nask.cli.pictures import draw_accuracies

        draw_accuracies(nask.read_results(out), out)
    if not as_json:
        for table in results_tables(results):
            show(table)
        show(f"Records{' and pictures' if pictures else ''} are in {out}.")
