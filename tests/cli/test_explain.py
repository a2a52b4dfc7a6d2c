"""``nask explain``: tables whose shares add up to decisions, drawings, and edits that flip."""

import csv
import json

import numpy as np
import pytest

import nask
from nask.exceptions import FileWriteError, ModelFileError, ParameterError
from nask.explain.background import above_background

CHOSEN = [3, 17, 50]


@pytest.fixture(scope="module")
def model():
    mutag = nask.load_dataset("MUTAG")
    return nask.NASKClassifier(n_hops=2).fit(mutag.graphs[::2], mutag.y[::2])


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.nask"
    model.save(path)
    return path


@pytest.fixture
def explain(invoke, saved, tmp_path):
    """Run the command on some graphs; returns the folder and what was printed."""

    def run(*arguments, model=saved, dataset="MUTAG"):
        out = tmp_path / "out"
        result = invoke("explain", model, dataset, "--out", out, *arguments)
        return out, result

    return run


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def names(numbers):
    return ",".join(map(str, numbers))


def test_shares_add_up_to_the_decisions_of_the_model(explain, model, mutag):
    out, result = explain("--graph", names(CHOSEN), "--no-plots")
    rows = table(out / "explanations.csv")
    graphs = [mutag.graphs[k] for k in CHOSEN]
    decisions, classes = model.decision_function(graphs), model.predict(graphs)
    for k, graph, decision, label in zip(CHOSEN, graphs, decisions, classes, strict=True):
        own = [row for row in rows if row["graph"] == str(k)]
        assert [int(row["node"]) for row in own] == list(range(graph.n_nodes))
        assert {(row["prediction"], row["target"]) for row in own} == {(str(label), "1")}
        shares = sum(float(row["share"]) for row in own)
        assert shares + float(own[0]["intercept"]) == pytest.approx(decision, abs=1e-8)
        for row in own:
            assert float(row["decision"]) == pytest.approx(decision)
            hops = float(row["hop 1"]) + float(row["hop 2"])
            assert float(row["share"]) == pytest.approx(hops)
        every = np.array([float(row["share"]) for row in own])
        far = above_background(graph, every)
        np.testing.assert_allclose([float(row["background"]) for row in own], far, atol=1e-12)
    documents = json.loads((out / "explanations.json").read_text())
    assert [own["graph"] for own in documents] == list(map(str, CHOSEN))
    assert documents[0]["decision"] == pytest.approx(decisions[0])
    assert result.stdout == f"Explained 3 graphs of MUTAG: see {out}.\n"
    assert sorted(file.name for file in out.iterdir()) == ["explanations.csv", "explanations.json"]


def test_the_nodes_farthest_from_the_background(explain):
    out, _ = explain("--graph", "3", "--no-plots")
    every = table(out / "explanations.csv")
    out, _ = explain("--graph", "3", "--no-plots", "--top", 4)
    top = table(out / "explanations.csv")
    far = sorted((float(row["background"]) for row in every), reverse=True)
    assert [float(row["background"]) for row in top] == pytest.approx(far[:4])


def test_edits_that_flip(explain, model, mutag):
    out, result = explain("--graph", names(CHOSEN), "--no-plots", "--counterfactual",
                          "--budget", 600)  # fmt: skip
    rows = table(out / "counterfactuals.csv")
    documents = json.loads((out / "explanations.json").read_text())
    for k, row, document in zip(CHOSEN, rows, documents, strict=True):
        expected = nask.counterfactual(model, mutag.graphs[k], budget=600)
        assert row["graph"] == str(k)
        assert row["found"] == str(expected.found)
        assert row["edits"] == "; ".join(map(str, expected.edits))
        assert document["counterfactual"] == json.loads(json.dumps(expected.to_json()))
    n_found = sum(row["found"] == "True" for row in rows)
    assert f"{n_found} of 3 graphs get another class" in result.stdout


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_drawing_of_each_graph(explain, ending, start):
    out, _ = explain("--graph", "3, 17", "--format", ending)
    assert {file.name for file in out.glob(f"*.{ending}")} == {f"3.{ending}", f"17.{ending}"}
    contents = [file.read_bytes() for file in out.glob(f"*.{ending}")]
    assert all(content.startswith(start) for content in contents)
    assert contents[0] != contents[1]


def test_without_matplotlib_there_are_tables_alone(explain, monkeypatch):
    monkeypatch.setattr("nask.cli.explain.find_spec", lambda name: None)
    out, result = explain("--graph", "3")
    assert "No drawings: that needs matplotlib" in result.stderr
    assert len(list(out.iterdir())) == 2


def test_models_of_a_search(explain, tmp_path, mutag):
    grid = {"gamma": [0.5, 1.0], "n_hops": [1]}
    tuned = nask.TunedNASKClassifier(grid=grid).fit(mutag.graphs[::2], mutag.y[::2])
    tuned.save(tmp_path / "t.nask")
    out, _ = explain("--graph", "3", "--no-plots", "--counterfactual", model=tmp_path / "t.nask")
    rows = table(out / "explanations.csv")
    total = sum(float(row["share"]) for row in rows) + float(rows[0]["intercept"])
    assert total == pytest.approx(tuned.decision_function(mutag.graphs[3:4])[0], abs=1e-8)


def test_numbers_are_explained_but_not_edited(explain, tmp_path, tiny):
    folder = tiny("TRAIN", graph_attributes=[1.5, 2.5, 3.5, 4.5, 5.5, 6.5])
    data = nask.io.read_tu(folder)
    regressor = nask.NASKRegressor().fit(data.graphs, data.y)
    regressor.save(tmp_path / "r.nask")
    out, _ = explain("--no-plots", model=tmp_path / "r.nask", dataset=folder)
    rows = table(out / "explanations.csv")
    assert len(rows) == sum(range(1, 7))
    predicted = {row["graph"]: float(row["prediction"]) for row in rows}
    assert list(predicted.values()) == pytest.approx(regressor.predict(data.graphs).tolist())
    with pytest.raises(ParameterError, match=r"NASKRegressor.*--counterfactual is for classes"):
        explain("--counterfactual", model=tmp_path / "r.nask", dataset=folder)


def test_graphs_go_by_their_ids(explain, invoke, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    rows = [f"g/{k},{node},{'CO'[k % 2]}" for k in range(8) for node in "ab"]
    (folder / "nodes.csv").write_text("\n".join(["graph,node,atom", *rows]) + "\n")
    edges = [f"g/{k},a,b" for k in range(8)]
    (folder / "edges.csv").write_text("\n".join(["graph,source,target", *edges]) + "\n")
    classes = [f"g/{k},{'odd' if k % 2 else 'even'}" for k in range(8)]
    (folder / "graphs.csv").write_text("\n".join(["graph,y", *classes]) + "\n")
    invoke("fit", folder, "--model", tmp_path / "m.nask", "--hops", 1)
    arguments = {"model": tmp_path / "m.nask", "dataset": folder}
    out, _ = explain("--graph", "g/5", "--no-plots", **arguments)
    rows = table(out / "explanations.csv")
    assert {(row["graph"], row["prediction"]) for row in rows} == {("g/5", "odd")}
    for file in folder.iterdir():
        file.write_text(file.read_text().replace("g/4,", '"g,4",'))
    out, _ = explain("--graph", "g,4", "--no-plots", **arguments)
    assert {row["graph"] for row in table(out / "explanations.csv")} == {"g,4"}
    with pytest.raises(ParameterError, match="Did you mean 'g/5'"):
        explain("--graph", "g/55", **arguments)


def test_what_cannot_be_done_is_told_before_the_work(invoke, saved, tmp_path):
    told = r"--graph 188: MUTAG has no such graph. Expected a position from 0 to 187."
    with pytest.raises(ParameterError, match=told):
        invoke("explain", saved, "MUTAG", "--graph", "188", "--out", tmp_path / "out")
    with pytest.raises(ParameterError, match="there is no name"):
        invoke("explain", saved, "MUTAG", "--graph", ",", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(FileWriteError, match="Cannot write"):
        invoke("explain", saved, "MUTAG", "--out", saved)
    with pytest.raises(ModelFileError, match="There is no file"):
        invoke("explain", tmp_path / "none.nask", "MUTAG")


def test_a_graph_that_is_named_twice_is_explained_once(explain):
    out, _ = explain("--graph", "3,17, 3", "--no-plots")
    names = [document["graph"] for document in json.loads((out / "explanations.json").read_text())]
    assert names == ["3", "17"]
