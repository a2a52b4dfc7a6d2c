"""Pictures of explanations: what is drawn is what the explanation says."""

import networkx as nx
import numpy as np
import pytest

import nask
from made_up_explanation import made_up_explanation
from nask import plots
from nask.exceptions import ParameterError
from nask.io.coerce import as_graph

SMILES = "O=[N+]([O-])c1ccc2c(c1)c1ccccc1n2CCCl"
GRAPH = nask.io.from_smiles(SMILES)
SIZES = {
    "molecule": GRAPH,
    "pair": as_graph(nx.path_graph(2)),
    "one node": as_graph(nx.empty_graph(1)),
    "no edges": as_graph(nx.empty_graph(5)),
    "no nodes": as_graph(nx.empty_graph(0)),
    "hundreds": as_graph(nx.barabasi_albert_graph(200, 2, seed=100)),
}


def bars(ax):
    names = [label.get_text() for label in ax.get_yticklabels()]
    return dict(zip(names, [patch.get_width() for patch in ax.patches], strict=True))


def fills(ax):
    return ax.collections[-1].get_facecolor()


def test_graph_and_bars_show_the_shares():
    why = made_up_explanation(GRAPH, n_attributes=3)
    figure = plots.explanation(why)
    left, *panels, bar = figure.axes
    np.testing.assert_array_equal(
        fills(left),
        fills(plots.graph(GRAPH, why.leaning, edge_values=why.edges - why.edges.mean())),
    )
    by_hop, by_attribute, by_neighbour = map(bars, panels)
    hops = [np.abs(own - own.mean()).sum() for own in why.hops]
    assert by_hop == pytest.approx({"hop 1": hops[0], "hop 2": hops[1]})
    attributes = [np.abs(own - own.mean()).sum() for own in why.attributes.T]
    expected = dict(zip(why.attribute_names, attributes, strict=True))
    expected["edges"] = np.abs(why.edges - why.edges.mean()).sum()
    assert by_attribute == pytest.approx(expected)
    shares = {f"graph {at}": share for at, share in why.neighbours}
    positive = sum(share > 0 for share in shares.values())
    assert len(by_neighbour) == min(positive, 5) + min(len(shares) - positive, 5)
    assert by_neighbour.items() <= shares.items()
    assert list(by_neighbour.values()) == sorted(by_neighbour.values(), reverse=True)
    loudest = {max(shares, key=shares.get), min(shares, key=shares.get)}
    assert loudest <= by_neighbour.keys()
    assert bar.get_ylabel() == "Share of the decision, with the intercept"


def test_what_all_nodes_have_in_common_is_not_drawn():
    why = made_up_explanation(GRAPH, n_attributes=30, n_hops=3)
    before = [bars(ax) for ax in plots.explanation(why).axes[1:3]]
    assert len(before[1]) == 10
    why.hops, why.attributes, why.edges = why.hops + 5, why.attributes - 7, why.edges + 3
    after = [bars(ax) for ax in plots.explanation(why).axes[1:3]]
    assert after == [pytest.approx(own) for own in before]


def test_the_title_says_what_was_decided():
    why = made_up_explanation(GRAPH, target="yes")
    why.decision, why.intercept, why.nodes = 2.0, 0.5, np.full(GRAPH.n_nodes, 1.5 / GRAPH.n_nodes)
    title = "Decision for class yes: +2 = intercept +0.5 and stars +1.5"
    for draw in (plots.explanation, plots.hops):
        assert draw(why).get_suptitle() == title
        assert draw(why, title="mine").get_suptitle() == "mine"


@pytest.mark.parametrize("n_hops", [1, 2, 5])
def test_hops_have_one_panel_each_and_one_scale(n_hops):
    why = made_up_explanation(GRAPH, n_hops=n_hops)
    points = plots.molecule_positions(SMILES)
    axes = plots.hops(why, positions=points).axes
    panels = [ax for ax in axes if ax.get_title()]
    assert len(panels) == n_hops
    differences = why.hops - why.hops.mean(axis=1, keepdims=True)
    limit = np.abs(differences).max()
    for ax, shares in zip(panels, differences, strict=True):
        np.testing.assert_array_equal(fills(ax), fills(plots.graph(GRAPH, shares, limit=limit)))
        np.testing.assert_array_equal(ax.collections[-1].get_offsets(), points)
        assert [text.get_text() for text in ax.texts][:3] == ["O", "N", "O"]


@pytest.mark.parametrize("draw", [plots.explanation, plots.hops])
@pytest.mark.parametrize("name", SIZES)
def test_all_of_it_lies_within_its_own_figure_and_no_texts_overlap(name, draw):
    figure = draw(made_up_explanation(SIZES[name], n_attributes=12))
    figure.draw_without_rendering()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert -0.02 <= drawn.x0 <= drawn.x1 <= width + 0.02
    assert -0.02 <= drawn.y0 <= drawn.y1 <= height + 0.02
    axes = [ax.get_tightbbox().padded(-1) for ax in figure.axes]
    assert not any(a.overlaps(b) for i, a in enumerate(axes) for b in axes[:i])


def test_all_zero_is_drawn():
    why = made_up_explanation(GRAPH)
    for name in ("nodes", "leaning", "hops", "edges", "attributes"):
        setattr(why, name, 0 * getattr(why, name))
    why.neighbours = []
    figure = plots.explanation(why)
    np.testing.assert_allclose(fills(figure.axes[0])[:, :3], 0.97, atol=0.005)
    assert set(bars(figure.axes[1]).values()) == {0}
    assert [text.get_text() for text in figure.axes[3].texts] == ["none"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("leaning", np.ones(3), r"leaning must hold one number per node \(19\). Got shape \(3,\)"),
        ("leaning", np.full(19, np.nan), "leaning must be finite. Got nan at node 0"),
        ("hops", np.ones((2, 3)), r"hops must hold one number per node \(19\). Got shape \(3,\)"),
        ("hops", np.full((2, 19), np.nan), "hops must be finite. Got nan at node 0"),
        ("attributes", np.ones((3, 3)), r"attributes must hold one number per node \(19\)"),
        ("attributes", np.full((19, 3), np.inf), "attributes must be finite. Got inf at node 0"),
        ("attribute_names", ["a"], "attributes must have one name per column. Got 1 .* 3 columns"),
        ("edges", np.ones(3), r"edges must hold one number per edge \(21\). Got shape \(3,\)"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(name, value, message):
    why = made_up_explanation(GRAPH)
    setattr(why, name, value)
    with pytest.raises(ParameterError, match=message):
        plots.explanation(why)


def test_hops_of_the_wrong_length_are_an_error():
    why = made_up_explanation(GRAPH)
    why.hops = why.hops[:, :-1]
    with pytest.raises(ParameterError, match=r"hops must hold one number per node \(19\)"):
        plots.hops(why)
