"""Parameters outside their range, and what each one does."""

import math
import warnings

import numpy as np
import pytest

import nask
from nask.exceptions import (
    GraphError,
    InputError,
    MemoryLimitError,
    ParameterError,
    SchemaError,
    UnseenAttributeWarning,
)

GRAPHS = [
    nask.AttributedGraph(2, [(0, 1)], {"age": [20, 30], "region": ["a", "b"]}, {"w": [1.0]}),
    nask.AttributedGraph(3, [(0, 1), (1, 2)], {"age": [25, None, 60], "region": ["b", "b", None]}),
]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("gamma", 0), ("gamma", -1.0), ("gamma", math.nan), ("gamma", math.inf), ("gamma", "1"),
        ("gamma", {"age": 0.0}), ("gamma", None), ("gamma", True),
        ("n_hops", 0), ("n_hops", -3), ("n_hops", 1.5), ("n_hops", True), ("n_hops", "2"),
        ("n_hops", 1001), ("n_hops", 10**400), ("gamma", 10**400), ("gamma_star", 10**400),
        ("gamma_star", 0.0), ("gamma_star", math.inf), ("gram_scale", -1),
        ("expansion", "balls"), ("gram", "gaussian"), ("engine", "fast"), ("dtype", "float16"),
        ("dtype", np.float32), ("degree", "yes"), ("star_norm", 1), ("normalize", "no"),
        ("use_edges", None), ("prune_cores", 0.5), ("similarity", "cosine"), ("similarity", None),
        ("max_leaves", 0), ("max_leaves", 1.5), ("max_leaves", True), ("max_leaves", "2"),
        ("hop_weights", [1.0]), ("hop_weights", [1, 1, -1]), ("hop_weights", [0, 0, 0]),
        ("attribute_weights", [1.0]), ("attribute_weights", {"age": -1.0}),
        ("n_jobs", 0), ("n_jobs", "2"), ("n_jobs", 1.5), ("verbose", "yes"), ("hop_weights", 3),
        ("memory_limit", "lots"), ("memory_limit", 0), ("memory_limit", -5), ("memory_limit", 1.5),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cls", [nask.NASK, nask.NASKClassifier, nask.NASKRegressor])
def test_bad_values_are_refused_in_one_grammar(cls, parameter, value):
    model = cls(**{parameter: value})
    pattern = f"The '{parameter}' parameter of {cls.__name__} must be .* Got .* instead"
    with pytest.raises(ParameterError, match=pattern):
        model.fit(GRAPHS, [0, 1])


@pytest.mark.parametrize("parameter", ["n_hops", "gamma", "gamma_star", "gram_scale"])
def test_integers_of_thousands_of_digits_are_refused(parameter):
    with pytest.raises(ParameterError, match="Got an integer of more than 4300 digits instead"):
        nask.NASK(**{parameter: 10**5000}).fit(GRAPHS)


def test_unknown_attribute_names_are_refused_with_a_hint():
    with pytest.raises(ParameterError, match=r"'gamma' .* names 'aeg'.* Did you mean 'age'\?"):
        nask.NASK(gamma={"aeg": 1.0}).fit(GRAPHS)
    with pytest.raises(ParameterError, match=r"'attribute_weights' .* names 'sex'.*Known names"):
        nask.NASK(attribute_weights={"sex": 1.0}).fit(GRAPHS)
    with pytest.raises(ParameterError, match="every node attribute the weight 0"):
        nask.NASK(attribute_weights={"age": 0, "region": 0}).fit(GRAPHS)


def test_a_weight_of_zero_leaves_an_attribute_out():
    ages = [
        nask.AttributedGraph(
            g.n_nodes, g.edges, {"age": g.node_attributes["age"]}, dict(g.edge_attributes)
        )
        for g in GRAPHS
    ]
    weighted = nask.NASK(attribute_weights={"region": 0.0}).fit_transform(GRAPHS)
    np.testing.assert_allclose(weighted, nask.NASK().fit_transform(ages), rtol=1e-12)


def test_gamma_by_attribute():
    same = nask.NASK(gamma={"age": 2.0, "region": 2.0, "w": 2.0}).fit_transform(GRAPHS)
    np.testing.assert_allclose(same, nask.NASK(gamma=2.0).fit_transform(GRAPHS), rtol=1e-12)
    other = nask.NASK(gamma={"age": 2.0, "region": 1.0, "w": 2.0}).fit_transform(GRAPHS)
    assert abs(other - same).max() > 1e-4


@pytest.mark.parametrize("kind", ["categorical", "numerical"])
def test_degree_is_one_more_attribute(kind):
    with_degree = [
        nask.AttributedGraph(
            g.n_nodes,
            g.edges,
            {**g.node_attributes, "size": g.degrees()},
            dict(g.edge_attributes),
            categorical=["size"] if kind == "categorical" else [],
        )
        for g in GRAPHS
    ]
    np.testing.assert_allclose(
        nask.NASK(degree=kind).fit_transform(GRAPHS),
        nask.NASK().fit_transform(with_degree),
        rtol=1e-12,
    )


def test_degree_does_not_hide_an_attribute_of_that_name():
    graph = nask.AttributedGraph(1, node_attributes={"degree": [3]})
    with pytest.raises(GraphError, match="have a node attribute 'degree' already"):
        nask.NASK(degree="numerical").fit([graph])
    kernel = nask.NASK(degree="numerical").fit([nask.AttributedGraph(1)])
    with pytest.raises(GraphError, match="Graph 0 has a node attribute 'degree'"):
        kernel.transform([graph])


@pytest.mark.parametrize("engine", ["reference", "pairwise", "explicit", "distinct"])
@pytest.mark.parametrize("gamma", [200.0, 360.0, 380.0, 740.0])
def test_no_nan_where_similarities_underflow(engine, gamma):
    """A node without values has P = exp(-gamma) even with itself, and k = P^2 or less."""
    graphs = [nask.AttributedGraph(1, [], {"c": [value]}) for value in ("red", None)]
    kernel = nask.NASK(gamma=gamma, engine=engine, expansion="ball", n_hops=1)
    K = kernel.fit_transform(graphs)
    assert np.isfinite(K).all()
    assert K[0, 0] == pytest.approx(1)
    np.testing.assert_allclose(K, nask.NASK(**{**kernel.get_params(), "engine": "reference"})
                               .fit_transform(graphs), rtol=1e-9)  # fmt: skip


@pytest.mark.parametrize("engine", ["reference", "pairwise", "explicit", "distinct"])
def test_pruning_needs_something_to_prune_by(engine):
    graphs = [nask.AttributedGraph(1, [], {"c": [value]}) for value in ("red", "blue")]
    options = {"prune_cores": True, "engine": engine, "expansion": "ball", "n_hops": 1}
    with pytest.raises(ParameterError, match="prune_cores=True needs a gamma"):
        nask.NASK(gamma=1e-17, **options).fit(graphs)
    K = nask.NASK(gamma=1e-5, **options).fit_transform(graphs)
    np.testing.assert_allclose(K, np.eye(2), atol=1e-9)


def test_far_values_that_are_equal_are_alike():
    train = [nask.AttributedGraph(1, [], {"x": [value]}) for value in (0.0, 1e-200)]
    new = [nask.AttributedGraph(1, [], {"x": [1e200]})]
    kernel = nask.NASK(gamma=1e9, star_norm=False, normalize=False, n_hops=1).fit(train)
    assert kernel.diag(new) == pytest.approx(1.0)
    tiny = [nask.AttributedGraph(1, [], {"x": [value]}) for value in (0.0, 5e-324)]
    K = nask.NASK(star_norm=False, normalize=False, n_hops=1).fit_transform(tiny)
    np.testing.assert_allclose(K, [[1, math.exp(-2)], [math.exp(-2), 1]], rtol=1e-12)


def test_rbf_is_a_gaussian_of_the_distance(mutag):
    graphs, new = mutag.graphs[:20], mutag.graphs[20:30]
    linear = nask.NASK(normalize=False).fit(graphs)
    everything = linear([*graphs, *new])
    own = np.diag(everything)
    squared = own[:, None] + own[None, :] - 2 * everything
    pairs = ~np.eye(20, dtype=bool)
    expected = np.exp(-3.0 * squared / squared[:20, :20][pairs].mean())
    rbf = nask.NASK(normalize=False, gram="rbf", gram_scale=3.0)
    np.testing.assert_allclose(rbf.fit_transform(graphs), expected[:20, :20], rtol=1e-8)
    np.testing.assert_allclose(rbf.transform(new), expected[20:, :20], rtol=1e-8)
    np.testing.assert_allclose(nask.NASK(**rbf.get_params()).fit(graphs).transform(new),
                               expected[20:, :20], rtol=1e-8)  # fmt: skip
    assert (rbf.diag(new) == 1).all()


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rbf_of_one_graph_in_several_orders(cuneiform, normalize, dtype):
    """The distances are rounding errors, which must not become the unit of distance."""
    graph = cuneiform.graphs[5]
    copies = [graph]
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(graph.n_nodes)
        nodes = {k: a.take(order) for k, a in graph.node_attributes.items()}
        edges = np.argsort(order)[graph.edges]
        copies.append(
            nask.AttributedGraph(graph.n_nodes, edges, nodes, dict(graph.edge_attributes))
        )
    K = nask.NASK(gram="rbf", normalize=normalize, dtype=dtype).fit_transform(copies)
    np.testing.assert_allclose(K, 1.0, rtol=1e-6)
    assert (np.diag(K) == 1).all()


@pytest.mark.parametrize("normalize", [True, False])
def test_the_sharpest_gaussian_tells_equal_graphs_from_others(mutag, normalize):
    """Its scale in units of distance is no float64."""
    kernel = nask.NASK(n_hops=1, gram="rbf", gram_scale=1e308, normalize=normalize)
    np.testing.assert_array_equal(kernel.fit_transform(mutag.graphs[:4]), np.eye(4))


def test_rbf_of_graphs_that_are_all_alike():
    assert nask.NASK(gram="rbf").fit_transform([GRAPHS[0]] * 3).tolist() == [[1.0] * 3] * 3
    assert nask.NASK(gram="rbf").fit_transform([GRAPHS[0]]).tolist() == [[1.0]]


def test_sharp_stars_are_equal_or_not(mutag):
    """gamma_star -> infinity is Weisfeiler-Lehman's hash: equal stars count, others do not."""
    path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    sharp = nask.NASK(gamma_star=1e6, normalize=False, n_hops=2, degree="categorical")
    K = sharp.fit((*mutag.graphs[:2], path, star)).hop_grams([mutag.graphs[2], path, star])
    K = K[1, 1:, 2:]
    # In the path ends and middles are two kinds of stars; in the star, centre and leaves.
    assert K[0, 0] == pytest.approx(2**2 + 2**2)
    assert K[1, 1] == pytest.approx(1 + 3**2)


def test_memory_limit_is_checked_before_the_work():
    with pytest.raises(MemoryLimitError, match=r"1 x 1 graphs with its hops takes 32 B, .* 31 B"):
        nask.NASK(memory_limit=31, engine="reference").fit_transform(GRAPHS)
    nask.NASK(memory_limit="32 B", engine="reference").fit_transform(GRAPHS)
    # In whole vectors, four tiles of 8 x 8 (P, its successor, the edge term, P between edges), two
    # of eight lines, a vector of 0, a square, the sums of 8 nodes with a graph, the nearest stars;
    # and the result.
    n_tiles, n_others = 4 * 64, 64 + 64 + 8 + 64 + 8 + 8
    enough = 8 * (n_tiles + n_others + 1)
    with pytest.raises(MemoryLimitError, match=r"a tile for each of 1 threads, takes 3\.78 kB"):
        nask.NASK(memory_limit=enough - 1, engine="pairwise").fit_transform(GRAPHS)
    nask.NASK(memory_limit=enough, engine="pairwise").fit_transform(GRAPHS)
    enough = 4 * n_tiles + 8 * n_others + 4
    options = {"engine": "pairwise", "dtype": "float32", "n_hops": 2}
    nask.NASK(memory_limit=enough, **options).fit_transform(GRAPHS)
    with pytest.raises(MemoryLimitError, match="tile"):
        nask.NASK(memory_limit="1kB").fit([nask.AttributedGraph(100)])


def test_progress_is_reported_to_a_callback(mutag):
    calls = []
    nask.NASK(verbose=lambda done, total: calls.append((done, total))).fit_transform(mutag.graphs)
    assert calls[-1][0] == calls[-1][1] == len(calls) > 1


def test_verbose_shows_a_bar_on_the_terminal_and_nothing_on_standard_output(
    mutag, capsys, monkeypatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    nask.NASK(verbose=True).fit_transform(mutag.graphs[:10])
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Comparing graphs" in shown.err


def test_parameters_changed_after_fit_count_from_the_next_fit_on():
    kernel = nask.NASK(n_hops=2).fit(GRAPHS)
    expected, hops = kernel.transform(GRAPHS), kernel.hop_grams(GRAPHS)
    kernel.set_params(n_hops=3, gram="rbf", gamma=5.0, normalize=False, engine="reference")
    assert np.array_equal(kernel.transform(GRAPHS), expected)
    assert np.array_equal(kernel(GRAPHS, GRAPHS), expected)
    np.testing.assert_allclose(kernel.diag(GRAPHS), np.diag(expected), rtol=1e-14)
    assert np.array_equal(kernel.hop_grams(), hops)
    assert not np.allclose(kernel.fit(GRAPHS).transform(GRAPHS), expected)


def test_how_to_run_counts_at_once():
    kernel, steps = nask.NASK(n_hops=2).fit(GRAPHS), []
    expected = kernel.transform(GRAPHS)
    kernel.set_params(n_jobs=2, verbose=lambda *step: steps.append(step), memory_limit="1GB")
    assert np.array_equal(kernel.transform(GRAPHS), expected)
    assert steps
    with pytest.raises(MemoryLimitError, match="memory_limit"):
        kernel.set_params(memory_limit=1).transform(GRAPHS)


@pytest.mark.parametrize("method", ["transform", "diag", "hop_grams", "__call__"])
def test_use_before_fit(method):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="fit"):
        getattr(nask.NASK(), method)(GRAPHS)


def test_no_graphs_and_no_list_of_graphs():
    with pytest.raises(GraphError):
        nask.NASK().fit([])
    with pytest.raises(InputError):
        nask.NASK().fit(GRAPHS[0])
    with pytest.raises(InputError):
        nask.NASK().fit(np.zeros((3, 2)))


def test_an_attribute_has_one_kind_in_a_collection():
    text = nask.AttributedGraph(1, node_attributes={"age": ["old"]})
    with pytest.raises(
        SchemaError, match="'age' is numerical in graph 0, but categorical in graph 2"
    ):
        nask.NASK().fit([*GRAPHS, text])
    with pytest.raises(SchemaError, match="'age' is categorical in graph 1, but was numerical"):
        nask.NASK().fit(GRAPHS).transform([GRAPHS[0], text])


def test_a_graph_without_any_value_fits_either_kind():
    blank = nask.AttributedGraph(2, node_attributes={"age": [None, None], "region": [None, None]})
    K = nask.NASK().fit_transform([*GRAPHS, blank])
    np.testing.assert_allclose(K[:2, :2], nask.NASK().fit_transform(GRAPHS), rtol=1e-12)
    assert nask.NASK().fit(GRAPHS).transform([blank]).min() > 0


def test_an_attribute_new_graphs_bring_is_left_out_with_a_warning():
    known = {"age": [20], "region": ["a"]}
    extra = nask.AttributedGraph(1, node_attributes={**known, "income": [5.0]})
    plain = nask.AttributedGraph(1, node_attributes=known)
    kernel = nask.NASK().fit(GRAPHS)
    with pytest.warns(UnseenAttributeWarning, match="node attribute 'income' of graph 0"):
        K = kernel.transform([extra])
    np.testing.assert_array_equal(K, kernel.transform([plain]))


def test_an_attribute_missing_everywhere_in_training_never_matches():
    blank = nask.AttributedGraph(1, node_attributes={"age": [None]})
    aged = nask.AttributedGraph(1, node_attributes={"age": [40]})
    kernel = nask.NASK(normalize=False, star_norm=False, n_hops=1, gamma=2.0).fit([blank])
    # P = exp(-gamma) throughout, and a star of one node has k = P * P.
    np.testing.assert_allclose(kernel([aged, blank]), math.exp(-4.0), rtol=1e-12)


def test_enormous_values_stay_finite():
    wild = [
        nask.AttributedGraph(1, node_attributes={"x": [value]}) for value in (1e-320, 0.0, 1e-310)
    ]
    new = [nask.AttributedGraph(1, node_attributes={"x": [value]}) for value in (1e308, -1e308)]
    K = nask.NASK().fit(wild)([*wild, *new])
    assert np.isfinite(K).all()
    with pytest.raises(SchemaError, match="spans"):
        nask.NASK().fit(new)


def pair_of(first, second, **options):
    """The kernel between two graphs of one node each, without edges: P^2 of these nodes."""
    train = [nask.AttributedGraph(2, (), {"age": [0.0, 10.0], "region": ["a", "b"]})]
    graphs = [
        nask.AttributedGraph(1, (), {"age": [age], "region": [region]})
        for age, region in (first, second)
    ]
    options |= {"n_hops": 1, "star_norm": False, "normalize": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        return nask.NASK(**options).fit(train)(graphs)[0, 1]


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ((0.0, "a"), (0.9, "a"), 1.0),  # the same bin, of ten
        ((0.9, "a"), (1.0, "a"), 0.5),
        ((9.0, "a"), (10.0, "b"), 0.5),  # the largest value is in the last bin
        ((-1.0, "a"), (-50.0, "b"), 0.5),  # all below the range are in one bin
        ((11.0, "a"), (99.0, "b"), 0.5),
        ((-1.0, "a"), (11.0, "b"), 0.0),
        ((5.0, "z"), (5.0, "z"), 1.0),  # never seen in training, and equal
        ((None, None), (None, None), 0.0),
        ((None, "a"), (None, "a"), 0.5),
    ],
)
def test_one_hot_counts_equal_values(first, second, share):
    assert pair_of(first, second, similarity="one-hot") == pytest.approx(share**2, abs=1e-15)
    assert pair_of(second, first, similarity="one-hot", gamma=0.1) == pytest.approx(share**2)


@pytest.mark.parametrize(
    ("first", "second", "squared"),
    [
        ((0.0, "a"), (10.0, "a"), 1.0),
        ((0.0, "a"), (0.0, "b"), 1.0),  # as far as the ends of the range
        ((0.0, "a"), (5.0, "b"), 1.25),
        ((0.0, "a"), (30.0, "z"), 10.0),
        ((None, "a"), (0.0, "a"), 0.25),  # missing is the middle of the range
        ((5.0, None), (5.0, "b"), 0.5),  # and half way from every category
        ((None, None), (None, None), 0.0),
    ],
)
def test_euclidean_is_a_gaussian_of_points(first, second, squared):
    expected = math.exp(-2.0 * squared / 2) ** 2
    assert pair_of(first, second, similarity="euclidean", gamma=2.0) == pytest.approx(expected)


def test_euclidean_has_weights_and_gammas_inside():
    options = {"gamma": {"age": 3.0}, "attribute_weights": {"region": 3.0}}
    found = pair_of((0.0, "a"), (5.0, "b"), similarity="euclidean", **options)
    assert found == pytest.approx(math.exp(-(0.25 * 3.0 * 0.25 + 0.75 * 1.0 * 1.0)) ** 2)
    left_out = {"age": 0.0, "region": 1.0}
    far = pair_of((-1e300, "a"), (1e300, "a"), similarity="euclidean", attribute_weights=left_out)
    assert far == 1.0


def test_walks_by_hand():
    """A pair of walks is the product of its nodes' similarities, step by step."""
    triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (2, 0)], {"region": ["a", "a", "b"]})
    path = nask.AttributedGraph(3, [(0, 1)], {"region": ["a", "b", "b"]})
    options = {"expansion": "walk", "n_hops": 2, "use_edges": False, "normalize": False}
    kernel = nask.NASK(gamma=1.0, **options).fit([triangle, path])
    d = math.exp(-1)
    P = np.array([[1, d, d], [1, d, d], [d, 1, 1]])  # triangle x path
    A, B = np.ones((3, 3)) - np.eye(3), np.zeros((3, 3))
    B[0, 1] = B[1, 0] = 1
    own = [np.array([[1, 1, d], [1, 1, d], [d, d, 1]]), np.array([[1, d, d], [d, 1, 1], [d, 1, 1]])]

    def hat(k, left, right):
        size = np.sqrt(np.outer(left.diagonal(), right.diagonal()))
        return np.divide(k, size, out=np.zeros_like(k), where=size > 0)

    hops, S, mine, theirs = [], P, *own
    for _ in range(2):
        k, k1, k2 = P * (A @ S @ B.T), own[0] * (A @ mine @ A.T), own[1] * (B @ theirs @ B.T)
        S, mine, theirs = hat(k, k1, k2), hat(k1, k1, k1), hat(k2, k2, k2)
        hops.append(S.sum())
    np.testing.assert_allclose(kernel.hop_grams([triangle])[:, 0, 1], hops, rtol=1e-13)
    # The third node of the path has no neighbour, so that no walk begins there.
    alone = nask.AttributedGraph(2, (), {"region": ["a", "b"]})
    assert (kernel([alone], [triangle, alone]) == 0).all()


def test_balls_have_no_leaves():
    with pytest.raises(ParameterError, match="takes max_leaves for stars and walks"):
        nask.NASK(expansion="ball", max_leaves=2).fit(GRAPHS)


def test_many_leaves_are_all_leaves(mutag):
    some = mutag.graphs[:5]
    np.testing.assert_array_equal(
        nask.NASK(max_leaves=9, engine="pairwise").fit_transform(some),
        nask.NASK(engine="pairwise").fit_transform(some),
    )
