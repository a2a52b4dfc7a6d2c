"""Columns of pandas, polars and torch as the values of an attribute."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from nask import AttributedGraph
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        (pd.Series([1, None, 2], dtype="Int64"), "numerical", [1.0, None, 2.0]),
        (pd.Series([1, None, 2], dtype="Float64"), "numerical", [1.0, None, 2.0]),
        (pd.array([1, None, 2]), "numerical", [1.0, None, 2.0]),
        (pd.Series([True, None], dtype="boolean"), "categorical", [True, None]),
        (pd.Series(["a", pd.NA], dtype="string"), "categorical", ["a", None]),
        (pd.Series(["a", None]), "categorical", ["a", None]),
        (pd.Series(["a", None], dtype="category"), "categorical", ["a", None]),
        (pd.Series([3, 4], dtype="category"), "categorical", [3, 4]),
        (pd.Categorical(["a", None]), "categorical", ["a", None]),
        (pd.Series([("a", 1), None], dtype=object), "categorical", [("a", 1), None]),
        (pl.Series([1, None]), "numerical", [1.0, None]),
        (pl.Series([1.5, None, float("nan")]), "numerical", [1.5, None, None]),
        (pl.Series([Decimal("1.5"), None]), "numerical", [1.5, None]),
        (pl.Series([True, None]), "categorical", [True, None]),
        (pl.Series(["a", None]), "categorical", ["a", None]),
        (pl.Series(["a", None], dtype=pl.Categorical), "categorical", ["a", None]),
        (pl.Series(["a", None], dtype=pl.Enum(["a", "b"])), "categorical", ["a", None]),
        (torch.tensor([1, 2]), "numerical", [1.0, 2.0]),
        (torch.tensor([True, False]), "categorical", [True, False]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_columns(column, kind, values):
    graph = AttributedGraph(len(values), node_attributes={"x": column})
    attribute = graph.node_attributes["x"]
    assert (attribute.kind, attribute.values()) == (kind, values)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series([None, None], dtype="Int64"), "numerical"),
        (pd.Series([None, None], dtype="boolean"), "categorical"),
        (pd.Series([None, None], dtype="string"), "categorical"),
        (pd.Series([None, None], dtype="category"), "categorical"),
        (pl.Series([None, None], dtype=pl.Int32), "numerical"),
        (pl.Series([None, None], dtype=pl.String), "categorical"),
        (pl.Series([None, None], dtype=pl.Boolean), "categorical"),
        (pl.Series([None, None], dtype=pl.Enum(["a"])), "categorical"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_the_dtype_settles_the_kind_where_all_is_missing(column, kind):
    assert Attribute.from_values(column).kind == kind


def test_a_forced_kind_wins_over_the_dtype():
    assert Attribute.from_values(pd.Series([1, 2]), kind="categorical").categories == (1, 2)
    category = pd.Series([3, 4], dtype="category")
    assert Attribute.from_values(category, kind="numerical").values() == [3.0, 4.0]


def test_integer_categories_stay_integers_beside_a_missing_one():
    column = pd.Series(pd.Categorical([3, None, 4]))
    categories = Attribute.from_values(column).categories
    assert categories == (3, 4)
    assert [type(category) for category in categories] == [int, int]


def test_columns_that_are_neither_are_refused():
    for column in (pd.Series(pd.to_timedelta(["1 day"])), pl.Series([{"a": 1}])):
        with pytest.raises(GraphError):
            Attribute.from_values(column)


def test_the_column_is_not_frozen():
    array = np.array([1.0, 2.0])
    tensor = torch.tensor([1.0, 2.0], dtype=torch.float64)
    attributes = Attribute.from_values(array), Attribute.from_values(tensor)
    array[0] = tensor[0] = 9
    assert [a.values() for a in attributes] == [[1.0, 2.0]] * 2


def test_masked_values_are_missing():
    masked = np.ma.array([1.0, 2.0, 5.0], mask=[False, True, False])
    assert Attribute.from_values(masked).values() == [1.0, None, 5.0]
    assert not isinstance(Attribute.from_values(masked).data, np.ma.MaskedArray)
    words = np.ma.array(["a", "b"], mask=[True, False])
    assert Attribute.from_values(words).values() == [None, "b"]
    assert Attribute.from_values([1.0, np.ma.masked]).values() == [1.0, None]
