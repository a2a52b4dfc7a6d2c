"""Saved models: the same predictions, and nothing but data in the file."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

import nask
from nask.exceptions import ModelFileError


class Bomb:
    """Runs code when unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("loading a model ran code from it",))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    dataset = nask.load_dataset("Cuneiform")
    keep = [i for i, label in enumerate(dataset.y) if label < 3]
    graphs, y = [dataset.graphs[i] for i in keep], dataset.y[keep]
    model = nask.NASKClassifier(n_hops=2, degree="numerical", gamma={"node_label_0": 0.5})
    path = tmp_path_factory.mktemp("models") / "model.nask"
    model.fit(graphs[::2], y[::2]).save(path)
    return path, model, graphs


def test_a_classifier_comes_back(saved):
    path, model, graphs = saved
    same = nask.load(path)
    assert type(same) is nask.NASKClassifier
    assert same.get_params() == model.get_params()
    np.testing.assert_array_equal(same.classes_, model.classes_)
    np.testing.assert_array_equal(same.support_, model.support_)
    np.testing.assert_array_equal(same.decision_function(graphs), model.decision_function(graphs))
    np.testing.assert_array_equal(same.predict_proba(graphs), model.predict_proba(graphs))


@pytest.mark.parametrize(
    "parameters",
    [
        {"gram": "rbf", "gram_scale": 2.0},
        {"expansion": "ball", "engine": "explicit"},
        {"hop_weights": [1, 0.5, 0.25], "attribute_weights": {"node_label": 2.0}},
        {"dtype": "float32"},
        {"probability": False, "class_weight": "balanced"},
        {"class_weight": {-1: 2.0, 1: 1.0}, "gamma": {"node_label": 0.5}},
    ],
)
def test_every_parameter_comes_back(tmp_path, mutag, parameters):
    model = nask.NASKClassifier(**parameters).fit(mutag.graphs[:60], mutag.y[:60])
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert same.get_params() == model.get_params()
    np.testing.assert_array_equal(
        same.decision_function(mutag.graphs[60:]), model.decision_function(mutag.graphs[60:])
    )


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (["b", "a"], None),
        (["b", "a"], object),
        ([True, False], None),
        ([1.0, 2.0], None),
        ([7, 3], None),
        ([7, 3], np.int32),
    ],
)
def test_classes_keep_their_type(tmp_path, mutag, labels, dtype):
    y = np.array([labels[int(label == 1)] for label in mutag.y[:40]], dtype=dtype)
    model = nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:40], y)
    model.save(tmp_path / "m.nask")
    predicted = nask.load(tmp_path / "m.nask").predict(mutag.graphs[:40])
    assert predicted.dtype == model.predict(mutag.graphs[:40]).dtype
    assert predicted.tolist() == model.predict(mutag.graphs[:40]).tolist()


def test_a_regressor_comes_back(tmp_path, mutag):
    sizes = [graph.n_nodes for graph in mutag.graphs]
    model = nask.NASKRegressor(normalize=False).fit(mutag.graphs[:50], sizes[:50])
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert type(same) is nask.NASKRegressor
    np.testing.assert_array_equal(same.predict(mutag.graphs[50:]), model.predict(mutag.graphs[50:]))


def test_categories_of_every_plain_type_come_back(tmp_path):
    values = ["text", 3, 2.5]
    graphs = [
        nask.AttributedGraph(1, node_attributes={"c": [v]}, categorical=["c"]) for v in values * 4
    ] + [nask.AttributedGraph(1, node_attributes={"flag": [flag]}) for flag in (True, False) * 4]
    y = [*([0, 1, 0] * 4), *([0, 1] * 4)]
    model = nask.NASKClassifier().fit(graphs, y)
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert same.kernel_.schema_ == model.kernel_.schema_
    np.testing.assert_array_equal(same.decision_function(graphs), model.decision_function(graphs))


def test_what_json_cannot_hold_is_refused(tmp_path):
    graphs = [nask.AttributedGraph(1, node_attributes={"c": [(i % 2, "pair")]}) for i in range(8)]
    model = nask.NASKClassifier().fit(graphs, [0, 1] * 4)
    with pytest.raises(ModelFileError, match="category of attribute 'c' is \\(0, 'pair'\\)"):
        model.save(tmp_path / "m.nask")
    assert not (tmp_path / "m.nask").exists()


def test_saving_before_fit(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        nask.NASKClassifier().save(tmp_path / "m.nask")


def rewrite(path, target, change):
    """Copy a model file, its members changed by a function of the dictionary of them."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target


def array_bytes(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_a_pickled_array_is_refused_and_not_run(saved, tmp_path):
    path, _, _ = saved
    bomb = array_bytes(np.array([Bomb()], dtype=object), allow_pickle=True)
    evil = rewrite(path, tmp_path / "evil.nask", lambda m: m.update({"support.npy": bomb}))
    with pytest.raises(ModelFileError, match="allow_pickle"):
        nask.load(evil)


def test_a_pickle_is_not_a_model(tmp_path):
    (tmp_path / "evil.nask").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ModelFileError, match="not a readable nask model"):
        nask.load(tmp_path / "evil.nask")


def document(change):
    def apply(members):
        content = json.loads(members["model.json"])
        change(content)
        members["model.json"] = json.dumps(content)

    return apply


def out_of_range(members):
    ends = np.load(io.BytesIO(members["batch/endpoints.npy"])).copy()
    ends[0, 0] = 10**9
    members["batch/endpoints.npy"] = array_bytes(ends)


def wrong_ptr(members):
    ptr = np.load(io.BytesIO(members["batch/nodes_ptr.npy"])).copy()
    ptr[1] = ptr[-1] + 50
    members["batch/nodes_ptr.npy"] = array_bytes(ptr)


def wrapping_ptr(members):
    """Positions whose differences overflow to something that looks right."""
    n = np.load(io.BytesIO(members["batch/nodes_ptr.npy"]))
    wrapped = np.zeros_like(n)
    wrapped[1:4] = [2**62, -(2**63), -(2**62)]
    wrapped[4:] = n[-1]
    members["batch/nodes_ptr.npy"] = array_bytes(wrapped)


def too_few_attributes(members):
    values = np.load(io.BytesIO(members["batch/nodes_numerical.npy"]))
    members["batch/nodes_numerical.npy"] = array_bytes(values[:1])


CORRUPT = {
    "endpoint outside its graph": out_of_range,
    "not divided among its graphs": wrong_ptr,
    "nodes of the batch are not divided": wrapping_ptr,
    "negative range": document(lambda d: d["schema"]["nodes"][-1].update(range=-1.0)),
    "file has Infinity": document(lambda d: d["schema"]["nodes"][2].update(minimum=1e999)),
    "'explicit'": document(lambda d: d.update(engine="explicit")),
    r"expected \(1, \d+\) and \(1,\)": document(lambda d: d.update(classes=[0, 1])),
    "numerical attributes of the nodes": too_few_attributes,
    "version 99": document(lambda d: d.update(version=99)),
    "unknown kind": document(lambda d: d["schema"]["nodes"][0].update(kind="magic")),
    "not a readable nask model": document(lambda d: d.update({"class": "os.system"})),
    "'gamma_star' parameter": document(lambda d: d["parameters"].update(gamma_star=-1)),
    "machine has coefficients": lambda m: m.update(
        {"machine/coefficients.npy": array_bytes(np.zeros((3, 1)))}
    ),
    "no parameter 'evil'": document(lambda d: d["parameters"].update(evil=1)),
    "batch/endpoints|endpoints": lambda m: m.pop("batch/endpoints.npy"),
}


@pytest.mark.parametrize("message", CORRUPT)
def test_corrupted_files_are_refused(saved, tmp_path, message):
    path, _, _ = saved
    with pytest.raises(ModelFileError, match=message):
        nask.load(rewrite(path, tmp_path / "bad.nask", CORRUPT[message]))


def test_damage_anywhere_is_an_error_or_harmless(saved, tmp_path):
    path, model, graphs = saved
    whole = path.read_bytes()
    expected = model.decision_function(graphs[:3])
    for position in range(0, len(whole), len(whole) // 150):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        (tmp_path / "damaged.nask").write_bytes(damaged)
        try:
            same = nask.load(tmp_path / "damaged.nask")
        except ModelFileError:
            continue
        np.testing.assert_array_equal(same.decision_function(graphs[:3]), expected)


def test_truncated_and_absent_files(saved, tmp_path):
    path, _, _ = saved
    (tmp_path / "half.nask").write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ModelFileError, match="not a readable nask model"):
        nask.load(tmp_path / "half.nask")
    with pytest.raises(ModelFileError, match="There is no file"):
        nask.load(tmp_path / "none.nask")
