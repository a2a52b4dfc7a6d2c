"""Bars of shares: which are shown, and where their numbers are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask.plots.share_bars import draw_bars, loudest
from nask.plots.style import new_figure


@given(st.lists(st.floats(-1e3, 1e3), max_size=20), st.integers(2, 12))
def test_nothing_is_lost_and_the_loudest_are_named(shares, most):
    names = [f"name {number}" for number in range(len(shares))]
    shown, kept = loudest(names, np.array(shares), most)
    assert len(shown) == len(kept) == min(len(shares), most)
    assert sum(kept) == pytest.approx(sum(shares), abs=1e-6)
    own = dict(zip(names, shares, strict=True))
    named = [name for name in shown if name in own]
    assert len(named) >= min(len(shares), most - 1)
    quietest = min((abs(own[name]) for name in named), default=0)
    assert all(abs(share) <= quietest for name, share in own.items() if name not in named)


@pytest.mark.parametrize(
    "shares", [[1.0, -0.5, 0.25], [-1.0, -2.0], [3.0], [0.0, 0.0], [1e-9, 5e-10], [1e9, -1e9], []]
)
def test_numbers_lie_within_the_axes_and_beside_their_bars(shares):
    ax = new_figure(4, 2).add_subplot()
    draw_bars(ax, [f"bar {number}" for number in range(len(shares))], np.array(shares), "Bars")
    ax.figure.draw_without_rendering()
    inside = ax.get_window_extent()
    for text, bar in zip(ax.texts, ax.patches, strict=bool(shares)):
        box, patch = text.get_window_extent(), bar.get_window_extent()
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert box.x0 >= patch.x1 or box.x1 <= patch.x0
    if shares:
        assert ax.get_xlim()[0] <= 0 <= ax.get_xlim()[1]
        # The first bar is the uppermost.
        assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_bars_for_and_against_have_two_colours():
    ax = new_figure(4, 2).add_subplot()
    draw_bars(ax, ["a", "b", "c"], np.array([1.0, -1.0, 2.0]), "Bars")
    one, other, third = (bar.get_facecolor() for bar in ax.patches)
    assert one == third != other
