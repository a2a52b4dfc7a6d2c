"""P from raw values, written down once more without the library's schema, batch or weights.

A graph of one node is one star of one member, so with everything unnormalised K = P(v, v')^2.
"""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nask
from nask.exceptions import AbsentAttributeWarning, UnseenAttributeWarning
from strategies import FAR_NUMBERS, LETTERS, MORE_LETTERS, NUMBERS

GAMMA = {"x": 0.5, "letter": 3.0}
WEIGHTS = {"x": 2.0, "y": 0.25}


def nodes(numbers, letters):
    """One node: its attributes by name, absent, missing (None) or with a value."""
    columns = {"x": numbers, "y": numbers, "letter": letters}
    return st.fixed_dictionaries({}, optional={k: st.none() | v for k, v in columns.items()})


def expected_p(train, a, b):
    names = list(dict.fromkeys(name for node in train for name in node))
    if not names:
        return 1.0
    weights = [WEIGHTS.get(name, 1.0) for name in names]
    total = 0.0
    for name, weight in zip(names, weights, strict=True):
        seen = [node[name] for node in train if node.get(name) is not None]
        x, y = a.get(name), b.get(name)
        if not seen or x is None or y is None:
            s = 0.0
        elif name == "letter":
            s = 1.0 if x == y else 0.0
        else:
            spread = max(seen) - min(seen)
            s = max(0.0, 1 - abs(x - y) / spread) if spread > 0 else 1.0
        total += weight / sum(weights) * math.exp(-GAMMA.get(name, 1.0) * (1 - s))
    return total


@pytest.mark.parametrize("engine", ["reference", "pairwise", "distinct"])
@settings(max_examples=100)
@given(
    train=st.lists(nodes(NUMBERS, LETTERS), min_size=1, max_size=5),
    new=st.lists(nodes(FAR_NUMBERS, MORE_LETTERS), min_size=1, max_size=4),
)
def test_single_nodes_compare_by_their_raw_values(engine, train, new):
    def graph(node):
        attributes = {name: [value] for name, value in node.items()}
        return nask.AttributedGraph(1, node_attributes=attributes)

    known = {name for node in train for name in node}
    kernel = nask.NASK(
        n_hops=1,
        star_norm=False,
        normalize=False,
        engine=engine,
        gamma={name: value for name, value in GAMMA.items() if name in known},
        attribute_weights={name: value for name, value in WEIGHTS.items() if name in known},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        K = kernel.fit([graph(node) for node in train])([graph(node) for node in [*train, *new]])
    expected = [[expected_p(train, a, b) ** 2 for b in [*train, *new]] for a in [*train, *new]]
    # Values far apart lose digits when they are scaled to the training range.
    np.testing.assert_allclose(K, expected, rtol=1e-6)
