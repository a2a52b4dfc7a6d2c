"""The smallest edit that flips a class, held against every edit made another way."""

import json
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import nask
from brute_force_edits import (
    all_edits,
    built,
    judged,
    random_graph,
    training_values,
)
from nask.exceptions import AbsentAttributeWarning, GraphError, InputError, ParameterError
from nask.explain.edits import EdgeAddition, EdgeRemoval, ValueChange, edited
from nask.graph.isomorphism import isomorphic_groups


def training(n_classes, seed, n_graphs=24):
    """Plain graphs and classes that follow from their letters, edges and numbers."""
    draw = np.random.default_rng(seed)
    plain = [random_graph(draw, int(draw.integers(3, 6))) for _ in range(n_graphs)]
    heard = [
        sum(row["letter"] == "a" for row in nodes) / len(nodes)
        + 0.3 * len(edges) / len(nodes)
        + 0.3 * sum(row["x"] or 0.0 for row in nodes) / len(nodes)
        for nodes, edges in plain
    ]
    order = np.argsort(np.argsort(heard))
    return plain, [f"c{k * n_classes // n_graphs}" for k in order]


def fitted(n_classes=2, seed=100, **parameters):
    plain, y = training(n_classes, seed)
    model = nask.NASKClassifier(**{"n_hops": 2, "probability": False} | parameters)
    return model.fit([built(own) for own in plain], y), training_values(plain)


@pytest.fixture(scope="module")
def two():
    return fitted()


MODELS = {
    "an SVM": {},
    "ridge regression": {"learner": "ridge"},
    "three classes": {"n_classes": 3},
    "three classes by ridge regression": {"n_classes": 3, "learner": "ridge"},
    "numerical degrees": {"degree": "numerical"},
    "categorical degrees": {"degree": "categorical", "n_hops": 1},
    "balls": {"expansion": "ball"},
    "a Gaussian": {"gram": "rbf"},
    "float32": {"dtype": "float32"},
}


def check_against_every_edit(model, known, plain, target=None, exact=1e-7):
    graph = built(plain)
    before = model.predict([graph])[0]
    got = nask.counterfactual(model, graph, target=target, budget=100_000)
    singles = [(edit,) for edit in all_edits(plain, *known)]
    flips, n_judged = judged(model, plain, singles, before, target)
    assert got.before == before
    assert got.complete
    n_edits = 1
    if not flips:
        n_edits = 2
        pairs = combinations(all_edits(plain, *known), 2)
        flips, n_pairs = judged(model, plain, pairs, before, target)
        n_judged += n_pairs
    assert got.n_evaluated == n_judged
    assert got.found == bool(flips)
    assert got.after == model.predict([got.edited])[0]
    assert got.edited == edited(graph, got.edits)
    if flips:
        change, margin = flips[0]
        assert len(got.edits) == n_edits
        assert got.change == pytest.approx(change)
        assert margin_of(got, model) == pytest.approx(margin, abs=exact)
        assert got.after == target if target else got.after != before
    else:
        assert got.after == before or target not in (None, got.after)
    return got


def margin_of(found, model):
    if isinstance(found.decision_after, float):
        return found.decision_after * (1 if found.after == model.classes_[1] else -1)
    own = model.classes_.tolist().index(found.after)
    return found.decision_after[own] - max(np.delete(found.decision_after, own))


@pytest.mark.parametrize("parameters", MODELS.values(), ids=MODELS)
def test_no_smaller_edit_flips(parameters):
    """Every single edit, and every pair where none flips, judged by the model on their own."""
    model, known = fitted(**parameters)
    draw = np.random.default_rng(101)
    found = [
        check_against_every_edit(
            model, known, random_graph(draw, 3), exact=1e-4 if "dtype" in parameters else 1e-7
        )
        for _ in range(4)
    ]
    assert any(one.found for one in found)


def test_the_drawn_graphs_need_one_edit_two_and_more():
    """Otherwise the tests above would not see all ends of the search."""
    model, known = fitted(seed=104, learner="ridge")
    draw = np.random.default_rng(105)
    found = [check_against_every_edit(model, known, random_graph(draw, 3)) for _ in range(8)]
    ends = {(one.found, len(one.edits)) for one in found}
    assert {(True, 1), (True, 2)} <= ends


def test_every_target():
    model, known = fitted(n_classes=3, seed=119, learner="ridge")
    draw = np.random.default_rng(102)
    reached = set()
    for _ in range(3):
        plain = random_graph(draw, 3)
        before = model.predict([built(plain)])[0]
        for target in {"c0", "c1", "c2"} - {before}:
            found = check_against_every_edit(model, known, plain, target)
            reached.add((target, found.found))
    assert {(target, True) for target in ("c0", "c1", "c2")} | {("c2", False)} <= reached


def renumbered(graph, order):
    place = np.argsort(order)
    nodes = {name: a.take(order) for name, a in graph.node_attributes.items()}
    return nask.AttributedGraph(
        graph.n_nodes, place[graph.edges], nodes, dict(graph.edge_attributes)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_renumbered_nodes_have_an_equivalent_edit(n_classes):
    model, _ = fitted(n_classes=n_classes, seed=106)
    draw = np.random.default_rng(103)
    for _ in range(4):
        graph = built(random_graph(draw, 4))
        other = renumbered(graph, draw.permutation(graph.n_nodes))
        one, two = (nask.counterfactual(model, own, budget=2000) for own in (graph, other))
        assert (one.found, one.after, len(one.edits)) == (two.found, two.after, len(two.edits))
        assert one.change == pytest.approx(two.change)
        assert one.decision_after == pytest.approx(two.decision_after, abs=1e-7)
        # Ties between edits that are alike may be broken in another way.
        if len(one.edits) == 1:
            assert isomorphic_groups([one.edited, two.edited]).tolist() == [0, 0]


def test_twice_the_same_and_nothing_is_altered(two):
    model, _ = two
    plain = random_graph(np.random.default_rng(107), 4)
    graph = built(plain)
    first, second = (nask.counterfactual(model, graph) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert first.edited == second.edited
    assert graph == built(plain)
    assert first.graph is graph
    assert first.edited != graph


def test_saved_and_loaded(two, tmp_path):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(108), 4))
    model.save(tmp_path / "m.nask")
    loaded = nask.load(tmp_path / "m.nask")
    expected, got = (nask.counterfactual(own, graph) for own in (model, loaded))
    assert got.edits == expected.edits
    assert got.decision_after == pytest.approx(expected.decision_after)


@pytest.fixture(scope="module")
def tuned():
    plain, y = training(2, 109)
    grid = {"gamma": [0.5, 2.0], "n_hops": [1], "attributes": ["all", "categorical"]}
    graphs = [built(own) for own in plain]
    return nask.TunedNASKClassifier(grid=grid).fit(graphs, y), training_values(plain)


def test_averaged_and_tuned_models_know_their_training_values(tuned, tmp_path):
    model, known = tuned
    plain = random_graph(np.random.default_rng(110), 3)
    found = check_against_every_edit(model, known, plain)
    assert check_against_every_edit(model.best_estimator_, known, plain).edits == found.edits
    model.save(tmp_path / "m.nask")
    assert nask.counterfactual(nask.load(tmp_path / "m.nask"), built(plain)).edits == found.edits


class CountsLetters:
    """A classifier that is none of nask's: it counts nodes with the letter a."""

    classes_ = np.array(["few", "many"])

    def __init__(self, least=2):
        self.least = least
        self.batches = []

    def decision_function(self, graphs):
        self.batches.append(len(graphs))
        letters = [graph.node_attributes["letter"].values() for graph in graphs]
        return np.array([own.count("a") - self.least + 0.5 for own in letters])

    def predict(self, graphs):
        return self.classes_[(self.decision_function(graphs) > 0).astype(int)]


def letters(*values):
    return nask.AttributedGraph(len(values), [], {"letter": values})


def test_any_classifier_with_the_values_of_the_graph_itself():
    found = nask.counterfactual(CountsLetters(), letters("a", "b", "c"), edit="attributes")
    assert found.edits == (ValueChange("node", 1, "letter", "b", "a", "categorical"),)
    assert (found.before, found.after) == ("few", "many")
    assert str(found) == "node 1: letter b -> a: class 'few' -> 'many', decision -0.5 -> 0.5"
    two_more = nask.counterfactual(CountsLetters(3), letters("a", "b", "c"))
    assert str(two_more).startswith("node 1: letter b -> a; node 2: letter c -> a: class ")


class Doubts(CountsLetters):
    """It predicts many only where it is sure, whatever its decision says."""

    def predict(self, graphs):
        return self.classes_[(self.decision_function(graphs) > 1).astype(int)]


def test_what_predict_does_not_confirm_is_no_flip():
    """One more a has a positive decision, but it takes two for another class."""
    found = nask.counterfactual(Doubts(2), letters("a", "b", "c"))
    assert (found.found, found.after, len(found.edits)) == (True, "many", 2)


def test_the_most_promising_pair_is_tried_first():
    """Of 9 single edits two bring one more a each, and the budget is for one pair."""
    graph = letters("a", "b", "c")
    found = nask.counterfactual(CountsLetters(3), graph, edit="attributes", budget=10)
    assert found.found
    assert {(edit.place, edit.new) for edit in found.edits} == {(1, "a"), (2, "a")}


def test_values_of_the_user():
    graph = letters("b", "b", None)
    assert not nask.counterfactual(CountsLetters(1), graph).found
    found = nask.counterfactual(CountsLetters(1), graph, values={"letter": ["z", "a"]})
    assert str(found.edits[0]) == "node 0: letter b -> a"
    # Only these: missing is not among them.
    assert found.n_evaluated == 6 + 3


def test_numbers_of_the_user(two):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(111), 4, missing=0))
    values = {"x": np.array([-1.0, 0.0, np.nan])}
    found = nask.counterfactual(model, graph, edit="attributes", keep=["letter", "bond", "length"],
                                values=values, budget=12)  # fmt: skip
    assert found.n_evaluated == 12
    assert all(edit.new in (-1.0, 0.0, None) for edit in found.edits)


def test_what_may_be_edited(two):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(112), 4, missing=0))
    for word, sorts in (("attributes", {ValueChange}), ("edges", {EdgeRemoval, EdgeAddition})):
        found = nask.counterfactual(model, graph, edit=word)
        assert {type(edit) for edit in found.edits} <= sorts
    keep = {"letter", "bond"}
    found = nask.counterfactual(model, graph, edit=("attributes",), keep=keep, budget=10_000)
    # Five points and missing for each number; one point of those, at most, is the value itself.
    n_numbers = graph.n_nodes + graph.n_edges
    names = {edit.name for edit in found.edits}
    assert names <= {"x", "length"}
    assert 5 * n_numbers <= found.n_evaluated


def test_a_budget_is_kept_and_told_of(two):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(113), 5))
    for budget in (1, 7, 120):
        found = nask.counterfactual(model, graph, budget=budget)
        # A single edit that flips saves the quarter for pairs.
        saved = budget // 4 if len(found.edits) == 1 and found.found else 0
        assert found.n_evaluated == pytest.approx(budget - saved, abs=1)
        assert found.n_evaluated <= budget
        assert not found.complete
    counts = CountsLetters(9)
    found = nask.counterfactual(counts, letters(*"abcb"), budget=5)
    assert not found.found
    assert found.before == found.after == "few"
    assert str(found).startswith("no edit found in 5 tried; nearest: node ")
    # All but the graph before and after, twice, is what was tried.
    assert sum(counts.batches) == 5 + 1 + 2 + 1


def test_where_there_are_too_many_single_edits_all_attributes_and_pairs_are_tried():
    """Ten attributes of ten nodes, of which the last two say the class, each by half."""
    names = [f"a{k}" for k in range(10)]

    class LastTwo(CountsLetters):
        def decision_function(self, graphs):
            tops = [[max(g.node_attributes[name].data) for name in names[-2:]] for g in graphs]
            return np.array([sum(top >= 1 for top in own) - 1.5 for own in tops])

    graph = nask.AttributedGraph(10, [], {name: [0.5] * 10 for name in names})
    values = {name: [1.0, *np.linspace(-1, 0, 9)] for name in names}
    found = nask.counterfactual(LastTwo(), graph, edit="attributes", values=values, budget=400)
    assert found.found
    assert {edit.name for edit in found.edits} == set(names[-2:])
    assert not found.complete


def test_no_edit_at_all():
    found = nask.counterfactual(CountsLetters(), letters("b"), edit="edges")
    assert (found.found, found.edits, found.n_evaluated) == (False, (), 0)
    assert found.edited == found.graph
    assert str(found) == "no edit found in 0 tried"


def test_batches_stay_small_for_large_graphs():
    model = CountsLetters(9)
    nask.counterfactual(model, letters(*"ab" * 3, *"c" * 994), budget=100)
    assert max(model.batches) <= 20


def test_a_bar_and_a_function(two, capsys):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(114), 4))
    told = []
    nask.counterfactual(model, graph, verbose=lambda *counts: told.append(counts), budget=600)
    assert told[-1][0] == told[-1][1]
    nask.counterfactual(model, graph, verbose=True, budget=10)
    assert capsys.readouterr().out == ""


def test_degrees_follow_from_edges_and_are_no_values():
    path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    model = nask.NASKClassifier(n_hops=1, degree="categorical", probability=False)
    model.fit([path, star] * 3, ["path", "star"] * 3)
    found = nask.counterfactual(model, path)
    assert found.found
    assert all(isinstance(edit, EdgeRemoval | EdgeAddition) for edit in found.edits)


def test_a_graph_without_edges_gets_edges_with_attributes():
    bonds = {"bond": ["s", "d"]}
    bound = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"letter": list("aaa")}, bonds)
    loose = nask.AttributedGraph(3, [], {"letter": list("aaa")})
    model = nask.NASKClassifier(n_hops=1, probability=False)
    model.fit([bound, loose] * 3, ["bound", "loose"] * 3)
    found = nask.counterfactual(model, loose, edit="edges")
    assert found.after == "bound"
    assert found.edited.edge_attributes["bond"].kind == "categorical"
    assert set(found.edited.edge_attributes["bond"].values()) <= {"s", "d"}


def test_an_attribute_that_the_graph_lacks_is_warned_of_once_and_can_be_given():
    train = [letters(*"aab"), letters(*"bba")] * 3
    named = [
        nask.AttributedGraph(3, [], {**graph.node_attributes, "x": [float(k % 2)] * 3})
        for k, graph in enumerate(train)
    ]
    model = nask.NASKClassifier(n_hops=1, gamma=2.0, probability=False).fit(named, [0, 1] * 3)
    with pytest.warns(AbsentAttributeWarning) as caught:
        found = nask.counterfactual(model, letters(*"aab"))
    assert len(caught) == 1
    assert found.found
    with pytest.warns(AbsentAttributeWarning) as caught:
        found = nask.counterfactual(model, letters(*"aab"), keep="x")
    assert len(caught) == 1
    assert "x" not in found.edited.node_attributes


def test_an_attribute_all_missing_can_be_given():
    """A column without values has no kind of its own."""
    model, _ = fitted()
    nodes, edges = random_graph(np.random.default_rng(115), 3)
    graph = nask.AttributedGraph(
        3, list(edges), {"letter": [None] * 3, "x": [row["x"] for row in nodes]}
    )
    assert graph.node_attributes["letter"].kind == "numerical"
    values = {"letter": ["a"]}
    with pytest.warns(AbsentAttributeWarning):
        found = nask.counterfactual(
            model, graph, edit="attributes", values=values, keep=["x", "bond", "length"]
        )
    assert found.edits
    assert found.edited.node_attributes["letter"].values().count("a") == len(found.edits)


def test_graphs_of_other_packages():
    graph = nx.Graph()
    graph.add_node(0, letter="a")
    graph.add_node(1, letter="b")
    assert nask.counterfactual(CountsLetters(), graph).edits[0].place == 1


def test_hidden_attributes_are_left_alone():
    plain, y = training(2, 100)
    graphs = [built(own) for own in plain]
    model = nask.NASKClassifier(attributes="categorical", probability=False).fit(graphs, y)
    found = nask.counterfactual(model, graphs[0], edit="attributes", keep=["x"])
    assert {edit.name for edit in found.edits} <= {"letter", "bond"}
    with pytest.raises(ParameterError, match="'x', which is no attribute that the model looks at"):
        nask.counterfactual(model, graphs[0], values={"x": [1.0]})


def test_node_features_stay():
    features = np.eye(3)
    graphs = [
        nask.AttributedGraph(3, [], {"letter": list(text)}, node_features=features)
        for text in ("aab", "bba") * 3
    ]
    model = nask.NASKClassifier(n_hops=1, probability=False).fit(graphs, [0, 1] * 3)
    found = nask.counterfactual(model, graphs[0])
    np.testing.assert_array_equal(found.edited.node_features.toarray(), features)


def test_written_as_json(two):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(116), 4))
    for found in (nask.counterfactual(model, graph), nask.counterfactual(model, graph, budget=1)):
        read = json.loads(json.dumps(found.to_json()))
        assert read["found"] is found.found
        assert [edit["text"] for edit in read["edits"]] == list(map(str, found.edits))
    three, _ = fitted(n_classes=3)
    assert len(nask.counterfactual(three, graph).to_json()["decision_after"]) == 3


class WantsAnEdge:
    """A classifier that looks for an edge with these three values."""

    classes_ = np.array([0, 1])

    def __init__(self, *wanted):
        self.wanted = wanted

    def decision_function(self, graphs):
        columns = [[a.values() for a in graph.edge_attributes.values()] for graph in graphs]
        rows = [set(zip(*own, strict=True)) for own in columns]
        return np.array([0.5 if self.wanted in own else -0.5 for own in rows])

    def predict(self, graphs):
        return self.classes_[(self.decision_function(graphs) > 0).astype(int)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(("s", 0.75, "p"), True), (("d", 1.0, "p"), True), (("s", 1.0, "p"), False)],
)
def test_of_many_attributes_of_a_new_edge_one_is_not_typical(wanted, found):
    """2 x 5 x 3 values are too many: a typical edge and 1 + 4 + 2 others, for each pair."""
    # Most bonds are d, most sides p, and of five points 0.75 is nearest to the median length, 0.7.
    attributes = {"bond": list("ddds"), "length": [0.5, 0.9, 1.0, 0.0], "side": list("pprq")}
    graph = nask.AttributedGraph(5, [(0, 1), (1, 2), (2, 3), (3, 4)], {}, attributes)
    got = nask.counterfactual(WantsAnEdge(*wanted), graph, edit="edges", budget=4 + 6 * 8)
    assert got.n_evaluated == 4 + 6 * 8
    assert got.found is found
    if found:
        values = dict(zip(("bond", "length", "side"), wanted, strict=True))
        assert got.edits == (EdgeAddition((0, 2), values, got.edits[0].kinds),)


BAD = {
    "a graph without nodes": ({"graph": nask.AttributedGraph(0)}, GraphError, "no nodes"),
    "a list of graphs": ({"graph": [letters("a")]}, InputError, "one graph"),
    "an unknown name to keep": ({"keep": ["leter"]}, ParameterError, "Did you mean 'letter'"),
    "names that are none": ({"keep": 3}, ParameterError, "'keep' parameter of counterfactual"),
    "an unknown name of values": ({"values": {"leter": "ab"}}, ParameterError, "Did you mean"),
    "values that are no dict": ({"values": ["a"]}, ParameterError, "a dict of lists"),
    "no values": ({"values": {"x": []}}, ParameterError, "one or more values for 'x'"),
    "text as values": ({"values": {"letter": "ab"}}, ParameterError, "one or more values"),
    "text for a number": ({"values": {"x": ["a"]}}, ParameterError, "finite numbers for 'x'"),
    "infinity": ({"values": {"x": [np.inf]}}, ParameterError, "finite numbers for 'x'"),
    "no category": ({"values": {"letter": [[1]]}}, ParameterError, "categories for 'letter'"),
    "two classes": ({"target": np.array(["c0", "c1"])}, ParameterError, "must be None or one of"),
    "a class that is none": ({"target": "c9"}, ParameterError, "'c0', 'c1'. Got 'c9'"),
    "no budget": ({"budget": 0}, ParameterError, r"\[1, inf\). Got 0"),
    "half a budget": ({"budget": 1.5}, ParameterError, r"\[1, inf\). Got 1.5"),
    "another word": ({"edit": "nodes"}, ParameterError, "'attributes', 'edges'. Got 'nodes'"),
    "no word": ({"edit": ()}, ParameterError, "'edit' parameter"),
    "a regressor": ({"model": nask.NASKRegressor()}, InputError, "Got a NASKRegressor"),
    "a classifier of nodes": ({"model": nask.NASKNodeClassifier()}, InputError, "nodes of one"),
    "no model": ({"model": "MUTAG"}, InputError, "Got a str"),
    "not fitted": ({"model": nask.NASKClassifier()}, NotFittedError, "not fitted"),
    "not tuned": ({"model": nask.TunedNASKClassifier()}, NotFittedError, "not fitted"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "error", "message"), BAD.values(), ids=BAD)
def test_bad_input(two, given, error, message):
    graph = built(random_graph(np.random.default_rng(117), 3))
    with pytest.raises(error, match=message):
        nask.counterfactual(**{"model": two[0], "graph": graph} | given)


def test_the_class_it_has_is_no_target(two):
    model, _ = two
    graph = built(random_graph(np.random.default_rng(118), 3))
    with pytest.raises(ParameterError, match="already"):
        nask.counterfactual(model, graph, target=model.predict([graph])[0])


def test_an_averaged_classifier_of_nodes_is_refused():
    network = nask.AttributedGraph(8, [(i, i + 1) for i in range(7)], {"age": [*range(8)]})
    tuned = nask.TunedNASKNodeClassifier(grid={"gamma": [1.0], "n_hops": [1]})
    tuned.fit(network, [0, 0, 0, 0, 1, 1, 1, 1])
    for model in (tuned, tuned.best_estimator_):
        with pytest.raises(InputError, match="nodes of one graph"):
            nask.counterfactual(model, network)
