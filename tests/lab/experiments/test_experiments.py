"""Every experiment is a set of distinct cells that covers what the paper reports."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import nask
from nask.evaluation.results import read_results
from nask.exceptions import FormatError, ParameterError
from nask.lab.experiments.catalogue import NAMES, experiment
from nask.lab.experiments.evaluated import Evaluated, few
from nask.lab.experiments.experiment import Place, found
from nask.lab.experiments.paper import claims, mean_of
from nask.lab.experiments.robustness import PERTURBATIONS
from nask.lab.experiments.studied import StudiedFold
from nask.lab.experiments.timed import GramTime, TimedGram

WITH_TABLES = [name for name in NAMES if name not in ("depth", "robustness", "case-study")]
# The paper's Pokec is a cell only where its files are.
ABSENT = {"Pokec"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quick", [False, True])
def test_no_two_cells_are_the_same(name, quick):
    cells = experiment(name).cells(quick)
    places = [(cell.row, cell.column) for cell in cells]
    assert cells
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("name", NAMES)
def test_records_of_cells_are_apart(name):
    cells = [*experiment(name).cells(False), *experiment(name).cells(True)]
    files = [
        (own.folder, own.name, own.method)
        if isinstance(own, Evaluated)
        else (own.folder, own.row, own.column)
        for own in cells
    ]
    assert len(set(files)) == len(files)


@pytest.mark.parametrize("name", WITH_TABLES)
def test_what_the_paper_reports_is_a_cell(name):
    cells = {(cell.row, cell.column) for cell in experiment(name).cells(False)}
    missing = {own for own in set(claims(name)) - cells if own[1] not in ABSENT}
    assert not missing


@pytest.mark.parametrize(("name", "figures"), [("accuracy-categorical", 78), ("runtime", 42)])
def test_the_paper_has_so_many_figures(name, figures):
    assert len(claims(name)) == figures


def test_figures_of_the_paper_have_means():
    assert mean_of(claims("ablation")["random walk", "BZR"]) == 82.7
    assert mean_of(claims("accuracy-categorical")["gh", "DD"]) is None


def test_an_unknown_experiment_is_refused():
    with pytest.raises(ParameterError, match="Did you mean 'depth'"):
        experiment("dept")


@pytest.mark.parametrize("own", PERTURBATIONS, ids=lambda own: own.name)
def test_a_view_names_its_copies_as_records_do(own):
    data = nask.lab.make_planted(6, missing=0.0)
    view = own.view(0.2, 3)
    assert view.of(data).name == f"{data.name}~{view.name}"


def test_few_graphs_have_all_classes():
    mutag = nask.load_dataset("MUTAG")
    cut = few(mutag)
    assert sorted(np.unique(cut.y)) == sorted(np.unique(mutag.y))
    assert len(cut.graphs) == 20


def test_few_nodes_have_a_class():
    network = nask.lab.make_social_network(200)
    y = np.where(np.arange(200) % 3 == 0, -1, network.y)
    some = nask.NodeDataset("people", network.graph, y, [], [], [])
    cut = few(some)
    assert (cut.y >= 0).all()
    assert cut.graph.n_nodes == len(cut.y) == 10 * some.n_classes


@pytest.fixture(scope="module")
def cell():
    values = {"gamma": (1.0,), "gamma_star": (8.0,), "n_hops": (1, 2), "degree": (None,)}
    full = Evaluated("nask", "MUTAG", "MUTAG", "nask-svm", "here", values=values)
    return full.quick()


def test_a_cell_is_run_once(cell, tmp_path):
    place = Place(tmp_path)
    assert cell.find(place) is None
    result = cell.run(place)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jsonl")}
    assert cell.find(place) == result
    assert cell.run(place) == result
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jsonl")} == files
    assert (result.method, result.dataset, result.folds, result.repeats) == ("nask", "MUTAG", 2, 1)
    assert {record.parameters["gamma"] for record in result.records} == {1.0}


def test_records_of_too_few_repeats_are_not_enough(cell, tmp_path):
    cell.run(Place(tmp_path))
    assert replace(cell, repeats=2).find(Place(tmp_path)) is None


def test_a_time_is_found_again(tmp_path):
    own = TimedGram("nask", "MUTAG", "MUTAG", "nask", "runtime", {"n_hops": 1}).quick()
    assert own.find(Place(tmp_path)) is None
    time = own.run(Place(tmp_path))
    assert time.seconds > 0
    assert not time.timeout
    assert time.n_graphs == 20
    assert own.find(Place(tmp_path)) == time


def test_a_damaged_time_is_told(tmp_path):
    own = TimedGram("nask", "MUTAG", "MUTAG", "nask", "runtime")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "MUTAG--nask.json").write_text('{"time": {"seconds": "soon"}}')
    with pytest.raises(FormatError, match=r"no time of this Gram matrix: it has no field 'run'"):
        own.find(Place(tmp_path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": {"seconds": -1.0, "timeout": False, "n_graphs": 3}}, "'seconds': -1.0, expected"),
        ({"time": {"seconds": 1.0, "timeout": "no", "n_graphs": 3}}, "'timeout': 'no', expected"),
        ({"time": {"seconds": 1.0}}, "has no field 'timeout'"),
        ({"run": {"dataset": "DD", "method": "nask"}}, "is of {'dataset': 'DD', .*}, expected"),
        ({"more": 1}, "has a field 'more'"),
    ],
)
def test_a_time_that_cannot_be_right_is_refused(tmp_path, change, message):
    own = TimedGram("nask", "MUTAG", "MUTAG", "nask", "runtime")
    record = {
        "run": {"dataset": "MUTAG", "method": "nask"},
        "time": {"seconds": 1.5, "timeout": False, "n_graphs": 188},
        "environment": {},
    }
    path = tmp_path / "runtime" / "MUTAG--nask.json"
    path.parent.mkdir()
    path.write_text(json.dumps(record))
    assert own.find(Place(tmp_path)) == GramTime(1.5, False, 188)
    path.write_text(json.dumps({**record, **change}))
    with pytest.raises(FormatError, match=f"{message}.* Restore it"):
        own.find(Place(tmp_path))


def test_repeats_that_were_done_in_time_are_the_result(cell, tmp_path):
    """A method that is ended has those, and no other run would add to them."""
    cell.run(Place(tmp_path))
    more = replace(cell, repeats=2, limit=10.0)
    [path] = tmp_path.rglob("*.jsonl")
    for seconds, repeats in ((5.0, None), (10.0, 1)):
        with path.open("a") as file:
            file.write(json.dumps({"timeout": seconds}) + "\n")
        result = more.find(Place(tmp_path))
        assert (result and result.repeats) == repeats
    assert more.run(Place(tmp_path)) == result


def test_an_interrupted_time_is_measured_again(tmp_path, monkeypatch):
    """What was not measured is no timeout."""
    own = TimedGram("nask", "MUTAG", "MUTAG", "nask", "runtime").quick()

    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    with monkeypatch.context() as patch:
        patch.setattr("nask.lab.experiments.timed.run_within", interrupted)
        with pytest.raises(KeyboardInterrupt):
            own.run(Place(tmp_path))
    assert own.find(Place(tmp_path)) is None
    monkeypatch.setattr("nask.lab.experiments.timed.run_within", lambda *_: iter(()))
    assert own.run(Place(tmp_path)).timeout


def test_a_time_beyond_the_limit_is_at_least_so_many_times_that_of_nask():
    times = {
        ("nask", "MUTAG"): GramTime(2.0, False, 188),
        ("ml", "MUTAG"): GramTime(3600.0, True, 188),
    }
    text = experiment("runtime").report(times).text
    assert "| nask | 2.0 s<br>" in text
    assert "| ml | > 60 min (> 1800 x)<br>" in text


@pytest.mark.parametrize(
    ("method", "accuracy", "says"),
    [
        ("wl", 1.0, "No set for which the paper has a figure has complete records of NASK"),
        ("nask", 1.0, "reaches the paper's figure on MUTAG (+4.1)."),
        ("nask", 0.5, "on no set, and stays below it on MUTAG (-45.9)."),
    ],
)
def test_only_what_was_run_is_held_to_the_paper(cell, tmp_path, method, accuracy, says):
    result = cell.run(Place(tmp_path))
    records = tuple(replace(record, accuracy=accuracy) for record in result.records)
    own = replace(result, method=method, records=records)
    assert says in experiment("accuracy-categorical").report({(method, "MUTAG"): own}).text


def refused_where_it_cannot_be_right(own, place):
    [path] = place.folder.rglob("*.json")
    content = path.read_text()
    for part, change, message in (
        ("classes", [1], "not one probability for each graph that was tested and each class"),
        ("probabilities", lambda rows: [[0.9, 0.9], *rows[1:]], "do not add up to 1"),
        ("graphs", lambda graphs: [{**graphs[0], "probability": 0.99}], "own probabilities"),
        ("graphs", lambda graphs: [{**graphs[0], "shares": [1.0]}], "parts do not fit"),
        ("graphs", lambda graphs: [{**graphs[0], "edges": [[0, 1000]]}], "parts do not fit"),
        ("graphs", lambda graphs: [{"graph": 1}], "has no field 'truth'"),
    ):
        record = json.loads(content)
        record[part] = change(record[part]) if callable(change) else change
        path.write_text(json.dumps(record))
        with pytest.raises(FormatError, match=f"no study of a fold: it .*{message}"):
            own.find(place)
    path.write_text(content)


def test_a_study_is_found_again_as_it_was_made(cell, tmp_path):
    own = StudiedFold(replace(cell, folder="league"), "study")
    place = Place(tmp_path)
    assert own.find(place) is None
    study = own.run(place)
    assert own.find(place) == study
    refused_where_it_cannot_be_right(own, place)
    [evaluation] = read_results(tmp_path / "league")
    test = evaluation.records[0].test
    y = np.asarray(cell.data().y)
    assert study.truth == tuple(y[list(test)])
    np.testing.assert_allclose(np.sum(study.probabilities, axis=1), 1.0)
    likely = np.array(study.classes)[np.argmax(study.probabilities, axis=1)]
    assert study.graphs
    for graph in study.graphs:
        own_place = test.index(graph.graph)
        assert graph.truth == graph.predicted == likely[own_place] == study.truth[own_place]
        rivals = [
            max(each)
            for each, truth, guess in zip(study.probabilities, study.truth, likely, strict=True)
            if truth == guess == graph.truth
        ]
        assert graph.probability == max(rivals)
        n_neighbours = [sum(v in edge for edge in graph.edges) for v in range(len(graph.labels))]
        assert graph.core == n_neighbours.index(max(n_neighbours))
        assert len(graph.shares) == len(graph.labels)
        # What its nodes say for the class that was predicted is positive.
        assert sum(graph.shares) > 0


def test_a_fold_that_was_not_evaluated_in_time_is_told(tmp_path, monkeypatch):
    [cell] = experiment("case-study").cells(True)
    none = SimpleNamespace(records=())
    monkeypatch.setattr(Evaluated, "find", lambda self, place: none)
    with pytest.raises(ParameterError, match="NCI1~few was ended by its time limit"):
        cell.run(Place(tmp_path))


def test_nothing_is_found_where_nothing_was_run(tmp_path):
    assert found(experiment("ablation"), Place(tmp_path)) == {}
