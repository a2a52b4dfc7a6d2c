"""Saving over an old model: whatever happens, the old one or the new one is there."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

import nask
from nask.exceptions import FileWriteError

posix = pytest.mark.skipif(os.name != "posix", reason="needs the signals and limits of POSIX")

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
import resource, signal, sys
import nask

data = nask.load_dataset("MUTAG")
model = nask.NASKClassifier(n_hops=1).fit(data.graphs[:60], data.y[:60])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    model.save(sys.argv[1])
except nask.exceptions.FileWriteError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("limit", [0, 300, 2000])
def test_a_full_disk_leaves_the_old_model(tmp_path, model, limit):
    path = tmp_path / "m.nask"
    model.save(path)
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), str(limit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Cannot write {path}: the file is larger than allowed" in done.stdout
    assert "give save a place on another disk" in done.stdout
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["m.nask"]


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


def test_loading_from_what_is_no_file(tmp_path):
    with pytest.raises(nask.exceptions.ModelFileError, match=r"It is a folder\. Expected a file"):
        nask.load(tmp_path)
    with pytest.raises(nask.exceptions.ParameterError, match="'path' parameter of load"):
        nask.load(3)


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
