"""``nask fit`` and ``nask predict`` on a network of one's own."""

import csv
import io

import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A ring of twenty people, half of each class, some of them unknown."""
    place = tmp_path_factory.mktemp("data") / "people"
    place.mkdir()
    rows = [
        (f"p{k}", 20 + k, "" if k % 5 == 4 else ("young", "old")[k >= 10], k % 5 < 2, k % 5 == 2)
        for k in range(20)
    ]
    header = "node,age,club,train_mask,test_mask"
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    (place / "nodes.csv").write_text("\n".join(lines) + "\n")
    edges = [f"p{k},p{(k + 1) % 20}" for k in range(20)]
    (place / "edges.csv").write_text("\n".join(["source,target", *edges]) + "\n")
    return place


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_learns_from_the_train_mask_and_predict_tells_the_unknown(invoke, folder, tmp_path):
    file, target = tmp_path / "m.nask", ("--target", "club")
    told = invoke("fit", folder, "--model", file, *target, "--hops", 1)
    assert "on 8 of 20 nodes, the nodes of train_mask" in told.output
    assert "old (4), young (4)" in told.output
    data = nask.load_dataset(folder, y="club")
    model = nask.NASKNodeClassifier(n_hops=1, probability=True).fit(data.graph, data.y, data.train)

    found = invoke("predict", file, folder, *target)
    rows = rows_of(found.stdout)
    assert [row["node"] for row in rows] == ["p4", "p9", "p14", "p19"]
    assert [row["prediction"] for row in rows] == model.predict(data.graph, ~data.known).tolist()
    assert "Accuracy" not in found.stderr

    found = invoke("predict", file, folder, *target, "--nodes", "all", "--proba")
    rows = rows_of(found.stdout)
    assert [row["prediction"] for row in rows] == model.predict(data.graph).tolist()
    np.testing.assert_allclose(
        [float(row["probability_old"]) for row in rows], model.predict_proba(data.graph)[:, 0]
    )
    assert "of 8 nodes with a class that the model did not learn from" in found.stderr
    found = invoke("predict", file, folder, *target, "--nodes", "test")
    assert "of 4 nodes with a class)" in found.stderr

    rows = rows_of(invoke("predict", file, folder, *target, "--coverage", 0.7).stdout)
    sets = model.predict_set(data.graph, ~data.known, coverage=0.7)
    assert [row["set"] for row in rows] == ["|".join(model.classes_[own]) for own in sets]
    with pytest.raises(ParameterError, match="it is a model of nodes"):
        invoke("predict", file, folder, *target, "--applicability")


def test_a_model_knows_the_kinds_and_the_target_of_its_columns(invoke, tmp_path):
    """Also for new data without that target, and with other numbers as codes."""
    old, new = tmp_path / "old", tmp_path / "new"
    for place, codes, extra in ((old, "1234", ",club"), (new, "3579", "")):
        place.mkdir()
        clubs = ["", ""] if not extra else [",a", ",b"]
        rows = [f"p{k},{codes[k % 4]},x{clubs[k % 2]}" for k in range(8)]
        (place / "nodes.csv").write_text("\n".join([f"node,job,town{extra}", *rows]) + "\n")
        (place / "edges.csv").write_text("source,target\np0,p1\np1,p2\n")
    file = tmp_path / "m.nask"
    invoke("fit", old, "--model", file, "--target", "club", "--categorical", "job")
    assert rows_of(invoke("predict", file, old, "--nodes", "all").stdout)[1]["prediction"] == "b"
    rows = rows_of(invoke("predict", file, new).stdout)
    data = nask.load_dataset(new, categorical=["job"])
    expected = nask.load(file).predict(data.graph).tolist()
    assert [row["prediction"] for row in rows] == expected
    assert nask.load_dataset(new).graph.node_attributes["job"].kind == "numerical"


def test_tuned(invoke, folder, tmp_path, monkeypatch):
    grid = ({"n_hops": [1, 2], "gamma": [1.0]},)
    monkeypatch.setattr("nask.tuning.grid.named_grid", lambda name: grid)
    monkeypatch.setattr("nask.tuning.tuned.named_grid", lambda name: grid)
    file = tmp_path / "m.nask"
    told = invoke("fit", folder, "--model", file, "--target", "club", "--tune")
    assert "by leave-one-out" in told.output
    rows = rows_of(invoke("predict", file, folder, "--target", "club").stdout)
    assert len(rows) == 4


def test_models_and_data_that_do_not_fit(invoke, folder, tmp_path):
    of_nodes, of_graphs = tmp_path / "n.nask", tmp_path / "g.nask"
    invoke("fit", folder, "--model", of_nodes, "--target", "club")
    mutag = nask.load_dataset("MUTAG")
    nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:30], mutag.y[:30]).save(of_graphs)
    with pytest.raises(ParameterError, match="model of nodes, but MUTAG is a set of graphs"):
        invoke("predict", of_nodes, "MUTAG")
    with pytest.raises(ParameterError, match="model of graphs, but people is one network"):
        invoke("predict", of_graphs, folder)
    with pytest.raises(ParameterError, match=r"no nodes for --nodes validation"):
        invoke("predict", of_nodes, folder, "--target", "club", "--nodes", "validation")
    with pytest.raises(ParameterError, match=r"no classes to learn: expected a column y"):
        invoke("fit", folder, "--model", of_nodes)
    with pytest.raises(ParameterError, match="whose nodes are classified"):
        invoke("fit", folder, "--model", of_nodes, "--target", "club", "--task", "regress")


def test_evaluate_by_folds_and_by_the_masks(invoke, folder, tmp_path):
    common = ("--target", "club", "--out", tmp_path, "--no-pictures", "--try", "n_hops=1")
    invoke("evaluate", folder, *common, "--folds", 2)
    invoke("evaluate", folder, *common, "--split", "public")
    names = {result.dataset: result for result in nask.read_results(tmp_path)}
    assert sorted(names) == ["people", "people@public"]
    assert names["people"].n_items == 16
    assert len(names["people@public"].records[0].test) == 4
    assert set(names["people"].records[0].truth) == {"young", "old"}
