"""What the cells of a comparison show, and the sentences below them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from nask.learning.scores import ACCURACY, Score

if TYPE_CHECKING:
    from nask.evaluation.comparison import Cell, ComparisonTable

Mark = Literal["", "=", "+"]
NOT_RUN = "-"
# More names would make the sentence longer than the table.
MOST_NAMES = 3


def mark(cell: Cell) -> Mark:
    """Return "=" for a tie, "+" for significantly better than the reference, else nothing.

    Examples
    --------
    >>> from nask.evaluation.comparison import Cell
    >>> cell = Cell("MUTAG", "wl", 0.87, 0.07, 10, None, against="nask", p=0.4, tie=True)
    >>> mark(cell)
    '='
    """
    if cell.tie:
        return "="
    return "+" if cell.difference is not None and cell.difference > 0 else ""


def figures(cell: Cell | None, score: Score = ACCURACY) -> tuple[str, str]:
    """Return mean and deviation as text, shares in percent; or the text shown instead.

    Examples
    --------
    >>> from nask.evaluation.comparison import Cell
    >>> figures(Cell("MUTAG", "wl", 0.871, 0.07, 10, None)), figures(None)
    (('87.1', '7.0'), ('-', ''))
    """
    if cell is None:
        return NOT_RUN, ""
    if cell.mean is None:
        return "TIMEOUT", ""
    return score.text(cell.mean), "" if cell.std is None else score.text(cell.std)


def count_sets(number: int, items: str) -> str:
    """Count datasets in words.

    Examples
    --------
    >>> count_sets(1, "nodes"), count_sets(6, "graphs")
    ('1 network', '6 sets of graphs')
    """
    kinds = {"graphs": ("set of graphs", "sets of graphs"), "nodes": ("network", "networks")}
    one, several = kinds[items]
    return f"{number} {one if number == 1 else several}"


def legend(table: ComparisonTable, best: str) -> list[str]:
    """Say what the marks of a table mean, and what the ranks tell."""
    cells = table.cells.values()
    sentences = []
    if any(cell.std is not None for cell in cells):
        sentences.append("± is the standard deviation over test folds.")
    test = f"(corrected resampled t-test over shared folds, Holm, alpha {table.alpha:g})"
    if not any(cell.against for cell in cells):
        sentences.append(f"{best} is the best of each set.")
    elif table.reference is None:
        sentences.append(
            f"{best} is the best of each set; = does not differ from it significantly {test}."
        )
        if any(mark(cell) == "+" for cell in cells):
            sentences.append("+ is better than it on the folds both have.")
    else:
        sentences.append(
            f"{best} is the best of each set. Beside {table.reference}, = does not differ "
            f"significantly, + is better, and what has no mark is worse, or was not tested {test}."
        )
    if table.reference:
        where = [d for d in table.datasets if _is_empty(table.cells.get((d, table.reference)))]
        if where:
            sentences.append(f"{table.reference} has no figure to test against on {_some(where)}.")
    if any(cell.mean is not None and cell.std is None for cell in cells):
        sentences.append("A public split is a single figure, without deviation, test or rank.")
    return [*sentences, *_rank_sentences(table)]


def _is_empty(cell: Cell | None) -> bool:
    return cell is None or cell.mean is None


def _rank_sentences(table: ComparisonTable) -> list[str]:
    ranking = table.ranking
    if ranking is None:
        return [
            "There are no average ranks: they need two methods with results on all sets that "
            "have folds and several methods, two at least."
        ]
    ranks = ", ".join(f"{m} {r:.2f}" for m, r in zip(ranking.methods, ranking.ranks, strict=True))
    ended = any(
        table.cells[dataset, method].timeout is not None
        for dataset in ranking.datasets
        for method in ranking.methods
    )
    sentences = [
        f"Average ranks on {count_sets(len(ranking.datasets), table.items)}: {ranks}"
        f"{'; TIMEOUT shares the last rank' if ended else ''}.",
        f"Friedman test: {p_text(ranking.friedman_p)}; ranks that differ by less than "
        f"{ranking.critical_difference:.2f} are not significantly different (Nemenyi, alpha "
        f"{ranking.alpha:g}).",
    ]
    if ranking.critical_difference > len(ranking.methods) - 1:
        sentences.append("No ranks could differ by that much: the sets are too few.")
    if table.unranked:
        left_out = [f"{method} ({_some(sets)})" for method, sets in table.unranked.items()]
        sentences.append(f"Not ranked, being without these sets: {', '.join(left_out)}.")
    return sentences


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    if len(shown) > MOST_NAMES + 1:
        shown[MOST_NAMES:] = [f"{len(shown) - MOST_NAMES} more"]
    return ", ".join(shown)


def p_text(p: float) -> str:
    """Return a p-value in words, with the digits that matter.

    Examples
    --------
    >>> p_text(0.0412), p_text(1e-9), p_text(1.0)
    ('p = 0.041', 'p < 0.001', 'p = 1.000')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
