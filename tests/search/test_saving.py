"""A saved index finds what it found, and files that are none are refused."""

import json
import zipfile

import numpy as np
import pytest

import nask
from mixed_graphs import random_graphs
from nask.exceptions import FileWriteError, ModelFileError
from nask.search import first_stage

GRAPHS, NEW = random_graphs(60, seed=100), random_graphs(5, seed=101)


def same_hits(one, other):
    for found, again in zip(one, other, strict=True):
        np.testing.assert_array_equal(found.positions, again.positions)
        np.testing.assert_array_equal(found.similarities, again.similarities)
        assert [hit.id for hit in found] == [hit.id for hit in again]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "features", "n_candidates": 7, "n_components": 300, "random_state": 3},
        {"ids": [f"g{k}" for k in range(60)], "n_hops": 2, "gamma": {"x": 3.0}},
        {"similarity": "one-hot", "degree": "numerical", "max_leaves": 2},
        {"expansion": "walk", "attributes": "numerical"},
    ],
)
def test_an_index_comes_back(tmp_path, options):
    index = nask.Index(GRAPHS, **options)
    index.save(tmp_path / "g.index")
    again = nask.Index.load(tmp_path / "g.index", n_jobs=2)
    assert repr(again) == repr(index)
    assert again.graphs == index.graphs
    assert again.kernel.get_params() == index.kernel.get_params() | {"n_jobs": 2}
    same_hits(index.query(NEW, k=5), again.query(NEW, k=5))
    assert again.query(NEW[0], k=1)[0].stars == index.query(NEW[0], k=1)[0].stars
    again.save(tmp_path / "again.index")
    assert (tmp_path / "again.index").stat().st_size == (tmp_path / "g.index").stat().st_size


def test_molecules_stay_molecules(tmp_path):
    index = nask.Index(nask.io.from_smiles(["CCO", "CCN", "c1ccccc1"], explicit_hydrogens=True))
    index.save(tmp_path / "m.index")
    again = nask.Index.load(tmp_path / "m.index")
    assert again.query("OCC", k=1)[0].similarity == 1.0
    assert again.kernel.molecules_ == index.kernel.molecules_


def test_features_of_other_random_numbers_are_made_anew(tmp_path, monkeypatch):
    index = nask.Index(GRAPHS, method="features", n_candidates=7)
    index.save(tmp_path / "g.index")
    stored = nask.Index.load(tmp_path / "g.index").first_stage.rows
    np.testing.assert_array_equal(stored, index.first_stage.rows)
    other = index.first_stage.rows[:, ::-1].copy()
    restored = first_stage.FirstStage.restored(list(GRAPHS), index.kernel, 1024, 0, other)
    np.testing.assert_array_equal(restored.rows, index.first_stage.rows)


def altered(path, **changes):
    """A copy of a file with changes to its document, by a path of keys."""
    out = path.with_name("altered.index")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == "model.json":
                content = json.dumps(json.loads(content) | changes)
            new.writestr(member, content)
    return out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"class": "NASKClassifier"}, "It holds a 'NASKClassifier'; nask.load reads it"),
        ({"method": "best"}, "The method is 'best', which is none"),
        ({"method": "exact"}, "features without a use"),
        ({"ids": ["a"]}, "must be one id per graph"),
        ({"ids": [["a"]] * 60}, "The ids are"),
        ({"n_candidates": 0}, "'n_candidates' parameter of Index"),
        ({"n_components": None}, "'n_components' parameter of Index"),
        ({"n_components": 512}, "The features have shape"),
        ({"random_state": -1}, "'random_state' parameter of Index"),
        ({"parameters": {"gamma": "much"}}, "'gamma' parameter of NASK"),
        ({"parameters": {"gama": 1}}, "no parameter 'gama'"),
        ({"graphs": None}, "is not a readable nask index"),
        ({"version": 99}, "this nask reads"),
    ],
)
def test_a_file_that_was_altered(tmp_path, changes, message):
    nask.Index(GRAPHS, method="features").save(tmp_path / "g.index")
    with pytest.raises(ModelFileError, match=message):
        nask.Index.load(altered(tmp_path / "g.index", **changes))


def test_files_that_are_none(tmp_path, mutag):
    path = tmp_path / "g.index"
    with pytest.raises(ModelFileError, match="There is no file"):
        nask.Index.load(path)
    nask.Index(GRAPHS).save(path)
    with pytest.raises(
        ModelFileError, match=r"It holds an index: nask\.Index\.load reads it\. Exp"
    ):
        nask.load(path)
    nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:20], mutag.y[:20]).save(path)
    with pytest.raises(
        ModelFileError, match=r"nask\.load reads it\. Expected a file written by the"
    ):
        nask.Index.load(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelFileError, match="is not a readable nask index"):
        nask.Index.load(path)
    with pytest.raises(FileWriteError):
        nask.Index(GRAPHS).save(tmp_path / "nowhere" / "g.index")
    strange = nask.AttributedGraph(1, (), {"pair": [(1, 2)]})
    with pytest.raises(ModelFileError, match="category of attribute 'pair' is"):
        nask.Index([strange]).save(path)
    with pytest.raises(ModelFileError, match="id of a graph is"):
        nask.Index(GRAPHS[:1], ids=[(1, 2)]).save(path)
