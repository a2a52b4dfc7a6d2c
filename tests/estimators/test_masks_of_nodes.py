"""Nodes are chosen by their positions, or by a mask with one True or False a node, everywhere."""

import numpy as np
import pandas as pd
import pytest
import torch

import nask
from nask.exceptions import ParameterError
from nask.lab.rivals.majority import MajorityNodeClassifier

NETWORK = nask.lab.make_social_network(80)
GRAPH, Y = NETWORK.graph, NETWORK.y
POSITIONS = NETWORK.train
MASK = np.isin(np.arange(80), POSITIONS)
NEW = ~MASK

MASKS = {
    "numpy": MASK,
    "list": MASK.tolist(),
    "tuple": tuple(MASK.tolist()),
    "torch": torch.from_numpy(MASK),
    "pandas": pd.Series(MASK),
    "nullable": pd.Series(MASK, dtype="boolean"),
    "objects": MASK.astype(object),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_a_mask_is_its_positions(mask):
    expected = nask.NASKNodeClassifier(n_hops=1).fit(GRAPH, Y, train=POSITIONS)
    model = nask.NASKNodeClassifier(n_hops=1).fit(GRAPH, Y, train=mask)
    np.testing.assert_array_equal(model.support_, expected.support_)
    for method in ("predict", "decision_function"):
        np.testing.assert_array_equal(
            getattr(model, method)(GRAPH, nodes=mask),
            getattr(expected, method)(GRAPH, nodes=POSITIONS),
        )
    assert model.score(GRAPH, Y, nodes=mask) == expected.score(GRAPH, Y, nodes=POSITIONS)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_a_mask_for_the_kernel(mask):
    kernel = nask.NodeNASK(n_hops=1).fit(GRAPH)
    np.testing.assert_array_equal(
        kernel.transform(GRAPH, nodes=mask), kernel.transform(GRAPH, nodes=POSITIONS)
    )


def test_masks_for_the_classifier_from_features():
    parameters = {"method": "features", "n_components": 64, "n_hops": 1}
    one = nask.NASKNodeClassifier(**parameters).fit(GRAPH, Y, POSITIONS)
    other = nask.NASKNodeClassifier(**parameters).fit(GRAPH, Y, MASK)
    np.testing.assert_array_equal(
        one.predict(GRAPH, np.flatnonzero(NEW)), other.predict(GRAPH, NEW)
    )


def test_masks_for_a_search():
    grid = {"gamma": [1.0], "n_hops": [1], "C": [1, 10]}
    validation = np.isin(np.arange(80), NETWORK.validation)
    one = nask.TunedNASKNodeClassifier(grid=grid)
    one.fit(GRAPH, Y, POSITIONS, NETWORK.validation)
    other = nask.TunedNASKNodeClassifier(grid=grid).fit(GRAPH, Y, MASK, validation)
    assert (one.best_params_, one.best_score_) == (other.best_params_, other.best_score_)
    assert one.score(GRAPH, Y, NETWORK.test) == other.score(
        GRAPH, Y, np.isin(np.arange(80), NETWORK.test)
    )


def test_masks_for_a_floor():
    model = MajorityNodeClassifier().fit(GRAPH, Y, MASK)
    assert len(model.predict(GRAPH, nodes=MASK)) == MASK.sum()


def test_masks_for_a_dataset():
    parts = {
        part: np.isin(np.arange(80), getattr(NETWORK, part))
        for part in ("train", "validation", "test")
    }
    masked = nask.NodeDataset("masked", GRAPH, Y, **parts)
    for part in parts:
        np.testing.assert_array_equal(getattr(masked, part), getattr(NETWORK, part))


def fit(train):
    return nask.NASKNodeClassifier(n_hops=1).fit(GRAPH, Y, train=train)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (MASK[:-1], "'train' is a mask of 79 values, but the graph has 80 nodes: expected one"),
        (MASK[None], "'train' must be positions of nodes, .* or a mask"),
        ([True, 2, 5], "'train' mixes True or False with positions"),
        (MASK.astype(int), r"'train' holds only 0 and 1, one per node.*\.astype\(bool\)"),
        (torch.from_numpy(MASK).long(), "'train' holds only 0 and 1, one per node"),
        (np.zeros(80, dtype=bool), "There are no nodes to learn from"),
        ([], "There are no nodes to learn from"),
        ([0.5, 1.0], "Got an array of float64"),
        ([-1], "Got -1"),
        (["a"], "'train' must be positions of nodes"),
    ],
)
def test_what_is_neither_a_mask_nor_positions(train, message):
    with pytest.raises(ParameterError, match=message):
        fit(train)


def test_positions_of_zero_and_one_are_positions():
    """A graph of two nodes has both, and a short list is no mask."""
    kernel = nask.NodeNASK(n_hops=1).fit(GRAPH)
    np.testing.assert_allclose(
        kernel.transform(GRAPH, nodes=[0, 1, 1]), kernel.transform(GRAPH)[[0, 1, 1]]
    )
    pair = nask.AttributedGraph(2, [(0, 1)], {"age": [1, 2]})
    assert nask.NodeNASK().fit(pair).transform(pair, nodes=[0, 1]).shape == (2, 2)


def test_no_nodes_have_no_score():
    model = fit(POSITIONS)
    assert len(model.predict(GRAPH, nodes=[])) == 0
    with pytest.raises(ParameterError, match="no nodes to score"):
        model.score(GRAPH, Y, nodes=[])
    with pytest.raises(ParameterError, match="no nodes to score"):
        model.score(GRAPH, np.full(80, -1))
