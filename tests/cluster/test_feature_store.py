"""Features in a Zarr store: the same rows, by whom and in how many runs they come."""

import os
import signal
from unittest.mock import patch

import numpy as np
import pytest

import nask
from nask.exceptions import FormatError, ParameterError
from size_features import SizeFeatures

zarr = pytest.importorskip("zarr")

# 90 graphs in chunks of 20, the last of 10.
CHUNK, N_CHUNKS = 20, 5


def chunk_files(path):
    # By their name: a worker that is killed may leave the beginning of one, under another name.
    return {file: file.stat().st_mtime_ns for file in path.glob("features/c/*/0")}


def spied():
    """Count the calls in this process."""
    transform = SizeFeatures.transform
    return patch.object(SizeFeatures, "transform", autospec=True, side_effect=transform)


@pytest.fixture
def path(graphs, tmp_path):
    """A store that is complete."""
    nask.write_features(SizeFeatures(), graphs, tmp_path / "a.zarr", chunk=CHUNK)
    return tmp_path / "a.zarr"


def test_the_store_holds_the_features(graphs, path):
    found = zarr.open_group(path, mode="r")
    np.testing.assert_array_equal(
        found["features"][:], SizeFeatures().fit_transform(graphs), strict=True
    )
    assert found["features"].chunks == (CHUNK, 4)
    assert found.attrs["complete"] is True
    assert found.attrs["parameters"] == {"n_components": 4, "n_hops": 3, "random_state": 0}


def test_a_fitted_transformer_is_not_fitted_again(graphs, tmp_path):
    features = SizeFeatures().fit(graphs[:3])
    with patch.object(SizeFeatures, "fit", side_effect=AssertionError):
        nask.write_features(features, graphs, tmp_path / "k.zarr", y=np.arange(90))
    np.testing.assert_array_equal(zarr.open_group(tmp_path / "k.zarr")["y"][:], np.arange(90))


def test_what_is_there_is_skipped_and_what_is_damaged_done_again(graphs, path):
    before = chunk_files(path)
    gone, damaged, *_, short = before
    gone.unlink()
    data = bytearray(damaged.read_bytes())
    data[33] ^= 4
    damaged.write_bytes(data)
    short.write_bytes(short.read_bytes()[:50])
    done = []
    features = SizeFeatures(verbose=lambda *step: done.append(step))
    with spied() as transform:
        found = nask.write_features(features, graphs, path)
    assert transform.call_count == 3
    assert done == [(k, N_CHUNKS) for k in range(1, N_CHUNKS + 1)]
    np.testing.assert_array_equal(found[:], SizeFeatures().fit_transform(graphs))
    after = chunk_files(path)
    same = [file for file in before if file not in (gone, damaged, short)]
    assert all(after[file] == before[file] for file in same)


@pytest.mark.parametrize(
    ("features", "n", "message"),
    [
        (SizeFeatures(random_state=1), 90, "was computed with random_state=0, not 1"),
        (SizeFeatures(n_components=5), 90, "was computed with n_components=4, not 5"),
        (SizeFeatures(), 89, "is of other graphs"),
        (SizeFeatures().fit([nask.AttributedGraph(1)]), 90, "is of other graphs, or was fitted"),
        (nask.NASK(n_hops=1), 90, "holds features, not a Gram matrix"),
    ],
)
def test_a_store_of_something_else_is_left_alone(graphs, path, features, n, message):
    before = chunk_files(path)
    write = nask.write_gram if isinstance(features, nask.NASK) else nask.write_features
    with pytest.raises(FormatError, match=message):
        write(features, graphs[:n], path)
    assert chunk_files(path) == before


def test_features_of_nodes_are_refused(graphs, tmp_path):
    features = SizeFeatures()
    features.level = "node"
    with pytest.raises(ParameterError, match=r"The 'level' parameter .* must be 'graph'"):
        nask.write_features(features, graphs, tmp_path / "k.zarr")


def test_the_transformer_stays_as_it_was(graphs, path):
    features = SizeFeatures()
    for _ in range(2):
        nask.write_features(features, graphs, path)
    assert not hasattr(features, "n_attributes_")


def test_how_to_run_makes_no_difference(graphs, path):
    with spied() as transform:
        nask.write_features(SizeFeatures(n_jobs=2, verbose=True), graphs, path)
    assert transform.call_count == 0


def test_a_chunk_is_a_number_of_graphs(graphs, tmp_path):
    with pytest.raises(ParameterError, match="The 'chunk' parameter of write_features must be"):
        nask.write_features(SizeFeatures(), graphs, tmp_path / "k.zarr", chunk=0)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
@pytest.mark.parametrize("n_killed", [0, 1])
def test_a_cluster_writes_the_same_rows(client, graphs, tmp_path, n_killed):
    def kill(done, total):
        if done == 5:
            for pid in list(client.run(os.getpid).values())[:n_killed]:
                os.kill(pid, signal.SIGKILL)

    features = SizeFeatures(verbose=kill, n_jobs=-1)
    with spied() as transform:
        found = nask.write_features(features, graphs, tmp_path / "k.zarr", client, chunk=3)
    assert transform.call_count == 0
    np.testing.assert_array_equal(found[:], SizeFeatures().fit_transform(graphs))
    assert features.n_jobs == -1
    assert len(chunk_files(tmp_path / "k.zarr")) == 30


def test_the_features_of_the_kernel(client, graphs, tmp_path):
    features = nask.NASKFeatures(n_components=64, n_hops=2)
    alone = nask.write_features(features, graphs, tmp_path / "a.zarr", chunk=CHUNK)
    spread = nask.write_features(features, graphs, tmp_path / "b.zarr", client, chunk=7)
    expected = features.fit_transform(graphs)
    np.testing.assert_array_equal(alone[:], expected, strict=True)
    np.testing.assert_array_equal(spread[:], expected, strict=True)
