"""What holds for every picture."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from made_up_results import ranked
from nask import AttributedGraph, plots
from nask.exceptions import MissingDependencyError

Y = np.arange(12) % 3
K = np.eye(12) + 0.5
RESULT = SimpleNamespace(
    dataset="MUTAG",
    method="NASK",
    accuracy_mean=0.9,
    accuracy_std_repeats=0.01,
    accuracy_std_folds=0.04,
    majority=0.6,
)
PATH = AttributedGraph(3, [(0, 1), (1, 2)], {"element": ["C", "N", "O"]})
FOUND = SimpleNamespace(graphs=(PATH, PATH), matrix=np.eye(3) / 3)
DRAW = {
    "accuracy": lambda ax=None: plots.accuracy([RESULT], ax),
    "confusion": lambda ax=None: plots.confusion(Y, Y[::-1], ax),
    "critical_difference": lambda ax=None: plots.critical_difference(
        ranked([[0.9, 0.8, 0.7], [0.8, 0.9, 0.7]]), ax=ax
    ),
    "graph": lambda ax=None: plots.graph(PATH, [-1.0, 0.0, 2.0], ax=ax),
    "alignment": lambda ax=None: plots.alignment(FOUND, ax=ax),
    "gram_heatmap": lambda ax=None: plots.gram_heatmap(K, Y, ax),
    "embedding": lambda ax=None: plots.embedding(K, Y, ax),
    "predicted": lambda ax=None: plots.predicted(Y, Y + 0.5, ax=ax),
}


def test_every_function_is_tested_here():
    # Those that draw a figure, and what helps them, have tests of their own.
    figures = {"kernel_overview", "league_table", "explanation", "hops", "stars", "description"}
    figures |= {"confidence", "depth", "robustness", "hits"}
    values = {"molecule_positions", "DepthCurve", "PerturbedAccuracies"}
    assert {*DRAW, *figures, *values} == set(plots.__all__)


def test_the_overview_is_both_of_its_parts():
    figure = plots.kernel_overview(K, Y, "a title")
    left, right = (ax for ax in figure.axes if ax.get_xlabel())
    for ax, alone in ((left, plots.gram_heatmap(K, Y)), (right, plots.embedding(K, Y))):
        assert ax.get_xlabel() == alone.get_xlabel()
        assert len(ax.collections) == len(alone.collections)
        assert len(ax.images) == len(alone.images)
    assert figure.get_suptitle() == "a title"


@pytest.mark.parametrize("name", DRAW)
def test_it_draws_into_the_axes_given(name):
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    assert DRAW[name](right) is right
    assert right.has_data()
    assert not left.has_data()


@pytest.mark.parametrize("name", DRAW)
def test_all_of_it_lies_within_its_own_figure(name):
    figure = DRAW[name]().figure
    figure.draw_without_rendering()
    page, drawn = figure.bbox, figure.get_tightbbox()
    inches = page.width / figure.dpi, page.height / figure.dpi
    assert -0.01 <= drawn.x0 <= drawn.x1 <= inches[0] + 0.01
    assert -0.01 <= drawn.y0 <= drawn.y1 <= inches[1] + 0.01


def test_pictures_leave_no_trace_in_pyplot():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    for draw in DRAW.values():
        draw()
    assert plt.get_fignums() == before


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    with pytest.raises(MissingDependencyError, match=r"'matplotlib'.*pip install 'nask\[plots\]'"):
        plots.confusion(["a", "b"], ["a", "b"])
