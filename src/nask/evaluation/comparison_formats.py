"""Comparisons as files: Markdown, CSV and LaTeX.

Written without DataFrames, which would need pandas, tabulate and jinja2.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from nask.evaluation.comparison_legend import figures, mark
from nask.learning.scores import Score

if TYPE_CHECKING:
    from nask.evaluation.comparison import Cell, Comparison, ComparisonTable

LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "<": "$<$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def markdown(comparison: Comparison) -> str:
    """Return the tables in Markdown, one row per method, each with its legend."""
    return "\n\n".join(_markdown_table(table) for table in comparison.tables) + "\n"


def _markdown_table(table: ComparisonTable) -> str:
    headings, *rows = _grid(table, _bare, _markdown_cell)
    lines = [f"| {' | '.join(row)} |" for row in (headings, *rows)]
    lines.insert(1, f"|---|{'---:|' * (len(headings) - 1)}")
    head = f"**{_bare(table.score.title)}, {table.items}**"
    return "\n".join([head, "", *lines, "", " ".join(table.legend())])


def _grid(
    table: ComparisonTable, word: Callable[[str], str], figure: Callable[[Cell | None, Score], str]
) -> list[list[str]]:
    """Return the cells of a table as text: a row of headings, then one row per method."""
    ranked = table.ranking is not None
    headings = ["method", *table.datasets, *(["average rank"] if ranked else [])]
    rows = [
        [
            word(method),
            *(
                figure(table.cells.get((dataset, method)), table.score)
                for dataset in table.datasets
            ),
            *([_rank(table, method)] if ranked else []),
        ]
        for method in table.methods
    ]
    return [[word(heading) for heading in headings], *rows]


def _markdown_cell(cell: Cell | None, score: Score) -> str:
    mean, std = figures(cell, score)
    if cell is None or cell.mean is None:
        return mean
    parts = [f"**{mean}**" if cell.best else mean, f"± {std}" if std else "", mark(cell)]
    return " ".join(part for part in parts if part)


def _bare(text: str) -> str:
    """Return text with what is not text in Markdown escaped: bars end cells, tildes strike out."""
    return text.replace("|", "\\|").replace("~", "\\~")


def _rank(table: ComparisonTable, method: str) -> str:
    rank = table.rank(method)
    return "" if rank is None else f"{rank:.2f}"


def csv_lines(comparison: Comparison) -> str:
    """Return one line per cell; shares are fractions, and unknown values are empty."""
    rows = [
        {
            "items": table.items,
            "score": table.scoring,
            **asdict(cell),
            "average_rank": table.rank(cell.method),
        }
        for table in comparison.tables
        for cell in table.cells.values()
    ]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def latex(comparison: Comparison) -> str:
    """Return one tabular per table, with its legend as a paragraph."""
    return "\n".join(_latex_table(table) for table in comparison.tables)


def _latex_table(table: ComparisonTable) -> str:
    headings, *rows = _grid(table, escaped, _latex_cell)
    return "\n".join(
        [
            f"% {table.score.title}, {table.items}; needs \\usepackage{{booktabs}}",
            f"\\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}",
            "\\toprule",
            f"{' & '.join(headings)} \\\\",
            "\\midrule",
            *(f"{' & '.join(row)} \\\\" for row in rows),
            "\\bottomrule",
            "\\end{tabular}",
            "",
            escaped(" ".join(table.legend())),
            "",
        ]
    )


def _latex_cell(cell: Cell | None, score: Score) -> str:
    mean, std = figures(cell, score)
    if cell is None or cell.mean is None:
        return "--" if cell is None else mean
    text = f"\\textbf{{{mean}}}" if cell.best else mean
    if std:
        text += f" $\\pm$ {std}"
    return f"{text}$^{{{mark(cell)}}}$" if mark(cell) else text


def escaped(text: str) -> str:
    r"""Return text as LaTeX prints it.

    Examples
    --------
    >>> print(escaped("PTC_MR & 5 %"))
    PTC\_MR \& 5 \%
    """
    return "".join(LATEX_ESCAPES.get(character, character) for character in text)
