import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import nask
from nask.exceptions import ParameterError
from nask.lab import (
    make_ba_2motifs,
    make_planted,
    make_social_network,
    make_social_networks,
    make_synthetic,
    make_synthetic_new,
    make_synthie,
)
from nask.learning.centring import Centring

# Smaller instances, with the number of their classes.
SMALL = {
    make_synthetic: ({"n_graphs": 60, "n_nodes": 40, "n_edges": 78}, 2),
    make_synthetic_new: (
        {"n_graphs": 120, "n_nodes": 40, "n_edges": 78, "n_switches": (1, 2)},
        2,
    ),
    make_synthie: ({"n_graphs": 60}, 4),
    make_social_networks: ({"n_graphs": 80}, 2),
    make_ba_2motifs: ({"n_graphs": 60}, 2),
    make_planted: ({"n_graphs": 120, "missing": 0.0}, 2),
}
of_graphs = pytest.mark.parametrize("make", SMALL, ids=lambda make: make.__name__)


def graphs_and_y(data):
    graphs = data.graphs if isinstance(data, nask.Dataset) else (data.graph,)
    return graphs, data.y


@pytest.mark.parametrize("make", [*SMALL, make_social_network], ids=lambda make: make.__name__)
def test_the_seed_decides(make):
    parameters = SMALL.get(make, ({}, 0))[0]
    graphs, y = graphs_and_y(make(**parameters))
    same, same_y = graphs_and_y(make(**parameters, random_state=0))
    other, _ = graphs_and_y(make(**parameters, random_state=1))
    assert graphs == same
    assert np.array_equal(y, same_y)
    assert graphs != other
    from_generator, _ = graphs_and_y(make(**parameters, random_state=np.random.default_rng(0)))
    assert graphs == from_generator


@of_graphs
def test_classes_take_turns(make):
    parameters, n_classes = SMALL[make]
    y = make(**{**parameters, "n_graphs": 2 * n_classes + 1}).y
    assert len(set(y[:n_classes])) == n_classes
    assert y.tolist() == [*y[:n_classes], *y[:n_classes], y[0]]


@of_graphs
def test_edges_are_distinct_and_in_range(make):
    for graph in make(**SMALL[make][0]).graphs:
        again = nask.AttributedGraph(graph.n_nodes, graph.edges, dict(graph.node_attributes))
        assert again == graph
        assert again.n_self_loops_removed == again.n_duplicate_edges_removed == 0
        assert pickle.loads(pickle.dumps(graph)) == graph


@pytest.mark.slow
@of_graphs
def test_the_kernel_learns_the_classes_and_not_shuffled_ones(make):
    parameters, n_classes = SMALL[make]
    data = make(**parameters)
    gram = nask.NASK(n_hops=2, n_jobs=-1).fit_transform(data.graphs)
    gram = Centring.fit(gram).apply(gram)
    model = SVC(kernel="precomputed", C=10.0)
    chance = 1 / n_classes
    assert cross_val_score(model, gram, data.y, cv=3).mean() > (1 + chance) / 2
    shuffled = np.random.default_rng(0).permutation(data.y)
    assert cross_val_score(model, gram, shuffled, cv=3).mean() < chance + 0.15


@pytest.mark.parametrize(
    ("make", "parameters", "message"),
    [
        (make_synthetic, {"n_graphs": 0}, "'n_graphs' parameter of make_synthetic must be an int"),
        (make_synthetic, {"n_graphs": True}, "Got True instead"),
        (make_synthetic, {"n_nodes": 10.0}, "'n_nodes' parameter .* Got 10.0 instead"),
        (make_synthetic, {"n_nodes": 10}, r"'n_edges' .* range \[0, 45\]. Got 196"),
        (make_synthetic, {"n_permuted": (101, 5)}, r"\[0, 100\]. Got \(101, 5\)"),
        (make_synthetic, {"n_permuted": 5}, "two ints, one per class. Got 5"),
        (make_synthetic, {"noise": -0.1}, r"'noise' .* float in the range \[0.0, inf\)"),
        (make_synthetic, {"noise": float("nan")}, "Got nan instead"),
        (make_synthetic, {"random_state": -1}, "'random_state' parameter of make_synthetic must"),
        (make_synthetic_new, {"n_switches": (5, 99)}, r"\[0, 98\]. Got \(5, 99\)"),
        (
            make_synthetic_new,
            {"n_nodes": 4, "n_edges": 6, "n_permuted": (0, 0), "n_switches": (1, 1)},
            "No 1 switches of edges were found in a graph of 6 edges. Ask for fewer",
        ),
        (make_synthie, {"parts": (8, 2)}, "two ints, one per class. Got 8"),
        (make_synthie, {"parts": ((8, 2),)}, "'parts' .* two pairs of ints"),
        (make_synthie, {"parts": ((8, -1), (1, 8))}, r"Got \(8, -1\)"),
        (make_synthie, {"perturbed": 1.5}, r"'perturbed' .* \[0.0, 1.0\]. Got 1.5"),
        (make_synthie, {"bridges": "0.1"}, "'bridges' .* Got '0.1'"),
        (make_synthie, {"n_attributes": 1}, r"'n_attributes' .* \[2, inf\)"),
        (make_social_network, {"n_nodes": 0}, "'n_nodes' parameter of make_social_network"),
        (make_social_network, {"n_nodes": 5}, r"'mean_degree' .* \[0.0, 4\]. Got 10.0"),
        (make_social_network, {"homophily": 1.1}, "'homophily' .* Got 1.1"),
        (make_social_network, {"influence": -1}, "'influence' .* Got -1"),
        (make_social_network, {"missing": None}, "'missing' .* Got None"),
        (make_social_networks, {"homophily": 0.5}, "'homophily' .* one per class. Got 0.5"),
        (make_social_networks, {"homophily": ()}, r"one per class. Got \(\)"),
        (make_social_networks, {"homophily": (0.5, 2)}, "'homophily' .* Got 2"),
        (make_social_networks, {"n_graphs": 1.5}, "'n_graphs' parameter of make_social_networks"),
        (make_ba_2motifs, {"n_graphs": 0}, "'n_graphs' parameter of make_ba_2motifs"),
        (make_ba_2motifs, {"n_base": 3, "n_links": 3}, r"'n_base' .* \[4, inf\). Got 3"),
        (make_ba_2motifs, {"n_links": 0}, r"'n_links' .* \[1, inf\). Got 0"),
        (make_planted, {"n_nodes": 9}, r"'n_nodes' .* \[10, inf\). Got 9"),
        (make_planted, {"missing": 2}, "'missing' .* Got 2"),
    ],
)
def test_bad_parameters(make, parameters, message):
    with pytest.raises(ParameterError, match=message):
        make(**parameters)
