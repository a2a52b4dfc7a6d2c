"""Methods side by side on datasets: what is known of each, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nask.choices import Items
from nask.evaluation import comparison_formats as formats
from nask.evaluation.comparison_legend import count_sets, legend
from nask.evaluation.ranking import Ranking
from nask.exceptions import ParameterError, did_you_mean
from nask.learning.scores import Score
from nask.messages import quoted


@dataclass(frozen=True)
class Cell:
    """One method on one dataset.

    Shares, such as accuracies, are fractions, as everywhere in records; tables show percent.

    Parameters
    ----------
    dataset, method : str
    mean : float or None
        Mean score over all finished repeats; None for a run that was ended.
    std : float or None
        Standard deviation over all test folds; None for a single split.
    n_folds : int
        Number of test folds behind these figures.
    timeout : float or None
        Seconds after which the run was ended, if it was.
    best : bool
        Whether no mean of the dataset is higher.
    against : str or None
        The method it was tested against: the best one of the dataset, or the reference. None if
        there was no test.
    n_shared : int
        Number of folds that both have, on which they were tested.
    difference : float or None
        Mean over these folds of its score minus that of the other.
    p : float or None
        p-value of the corrected resampled t-test, with Holm's correction for all tests on the
        dataset.
    tie : bool
        Whether it was tested and does not differ significantly.
    """

    dataset: str
    method: str
    mean: float | None
    std: float | None
    n_folds: int
    timeout: float | None
    best: bool = False
    against: str | None = None
    n_shared: int = 0
    difference: float | None = None
    p: float | None = None
    tie: bool = False


@dataclass(frozen=True)
class ComparisonTable:
    """All methods on all sets of graphs, or on the nodes of all networks.

    Parameters
    ----------
    items : {"graphs", "nodes"}
        What was classified.
    methods : tuple of str
        Those with an average rank first, the best on top; then the others by name.
    datasets : tuple of str
        In the order of the results.
    cells : mapping of (dataset, method) to Cell
        Without those that were never run.
    reference : str or None
        What the others were tested against; None for the best of each dataset.
    alpha : float
        Level of significance.
    ranking : Ranking or None
        Over datasets with folds, of the methods that were run on all of them. None if there are
        fewer than two such datasets or methods.
    unranked : mapping of str to tuple of str
        Methods that are not in the ranking, and the datasets they would have needed.
    scoring : str
        The score that counts.
    """

    items: Items
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    reference: str | None
    alpha: float
    ranking: Ranking | None
    unranked: Mapping[str, tuple[str, ...]]
    scoring: str = "accuracy"

    @property
    def score(self) -> Score:
        """The score that counts."""
        return Score(self.scoring)

    def rank(self, method: str) -> float | None:
        """Return the average rank of a method, if it has one."""
        if self.ranking is None or method not in self.ranking.methods:
            return None
        return self.ranking.ranks[self.ranking.methods.index(method)]

    def legend(self, best: str = "Bold") -> list[str]:
        """Say in sentences what the marks of the table mean, and what the ranks tell.

        Parameters
        ----------
        best : str
            What marks the best figure of a dataset.
        """
        return legend(self, best)


@dataclass(frozen=True)
class Comparison:
    """Results of several methods, compared. Made by :func:`nask.compare`.

    Parameters
    ----------
    tables : tuple of ComparisonTable
        One of graphs, one of nodes, or both, for each score.
    reference : str or None
    alpha : float

    Examples
    --------
    >>> import nask
    >>> from sklearn.dummy import DummyClassifier
    >>> models = nask.NASKClassifier(n_hops=1), DummyClassifier()
    >>> results = [nask.evaluate(model, "MUTAG", folds=5, repeats=2) for model in models]
    >>> comparison = nask.compare(results)
    >>> comparison
    Comparison(2 methods, 1 set of graphs)
    >>> cell = comparison.cell("MUTAG", "DummyClassifier")
    >>> round(cell.mean, 2), cell.n_folds, cell.against, cell.tie
    (0.67, 10, 'NASKClassifier', False)
    >>> comparison.table("graphs").methods
    ('DummyClassifier', 'NASKClassifier')
    >>> comparison.cell("MUTAG", "Classifier")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: There is no result of 'Classifier' on 'MUTAG'. Did you
    mean ...?
    """

    tables: tuple[ComparisonTable, ...]
    reference: str | None
    alpha: float

    def table(self, items: Items, scoring: str | None = None) -> ComparisonTable:
        """Return the table of graphs or of nodes: the one of a score, or the first."""
        for table in self.tables:
            if table.items == items and scoring in (None, table.scoring):
                return table
        what = items if scoring is None else f"{items} with the score {quoted(scoring)}"
        raise ParameterError(f"There are no results on {what}.")

    def cell(self, dataset: str, method: str) -> Cell:
        """Return what is known of a method on a dataset."""
        for table in self.tables:
            if (dataset, method) in table.cells:
                return table.cells[dataset, method]
        known = {m for table in self.tables for d, m in table.cells if d == dataset}
        hint = did_you_mean(method, known)
        if not known:
            hint = did_you_mean(dataset, {d for table in self.tables for d in table.datasets})
        raise ParameterError(f"There is no result of {quoted(method)} on {quoted(dataset)}. {hint}")

    def to_markdown(self) -> str:
        """Return the tables in Markdown, each with its legend."""
        return formats.markdown(self)

    def to_csv(self) -> str:
        """Return one line of CSV per cell, with all its fields; shares are fractions.

        The column ``average_rank`` is that of the method over all ranked datasets.
        """
        return formats.csv_lines(self)

    def to_latex(self) -> str:
        """Return one LaTeX tabular per table; it needs the package booktabs."""
        return formats.latex(self)

    def __repr__(self) -> str:
        methods = {method for table in self.tables for method in table.methods}
        counts = [count_sets(len(table.datasets), table.items) for table in self.tables]
        return f"Comparison({len(methods)} methods, {' and '.join(counts)})"
