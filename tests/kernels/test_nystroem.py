"""Rows of landmarks: exact where landmarks span the graphs, and never more than the kernel."""

import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError, SchemaError
from nask.kernels.landmarks import whitening


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(100)
    return [
        nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], {"x": rng.random(4)}) for _ in range(6)
    ]


ENGINES = [
    ("reference", {"n_hops": 1}),
    ("pairwise", {"n_hops": 2}),
    ("distinct", {"n_hops": 2}),
    ("explicit", {"n_hops": 2, "expansion": "ball"}),
    ("auto", {"n_hops": 2, "gram": "rbf", "gram_scale": 0.5}),
]


@pytest.mark.parametrize(("engine", "options"), ENGINES)
def test_all_landmarks_give_the_exact_kernel(mutag, small, engine, options):
    # The reference is plain loops.
    graphs = mutag.graphs[:24] if engine != "reference" else small
    exact = nask.NASK(engine=engine, **options).fit_transform(graphs)
    model = nask.NASKNystroem(n_components=24, engine=engine, cut=1e-13, **options).fit(graphs)
    rows = model.transform(graphs)
    assert model.landmarks_.tolist() == list(range(len(graphs)))
    np.testing.assert_allclose(rows @ rows.T, exact, atol=1e-6)


@pytest.mark.parametrize("landmarks", ["uniform", "k-means++"])
def test_the_rest_of_the_kernel_is_positive_semidefinite(cuneiform, landmarks):
    """What landmarks leave out of K is a Schur complement, and 0 at the landmarks."""
    graphs = cuneiform.graphs[:60]
    exact = nask.NASK(n_hops=2).fit_transform(graphs)
    model = nask.NASKNystroem(n_components=15, n_hops=2, landmarks=landmarks, random_state=100)
    rows = model.fit_transform(graphs)
    assert rows.shape == (60, model.n_components_)
    assert len(set(model.landmarks_)) == 15
    rest = exact - rows @ rows.T
    assert np.linalg.eigvalsh(rest).min() > -1e-8
    np.testing.assert_allclose(rest[model.landmarks_], 0.0, atol=1e-7)


def test_far_landmarks_are_better_than_drawn_ones(cuneiform):
    graphs = cuneiform.graphs[:120]
    exact = nask.NASK(n_hops=1).fit_transform(graphs)
    left = {}
    for landmarks in ("uniform", "k-means++"):
        errors = []
        for seed in range(100, 105):
            model = nask.NASKNystroem(
                n_components=12, n_hops=1, landmarks=landmarks, random_state=seed
            )
            rows = model.fit_transform(graphs)
            errors.append(np.trace(exact - rows @ rows.T))
        left[landmarks] = np.mean(errors)
    assert left["k-means++"] < left["uniform"]


def test_graphs_that_are_equal_are_one_landmark():
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"x": [1.0, 2.0, 3.0]})
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)], {"x": [3.0, 1.0, 1.0, 1.0]})
    model = nask.NASKNystroem(n_components=6, landmarks="k-means++").fit([path, star] * 5)
    assert len(model.landmarks_) == model.n_components_ == 2
    drawn = nask.NASKNystroem(n_components=10).fit([path, star] * 5)
    assert (len(drawn.landmarks_), drawn.n_components_) == (10, 2)


def test_rows_do_not_depend_on_batches(mutag):
    graphs = mutag.graphs[:50]
    model = nask.NASKNystroem(n_components=20, n_hops=2).fit(graphs)
    expected = model.transform(graphs)
    np.testing.assert_allclose(np.vstack(list(model.stream(iter(graphs), 7))), expected, atol=1e-12)
    np.testing.assert_allclose(model.set_params(n_jobs=2).transform(graphs), expected, atol=1e-12)
    assert model.get_feature_names_out()[0] == "nasknystroem0"
    single = nask.NASKNystroem(n_components=20, n_hops=2, dtype="float32").fit_transform(graphs)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single @ single.T, expected @ expected.T, atol=1e-3)


def test_new_graphs_are_held_against_the_schema_of_all(mutag):
    model = nask.NASKNystroem(n_components=5).fit(mutag.graphs[:40])
    assert model.schema_ == nask.NASK().fit(mutag.graphs[:40]).schema_
    with pytest.raises(SchemaError, match="none of the attributes"):
        model.transform([nask.AttributedGraph(1, (), {"x": [1.0]})])


@pytest.mark.parametrize(
    "parameters", [{"n_components": 0}, {"landmarks": None}, {"cut": 1.0}, {"random_state": -1}]
)
def test_parameters_out_of_range(mutag, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        nask.NASKNystroem(**parameters).fit(mutag.graphs[:5])


def test_whitening_leaves_out_what_rounding_made():
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    gram = (vectors * [4.0, 1.0, 1e-3, 1e-13, 0.0, -1e-16]) @ vectors.T
    white = whitening(gram, 1e-10)
    assert white.shape == (6, 3)
    np.testing.assert_allclose(gram @ white @ white.T @ gram, gram, atol=1e-12)
