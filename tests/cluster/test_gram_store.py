"""Gram matrices in a Zarr store: the same numbers, by whom and in how many runs they come."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import joblib
import numpy as np
import pytest

import nask
from cluster_work import count_comparisons, n_arrived
from nask.exceptions import FormatError, ParameterError
from nask.kernels.gram_work import GramWork

zarr = pytest.importorskip("zarr")

# 90 graphs, 20 along a tile: 15 tiles on and above the diagonal, 25 chunks.
CHUNK, N_TILES, N_CHUNKS = 20, 15, 25
OPTIONS = {"n_hops": 2, "engine": "pairwise"}
FORMS = {
    "pairwise": OPTIONS,
    "distinct": {"n_hops": 2, "engine": "distinct"},
    "explicit": {"n_hops": 2, "engine": "explicit", "expansion": "ball"},
    "float32": {**OPTIONS, "dtype": "float32"},
    "rbf": {**OPTIONS, "gram": "rbf", "gram_scale": 2.0},
    "rbf in float32": {**OPTIONS, "gram": "rbf", "dtype": "float32"},
    "not normalized": {**OPTIONS, "normalize": False, "hop_weights": [0.5, 2]},
}


def chunk_files(path, name="gram"):
    return {file: file.stat().st_mtime_ns for file in Path(path, name, "c").glob("*/*")}


def spied():
    """Count the tiles that are computed in this process."""
    return patch.object(GramWork, "window", autospec=True, side_effect=GramWork.window)


def damage(file, position):
    data = bytearray(file.read_bytes())
    data[position] ^= 1
    file.write_bytes(data)


@pytest.fixture(scope="module")
def original(graphs, tmp_path_factory):
    """The store of this machine alone, which no test changes."""
    path = tmp_path_factory.mktemp("original") / "alone.zarr"
    nask.write_gram(nask.NASK(**OPTIONS), graphs, path, chunk=CHUNK)
    return path


@pytest.fixture
def expected(original, tmp_path):
    """A copy of the store, with what it holds."""
    shutil.copytree(original, tmp_path / original.name)
    return zarr.open_group(original, mode="r")["gram"][:]


@pytest.mark.slow
@pytest.mark.parametrize("options", FORMS.values(), ids=FORMS)
def test_the_store_holds_what_the_kernel_computes(graphs, tmp_path, options):
    whole = nask.NASK(**options)
    expected = whole.fit_transform(graphs)
    kernel = nask.NASK(**options, n_jobs=2)
    gram = nask.write_gram(kernel, graphs, tmp_path / "k.zarr", chunk=CHUNK)
    single = options.get("dtype") == "float32"
    np.testing.assert_allclose(gram[:], expected, rtol=1e-5 if single else 1e-12)
    assert gram.dtype == expected.dtype
    assert gram.chunks == (CHUNK, CHUNK)
    assert len(chunk_files(tmp_path / "k.zarr")) == N_CHUNKS
    # The kernel is fitted, and compares new graphs as the other one does.
    np.testing.assert_allclose(kernel.transform(graphs[:5]), whole.transform(graphs[:5]), rtol=1e-5)


def test_a_store_is_of_use_alone(graphs, tmp_path):
    kernel = nask.NASK(gamma={"node_label": np.float64(2)}, hop_weights=np.array([1, 2, 3]))
    y = np.array(["a", "b", "c"] * 30, dtype=object)
    nask.write_gram(kernel, graphs, tmp_path / "k.zarr", y=y)
    group = zarr.open_group(tmp_path / "k.zarr", mode="r")
    assert group.attrs["complete"] is True
    assert group.attrs["holds"] == "a Gram matrix"
    again = nask.NASK(**group.attrs["parameters"]).fit_transform(graphs)
    np.testing.assert_allclose(group["gram"][:], again, rtol=1e-12)
    np.testing.assert_array_equal(np.array(group["y"].attrs["classes"])[group["y"][:]], y)


@pytest.mark.parametrize("y", [np.arange(90), np.ones((90, 2)), np.arange(90) > 3])
def test_targets_that_are_numbers_are_kept_as_they_are(graphs, tmp_path, y):
    nask.write_gram(nask.NASK(n_hops=1), graphs, tmp_path / "k.zarr", y=y)
    np.testing.assert_array_equal(zarr.open_group(tmp_path / "k.zarr")["y"][:], y, strict=True)


def test_tiles_that_are_there_are_skipped(graphs, tmp_path, expected):
    path = tmp_path / "alone.zarr"
    before = chunk_files(path)
    for file in list(before)[:3]:
        file.unlink()
    unique = {tuple(sorted((file.parent.name, file.name))) for file in list(before)[:3]}
    done = []
    kernel = nask.NASK(**OPTIONS, verbose=lambda *step: done.append(step))
    with spied() as window:
        again = nask.write_gram(kernel, graphs, path, chunk=7)
    assert window.call_count == len(unique)
    # One bar over all of them; the chunks of a store stay as they are.
    assert done == [(k, N_TILES) for k in range(1, N_TILES + 1)]
    assert again.chunks == (CHUNK, CHUNK)
    np.testing.assert_array_equal(again[:], expected)
    kept = {file: time for file, time in before.items() if file not in list(before)[:3]}
    mirrored = {file for file in kept if tuple(sorted(file.parts[-2:])) in unique}
    after = chunk_files(path)
    assert all(after[file] == time for file, time in kept.items() if file not in mirrored)


@pytest.mark.parametrize("position", [0, 1000, -1])
@pytest.mark.parametrize("chunk", ["0/0", "1/3", "3/1", "4/4"])
def test_a_damaged_tile_is_computed_again(graphs, tmp_path, expected, chunk, position):
    path = tmp_path / "alone.zarr"
    damage(path / "gram" / "c" / chunk, position)
    with pytest.raises(ValueError, match="checksum"):
        zarr.open_group(path)["gram"][:]
    with spied() as window:
        again = nask.write_gram(nask.NASK(**OPTIONS), graphs, path)
    assert window.call_count == 1
    np.testing.assert_array_equal(again[:], expected)


@pytest.mark.parametrize("length", [0, 3, 4, 100])
def test_a_tile_cut_short_is_computed_again(graphs, tmp_path, expected, length):
    path = tmp_path / "alone.zarr"
    file = path / "gram" / "c" / "4" / "4"
    file.write_bytes(file.read_bytes()[:length] if length != 4 else bytes(4))
    again = nask.write_gram(nask.NASK(**OPTIONS), graphs, path)
    np.testing.assert_array_equal(again[:], expected)


def test_tiles_of_a_like_store_or_another_place_are_computed_again(graphs, tmp_path, expected):
    """Zarr's own checksum holds for them."""
    path, like = tmp_path / "alone.zarr", tmp_path / "like.zarr"
    nask.write_gram(nask.NASK(**OPTIONS, gamma=2.0), graphs, like, chunk=CHUNK)
    for name in ("gram", "gram_checksums"):
        for tile in ("0/0", "1/3", "3/1"):
            shutil.copy(like / name / "c" / tile, path / name / "c" / tile)
    shutil.copy(path / "gram/c/1/4", path / "gram/c/2/4")
    (path / "gram_checksums/c/4/4").unlink()
    with spied() as window:
        again = nask.write_gram(nask.NASK(**OPTIONS), graphs, path)
    assert window.call_count == 4
    np.testing.assert_array_equal(again[:], expected)


def shrunk(stored):
    stored["chunk_grid"]["configuration"]["chunk_shape"] = [20, 30]


def packed(stored):
    stored["codecs"].append({"name": "zstd", "configuration": {"level": 0, "checksum": False}})


def of_numbers(stored):
    stored["shape"] = 3


@pytest.mark.parametrize(
    ("name", "harm", "message"),
    [
        ("gram", shrunk, r"gram has chunks of \[20, 30\] rows and columns"),
        ("gram", packed, r"packed by \['bytes', 'crc32c', 'zstd'\], expected"),
        ("gram", of_numbers, r"gram is there and cannot be read as a Zarr store"),
        ("gram_checksums", shrunk, "gram_checksums does not hold one number for each chunk"),
    ],
)
def test_a_layout_that_is_none_of_ours_is_refused(graphs, tmp_path, expected, name, harm, message):
    file = tmp_path / "alone.zarr" / name / "zarr.json"
    stored = json.loads(file.read_text())
    harm(stored)
    file.write_text(json.dumps(stored))
    with pytest.raises(FormatError, match=message):
        nask.write_gram(nask.NASK(**OPTIONS), graphs, tmp_path / "alone.zarr")


@pytest.mark.parametrize("name", ["gram", "linear"])
def test_a_damaged_tile_of_the_gaussian_form(graphs, tmp_path, name):
    kernel = nask.NASK(**FORMS["rbf"])
    expected = nask.write_gram(kernel, graphs, tmp_path / "k.zarr", chunk=CHUNK)[:]
    unit = kernel.mean_squared_distance_
    damage(tmp_path / "k.zarr" / name / "c" / "1" / "3", 99)
    with spied() as window:
        again = nask.write_gram(kernel, graphs, tmp_path / "k.zarr")
    assert window.call_count == (name == "linear")
    np.testing.assert_array_equal(again[:], expected)
    assert kernel.mean_squared_distance_ == unit
    assert zarr.open_group(tmp_path / "k.zarr").attrs["mean_squared_distance"] == unit


def test_a_missing_tile_reads_as_nan(graphs, tmp_path, expected):
    (tmp_path / "alone.zarr" / "gram" / "c" / "1" / "3").unlink()
    found = zarr.open_group(tmp_path / "alone.zarr")["gram"][:]
    assert np.isnan(found[20:40, 60:80]).all()
    assert np.isnan(found).sum() == CHUNK**2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_hops": 1}, r"was computed with n_hops=2, not 1\. Delete it"),
        ({"gram": "rbf"}, "was computed with gram='linear', not 'rbf'"),
        ({"graphs": 89}, "is of other graphs"),
        ({"attributes": {"nask_version": "0.0.1", "computation": ""}}, "written by nask 0.0.1"),
        ({"attributes": {"holds": "features", "computation": ""}}, "holds features, not a Gram"),
        ({"attributes": None}, "holds something else"),
        ({"metadata": "{"}, "cannot be read as a Zarr store"),
        ({"metadata": None}, "cannot be read as a Zarr store"),
    ],
)
def test_a_store_of_something_else_is_left_alone(graphs, tmp_path, expected, change, message):
    path = tmp_path / "alone.zarr"
    if "attributes" in change:
        group = zarr.open_group(path)
        if change["attributes"] is None:
            group.attrs.clear()
        else:
            group.attrs.update(change["attributes"])
    if "metadata" in change:
        (path / "zarr.json").unlink()
        if change["metadata"]:
            (path / "zarr.json").write_text(change["metadata"])
    before = chunk_files(path)
    options = {name: change[name] for name in ("n_hops", "gram") if name in change}
    with pytest.raises(FormatError, match=message):
        nask.write_gram(nask.NASK(**OPTIONS | options), graphs[: change.get("graphs", 90)], path)
    assert chunk_files(path) == before


@pytest.mark.parametrize("chunk", [0, -1, 2.5, True])
def test_a_chunk_is_a_number_of_graphs(graphs, tmp_path, chunk):
    with pytest.raises(ParameterError, match="The 'chunk' parameter of write_gram must be"):
        nask.write_gram(nask.NASK(), graphs, tmp_path / "k.zarr", chunk=chunk)


def test_a_wrong_place_is_an_error_before_anything_is_computed(graphs, tmp_path):
    (tmp_path / "file.zarr").touch()
    with patch.object(nask.NASK, "_fit", side_effect=AssertionError):
        with pytest.raises(ParameterError, match=r"there is no folder .*nowhere"):
            nask.write_gram(nask.NASK(), graphs, tmp_path / "nowhere" / "k.zarr")
        with pytest.raises(ParameterError, match="it is a file"):
            nask.write_gram(nask.NASK(), graphs, tmp_path / "file.zarr")


def test_tiles_are_smaller_where_graphs_are_large():
    def side(*nodes):
        kernel = nask.NASK(n_hops=1).fit([nask.AttributedGraph(n) for n in nodes])
        return kernel.fitted_.gram_work(kernel.fitted_.graphs, kernel.fitted_.graphs).side

    assert side(1, 1) == 1024
    assert side(30, 34) == 988
    assert side(330, 310) == 98


def test_a_task_that_lacks_memory_is_done_in_parts(graphs, tmp_path, expected):
    limited = nask.NASK(**OPTIONS, memory_limit="60KB")
    with spied() as window:
        gram = nask.write_gram(limited, graphs, tmp_path / "k.zarr", chunk=90)
    assert window.call_count > 1
    np.testing.assert_allclose(gram[:], expected, rtol=1e-12)


@pytest.mark.parametrize("options", FORMS.values(), ids=FORMS)
def test_a_cluster_writes_the_same_numbers(client, graphs, tmp_path, options):
    alone = nask.write_gram(nask.NASK(**options), graphs, tmp_path / "a.zarr", chunk=CHUNK)
    client.run(count_comparisons)
    steps = []
    kernel = nask.NASK(**options, verbose=lambda *step: steps.append(step))
    address = client.scheduler.address
    with spied() as window:
        gram = nask.write_gram(kernel, graphs, tmp_path / "b.zarr", address, chunk=CHUNK)
    assert window.call_count == 0
    np.testing.assert_array_equal(gram[:], alone[:])
    assert steps[-1] == (len(steps), len(steps))
    # 15 tiles, and the graphs travelled to each worker once.
    assert set(client.run(n_arrived).values()) == {1}


def test_joblibs_dask_is_the_cluster_too(client, graphs, tmp_path, expected):
    with joblib.parallel_config("dask", client=client), spied() as window:
        gram = nask.write_gram(nask.NASK(**OPTIONS), graphs, tmp_path / "k.zarr", chunk=CHUNK)
    assert window.call_count == 0
    np.testing.assert_array_equal(gram[:], expected)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
@pytest.mark.parametrize("form", ["pairwise", "rbf"])
def test_a_worker_that_is_killed_in_the_middle(client, graphs, tmp_path, form):
    options = FORMS[form]
    alone = nask.write_gram(nask.NASK(**options), graphs, tmp_path / "a.zarr", chunk=10)
    killed = []

    def kill(done, total):
        if done == 5:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    kernel = nask.NASK(**options, verbose=kill)
    gram = nask.write_gram(kernel, graphs, tmp_path / "b.zarr", client, chunk=10)
    assert killed
    assert killed[0] not in client.run(os.getpid).values()
    np.testing.assert_array_equal(gram[:], alone[:])


# A client that kills itself where a number of tiles is done.
KILLED = """
import os, signal, sys
import nask

def kill(done, total):
    if done == 5:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    graphs = nask.load_dataset("MUTAG").graphs[:90]
    kernel = nask.NASK(n_hops=2, engine="pairwise", verbose=kill)
    nask.write_gram(kernel, graphs, sys.argv[1], sys.argv[2], chunk=10)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_a_client_that_is_killed_goes_on(client, graphs, tmp_path):
    path, address = tmp_path / "k.zarr", client.scheduler.address
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), address], check=False)
    assert done.returncode == -signal.SIGKILL
    client.run(lambda: None)
    assert zarr.open_group(path).attrs["complete"] is False
    before = chunk_files(path)
    assert 5 <= len(before) < 81
    file = next(iter(before))
    damage(file, 17)
    again = nask.write_gram(nask.NASK(**OPTIONS), graphs, path, client)
    alone = nask.write_gram(nask.NASK(**OPTIONS), graphs, tmp_path / "a.zarr", chunk=10)
    np.testing.assert_array_equal(again[:], alone[:])
    assert zarr.open_group(path).attrs["complete"] is True
    after = chunk_files(path)
    # The damaged chunk and its mirror image are new, those both of which were there are not.
    assert after[file] != before[file]
    image = {f: f.parents[1] / f.name / f.parent.name for f in before}
    kept = [f for f in before if image[f] in before and file not in (f, image[f])]
    assert kept
    assert all(after[f] == before[f] for f in kept)


def test_parameters_are_json(graphs, tmp_path):
    kernel = nask.NASK(n_hops=1, attribute_weights={"node_label": np.float32(2)})
    nask.write_gram(kernel, graphs, tmp_path / "k.zarr")
    metadata = json.loads((tmp_path / "k.zarr" / "zarr.json").read_text())
    assert metadata["attributes"]["parameters"]["attribute_weights"] == {"node_label": 2.0}
