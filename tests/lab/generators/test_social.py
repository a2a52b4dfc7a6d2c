import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from nask.lab import make_social_network, make_social_networks
from nask.lab.generators.friendships import draw_friendships
from nask.lab.generators.people import People
from nask.lab.generators.social import _mean_of_friends

KINDS = {
    "age": "numerical",
    "gender": "categorical",
    "region": "categorical",
    "interest": "categorical",
    "activity": "numerical",
}


def ends(data, name):
    """The values of an attribute at both ends of all edges."""
    return data.graph.node_attributes[name].data[data.graph.edges.T]


def encoded(graph):
    """Own attributes as numbers, categories one column each."""
    columns = []
    for attribute in graph.node_attributes.values():
        if attribute.kind == "numerical":
            columns.append((attribute.data - attribute.data.mean()) / attribute.data.std())
        else:
            columns += [attribute.data == code for code in range(len(attribute.categories))]
    return np.stack(columns, axis=1).astype(float)


@pytest.mark.parametrize(("n_nodes", "mean_degree"), [(1, 0), (2, 1.0), (60, 20.0), (5000, 25.5)])
def test_size_is_as_asked(n_nodes, mean_degree):
    data = make_social_network(n_nodes, mean_degree)
    graph = data.graph
    assert graph.n_nodes == len(data.y) == n_nodes
    assert graph.n_edges == round(n_nodes * mean_degree / 2)
    assert {name: a.kind for name, a in graph.node_attributes.items()} == KINDS
    parts = [data.train, data.validation, data.test]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(n_nodes))


def test_a_network_so_dense_that_pairs_run_out_falls_short():
    graph = make_social_network(30, 29.0, homophily=1.0).graph
    assert 0 < graph.n_edges < 30 * 29 / 2


def test_degrees_are_heavy_tailed():
    degrees = make_social_network(20_000).graph.degrees()
    # A random graph with uniform edges has a maximum near 30 here.
    assert degrees.max() > 200
    assert np.median(degrees) < 0.75 * degrees.mean()


def test_expected_degrees_are_in_proportion_to_sociability_whatever_the_homophily():
    people = People.draw(np.random.default_rng(0), 20_000)
    for homophily in (0.0, 1.0):
        # Sparse, since pairs that come up twice are dropped, which costs hubs friends.
        edges = draw_friendships(np.random.default_rng(1), people, 10_000, homophily)
        degrees = np.bincount(edges.ravel(), minlength=20_000)
        by_size = np.array_split(np.argsort(people.sociability), 10)
        got = np.array([degrees[group].sum() for group in by_size])
        expected = np.array([people.sociability[group].sum() for group in by_size])
        assert got / got.sum() == pytest.approx(expected / expected.sum(), rel=0.2)


def test_homophily_brings_together_regions_and_near_ages():
    same, apart = [], []
    for homophily in (0.0, 0.5, 1.0):
        data = make_social_network(20_000, homophily=homophily, missing=0.0)
        first, second = ends(data, "region")
        same.append(np.mean(first == second))
        shares = np.bincount(first) / len(first)
        chance = np.sum(shares**2)
        assert same[-1] == pytest.approx(homophily + (1 - homophily) * chance, abs=0.03)
        apart.append(np.abs(np.subtract(*ends(data, "age"))).mean())
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < apart[0] / 2


@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
def test_the_asked_fraction_of_values_is_missing(missing):
    graph = make_social_network(5000, missing=missing).graph
    for attribute in graph.node_attributes.values():
        assert attribute.missing.mean() == pytest.approx(missing, abs=0.03)


def test_missing_values_hide_and_do_not_change():
    whole, holed = (make_social_network(missing=missing) for missing in (0.0, 0.4))
    assert np.array_equal(whole.graph.edges, holed.graph.edges)
    assert np.array_equal(whole.y, holed.y)
    for name, attribute in holed.graph.node_attributes.items():
        known = ~attribute.missing
        assert np.array_equal(attribute.data[known], whole.graph.node_attributes[name].data[known])


def test_attributes_depend_on_each_other():
    data = make_social_network(20_000, missing=0.0)
    columns = data.graph.node_attributes
    age, interest = columns["age"].data, columns["interest"].data
    assert age.min() >= 15
    assert age.max() <= 90
    means = [age[interest == code].mean() for code in range(6)]
    assert means == sorted(means)
    assert np.corrcoef(np.sqrt(data.graph.degrees()), columns["activity"].data)[0, 1] > 0.3


def accuracy(features, y):
    return cross_val_score(LogisticRegression(max_iter=1000), features, y, cv=3).mean()


@pytest.mark.parametrize(("influence", "gain"), [(0.0, (-0.01, 0.01)), (1.0, (0.06, 0.2))])
def test_friends_help_to_predict_the_class_as_far_as_they_have_influence(influence, gain):
    data = make_social_network(4000, influence=influence, missing=0.0)
    own = encoded(data.graph)
    friends = np.stack([_mean_of_friends(data.graph.edges, c) for c in own.T], axis=1)
    alone = accuracy(own, data.y)
    assert alone > 0.7
    low, high = gain
    assert low < accuracy(np.hstack([own, friends]), data.y) - alone < high


def test_the_mean_of_friends_by_hand():
    edges = np.array([(0, 1), (0, 2)])
    values = np.array([1.0, 10.0, 20.0, 5.0])
    assert _mean_of_friends(edges, values).tolist() == [15.0, 1.0, 1.0, 0.0]


def test_small_networks_have_the_homophily_of_their_class():
    data = make_social_networks(90, homophily=(0.0, 0.4, 0.8), missing=0.0)
    assert data.y[:4].tolist() == [0, 1, 2, 0]
    same = np.empty(90)
    for k, graph in enumerate(data.graphs):
        first, second = graph.node_attributes["region"].data[graph.edges.T]
        same[k] = np.mean(first == second)
    means = [same[data.y == label].mean() for label in range(3)]
    assert means == sorted(means)
    assert means[2] - means[0] > 0.4
