"""What propagation kernels promise whatever the random hashes are."""

import numpy as np
import pytest
from sklearn.base import clone

import nask

pytest.importorskip("grakel")

from nask.lab.rivals.kernels.grakel_graphs import attributed
from nask.lab.rivals.kernels.labels import NodeLabels
from nask.lab.rivals.kernels.pk import PK


def test_counts_are_those_of_grakel(mutag):
    from grakel import Propagation

    graphs = mutag.graphs[:30]
    labels = NodeLabels.fit(graphs)
    # GraKeL draws as many numbers as there are labels, so that the free label must be there.
    free = nask.AttributedGraph(1)
    rows = [own.tolist() for own in labels.transform(graphs)] + [[labels.n_labels]]
    peer = Propagation(t_max=4, w=1e-5, random_state=0, normalize=True)
    expected = peer.fit_transform(attributed([*graphs, free], rows))[:-1, :-1]
    np.testing.assert_allclose(PK(t_max=3).fit_transform(graphs), expected, atol=1e-12)


def test_labels_alone_count_at_the_start():
    graphs = [
        nask.AttributedGraph(3, [(0, 1)], {"atom": ["C", "C", "O"]}),
        nask.AttributedGraph(2, [(0, 1)], {"atom": ["C", "N"]}),
    ]
    # Before any step: 2 C and 1 O against 1 C and 1 N.
    fitted = PK(t_max=0).fit(graphs)
    assert fitted.compare()[0, 1] == pytest.approx(2 / np.sqrt(5 * 2))
    # Both unseen atoms count as one, which no training graph has.
    new = [nask.AttributedGraph(3, [], {"atom": ["C", "Li", "Be"]})]
    assert fitted.transform(new)[0] == pytest.approx([2 / np.sqrt(5 * 5), 1 / np.sqrt(5 * 2)])


def test_graphs_with_unseen_labels_do_not_depend_on_their_company(mutag):
    fitted = PK().fit(mutag.graphs[:20])
    edges = [(0, 1), (1, 2)]
    new = [
        nask.AttributedGraph(
            3,
            edges,
            {"node_label": [int(c) if c == "0" else c for c in own]},
            {"edge_label": [0, 0]},
            categorical=["node_label", "edge_label"],
        )
        for own in ("Xx0", "x00", "0XY")
    ]
    alone = [fitted.transform([graph])[0] for graph in new]
    np.testing.assert_array_equal(fitted.transform(new), alone)
    assert np.min(alone[1]) > 0


def test_a_step_tells_graphs_apart_that_labels_do_not():
    graphs = [
        nask.AttributedGraph(4, edges, {"atom": ["C", "C", "O", "O"]})
        for edges in ([(0, 1), (2, 3)], [(0, 2), (1, 3)])
    ]
    assert PK(t_max=0).fit_transform(graphs)[0, 1] == pytest.approx(1.0)
    # After a step a C of one graph is where an O of the other is: 2 * 2 + 2 * 2 both times.
    assert PK(t_max=1).fit_transform(graphs)[0, 1] == pytest.approx(1.0)
    third = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], {"atom": ["C", "C", "O", "O"]})
    assert PK(t_max=1).fit_transform([graphs[0], third])[0, 1] < 0.9


def test_numbers_share_bins_by_their_distance_and_categories_by_equality():
    def pair(x, atom):
        return nask.AttributedGraph(1, [], {"x": [x], "atom": [atom]})

    graphs = [pair(0.0, "C"), pair(1e-6, "C"), pair(0.0, "N"), pair(9.0, "C")]
    gram = PK(t_max=0, attribute_width=0.5).fit_transform(graphs)
    np.testing.assert_array_equal(gram[0], [1, 1, 0, 0])
    wide = PK(t_max=0, attribute_width=1e6).fit_transform(graphs)
    np.testing.assert_array_equal(wide[0], [1, 1, 0, 1])


def test_hashes_come_from_the_random_state(cuneiform):
    graphs = cuneiform.graphs[:6]
    first = PK(attribute_width=3.0)
    gram = first.fit_transform(graphs)
    np.testing.assert_array_equal(clone(first).fit_transform(graphs), gram)
    assert np.abs(clone(first).set_params(random_state=1).fit_transform(graphs) - gram).max() > 1e-3


def test_degrees_that_no_training_node_has_are_one_label():
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)])
    fitted = PK(t_max=1).fit([star, nask.AttributedGraph(2, [(0, 1)])])
    # All its degrees are 2, which is between those of training and none of them.
    assert fitted.transform([triangle, star])[0].tolist() == [0.0, 0.0]
    assert fitted.transform([star])[0, 0] == pytest.approx(1.0)
