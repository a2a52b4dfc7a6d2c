"""What must hold of every expansion, engine and normalisation, on drawn graphs."""

import copy
import warnings
from itertools import product
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from nask.compiled.vectors import LANES
from nask.engines.distinct import engine as distinct
from nask.engines.pairwise import engine as pairwise
from nask.engines.pairwise import tiling
from nask.exceptions import AbsentAttributeWarning, UnseenAttributeWarning
from nask.execution import execution
from strategies import VARIANTS, collections, fitting, shares

ENGINES = [
    ("nested", "reference"),
    ("nested", "pairwise"),
    ("nested", "distinct"),
    ("ball", "reference"),
    ("ball", "pairwise"),
    ("ball", "explicit"),
    ("walk", "reference"),
    ("walk", "pairwise"),
    ("walk", "distinct"),
]
KERNELS = [
    {"expansion": expansion, "engine": engine, "star_norm": star_norm, "normalize": normalize}
    for (expansion, engine), star_norm, normalize in product(ENGINES, (True, False), (True, False))
]
OPTIONS = st.fixed_dictionaries(
    {
        "star_norm": st.booleans(),
        "normalize": st.booleans(),
        "n_hops": st.integers(1, 3),
        "gamma": st.sampled_from([0.05, 1.0, 4.0]),
        "gamma_star": st.sampled_from([0.5, 8.0, 64.0]),
        "gram": st.sampled_from(["linear", "rbf"]),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "use_edges": st.booleans(),
        "prune_cores": st.booleans(),
    }
    | VARIANTS
)

drawn = settings(max_examples=30)
every_engine = pytest.mark.parametrize(("expansion", "engine"), ENGINES)
every_kernel = pytest.mark.parametrize(
    "kernel", KERNELS, ids=lambda k: "-".join(str(v) for v in k.values())
)


def draw(data, expansion, engine):
    """A kernel with drawn options, training graphs and new graphs it applies to."""
    options = fitting(data.draw(OPTIONS) | {"expansion": expansion, "engine": engine})
    if engine == "explicit" and options["similarity"] == "euclidean":
        options["similarity"] = "gower"
    train, new = data.draw(collections())
    return nask.NASK(**options), train, new


@pytest.fixture(autouse=True)
def unseen_attributes_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        yield


@every_engine
@drawn
@given(data=st.data())
def test_symmetric_positive_definite_and_finite(expansion, engine, data):
    model, train, new = draw(data, expansion, engine)
    K = model.fit(train)([*train, *new])
    assert np.isfinite(K).all()
    np.testing.assert_array_equal(K, K.T)  # to the last bit, in every form
    eigenvalues = np.linalg.eigvalsh(K)
    assert eigenvalues[0] >= -1e-8 * max(eigenvalues[-1], 1e-300)
    np.testing.assert_allclose(np.diag(K), model.diag([*train, *new]), rtol=1e-10, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("set_name", "expansion", "engine"),
    [
        ("mutag", "nested", "pairwise"),
        ("mutag", "nested", "distinct"),
        ("mutag", "ball", "pairwise"),
        ("mutag", "ball", "explicit"),
        ("cuneiform", "nested", "pairwise"),
        ("cuneiform", "nested", "distinct"),
        ("cuneiform", "ball", "pairwise"),
    ],
)
def test_float32_stays_positive_definite_on_real_graphs(request, set_name, expansion, engine):
    """P is held in float32 here: two hops at gamma_star 8 magnify rounding errors little."""
    graphs = request.getfixturevalue(set_name).graphs
    model = nask.NASK(n_hops=2, expansion=expansion, engine=engine, dtype="float32")
    K = model.fit_transform(graphs)
    assert K.dtype == np.float32
    assert model.fitted_.graphs.spec.dtype == "float32"
    eigenvalues = np.linalg.eigvalsh(K.astype(np.float64))
    assert eigenvalues[0] >= -1e-6 * eigenvalues[-1]


@pytest.mark.slow
@every_engine
@drawn
@given(data=st.data())
def test_the_order_of_nodes_and_edges_does_not_matter(expansion, engine, data):
    model, train, new = draw(data, expansion, engine)
    shuffled = [shuffle(data, graph) for graph in new]
    model.fit(train)
    np.testing.assert_allclose(
        model.transform(new), model.transform(shuffled), rtol=1e-9, atol=1e-13
    )
    np.testing.assert_allclose(model.diag(new), model.diag(shuffled), rtol=1e-9, atol=1e-13)


def shuffle(data, graph):
    order = data.draw(st.permutations(range(graph.n_nodes)))
    edge_order = data.draw(st.permutations(range(graph.n_edges)))
    position = np.argsort(order)
    return nask.AttributedGraph(
        graph.n_nodes,
        [position[graph.edges[e]][:: data.draw(st.sampled_from([1, -1]))] for e in edge_order],
        {k: a.take(np.array(order, dtype=int)) for k, a in graph.node_attributes.items()},
        {k: a.take(np.array(edge_order, dtype=int)) for k, a in graph.edge_attributes.items()},
    )


@pytest.mark.slow
@every_engine
@drawn
@given(data=st.data())
def test_transform_is_a_block_of_the_gram(expansion, engine, data):
    model, train, new = draw(data, expansion, engine)
    K = model.fit_transform(train)
    np.testing.assert_allclose(model.transform(train), K, rtol=1e-10, atol=1e-14)
    for k, graph in enumerate(train):
        if shares(train, [graph]):
            part = model.transform([graph])
            np.testing.assert_allclose(part, K[k : k + 1], rtol=1e-9, atol=1e-13)
    block = model.transform(new)
    np.testing.assert_allclose(model(new, train), block, rtol=1e-9, atol=1e-13)
    everything = model([*train, *new])
    np.testing.assert_allclose(block, everything[len(train) :, : len(train)], rtol=1e-9, atol=1e-13)


@pytest.mark.slow
@every_engine
@drawn
@given(data=st.data())
def test_weighted_hops_make_the_kernel(expansion, engine, data):
    model, train, new = draw(data, expansion, engine)
    weights = [0.5, 2.0, 1.0][: model.n_hops]
    model.set_params(normalize=False, gram="linear", hop_weights=weights)
    hops = model.fit(train).hop_grams(new)
    assert hops.shape == (model.n_hops, len(new), len(train))
    np.testing.assert_allclose(
        np.tensordot(weights, hops, axes=1), model.transform(new), rtol=1e-10, atol=1e-13
    )


@pytest.mark.slow
@every_engine
@drawn
@given(data=st.data())
def test_the_number_of_jobs_does_not_matter(expansion, engine, data):
    model, train, _ = draw(data, expansion, engine)
    with (
        # Tiles of a few nodes, so that there is work to divide, and threads for the least of it.
        patch.object(pairwise, "TILE_NODES", 3),
        patch.object(tiling, "TASK_PAIRS", 10),
        patch.object(distinct, "TASK_STARS", LANES),
        patch.object(execution, "PAIRS_PER_THREAD", 1),
    ):
        one = model.set_params(n_jobs=1).fit_transform(train)
        two = model.set_params(n_jobs=2).fit_transform(train)
    np.testing.assert_array_equal(one, two)


@every_kernel
def test_inputs_are_left_alone(kernel):
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "a", 1: "b"}, "letter")
    before = copy.deepcopy(graph)
    parameters = {"gamma": {"letter": 2.0}, "hop_weights": [1, 2, 3]}
    given_parameters = copy.deepcopy(parameters)
    graphs = [graph, nx.empty_graph(1)]
    nask.NASK(**kernel, **parameters).fit(graphs).transform(graphs)
    assert nx.utils.graphs_equal(graph, before)
    assert len(graphs) == 2
    assert parameters == given_parameters


@every_kernel
def test_a_graph_without_nodes_is_similar_to_nothing(kernel):
    empty = nask.AttributedGraph(0)
    # Of two nodes with an edge: a node alone has no walk.
    one = nask.AttributedGraph(2, [(0, 1)], {"letter": ["a", "a"]})
    pair = nask.AttributedGraph(3, [(0, 1)], {"letter": ["a", "b", None]})
    K = nask.NASK(**kernel).fit_transform([empty, one, pair])
    assert (K[0] == 0).all()
    assert (K[1:, 1:] > 0).all()
    alone = nask.NASK(**kernel).fit([empty])
    assert alone.transform([empty, one]).tolist() == [[0.0], [0.0]]
