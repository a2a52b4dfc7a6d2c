"""Linear SVMs against scikit-learn, against scipy in float64, and against optimality."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from nask.exceptions import ParameterError
from nask.learning import centred_rows, newton
from nask.learning.linear import fit_linear

PENALTIES = (0.01, 1.0, 100.0)
EXACT = 1e-8


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Several tiles and windows even for a small matrix, the last ones shorter."""
    monkeypatch.setattr(centred_rows, "NUMBERS_PER_TILE", 300)
    monkeypatch.setattr(centred_rows, "TILES_PER_WINDOW", 3)


@pytest.fixture
def larger_tiles(small_tiles, monkeypatch):
    """Many tiles still for a larger matrix: a tile takes its time however few rows it has."""
    monkeypatch.setattr(centred_rows, "NUMBERS_PER_TILE", 3000)


def problem(n_classes=2, seed=0, n=203, d=7, dtype=np.float64):
    """Overlapping classes of unequal sizes, columns of unequal size, far from 0."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(n_classes, size=n, p=np.arange(1, n_classes + 1) / _triangle(n_classes))
    codes[:n_classes] = np.arange(n_classes)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 3, size=d) + rng.normal(size=d) * 2
    X[np.arange(n), codes % d] += 1.5
    return frozen(X.astype(dtype)), frozen(codes)


def _triangle(n):
    return n * (n + 1) / 2


def frozen(array):
    array.flags.writeable = False
    return array


def scaled(X):
    """Centred, with unit mean squared length."""
    centred = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    return centred / np.sqrt((centred**2).sum(axis=1).mean())


def signs_of(codes):
    n_classes = codes.max() + 1
    positive = [1] if n_classes == 2 else range(n_classes)
    return [np.where(codes == k, 1.0, -1.0) for k in positive]


def weights_by_row(kind, codes):
    n_classes = codes.max() + 1
    if kind == "balanced":
        return (len(codes) / (n_classes * np.bincount(codes)))[codes]
    if isinstance(kind, dict):
        return np.array([kind.get(code, 1.0) for code in codes])
    return np.ones(len(codes))


def objective(v, Z, y, C, weights):
    """Value and gradient of the definition, for w and b at the end."""
    slack = np.maximum(0, 1 - y * (Z @ v[:-1] + v[-1]))
    pull = -2 * C * weights * y * slack
    value = v[:-1] @ v[:-1] / 2 + C * (weights * slack**2).sum()
    return value, np.append(v[:-1] + Z.T @ pull, pull.sum())


def solutions(machine, X):
    """The functions in terms of scaled rows: w, and b at the end."""
    mean = X.mean(axis=0, dtype=np.float64)
    centred = X - mean
    scale = np.sqrt((centred**2).sum(axis=1).mean())
    b = machine.constants + machine.coefficients @ mean
    return np.column_stack([machine.coefficients * scale, b])


@pytest.mark.parametrize("C", PENALTIES)
@pytest.mark.parametrize("weight", [None, "balanced", {0: 3.0, 1: 0.25}])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_are_those_of_scikit_learn(n_classes, weight, C):
    """One LinearSVC per function: with several classes its own weighs the positive rows only."""
    X, codes = problem(n_classes)
    Z = scaled(X)
    decisions = fit_linear(X, codes, C, class_weight=weight, tolerance=EXACT).decide(X)
    assert decisions.shape == (len(X), len(signs_of(codes)))
    for decision, y in zip(decisions.T, signs_of(codes), strict=True):
        # Its constant is penalised: a large one in terms of the column it multiplies is not.
        model = LinearSVC(C=C, dual=False, tol=1e-10, max_iter=100_000, intercept_scaling=1e3)
        model.fit(Z, y, sample_weight=weights_by_row(weight, codes))
        np.testing.assert_allclose(decision, model.decision_function(Z), atol=2e-4)


@pytest.mark.parametrize("C", PENALTIES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_functions_are_those_that_scipy_finds(n_classes, C, seed):
    X, codes = problem(n_classes, seed)
    machine = fit_linear(X, codes, C, tolerance=EXACT)
    for own, y in zip(solutions(machine, X), signs_of(codes), strict=True):
        arguments = (scaled(X), y, C, np.ones(len(X)))
        best = minimize(
            objective,
            np.zeros(X.shape[1] + 1),
            arguments,
            jac=True,
            method="L-BFGS-B",
            options={"ftol": 1e-16, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 100_000},
        )
        np.testing.assert_allclose(own, best.x, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("weight", [None, "balanced", {0: 5.0}])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_gradient_is_zero_where_it_ends(n_classes, weight):
    """The objective is convex, so nothing else is a minimum."""
    X, codes = problem(n_classes, seed=3)
    rows = weights_by_row(weight, codes)
    for C in PENALTIES:
        machine = fit_linear(X, codes, C, class_weight=weight)
        exact = fit_linear(X, codes, C, class_weight=weight, tolerance=EXACT)
        for y, near, best in zip(
            signs_of(codes), solutions(machine, X), solutions(exact, X), strict=True
        ):
            at_zero = np.abs(objective(np.zeros_like(best), scaled(X), y, C, rows)[1]).max()
            value, gradient = objective(best, scaled(X), y, C, rows)
            assert np.abs(gradient).max() < 1e-6 * at_zero
            # With the ordinary tolerance of 1e-3, its square above the minimum.
            assert objective(near, scaled(X), y, C, rows)[0] <= value * (1 + 3e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("larger_tiles")
@pytest.mark.parametrize("C", PENALTIES)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_float32_gives_nearly_the_same_as_float64(n_classes, C):
    X, codes = problem(n_classes, n=1000, d=30, dtype=np.float32)
    half = fit_linear(X, codes, C).decide(X)
    full = fit_linear(X.astype(np.float64), codes, C, tolerance=EXACT).decide(X)
    assert half.dtype == np.float64
    np.testing.assert_allclose(half, full, atol=5e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_chosen_rows_are_as_good_as_a_matrix_of_their_own(n_classes, dtype):
    X, codes = problem(n_classes, dtype=dtype)
    rows = frozen(np.random.default_rng(5).permutation(len(X))[:120])
    chosen = fit_linear(X, codes[rows], 1.0, rows=rows, class_weight="balanced")
    own = fit_linear(X[rows], codes[rows], 1.0, class_weight="balanced")
    np.testing.assert_array_equal(chosen.coefficients, own.coefficients)
    np.testing.assert_array_equal(chosen.constants, own.constants)
    np.testing.assert_allclose(chosen.decide(X, rows), own.decide(X[rows]), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(chosen.predict(X, rows), own.predict(X[rows]))


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_do_not_change_a_digit(n_jobs, monkeypatch):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    X, codes = problem(3, n=900, dtype=np.float32)
    one, many = (fit_linear(X, codes, 1.0, n_jobs=n) for n in (1, n_jobs))
    np.testing.assert_array_equal(one.coefficients, many.coefficients)
    np.testing.assert_array_equal(one.constants, many.constants)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e4])
def test_constant_columns_change_nothing(value):
    X, codes = problem(3, dtype=np.float32)
    wide = np.insert(X, [0, 4], np.float32(value), axis=1)
    plain, padded = (fit_linear(x, codes, 1.0, tolerance=1e-4) for x in (X, wide))
    kept = np.delete(padded.coefficients, [0, 5], axis=1)
    np.testing.assert_allclose(kept, plain.coefficients, atol=1e-3)
    assert np.abs(padded.coefficients[:, [0, 5]] * value).max() < 1e-4


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_rows_that_are_all_alike(value):
    codes = np.array([0, 1, 1, 1, 0, 1, 1, 1])
    machine = fit_linear(np.full((8, 3), value, dtype=np.float32), codes, 10.0)
    np.testing.assert_allclose(machine.coefficients, 0, atol=1e-6)
    # Of constant functions the mean of y is best.
    np.testing.assert_allclose(machine.constants, 0.5, atol=1e-6)


def test_shift_and_scale_of_the_features_make_no_difference():
    X, codes = problem(3)
    plain, moved = (fit_linear(x, codes, 1.0, tolerance=EXACT).decide(x) for x in (X, 40 * X - 7))
    np.testing.assert_allclose(plain, moved, atol=1e-6)


def test_a_memory_map_is_read_only(tmp_path):
    X, codes = problem(3, dtype=np.float32)
    np.save(tmp_path / "X.npy", X)
    before = (tmp_path / "X.npy").read_bytes()
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    rows = np.arange(0, len(X), 2)
    from_file, in_memory = (fit_linear(x, codes[rows], 1.0, rows=rows) for x in (mapped, X))
    np.testing.assert_array_equal(from_file.coefficients, in_memory.coefficients)
    np.testing.assert_array_equal(from_file.decide(mapped), in_memory.decide(X))
    assert (tmp_path / "X.npy").read_bytes() == before


@pytest.mark.usefixtures("larger_tiles")
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_few_passes_however_long_and_thin_the_cloud_of_rows(C):
    """What the sample of the rows is for: conjugate gradients alone take hundreds."""
    X, codes = problem(2, n=5000, d=40)
    stretched = X * np.logspace(0, 3, 40)
    done = []
    fit_linear(stretched, codes, C, progress=lambda n, _: done.append(n))
    assert done == list(range(1, len(done) + 1))
    assert len(done) < 40


@pytest.mark.parametrize("n", [12, 203])
@pytest.mark.parametrize("n_axes", [1, 5])
def test_more_columns_than_axes_of_the_sample(n, n_axes, monkeypatch):
    """The sample decides how many passes it takes, not where they lead."""
    X, codes = problem(3, n=n, d=20)
    expected = fit_linear(X, codes, 1.0, tolerance=EXACT)
    monkeypatch.setattr(newton, "MOST_AXES", n_axes)
    found = fit_linear(X, codes, 1.0, tolerance=EXACT)
    np.testing.assert_allclose(found.coefficients, expected.coefficients, atol=1e-6)
    np.testing.assert_allclose(found.constants, expected.constants, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1e3, 1e6, 1e9])
def test_separable_rows_and_a_large_penalty(dtype, C):
    """The limit is the function with the widest margin: support rows at 1 or -1 exactly."""
    X, codes = problem(2, n=40, d=60, dtype=dtype)
    margins = np.where(codes == 1, 1, -1) * fit_linear(X, codes, C).decide(X)[:, 0]
    assert margins.min() == pytest.approx(1, abs=0.01)


def test_a_class_without_a_row_is_never_chosen():
    X, codes = problem(2)
    machine = fit_linear(X, 2 * codes, 1.0)
    np.testing.assert_allclose(machine.decide(X)[:, 1], -1, atol=1e-6)


def test_values_that_are_not_finite_are_refused():
    X, codes = problem()
    bad = X.copy()
    bad[17, 4] = np.nan
    with pytest.raises(ParameterError, match="Column 4 of the features"):
        fit_linear(bad, codes, 1.0)
    rows = np.delete(np.arange(len(X)), 17)
    fit_linear(bad, codes[rows], 1.0, rows=rows)


def test_a_solver_that_gives_up_says_so(monkeypatch):
    monkeypatch.setattr(newton, "MOST_STEPS", 1)
    X, codes = problem()
    with pytest.warns(ConvergenceWarning, match="C=100 was not at its optimum after 1 Newton"):
        fit_linear(X, codes, 100.0)
