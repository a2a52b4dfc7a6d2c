"""A query and its hits: matching stars have one colour, paler ones where they are less alike."""

import numpy as np
import pytest

import nask
from mixed_graphs import random_graphs
from nask import plots
from nask.exceptions import ParameterError

GRAPHS = random_graphs(12, seed=100)


def fills(figure):
    """The colours of the nodes of each panel."""
    return [ax.collections[-1].get_facecolor() for ax in figure.axes]


def test_a_copy_has_the_colours_of_the_query():
    found = nask.Index(["Nc1ccccc1OC(C)=O", "CCN"]).query("CC(=O)Oc1ccccc1N")
    own, copy, other = fills(found.plot())
    for pair in found[0].stars:
        np.testing.assert_allclose(copy[pair.other], own[pair.node])
    for pair in found[1].stars:
        strength = found[1].likeness[pair.node, pair.other]
        expected = strength * own[pair.node] + (1 - strength)
        np.testing.assert_allclose(other[pair.other], expected)
        assert strength < 1
    assert len(np.unique(own, axis=0)) == 11


def test_nodes_that_are_alike_have_one_colour_and_others_none():
    ring, star = nask.io.from_smiles("c1ccccc1"), nask.io.from_smiles("CC(C)(C)C")
    (query, hit) = fills(nask.Index([star]).query(ring).plot())
    assert len(np.unique(query, axis=0)) == 1
    (query, hit) = fills(nask.Index([ring]).query(star, k=1).plot(labels=False))
    assert len(np.unique(query, axis=0)) == 2
    assert (hit == 1).all(axis=1).sum() == 1  # six atoms for five


def test_panels_and_their_titles():
    found = nask.Index(GRAPHS).query(GRAPHS[0], k=6)
    figure = plots.hits(found, most=4, title="$x")
    assert [ax.get_title() for ax in figure.axes][:2] == ["query", "1.  0:  1.0000"]
    assert len(figure.axes) == 5
    assert len(plots.hits(found).axes) == 6
    plots.hits(nask.Index(GRAPHS).query(nask.AttributedGraph(0), k=1)).canvas.draw()
    for most in (0, True, "2"):
        with pytest.raises(ParameterError, match="most must be an integer of 1 or more"):
            plots.hits(found, most=most)
    with pytest.raises(ParameterError, match="no hits to draw"):
        plots.hits(nask.Index(GRAPHS[:1]).neighbours(0))
