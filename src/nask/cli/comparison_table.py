"""A comparison of methods on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nask.evaluation.comparison import Cell, Comparison, ComparisonTable
from nask.evaluation.comparison_legend import figures, mark
from nask.learning.scores import Score

# Wider than any table, to measure how wide a table is.
ENDLESS = 100_000


def comparison_tables(comparison: Comparison, console: Console) -> Iterator[Table | Padding]:
    """Yield tables that fit the terminal, one row per method, each with its legend below."""
    for table in comparison.tables:
        left = list(table.datasets)
        title = f"{table.score.title}, {table.items}"
        while left:
            number = _fitting(table, left, title, console)
            yield _drawn(table, left[:number], title)
            left, title = left[number:], ""
        # A sentence or two: not highlighted, and not centred as a caption would be.
        yield Padding(Text(" ".join(table.legend(best="*"))), (0, 1, 1, 1))


def _fitting(table: ComparisonTable, datasets: Sequence[str], title: str, console: Console) -> int:
    """Return how many datasets fit beside each other; at least one."""
    options = console.options.update(width=ENDLESS, max_width=ENDLESS)
    for number in range(len(datasets), 1, -1):
        drawn = _drawn(table, datasets[:number], title)
        if Measurement.get(console, options, drawn).maximum <= console.width:
            return number
    return 1


def _drawn(table: ComparisonTable, datasets: Sequence[str], title: str) -> Table:
    """Some columns of a table; the average rank is beside the last dataset."""
    ranked = table.ranking is not None and datasets[-1] == table.datasets[-1]
    drawn = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD)
    drawn.add_column("method", no_wrap=True)
    for heading in (*datasets, *(["average\nrank"] if ranked else [])):
        drawn.add_column(Text(heading), justify="right", no_wrap=True)
    for method in table.methods:
        rank = table.rank(method)
        drawn.add_row(
            Text(method),
            *(_cell(table.cells.get((dataset, method)), table.score) for dataset in datasets),
            *(["" if rank is None else f"{rank:.2f}"] if ranked else []),
        )
    return drawn


def _cell(cell: Cell | None, score: Score) -> Text:
    """Return a cell as text: a star marks the best, and every cell has room for a mark."""
    mean, std = figures(cell, score)
    if cell is None or cell.mean is None:
        return Text(f"{mean}  ")
    text = Text(f"*{mean}" if cell.best else mean, style="bold" if cell.best else "")
    return text.append(f" ± {std}" if std else "", style="not bold").append(f" {mark(cell) or ' '}")
