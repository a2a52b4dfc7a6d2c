"""nask.compare: what is tested against what, on which folds, and who is ranked."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import nask
from made_up_results import result, single, write
from nask.evaluation.significance import holm
from nask.exceptions import InputError, ParameterError

NASK = [9, 8, 9, 10, 9, 8, 9, 9, 10, 9]
NEAR = [9, 9, 8, 10, 8, 9, 9, 8, 10, 9]
FAR = [5, 6, 4, 5, 6, 5, 5, 6, 4, 5]


def by_hand(one, other, ratio):
    """The corrected test, from its formula, of numbers of right ones in folds of ten."""
    d = (np.array(one) - np.array(other)) / 10
    n = len(d)
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / n + ratio))
    return 2 * stats.t.sf(abs(t), n - 1)


def test_cells_against_numbers_by_hand():
    comparison = nask.compare(
        [result("A", "near", NEAR), result("A", "nask", NASK), result("A", "far", FAR)]
    )
    best, near, far = (comparison.cell("A", method) for method in ("nask", "near", "far"))
    assert best.best
    assert (best.against, best.p, best.tie) == (None, None, False)
    assert best.mean == pytest.approx(0.9)
    assert best.std == pytest.approx(np.std(np.array(NASK) / 10))
    assert best.n_folds == 10
    # Folds of 10 out of 50: every test fold has a training set four times as large.
    raw = [by_hand(NEAR, NASK, 10 / 40), by_hand(FAR, NASK, 10 / 40)]
    assert [near.p, far.p] == pytest.approx(holm(raw), rel=1e-6)
    assert (near.tie, far.tie) == (True, False)
    assert (near.against, near.n_shared) == ("nask", 10)
    assert far.difference == pytest.approx((sum(FAR) - sum(NASK)) / 100)
    assert not near.best


def test_a_mean_is_over_own_repeats_and_a_test_over_shared_folds():
    comparison = nask.compare([result("A", "nask", NASK), result("A", "far", FAR[:5])])
    assert comparison.cell("A", "nask").mean == pytest.approx(0.9)
    assert comparison.cell("A", "nask").n_folds == 10
    far = comparison.cell("A", "far")
    assert (far.n_folds, far.n_shared) == (5, 5)
    assert far.p == pytest.approx(by_hand(FAR[:5], NASK[:5], 1 / 4), rel=1e-6)


def test_a_reference_is_what_others_are_tested_against():
    results = [result("A", "near", NEAR), result("A", "nask", NASK), result("A", "far", FAR)]
    comparison = nask.compare(results, reference="near")
    nask_, far = comparison.cell("A", "nask"), comparison.cell("A", "far")
    assert nask_.against == far.against == "near"
    assert nask_.best
    assert nask_.tie
    raw = [by_hand(NASK, NEAR, 1 / 4), by_hand(FAR, NEAR, 1 / 4)]
    assert [nask_.p, far.p] == pytest.approx(holm(raw), rel=1e-6)
    assert comparison.cell("A", "near").p is None
    from_below = nask.compare(results, reference="far").cell("A", "nask")
    assert from_below.difference > 0
    assert not from_below.tie


def test_alpha_decides_what_is_a_tie():
    results = [result("A", "nask", NASK), result("A", "near", NEAR)]
    p = nask.compare(results).cell("A", "near").p
    assert nask.compare(results, alpha=p * 0.99).cell("A", "near").tie
    assert not nask.compare(results, alpha=p * 1.01).cell("A", "near").tie


def test_equal_methods_are_both_best_and_tie():
    shuffled = [8, 9, 10, 9, 9, 9, 8, 10, 9, 9]
    comparison = nask.compare(
        [result("A", "one", NASK), result("A", "two", NASK), result("A", "three", shuffled)]
    )
    cells = [comparison.cell("A", method) for method in ("one", "two", "three")]
    assert all(cell.best for cell in cells)
    assert (cells[0].p, cells[1].p) == (None, 1.0)
    assert sum(cell.tie for cell in cells) == 2


def test_other_folds_are_an_error_that_tells_what_to_do():
    with pytest.raises(ParameterError) as raised:
        nask.compare([result("A", "nask", NASK), result("A", "other", NASK, seed=1)])
    message = str(raised.value)
    assert "not tested on the same folds of A" in message
    assert "5 folds with seed 1" in message
    assert "leave it out" in message
    with pytest.raises(ParameterError, match="not tested on the same folds"):
        nask.compare([result("A", "nask", NASK), result("A", "other", NASK, folds=10)])


def three_sets(*left_out):
    """Three methods on three sets, without some (dataset, method)."""
    right = {"nask": NASK, "near": NEAR, "far": FAR}
    return [
        result(dataset, method, right[method])
        for dataset in "ABC"
        for method in ("far", "nask", "near")
        if (dataset, method) not in left_out
    ]


def test_ranks_over_all_sets():
    table = nask.compare(three_sets()).table("graphs")
    assert table.methods == ("nask", "near", "far")
    assert table.ranking.ranks == (1.0, 2.0, 3.0)
    assert table.ranking.datasets == ("A", "B", "C")
    assert [table.rank(method) for method in ("far", "nask")] == [3.0, 1.0]
    assert not table.unranked
    expected = stats.friedmanchisquare([0.9] * 3, [0.89] * 3, [0.5] * 3).pvalue
    assert table.ranking.friedman_p == pytest.approx(expected)


def test_a_method_that_was_not_run_everywhere_is_not_ranked_and_named():
    table = nask.compare(three_sets(("B", "near"))).table("graphs")
    assert table.ranking.methods == ("nask", "far")
    assert table.ranking.ranks == (1.0, 2.0)
    assert table.methods == ("nask", "far", "near")
    assert table.unranked == {"near": ("B",)}
    assert table.rank("near") is None
    assert "Not ranked, being without these sets: near (B)." in table.legend()


def test_a_set_with_a_single_method_counts_for_nobody():
    table = nask.compare([*three_sets(), result("D", "nask", NASK)]).table("graphs")
    assert table.ranking.datasets == ("A", "B", "C")
    assert len(table.ranking.methods) == 3
    assert "D" in table.datasets


def test_without_two_methods_on_two_sets_there_are_no_ranks():
    table = nask.compare(three_sets(("A", "near"), ("B", "far"), ("B", "near"))).table("graphs")
    # B is left with one method; of A and C, near has C only.
    assert table.ranking.datasets == ("A", "C")
    table = nask.compare([result("A", "nask", NASK), result("A", "far", FAR)]).table("graphs")
    assert table.ranking is None
    assert table.methods == ("far", "nask")
    assert "no average ranks" in " ".join(table.legend())


def test_a_run_that_was_ended_has_no_figure_and_shares_the_last_rank():
    slow = result("B", "near", [], timeout=60.0)
    comparison = nask.compare([*three_sets(("B", "near")), slow])
    cell = comparison.cell("B", "near")
    assert (cell.mean, cell.std, cell.p, cell.tie, cell.best) == (None, None, None, False, False)
    assert cell.timeout == 60.0
    assert cell.n_folds == 0
    table = comparison.table("graphs")
    ranks = dict(zip(table.ranking.methods, table.ranking.ranks, strict=True))
    assert ranks == pytest.approx({"nask": 1, "near": (2 + 3 + 2) / 3, "far": (3 + 2 + 3) / 3})
    assert "TIMEOUT shares the last rank" in " ".join(table.legend())
    # The others are still tested, with a correction for one test less.
    assert comparison.cell("B", "far").p == pytest.approx(by_hand(FAR, NASK, 1 / 4), rel=1e-6)


def test_an_ended_run_is_never_asked_for_its_accuracy_whatever_records_it_has():
    half = replace(result("A", "slow", NASK), records=result("A", "x", NASK).records[:3], timeout=9)
    comparison = nask.compare([result("A", "nask", NASK), half, result("A", "far", FAR)])
    assert comparison.cell("A", "slow").mean is None
    assert comparison.cell("A", "far").against == "nask"


def test_all_runs_ended_and_a_reference_that_was_ended():
    slow = [result("A", method, [], timeout=5.0) for method in ("far", "nask", "near")]
    others = [made for made in three_sets() if made.dataset != "A"]
    comparison = nask.compare([*slow, *others], reference="nask")
    assert comparison.cell("A", "far").p is None
    assert "nask has no figure to test against on A." in comparison.table("graphs").legend()
    assert comparison.table("graphs").ranking.ranks[0] == pytest.approx((2 + 1 + 1) / 3)


def test_a_public_split_has_no_deviation_no_test_and_no_rank():
    public = [single("Cora", "nask", 40), single("Cora", "gcn", 41)]
    folds = [result(d, m, NASK, items="nodes") for d in ("Cora", "Pubmed") for m in ("nask", "gcn")]
    comparison = nask.compare([*public, *folds])
    cell = comparison.cell("Cora@planetoid", "nask")
    assert (cell.mean, cell.std, cell.p, cell.against) == (0.8, None, None, None)
    assert comparison.cell("Cora@planetoid", "gcn").best
    table = comparison.table("nodes")
    assert table.ranking.datasets == ("Cora", "Pubmed")
    assert "A public split is a single figure" in " ".join(table.legend())


def test_graphs_and_nodes_are_apart():
    nodes = [result(d, m, NASK, items="nodes") for d in ("X", "Y") for m in ("nask", "gcn")]
    comparison = nask.compare([*nodes, *three_sets()])
    assert [table.items for table in comparison.tables] == ["graphs", "nodes"]
    assert comparison.table("nodes").ranking.datasets == ("X", "Y")
    assert comparison.table("graphs").ranking.datasets == ("A", "B", "C")
    assert repr(comparison) == "Comparison(4 methods, 3 sets of graphs and 2 networks)"
    with pytest.raises(ParameterError, match="no results on nodes"):
        nask.compare(three_sets()).table("nodes")


def test_a_folder_gives_the_same_as_its_results(tmp_path):
    folder = write(tmp_path / "results", *three_sets())
    assert nask.compare(str(folder)) == nask.compare(folder) == nask.compare(three_sets())
    assert nask.compare(nask.read_results(folder), "nask") == nask.compare(folder, "nask")


def test_mistakes(tmp_path):
    with pytest.raises(ParameterError, match=r"has no results.*nask evaluate --out"):
        nask.compare(tmp_path)
    with pytest.raises(ParameterError, match="not a folder"):
        nask.compare(tmp_path / "nowhere")
    with pytest.raises(ParameterError, match="no results"):
        nask.compare([])
    with pytest.raises(ParameterError, match=r"no dataset has results of two.*there of 'nask'\."):
        nask.compare([result("A", "nask", NASK), result("B", "nask", NASK)])
    with pytest.raises(ParameterError, match="two results of nask on A"):
        nask.compare([result("A", "nask", NASK)] * 2)
    with pytest.raises(ParameterError, match=r"reference 'naks'\. Did you mean 'nask'"):
        nask.compare(three_sets(), "naks")
    for alpha in (0, 1, -0.1, float("nan")):
        with pytest.raises(ParameterError, match="'alpha' parameter of compare"):
            nask.compare(three_sets(), alpha=alpha)
    with pytest.raises(InputError, match="Got str in it"):
        nask.compare(["A", "B"])
    with pytest.raises(ParameterError, match="Did you mean 'nask'"):
        nask.compare(three_sets()).cell("A", "nas")
    with pytest.raises(ParameterError, match="Known names: 'A', 'B', 'C'"):
        nask.compare(three_sets()).cell("MUTAG", "nask")


@pytest.fixture
def mixed():
    """A set and a method with names LaTeX and Markdown trip over, a missing and an ended run."""
    right = {"nask": NASK, "w_l|1": NEAR, "far": FAR}
    return nask.compare(
        [
            result("PTC_MR", "nask", NASK),
            result("PTC_MR", "w_l|1", NEAR),
            result("PTC_MR", "far", FAR),
            *(result("B", method, right[method]) for method in ("nask", "w_l|1")),
            result("C", "nask", NASK),
            result("C", "w_l|1", [], timeout=3.5),
        ]
    )


def test_markdown(mixed):
    lines = mixed.to_markdown().splitlines()
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    assert cells[0] == ["method", "PTC_MR", "B", "C", "average rank"]
    assert cells[1] == ["---", "---:", "---:", "---:", "---:"]
    near = f"89.0 ± {100 * np.std(np.array(NEAR) / 10):.1f} ="
    assert cells[2:] == [
        ["nask", "**90.0** ± 6.3", "**90.0** ± 6.3", "**90.0** ± 6.3", "1.00"],
        ["w_l\\|1", near, near, "TIMEOUT", "2.00"],
        ["far", "51.0 ± 7.0", "-", "-", ""],
    ]
    assert lines[-1] == " ".join(mixed.table("graphs").legend())


def test_csv_reads_back(mixed):
    rows = list(csv.DictReader(io.StringIO(mixed.to_csv())))
    assert len(rows) == 7
    for row in rows:
        cell = mixed.cell(row["dataset"], row["method"])
        for name in ("mean", "std", "timeout", "difference", "p"):
            value = getattr(cell, name)
            assert row[name] == "" if value is None else float(row[name]) == value
        assert row["tie"] == str(cell.tie)
        assert row["best"] == str(cell.best)
        assert int(row["n_folds"]) == cell.n_folds
        assert row["items"] == "graphs"
    ranks = {row["method"]: row["average_rank"] for row in rows}
    assert ranks == {"nask": "1.0", "w_l|1": "2.0", "far": ""}


def test_latex(mixed):
    text = mixed.to_latex()
    assert "PTC\\_MR" in text
    assert "w\\_l|1" in text
    assert not re.search(r"(?<!\\)_", text)
    head, *body = (line for line in text.splitlines() if line.endswith("\\\\"))
    assert head.count("&") == 4
    assert all(line.count("&") == 4 for line in body)
    assert "\\begin{tabular}{lrrrr}" in text
    assert body[0].startswith("nask & \\textbf{90.0} $\\pm$ 6.3 & ")
    assert "$^{=}$" in body[1]
    assert "TIMEOUT" in body[1]
    assert "--" in body[2]


def test_marks_beside_a_reference():
    text = nask.compare(three_sets(), reference="far").to_markdown()
    assert "| nask | **90.0** ± 6.3 + |" in text
    assert "| far | 51.0 ± 7.0 |" in text
    assert "Beside far, = does not differ significantly, + is better" in text
