"""Distances are those of a space, and similarities are the normalised kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering
from sklearn.neighbors import KNeighborsClassifier

import nask
from mixed_graphs import permuted, random_graphs
from nask.exceptions import InputError, MemoryLimitError, ParameterError
from strategies import VARIANTS, collections, fitting

GRAPHS = random_graphs(30, seed=100)
# What is left of a difference of two numbers that agree to 1e-12, as a distance.
ROUNDING = 2e-6


@given(
    collections(min_size=3),
    st.fixed_dictionaries(
        {
            "n_hops": st.integers(1, 3),
            "expansion": st.sampled_from(["nested", "ball", "walk"]),
            "normalize": st.booleans(),
            "gram": st.sampled_from(["linear", "rbf"]),
            **VARIANTS,
        }
    ),
)
@pytest.mark.filterwarnings("ignore::nask.exceptions.AbsentAttributeWarning")
def test_distances_are_a_metric(given_graphs, options):
    graphs, options = given_graphs[0], fitting(options)
    D = nask.distances(graphs, **options)
    K = nask.NASK(**options).fit_transform(graphs)
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(np.diagonal(D), 0)
    assert (D >= 0).all()
    own = np.diagonal(K)
    size = max(1.0, own.max(initial=0))
    squared = own[:, None] + own - 2 * K
    np.testing.assert_allclose(D**2, squared, atol=1e-11 * size, rtol=1e-9)
    longest = (D[:, :, None] + D[None, :, :]).min(axis=1)  # by way of the best third graph
    assert (longest + ROUNDING * np.sqrt(size) >= D).all()


def test_new_graphs_are_measured_as_training_graphs_are():
    train, new = GRAPHS[:20], GRAPHS[20:]
    D = nask.distances(new, train, n_hops=2)
    assert D.shape == (10, 20)
    kernel = nask.NASK(n_hops=2).fit(train)
    own = [kernel.diag(graphs) for graphs in (new, train)]
    expected = np.sqrt(np.add.outer(*own) - 2 * kernel.transform(new))
    np.testing.assert_allclose(D, expected, atol=1e-7)
    np.testing.assert_allclose(nask.distances(train, train), nask.distances(train), atol=1e-12)


def test_copies_are_at_0_and_change_nothing():
    draw = np.random.default_rng(101)
    copies = [permuted(graph, draw) for graph in GRAPHS]
    between = nask.distances(copies, GRAPHS)
    np.testing.assert_array_equal(np.diagonal(between), 0)
    np.testing.assert_allclose(between, nask.distances(GRAPHS), atol=1e-7)


def test_scikit_learn_takes_them(mutag):
    train, y = mutag.graphs[::2], mutag.y[::2]
    D = nask.distances(train)
    near = KNeighborsClassifier(3, metric="precomputed").fit(D, y)
    kept = D.copy()
    assert near.score(nask.distances(mutag.graphs[1::2], train), mutag.y[1::2]) > 0.75
    linked = AgglomerativeClustering(2, metric="precomputed", linkage="average").fit(D)
    assert len(set(linked.labels_)) == 2
    dense = DBSCAN(eps=0.02, min_samples=3, metric="precomputed").fit(D)
    hierarchical = HDBSCAN(metric="precomputed", copy=True).fit(D)
    assert dense.labels_.max() >= 0
    assert len(hierarchical.labels_) == len(D)
    np.testing.assert_array_equal(D, kept)


def test_similarity_of_two_graphs():
    a, b = GRAPHS[1], GRAPHS[2]
    expected = nask.NASK(n_hops=2).fit(GRAPHS)([a, b])[0, 1]
    found = nask.similarity(a, b, schema_of=GRAPHS, n_hops=2)
    assert type(found) is float
    assert found == pytest.approx(expected)
    assert nask.similarity(b, a, schema_of=GRAPHS, n_hops=2) == pytest.approx(found)
    assert nask.similarity(a, b, n_hops=2) == pytest.approx(
        nask.NASK(n_hops=2).fit_transform([a, b])[0, 1]
    )
    assert found > nask.similarity(a, b, n_hops=2)  # beside two graphs alone, they differ by more
    assert nask.similarity(a, permuted(a, np.random.default_rng(102))) == 1.0
    assert nask.similarity(a, nask.AttributedGraph(0)) == 0.0
    assert nask.similarity("CCO", "OCC") == 1.0


def test_what_cannot_be_measured():
    with pytest.raises(ParameterError, match=r"distances has no parameter 'gama'. Did you mean"):
        nask.distances(GRAPHS, gama=1)
    with pytest.raises(ParameterError, match=r"distances decides .* 'dtype' itself: .* float64"):
        nask.distances(GRAPHS, dtype="float32")
    with pytest.raises(ParameterError, match=r"similarity decides the kernel's parameter 'gram'"):
        nask.similarity(GRAPHS[0], GRAPHS[1], gram="rbf")
    with pytest.raises(InputError, match=r"Expected one graph; got an object of type list"):
        nask.similarity(GRAPHS, GRAPHS)
    with pytest.raises(MemoryLimitError, match=r"30 x 30 distances takes 7.2 kB.*nask.Index"):
        nask.distances(GRAPHS, memory_limit="5kB")
    # Above the limit only with the tiles: the kernel goes by way of a file.
    D = nask.distances(GRAPHS, memory_limit="60kB")
    np.testing.assert_array_equal(D, nask.distances(GRAPHS))
