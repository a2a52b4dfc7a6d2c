"""A graph as a picture: colours, widths, labels, positions, and what cannot be drawn."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from rdkit import Chem

import nask
from nask import plots
from nask.exceptions import InputError, ParameterError
from nask.plots.layout import layout
from strategies import graphs

NITRO = "O=[N+]([O-])c1ccc2c(c1)c1ccccc1n2CCCl"


def parts(ax):
    """Lines of all edges, lines with the colours of values (if any), and circles."""
    *lines, circles = ax.collections
    return lines[0], lines[1] if len(lines) > 1 else None, circles


def bar_ticks(ax):
    bars = [other for other in ax.figure.axes if other is not ax]
    return [label.get_text() for label in bars[0].get_yticklabels()]


def circle_radius(ax):
    """In pixels."""
    own = parts(ax)[2].get_widths()[0] / 2
    left, right = ax.transData.transform([(0, 0), (own, 0)])[:, 0]
    return right - left


@given(st.data())
def test_every_drawn_graph_can_be_drawn(data):
    graph = data.draw(graphs(max_nodes=7))
    numbers = st.floats(-1e3, 1e3)
    values = data.draw(st.lists(numbers, min_size=graph.n_nodes, max_size=graph.n_nodes))
    edge_values = data.draw(st.lists(numbers, min_size=graph.n_edges, max_size=graph.n_edges))
    ax = plots.graph(graph, values, edge_values=edge_values)
    ax.figure.draw_without_rendering()
    if graph.n_nodes:
        np.testing.assert_array_equal(parts(ax)[2].get_offsets(), layout(graph))


def test_colours_are_symmetric_around_0_and_white_at_0():
    ax = plots.graph(nx.path_graph(5), [-2.0, -1.0, 0.0, 1.0, 2.0])
    red, green, blue, opacity = parts(ax)[2].get_facecolor().T
    assert (opacity == 1).all()
    assert (red[0] < 0.1, blue[0] > 0.3, red[4] > 0.3, blue[4] < 0.2) == (True,) * 4
    np.testing.assert_allclose([red[2], green[2], blue[2]], 0.97, atol=0.01)
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    np.testing.assert_allclose(light, light[::-1], atol=0.08)
    assert light[0] < light[1] < light[2] > light[3] > light[4]
    assert bar_ticks(ax) == ["-2", "-1", "0", "+1", "+2"]


@pytest.mark.parametrize("values", [np.zeros(4), [0, 0, 0, 0]])
def test_all_zero_is_neutral(values):
    ax = plots.graph(nx.cycle_graph(4), values, edge_values=values)
    for colours in (parts(ax)[1].get_edgecolor(), parts(ax)[2].get_facecolor()):
        np.testing.assert_allclose(colours[:, :3], 0.97, atol=0.005)
    assert bar_ticks(ax) == ["0"]


def test_without_values_it_is_plain():
    ax = plots.graph(nx.cycle_graph(4))
    assert len(ax.figure.axes) == 1
    assert parts(ax)[1] is None
    assert len(np.unique(parts(ax)[2].get_facecolor(), axis=0)) == 1


def test_edges_are_as_wide_as_their_values_and_on_the_scale_of_nodes():
    edge_values = np.array([0.0, -1.0, 2.0, 4.0])
    ax = plots.graph(nx.path_graph(5), np.full(5, 4.0), edge_values=edge_values)
    grey, coloured, circles = parts(ax)
    widths = coloured.get_linewidths()
    np.testing.assert_allclose(widths / widths[-1], np.abs(edge_values) / 4)
    np.testing.assert_array_equal(coloured.get_edgecolor()[-1], circles.get_facecolor()[0])
    assert len(grey.get_segments()) == len(coloured.get_segments()) == 4
    assert (grey.get_linewidths() > widths).all()


def test_a_smaller_limit_makes_colours_stronger_and_the_bar_pointed():
    values = [1.0, -3.0]
    narrow = plots.graph(nx.path_graph(2), values, limit=1.0)
    colours = parts(narrow)[2].get_facecolor()
    strongest = parts(plots.graph(nx.path_graph(2), [1.0, -1.0]))[2].get_facecolor()
    np.testing.assert_array_equal(colours, strongest)
    assert bar_ticks(narrow) == ["-1", "-0.5", "0", "+0.5", "+1"]


def test_edges_join_their_nodes():
    graph = nask.AttributedGraph(4, [(2, 0), (3, 1)])
    segments = parts(plots.graph(graph))[0].get_segments()
    np.testing.assert_array_equal(segments, layout(graph)[graph.edges])


def test_a_molecule_of_rdkit_is_drawn_as_one():
    ax = plots.graph(Chem.MolFromSmiles(NITRO))
    points = plots.molecule_positions(NITRO)
    np.testing.assert_allclose(parts(ax)[2].get_offsets(), points)
    symbols = nask.io.from_smiles(NITRO).node_attributes["element"].values()
    assert [text.get_text() for text in ax.texts] == symbols
    np.testing.assert_allclose([text.get_position() for text in ax.texts], points)
    same = plots.graph(nask.io.from_smiles(NITRO), positions=points)
    np.testing.assert_array_equal(parts(same)[2].get_offsets(), parts(ax)[2].get_offsets())


@pytest.mark.parametrize("panels", ["own", "compressed", "none"])
@pytest.mark.parametrize("length", [1, 2, 4, 12])
def test_labels_lie_within_their_circles_and_are_readable(panels, length):
    graph = nx.barabasi_albert_graph(12, 1, seed=100)
    values = np.linspace(-1, 1, 12)
    panel = None
    if panels != "own":
        panel = Figure(figsize=(9, 4), layout=panels).subplots(1, 2)[1]
    ax = plots.graph(graph, values, labels=["abdegohnpqsu"[:length]] * 12, ax=panel)
    ax.figure.draw_without_rendering()
    radius = circle_radius(ax)
    assert len(ax.texts) == 12
    for text, fill in zip(ax.texts, parts(ax)[2].get_facecolor(), strict=True):
        box = text.get_window_extent()
        x, y = ax.transData.transform(text.get_position())
        assert box.width <= 2 * radius
        assert abs((box.x0 + box.x1) / 2 - x) < 1
        assert abs((box.y0 + box.y1) / 2 - y) < 0.35 * radius
        light = fill[:3] @ [0.299, 0.587, 0.114]
        assert (text.get_color() == "white") == (light < 0.45)


def test_hundreds_of_nodes_have_no_labels_that_nobody_could_read():
    graph = nx.barabasi_albert_graph(400, 1, seed=100)
    assert not plots.graph(graph, labels=["name"] * 400).texts


@pytest.mark.parametrize("name", ["path", "one", "lonely"])
def test_flat_graphs_leave_room_for_the_numbers_of_the_bar(name):
    graph = {"path": nx.path_graph(30), "one": nx.empty_graph(1), "lonely": nx.empty_graph(9)}[name]
    ax = plots.graph(graph, np.ones(len(graph)))
    ax.figure.draw_without_rendering()
    (bar,) = (other for other in ax.figure.axes if other is not ax)
    boxes = [label.get_window_extent() for label in bar.get_yticklabels()]
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_circles_are_round_and_do_not_touch_in_a_ring():
    ax = plots.graph(nx.cycle_graph(30))
    ax.figure.draw_without_rendering()
    points = ax.transData.transform(parts(ax)[2].get_offsets())
    nearest = np.linalg.norm(points[0] - points[1:], axis=1).min()
    assert 0.5 * nearest < 2 * circle_radius(ax) < nearest
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-12, 1e12, 1.7e308])
def test_numbers_of_any_size_have_a_scale(size):
    ax = plots.graph(nx.path_graph(3), [-size, 0.0, size], edge_values=[size, -size])
    ax.figure.draw_without_rendering()
    assert [float(tick) for tick in bar_ticks(ax)][::4] == pytest.approx([-size, size], rel=0.02)
    usual = plots.graph(nx.path_graph(3), [-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(parts(ax)[2].get_facecolor(), parts(usual)[2].get_facecolor())


def test_labels_are_written_as_they_are():
    # The second is no valid formula.
    labels = ["$x$", "$\\x$", "a\nb"]
    ax = plots.graph(nx.path_graph(3), labels=labels, positions=[[0, 0], [1, 0], [2, 0]])
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] == ["$x$", "$\\x$", "a b"]


def test_a_graph_without_nodes_says_so():
    assert [text.get_text() for text in plots.graph(nx.empty_graph(0), []).texts] == ["no nodes"]


PATH = nx.path_graph(3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": [1.0, 2.0]}, r"values must hold one number per node \(3\). Got shape \(2,\)"),
        ({"values": np.ones((3, 1))}, r"one number per node \(3\). Got shape \(3, 1\)"),
        ({"values": [1.0, np.nan, 0.0]}, "values must be finite. Got nan at node 1"),
        ({"values": [1.0, 0.0, -np.inf]}, "values must be finite. Got -inf at node 2"),
        ({"values": ["a", "b", "c"]}, "values must hold numbers, one per node"),
        ({"values": [1j, 0, 0]}, "values must hold numbers, one per node"),
        ({"values": ["1", "2", "3"]}, "values must hold numbers, one per node"),
        ({"edge_values": [1.0]}, r"edge_values must hold one number per edge \(2\)"),
        ({"edge_values": [1.0, None]}, "edge_values must be finite. Got nan at edge 1"),
        ({"positions": np.zeros((3, 3))}, r"two finite numbers per node, of shape \(3, 2\). Got"),
        ({"positions": np.full((3, 2), np.nan)}, "positions must hold two finite numbers per node"),
        ({"positions": "circle"}, "positions must hold two finite numbers per node"),
        ({"limit": 0.0}, "limit must be a positive number, or None .* Got 0.0"),
        ({"limit": np.inf}, "limit must be a positive number"),
        ({"limit": "large"}, "limit must be a positive number"),
        ({"labels": ["a"]}, r"labels must hold one label per node \(3\). Got 1"),
        ({"labels": "element"}, "The nodes have no attribute 'element'"),
        ({"labels": 3}, "labels must be True, False, the name of a node attribute, or one label"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(given, message):
    with pytest.raises(ParameterError, match=message):
        plots.graph(PATH, **given)


def test_what_is_no_graph_is_an_error():
    with pytest.raises(InputError, match="Expected one graph; got an object of type list"):
        plots.graph([PATH])
