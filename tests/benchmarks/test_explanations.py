"""The measurement of explanations: its scores, its judges, and a run from end to end."""

import sys

import explanation_tables as tables
import numpy as np
import pytest
from cases import Case
from explained_sets import COLOURED, MOTIFS, PLANTED, SETS, WITH_TRUTH, load, load_fold
from explanations import BEGIN, END, all_cases, main, write_page
from fidelity import SHARES, characterization, fidelity, order
from hypothesis import given
from hypothesis import strategies as st
from node_scores import SHOWN, around, candidates, star_mean, within_reach
from records import Record, Records

import nask
from nask.explain.background import above_background

pytest.importorskip("torch_geometric")
pytest.importorskip("captum")


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 7))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    numbers = st.lists(st.integers(-3, 3).map(float), min_size=n, max_size=n)
    weights = draw(st.lists(st.integers(0, 9), min_size=len(edges), max_size=len(edges)))
    return nask.AttributedGraph(n, edges, {"x": draw(numbers)}, {"weight": weights})


@given(graphs(), st.data())
def test_scores_around_a_node_are_means_over_walks(graph, data):
    n = graph.n_nodes
    hops = np.array(data.draw(st.lists(st.lists(st.floats(-2, 2), min_size=n, max_size=n),
                                       min_size=1, max_size=3)))  # fmt: skip
    mean = star_mean(graph)
    stars = [{v} for v in range(n)]
    for u, v in graph.edges.tolist():
        stars[u].add(v)
        stars[v].add(u)

    def walked(values, n_steps):
        for _ in range(n_steps):
            values = np.array([np.mean([values[u] for u in stars[v]]) for v in range(n)])
        return values

    expected = sum(walked(own, h + 1) for h, own in enumerate(hops))
    np.testing.assert_allclose(within_reach(hops, mean), expected, atol=1e-12)
    for n_steps in (1, 3):
        squares = around(hops[0], mean, n_steps) ** 2
        np.testing.assert_allclose(squares, walked(hops[0] ** 2, n_steps), atol=1e-12)
    squares = above_background(graph, hops[0]) ** 2
    np.testing.assert_allclose(squares, walked(hops[0] ** 2, 2), atol=1e-12)


def reds(graphs):
    """A model that finds class 1 as probable as the share of three nodes that are red."""
    probability = np.array([g.node_attributes["red"].data.sum() / 3 for g in graphs])
    return np.column_stack([1 - probability, probability])


def test_fidelity_is_high_for_the_nodes_that_decide_and_low_for_the_others():
    red = np.array([1.0] * 3 + [0.0] * 7)
    graph = nask.AttributedGraph(10, [(v, v + 1) for v in range(9)], {"red": red})
    rng = np.random.default_rng(0)
    found = fidelity([graph], [order(red, rng)], reds)
    # With 1, 2 and 3 or more nodes, 1/3, 2/3 and all of the probability is there.
    assert found["insertion"] == pytest.approx((1 / 3 + 2 / 3 + 7) / len(SHARES))
    assert found["deletion"] == pytest.approx((2 / 3 + 1 / 3) / len(SHARES))
    # 0.1 removes one red node and leaves the prediction; 0.1 keeps one, which is not enough.
    assert found["fidelity+"] == pytest.approx(4 / 5)
    assert found["fidelity-"] == pytest.approx(1 / 5)
    assert found["characterization"] == pytest.approx(0.8)
    worst = fidelity([graph], [order(-red, rng)], reds)
    assert worst["deletion"] == pytest.approx(found["insertion"])
    assert worst["insertion"] == pytest.approx(found["deletion"])


def test_equal_scores_are_not_put_in_the_order_of_their_numbers():
    rng = np.random.default_rng(0)
    firsts = {int(order(np.zeros(5), rng)[0]) for _ in range(60)}
    assert firsts == set(range(5))
    assert order(np.array([1.0, 3.0, 2.0]), rng).tolist() == [1, 2, 0]


@given(st.floats(0.01, 1), st.floats(0, 0.99))
def test_characterization_is_that_of_torch_geometric(plus, minus):
    import torch
    from torch_geometric.explain import characterization_score

    expected = characterization_score(torch.tensor(plus), torch.tensor(minus))
    assert characterization(plus, minus) == pytest.approx(float(expected), rel=1e-5)


def test_masks_of_edges_and_columns_become_scores_of_nodes_and_attributes():
    import torch
    from network_explainers import by_edges

    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    found = by_edges(torch.tensor([0.2, 0.4, 0.6, 0.8]), edges, n_nodes=4)
    np.testing.assert_allclose(found["mean edge"], [0.3, 0.5, 0.7, 0.0], atol=1e-6)
    np.testing.assert_allclose(found["largest edge"], [0.4, 0.8, 0.8, 0.0], atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning")
@pytest.mark.filterwarnings("ignore:Input Tensor 0 did not already require:UserWarning")
def test_explainers_see_the_network_and_its_columns_as_they_are():
    import torch
    from network_explainers import EXPLAINERS, NetworkExplainers, fit_gin

    planted = load(PLANTED, 100, 40)
    gin, prepare = fit_gin(planted.graphs, planted.y, max_epochs=2)
    assert prepare(planted.graphs[0]) is planted.graphs[0]
    explainers = NetworkExplainers(gin, planted.graphs[:3], {"GNNExplainer": 2, "PGExplainer": 1})
    with torch.no_grad():
        alone = explainers.network(*explainers.tensors(planted.graphs[5])).softmax(dim=1)
    np.testing.assert_allclose(alone, gin.predict_proba(planted.graphs[5:6]), atol=1e-6)
    # colour, level, region, weight: four categories, a number, four categories, a number.
    assert explainers.owner.sum(axis=0).tolist() == [4, 1, 4, 1]
    x, _ = explainers.tensors(planted.graphs[5])
    missing = planted.graphs[5].node_attributes["colour"].missing
    colours = x.numpy()[:, explainers.owner[:, 0] == 1]
    assert np.array_equal(colours.sum(axis=1) == 0, missing)
    for method in EXPLAINERS:
        scores, attributes = explainers.explain(method, planted.graphs[5])
        assert all(own.shape == (25,) and np.isfinite(own).all() for own in scores.values())
        assert {own.shape for own in attributes.values()} <= {(25, 4)}
        assert len(attributes) == (0 if method == "PGExplainer" else 2)


def test_graphs_to_explain_are_test_graphs_that_the_truth_divides():
    fold = load_fold(PLANTED, 100, 1, 5, 60)
    assert len(fold.explained) == 5
    assert set(fold.explained) <= set(fold.test)
    assert not set(fold.test) & set(fold.train)
    assert (fold.y[fold.explained] == 1).all()
    assert load_fold(MOTIFS, 100, 0, 100, 60).explained.tolist() == sorted(
        load_fold(MOTIFS, 100, 0, 100, 60).test
    )


def test_scores_that_are_shown_are_among_the_candidates(mutag):
    model = nask.NASKClassifier(n_hops=2).fit(mutag.graphs[:60], mutag.y[:60])
    found = candidates(model.explain(mutag.graphs[70]))
    assert set(SHOWN) <= set(found)
    assert all(own.shape == (mutag.graphs[70].n_nodes,) for own in found.values())


def test_cases_cover_every_set_with_both_models():
    cases = all_cases(0)
    assert {(case.subject, case.method) for case in cases} == {
        (name, model) for name in SETS for model in ("nask", "GIN")
    }
    assert len({case.key for case in cases}) == len(cases)
    assert all(case.options["seed"] == 7 for case in all_cases(7))


def truth_record(subject, model, fold, explainers):
    case = Case("explanations", subject, model, {"fold": fold})
    return Record(case, {"accuracy": 0.9, "explainers": explainers}, {})


def test_tables_take_means_over_folds_and_then_the_best_score(tmp_path):
    records = Records(tmp_path / "explanations.jsonl")

    def scores(**values):
        found = {name: {"auc": value, "pooled": value} for name, value in values.items()}
        areas = {"signed": 0.97, "absolute": 0.5}
        return {"seconds": 1.0, "scores": found, "attributes": areas, "attributes of nodes": areas}

    for subject in WITH_TRUTH:
        for fold, (shares, shown) in enumerate([(0.4, 0.9), (0.8, 0.7)]):
            hidden = {"shares": shares, "background": shown, "not shown": 1.0}
            records.add(truth_record(subject, "nask", fold, {"nask": scores(**hidden)}))
            rival = scores(nodes=0.95 if subject in COLOURED else 0.5)
            records.add(truth_record(subject, "GIN", fold, {"saliency": rival}))
    assert tables.best(records, MOTIFS, "nask") == (pytest.approx(0.8), "background")
    lines = tables.truth_table(records).splitlines()
    assert "| BA-2Motifs | **0.800** |  |  |  | 0.500 |" in lines
    assert f"| {COLOURED[0]} | 0.800 |  |  |  | **0.950** |" in lines
    targets = tables.target_table(records)
    assert "| BA-2Motifs, AUC of nodes | 0.800 | 0.990 | **missed** |" in targets
    assert f"| {COLOURED[0]}, AUC of nodes: above every rival | 0.800 | 0.950 | **missed** |" in (
        targets
    )
    assert "| planted, AUC of attributes | 0.970 | 0.950 | met |" in targets
    page = tmp_path / "docs" / "explanations.md"
    write_page(records, page)
    page.write_text(page.read_text(encoding="utf-8") + "\nProse.\n", encoding="utf-8")
    write_page(records, page)
    text = page.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.endswith("\nProse.\n")


@pytest.mark.slow
def test_a_small_run_from_end_to_end_goes_on_where_it_was_killed(monkeypatch, capsys, tmp_path):
    def measured():
        options = ["--quick", "--out", str(tmp_path), "--jobs", "2"]
        monkeypatch.setattr(sys, "argv", ["explanations.py", *options])
        main()
        return sorted(capsys.readouterr().out.splitlines()[:-1])

    file = tmp_path / "results" / "explanations.jsonl"
    first = measured()
    assert len(first) == 6
    records = Records(file)
    by_name = {(r.case.subject, r.case.method): r.result for r in records}
    assert set(by_name[MOTIFS, "GIN"]["explainers"]) == set(tables.RIVALS)
    for result in by_name.values():
        for own in result["explainers"].values():
            for values in own["scores"].values():
                assert all(0 <= value <= 1 for value in values.values())
    assert set(by_name[PLANTED, "nask"]["explainers"]["nask"]["attributes"]) == {
        "signed", "absolute",
    }  # fmt: skip
    assert "random" in by_name["MUTAG", "GIN"]["explainers"]
    file.write_text(file.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert len(measured()) == 1
    assert len(Records(file).path.read_text(encoding="utf-8").splitlines()) == 6
