"""New graphs beside those of training: what only one side has is told, once, and by name."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import nask
from nask.exceptions import (
    AbsentAttributeWarning,
    SchemaError,
    UnseenAttributeWarning,
)
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema


def people(n, node=("age", "region"), edge=("since",), edges=True):
    """A path of n people with some of the attributes."""
    values = {"age": list(range(20, 20 + n)), "region": ["Kosice", "Zilina"] * n, "income": [1] * n}
    listed = [(k, k + 1) for k in range(n - 1)] if edges else []
    return nask.AttributedGraph(
        n,
        listed,
        {name: values[name][:n] for name in node},
        {name: list(range(len(listed))) for name in edge},
    )


TRAIN = [people(n) for n in (2, 3, 4, 3)]
NETWORK = people(12)
Y = np.array([0, 1] * 6)


def models():
    """Each way to new graphs: a name, and a function of a list of them."""
    kernel = nask.NASK(n_hops=1).fit(TRAIN)
    features = nask.NASKFeatures(n_components=64, n_hops=1).fit(TRAIN)
    by_features = nask.NASKNodeClassifier(n_hops=1, method="features", n_components=64)
    return {
        "NASK": kernel.transform,
        "NASK call": kernel,
        "NASK diag": kernel.diag,
        "NASKClassifier": nask.NASKClassifier(n_hops=1).fit(TRAIN, [0, 1, 0, 1]).predict,
        "NASKRegressor": nask.NASKRegressor(n_hops=1).fit(TRAIN, [0.0, 1, 2, 1]).predict,
        "NASKFeatures": features.transform,
        "stream": lambda graphs: list(features.stream(iter(graphs))),
        "NodeNASK": lambda graphs: nask.NodeNASK(n_hops=1).fit(NETWORK).transform(graphs[0]),
        "NASKNodeClassifier": lambda graphs: nask.NASKNodeClassifier(n_hops=1, method="exact")
        .fit(NETWORK, Y).predict(graphs[0]),
        "nodes by features": lambda graphs: by_features.fit(NETWORK, Y).predict(graphs[0]),
    }  # fmt: skip


MODELS = models()


def told(call, graphs):
    """The warnings of a call, each category and its text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(graphs)
    return [(warning.category, str(warning.message)) for warning in caught]


@pytest.mark.parametrize("model", MODELS)
def test_an_attribute_of_training_that_no_new_graph_has_is_told_once(model):
    predict = MODELS[model]
    assert told(predict, [people(5)]) == []
    for graph, what in (
        (people(5, node=["region"]), "node attribute 'age'"),
        (people(5, edge=[]), "edge attribute 'since'"),
    ):
        found = told(predict, [graph])
        assert [category for category, _ in found] == [AbsentAttributeWarning]
        assert f"The {what} of the training graphs is in none of these graphs" in found[0][1]


@pytest.mark.parametrize("model", MODELS)
def test_graphs_that_share_no_attribute_with_training_are_an_error(model):
    names = "node attribute 'age', node attribute 'region', edge attribute 'since'"
    for graph, given in (
        (people(3, node=[], edge=[]), "no attributes"),
        (people(3, node=["income"], edge=[]), "node attribute 'income'"),
    ):
        message = rf"none of the attributes .*\({names}\).* They have: {given}\."
        with pytest.raises(SchemaError, match=message):
            MODELS[model]([graph])


@pytest.mark.parametrize("model", [name for name in MODELS if "ode" not in name])
def test_one_graph_of_the_list_that_has_it_is_enough(model):
    graphs = [people(3, edge=[]), people(2), people(4, node=[], edge=[]), people(0, node=[])]
    assert told(MODELS[model], graphs) == []


@pytest.mark.parametrize(
    "graphs",
    [
        [people(3, edge=[], edges=False)],
        [people(1)],
        [people(0)],
        [people(0, node=[], edge=[])],
        [people(2), people(0, node=[], edge=[])],
        [nask.AttributedGraph(1, (), {"age": [None], "region": [None]})],
    ],
    ids=["no edges", "one node", "no nodes", "nothing", "one empty", "all values missing"],
)  # fmt: skip
def test_what_has_no_place_is_not_absent(graphs):
    assert told(MODELS["NASK"], graphs) == []


def test_training_graphs_without_attributes_compare_with_any():
    kernel = nask.NASK(n_hops=1).fit([people(3, node=[], edge=[])])
    assert told(kernel.transform, [people(3, node=[], edge=[])]) == []
    found = told(kernel.transform, [people(3, edge=[])])
    assert {category for category, _ in found} == {UnseenAttributeWarning}


def test_an_attribute_without_a_value_in_training_is_not_asked_for():
    blank = nask.AttributedGraph(2, (), {"age": [1, 2], "x": [None, None]})
    kernel = nask.NASK(n_hops=1).fit([blank])
    assert told(kernel.transform, [people(2, node=["age"], edge=[])]) == []


def test_the_degree_is_no_attribute_that_graphs_share():
    kernel = nask.NASK(n_hops=1, degree="numerical").fit([people(3, edge=[])])
    assert told(kernel.transform, [people(2, edge=[])]) == []
    with pytest.raises(SchemaError, match=r"\(node attribute 'age', node attribute 'region'\)"):
        kernel.transform([people(2, node=[], edge=[])])


def test_node_features_are_shared():
    train, new = (
        nask.AttributedGraph(2, (), attributes, node_features=np.eye(2))
        for attributes in ({"age": [1, 2]}, {})
    )
    found = told(nask.NASK(n_hops=1).fit([train]).transform, [new])
    assert [category for category, _ in found] == [AbsentAttributeWarning]


def test_many_attributes_are_told_in_one_warning():
    """Of those that are new, and of those that are gone; few are told one by one."""

    def graph(names):
        return nask.AttributedGraph(1, (), {"x": [1], **{name: [1] for name in names}})

    for n, n_told in ((3, 3), (4, 1), (30, 1)):
        names = [f"a{k}" for k in range(n)]
        for train, new, kind in (
            ([], names, UnseenAttributeWarning),
            (names, [], AbsentAttributeWarning),
        ):
            found = told(nask.NASK(n_hops=1).fit([graph(train)]).transform, [graph(new)])
            assert [category for category, _ in found] == [kind] * n_told
            assert "node attribute 'a0'" in found[0][1]
            assert ("and 25 more" in found[0][1]) == (n == 30)


def test_many_attributes_are_not_all_listed():
    train = nask.AttributedGraph(1, (), {f"a{k}": [1] for k in range(40)})
    with pytest.raises(SchemaError, match=r"'a4' and 35 more\)"):
        GraphBatch.encode([nask.AttributedGraph(1)], Schema.fit([train]))


def test_a_part_of_the_graphs_may_lack_what_others_have():
    """Three thousand graphs are several batches to NASKFeatures, and some lack everything."""
    bare, full = people(4, node=[], edge=[]), people(4)
    graphs = [bare] * 1500 + [full] + [bare] * 1500
    features = nask.NASKFeatures(n_components=1024, n_hops=1).fit(graphs)
    rows = features.transform(graphs)
    assert told(features.transform, graphs) == []
    assert len(features._work.batches(np.full(len(graphs), 4))) > 1
    np.testing.assert_array_equal(rows[1500:1501], features.transform([full]))
    assert len(features.fit_transform(graphs)) == len(graphs)


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_a_graph_of_a_stream_goes_by_its_place_in_the_stream(batch_size):
    import networkx as nx

    features = nask.NASKFeatures(n_components=64, n_hops=1).fit(TRAIN)
    text = nask.AttributedGraph(1, (), {"age": ["old"], "region": ["Kosice"]})
    odd = nx.DiGraph([(0, 1)])
    for item, message in (
        (text, "numerical in the training|categorical in graph 7, but was numerical"),
        (5, "Item 7 is not a graph"),
        (odd, "Graph 7: The graph is directed"),
        (nask.AttributedGraph(1, (), {"age": [1]}, node_features=np.eye(1)), "Graph 7 has 1 col"),
    ):
        stream = features.stream(iter([*[people(3)] * 7, item]), batch_size=batch_size)
        with pytest.raises((ValueError, TypeError), match=message):
            list(stream)


def test_a_stream_names_the_first_graph_with_an_unseen_attribute_by_its_place():
    features = nask.NASKFeatures(n_components=64, n_hops=1).fit(TRAIN)
    new = people(3, node=["age", "region", "income"])
    found = told(lambda graphs: list(features.stream(iter(graphs), 4)), [*[people(3)] * 6, new])
    assert [re.findall(r"'income' of graph (\d+)", text) for _, text in found] == [["6"]]


def test_evaluation_tells_nothing_of_parts_of_a_set(tmp_path):
    """One graph in eight has the attribute 'rare', so most folds to test on have it nowhere."""
    graphs = [
        nask.AttributedGraph(
            n := 2 + k % 3, [(0, 1)], {"x": [k % 2] * n, **({"rare": [1] * n} if k == 1 else {})}
        )
        for k in range(24)
    ]
    data = nask.Dataset("sparse", graphs, np.arange(24) % 2)
    grid = {"gamma": [1.0], "n_hops": [1], "C": [1.0]}
    model = nask.TunedNASKClassifier(grid=grid)
    assert told(lambda d: nask.evaluate(model, d, folds=4, repeats=1, inner=2), data) == []


def test_rivals_tell_it_too():
    from nask.lab.rivals.kernels.attributes_only import AttributesOnlyClassifier

    model = AttributesOnlyClassifier().fit(TRAIN, [0, 1, 0, 1])
    assert len(told(model.predict, [people(5, node=["region"])])) == 1
    with pytest.raises(SchemaError, match="none of the attributes"):
        model.predict([people(5, node=[], edge=[])])


def test_a_partition_of_a_store_may_lack_what_others_have(tmp_path):
    pytest.importorskip("zarr")
    bare, full = people(4, node=[], edge=[]), people(4)
    features = nask.NASKFeatures(n_components=64, n_hops=1).fit(TRAIN)

    def write(graphs):
        return nask.write_features(features, graphs, tmp_path / f"{len(graphs)}.zarr", chunk=2)

    assert told(write, [bare, bare, full]) == []
    np.testing.assert_array_equal(write([bare, bare, full])[2:], features.transform([full]))
    with pytest.raises(SchemaError, match="none of the attributes"):
        write([bare, bare])
