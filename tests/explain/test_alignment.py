"""Pairs of stars behind one kernel value."""

import itertools

import numpy as np
import pytest

import nask
from mixed_graphs import random_graphs
from nask.exceptions import InputError


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("expansion", ["nested", "ball", "walk"])
def test_shares_add_up_to_the_kernel(normalize, expansion):
    graphs = random_graphs(11, 2)
    weights = [1.0, 0.5, 2.0]
    kernel = nask.NASK(normalize=normalize, expansion=expansion, hop_weights=weights).fit(graphs)
    for graph, other in itertools.pairwise(graphs):
        found = nask.align(kernel, graph, other)
        assert found.matrix.shape == (graph.n_nodes, other.n_nodes)
        assert found.matrix.sum() == pytest.approx(kernel([graph], [other])[0, 0], abs=1e-12)
        assert found.value == pytest.approx(found.matrix.sum())
        turned = nask.align(kernel, other, graph)
        np.testing.assert_allclose(turned.hops, found.hops.swapaxes(1, 2), atol=1e-14)


def test_a_graph_is_matched_with_itself(mutag):
    kernel = nask.NASK(n_hops=3).fit(mutag.graphs[:30])
    graph = mutag.graphs[40]
    found = nask.align(kernel, graph, graph)
    matches = found.matches()
    assert len(matches) == graph.n_nodes
    # A node matches itself, or one that is alike.
    for match in matches:
        assert match.share == pytest.approx(found.matrix[match.node, match.node])
    shares = [match.share for match in matches]
    assert shares == sorted(shares, reverse=True)


def test_unseen_categories_match_themselves():
    train = [nask.AttributedGraph(1, [], {"letter": [x]}) for x in "ab"]
    kernel = nask.NASK(n_hops=1, gamma=3.0).fit(train)
    odd = nask.AttributedGraph(2, [], {"letter": ["z", "y"]})
    matrix = nask.align(kernel, odd, odd).matrix
    assert matrix[0, 0] == matrix[1, 1] > matrix[0, 1]


def test_models_have_their_kernel_and_others_none(mutag):
    model = nask.NASKClassifier(n_hops=1, gram="rbf").fit(mutag.graphs[:30], mutag.y[:30])
    found = nask.align(model, mutag.graphs[40], mutag.graphs[41])
    assert repr(found).startswith("Alignment(")
    linear = nask.NASK(n_hops=1).fit(mutag.graphs[:30])
    assert found.value == pytest.approx(linear(mutag.graphs[40:41], mutag.graphs[41:42])[0, 0])
    with pytest.raises(InputError, match="align takes a fitted NASK"):
        nask.align("kernel", mutag.graphs[0], mutag.graphs[1])
