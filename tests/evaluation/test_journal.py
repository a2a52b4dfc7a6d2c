"""Files of results: every line is checked, and accuracies are counted from the predictions."""

import json
import re
import shutil
from pathlib import Path

import pytest

import nask
from nask.evaluation.journal import ACCURACIES, Journal
from nask.evaluation.methods import described, named_method
from nask.exceptions import FormatError
from nask.lab.rivals.majority import MajorityClassifier

RESULTS = Path(__file__).parents[2] / "results" / "svm"
PROTOCOL = {"folds": 3, "repeats": 2}


@pytest.fixture
def folder(tmp_path, mutag):
    """Results of six folds, the first of them in line 3."""
    nask.evaluate("majority", mutag, out=tmp_path, **PROTOCOL)
    return tmp_path


def lines_of(folder):
    [path] = folder.glob("*.jsonl")
    return path, [json.loads(line) for line in path.read_text().splitlines()]


def save(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def as_version_1(lines):
    """Lines as an earlier version wrote them."""
    first, *others = lines
    del first["version"]
    for line in others:
        line.pop("truth", None)


def test_the_figures_of_a_file_are_those_of_the_run(folder, mutag):
    path, lines = lines_of(folder)
    assert lines[0]["version"] == ACCURACIES == 2
    for line in lines[2:]:
        assert line["truth"] == mutag.y[line["test"]].tolist()
    content = path.read_bytes()
    found = nask.read_results(folder)
    assert found == [nask.evaluate("majority", mutag, out=folder, **PROTOCOL)]
    assert path.read_bytes() == content


def set_(name, value):
    return lambda line: line.update({name: value})


def drop(name):
    return lambda line: line.pop(name)


def change_a_prediction(line):
    line["predicted"][0] = -line["predicted"][0]


def lose_a_prediction(line):
    line["predicted"].pop()


def one_twice(line):
    line["test"][1] = line["test"][0]


def another_class(line):
    line["truth"][0] = line["predicted"][0] = 7


HARM = {
    "accuracy": (set_("accuracy", 0.75), r"has accuracy 0\.75, but \d+ of its 63 .* are right"),
    "accuracy of one more": (
        lambda line: line.update(accuracy=line["accuracy"] + 1 / 63),
        r"has accuracy .*, but \d+ of its 63 predictions are right",
    ),
    "accuracy of text": (set_("accuracy", "0.7"), r"has 'accuracy': '0\.7', expected a number"),
    "accuracy above 1": (set_("accuracy", 1.5), r"expected a number from 0 to 1"),
    "no accuracy": (drop("accuracy"), r"has no field 'accuracy'"),
    "no truth": (drop("truth"), r"has no field 'truth'"),
    "a new field": (set_("f1", 0.7), r"has a field 'f1', which no such line has"),
    "a prediction": (change_a_prediction, r"predictions are right"),
    "fewer predictions": (lose_a_prediction, r"has 63 tested, but 62 in 'predicted'"),
    "more truth": (lambda line: line["truth"].append(1), r"63 tested, but 64 in 'truth'"),
    "positions": (set_("test", [-1] * 63), r"expected a list of positions"),
    "one twice": (one_twice, r"tests the same twice"),
    "seconds": (set_("seconds_kernel", None), r"'seconds_kernel': None, expected a number"),
    "a fold too many": (set_("fold", 3), r"is of fold 3 of repeat 0, but the run has 3 folds"),
    "another's fold": (set_("fold", 1), r"is of fold 1 of repeat 0, which another line has"),
    "another's repeat": (set_("repeat", 1), r"is of fold 0 of repeat 1, which another line has"),
    "a class": (another_class, r"has a class 7, which the run has not"),
    "classes": (set_("predicted", [None] * 63), r"expected a list of classes"),
}


@pytest.mark.parametrize(("harm", "message"), HARM.values(), ids=HARM)
def test_a_fold_that_cannot_be_right_is_refused(folder, mutag, harm, message):
    path, lines = lines_of(folder)
    harm(lines[2])
    # Last, where an earlier line can have what it claims.
    lines.append(lines.pop(2))
    save(path, lines)
    content = path.read_bytes()
    place = rf"Line {len(lines)} of {re.escape(str(path))} .*{message}"
    remedy = r".* Restore it from a copy, or delete that line; .* computed again"
    for read in (nask.read_results, lambda out: nask.evaluate("majority", mutag, out=out)):
        with pytest.raises(FormatError, match=place + remedy):
            read(folder)
    assert path.read_bytes() == content
    # The remedy: without the line, the fold is done again.
    save(path, lines[:-1])
    again = nask.evaluate("majority", mutag, out=folder, **PROTOCOL)
    assert again.accuracy_mean == nask.evaluate("majority", mutag, **PROTOCOL).accuracy_mean


def test_two_folds_of_a_repeat_do_not_test_the_same(folder):
    path, lines = lines_of(folder)
    lines[2]["test"] = lines[3]["test"]
    save(path, lines)
    with pytest.raises(FormatError, match=r"Line 4 of .* fold 1 of repeat 0, and tests what anot"):
        nask.read_results(folder)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"pass": "0", "seconds": 1.0}, r"has 'pass': '0', expected an int"),
        ({"pass": 0, "seconds": -1.0}, r"has 'seconds': -1\.0, expected a number of 0 or more"),
        ({"pass": 0}, r"has no field 'seconds'"),
        ({"environment": 3}, r"has 'environment': 3, expected a mapping"),
        ({"timeout": True}, r"has 'timeout': True, expected a number"),
        ({"timeout": 3, "hours": 1}, r"has a field 'hours'"),
        ({}, r"has no field 'repeat'"),
        (3, r"is damaged"),
        ({"timeout": 10**400}, r"has 'timeout': 1000.*, expected a number"),
        ({"environment": json.loads("[" * 900 + "]" * 900)}, r"expected a mapping"),
    ],
)
def test_other_lines_are_checked_too(folder, line, message):
    path, lines = lines_of(folder)
    save(path, [*lines, line])
    with pytest.raises(FormatError, match=rf"Line 9 of .* {message}"):
        nask.read_results(folder)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda first: first["run"].update(folds=0), r"'folds': 0, expected an int of 1 or more"),
        (lambda first: first["run"].update(strict="no"), r"'strict': 'no', expected true or false"),
        (lambda first: first["run"].update(classes={"1": "63"}), r"expected a mapping of classes"),
        (lambda first: first["run"].pop("classes"), r"has no field 'classes'"),
        (lambda first: first["run"].update(metric="f1"), r"has a field 'metric'"),
        (lambda first: first.update(run=3), r"has 'run': 3, expected a mapping"),
        (lambda first: first.update(more=3), r"has a field 'more'"),
        (lambda first: first["run"].update(classes={}), r"expected a mapping of classes"),
        (lambda first: first["run"].update(folds=10**30), r"expected an int of 1 or more"),
        # The share of the largest class is told beside accuracies.
        (
            lambda first: first["run"].update(classes={"-1": 1, "1": 187}),
            r"188 items of sizes {'-1': 1, '1': 187}, and repeat 0 tested 188, of sizes",
        ),
        (lambda first: first["run"].update(classes={"-1": 63, "1": 126}), r"has 189 items"),
    ],
)
def test_the_first_line_is_checked_too(folder, harm, message):
    path, lines = lines_of(folder)
    harm(lines[0])
    save(path, lines)
    with pytest.raises(FormatError, match=rf"Line 1 of .* {message}.* delete the file to begin"):
        nask.read_results(folder)


@pytest.mark.parametrize("version", [0, 4, "2", None])
def test_records_of_another_version_are_refused(folder, version):
    path, lines = lines_of(folder)
    lines[0]["version"] = version
    save(path, lines)
    with pytest.raises(FormatError, match=r"records of version .*; this nask reads versions 1 to"):
        nask.read_results(folder)


def test_records_of_version_1_lack_the_truth_alone(folder, mutag):
    path, lines = lines_of(folder)
    as_version_1(lines)
    save(path, lines)
    expected = nask.evaluate("majority", mutag, **PROTOCOL)
    content = path.read_bytes()
    [found] = nask.read_results(folder)
    assert found.accuracy_mean == expected.accuracy_mean
    assert nask.evaluate("majority", mutag, out=folder, **PROTOCOL) == found
    assert path.read_bytes() == content
    # The rest of an unfinished file is of the new version, in a file of the old one.
    save(path, lines[:-1])
    again = nask.evaluate("majority", mutag, out=folder, **PROTOCOL)
    assert again.accuracy_mean == expected.accuracy_mean
    assert "truth" in lines_of(folder)[1][-1]
    assert nask.read_results(folder) == [again]


def test_an_accuracy_of_version_1_is_that_of_a_whole_number(folder, mutag):
    path, lines = lines_of(folder)
    as_version_1(lines)
    lines[4]["accuracy"] = 0.75
    save(path, lines)
    with pytest.raises(FormatError, match=r"Line 5 of .* 0\.75, which 62 predictions cannot have"):
        nask.read_results(folder)
    # One that could be is found out where the classes are at hand.
    lines[4]["accuracy"] = 31 / 62
    save(path, lines)
    assert len(nask.read_results(folder)) == 1
    with pytest.raises(FormatError, match=r"Fold 2 of repeat 0 in .* has accuracy 0\.5, but 4\d"):
        nask.evaluate("majority", mutag, out=folder, **PROTOCOL)


def test_a_model_may_predict_what_no_graph_is(tmp_path, mutag):
    class Strange(MajorityClassifier):
        def predict(self, X):
            return super().predict(X) + 5

    result = nask.evaluate(Strange(), mutag, out=tmp_path, **PROTOCOL)
    assert result.accuracy_mean == 0
    assert nask.read_results(tmp_path) == [result]


@pytest.mark.parametrize(("folder", "least"), [("svm", 90), ("accuracy", 40), ("nodes", 15)])
def test_all_results_of_the_project_can_be_read(folder, least):
    place = RESULTS.with_name(folder)
    journals = [Journal(path) for path in sorted(place.glob("*--*.jsonl"))]
    # Some may be of runs that go on.
    assert least <= len(nask.read_results(place)) <= len(journals)


def test_results_of_the_project_are_gone_on_from(tmp_path, mutag):
    """Those of a method that has not changed since; those of kernels are of an earlier search."""
    path = shutil.copy(RESULTS / "MUTAG--majority.jsonl", tmp_path)
    content = Path(path).read_bytes()
    found = nask.evaluate("majority", mutag, out=tmp_path)
    assert [found] == nask.read_results(tmp_path)
    assert Path(path).read_bytes() == content


@pytest.mark.parametrize("method", ["nask", "nask-svm", "wl"])
def test_a_search_is_described_as_in_the_results_of_the_project(method):
    """Or nobody could go on from them: parameters that came later must not change the hash."""
    path = RESULTS.parent / "league" / f"MUTAG--{method}.jsonl"
    run = json.loads(path.read_text(encoding="utf-8").splitlines()[0])["run"]
    assert described(named_method(method)) == run["model"]
