"""The critical-difference diagram: what it shows is right, and nothing covers anything."""

import numpy as np
import pytest

from made_up_results import ranked
from nask.evaluation.comparison import Comparison
from nask.exceptions import ParameterError
from nask.plots import critical_difference

RNG = np.random.default_rng(0)


def drawn(n_methods, n_sets, effect):
    gain = effect * np.arange(n_methods)[::-1]
    return ranked(RNG.normal(size=(n_sets, n_methods)) + gain)


CASES = {
    "two methods": drawn(2, 6, 2.0),
    "five": drawn(5, 12, 1.2),
    "twenty": drawn(20, 14, 0.3),
    "one large group": drawn(8, 6, 0.0),
    "no group": drawn(3, 60, 5.0),
    "a ruler longer than the axis": drawn(2, 2, 5.0),
    "all equal": ranked(np.zeros((6, 4))),
    "a ruler nearly as long as the axis": drawn(5, 8, 1.0),
}


def ranking_of(comparison):
    return comparison.tables[0].ranking


def bars(ax):
    """Ends of the thick bars."""
    return sorted(tuple(sorted(line.get_xdata())) for line in ax.lines if line.get_linewidth() > 3)


@pytest.mark.parametrize("comparison", CASES.values(), ids=CASES)
def test_no_text_covers_another_and_all_are_within_the_figure(comparison):
    ax = critical_difference(comparison)
    figure = ax.figure
    figure.draw_without_rendering()
    texts = [text for text in [*ax.texts, ax.title, *ax.get_xticklabels()] if text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    assert len(boxes) > 2 * len(ranking_of(comparison).methods)
    for i, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= figure.bbox.x1, texts[i]
        assert 0 <= box.y0 < box.y1 <= figure.bbox.y1, texts[i]
        for j in range(i):
            assert not box.overlaps(boxes[j]), (texts[i], texts[j])


@pytest.mark.parametrize("comparison", CASES.values(), ids=CASES)
def test_every_method_is_led_from_its_rank_to_its_name(comparison):
    ax = critical_difference(comparison)
    ranking = ranking_of(comparison)
    names = {text.get_text().split()[0]: text for text in ax.texts}
    stems = {
        (line.get_xdata()[-1], line.get_ydata()[-1]): line.get_xdata()[0]
        for line in ax.lines
        if len(line.get_xdata()) == 3
    }
    assert len(stems) == len(ranking.methods)
    for method, rank in zip(ranking.methods, ranking.ranks, strict=True):
        assert stems[names[method].xy] == rank
        assert names[method].get_text() == f"{method}  {rank:.2f}"


@pytest.mark.parametrize("comparison", CASES.values(), ids=CASES)
def test_bars_reach_over_their_groups_and_over_no_other_method(comparison):
    ranking = ranking_of(comparison)
    rank = dict(zip(ranking.methods, ranking.ranks, strict=True))
    groups = sorted(tuple(sorted((rank[g[0]], rank[g[-1]]))) for g in ranking.groups())
    found = bars(critical_difference(comparison))
    assert len(found) == len(groups)
    for (low, high), (best, worst) in zip(found, groups, strict=True):
        assert low < best <= worst < high
        assert high - low == pytest.approx(worst - best, abs=0.02 * len(ranking.methods))


@pytest.mark.parametrize("comparison", CASES.values(), ids=CASES)
def test_bars_lie_between_the_axis_and_the_lines_to_names(comparison):
    ax = critical_difference(comparison)
    lines = [line.get_ydata()[-1] for line in ax.lines if len(line.get_xdata()) == 3]
    heights = [line.get_ydata()[0] for line in ax.lines if line.get_linewidth() > 3]
    assert all(0 < height < min(lines) for height in heights)


def test_bars_that_meet_are_on_different_levels():
    ax = critical_difference(CASES["twenty"])
    thick = [line for line in ax.lines if line.get_linewidth() > 3]
    assert len(thick) > 3
    for i, one in enumerate(thick):
        for other in thick[:i]:
            (a, b), (c, d) = sorted(one.get_xdata()), sorted(other.get_xdata())
            if one.get_ydata()[0] == other.get_ydata()[0]:
                assert b < c or d < a


def test_the_ruler_is_as_long_as_the_critical_difference_and_the_best_is_to_the_right():
    comparison = CASES["five"]
    ax = critical_difference(comparison)
    [ruler] = [segment for drawn in ax.collections for segment in drawn.get_segments()]
    length = abs(ruler[0, 0] - ruler[1, 0])
    assert length == pytest.approx(ranking_of(comparison).critical_difference)
    left, right = ax.get_xlim()
    assert left > right
    longer = critical_difference(CASES["a ruler longer than the axis"])
    assert not longer.collections
    assert "longer than the axis" in longer.texts[0].get_text()


def test_the_reference_is_bold():
    accuracies = [[0.9, 0.8], [0.9, 0.8], [0.7, 0.8]]
    ax = critical_difference(ranked(accuracies, ["nask", "wl"], reference="wl"))
    weights = {text.get_text().split()[0]: text.get_weight() for text in ax.texts}
    assert (weights["nask"], weights["wl"]) == ("normal", "bold")


def test_which_ranking():
    graphs = ranked([[0.9, 0.8], [0.9, 0.8]])
    nodes = ranked([[0.9, 0.8, 0.7]] * 3, items="nodes")
    both = Comparison((*graphs.tables, *nodes.tables), None, 0.05)
    with pytest.raises(ParameterError, match="items='graphs'"):
        critical_difference(both)
    assert "2 sets of graphs" in critical_difference(both, "graphs").get_title()
    assert "3 networks" in critical_difference(both, "nodes").get_title()
    assert "3 networks" in critical_difference(nodes).get_title()
    with pytest.raises(ParameterError, match="no results on nodes"):
        critical_difference(graphs, "nodes")
    with pytest.raises(ParameterError, match="no average ranks to draw"):
        critical_difference(Comparison((), None, 0.05))
