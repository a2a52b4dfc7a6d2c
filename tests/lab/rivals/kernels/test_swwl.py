"""SWWL: quantiles sorted one graph at a time, and the sliced distance of POT."""

import numpy as np
import ot
import pytest

import nask
from mixed_graphs import random_graphs, standardised
from nask.lab.rivals.kernels.swwl import SWWL, projected_quantiles
from nask.lab.rivals.kernels.wl_embedding import wl_embeddings


def by_hand(kernel, graphs, train):
    def quantiles(chosen):
        found = []
        for cloud in wl_embeddings(chosen, standardised(chosen, train), kernel.n_iter):
            own = []
            for direction in kernel.directions_:
                along = sorted(float(point @ direction) for point in cloud)
                for q in range(kernel.n_quantiles):
                    # The smallest value that more than the level of the nodes do not exceed.
                    level = (q + 0.5) / kernel.n_quantiles
                    above = [x for i, x in enumerate(along) if (i + 1) / len(along) > level + 1e-12]
                    own.append(above[0] if along else 0.0)
            found.append(own)
        return found

    mine, theirs = quantiles(graphs), quantiles(train)
    return np.array(
        [
            [np.exp(-kernel.gamma * np.mean((np.array(a) - np.array(b)) ** 2)) for b in theirs]
            for a in mine
        ]
    )


@pytest.mark.parametrize(("n_iter", "n_quantiles"), [(0, 1), (2, 5), (1, 20)])
def test_equals_the_equation(n_iter, n_quantiles):
    train, new = random_graphs(9, seed=1), random_graphs(6, seed=2)
    kernel = SWWL(n_iter=n_iter, n_quantiles=n_quantiles, n_projections=3, gamma=0.7)
    gram = kernel.fit_transform(train)
    # Vectors of nodes are encoded in float32.
    np.testing.assert_allclose(gram, by_hand(kernel, train, train), atol=1e-6)
    np.testing.assert_allclose(kernel.transform(new), by_hand(kernel, new, train), atol=1e-6)


@pytest.mark.parametrize("sizes", [(6, 6), (5, 8), (1, 1)])
def test_is_the_sliced_wasserstein_distance(sizes):
    draw = np.random.default_rng(3)
    a, b = (draw.normal(size=(n, 4)) + n for n in sizes)
    directions = draw.normal(size=(50, 4))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    # A number of quantiles that all sizes divide: the one-dimensional distances are exact.
    mine, theirs = projected_quantiles([a, b], directions, 120)
    found = np.sum((mine - theirs) ** 2)
    expected = ot.sliced_wasserstein_distance(a, b, projections=directions.T) ** 2
    assert found == pytest.approx(expected, rel=1e-10)


def test_converges_to_the_distance_over_the_sphere():
    draw = np.random.default_rng(4)
    a, b = draw.normal(size=(7, 3)), draw.normal(size=(4, 3)) + 1
    directions = draw.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    mine, theirs = projected_quantiles([a, b], directions, 50)
    expected = ot.sliced_wasserstein_distance(a, b, n_projections=20000, seed=0)
    assert np.linalg.norm(mine - theirs) == pytest.approx(expected, rel=0.02)


def test_single_nodes_are_points():
    graphs = [nask.AttributedGraph(1, (), {"x": [x]}) for x in (0.0, 1.0, 5.0)]
    x = np.array([0.0, 1.0, 5.0])
    expected = np.exp(-0.3 * ((x[:, None] - x) / x.std()) ** 2)
    # A line has two directions, and nothing is lost along them.
    np.testing.assert_allclose(SWWL(n_iter=0, gamma=0.3).fit_transform(graphs), expected, atol=1e-6)


def test_categories_count_where_asked_or_where_there_are_no_numbers():
    letters = [nask.AttributedGraph(1, (), {"letter": [a]}) for a in "ab"]
    both = [nask.AttributedGraph(1, (), {"letter": [a], "x": [1.0]}) for a in "ab"]
    assert SWWL().fit_transform(letters)[0, 1] < 1
    assert SWWL().fit_transform(both)[0, 1] == 1
    assert SWWL(categorical=True).fit_transform(both)[0, 1] < 1
