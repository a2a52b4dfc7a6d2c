"""``attributes``: of attributes of another kind, nothing is seen."""

import numpy as np
import pytest

import nask
from nask.exceptions import UnseenAttributeWarning
from nask.graph.schema import kinds_of


def some_graphs(n=8, seed=0):
    rng = np.random.default_rng(seed)
    graphs = []
    for size in rng.integers(3, 7, size=n):
        edges = [(i, i + 1) for i in range(size - 1)]
        graphs.append(
            nask.AttributedGraph(
                int(size),
                edges,
                {
                    "x": [None if u < 0.1 else u for u in rng.random(size)],
                    "atom": rng.choice(["C", "N", "O"], size=size).tolist(),
                },
                {"length": rng.random(size - 1), "bond": rng.choice(["1", "2"], size=size - 1)},
            )
        )
    return graphs


def only(graph, kind):
    def shown(attributes):
        return {name: own for name, own in attributes.items() if own.kind == kind}

    return nask.AttributedGraph(
        graph.n_nodes, graph.edges, shown(graph.node_attributes), shown(graph.edge_attributes)
    )


@pytest.mark.parametrize("kind", ["categorical", "numerical"])
@pytest.mark.parametrize("engine", ["auto", "reference", "pairwise"])
@pytest.mark.parametrize("degree", [None, "numerical"])
def test_it_is_the_kernel_of_graphs_without_the_others(kind, engine, degree):
    graphs = some_graphs()
    plain = [only(graph, kind) for graph in graphs]
    shared = {"engine": engine, "degree": degree, "n_hops": 2}
    view = nask.NASK(attributes=kind, **shared).fit(graphs[:5])
    expected = nask.NASK(**shared).fit(plain[:5])
    # Warnings are errors: nothing is said of attributes that are left out on purpose.
    np.testing.assert_array_equal(view.transform(graphs[5:]), expected.transform(plain[5:]))
    assert not np.allclose(
        view.transform(graphs[5:]), nask.NASK(**shared).fit(graphs[:5]).transform(graphs[5:])
    )


@pytest.mark.parametrize("kind", ["categorical", "numerical"])
def test_nodes_and_features_see_the_same(kind):
    graph = some_graphs()[0]
    plain = only(graph, kind)
    view, expected = (
        nask.NodeNASK(**{"attributes": own, "n_hops": 2}).fit_transform(which)
        for own, which in ((kind, graph), ("all", plain))
    )
    np.testing.assert_array_equal(view, expected)
    rows, expected = (
        nask.NASKFeatures(attributes=own, n_components=64).fit_transform([which])
        for own, which in ((kind, graph), ("all", plain))
    )
    np.testing.assert_array_equal(rows, expected)


def test_sparse_node_features_are_numbers():
    words = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    labels = {"atom": ["C", "N", "C"]}
    graph = nask.AttributedGraph(3, [(0, 1), (1, 2)], labels, node_features=words)
    plain = nask.AttributedGraph(3, [(0, 1), (1, 2)], labels)
    view = nask.NodeNASK(attributes="categorical").fit_transform(graph)
    np.testing.assert_array_equal(view, nask.NodeNASK().fit_transform(plain))
    assert kinds_of([graph]) == {"categorical", "numerical"}


def test_an_attribute_that_training_did_not_have_is_told():
    graphs = some_graphs()
    kernel = nask.NASK(attributes="categorical").fit([only(g, "categorical") for g in graphs[:5]])
    with pytest.warns(UnseenAttributeWarning) as told:
        kernel.transform(graphs[5:])
    texts = [str(warning.message) for warning in told]
    assert ["'x'" in texts[0], "'length'" in texts[1]] == [True, True]


def test_parameters_may_name_what_is_left_out():
    graphs = some_graphs()
    kernel = nask.NASK(attributes="categorical", gamma={"x": 3.0, "atom": 2.0})
    expected = nask.NASK(attributes="categorical", gamma={"atom": 2.0})
    np.testing.assert_array_equal(kernel.fit_transform(graphs), expected.fit_transform(graphs))


def test_saving_keeps_the_view(tmp_path):
    graphs, y = some_graphs(10), [0, 1] * 5
    model = nask.NASKClassifier(attributes="categorical").fit(graphs, y)
    model.save(tmp_path / "model.nask")
    same = nask.load(tmp_path / "model.nask")
    new = some_graphs(5, seed=1)
    np.testing.assert_array_equal(same.decision_function(new), model.decision_function(new))


def test_a_view_that_shows_all_there_is_is_not_searched():
    graphs = some_graphs()
    model = nask.TunedNASKClassifier()
    both, labels = model.sweeps_of(graphs), model.sweeps_of([only(graphs[0], "categorical")])
    assert len(both) == 2 * len(labels)
    assert {sweep.parameters["attributes"] for sweep in labels} == {"all"}
    alone = nask.TunedNASKClassifier(grid={"attributes": ["categorical"]})
    assert len(alone.sweeps_of([only(graphs[0], "categorical")])) == 1
