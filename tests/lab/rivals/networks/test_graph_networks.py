"""What every network of graphs must do."""

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from torch_geometric.data import Batch as PyGBatch
from torch_geometric.data import Data

import nask
from nask.lab.rivals.networks import graph_network
from nask.lab.rivals.networks.batching import Batch, GraphTensors
from nask.lab.rivals.networks.gat import GATClassifier
from nask.lab.rivals.networks.gcn import GCNClassifier
from nask.lab.rivals.networks.gin import GINClassifier
from nask.lab.rivals.networks.graphsage import GraphSAGEClassifier
from nask.lab.rivals.networks.kagnn import KAGNNClassifier
from nask.lab.rivals.networks.kergnn import KerGNNClassifier

CLASSIFIERS = [
    GCNClassifier,
    GINClassifier,
    GraphSAGEClassifier,
    GATClassifier,
    KAGNNClassifier,
    KerGNNClassifier,
]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


def quick(classifier, **parameters):
    return classifier(**{"max_epochs": 3, "hidden": 16, "grid": {}, **parameters})


@pytest.fixture(scope="module")
def fitted(mutag):
    part = mutag.graphs[::3], mutag.y[::3]
    return {classifier: quick(classifier).fit(*part) for classifier in CLASSIFIERS}


def permuted(graph, order):
    place = np.argsort(order)
    columns = {name: column.take(order).values() for name, column in graph.node_attributes.items()}
    return nask.AttributedGraph(
        graph.n_nodes, place[graph.edges], columns, categorical=list(columns)
    )


@pytest.mark.filterwarnings("ignore::nask.exceptions.UnseenAttributeWarning")
@pytest.mark.filterwarnings("ignore::nask.exceptions.AbsentAttributeWarning")
@every_classifier
def test_the_order_of_nodes_does_not_matter(classifier, fitted, mutag):
    rng = np.random.default_rng(0)
    graphs = mutag.graphs[:20]
    shuffled = [permuted(graph, rng.permutation(graph.n_nodes)) for graph in graphs]
    model = fitted[classifier]
    expected = model.decision_function(graphs)
    np.testing.assert_allclose(model.decision_function(shuffled), expected, atol=1e-4)
    assert np.ptp(expected) > 1e-2


@every_classifier
def test_the_rest_of_the_batch_does_not_matter(classifier, fitted, mutag):
    model, graphs = fitted[classifier], mutag.graphs[:20]
    alone = np.concatenate([model.decision_function([graph]) for graph in graphs])
    np.testing.assert_allclose(model.decision_function(graphs), alone, atol=1e-4)


# KerGNN looks more up of a node than torch_geometric's batches carry.
@pytest.mark.parametrize("classifier", [c for c in CLASSIFIERS if c is not KerGNNClassifier])
def test_batches_are_those_of_torch_geometric(classifier, fitted, mutag):
    model, graphs = fitted[classifier], mutag.graphs[:30]
    chosen = torch.tensor([7, 3, 29, 0, 3])
    rows = model.encoder_.transform(graphs)
    data = [
        Data(
            x=torch.from_numpy(rows[i].copy()),
            edge_index=torch.from_numpy(
                np.concatenate([graphs[i].edges, graphs[i].edges[:, ::-1]]).T.copy()
            ),
        )
        for i in chosen.tolist()
    ]
    theirs = PyGBatch.from_data_list(data)
    ours = GraphTensors.of(graphs, model.encoder_).batch(chosen)
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.graph_of_node, theirs.batch)
    assert set(map(tuple, ours.edges.T.tolist())) == set(map(tuple, theirs.edge_index.T.tolist()))
    assert ours.edges.shape == theirs.edge_index.shape
    same = Batch(theirs.x, theirs.edge_index, theirs.batch, theirs.num_graphs, ours.nodes)
    with torch.no_grad():
        expected = model.network_(same)
        torch.testing.assert_close(model.network_(ours), expected, atol=1e-4, rtol=1e-4)


def test_nodes_of_a_batch_look_up_their_own_data(mutag):
    class WithLookup(GINClassifier):
        def _lookup(self, graphs):
            return torch.cat([torch.full((graph.n_nodes,), i) for i, graph in enumerate(graphs)])

    model = WithLookup()
    graphs = mutag.graphs[:10]
    encoder = quick(GINClassifier).fit(mutag.graphs, mutag.y).encoder_
    batch = GraphTensors.of(graphs, encoder, model._lookup(graphs)).batch(torch.tensor([4, 9, 1]))
    graph = torch.tensor([4, 9, 1])[batch.graph_of_node]
    assert torch.equal(batch.lookup[batch.nodes], graph)


@every_classifier
def test_two_fits_are_the_same_for_any_number_of_threads(classifier, fitted, mutag):
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(threads + 1)
        again = quick(classifier).fit(mutag.graphs[::3], mutag.y[::3])
        assert torch.get_num_threads() == threads + 1
        scores = again.decision_function(mutag.graphs)
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_array_equal(scores, fitted[classifier].decision_function(mutag.graphs))


def test_another_seed_is_another_network(fitted, mutag):
    other = quick(GINClassifier, random_state=1).fit(mutag.graphs[::3], mutag.y[::3])
    mine = fitted[GINClassifier].decision_function(mutag.graphs)
    assert not np.allclose(other.decision_function(mutag.graphs), mine)


def test_random_numbers_of_others_go_on_as_before(fitted, mutag):
    torch_state, numpy_state = torch.get_rng_state(), np.random.get_state()[1]  # noqa: NPY002
    model = quick(GATClassifier, dropout=0.5).fit(mutag.graphs[::3], mutag.y[::3])
    model.predict(mutag.graphs)
    assert torch.equal(torch.get_rng_state(), torch_state)
    assert np.array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002


@every_classifier
def test_clone_and_pickle(classifier, fitted, mutag):
    model = fitted[classifier]
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "network_")
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        restored.predict_proba(mutag.graphs), model.predict_proba(mutag.graphs)
    )


@every_classifier
def test_odd_graphs(classifier):
    def graph(atoms, edges=()):
        return nask.AttributedGraph(len(atoms), edges, {"atom": list(atoms)})

    graphs = [graph("C"), graph("CN"), graph(""), graph("NNC", [(0, 1)])] * 4
    y = ["lone", "pair", "none", "bond"] * 4
    model = quick(classifier, batch_size=1).fit(graphs, y)
    new = [graph(""), graph("X"), graph("CX", [(0, 1)]), graph("C")]
    probabilities = model.predict_proba(new)
    assert probabilities.shape == (4, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert set(model.predict(new)) <= set(y)
    assert np.isfinite(model.predict_proba([graph("")])).all()


@pytest.mark.slow
@every_classifier
def test_neighbours_are_learned_from(classifier):
    def ring(half, alternate):
        atoms = "CN" * half if alternate else "C" * half + "N" * half
        edges = [(i, (i + 1) % (2 * half)) for i in range(2 * half)]
        return nask.AttributedGraph(2 * half, edges, {"atom": list(atoms)})

    # Atoms alone say nothing: each ring has as many of one as of the other.
    graphs = [ring(half, alternate) for half in (3, 4, 5, 6) for alternate in (True, False)] * 8
    y = ["mixed", "apart"] * 32
    model = quick(classifier, max_epochs=60, patience=60).fit(graphs, y)
    assert model.classes_.tolist() == ["apart", "mixed"]
    assert model.score(graphs, y) == 1.0
    assert 1 <= model.best_params_["epochs"] <= model.n_epochs_ <= 60


@pytest.mark.slow
def test_mutag_is_learned(mutag):
    # Over folds, as one graph is five points of a single one; two of three graphs are toxic.
    names = np.where(np.asarray(mutag.y) == 1, "toxic", "safe")
    graphs = np.empty(len(names), dtype=object)
    graphs[:] = mutag.graphs
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    found = cross_val_predict(GINClassifier(grid={}), graphs, names, cv=folds)
    assert np.mean(found == names) > 0.75


def test_the_best_of_the_grid_is_chosen(mutag):
    grid = {"learning_rate": [1e-9, 0.01], "hidden": [8]}
    model = quick(GINClassifier, max_epochs=8, grid=grid).fit(mutag.graphs, mutag.y)
    single = quick(GINClassifier, max_epochs=8, hidden=8, learning_rate=0.01)
    single.fit(mutag.graphs, mutag.y)
    assert model.best_params_ == {"hidden": 8, "learning_rate": 0.01, **single.best_params_}
    assert model.best_score_ == single.best_score_
    np.testing.assert_array_equal(
        model.predict_proba(mutag.graphs), single.predict_proba(mutag.graphs)
    )
    assert model.hidden == 16


def test_held_out_graphs_are_not_trained_on(mutag, monkeypatch):
    graphs, y = mutag.graphs, np.asarray(mutag.y)
    held = np.arange(0, len(y), 10)
    kept = np.setdiff1d(np.arange(len(y)), held)
    monkeypatch.setattr(graph_network, "held_out", lambda codes, random_state: (kept, held))
    flipped = y.copy()
    flipped[held] = -flipped[held]
    # One epoch has the same weights whatever held-out graphs are.
    first, second = (quick(GINClassifier, max_epochs=1).fit(graphs, t) for t in (y, flipped))
    np.testing.assert_array_equal(first.predict_proba(graphs), second.predict_proba(graphs))
    assert first.best_score_ + second.best_score_ == pytest.approx(1.0)
    held_score = first.score([graphs[i] for i in held], y[held])
    assert first.best_score_ == pytest.approx(held_score)


def test_progress_is_of_candidates(mutag):
    seen = []
    model = quick(GCNClassifier, max_epochs=1, grid=None, verbose=lambda *at: seen.append(at))
    model.fit(mutag.graphs, mutag.y)
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"n_layers": 0}, "'n_layers' parameter of GATClassifier must be an int"),
        ({"dropout": 1.0}, r"'dropout' .* must be a float in the range \[0, 1\). Got 1.0"),
        ({"learning_rate": 0}, "'learning_rate' .* Got 0 instead"),
        ({"weight_decay": -1}, "'weight_decay'"),
        ({"batch_size": 0}, "'batch_size'"),
        ({"random_state": None}, "'random_state'"),
        ({"heads": 5}, r"'heads' .* divides hidden \(16\). Got 5"),
        ({"grid": {"learning_rat": [1]}}, "Did you mean 'learning_rate'"),
        ({"grid": {"hidden": 16}}, "'grid' .* must be None, or a dict"),
        ({"grid": {"learning_rate": [0.01, -1]}}, "'learning_rate' .* Got -1"),
    ],
)
def test_a_bad_parameter(parameters, expected, mutag):
    with pytest.raises(nask.exceptions.ParameterError, match=expected):
        quick(GATClassifier, **parameters).fit(mutag.graphs, mutag.y)


def test_bad_input(mutag, fitted):
    model = quick(GINClassifier)
    with pytest.raises(nask.exceptions.GraphError, match="at least one graph"):
        model.fit([], [])
    with pytest.raises(nask.exceptions.ParameterError, match="188 graphs but 2 values"):
        model.fit(mutag.graphs, [0, 1])
    with pytest.raises(nask.exceptions.ParameterError, match="requires y"):
        model.fit(mutag.graphs, None)
    with pytest.raises(nask.exceptions.ParameterError, match="two classes"):
        model.fit(mutag.graphs, [0] * 188)
    with pytest.raises(nask.exceptions.GraphError, match="at least one graph"):
        fitted[GINClassifier].predict([])
