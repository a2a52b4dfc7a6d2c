"""Results on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from nask.evaluation.records import Evaluation


def show(content: Table | str) -> None:
    """Print a table or a paragraph on standard output."""
    Console().print(content, highlight=False)


def results_table(results: Sequence[Evaluation]) -> Table:
    """One row a dataset and method: accuracy with its uncertainty, and time."""
    first = results[0]
    protocol = f"{first.repeats} x {first.folds}" if first.repeats > 1 else "nested"
    ranges = "of each training fold" if first.strict else "of the whole (unlabelled) set"
    table = Table(
        title=f"Accuracy in %, {protocol} cross-validation",
        caption=f"± is the standard deviation over test folds{_over_repeats(results)}. "
        f"Ranges and categories of attributes are those {ranges}.",
    )
    table.add_column("dataset", no_wrap=True)
    table.add_column("method", no_wrap=True)
    headings = ["graphs", "folds", "major-\nity", "accuracy"]
    headings += ["repeats"] if any(result.repeats > 1 for result in results) else []
    for heading in (*headings, "kernel\ns", "learning\ns"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        mean = 100 * result.accuracy_mean
        cells = [
            result.dataset,
            result.method,
            str(result.n_graphs),
            str(result.folds),
            f"{100 * result.majority:.1f}",
            f"{mean:.1f} ± {100 * result.accuracy_std_folds:.1f}",
        ]
        if "repeats" in headings:
            cells.append(f"± {100 * result.accuracy_std_repeats:.1f}")
        cells += [f"{result.seconds_kernel:.1f}", f"{result.seconds_learning:.1f}"]
        table.add_row(*cells)
    return table


def _over_repeats(results: Sequence[Evaluation]) -> str:
    many = any(result.repeats > 1 for result in results)
    return ", then over the means of repeats" if many else ""
