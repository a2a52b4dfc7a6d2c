"""Saved models come back the same; saving over an old one leaves the old one or the new one."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

import nask
from nask.exceptions import FileWriteError, ModelFileError

posix = pytest.mark.skipif(os.name != "posix", reason="needs the signals and limits of POSIX")


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
        {"similarity": "one-hot", "degree": "numerical", "max_leaves": 2},
        {"similarity": "euclidean", "degree": "numerical", "expansion": "walk"},
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


def test_a_model_is_saved_as_it_was_fitted(tmp_path, mutag):
    """Parameters changed after fit are those of the next fit."""
    model = nask.NASKClassifier(n_hops=2, gamma=0.5).fit(mutag.graphs[:60], mutag.y[:60])
    expected = model.decision_function(mutag.graphs)
    model.set_params(n_hops=1, gamma=9.0, normalize=False, gram="rbf")
    np.testing.assert_array_equal(model.decision_function(mutag.graphs), expected)
    model.save(tmp_path / "model.nask")
    same = nask.load(tmp_path / "model.nask")
    assert (same.n_hops, same.gamma, same.gram) == (2, 0.5, "linear")
    np.testing.assert_array_equal(same.decision_function(mutag.graphs), expected)


def test_saving_before_fit(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        nask.NASKClassifier().save(tmp_path / "m.nask")


# Saves two models in turn over each other, in a child that is killed at drawn moments.
KILLED = """
import os, random, signal, sys, time
import nask

path, draw = sys.argv[1], random.Random(int(sys.argv[2]))
data = nask.load_dataset("MUTAG")
models = [nask.NASKClassifier(n_hops=1, C=C).fit(data.graphs[:60], data.y[:60]) for C in (1, 10)]
expected = {m.C: m.decision_function(data.graphs[60:63]).tolist() for m in models}
start = time.perf_counter()
models[0].save(path)
seconds = time.perf_counter() - start
for attempt in range(40):
    new = models[(attempt + 1) % 2]
    child = os.fork()
    if not child:
        new.save(path)
        os._exit(0)
    time.sleep(draw.uniform(0, 1.2 * seconds))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = nask.load(path)
    assert found.decision_function(data.graphs[60:63]).tolist() == expected[found.C]
    models[(attempt + 1) % 2].save(path)
"""


@pytest.mark.slow
@posix
def test_a_kill_leaves_the_old_model_or_the_new_one(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "m.nask"), "7"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # What the killed ones left behind is gone, too.
    assert [path.name for path in tmp_path.iterdir()] == ["m.nask"]


@pytest.fixture
def model(mutag):
    return nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:60], mutag.y[:60])


# A file of this process may not grow beyond a few bytes: as on a disk that is nearly full.
LIMITED = """
import os, resource, signal, sys
import nask

path = sys.argv[1]
data = nask.load_dataset("MUTAG")
model = nask.NASKClassifier(n_hops=1).fit(data.graphs[:60], data.y[:60])
model.save(path)
before = open(path, "rb").read()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for limit in (0, 300, 2000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        model.save(path)
    except nask.exceptions.FileWriteError as error:
        assert f"Cannot write {path}: the file is larger than allowed" in str(error), error
        assert "give save a place on another disk" in str(error), error
    else:
        raise AssertionError(f"{limit} bytes were enough")
    assert open(path, "rb").read() == before, limit
    assert os.listdir(os.path.dirname(path)) == ["m.nask"], limit
"""


@pytest.mark.slow
@posix
def test_a_full_disk_leaves_the_old_model(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "m.nask")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_an_error_on_the_way_leaves_the_old_model(tmp_path, model, monkeypatch):
    path = tmp_path / "m.nask"
    model.save(path)
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("nask.estimators.saving.np.save", full)
    with pytest.raises(FileWriteError, match=r"the disk is full: .* are free in .* Free some"):
        model.save(path)
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["m.nask"]


PLACES = {
    "it is a folder. Give save the name of a file": "folder",
    "there is no folder .*nowhere. Make that folder": "nowhere/deep/m.nask",
    "file is a file, not a folder": "file/m.nask",
    "a name in it has 305 bytes, .* Give save a shorter name": "m" * 300 + ".nask",
}


@pytest.mark.parametrize("message", PLACES)
def test_a_place_where_no_model_can_be_saved(tmp_path, model, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    place = tmp_path / PLACES[message]
    with pytest.raises(FileWriteError, match=message) as caught:
        model.save(place)
    assert str(caught.value).startswith(f"Cannot write {place}: ")
    assert "Errno" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_path_that_is_none(model):
    for wrong in (None, 3, "a\0b"):
        with pytest.raises(nask.exceptions.ParameterError, match="'path' parameter of save"):
            model.save(wrong)


@posix
def test_devices_are_written_to_and_stay(model):
    model.save(os.devnull)
    with pytest.raises(FileWriteError, match="Cannot write /dev/full: the disk is full"):
        model.save("/dev/full")
    assert not os.path.isfile(os.devnull)
    assert not os.path.isfile("/dev/full")


def test_the_same_model_as_before(tmp_path, model, mutag):
    (tmp_path / "link.nask").symlink_to(tmp_path / "m.nask")
    for _ in range(2):
        model.save(tmp_path / "link.nask")
    assert (tmp_path / "link.nask").is_symlink()
    np.testing.assert_array_equal(
        nask.load(tmp_path / "m.nask").predict(mutag.graphs), model.predict(mutag.graphs)
    )
