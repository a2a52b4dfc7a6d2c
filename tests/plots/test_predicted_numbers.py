"""The picture of predicted numbers against true ones."""

import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError


def test_points_lie_where_the_numbers_are():
    true, found = np.array([1.0, 2.0, 5.0]), np.array([1.5, 2.0, 9.0])
    ax = nask.plots.predicted(true, found)
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), np.column_stack([true, found]))
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_xlim()[0] < 1.0
    assert ax.get_ylim()[1] > 9.0
    assert list(ax.get_xticks()) == list(ax.get_yticks())


def test_what_is_written_may_be_said():
    ax = nask.plots.predicted([1.0, 2.0], [1.0, 2.5], errors={"R2": 0.5})
    assert ax.texts[0].get_text() == "R2 0.5"


@pytest.mark.parametrize(("true", "found"), [([], []), ([1.0], [1.0, 2.0]), ([1.0], [np.nan])])
def test_what_cannot_be_drawn_is_told(true, found):
    with pytest.raises(ParameterError):
        nask.plots.predicted(true, found)


def test_equal_numbers_and_many_points_are_drawn():
    nask.plots.predicted([2.0, 2.0], [2.0, 2.0])
    many = np.linspace(0, 1, 5000)
    ax = nask.plots.predicted(many, many)
    assert ax.collections[0].get_sizes()[0] == 5.0
