"""Graphs as points: the components, their shares, the colours of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from sklearn.decomposition import PCA, KernelPCA

import nask
from nask.plots import embedding
from nask.plots.kernel_pca import principal_components
from nask.plots.style import colour_and_marker


def drawn_points(ax):
    return {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections}


def same_up_to_sign(points, others):
    for column, other in zip(points.T, others.T, strict=True):
        sign = np.sign(column @ other)
        np.testing.assert_allclose(column, sign * other, atol=1e-7 * np.abs(points).max())


@given(st.integers(3, 40), st.integers(0, 100))
def test_components_of_a_linear_kernel_are_those_of_its_features(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 6)) * np.arange(1, 7) + 3
    pca = PCA(2).fit(X)
    points, shares = principal_components(X @ X.T)
    same_up_to_sign(points, pca.transform(X))
    np.testing.assert_allclose(shares, pca.explained_variance_ratio_)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_real_kernel_agrees_with_all_its_eigenvectors(mutag, dtype):
    K = nask.NASK(n_hops=2, dtype=dtype).fit_transform(mutag.graphs)
    exact = K.astype(np.float64)
    points, shares = principal_components(K)
    pca = KernelPCA(kernel="precomputed", eigen_solver="dense").fit(exact)
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    others = pca.transform(exact)[:, :2]
    signs = np.sign(np.sum(points * others, axis=0))
    np.testing.assert_allclose(points, signs * others, atol=tolerance)
    np.testing.assert_allclose(
        shares, pca.eigenvalues_[:2] / pca.eigenvalues_.sum(), atol=tolerance
    )


def test_each_class_has_its_own_points(mutag):
    K = nask.NASK(n_hops=1).fit_transform(mutag.graphs)
    points, shares = principal_components(K)
    ax = embedding(K, mutag.y)
    drawn = drawn_points(ax)
    assert set(drawn) == {"-1", "1"}
    for label, own in drawn.items():
        np.testing.assert_array_equal(own, points[mutag.y == int(label)])
    assert f"{100 * shares[0]:.1f} %" in ax.get_xlabel()
    assert f"{100 * shares[1]:.1f} %" in ax.get_ylabel()


def test_30_classes_look_different_and_the_legend_covers_no_point(cuneiform):
    X = np.random.default_rng(0).normal(size=(len(cuneiform), 4))
    ax = embedding(X @ X.T, cuneiform.y)
    looks = {(to_hex(c.get_facecolor()[0]), c.get_paths()[0].to_polygons()[0].tobytes())
             for c in ax.collections}  # fmt: skip
    assert len(looks) == 30
    ax.figure.draw_without_rendering()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.x0 >= axes.x1
    assert legend.x1 <= ax.figure.bbox.x1
    assert legend.y0 >= ax.figure.bbox.y0


def test_63_looks_are_different():
    assert len({colour_and_marker(number) for number in range(63)}) == 63


def test_values_on_a_scale_are_colours():
    X = np.random.default_rng(0).normal(size=(9, 3))
    y = np.linspace(0.5, 2.5, 9)
    ax = embedding(X @ X.T, y)
    np.testing.assert_array_equal(ax.collections[0].get_array(), y)
    assert ax.get_legend() is None


@pytest.mark.parametrize("n", [1, 2, 5])
def test_graphs_that_are_all_alike_are_one_point(n):
    ax = embedding(np.ones((n, n)), ["a"] * n)
    np.testing.assert_array_equal(drawn_points(ax)["a"], np.zeros((n, 2)))
    assert "0.0 %" in ax.get_xlabel()


def test_without_classes_there_is_no_legend():
    assert embedding(np.eye(4)).get_legend() is None
