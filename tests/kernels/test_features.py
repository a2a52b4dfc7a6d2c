"""Random features: their products are the exact kernel, with an error that falls as it should."""

import warnings

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import nask
from nask.engines.reference.equations import star_kernels
from nask.exceptions import (
    AbsentAttributeWarning,
    MemoryLimitError,
    ParameterError,
    SchemaError,
    UnseenAttributeWarning,
)
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.kernels import feature_work as module
from strategies import collections

OPTIONS = [
    {},
    {"n_hops": 1, "gamma": 0.3},
    {"n_hops": 2, "gamma": 4.0, "gamma_star": 2.0, "degree": "numerical"},
    {"n_hops": 2, "expansion": "ball"},
    {"n_hops": 1, "similarity": "one-hot", "max_leaves": 2},
    {"n_hops": 2, "max_leaves": 1, "use_edges": False},
    {"n_hops": 2, "star_norm": False, "use_edges": False},
    {"n_hops": 3, "hop_weights": [0.2, 1.0, 3.0], "degree": "categorical"},
]


def exact_kernel(graphs, options):
    return nask.NASK(**options).fit_transform(graphs)


def rms_error(graphs, exact, n_components, seed, **options):
    model = nask.NASKFeatures(n_components=n_components, random_state=seed, **options)
    rows = model.fit_transform(graphs).astype(np.float64)
    return np.sqrt(np.mean((rows @ rows.T - exact) ** 2))


@pytest.mark.parametrize("options", OPTIONS)
def test_products_are_the_kernel_with_every_kind_of_attribute(cuneiform, options):
    graphs = cuneiform.graphs[:40]
    exact = exact_kernel(graphs, options)
    error = np.mean([rms_error(graphs, exact, 2048, seed, **options) for seed in range(3)])
    spread = exact[~np.eye(len(exact), dtype=bool)].std()
    assert error < 0.25 * spread
    assert error < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[1], OPTIONS[3]])
def test_the_error_falls_as_one_over_the_root_of_the_columns(mutag, options):
    graphs = mutag.graphs[::6]
    exact = exact_kernel(graphs, options)
    sizes = [128, 512, 2048, 8192]
    errors = [
        np.sqrt(np.mean([rms_error(graphs, exact, n, seed, **options) ** 2 for seed in range(8)]))
        for n in sizes
    ]
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.65 < slope < -0.35, errors


def test_the_mean_over_seeds_has_no_bias(cuneiform):
    graphs = cuneiform.graphs[:12]
    options = {"n_hops": 1, "star_norm": False, "normalize": False}
    exact = exact_kernel(graphs, options)
    products = []
    for seed in range(60):
        model = nask.NASKFeatures(n_components=128, random_state=seed, **options)
        rows = model.fit_transform(graphs).astype(np.float64)
        products.append((rows @ rows.T - exact) / exact)
    errors = np.array(products)
    # 60 draws: the mean lies within four of its standard errors, in each of 144 entries.
    limits = 4.5 * errors.std(axis=0) / np.sqrt(len(errors)) + 1e-6
    assert (np.abs(errors.mean(axis=0)) < limits).all()


@settings(max_examples=20)
@given(data=st.data())
def test_drawn_graphs_with_missing_and_unseen_values(data):
    train, new = data.draw(collections())
    options = {"n_hops": 2, "gamma": 1.0, "gamma_star": 4.0}
    kernel = nask.NASK(**options).fit(train)
    model = nask.NASKFeatures(n_components=8192, **options).fit(train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        approximate, exact = model.transform(new) @ model.transform(train).T, kernel.transform(new)
    assert np.abs(approximate - exact).max() < 0.12


def test_rows_do_not_depend_on_batches_jobs_or_backends(cuneiform, monkeypatch):
    graphs = cuneiform.graphs[:60]
    model = nask.NASKFeatures(n_components=256).fit(graphs)
    expected = model.transform(graphs)
    parts = [model.transform(graphs[i : i + 7]) for i in range(0, 60, 7)]
    assert np.array_equal(np.vstack(parts), expected)
    assert np.array_equal(np.vstack(list(model.stream(iter(graphs), batch_size=11))), expected)
    monkeypatch.setattr(module, "BATCH_BYTES", 50_000)
    for n_jobs in (1, 2):
        model.set_params(n_jobs=n_jobs)
        assert np.array_equal(model.transform(graphs), expected)
    with joblib.parallel_config("loky", n_jobs=2):
        assert np.array_equal(model.set_params(n_jobs=2).transform(graphs), expected)
    assert np.array_equal(clone(model).fit_transform(graphs), expected)


def test_one_large_graph_is_divided_among_threads():
    network = nask.lab.make_social_network(3000, random_state=1).graph
    model = nask.NASKFeatures(n_components=96, level="node")
    alone = model.fit_transform(network)
    assert alone.shape == (3000, 96)
    assert np.array_equal(model.transform(network), alone)
    assert np.array_equal(clone(model).set_params(n_jobs=2).fit_transform(network), alone)
    by_graph = nask.NASKFeatures(n_components=96, level="graph", normalize=False)
    np.testing.assert_allclose(
        by_graph.fit_transform([network])[0] / np.sqrt(3), alone.sum(axis=0), rtol=2e-3, atol=0.05
    )


def test_new_categories_match_only_themselves_in_any_batch():
    def labelled(*labels):
        return nask.AttributedGraph(len(labels), (), {"label": list(labels)})

    train = [labelled("a", "b"), labelled("b", "a")]
    model = nask.NASKFeatures(n_components=512, n_hops=1).fit(train)
    new = [labelled("x"), labelled("y"), labelled("x")]
    together = model.transform(new)
    assert np.array_equal(together, np.vstack([model.transform([g]) for g in new]))
    assert np.array_equal(together[0], together[2])
    exact = nask.NASK(n_hops=1).fit(train)(new)
    np.testing.assert_allclose(together @ together.T, exact, atol=0.1)


@pytest.mark.parametrize("as_feature", [False, True])
@pytest.mark.parametrize("far", [1e4, 1e9, 1e16, 1e18, 2.0**70, 1e100, 1e300, -1e16])
def test_numbers_far_outside_the_training_range_are_entirely_dissimilar(far, as_feature):
    rng = np.random.default_rng(0)

    def graph(values):
        if not as_feature:
            return nask.AttributedGraph(3, [(0, 1), (1, 2)], {"x": np.array(values)})
        # A column has few waves; errors are small over many.
        features = np.outer(values, np.linspace(0.5, 1.0, 50))
        return nask.AttributedGraph(3, [(0, 1), (1, 2)], node_features=features)

    train = [graph([0.0, 5.0, 2.5]), *(graph(5 * rng.random(3)) for _ in range(11))]
    new = [graph([far, 1.0, 2.0]), graph([far, far, far]), graph([far / 3, 1.0, 2.0])]
    options = {"n_hops": 2, "gamma": 2.0}
    exact = nask.NASK(**options).fit(train)
    rows = [nask.NASKFeatures(n_components=4096, random_state=s, **options) for s in range(4)]
    errors = np.zeros((len(new), len(train) + len(new)))
    for features in rows:
        z, z_new = features.fit_transform(train), features.transform(new)
        assert np.isfinite(z_new).all()
        errors += z_new @ np.vstack([z, z_new]).T / len(rows)
    errors -= np.hstack([exact.transform(new), exact(new)])
    assert np.abs(errors).max() < 0.05


def test_numbers_far_outside_the_training_range_resemble_their_neighbours():
    train = [nask.AttributedGraph(1, (), {"x": [x]}) for x in (0.0, 1.0)]
    new = [nask.AttributedGraph(1, (), {"x": [x]}) for x in (2000.0, 2000.3, 5e6 + 0.5, 5e6 + 1)]
    exact = nask.NASK(n_hops=1).fit(train)(new)
    z = nask.NASKFeatures(n_hops=1, n_components=2048).fit(train).transform(new)
    assert np.abs(z @ z.T - exact).max() < 0.08


def test_words_stay_sparse_and_agree_with_named_attributes():
    rng = np.random.default_rng(0)
    rare, common = rng.random((40, 300)) < 0.03, rng.random((40, 300)) < 0.5 * rng.random((40, 1))
    for words in (rare, common, np.round(rng.random((40, 300)) ** 30, 2)):
        edges = rng.integers(0, 40, (60, 2))
        graph = nask.AttributedGraph(40, edges, node_features=words)
        options = {"n_hops": 1, "gamma": 1.0}
        named = {f"word{d}": column.astype(float) for d, column in enumerate(words.T)}
        single = [nask.AttributedGraph(40, edges, named)]
        kernel = nask.NASK(engine="reference", **options)
        schema = Schema.fit(single)
        batch = GraphBatch.encode(single, schema)
        [k] = star_kernels(batch, 0, batch, 0, kernel.star_spec(schema), None, None)
        k = np.array(k)
        exact = k / np.sqrt(np.outer(k.diagonal(), k.diagonal()))
        for width, limit in ((512, 0.03), (8192, 0.01)):
            rows = nask.NASKFeatures(n_components=width, level="node", **options).fit_transform(
                graph
            )
            assert np.sqrt(np.mean((rows @ rows.T - exact) ** 2)) < limit


def test_features_that_were_words_may_not_become_numbers():
    graphs = [nask.AttributedGraph(3, node_features=np.eye(3)) for _ in range(2)]
    model = nask.NASKFeatures(n_components=64).fit(graphs)
    with pytest.raises(SchemaError, match="not zeros and ones"):
        model.transform([nask.AttributedGraph(3, node_features=np.eye(3) / 2)])


def test_partial_fit_joins_schemas(cuneiform):
    graphs = cuneiform.graphs
    model = nask.NASKFeatures(n_components=128)
    for start in range(0, 60, 20):
        model.partial_fit(graphs[start : start + 20])
    assert model.schema_ == Schema.fit(graphs[:60])
    rows = model.transform(graphs[:60])
    exact = nask.NASK().fit_transform(graphs[:60])
    assert np.sqrt(np.mean((rows @ rows.T - exact) ** 2)) < 0.05
    with pytest.raises(SchemaError, match="is categorical, but was numerical before"):
        nask.NASKFeatures().fit([nask.AttributedGraph(1, (), {"age": [1]})]).partial_fit(
            [nask.AttributedGraph(1, (), {"age": ["old"]})]
        )


def test_in_a_pipeline_with_a_linear_machine(mutag):
    model = make_pipeline(nask.NASKFeatures(n_components=256, n_hops=2), LinearSVC(C=10))
    model.fit(mutag.graphs[::2], mutag.y[::2])
    assert model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75


def test_graphs_without_nodes_or_edges():
    graphs = [nask.AttributedGraph(0), nask.AttributedGraph(1), nask.AttributedGraph(2, [(0, 1)])]
    rows = nask.NASKFeatures(n_components=64).fit_transform(graphs)
    assert np.isfinite(rows).all()
    assert not rows[0].any()
    np.testing.assert_allclose(np.linalg.norm(rows[1:], axis=1), 1, rtol=1e-6)
    assert nask.NASKFeatures(n_components=64, level="node").fit_transform(graphs).shape == (3, 64)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 4}, "an int of at least 24 for 3 hops"),
        ({"level": "edge"}, "'level' .* one of 'graph', 'node'"),
        ({"random_state": -1}, "'random_state'"),
        ({"gamma": 0}, "'gamma' parameter of NASKFeatures"),
    ],
)
def test_parameters_are_checked(mutag, parameters, message):
    with pytest.raises(ParameterError, match=message):
        nask.NASKFeatures(**parameters).fit(mutag.graphs)


def test_parameters_changed_after_fit_count_from_the_next_fit_on(mutag):
    model = nask.NASKFeatures(n_components=64, n_hops=2).fit(mutag.graphs)
    expected = model.transform(mutag.graphs)
    model.set_params(n_components=128, n_hops=3, level="node", normalize=False, gamma=5.0)
    assert np.array_equal(model.transform(mutag.graphs), expected)


def test_memory_limit_is_kept_before_work_begins(mutag):
    model = nask.NASKFeatures(n_components=1024).fit(mutag.graphs)
    with pytest.raises(MemoryLimitError, match="smaller n_components"):
        model.set_params(memory_limit="100kB").transform(mutag.graphs)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"similarity": "euclidean"}, "drawn for one attribute at a time"),
        ({"expansion": "walk"}, "which random walks do without"),
    ],
)
def test_there_are_no_random_features_of_some_kernels(mutag, options, reason):
    with pytest.raises(ParameterError, match=f"NASKFeatures has no random features for.*{reason}"):
        nask.NASKFeatures(**options).fit(mutag.graphs[:3])


def test_float16_takes_half_the_memory_and_adds_little_error():
    network = nask.lab.make_social_network(700, random_state=100).graph
    exact = nask.NodeNASK(n_hops=2).fit_transform(network)
    rows = {}
    for dtype in ("float32", "float16"):
        model = nask.NASKFeatures(level="node", n_components=512, n_hops=2, dtype=dtype)
        rows[dtype] = model.fit_transform(network)
        assert rows[dtype].dtype == np.dtype(dtype)
        np.testing.assert_array_equal(model.set_params(n_jobs=2).transform(network), rows[dtype])
    single, half = (own.astype(np.float64) for own in rows.values())
    error = np.sqrt(np.mean((single @ single.T - exact) ** 2))
    added = np.sqrt(np.mean((half @ half.T - single @ single.T) ** 2))
    assert 0 < added < error / 50
    np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1.0, atol=1e-3)


@pytest.mark.parametrize(
    "other",
    [{"level": "graph"}, {"restart": 0.1}, {"star_norm": False}, {"hop_weights": [1.0, 2.0, 3.0]}],
)
def test_float16_is_for_rows_of_length_one(mutag, other):
    model = nask.NASKFeatures(**{"level": "node", "dtype": "float16", **other})
    with pytest.raises(ParameterError, match="float16"):
        model.fit(mutag.graphs[:2])


def test_a_large_gamma_does_not_make_stars_vanish():
    """Float32 ends at 1e-38, and a star without any value has k = e^(-2 gamma)."""
    options = {"gamma": 30.0, "n_hops": 2, "normalize": False}
    graphs = [nask.AttributedGraph(2, [(0, 1)], {"x": [None, None]})]
    graphs.append(nask.AttributedGraph(2, [(0, 1)], {"x": [0.0, 1.0]}))
    exact = nask.NASK(**options).fit(graphs).diag(graphs)
    rows = nask.NASKFeatures(n_components=2048, **options).fit_transform(graphs)
    np.testing.assert_allclose((rows.astype(float) ** 2).sum(axis=1), exact, rtol=0.1)


@pytest.mark.parametrize("gamma_star", [1e20, 1e308])
def test_the_sharpest_stars_are_equal_or_not(mutag, gamma_star):
    """The arguments of waves grow with it, and single precision holds no more than 1e38."""
    graphs = mutag.graphs[:6]
    rows = nask.NASKFeatures(gamma_star=gamma_star).fit_transform(graphs)
    exact = nask.NASK(gamma_star=gamma_star).fit_transform(graphs)
    np.testing.assert_allclose(rows @ rows.T, exact, atol=0.04)
