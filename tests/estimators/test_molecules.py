"""Estimators on columns of SMILES, and models that read new ones as those of training."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import nask
from nask.exceptions import GraphError, InputError, ModelFileError
from nask.io import from_smiles

RINGS = ["c1ccccc1", "Cc1ccccc1", "Oc1ccccc1", "C1CCCCC1", "c1ccncc1", "CC1CC1", "C1CCNC1", "C1CC1"]
CHAINS = ["CCO", "CCCCCC", "CC(=O)O", "NC(N)=O", "C=CC", "CC(C)O", "CCN", "CC[N+](=O)[O-]"]
TABLE = pd.DataFrame({"smiles": [*RINGS, *CHAINS], "ring": ["yes"] * 8 + ["no"] * 8})
NEW = ["CCCC", "C1CCC1", "C[C@H](N)O"]
HOW = {"atoms": ["element", "ring_size"], "stereo": True, "explicit_hydrogens": True}


def test_columns_give_what_graphs_give():
    graphs = from_smiles(TABLE["smiles"])
    expected = nask.NASKClassifier(n_hops=1).fit(graphs, TABLE["ring"].tolist())
    model = nask.NASKClassifier(n_hops=1).fit(TABLE["smiles"], TABLE["ring"])
    np.testing.assert_array_equal(
        model.decision_function(NEW), expected.decision_function(from_smiles(NEW))
    )
    assert model.explain("CCO").graph == from_smiles("CCO")


def test_scikit_learn_divides_columns():
    search = GridSearchCV(nask.NASKClassifier(n_hops=1), {"C": [1, 10]}, cv=2, error_score="raise")
    assert search.fit(TABLE["smiles"], TABLE["ring"]).best_score_ > 0.8
    pipeline = make_pipeline(nask.NASK(n_hops=1), SVC(kernel="precomputed"))
    assert cross_val_score(pipeline, TABLE["smiles"].to_numpy(), TABLE["ring"], cv=2).mean() > 0.8
    features = make_pipeline(nask.NASKFeatures(n_components=64, n_hops=1), LinearSVC())
    assert features.fit(list(TABLE["smiles"]), TABLE["ring"]).score(RINGS, ["yes"] * 8) > 0.8


@pytest.mark.usefixtures("rdkit_reasons")
def test_a_bad_smiles_has_its_position():
    with pytest.raises(GraphError, match=r"^Graph 1: 'C1CC' is not a valid SMILES: unclosed ring"):
        nask.NASKClassifier().fit(["CC", "C1CC"], [0, 1])
    with pytest.raises(InputError, match=r"^Item 1 is not a graph.*no SMILES"):
        nask.NASKClassifier().fit(pd.Series(["CC", None]), [0, 1])


@pytest.fixture(scope="module")
def models():
    graphs, y = from_smiles(TABLE["smiles"], **HOW), TABLE["ring"].tolist()
    tuned = nask.TunedNASKClassifier(grid={"n_hops": [1], "alpha": [0.1]})
    return {
        "classifier": nask.NASKClassifier(n_hops=1).fit(graphs, y),
        "regressor": nask.NASKRegressor(n_hops=1).fit(graphs, [float(g.n_nodes) for g in graphs]),
        "tuned": tuned.fit(graphs, y),
    }


@pytest.mark.parametrize("name", ["classifier", "regressor", "tuned"])
def test_new_molecules_are_read_as_those_of_training(models, tmp_path, name):
    model = models[name]
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert same.molecules_ == model.molecules_ != nask.NASK().fit(["C"]).molecules_
    graphs = from_smiles(NEW, **HOW)
    for own in (model, same):
        np.testing.assert_array_equal(own.predict(NEW), own.predict(graphs))
        assert own.explain(NEW[2]).graph == graphs[2]
    if name != "regressor":
        np.testing.assert_array_equal(same.predict_proba(NEW), model.predict_proba(graphs))
        assert nask.counterfactual(same, NEW[2], budget=3).graph == graphs[2]


def test_kernels_and_features_too():
    graphs, new = from_smiles(TABLE["smiles"], **HOW), from_smiles(NEW, **HOW)
    kernel = nask.NASK(n_hops=1).fit(graphs)
    np.testing.assert_array_equal(kernel.transform(NEW), kernel.transform(new))
    np.testing.assert_array_equal(kernel(NEW, RINGS), kernel(new, from_smiles(RINGS, **HOW)))
    assert nask.align(kernel, NEW[0], NEW[1]).value == pytest.approx(
        kernel(new[:1], new[1:2])[0, 0]
    )
    features = nask.NASKFeatures(n_components=64, n_hops=1).fit(graphs)
    for rows in (features.transform(NEW), *features.stream(iter(NEW))):
        np.testing.assert_array_equal(rows, features.transform(new))
    assert features.partial_fit(NEW).molecules_ == kernel.molecules_
    assert (
        features.partial_fit([nask.AttributedGraph(1, (), {"element": ["C"]})]).molecules_ is None
    )


def test_other_graphs_are_no_molecules(mutag):
    assert nask.NASK(n_hops=1).fit(mutag.graphs[:3]).molecules_ is None


@pytest.mark.parametrize(
    "change",
    [
        {"atoms": ["colour"]},
        {"atoms": "element", "more": 1},
        {"bonds": 3},
        {"explicit_hydrogens": "yes"},
        {"smiles": ["a"]},
        3,
    ],
)
def test_a_damaged_file_is_refused(models, tmp_path, change):
    models["classifier"].save(tmp_path / "m.nask")
    with zipfile.ZipFile(tmp_path / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    given = document["molecules"]
    document["molecules"] = {**given, **change} if isinstance(change, dict) else change
    members["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "bad.nask", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ModelFileError, match="is not a readable nask model"):
        nask.load(tmp_path / "bad.nask")


def test_a_file_of_an_earlier_version_has_none(models, tmp_path):
    models["classifier"].save(tmp_path / "m.nask")
    with zipfile.ZipFile(tmp_path / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    del document["molecules"]
    members["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "old.nask", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert nask.load(tmp_path / "old.nask").molecules_ is None
