"""Explanations of decisions about graphs: complete, for every kernel, learner and question."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import nask
from mixed_graphs import random_graphs
from nask.exceptions import (
    AbsentAttributeWarning,
    GraphError,
    InputError,
    MemoryLimitError,
    ParameterError,
    PrecisionWarning,
    SchemaError,
    UnseenAttributeWarning,
)
from strategies import VARIANTS, collections, fitting, shares

KERNELS = st.fixed_dictionaries(
    {
        "expansion": st.sampled_from(["nested", "ball", "walk"]),
        "engine": st.sampled_from(["auto", "pairwise"]),
        "star_norm": st.booleans(),
        "normalize": st.booleans(),
        "n_hops": st.integers(1, 3),
        "gamma": st.sampled_from([0.05, 1.0, 4.0, 900.0]),
        "gamma_star": st.sampled_from([0.5, 8.0, 1e5]),
        "gram": st.sampled_from(["linear", "rbf"]),
        "degree": st.sampled_from([None, "categorical", "numerical"]),
        "attributes": st.sampled_from(["all", "categorical", "numerical"]),
        "use_edges": st.booleans(),
        "prune_cores": st.booleans(),
    }
    | VARIANTS
).map(fitting)


@pytest.fixture(autouse=True)
def odd_graphs_are_expected():
    with warnings.catch_warnings():
        for category in (UnseenAttributeWarning, AbsentAttributeWarning, PrecisionWarning):
            warnings.simplefilter("ignore", category)
        yield


def size_of(why):
    """How large the numbers are that cancel in a decision."""
    coefficients = sum(np.abs(t.coefficients).sum() for part in why.parts for t in part.terms)
    return 1 + abs(why.intercept) + coefficients + np.abs(why.attributes).sum()


def assert_complete(why, decision):
    size = size_of(why)
    assert why.decision == pytest.approx(decision, abs=1e-9 * size)
    totals = [
        why.nodes.sum(),
        why.hops.sum(),
        why.attributes.sum() + why.edges.sum(),
        why.members.sum(),
        sum(own.share for own in why.neighbours),
    ]
    np.testing.assert_allclose(np.array(totals) + why.intercept, why.decision, atol=1e-9 * size)
    assert why.leaning.sum() == pytest.approx(
        why.decision if why.graph.n_nodes else 0.0, abs=1e-9 * size
    )
    for part in (why.hops, why.attributes, why.edges, why.background):
        assert np.isfinite(part).all()
    assert why.attributes.shape == (why.graph.n_nodes, len(why.attribute_names))
    assert why.edges.shape == (why.graph.n_edges,)


@settings(max_examples=60)
@given(collections(min_size=2), KERNELS, st.sampled_from(["svm", "ridge"]))
def test_shares_add_up_for_every_kernel(drawn, options, learner):
    train, new = drawn
    y = np.arange(len(train)) % 2
    try:
        model = nask.NASKClassifier(learner=learner, probability=False, **options).fit(train, y)
    except ParameterError:
        return  # a gamma_star of 0.5 is too small to prune cores with
    graph = next(graph for graph in new if shares(train, [graph]))
    try:
        [decision] = model.decision_function([graph])
    except SchemaError:
        return  # what the view shows is not there
    assert_complete(model.explain(graph), decision)


def three_classes(seed=3):
    graphs = random_graphs(31, seed)[:30]
    return graphs, np.array(["one", "two", "three"])[np.arange(30) % 3]


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_several_classes_of_ridge_regressions(multiclass, gram):
    graphs, y = three_classes()
    model = nask.NASKClassifier(learner="ridge", multiclass=multiclass, gram=gram, n_hops=2)
    model.fit(graphs[:24], y[:24])
    for graph in graphs[24:]:
        scores = dict(zip(model.classes_, model.decision_function([graph])[0], strict=True))
        why = model.explain(graph)
        assert why.target == why.prediction == model.predict([graph])[0]
        assert_complete(why, scores[why.target])
        for target, score in scores.items():
            assert_complete(model.explain(graph, target=target), score)
            for against in set(scores) - {target}:
                why = model.explain(graph, target=target, against=against)
                assert_complete(why, score - scores[against])
                assert f"'{target}' against '{against}'" in why.quantity


def test_several_classes_of_an_svm():
    graphs, y = three_classes()
    model = nask.NASKClassifier(n_hops=2).fit(graphs[:24], y[:24])
    graph = graphs[25]
    decisions = model.functions_.decide(model.kernel_.transform([graph]))[0]
    first, second, third = model.classes_
    assert_complete(model.explain(graph, target=first, against=second), decisions[0])
    assert_complete(model.explain(graph, target=third, against=first), -decisions[1])
    every = model.explain(graph, target=second)
    assert_complete(every, decisions[2] - decisions[0])
    assert every.quantity.startswith("sum of the decisions for class")
    with pytest.raises(ParameterError, match="votes, which are no sum"):
        model.explain(graph, scale="logit")


@pytest.mark.parametrize("learner", ["svm", "ridge"])
def test_the_logit_of_two_classes(mutag, learner):
    model = nask.NASKClassifier(learner=learner, n_hops=2).fit(mutag.graphs[::2], mutag.y[::2])
    p = model.predict_proba(mutag.graphs[1:2])[0]
    logit = np.log(p[1] / p[0])
    assert_complete(model.explain(mutag.graphs[1], scale="logit"), logit)
    assert_complete(model.explain(mutag.graphs[1], target=-1, scale="logit"), -logit)


def test_the_log_odds_of_several_classes():
    graphs, y = three_classes()
    model = nask.NASKClassifier(learner="ridge", n_hops=2).fit(graphs[:24], y[:24])
    graph = graphs[26]
    p = dict(zip(model.classes_, model.predict_proba([graph])[0], strict=True))
    best, next_best, last = sorted(p, key=p.get, reverse=True)
    assert_complete(model.explain(graph, scale="logit"), np.log(p[best] / p[next_best]))
    why = model.explain(graph, target=last, against=best, scale="logit")
    assert_complete(why, np.log(p[last] / p[best]))


def test_a_regression(mutag):
    model = nask.NASKRegressor(n_hops=2).fit(
        mutag.graphs[:40], [g.n_nodes for g in mutag.graphs[:40]]
    )
    why = model.explain(mutag.graphs[50])
    assert_complete(why, model.predict(mutag.graphs[50:51])[0])
    assert why.target is None
    assert why.prediction == pytest.approx(why.decision)
    with pytest.raises(ParameterError, match="A regression has no classes"):
        model.explain(mutag.graphs[50], target=3)


@pytest.mark.parametrize("learner", ["ridge", "svm"])
def test_a_searched_model_and_its_file(mutag, tmp_path, learner):
    grid = {"gamma": [0.1, 1.0], "n_hops": [1, 3], "attributes": ["all"], "gram": ["linear", "rbf"]}
    model = nask.TunedNASKClassifier(grid=grid, learner=learner)
    model.fit(mutag.graphs[::2], mutag.y[::2])
    why = model.explain(mutag.graphs[1])
    assert_complete(why, model.decision_function(mutag.graphs[1:2])[0])
    model.save(tmp_path / "model.nask")
    again = nask.load(tmp_path / "model.nask").explain(mutag.graphs[1])
    np.testing.assert_allclose(again.nodes, why.nodes, atol=1e-9 * size_of(why))
    np.testing.assert_allclose(again.attributes, why.attributes, atol=1e-9 * size_of(why))
    assert again.neighbours[0].position == why.neighbours[0].position


def test_an_averaged_model_of_graphs_has_no_nodes_to_explain(mutag):
    model = nask.TunedNASKClassifier(grid={"gamma": [1.0], "n_hops": [1]})
    model.fit(mutag.graphs[:40], mutag.y[:40])
    with pytest.raises(ParameterError, match="Got the node 3: leave it out"):
        model.best_estimator_.explain(mutag.graphs[50], 3)


def test_neighbours_are_positions_in_the_training_list(mutag):
    model = nask.NASKClassifier(n_hops=2, C=1.0).fit(mutag.graphs[:60], mutag.y[:60])
    why = model.explain(mutag.graphs[70])
    assert sorted(own.position for own in why.neighbours) == sorted(model.support_.tolist())
    sizes = [abs(own.share) for own in why.neighbours]
    assert sizes == sorted(sizes, reverse=True)
    loudest = why.neighbours[0]
    place = model.support_.tolist().index(loudest.position)
    [K] = model.kernel_.transform(mutag.graphs[70:71])
    coefficient = model.functions_.coefficients[0, place]
    assert loudest.share == pytest.approx(coefficient * (K[place] - K.mean()), abs=1e-9)


@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_nodes_in_another_order_have_the_same_shares(gram):
    draw = np.random.default_rng(0)
    graphs = random_graphs(21, 5)[:20]
    model = nask.NASKClassifier(n_hops=3, gram=gram).fit(graphs[:16], np.arange(16) % 2)
    for graph in graphs[16:]:
        order = draw.permutation(graph.n_nodes)
        attributes = {name: own.take(order) for name, own in graph.node_attributes.items()}
        place = np.argsort(order)
        other = nask.AttributedGraph(graph.n_nodes, place[graph.edges], attributes)
        mine, theirs = model.explain(graph), model.explain(other)
        size = size_of(mine)
        np.testing.assert_allclose(theirs.hops, mine.hops[:, order], atol=1e-10 * size)
        np.testing.assert_allclose(theirs.attributes, mine.attributes[order], atol=1e-10 * size)
        np.testing.assert_allclose(theirs.background, mine.background[order], atol=1e-10 * size)
        edge = {
            frozenset(ends): share
            for ends, share in zip(other.edges.tolist(), theirs.edges, strict=True)
        }
        found = [edge[frozenset(place[ends].tolist())] for ends in graph.edges]
        np.testing.assert_allclose(found, mine.edges, atol=1e-10 * size)


def test_a_node_that_nothing_resembles_has_no_share():
    graphs = [
        nask.AttributedGraph(3, [(0, 1)], {"letter": ["a", "b", letter]}) for letter in "abababab"
    ]
    model = nask.NASKClassifier(n_hops=3, prune_cores=True).fit(graphs, [0, 1] * 4)
    odd = nask.AttributedGraph(4, [(0, 1), (1, 3)], {"letter": ["a", "b", "zzz", "zzz"]})
    why = model.explain(odd)
    assert why.hops[:, 2].tolist() == why.hops[:, 3].tolist() == [0.0] * 3
    assert (why.hops[:, :2] != 0).all()


def test_what_changes_if_a_value_were_missing():
    graphs = random_graphs(21, 8)[:20]
    model = nask.NASKClassifier(n_hops=2, gram="rbf").fit(graphs[:16], np.arange(16) % 2)
    graph = graphs[17]
    why = model.explain(graph)
    changes = why.if_missing()
    before = model.decision_function([graph])[0]
    for column, name in enumerate(why.attribute_names):
        for node in range(graph.n_nodes):
            values = {key: list(own.values()) for key, own in graph.node_attributes.items()}
            values[name][node] = None
            edited = nask.AttributedGraph(graph.n_nodes, graph.edges, values)
            after = model.decision_function([edited])[0]
            assert changes[node, column] == pytest.approx(after - before, abs=1e-10)
    np.testing.assert_array_equal(
        why.if_missing(["x"])[:, 0], changes[:, why.attribute_names.index("x")]
    )
    with pytest.raises(ParameterError, match="Did you mean 'letter'"):
        why.if_missing(["leter"])


@pytest.mark.parametrize("against", [None, "two"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_if_missing_asks_several_classes_anew(multiclass, against):
    """The least duel of a class may be another one without a value."""
    graphs, y = three_classes()
    model = nask.NASKClassifier(learner="ridge", n_hops=2, multiclass=multiclass, alpha=0.01)
    model.fit(graphs[:24], y[:24])
    of, other = (list(model.classes_).index(name) for name in ("one", "two"))
    for graph in graphs:
        values = {key: list(own.values()) for key, own in graph.node_attributes.items()}
        edited = [graph]
        for node in range(graph.n_nodes):
            letters = [*values["letter"][:node], None, *values["letter"][node + 1 :]]
            edited.append(
                nask.AttributedGraph(graph.n_nodes, graph.edges, {**values, "letter": letters})
            )
        scores = model.decision_function(edited)
        decisions = scores[:, of] - (scores[:, other] if against else 0.0)
        changes = model.explain(graph, target="one", against=against).if_missing("letter")[:, 0]
        np.testing.assert_allclose(changes, decisions[1:] - decisions[0], atol=1e-9)


def test_as_a_table_and_as_json(mutag):
    model = nask.NASKClassifier(n_hops=2).fit(mutag.graphs[:60], mutag.y[:60])
    why = model.explain(mutag.graphs[70])
    frame = why.to_frame()
    assert len(frame) == mutag.graphs[70].n_nodes
    np.testing.assert_array_equal(frame["share"], why.nodes)
    np.testing.assert_array_equal(frame["hop 2"], why.hops[1])
    np.testing.assert_array_equal(frame["share of node_label"], why.attributes[:, 0])
    data = json.loads(json.dumps(why.to_json()))
    assert data["decision"] == why.decision
    assert data["nodes"] == why.nodes.tolist()
    assert data["baseline"] == "a graph unlike every training graph"
    assert data["edges"][3] == {"ends": mutag.graphs[70].edges[3].tolist(), "share": why.edges[3]}
    assert repr(why).startswith("Explanation(decision for class 1: ")


def test_odd_graphs(mutag):
    model = nask.NASKClassifier(n_hops=2, normalize=False).fit(mutag.graphs[:60], mutag.y[:60])
    empty = nask.AttributedGraph(0)
    why = model.explain(empty)
    assert_complete(why, model.decision_function([empty])[0])
    assert why.nodes.shape == (0,)
    assert why.decision == pytest.approx(why.intercept)
    single = nask.AttributedGraph(1, [], {"node_label": ["0"]})
    assert_complete(model.explain(single), model.decision_function([single])[0])


def test_graphs_without_attributes():
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    model = nask.NASKClassifier(n_hops=2).fit([star, path] * 3, [0, 1] * 3)
    why = model.explain(star)
    assert why.attribute_names == ("structure",)
    assert_complete(why, model.decision_function([star])[0])
    np.testing.assert_allclose(why.if_missing(), np.zeros((4, 1)), atol=1e-12)


def test_a_model_to_which_all_graphs_are_alike():
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"x": [1, 2, 3]})
    model = nask.NASKClassifier().fit([path] * 4, [0, 1] * 2)
    assert_complete(model.explain(path), model.decision_function([path])[0])


def test_bad_questions(mutag):
    model = nask.NASKClassifier(n_hops=1)
    with pytest.raises(NotFittedError):
        model.explain(mutag.graphs[0])
    model.set_params(probability=False).fit(mutag.graphs[:40], mutag.y[:40])
    graph = mutag.graphs[50]
    with pytest.raises(ParameterError, match="'target' 7 is not a class of this model"):
        model.explain(graph, target=7)
    with pytest.raises(ParameterError, match="are the same class"):
        model.explain(graph, target=1, against=1)
    with pytest.raises(ParameterError, match="'scale' parameter of explain must be"):
        model.explain(graph, scale="probability")
    with pytest.raises(ParameterError, match="no probabilities, so no logit"):
        model.explain(graph, scale="logit")
    with pytest.raises(InputError, match="Expected one graph"):
        model.explain([graph])
    foreign = nask.AttributedGraph(2, [(0, 1)], {"weight": [1.0, 2.0]})
    with pytest.raises(SchemaError, match="none of the attributes"):
        model.explain(foreign)


@pytest.mark.parametrize("options", [{}, {"gram": "rbf"}, {"learner": "ridge"}], ids=str)
def test_nine_digits_are_right_on_real_graphs(mutag, options):
    model = nask.NASKClassifier(**options).fit(mutag.graphs[::2], mutag.y[::2])
    for graph, decision in zip(
        mutag.graphs[1:20:2], model.decision_function(mutag.graphs[1:20:2]), strict=True
    ):
        why = model.explain(graph)
        for total in (why.nodes.sum(), why.members.sum(), why.attributes.sum() + why.edges.sum()):
            assert total + why.intercept == pytest.approx(decision, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("gamma", [700.0, 740.0])
@pytest.mark.parametrize("prune_cores", [False, True])
def test_similarities_that_are_nearly_zero_divide_no_share(gamma, prune_cores):
    """What deeper hops pass on to a pair of nodes that have nothing in common stays finite."""
    graphs = random_graphs(13, 2)[:12]
    model = nask.NASKClassifier(n_hops=3, gamma=gamma, prune_cores=prune_cores)
    model.fit(graphs[:10], np.arange(10) % 2)
    for graph in (*graphs[10:], nask.AttributedGraph(2, [(0, 1)], {"letter": ["z", "z"]})):
        assert_complete(model.explain(graph), model.decision_function([graph])[0])


@pytest.mark.parametrize("expansion", ["nested", "ball"])
def test_pruned_cores_of_graphs_without_attributes(expansion):
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    model = nask.NASKClassifier(n_hops=2, prune_cores=True, expansion=expansion)
    model.fit([star, path] * 3, [0, 1] * 3)
    assert_complete(model.explain(path), model.decision_function([path])[0])


@pytest.mark.parametrize("gamma", [1.0, 4.0])
def test_pruned_cores_that_exceed_the_floor_by_rounding(gamma):
    """Numbers that are as far apart as the range are at the floor, but for the last digit."""
    draw = np.random.default_rng(0)
    graphs = [
        nask.AttributedGraph(
            6, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5)][: 2 + k % 4],
            {name: draw.choice([0.0, 3.0, 7.0], 6) for name in "abc"},
        )
        for k in range(12)
    ]  # fmt: skip
    model = nask.NASKClassifier(n_hops=3, gamma=gamma, gamma_star=0.5, prune_cores=True)
    model.fit(graphs[:10], np.arange(10) % 2)
    for graph in graphs:
        assert_complete(model.explain(graph), model.decision_function([graph])[0])


def test_the_memory_limit_holds_for_shares(mutag):
    """45 kB of sums between 10 stars and 188 graphs, where a tile takes 11 kB."""
    model = nask.NASKClassifier(learner="ridge", n_hops=3).fit(mutag.graphs, mutag.y)
    path = nask.AttributedGraph(10, [(i, i + 1) for i in range(9)], {"node_label": [None] * 10})
    model.set_params(memory_limit=60_000).explain(path)
    with pytest.raises(MemoryLimitError, match=r"takes 45.1 kB.*or take a smaller graph"):
        model.set_params(memory_limit=30_000).explain(path)


def test_what_is_done_to_an_array_changes_no_other(mutag):
    model = nask.NASKClassifier(n_hops=2).fit(mutag.graphs[:60], mutag.y[:60])
    why, again = (model.explain(mutag.graphs[70]) for _ in range(2))
    for name in ("hops", "nodes", "leaning", "background", "attributes", "edges", "members"):
        getattr(why, name)[...] = 7.0
        np.testing.assert_array_equal(getattr(why, name), getattr(again, name))
    assert why.to_json() == again.to_json()


def test_attributes_of_if_missing(mutag):
    model = nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:40], mutag.y[:40])
    why = model.explain(mutag.graphs[50])
    np.testing.assert_array_equal(why.if_missing("node_label"), why.if_missing(["node_label"]))
    for wrong in (3, [3], b"node_label"):
        with pytest.raises(ParameterError, match="'attributes' parameter of if_missing must be"):
            why.if_missing(wrong)


@pytest.mark.parametrize("target", ["1", [1, 5], np.array([1, -1]), float("nan")], ids=str)
def test_a_target_that_is_no_class_is_told_the_classes(mutag, target):
    model = nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:40], mutag.y[:40])
    with pytest.raises(ParameterError, match=r"Its classes are -1, 1\."):
        model.explain(mutag.graphs[50], target=target)


def test_an_attribute_that_is_named_like_a_column_of_features():
    graphs = [
        nask.AttributedGraph(2, (), {"node_features[0]": [1.0, k]}, node_features=k * np.eye(2))
        for k in range(6)
    ]
    model = nask.NASKClassifier(n_hops=1).fit(graphs, [0, 1] * 3)
    why = model.explain(graphs[0])
    with pytest.raises(GraphError, match="Rename the attribute"):
        why.attributes  # noqa: B018


def test_a_model_without_support_graphs(mutag):
    model = nask.NASKRegressor(n_hops=2).fit(mutag.graphs[:20], [5.5] * 20)
    assert not len(model.support_)
    why = model.explain(mutag.graphs[20])
    assert why.decision == why.intercept == 5.5
    assert why.neighbours == ()
    for own in (why.nodes, why.attributes, why.edges, why.background, why.if_missing()):
        assert not own.any()
    json.dumps(why.to_json())
    assert why.plot().axes


@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_the_intercept_is_the_decision_about_a_graph_unlike_everything(gram):
    graphs = [nask.AttributedGraph(2, [(0, 1)], {"letter": [x, "b"]}) for x in "abcabcab"]
    model = nask.NASKClassifier(n_hops=2, prune_cores=True, gram=gram).fit(graphs, [0, 1] * 4)
    odd = nask.AttributedGraph(2, [(0, 1)], {"letter": ["x", "y"]})
    [decision] = model.decision_function([odd])
    assert model.explain(odd).intercept == pytest.approx(decision)
    if gram == "linear":
        assert model.explain(graphs[0]).intercept == pytest.approx(decision)
