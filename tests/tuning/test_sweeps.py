"""A grid cut into passes gives the Grams of its settings, each once."""

import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError
from nask.learning.ridge import ALPHAS
from nask.tuning.grid import GRIDS
from nask.tuning.sweeps import PENALTIES, star_sweeps

GRID = {
    "gamma": [0.1, 1.0],
    "gamma_star": [4.0, 16.0],
    "n_hops": [1, 3],
    "normalize": [True, False],
    "gram": ["linear", "rbf"],
    "gram_scale": [1.0, 3.0],
}


def test_each_candidate_has_the_gram_of_its_parameters(mutag):
    graphs = mutag.graphs[:15]
    for sweep in star_sweeps(nask.NASK(), GRID):
        stack = sweep.compute(graphs)
        for candidate in sweep.candidates:
            expected = nask.NASK(**candidate.parameters).fit_transform(graphs)
            np.testing.assert_allclose(sweep.gram(stack, candidate), expected, rtol=1e-9)


def test_hop_weights_are_a_matter_of_form(mutag):
    graphs = mutag.graphs[:10]
    grid = {"n_hops": [2], "hop_weights": [[1.0, 2.0], [3.0, 0.0]]}
    [sweep] = star_sweeps(nask.NASK(), grid)
    stack = sweep.compute(graphs)
    for candidate in sweep.candidates:
        expected = nask.NASK(**candidate.parameters).fit_transform(graphs)
        np.testing.assert_allclose(sweep.gram(stack, candidate), expected, rtol=1e-9)


def test_what_makes_no_difference_is_tried_once():
    sweeps = star_sweeps(nask.NASK(), GRID)
    assert len(sweeps) == 4  # gamma x gamma_star: the rest comes from the same passes
    tried = [repr(candidate.parameters) for s in sweeps for candidate in s.candidates]
    assert len(tried) == len(set(tried))
    # 2 gammas x (1 hop + 3 hops x 2 gamma_stars) x 2 normalize x (linear + 2 rbf)
    assert len(tried) == 2 * 3 * 2 * 3
    for sweep in sweeps:
        for candidate in sweep.candidates:
            assert ("gram_scale" in candidate.parameters) == (candidate.form["gram"] == "rbf")
            assert ("gamma_star" in candidate.parameters) == (candidate.form["n_hops"] > 1)


def test_parameters_that_a_variant_does_not_look_at_are_tried_once(mutag):
    grid = {
        "similarity": ["gower", "one-hot"],
        "expansion": ["nested", "walk"],
        "gamma": [0.5, 2.0],
        "gamma_star": [4.0, 16.0],
        "n_hops": [2],
    }
    sweeps = star_sweeps(nask.NASK(), grid)
    tried = [candidate.parameters for sweep in sweeps for candidate in sweep.candidates]
    # Gower: 2 gammas x (2 gamma_stars of stars + walks); one-hot: no gamma.
    assert len(tried) == 2 * (2 + 1) + (2 + 1)
    assert all(("gamma" in own) == (own["similarity"] == "gower") for own in tried)
    assert all(("gamma_star" in own) == (own["expansion"] == "nested") for own in tried)
    graphs = mutag.graphs[:6]
    for ignored in ({"gamma": 3.0}, {"gamma_star": 3.0}):
        options = {"similarity": "one-hot", "expansion": "walk", "n_hops": 2}
        np.testing.assert_array_equal(
            nask.NASK(**options, **ignored).fit_transform(graphs),
            nask.NASK(**options).fit_transform(graphs),
        )


def test_the_grid_overrides_and_the_base_gives_the_rest():
    base = nask.NASK(expansion="ball", gamma=7.0)
    given = {"C": (5.0,), "alpha": (0.2,), "multiclass": ("ovo",)}
    [sweep] = star_sweeps(base, {"n_hops": [2]}, **given)
    assert sweep.parameters["expansion"] == "ball"
    assert sweep.parameters["gamma"] == 7.0
    [candidate] = sweep.candidates
    assert (candidate.C, candidate.alpha, candidate.multiclass) == ((5.0,), (0.2,), ("ovo",))
    varied = {"C": [3.0], "alpha": [0.5, 0.1], "multiclass": ["ovr"]}
    [candidate] = star_sweeps(base, varied, **given)[0].candidates
    assert (candidate.C, candidate.alpha, candidate.multiclass) == ((3.0,), (0.1, 0.5), ("ovr",))


def test_learners_have_values_of_their_own_where_nothing_is_said():
    [candidate] = star_sweeps(nask.NASK(), {"n_hops": [2]})[0].candidates
    assert candidate.C == PENALTIES
    assert candidate.alpha == ALPHAS
    assert candidate.multiclass == ("ovr", "ovo")


def test_penalties_are_sorted_and_joined_over_parts():
    parts = [{"n_hops": [1], "C": [10.0, 1.0]}, {"n_hops": [1], "C": [100.0]}]
    [sweep] = star_sweeps(nask.NASK(), parts)
    assert sweep.candidates[0].C == (1.0, 10.0, 100.0)


def test_numbers_of_numpy_become_plain_ones():
    [sweep] = star_sweeps(nask.NASK(), {"n_hops": np.arange(1, 3), "C": np.array([1.0])})
    assert [type(c.parameters["n_hops"]) for c in sweep.candidates] == [int, int]
    assert type(sweep.candidates[0].C[0]) is float


@pytest.mark.parametrize("name", GRIDS)
def test_named_grids_are_valid(name):
    search = nask.TunedNASKNodeClassifier if name == "nodes" else nask.TunedNASKClassifier
    assert search(grid=name).sweeps()


def test_the_grid_for_nodes_is_for_nodes_alone():
    with pytest.raises(ParameterError, match="varies 'restart', which is no parameter"):
        nask.TunedNASKClassifier(grid="nodes").sweeps()


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"gama": [1.0]}, "Did you mean 'gamma'"),
        ({"gamma": 1.0}, "expected a list of values"),
        ({"gamma": []}, "expected a list of values"),
        ({"gram": "rbf"}, "expected a list of values"),
        ({"gamma": [-1.0]}, "'gamma' parameter of NASK must be"),
        ({"C": [0.0]}, "'C' parameter of TunedNASKClassifier must be"),
        ({"C": ["x"]}, "'C' parameter of TunedNASKClassifier must be"),
        ({"alpha": [0.1, -1.0]}, "'alpha' parameter of TunedNASKClassifier must be"),
        ({"multiclass": ["ova"]}, "'multiclass' parameter of .* one of 'ovr', 'ovo'"),
        ([3], "a dict of lists by parameter"),
    ],
)
def test_mistakes_in_a_grid(grid, message):
    with pytest.raises(ParameterError, match=message):
        star_sweeps(nask.NASK(), grid)


def test_some_graphs_are_compared_as_among_all():
    """With the ranges of all, though no other graph is prepared."""
    graphs = [nask.AttributedGraph(2, [(0, 1)], {"x": [k, 2.0 * k]}) for k in range(9)]
    items = np.array([4, 1, 2])
    [sweep] = star_sweeps(nask.NASK(), {"n_hops": [3]})
    [some] = sweep.compute_all([sweep], graphs, items)
    whole = sweep.compute(graphs)
    np.testing.assert_allclose(some, whole[:, items[:, None], items], rtol=1e-12)
    # Among these three alone, numbers have another range.
    alone = sweep.compute([graphs[item] for item in items])
    assert not np.allclose(alone, some, rtol=1e-2)
