"""Results on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from nask.evaluation.records import ERRORS, Evaluation
from nask.learning.scores import ACCURACY


def show(content: RenderableType) -> None:
    """Print a table or a paragraph on standard output."""
    Console().print(content, highlight=False, markup=False)


def results_tables(results: Sequence[Evaluation]) -> Iterator[Table]:
    """Yield one table for each score that counts: accuracies first, numbers last."""
    for scoring in dict.fromkeys(own.scoring for own in sorted(results, key=_order)):
        yield results_table([own for own in results if own.scoring == scoring])


def results_table(results: Sequence[Evaluation]) -> Table:
    """Return one row per dataset and method: the score with its uncertainty, and time.

    Parameters
    ----------
    results : sequence of Evaluation
        With the same score.
    """
    # Without lines between columns, so that PROTEINS_full and two deviations fit 80 characters.
    several = len({result.method for result in results}) > 1
    score = results[0].score
    numbers = score.task == "regress"
    table = Table(
        title=f"{score.title}, {_protocol(results)}",
        caption=f"{_deviation(results)}{_ranges(results)}".strip(),
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0) if several else (0, 1),
    )
    table.add_column("dataset", no_wrap=True)
    if several:
        table.add_column("method", no_wrap=True)
    items = "/\n".join(sorted({result.items for result in results}))
    with_majority = not several and not numbers
    # With two errors and several methods there is no room; records have the seconds.
    with_seconds = not (several and numbers)
    errors = [name for name in ERRORS if numbers and score.name != name]
    headings = [
        items,
        "repeats\nx folds",
        *(["largest\nclass"] if with_majority else []),
        score.short if score != ACCURACY else "accuracy",
        *(name.upper() for name in errors),
        *(["kernel\ns", "learn\ns"] if with_seconds else []),
    ]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            Text(result.dataset),
            *([result.method] if several else []),
            str(result.n_items),
            f"{result.repeats} x {result.folds}",
            *([f"{100 * result.majority:.1f}"] if with_majority else []),
            _score(result),
            *(_error(result, name) for name in errors),
            *([f"{result.seconds_kernel:.0f}"] if with_seconds else []),
            *([f"{result.seconds_learning:.0f}"] if with_seconds else []),
        )
    return table


def _order(result: Evaluation) -> tuple[bool, bool]:
    return result.score != ACCURACY, result.task == "regress"


def _score(result: Evaluation) -> str:
    if result.timeout is not None:
        return "TIMEOUT"
    text = result.score.text(result.score_mean)
    if len(result.records) > 1:
        text += f" ± {result.score.text(result.score_std_folds)}"
    if _tells_repeats(result):
        text += f" ({result.score.text(result.score_std_repeats)})"
    return text


def _tells_repeats(result: Evaluation) -> bool:
    """Whether there is room for the deviation over repeats, which numbers have none for."""
    return result.repeats > 1 and result.task == "classify"


def _error(result: Evaluation, name: str) -> str:
    """Mean over folds of R2, or of an error of numbers."""
    return "" if result.timeout is not None else f"{result.errors()[name].mean():.3g}"


def _protocol(results: Sequence[Evaluation]) -> str:
    """Return the protocol in words; a public split has a single fold."""
    single = {result.folds == 1 for result in results}
    names = {True: "public split", False: "nested cross-validation"}
    return " and ".join(names[kind] for kind in sorted(single))


def _deviation(results: Sequence[Evaluation]) -> str:
    if all(len(result.records) <= 1 for result in results):
        return ""
    repeated = any(map(_tells_repeats, results))
    brackets = ", in brackets over the means of repeats" if repeated else ""
    return f"± is the standard deviation over test folds{brackets}."


def _ranges(results: Sequence[Evaluation]) -> str:
    """Return where ranges and categories come from, if that is the same for all results."""
    kinds = {result.strict for result in results}
    if len(kinds) > 1:
        return ""
    where = "of each training set" if kinds.pop() else "of the whole (unlabelled) set"
    return f" Ranges and categories of attributes are those {where}."
