"""``nask league``: all kernels with both learners on all sets, and who is first."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markdown import Markdown

import nask
from nask.cli.arguments import (
    FoldJobsOption,
    TimeLimitOption,
    seconds,
)
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.cli.show import show
from nask.evaluation.records import Evaluation
from nask.exceptions import NaskError, ParameterError
from nask.lab.rivals.catalogue import GRAPH_RIVALS, KERNEL_RIVALS
from nask.messages import quoted
from nask.storage.replacing import replacing

# How often folds are drawn, by the number of graphs: the larger a set, the less they differ.
REPEATS = {700: 10, 1500: 3}
FOLDS = 10
FLOORS = ("majority",)
PAGE, PICTURE, TWINS = "league.md", "league.png", "twins.json"


@with_reading_options
def league(
    reading: ReadingOptions,
    datasets: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATASET", help="Names or paths.", show_default="all at hand"),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"One of: nask, {', '.join(GRAPH_RIVALS)}. Repeat it for several.",
            show_default="nask and all other kernels, and the largest class",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for records and the page; a rerun goes on from them.")
    ] = Path("league"),
    reference: Annotated[
        str, typer.Option(metavar="NAME", help="Method that all others are compared with.")
    ] = "nask",
    svm: Annotated[
        bool,
        typer.Option("--svm/--no-svm", help="Run and rank every kernel with SVMs, too."),
    ] = True,
    grouped: Annotated[
        bool,
        typer.Option(
            "--grouped/--no-grouped",
            help="Where graphs are isomorphic, also with folds that keep them together.",
        ),
    ] = True,
    run: Annotated[
        bool,
        typer.Option("--run/--no-run", help="Run what is missing, or rank what is there."),
    ] = True,
    seed: Annotated[int, typer.Option(help="Of all splits.")] = 0,
    n_jobs: FoldJobsOption = -1,
    time_limit: TimeLimitOption = None,
) -> None:
    """Rank kernels over many sets, and tell how sure the ranks are.

    Every kernel is evaluated with ridge regressions and with SVMs, and each fold takes the learner
    that did better in its training set. Sets of up to 700 graphs have 10 x 10 folds, up to 1500
    3 x 10, and 1 x 10 above; fewer folds where a class has fewer graphs. It takes hours; if it is
    stopped and started again, it goes on.
    """
    methods = method or ["nask", *KERNEL_RIVALS, *FLOORS]
    # Before hours of work that could not be ranked.
    if reference not in methods:
        raise ParameterError(
            f"The reference {quoted(reference)} is not among the methods: add --method "
            f"{reference}, or choose --reference {methods[0]}."
        )
    failures: list[str] = []
    if run:
        from nask.evaluation.methods import named_method

        limit = seconds(time_limit)
        for name in methods:
            named_method(name)
        for dataset in [reading.load_graphs(name) for name in datasets or _at_hand()]:
            failures += _run(dataset, methods, out, svm, grouped, seed, n_jobs, limit)
    labels = [*methods, *(f"{name}-svm" for name in methods)] if svm else methods
    sets = None if datasets is None else {reading.load(name).name for name in datasets}
    results = _chosen(nask.read_results(out), sets, labels)
    _report(results, out, reference)
    if failures:
        typer.echo(f"nask: not evaluated: {'; '.join(failures)}.", err=True)
        raise typer.Exit(2)


def _at_hand() -> list[str]:
    """Return the sets of graphs with classes that need no download."""
    from nask.datasets.catalogue import catalogue

    known = catalogue()
    return [
        name
        for name in nask.datasets.available_datasets()
        if name in known and known[name].task == "graph classification"
    ]


def _run(
    dataset: nask.Dataset,
    methods: Sequence[str],
    out: Path,
    svm: bool,
    grouped: bool,
    seed: int,
    n_jobs: int,
    limit: float | None,
) -> list[str]:
    """Evaluate all methods on a set, with Gram matrices that are then deleted; tell what failed."""
    from nask.evaluation.twins import Twins

    y = np.asarray(dataset.y)
    n_graphs = len(y)
    # Every fold has graphs of each class.
    folds = min(FOLDS, np.unique(y, return_counts=True)[1].min())
    repeats = next((own for size, own in REPEATS.items() if n_graphs <= size), 1)
    twins = _read_twins(out)
    if dataset.name not in twins:
        twins[dataset.name] = Twins.of(dataset.graphs, y)
        out.mkdir(parents=True, exist_ok=True)
        with replacing(out / TWINS, "--out") as temporary:
            temporary.write_text(json.dumps(twins, indent=1) + "\n", encoding="utf-8")
    has_twins = twins[dataset.name].with_twin > 0
    grams = out / "grams" / dataset.name
    failures = []
    for plain in methods:
        both = svm and (plain == "nask" or plain in KERNEL_RIVALS)
        for label in (plain, f"{plain}-svm") if both else (plain,):
            for split in ("folds", "grouped") if grouped and has_twins else ("folds",):
                typer.echo(f"{dataset.name}: {label}, {split}", err=True)
                try:
                    nask.evaluate(
                        label,
                        dataset,
                        split=split,
                        folds=int(folds),
                        repeats=repeats,
                        random_state=seed,
                        out=out,
                        grams=grams,
                        n_jobs=n_jobs,
                        time_limit=limit,
                        progress=True,
                    )
                except NaskError as error:
                    typer.echo(f"nask: {dataset.name}: {label}: {error}", err=True)
                    failures.append(f"{label} on {dataset.name}, {split}")
        shutil.rmtree(grams, ignore_errors=True)
    return failures


def _chosen(
    results: Sequence[Evaluation], sets: Collection[str] | None, labels: Sequence[str]
) -> list[Evaluation]:
    return [
        own
        for own in results
        if own.method in labels and (sets is None or own.dataset.partition("@")[0] in sets)
    ]


def _report(results: Sequence[Evaluation], out: Path, reference: str) -> None:
    from nask.evaluation.league_page import GROUPED, league_page

    page = league_page(results, reference, _read_twins(out))
    with replacing(out / PAGE, "--out") as temporary:
        temporary.write_text(page, encoding="utf-8")
    written = str(out / PAGE)
    if find_spec("matplotlib") is not None:
        from nask.cli.output import save_picture
        from nask.evaluation.league import with_best_learner

        plain = [own for own in with_best_learner(results) if GROUPED not in own.dataset]
        figure = nask.plots.league_table(nask.league(plain, reference))
        save_picture(figure, out / PICTURE, "--out")
        written += f", the picture in {out / PICTURE}"
    show(Markdown(page.partition("## Accuracy")[0]))
    show(f"All tables are in {written}.")


def _read_twins(out: Path) -> dict[str, nask.evaluation.twins.Twins]:
    from nask.evaluation.twins import Twins

    path = out / TWINS
    if not path.exists():
        return {}
    return {name: Twins(*own) for name, own in json.loads(path.read_text("utf-8")).items()}
