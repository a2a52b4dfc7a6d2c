"""Results on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from nask.evaluation.records import Evaluation


def show(content: RenderableType) -> None:
    """Print a table or a paragraph on standard output."""
    Console().print(content, highlight=False, markup=False)


def results_table(results: Sequence[Evaluation]) -> Table:
    """Return one row per dataset and method: accuracy with its uncertainty, and time."""
    # Without lines between columns, so that PROTEINS_full and two deviations fit 80 characters.
    several = len({result.method for result in results}) > 1
    table = Table(
        title=f"Accuracy in %, {_protocol(results)}",
        caption=f"{_deviation(results)}{_ranges(results)}".strip(),
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0) if several else (0, 1),
    )
    table.add_column("dataset", no_wrap=True)
    if several:
        table.add_column("method", no_wrap=True)
    items = "/\n".join(sorted({result.items for result in results}))
    headings = [items, "repeats\nx folds", "largest\nclass", "accuracy", "kernel\ns", "learn\ns"]
    if several:
        headings.remove("largest\nclass")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            Text(result.dataset),
            *([result.method] if several else []),
            str(result.n_items),
            f"{result.repeats} x {result.folds}",
            *([] if several else [f"{100 * result.majority:.1f}"]),
            _accuracy(result),
            f"{result.seconds_kernel:.0f}",
            f"{result.seconds_learning:.0f}",
        )
    return table


def _accuracy(result: Evaluation) -> str:
    if result.timeout is not None:
        return "TIMEOUT"
    text = f"{100 * result.accuracy_mean:.1f}"
    if len(result.records) > 1:
        text += f" ± {100 * result.accuracy_std_folds:.1f}"
    if result.repeats > 1:
        text += f" ({100 * result.accuracy_std_repeats:.1f})"
    return text


def _protocol(results: Sequence[Evaluation]) -> str:
    """Return the protocol in words; a public split has a single fold."""
    single = {result.folds == 1 for result in results}
    names = {True: "public split", False: "nested cross-validation"}
    return " and ".join(names[kind] for kind in sorted(single))


def _deviation(results: Sequence[Evaluation]) -> str:
    if all(len(result.records) <= 1 for result in results):
        return ""
    repeated = any(result.repeats > 1 for result in results)
    brackets = ", in brackets over the means of repeats" if repeated else ""
    return f"± is the standard deviation over test folds{brackets}."


def _ranges(results: Sequence[Evaluation]) -> str:
    """Return where ranges and categories come from, if that is the same for all results."""
    kinds = {result.strict for result in results}
    if len(kinds) > 1:
        return ""
    where = "of each training set" if kinds.pop() else "of the whole (unlabelled) set"
    return f" Ranges and categories of attributes are those {where}."
