"""Colours of numbers for and against."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask.plots.signed_scale import SignedScale, sign_colours, signed, text_colours

# Machado, Oliveira and Fernandes (2009), severity 1: how a colour looks, in linear RGB.
COLOUR_VISIONS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_colours_depend_on_the_share_of_the_limit_alone(values):
    values = np.array(values)
    scale, larger = SignedScale.of([values]), SignedScale.of([8 * values])
    np.testing.assert_array_equal(scale.colours(values), larger.colours(8 * values))
    assert scale.limit == (np.abs(values).max() or 1.0)
    assert scale.ticks() == [-tick for tick in scale.ticks()[::-1]]


@pytest.mark.parametrize("vision", COLOUR_VISIONS)
def test_for_and_against_differ_with_any_colour_vision(vision):
    def seen(colours):
        return np.clip(colours[:, :3] ** 2.2 @ np.transpose(COLOUR_VISIONS[vision]), 0, 1) ** (
            1 / 2.2
        )

    amounts = np.array([0.3, 0.6, 1.0])
    scale = SignedScale(1.0)
    for positive, negative in [
        (scale.colours(amounts), scale.colours(-amounts)),
        (sign_colours(amounts), sign_colours(-amounts)),
    ]:
        assert np.abs(seen(positive) - seen(negative)).max(axis=1).min() > 0.12


def test_text_has_contrast_on_every_colour():
    fills = SignedScale(1.0).colours(np.linspace(-1, 1, 101))
    for fill, text in zip(fills, text_colours(fills), strict=True):
        light = _luminance(fill[:3])
        other = 1.0 if text == "white" else _luminance(np.full(3, 0x20 / 255))
        lighter, darker = max(light, other), min(light, other)
        # The contrast that WCAG asks of large text, and more.
        assert (lighter + 0.05) / (darker + 0.05) > 3.5


def _luminance(colour):
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@given(st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-9))
def test_numbers_keep_their_sign_and_size(amount):
    assert float(signed(amount)) == pytest.approx(amount, rel=0.006)
    assert signed(amount)[0] == ("-" if amount < 0 else "+")
