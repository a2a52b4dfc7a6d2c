"""Shrinking scores: no change without noise, better choices with it."""

from itertools import product

import numpy as np
import pytest

from nask.tuning.shrinkage import shrunk_scores

VALUES = {"a": (1, 2, 3, 4), "b": ("x", "y", None), "c": (0.1, 1.0, 10.0)}
SETTINGS = [dict(zip(VALUES, values, strict=True)) for values in product(*VALUES.values())]


def additive_truth(rng, spread):
    effects = {name: dict.fromkeys(values, 0.0) for name, values in VALUES.items()}
    for values in effects.values():
        for value in values:
            values[value] = rng.normal(scale=spread)
    return np.array([sum(effects[n][v] for n, v in s.items()) for s in SETTINGS])


def test_without_noise_the_scores_stay():
    scores = np.random.default_rng(0).uniform(size=len(SETTINGS))
    np.testing.assert_allclose(shrunk_scores(scores, 0.0, SETTINGS), scores)


def test_noise_alone_leaves_the_model_alone():
    """Much noise: settings that differ in one value differ by the same amount everywhere."""
    scores = np.random.default_rng(0).uniform(size=len(SETTINGS))
    cube = shrunk_scores(scores, 1e6, SETTINGS).reshape(4, 3, 3)
    np.testing.assert_allclose(np.ptp(cube[1] - cube[0]), 0, atol=1e-12)


@pytest.mark.parametrize("interaction", [0.0, 0.005])
def test_the_choice_is_better_than_the_luckiest(interaction):
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(200):
        truth = additive_truth(rng, 0.01) + rng.normal(scale=interaction, size=len(SETTINGS))
        noise = 0.03
        scores = truth + rng.normal(scale=noise, size=len(SETTINGS))
        chosen = shrunk_scores(scores, noise**2, SETTINGS).argmax()
        gains.append(truth[chosen] - truth[scores.argmax()])
    assert np.mean(gains) > 2 * np.std(gains) / np.sqrt(len(gains))


def test_a_sharp_peak_that_is_no_noise_is_kept():
    scores = np.full(len(SETTINGS), 0.7)
    scores[17] = 0.95
    assert shrunk_scores(scores, 1e-4, SETTINGS).argmax() == 17


def test_one_setting_and_equal_scores():
    assert shrunk_scores(np.array([0.5]), 0.01, [{"C": 1}]) == [0.5]
    np.testing.assert_allclose(shrunk_scores(np.full(3, 0.5), 0.0, [{"C": c} for c in "abc"]), 0.5)
