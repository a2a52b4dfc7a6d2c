"""Results on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from nask.evaluation.records import Evaluation


def show(content: Table | str) -> None:
    """Print a table or a paragraph on standard output."""
    Console().print(content, highlight=False)


def results_table(results: Sequence[Evaluation]) -> Table:
    """One row a dataset and method: accuracy with its uncertainty, and time."""
    repeated = any(result.repeats > 1 for result in results)
    deviation = "± is the standard deviation over test folds"
    deviation += ", in brackets over the means of repeats" if repeated else ""
    # Without lines between columns, so that PROTEINS_full and two deviations fit 80 characters.
    table = Table(
        title="Accuracy in %, nested cross-validation",
        caption=f"{deviation}.{_ranges(results)}",
        box=SIMPLE_HEAD,
    )
    several = len({result.method for result in results}) > 1
    table.add_column("dataset", no_wrap=True)
    if several:
        table.add_column("method", no_wrap=True)
    headings = ("graphs", "repeats\nx folds", "largest\nclass", "accuracy", "kernel\ns", "SVM\ns")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        repeats = f" ({100 * result.accuracy_std_repeats:.1f})" if result.repeats > 1 else ""
        table.add_row(
            result.dataset,
            *([result.method] if several else []),
            str(result.n_graphs),
            f"{result.repeats} x {result.folds}",
            f"{100 * result.majority:.1f}",
            f"{100 * result.accuracy_mean:.1f} ± {100 * result.accuracy_std_folds:.1f}{repeats}",
            f"{result.seconds_kernel:.0f}",
            f"{result.seconds_learning:.0f}",
        )
    return table


def _ranges(results: Sequence[Evaluation]) -> str:
    """Where ranges and categories come from, if that is the same for all."""
    kinds = {result.strict for result in results}
    if len(kinds) > 1:
        return ""
    where = "of each training part" if kinds.pop() else "of the whole (unlabelled) set"
    return f" Ranges and categories of attributes are those {where}."
