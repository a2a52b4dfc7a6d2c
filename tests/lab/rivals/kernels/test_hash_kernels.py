"""What HGK-WL, SWWL and RetGK have in common."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from mixed_graphs import permuted, random_graphs
from nask.exceptions import ParameterError
from nask.lab.rivals.catalogue import rival
from nask.lab.rivals.kernels.hgk_wl import HGKWL
from nask.lab.rivals.kernels.retgk import RetGK
from nask.lab.rivals.kernels.swwl import SWWL

KERNELS = [
    HGKWL(),
    HGKWL(normalize=False, n_iter=1),
    SWWL(),
    SWWL(categorical=True, n_iter=0),
    RetGK(),
    RetGK(p=2, gamma=0.25, self_loops=False),
]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@every_kernel
def test_symmetric_and_positive_semidefinite(kernel):
    gram = clone(kernel).fit_transform(random_graphs(25, seed=1))
    assert (gram == gram.T).all()
    values = np.linalg.eigvalsh(gram)
    assert values[0] > -1e-8 * values[-1]
    assert np.ptp(gram) > 0.1


@every_kernel
def test_the_order_of_nodes_does_not_matter(kernel):
    graphs = random_graphs(12, seed=2)
    draw = np.random.default_rng(0)
    again = [permuted(graph, draw) for graph in graphs]
    expected = clone(kernel).fit_transform(graphs)
    np.testing.assert_allclose(clone(kernel).fit_transform(again), expected, atol=1e-9)
    np.testing.assert_allclose(clone(kernel).fit(graphs).transform(again), expected, atol=1e-9)


@every_kernel
def test_a_copy_and_the_seed_and_threads(kernel):
    graphs = random_graphs(12, seed=4)
    expected = clone(kernel).fit_transform(graphs)
    fitted = clone(kernel).fit(graphs)
    np.testing.assert_array_equal(fitted.finish(fitted.compare()), expected)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.transform(graphs[:3]), fitted.transform(graphs[:3]))
    if hasattr(kernel, "n_jobs"):
        threaded = clone(kernel).set_params(n_jobs=2).fit_transform(graphs)
        np.testing.assert_array_equal(threaded, expected)
    if not isinstance(kernel, RetGK):
        other = clone(kernel).set_params(random_state=1).fit_transform(graphs)
        assert (other != expected).any()


@pytest.mark.parametrize(
    "kernel",
    [
        HGKWL(n_iter=-1),
        HGKWL(n_hashes=0),
        HGKWL(width=0.0),
        SWWL(n_iter=1.5),
        SWWL(n_quantiles=0),
        SWWL(gamma=-1.0),
        RetGK(n_steps=0),
        RetGK(p=3),
        RetGK(gamma=0.0),
    ],
    ids=repr,
)
def test_parameters_out_of_range(kernel):
    with pytest.raises(ParameterError, match=f"parameter of {type(kernel).__name__} must be"):
        kernel.fit_transform(random_graphs(4, seed=1))


@pytest.mark.parametrize("name", ["hgk-wl", "swwl", "retgk"])
def test_classifiers_learn(mutag, name):
    model = rival(name).set_params(learner="svm").fit(mutag.graphs[::2], mutag.y[::2])
    known = model.best_estimator_.kernel_.get_params(deep=False)
    chosen = {key: v for key, v in model.best_params_.items() if key not in ("C", "learner")}
    grid = model.default_grid
    assert {*chosen} in [{*part} for part in (grid if isinstance(grid, list) else [grid])]
    assert chosen == {key: known[key] for key in chosen}
    assert model.best_params_["learner"] == "svm"
    assert model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75
