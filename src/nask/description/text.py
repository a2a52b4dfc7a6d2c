"""A description as a table for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from nask.description.columns import Column
from nask.description.description import Description
from nask.description.duplicates import MOST_NODES

LEGEND = "Numbers and dates are compared by their distance, all else by equality.\n"
BARS = "▁▂▃▄▅▆▇█"
# Characters of a value, and classes that are listed.
LONGEST_VALUE, MOST_CLASSES = 14, 12
# Common values that are listed.
SHOWN = 3


def as_text(description: Description, width: int = 100) -> str:
    """Return the description as plain text.

    Examples
    --------
    >>> import nask
    >>> print(as_text(nask.load_dataset("MUTAG").describe()).splitlines()[0])
    MUTAG: 188 graphs, 3371 nodes (10 to 28 per graph, 17.9 on average), 3721 edges.
    """
    stream = StringIO()
    console = Console(file=stream, width=width, color_system=None)
    console.print(rendered(description), highlight=False, markup=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def rendered(description: Description) -> RenderableType:
    """Return what rich prints: sizes, the target, columns and what looks wrong."""
    parts: list[RenderableType] = [Text(_sizes(description)), Text(_target(description))]
    columns = [*description.columns]
    if description.target is not None:
        columns.insert(0, description.target)
    if columns:
        parts += [_table(columns), Text(LEGEND)]
    if description.n_features:
        parts.append(Text(f"Beside these, {description.n_features} columns of node_features.\n"))
    if description.items == "graphs" and description.n_nodes > MOST_NODES:
        parts.append(
            Text(f"Isomorphic graphs were not looked for: there are more than {MOST_NODES} nodes.")
        )
    parts += [Text(f"Note: {note}") for note in description.notes]
    found = description.suspicions
    parts.append(Text("Look at these:" if found else "Nothing looks wrong."))
    parts += [Text(f"{number}. {own}") for number, own in enumerate(found, start=1)]
    return Group(*parts)


def bars(counts: Sequence[int]) -> str:
    """Return a histogram as a row of bars; a count of 0 is a blank.

    Examples
    --------
    >>> bars([0, 1, 4, 8])
    ' ▁▄█'
    """
    most = max(counts, default=0)
    return "".join(
        " " if not count else BARS[math.ceil(len(BARS) * count / most) - 1] for count in counts
    )


def _sizes(description: Description) -> str:
    fewest, mean, most = description.nodes_per_graph
    edges = f"{description.n_edges} edges"
    if description.items == "nodes":
        degree = 2 * description.n_edges / max(description.n_nodes, 1)
        return (
            f"{description.name}: one network of {description.n_nodes} nodes and {edges}, "
            f"{degree:.1f} neighbours on average."
        )
    return (
        f"{description.name}: {description.n_graphs} graphs, {description.n_nodes} nodes ({fewest} "
        f"to {most} per graph, {mean:.1f} on average), {edges}."
    )


def _target(description: Description) -> str:
    items, without = description.items, description.n_without_target
    missing = f" {without} {items} have none." if without else ""
    split = ", ".join(f"{part} {size}" for part, size in description.split)
    split = f" Public split: {split}." if split else ""
    if description.target is not None:
        return f"y: numbers on a scale.{missing}{split}"
    if not description.classes:
        return f"y: no classes. (--target NAME names another column for them.){split}"
    shown = [f"{_short(label)} ({size})" for label, size in description.classes[:MOST_CLASSES]]
    if len(description.classes) > MOST_CLASSES:
        shown.append(f"{len(description.classes) - MOST_CLASSES} more")
    return f"y: {len(description.classes)} classes: {', '.join(shown)}.{missing}{split}"


def _table(columns: Sequence[Column]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("kind", overflow="fold")
    table.add_column("distinct", justify="right", no_wrap=True)
    table.add_column("missing", justify="right", no_wrap=True)
    table.add_column("values", overflow="fold")
    table.add_column("histogram", no_wrap=True, min_width=12)
    for column in columns:
        missing = "-"
        if column.missing:
            missing = f"{column.missing}\n{100 * column.share_missing:.1f} %"
        table.add_row(
            Text(f"{column.element} {column.name}"),
            column.why,
            str(column.distinct),
            missing,
            Text(_values(column)),
            Text(bars(column.counts)),
        )
    return table


def _values(column: Column) -> str:
    if column.kind == "missing":
        return ""
    if column.minimum is not None and column.maximum is not None and column.mean is not None:
        low, high = column.label(column.minimum), column.label(column.maximum)
        mean = column.label(column.mean)[:10] if column.dates else f"{column.mean:.4g}"
        return f"{low} to {high}, mean {mean}"
    present = max(column.size - column.missing, 1)
    shown = [f"{_short(own)} {100 * count / present:.0f} %" for own, count in column.common[:SHOWN]]
    return ", ".join(shown) + (", ..." if column.distinct > SHOWN else "")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
