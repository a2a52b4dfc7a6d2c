"""What is written into nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.plots.node_labels import (
    CHARACTER_WIDTH,
    LARGEST_FONT,
    MOST_VALUES,
    SMALLEST_FONT,
    fitted,
    node_texts,
)


def graph(**attributes):
    return nask.AttributedGraph(3, [], attributes)


@pytest.mark.parametrize(
    ("attributes", "labels", "texts"),
    [
        ({"age": [1, 2, 3], "element": ["C", "N", None]}, True, ["C", "N", ""]),
        ({"aromatic": [True, False, True], "element": ["C", "N", "O"]}, True, ["C", "N", "O"]),
        ({"first": ["a", "b", "c"], "second": ["x", "y", "z"]}, True, ["a", "b", "c"]),
        ({"age": [1, 2, None]}, True, None),
        ({"aromatic": [True, False, True]}, True, None),
        ({"empty": [None, None, None]}, True, None),
        ({}, True, None),
        ({"age": [1, 2, None]}, "age", ["1.0", "2.0", ""]),
        ({"element": ["C", "N", "O"]}, [7, None, "x"], ["7", "", "x"]),
        ({"element": ["C", "N", "O"]}, False, None),
        ({"element": ["C", "N", "O"]}, None, None),
    ],
)
def test_which_attribute_is_written(attributes, labels, texts):
    assert node_texts(graph(**attributes), labels) == texts


def test_an_attribute_of_many_values_is_not_written_unless_it_is_named():
    names = [f"name {number}" for number in range(MOST_VALUES + 1)]
    people = nask.AttributedGraph(len(names), [], {"name": names})
    assert node_texts(people, True) is None
    assert node_texts(people, "name") == names


@given(st.lists(st.text("abc", max_size=30), min_size=1, max_size=5), st.floats(1, 200))
def test_what_is_written_fits_and_is_the_beginning_of_its_label(texts, width):
    shown, font = fitted(texts, width)
    assert SMALLEST_FONT <= font <= LARGEST_FONT
    if not shown:
        assert width < 4 * CHARACTER_WIDTH * SMALLEST_FONT
        return
    for text, label in zip(shown, texts, strict=True):
        assert label.startswith(text.removesuffix("…"))
        assert text == label or text.endswith("…")
        assert CHARACTER_WIDTH * font * len(text) <= width


def test_labels_are_not_cut_if_a_smaller_font_would_do():
    assert fitted(["abcd"], 24.0)[0] == ["abcd"]
    assert fitted(["abcd"], 24.0)[1] < fitted(["ab"], 24.0)[1]
