"""Sparse features of nodes: the same as named numerical attributes, without their memory."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import nask
from nask.exceptions import GraphError, ParameterError, SchemaError
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.io.converters.networkx import to_networkx


def with_features(features, n_nodes=3):
    return nask.AttributedGraph(n_nodes, [(0, 1)], node_features=features)


def test_any_matrix_becomes_a_read_only_sparse_one():
    dense = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]])
    for given_as in (dense, sparse.coo_matrix(dense), dense.tolist(), dense.astype(bool)):
        graph = with_features(given_as)
        expected = np.asarray(given_as, dtype=float) if isinstance(given_as, np.ndarray) else dense
        assert np.array_equal(graph.node_features.toarray(), expected)
        assert graph.node_features.nnz == 2
        with pytest.raises(ValueError, match="read-only"):
            graph.node_features.data[0] = 7


def test_input_is_copied_and_pickling_keeps_it():
    features = sparse.csr_array(np.eye(3))
    graph = with_features(features)
    features.data[0] = 7
    assert graph.node_features.toarray().tolist() == np.eye(3).tolist()
    copy = pickle.loads(pickle.dumps(graph))
    assert copy == graph
    assert not copy.node_features.data.flags.writeable
    assert graph != with_features(2 * np.eye(3))
    assert graph != nask.AttributedGraph(3, [(0, 1)])
    assert "3 node features, 3 of 9 not zero" in repr(graph)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.eye(2), r"shape \(2, 2\), but the graph has 3 nodes"),
        ([[0.0], [np.nan], [1.0]], "nan at node 1, column 0"),
        ([["a"], ["b"], ["c"]], "matrix of numbers"),
    ],
)
def test_errors_say_what_to_do(features, message):
    with pytest.raises(GraphError, match=message):
        with_features(features)


def test_all_graphs_have_the_same_columns():
    with pytest.raises(SchemaError, match="2 and 3 columns"):
        nask.NASK().fit([with_features(np.eye(3)), with_features(np.ones((3, 2)))])
    with pytest.raises(SchemaError, match="Graph 1 has 0 columns"):
        nask.NASK().fit([with_features(np.eye(3)), nask.AttributedGraph(2)])
    with pytest.raises(SchemaError, match="Graph 0 has 2 columns"):
        nask.NASK().fit([with_features(np.eye(3))]).transform([with_features(np.ones((3, 2)))])


def test_converters_do_not_lose_them_in_silence():
    with pytest.raises(GraphError, match="3 node_features, for which networkx has no place"):
        to_networkx(with_features(np.eye(3)))


NUMBERS = st.sampled_from([0.0, 0.0, 0.0, 1.0, 0.25, -2.0])
MATRIX = st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=3, max_size=3)


@given(matrices=st.lists(MATRIX, min_size=2, max_size=3), gamma=st.sampled_from([0.3, 2.0]))
def test_features_are_numerical_attributes_without_names(matrices, gamma):
    edges = [(0, 1), (1, 2)]
    atoms = {"atom": ["C", None, "N"], "charge": [0.1, 0.5, None]}
    sparse_form = [
        nask.AttributedGraph(3, edges, atoms, node_features=matrix) for matrix in matrices
    ]
    named = [
        nask.AttributedGraph(
            3, edges, {**atoms, **{f"x{d}": list(x) for d, x in enumerate(np.transpose(matrix))}}
        )
        for matrix in matrices
    ]  # fmt: skip
    options = {"gamma": gamma, "n_hops": 2}
    train, new = slice(0, -1), slice(-1, None)
    for engine in ("reference", "pairwise"):
        ours = nask.NASK(engine=engine, **options).fit(sparse_form[train])
        theirs = nask.NASK(engine=engine, **options).fit(named[train])
        np.testing.assert_allclose(
            ours.hop_grams(sparse_form[new]), theirs.hop_grams(named[new]), rtol=1e-12
        )


def test_zeros_and_ones_compare_as_categories():
    rng = np.random.default_rng(0)
    words = rng.random((6, 5)) < 0.4
    words[0], words[1] = True, False
    edges = [(0, 1), (1, 2), (3, 4)]
    as_features = nask.AttributedGraph(6, edges, node_features=words)
    named = {f"word{d}": column.tolist() for d, column in enumerate(words.T)}
    as_categories = nask.AttributedGraph(6, edges, named)
    for prune in (False, True):
        kernels = [nask.NASK(prune_cores=prune, normalize=False) for _ in range(2)]
        a, b = (
            k.fit_transform([g]) for k, g in zip(kernels, (as_features, as_categories), strict=True)
        )
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_parameters_by_name_reach_all_columns():
    graph = nask.AttributedGraph(3, [(0, 1)], {"age": [1, 5, 3]}, node_features=np.eye(3))
    without = nask.AttributedGraph(3, [(0, 1)], {"age": [1, 5, 3]})
    ignoring = nask.NASK(attribute_weights={"node_features": 0.0}, normalize=False)
    expected = nask.NASK(normalize=False).fit_transform([without])
    np.testing.assert_allclose(ignoring.fit_transform([graph]), expected, rtol=1e-12)
    sharp = nask.NASK(gamma={"node_features": 50.0}, normalize=False).fit_transform([graph])
    assert sharp[0, 0] < nask.NASK(normalize=False).fit_transform([graph])[0, 0]
    with pytest.raises(ParameterError, match="'node_features', which is no attribute"):
        nask.NASK(gamma={"node_features": 50.0}).fit([without])
    with pytest.raises(GraphError, match="Rename the attribute"):
        nask.NASK().fit([
            nask.AttributedGraph(1, node_attributes={"node_features": [1]}, node_features=[[1.0]])
        ])  # fmt: skip


def test_a_batch_keeps_them_sparse_and_in_units_of_their_ranges():
    graph = with_features([[0, 4, 7], [2, 0, 7], [0, -4, 7]])
    schema = Schema.fit([graph])
    assert schema.features == (2.0, 8.0, 0.0)
    batch = GraphBatch.encode([graph, graph], schema)
    assert batch.features.toarray()[:3].tolist() == [[0, 0.5, 0], [1, 0, 0], [0, -0.5, 0]]
    assert batch.take(np.array([1])).features.shape == (3, 3)
    assert batch.with_dense_features().nodes.numerical.shape == (3, 6)


def test_models_with_features_are_saved(tmp_path):
    rng = np.random.default_rng(1)
    graphs = [with_features(rng.random((3, 4)).round()) for _ in range(12)]
    model = nask.NASKClassifier().fit(graphs, [0, 1] * 6)
    model.save(tmp_path / "model.nask")
    again = nask.load(tmp_path / "model.nask")
    np.testing.assert_allclose(again.decision_function(graphs), model.decision_function(graphs))
