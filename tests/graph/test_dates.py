"""Dates are the same numbers from every source."""

import datetime

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.exceptions import FormatError, GraphError
from nask.graph.attribute import Attribute
from nask.graph.dates import date_of, iso_text
from nask.io import from_frames, from_networkx, read_network, read_tables

DATES = ["2020-02-29", "1969-12-31", None]
TIMES = ["2020-02-29T12:30:00.123456", "1969-12-31 23:59", None]
ZONED = ["2020-02-29T12:30:00+02:00", "2020-02-29T10:30:00Z", None]


def days(text):
    """The definition, from Python's own calendar."""
    moment = datetime.datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return since / datetime.timedelta(days=1)


def sources(values):
    """The same values in every form in which they may come."""
    objects = [None if value is None else date_of(value) for value in values]
    zoned = any(getattr(value, "tzinfo", None) for value in objects)
    yield objects
    yield pd.Series(pd.to_datetime(pd.Series(values), utc=zoned, format="ISO8601"))
    yield pd.Series(objects, dtype=object)
    if zoned:
        yield pl.Series([o and o.astimezone(datetime.UTC) for o in objects])
    else:
        yield np.array([value or "NaT" for value in values], dtype="datetime64[us]")
        yield [np.datetime64(value or "NaT", "ns") for value in values]
        moments = [o and datetime.datetime.fromisoformat(o.isoformat()) for o in objects]
        yield pl.Series(moments)
        if values is DATES:
            yield pl.Series(objects)


@pytest.mark.parametrize("values", [DATES, TIMES, ZONED])
def test_every_source_gives_the_same_numbers(values, tmp_path):
    expected = [None if value is None else days(value) for value in values]
    for source in sources(values):
        attribute = Attribute.from_values(source)
        assert (attribute.kind, attribute.dates) == ("numerical", True)
        assert attribute.values() == expected
    rows = "".join(f"1,{k},{value or ''}\n" for k, value in enumerate(values))
    (tmp_path / "nodes.csv").write_text(f"graph,node,born\n{rows}")
    (tmp_path / "edges.csv").write_text("graph,source,target\n")
    [read] = read_tables(tmp_path).graphs
    assert read.node_attributes["born"].values() == expected
    assert read.node_attributes["born"].dates


def test_models_predict_the_same_from_tables_dataframes_and_networkx(tmp_path):
    born = [f"19{60 + 3 * k % 40}-0{1 + k % 9}-11" for k in range(12)]
    y = ["old" if date < "1980" else "young" for date in born]
    rows = "".join(
        f"{k},{date},{label}\n" for k, (date, label) in enumerate(zip(born, y, strict=True))
    )
    (tmp_path / "nodes.csv").write_text(f"node,born,y\n{rows}")
    (tmp_path / "edges.csv").write_text(
        "source,target\n" + "".join(f"{k},{k + 1}\n" for k in range(11))
    )
    data = read_network(tmp_path)
    model = nask.NASKNodeClassifier(n_hops=1).fit(data.graph, data.y)
    nodes = pd.DataFrame({"node": range(12), "born": pd.to_datetime(born)})
    edges = pd.DataFrame({"source": range(11), "target": range(1, 12)})
    path = nx.path_graph(12)
    nx.set_node_attributes(path, dict(enumerate(map(datetime.date.fromisoformat, born))), "born")
    for other in (*from_frames(nodes, edges, graph=None), from_networkx(path)):
        assert other == data.graph
        np.testing.assert_array_equal(
            model.decision_function(other), model.decision_function(data.graph)
        )


def test_networkx_keeps_times_of_numpy_whole():
    graph = nx.Graph()
    graph.add_node("a", at=np.datetime64("2020-02-29T12:00", "ns"))
    assert from_networkx(graph).node_attributes["at"].values() == [days("2020-02-29T12:00")]


def test_times_with_and_without_a_zone_are_not_mixed(tmp_path):
    zoned, plain = map(date_of, ("2020-01-01T10:00Z", "2020-01-01"))
    message = "mixes times with and without a time zone: .* at node 2, .* at node 1. Give"
    with pytest.raises(GraphError, match=message):
        nask.AttributedGraph(3, [], {"born": [None, plain, zoned]})
    (tmp_path / "nodes.csv").write_text("node,born\na,2020-01-01 10:00\nb,\nc,2020-01-01 10:00Z\n")
    (tmp_path / "edges.csv").write_text("source,target\n")
    with pytest.raises(FormatError, match=r"column 'born' of nodes.csv mixes .* line 4, .* line 2"):
        read_network(tmp_path)


def test_dates_beside_text_are_text_and_beside_numbers_an_error(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n")
    for other in ("unknown", "2021-02-30", "2020-1-1"):
        (tmp_path / "nodes.csv").write_text(f"node,born\na,2020-01-01\nb,{other}\n")
        born = read_network(tmp_path).graph.node_attributes["born"]
        assert born.values() == ["2020-01-01", other]
    (tmp_path / "nodes.csv").write_text("node,born\na,2020-01-01\nb,2020\n")
    with pytest.raises(FormatError, match="mixes numbers and text"):
        read_network(tmp_path)
    with pytest.raises(GraphError, match="mixes numbers and other values"):
        Attribute.from_values([date_of("2020-01-01"), 3])


def test_declared_categories_are_text_that_a_model_file_can_hold():
    day = "2020-01-01"
    for source in ([date_of(day), None], np.array([day, "NaT"], "datetime64[ns]")):
        attribute = Attribute.from_values(source, kind="categorical")
        assert attribute.values() == [day, None]


@given(st.datetimes(timezones=st.none() | st.timezones()))
def test_any_moment_comes_back(moment):
    [value] = Attribute.from_values([moment]).values()
    assert value == pytest.approx(days(moment.isoformat()), abs=1e-9)
    assert iso_text(moment.date()) == moment.date().isoformat()
