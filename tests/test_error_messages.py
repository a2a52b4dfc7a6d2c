"""Errors stay readable whatever the user's values are: long names, many values, numpy scalars."""

import numpy as np
import pandas as pd
import pytest

import nask
from nask.exceptions import NaskError, did_you_mean
from nask.io.converters.columns import split_vectors
from nask.messages import listed, quoted

LONG = "x" * 18_000
MANY = [f"name {i}" for i in range(3000)]
LONGEST_MESSAGE = 1000


def path_graph(**attributes):
    return nask.AttributedGraph(3, [(0, 1), (1, 2)], attributes)


def pair(**values):
    """Two graphs with one attribute each."""
    return [path_graph(**values), path_graph(**values)]


def in_training_and_new(train, new):
    return nask.NASK().fit([train]).transform([new])


def csv_folder(tmp_path, nodes, edges="graph,source,target\n", graphs=None):
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges)
    if graphs is not None:
        (tmp_path / "graphs.csv").write_text(graphs)
    return nask.io.read_tables(tmp_path)


def network_folder(tmp_path, nodes):
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text("source,target\n")
    return nask.io.read_network(tmp_path)


def tu_folder(tmp_path, **files):
    for name, text in {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", **files}.items():
        (tmp_path / f"DS_{name}.txt").write_text(text)
    return nask.io.read_tu(tmp_path)


def counterfactual_of(**options):
    graphs = [path_graph(**COLOURS), path_graph(colour=["blue", "blue", "blue"])]
    model = nask.NASKClassifier(probability=False).fit(graphs, ["a", "b"])
    return nask.counterfactual(model, graphs[0], **options)


COLOURS = {"colour": ["red", "blue", "red"]}
NODES = pd.DataFrame({"graph": [1, 1], "node": [LONG, "b"]})
EDGES = pd.DataFrame({"graph": [1], "source": [LONG], "target": ["c"]})
NETWORK = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], {"age": [1, 2, 3, 4]})

ERRORS = {
    "a value out of a parameter's range": lambda: nask.NASK(gamma=LONG).fit(pair(**COLOURS)),
    "many values out of range": lambda: nask.NASK(n_hops=list(range(9000))).fit(pair(**COLOURS)),
    "a numpy value out of range": lambda: nask.NASK(n_hops=np.int64(-2)).fit(pair(**COLOURS)),
    "an array out of range": lambda: nask.NASK(gamma=np.arange(9000.0)).fit(pair(**COLOURS)),
    "weights of no attribute": lambda: nask.NASK(attribute_weights={LONG: 1.0}).fit(
        pair(**{name: [1, 2, 3] for name in MANY})
    ),
    "an attribute that is not there": lambda: nask.AttributedGraph(
        1, node_attributes={name: [1] for name in MANY}, categorical=[LONG]
    ),
    "mixed values": lambda: path_graph(**{LONG: [LONG, 1, None]}),
    "a vector": lambda: path_graph(age=[list(range(9000)), 1, 2]),
    "no text": lambda: path_graph(age=[LONG, 1, 2]),
    "not a sequence": lambda: path_graph(age=LONG),
    "a table of attributes": lambda: nask.AttributedGraph(3, [], [LONG] * 500),
    "not a number of nodes": lambda: nask.AttributedGraph(list(range(9000))),
    "a numpy number of nodes": lambda: nask.AttributedGraph(np.float64(2.5)),
    "an edge": lambda: nask.AttributedGraph(3, [(0, LONG)]),
    "another kind in a new graph": lambda: in_training_and_new(
        path_graph(**{LONG: [1, 2, 3]}), path_graph(**{LONG: ["a", "b", "c"]})
    ),
    "two kinds": lambda: nask.NASK().fit(
        [path_graph(**{LONG: [1, 2, 3]}), path_graph(**{LONG: ["a", "b", "c"]})]
    ),
    "classes in a regression": lambda: nask.NASKRegressor().fit(pair(**COLOURS), [LONG, "b"]),
    "one class": lambda: nask.NASKClassifier().fit(pair(**COLOURS), [LONG, LONG]),
    "a weight of no class": lambda: nask.NASKClassifier(class_weight={LONG: 1.0}).fit(
        pair(**COLOURS) * 3000, MANY * 2
    ),
    "a numpy weight of no class": lambda: nask.NASKClassifier(class_weight={np.int64(2): 1.0}).fit(
        pair(**COLOURS), [0, 1]
    ),
    "a grid of no parameter": lambda: nask.TunedNASKClassifier(grid={LONG: [1]}).fit(
        pair(**COLOURS), [0, 1]
    ),
    "a grid without a list": lambda: nask.TunedNASKClassifier(grid={"gamma": LONG}).fit(
        pair(**COLOURS) * 2, [0, 1] * 2
    ),
    "no such grid": lambda: nask.TunedNASKClassifier(grid=LONG).fit(
        pair(**COLOURS) * 2, [0, 1] * 2
    ),
    "no grid": lambda: nask.TunedNASKClassifier(grid=[MANY]).fit(pair(**COLOURS) * 2, [0, 1] * 2),
    "a class of validation only": lambda: nask.TunedNASKNodeClassifier().fit(
        NETWORK, ["a", "b", "a", LONG], train=[0, 1, 2], validation=[3]
    ),
    "a numpy class of validation only": lambda: nask.TunedNASKNodeClassifier().fit(
        NETWORK, np.array([0, 1, 0, 2]), train=[0, 1, 2], validation=[3]
    ),
    "no such method": lambda: nask.evaluate(LONG, "MUTAG"),
    "no such split": lambda: nask.evaluate("nask", "MUTAG", split=LONG),
    "numpy folds": lambda: nask.evaluate("nask", "MUTAG", folds=np.int64(1)),
    "no such reference": lambda: nask.compare([], reference=LONG),
    "an id twice": lambda: nask.io.from_frames(
        pd.DataFrame({"graph": [LONG, LONG], "node": [LONG, LONG]}), EDGES
    ),
    "an edge of no graph": lambda: nask.io.from_frames(
        NODES, pd.DataFrame({"graph": [LONG], "source": ["b"], "target": ["b"]})
    ),
    "an edge of no node": lambda: nask.io.from_frames(NODES, EDGES),
    "a numpy id": lambda: nask.io.from_frames(
        pd.DataFrame({"graph": np.array([1, 1]), "node": np.array([2, 2])}),
        pd.DataFrame({"graph": [1], "source": [2], "target": [2]}),
    ),
    "no such column": lambda: nask.io.from_frames(NODES, EDGES, node=LONG),
    "vectors of several lengths": lambda: split_vectors(
        {LONG: [(1, 2), list(range(9000))]}, [f"node {LONG}", "node 1"]
    ),
    "a name to keep": lambda: counterfactual_of(keep=[LONG]),
    "a name of values": lambda: counterfactual_of(values={LONG: [1]}),
    "values that are none": lambda: counterfactual_of(values={"colour": LONG}),
    "no category": lambda: counterfactual_of(values={"colour": [MANY]}),
    "no such target": lambda: counterfactual_of(target=LONG),
    "a numpy budget": lambda: counterfactual_of(budget=np.float64(2.5)),
    "no SMILES": lambda: nask.io.from_smiles("C(" + "C" * 9000),
}
FILES = {
    "a column of graphs.csv": lambda place: csv_folder(
        place, "graph,node\n1,a\n", graphs=f"graph,{LONG}\n1,2\n"
    ),
    "a class of a network": lambda place: network_folder(place, f"node,y\na,{LONG}\nb,2\n"),
    "a mask of a network": lambda place: network_folder(place, f"node,test_mask\na,{LONG}\n"),
    "a column of nodes.csv": lambda place: csv_folder(place, ",".join(MANY) + "\n"),
    "two columns of a name": lambda place: csv_folder(place, f"{LONG},{LONG}\n"),
    "numbers and text": lambda place: csv_folder(place, f"graph,node,{LONG}\n1,a,{LONG}\n1,b,2\n"),
    "a graph without a line": lambda place: csv_folder(
        place, f"graph,node\n{LONG},a\n", graphs="graph,y\n1,2\n"
    ),
    "a graph twice": lambda place: csv_folder(
        place, f"graph,node\n{LONG},a\n", graphs=f"graph,y\n{LONG},2\n{LONG},2\n"
    ),
    "a line that is no number": lambda place: tu_folder(place, node_attributes=f"{LONG}\n1\n"),
    "a line of many columns": lambda place: tu_folder(place, A="1, 2\n" + "1," * 9000 + "1\n"),
    "an infinite line": lambda place: tu_folder(
        place, node_attributes=("inf," * 9000 + "1\n") + ("1," * 9000 + "1\n")
    ),
}


def check(message):
    assert len(message) <= LONGEST_MESSAGE, f"{len(message)} characters: {message[:300]}"
    assert "np." not in message, message
    assert "array(" not in message, message


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_messages_are_short_and_plain(error):
    with pytest.raises((NaskError, ValueError)) as caught:
        error()
    assert isinstance(caught.value, NaskError)
    check(str(caught.value))


@pytest.mark.parametrize("error", FILES.values(), ids=FILES)
def test_messages_on_files_are_short_and_plain(error, tmp_path):
    with pytest.raises(NaskError) as caught:
        error(tmp_path)
    check(str(caught.value))


def test_what_is_short_is_quoted_as_it_is():
    assert quoted("age") == "'age'"
    assert quoted([1, "a", None]) == "[1, 'a', None]"
    assert quoted(("a",)) == "('a',)"
    assert quoted({"gamma": 0.5}) == "{'gamma': 0.5}"


def test_numpy_values_are_quoted_as_plain_ones():
    assert quoted(np.int64(2)) == "2"
    assert quoted(np.float64(0.5)) == "0.5"
    assert quoted(np.str_("a")) == "'a'"
    assert quoted([np.int64(2), (np.float64(0.5), np.bool_(True))]) == "[2, (0.5, True)]"
    assert quoted({np.str_("a"): np.int64(1)}) == "{'a': 1}"
    assert quoted(np.array([1, 2])) == "[1, 2]"


def test_long_values_are_quoted_by_their_beginning_and_their_size():
    assert quoted(LONG).endswith("...' (18000 characters)")
    assert quoted(list(range(9000))) == "[0, 1, 2, 3, 4, ... (9000 in all)]"
    assert quoted(np.zeros((90, 100))) == "an array of float64 of shape (90, 100)"
    assert len(quoted([LONG] * 9000)) < 300
    assert len(quoted({LONG: [LONG] * 9000})) < 300
    assert len(quoted([[[[LONG] * 10] * 10] * 10] * 10)) < 300


def test_a_value_on_several_lines_is_quoted_on_one():
    table = pd.DataFrame({"a": range(100)})
    assert "\n" not in quoted(table)
    assert len(quoted(table)) < 300


class WithoutRepr:
    def __repr__(self):
        raise RuntimeError


def test_a_value_that_cannot_be_written_is_no_error_of_its_own():
    assert quoted(WithoutRepr()) == "an object of type WithoutRepr"
    assert quoted([10**5000]) == "[an integer of more than 4300 digits]"


def test_a_list_of_names_is_whole_as_long_as_it_is_short():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed([]) == "none"
    assert listed(np.array([1, 2])) == "1, 2"
    names = listed(MANY)
    assert names.startswith("'name 0', 'name 1', ")
    assert names.endswith("... (3000 in all)")
    assert len(names) < 400


def test_a_hint_is_short_whatever_the_names_are():
    assert len(did_you_mean("y", MANY)) < 400
    assert len(did_you_mean(LONG, [LONG + "y"])) < 300
