"""Nested cross-validation: honest folds, Grams computed once."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import nask
from nask.evaluation.candidates import Candidate, candidates
from nask.evaluation.nested import nested_cross_validation
from nask.exceptions import ParameterError


def test_candidates_are_the_grams_of_their_parameters(mutag):
    graphs = mutag.graphs[:15]
    for candidate in candidates(graphs, {"gamma": [0.1, 1.0], "gamma_star": [4.0]}, n_hops=3):
        expected = nask.NASK(**candidate.parameters).fit_transform(graphs)
        np.testing.assert_allclose(candidate.gram, expected, rtol=1e-10)


def test_candidates_refuse_what_they_do_not_apply(mutag):
    with pytest.raises(ParameterError, match="cannot vary 'gram'"):
        list(candidates(mutag.graphs, {"gram": ["linear", "rbf"]}, n_hops=2))


def test_noise_scores_as_noise():
    """A kernel of pure noise must not beat chance, however many candidates there are."""
    rng = np.random.default_rng(0)
    n = 200
    y = np.repeat([0, 1], n // 2)
    noise = []
    for k in range(8):
        features = rng.normal(size=(n, 5))
        noise.append(Candidate({"k": k}, features @ features.T))
    result = nested_cross_validation(noise, y, folds=5, inner=3)
    assert abs(result.mean - 0.5) < 0.1


def test_a_kernel_that_knows_the_class_is_chosen():
    y = np.repeat([0, 1, 2], 12)
    truth = (y[:, None] == y[None, :]).astype(float)
    rng = np.random.default_rng(0)
    noise = [rng.normal(size=(36, 4)) for _ in range(3)]
    grams = [Candidate({"k": k}, f @ f.T) for k, f in enumerate(noise)] + [
        Candidate({"k": 3}, truth)
    ]
    result = nested_cross_validation(grams, y, folds=4, inner=3)
    assert result.mean == 1.0
    assert [fold.parameters["k"] for fold in result.folds] == [3] * 4


def test_the_test_fold_is_never_seen_by_the_choice(mutag):
    """Mixing up the graphs of a test fold changes its accuracy, never what was chosen for it."""
    grams = list(candidates(mutag.graphs, {"gamma": [0.1, 1.0]}, n_hops=2))
    honest = nested_cross_validation(grams, mutag.y, folds=4, inner=3)
    splits = StratifiedKFold(4, shuffle=True, random_state=0).split(mutag.y, mutag.y)
    _, test = next(iter(splits))
    mixed = np.arange(len(mutag.y))
    mixed[test] = np.random.default_rng(0).permutation(test)
    spoiled = [Candidate(c.parameters, c.gram[np.ix_(mixed, mixed)]) for c in grams]
    other = nested_cross_validation(spoiled, mutag.y, folds=4, inner=3)
    assert other.folds[0].parameters == honest.folds[0].parameters
    assert other.folds[0].inner_accuracy == honest.folds[0].inner_accuracy
    assert other.folds[0].accuracy != honest.folds[0].accuracy


def test_the_same_whatever_the_number_of_jobs(mutag):
    grams = list(candidates(mutag.graphs, {"gamma": [1.0]}, n_hops=2))
    one = nested_cross_validation(grams, mutag.y, folds=3, inner=2)
    two = nested_cross_validation(grams, mutag.y, folds=3, inner=2, n_jobs=2)
    assert one.folds == two.folds


def test_more_folds_than_graphs_of_a_class_is_an_error(cuneiform):
    with pytest.raises(ParameterError, match=r"smallest class has 8\. Use folds=8"):
        nested_cross_validation([Candidate({}, np.eye(267))], cuneiform.y)
