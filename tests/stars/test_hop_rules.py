"""The rules of a hop against the options that they come from."""

import numpy as np
import pytest

import nask
from nask.stars.hop_rules import HopRules, star_floor


def spec(**options):
    graph = nask.AttributedGraph(3, [(0, 1)], {"x": [0.0, 0.5, 1.0], "c": ["a", "b", "a"]})
    return nask.NASK(n_hops=3, gamma_star=4.0, **options).fit([graph]).fitted_.graphs.spec


@pytest.mark.parametrize("gamma_star", [1e-3, 1.0, 16.0, 600.0])
def test_the_floor_of_stars(gamma_star):
    assert star_floor(gamma_star) == pytest.approx(np.exp(-gamma_star), rel=5e-16)


def test_without_pruning_cores_are_as_they_are():
    for h in range(3):
        rules = HopRules.of(spec(), h, 0.25)
        assert (rules.core_floor, rules.core_scale) == (0.0, 1.0)
        assert (rules.gamma_star, rules.star_norm) == (4.0, True)


@pytest.mark.parametrize("expansion", ["nested", "ball"])
def test_pruned_cores_go_from_0_to_1(expansion):
    least = np.exp(-1.0)  # gamma is 1, and both attributes differ entirely
    for h in range(3):
        rules = HopRules.of(spec(expansion=expansion, prune_cores=True), h, least)
        floor = np.exp(-4.0) if h and expansion == "nested" else least
        for P in (floor, 0.9, 1.0):
            pruned = (P - rules.core_floor) * rules.core_scale
            assert pruned == pytest.approx((P - floor) / (1 - floor), rel=1e-12, abs=1e-15)


def test_alike_stars_matter_where_hops_magnify_rounding():
    assert not HopRules.of(spec(), 0, 0.0).guarded
    sharp = spec()
    sharp = type(sharp)(**{**vars(sharp), "gamma_star": 1e10})
    rules = [HopRules.of(sharp, h, 0.0) for h in range(3)]
    assert all(rule.guarded for rule in rules)
    # After the last hop nothing magnifies its errors.
    assert [rule.watched for rule in rules] == [True, True, False]
