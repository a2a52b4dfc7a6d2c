"""Curves by the number of hops are what was measured."""

import numpy as np
import pytest

from nask.exceptions import ParameterError
from nask.plots import DepthCurve, depth


def test_curves_are_drawn_in_the_order_of_hops():
    curves = [
        DepthCurve("NCI1", [3, 1], [0.85, 0.81], [3.0, 0.5], spread=[0.01, 0.02]),
        DepthCurve("BZR", [2], [0.7], [20.0]),
    ]
    left, right = depth(curves).axes
    assert right.get_yscale() == "log"
    np.testing.assert_allclose(right.lines[0].get_xydata(), [[1, 0.5], [3, 3.0]])
    first, second = (line for line in left.lines if line.get_label() in ("NCI1", "BZR"))
    np.testing.assert_allclose(first.get_ydata(), [81, 85])
    # Beside each other, so that bars do not overlap.
    np.testing.assert_allclose(first.get_xdata(), [0.975, 2.975])
    np.testing.assert_allclose(second.get_xdata(), [2.025])
    [bars] = left.containers
    np.testing.assert_allclose(
        [s[:, 1] for s in bars.lines[2][0].get_segments()], [[79, 83], [84, 86]]
    )
    assert left.get_xticks().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        (DepthCurve("A", [1], [0.5], [0.0]), "seconds of 'A' must be positive"),
        (DepthCurve("A", [1, 2], [0.5], [1.0, 1.0]), "one of accuracy for each"),
        (DepthCurve("A", [], [], []), "for each of its hops"),
        (DepthCurve("A", [1], [0.5], [1.0], spread=[0.1, 0.2]), "one of spread"),
    ],
)
def test_what_is_no_curve_is_told(curve, message):
    with pytest.raises(ParameterError, match=message):
        depth([curve])


def test_no_curves_are_no_figure():
    with pytest.raises(ParameterError, match="no curves to draw"):
        depth([])
