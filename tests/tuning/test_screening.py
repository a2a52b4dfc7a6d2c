"""Large sets: settings are screened on a sample."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import nask
from nask.tuning import screening
from nask.tuning.leave_one_out import LeaveOneOut
from nask.tuning.screening import Screened, sample_of, screen, surroundings

GRID = {"gamma": [0.1, 2.0], "n_hops": [1, 2], "gram": ["linear", "rbf"], "alpha": [0.01, 0.1, 1.0]}


@pytest.fixture
def small(monkeypatch):
    """Sets of more than 40 graphs count as large."""
    monkeypatch.setattr(screening, "SAMPLE", 40)
    monkeypatch.setattr(screening, "KEPT", 3)
    monkeypatch.setattr(screening, "KEPT_PASSES", 1)
    monkeypatch.setattr(screening, "LARGEST_UNSCREENED", 40)


def test_a_sample_is_drawn_without_classes_and_in_order():
    sample = sample_of(1000, random_state=3)
    assert len(np.unique(sample)) == screening.SAMPLE
    assert (np.diff(sample) > 0).all()
    np.testing.assert_array_equal(sample, sample_of(1000, random_state=3))
    assert not np.array_equal(sample, sample_of(1000, random_state=4))


def test_large_graphs_make_a_sample_of_fewer():
    n_nodes = np.random.default_rng(0).integers(100, 500, size=1000)
    whole = sample_of(1000, random_state=3)
    sample = sample_of(1000, random_state=3, n_nodes=n_nodes)
    assert screening.LEAST < len(sample) < screening.SAMPLE
    # As many as there is room for.
    assert n_nodes[sample].sum() <= screening.NODES < n_nodes[sample].sum() + 500
    assert np.isin(sample, whole).all()
    assert (np.diff(sample) > 0).all()
    assert len(sample_of(1000, 3, 10 * n_nodes)) == screening.LEAST
    assert len(sample_of(60, 3, 100 * n_nodes[:60])) == 60
    np.testing.assert_array_equal(sample_of(1000, 3, n_nodes // 10), whole)


def kept_by(model, data, items, goal, tests):
    sweeps = model.sweeps_of(data)
    return Screened.of(sweeps, screen(model, sweeps, data, items, goal, tests))


def screened(mutag, codes, tests):
    model = nask.TunedNASKClassifier(grid=GRID)
    items = np.arange(100)
    return kept_by(model, mutag.graphs[:100], items, model.goal(codes, np.array([-1, 1])), tests)


@pytest.mark.usefixtures("small")
def test_the_nodes_of_graphs_limit_the_sample_of_a_search(mutag, monkeypatch):
    """No graph beyond the limit is compared."""
    monkeypatch.setattr(screening, "LEAST", 10)
    monkeypatch.setattr(screening, "NODES", 300)
    judged = []
    monkeypatch.setattr(LeaveOneOut, "enter", lambda self, _, stack: judged.append(stack.shape[1]))
    monkeypatch.setattr(screening, "_best", lambda judge, fold, n_passes: [])
    screened(mutag, (mutag.y[:100] > 0).astype(np.intp), [np.arange(10)])
    n_nodes = np.array([graph.n_nodes for graph in mutag.graphs[:100]])
    assert set(judged) == {len(sample_of(100, 0, n_nodes))}
    assert judged[0] < 40


@pytest.mark.usefixtures("small")
def test_few_candidates_of_few_passes_go_on(mutag):
    codes = (mutag.y[:100] > 0).astype(np.intp)
    tests = [np.arange(10), np.arange(50, 60)]
    found = screened(mutag, codes, tests)
    assert [len(own) for own in found.kept] == [3, 3]
    whole = nask.TunedNASKClassifier(grid=GRID).sweeps()
    for own in found.kept:
        passes = {candidate.parameters["gamma"] for candidate in own}
        assert len(passes) == 1
        # All penalties are tried on the whole set, though not on the sample.
        assert all(candidate.alpha == whole[0].candidates[0].alpha for candidate in own)
    kept = {id(candidate) for own in found.kept for candidate in own}
    assert {id(c) for sweep in found.sweeps for c in sweep.candidates} == kept


@pytest.mark.usefixtures("small")
def test_classes_of_test_items_do_not_decide_what_a_fold_keeps(mutag):
    codes = (mutag.y[:100] > 0).astype(np.intp)
    test = np.arange(0, 100, 3)
    other = codes.copy()
    other[test] = 1 - other[test]

    def kept(own):
        return [candidate.parameters for candidate in screened(mutag, own, [test]).kept[0]]

    assert kept(codes) == kept(other)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("learner", ["ridge", "svm"])
def test_a_large_set_is_searched_and_evaluated(mutag, learner):
    grid = {**GRID, "C": [1.0, 10.0]}
    model = nask.TunedNASKClassifier(grid=grid, learner=learner, inner=2)
    model.fit(mutag.graphs[::2], mutag.y[::2])
    assert model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75
    result = nask.evaluate(model, mutag, folds=3, repeats=1, inner=2)
    assert result.accuracy_mean > 0.75


@pytest.mark.usefixtures("small")
def test_a_run_that_goes_on_has_the_same_passes(mutag, tmp_path):
    """Screening looks at all folds, not at those that are left."""
    model = nask.TunedNASKClassifier(grid=GRID)
    whole = nask.evaluate(model, mutag, folds=3, repeats=1, out=tmp_path / "whole")
    lines = (tmp_path / "whole" / "MUTAG--nask.jsonl").read_text().splitlines()
    (tmp_path / "cut").mkdir()
    kept = [line for line in lines if '"fold": 2' not in line]
    assert len(kept) == len(lines) - 1
    (tmp_path / "cut" / "MUTAG--nask.jsonl").write_text("\n".join(kept) + "\n")
    again = nask.evaluate(model, mutag, folds=3, repeats=1, out=tmp_path / "cut")
    assert [r.predicted for r in again.records] == [r.predicted for r in whole.records]


def test_many_training_items_are_learned_by_an_svm():
    model = nask.TunedNASKClassifier()
    assert model.learner_for(screening.LARGEST_RIDGE) == "ridge"
    assert model.learner_for(screening.LARGEST_RIDGE + 1) == "svm"


@pytest.mark.usefixtures("small")
def test_nodes_are_screened_on_some_of_them():
    network = nask.lab.make_social_network(150)
    grid = {"gamma": [0.5, 2.0], "n_hops": [1, 2]}
    model = nask.TunedNASKNodeClassifier(grid=grid)
    model.fit(network.graph, network.y, network.train)
    assert model.score(network.graph, network.y, network.test) > 0.5
    result = nask.evaluate(model, network, folds=2)
    assert result.accuracy_mean > 0.5


@pytest.mark.usefixtures("small")
def test_the_order_of_the_grid_decides_among_equals(monkeypatch):
    """Whatever the order in which passes are made: those of walks are made together."""
    monkeypatch.setattr(screening, "KEPT_PASSES", 2)
    network = nask.lab.make_social_network(150)
    grid = {"restart": [None, 0.3], "gamma": [0.5, 2.0], "n_hops": [1, 2]}
    model = nask.TunedNASKNodeClassifier(grid=grid)
    # All of one class: every setting is right everywhere.
    codes, items = np.zeros(150, dtype=np.intp), np.arange(150)
    nothing = [np.empty(0, dtype=np.intp)]
    found = kept_by(model, network.graph, items, model.goal(codes, np.array([0, 1])), nothing)
    expected = [own for sweep in model.sweeps() for own in sweep.candidates][:3]
    assert [own.parameters for own in found.kept[0]] == [own.parameters for own in expected]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("many", "passes"), [(10**6, 2), (100, 1)])
def test_of_many_nodes_only_the_best_pass_goes_on(mutag, monkeypatch, many, passes):
    monkeypatch.setattr(screening, "KEPT_PASSES", 2)
    monkeypatch.setattr(screening, "MANY_NODES", many)
    model = nask.TunedNASKClassifier(grid={"gamma": [0.1, 0.5, 2.0], "gram_scale": [1.0]})
    nothing = [np.empty(0, dtype=np.intp)]
    codes = (mutag.y > 0).astype(np.intp)
    goal = model.goal(codes, np.array([-1, 1]))
    found = kept_by(model, mutag.graphs, np.arange(188), goal, nothing)
    assert len(found.sweeps) == passes


def test_pairs_of_many_classes_are_told_apart_by_few_kernels(mutag, monkeypatch):
    """Each pair takes time, so all settings rank kernels by one function per class."""
    monkeypatch.setattr(screening, "MOST_CLASSES", 2)
    monkeypatch.setattr(screening, "KEPT", 2)
    sizes = np.array([graph.n_nodes for graph in mutag.graphs])
    y = np.digitize(sizes, np.quantile(sizes, [0.25, 0.5, 0.75]))
    tried = []
    whole = LeaveOneOut._try

    def counted(self, gram, folds, scheme, alpha):
        tried.append(scheme)
        return whole(self, gram, folds, scheme, alpha)

    monkeypatch.setattr(LeaveOneOut, "_try", counted)
    model = nask.TunedNASKClassifier(grid={**GRID, "degree": ["numerical"]})
    model.fit(mutag.graphs[::2], y[::2])
    n_kernels, n_penalties = 8, 3
    assert tried.count("ovo") == 2 * n_penalties
    assert tried.count("ovr") == 2 * n_penalties + n_kernels * 1
    assert model.score(mutag.graphs[1::2], y[1::2]) > 0.5


def test_surroundings_are_the_nearest_nodes():
    """As breadth-first search with NetworkX finds them."""
    network = nask.lab.make_social_network(200).graph
    graph = nx.Graph(network.edges.tolist())
    graph.add_nodes_from(range(200))
    start = np.array([3, 77, 150])
    distance = nx.multi_source_dijkstra_path_length(graph, set(start.tolist()))
    for size in (1, 3, 10, 60, 150, 1000):
        found = surroundings(network, start, size)
        assert len(found) == max(3, min(size, len(distance)))
        assert np.isin(start, found).all()
        left = [distance[v] for v in distance if v not in set(found.tolist())]
        assert max(distance[v] for v in found.tolist()) <= min(left, default=np.inf)


@pytest.mark.usefixtures("small")
def test_a_large_network_is_screened_around_its_sample(monkeypatch):
    """One pass goes on, and settings are ranked as on the whole network where all is near."""
    network = nask.lab.make_social_network(150)
    grid = {"gamma": [0.5, 2.0], "restart": [None, 0.3], "n_hops": [1, 2, 3], "gamma_star": [8.0]}
    model = nask.TunedNASKNodeClassifier(grid=grid)
    codes, items = (network.y == network.y[0]).astype(np.intp), np.arange(150)
    nothing = [np.empty(0, dtype=np.intp)]
    goal = model.goal(codes, np.array([0, 1]))
    sizes = []
    fit = nask.NodeNASK.fit
    monkeypatch.setattr(
        nask.NodeNASK, "fit", lambda self, own: (sizes.append(own.n_nodes), fit(self, own))[1]
    )
    whole = kept_by(model, network.graph, items, goal, nothing)
    assert set(sizes) == {150}
    monkeypatch.setattr(screening, "LARGEST_NETWORK", 100)
    monkeypatch.setattr(screening, "AROUND", 150)
    everything = kept_by(model, network.graph, items, goal, nothing)
    assert [own.parameters for own in everything.kept[0]] == [
        own.parameters for own in whole.kept[0]
    ]
    sizes.clear()
    monkeypatch.setattr(screening, "AROUND", 80)
    found = kept_by(model, network.graph, items, goal, nothing)
    assert set(sizes) == {80}
    assert len(found.sweeps) == 1
    model.fit(network.graph, network.y, network.train)
    assert model.score(network.graph, network.y, network.test) > 0.5


@pytest.mark.usefixtures("small")
def test_passes_have_no_hops_that_no_candidate_has(mutag):
    codes = (mutag.y[:100] > 0).astype(np.intp)
    for sweep in screened(mutag, codes, [np.arange(10), np.arange(50, 60)]).sweeps:
        assert sweep.parameters["n_hops"] == max(own.form["n_hops"] for own in sweep.candidates)


def test_passes_of_fewer_hops_are_parts_of_deeper_ones():
    """Also where walks are apart: what a trimmed pass gives is what it would give alone."""
    network = nask.lab.make_social_network(60).graph
    grid = {"restart": [None, 0.3], "gamma": [1.0], "n_hops": [3], "gamma_star": [8.0]}
    one, other = nask.TunedNASKNodeClassifier(grid=grid).sweeps()
    short = replace(other, parameters={**other.parameters, "n_hops": 2})
    assert short.shares_pass(one)
    assert one.shares_pass(short)
    for order in ([one, short], [short, one]):
        for own, stack in zip(order, order[0].compute_all(order, network), strict=True):
            # Means over walks are rounded by how many columns are at work at once.
            np.testing.assert_allclose(stack, own.compute(network), rtol=1e-6)
