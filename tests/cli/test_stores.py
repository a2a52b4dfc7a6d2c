"""``nask gram`` and ``nask features`` with a chunked store, alone and with a cluster."""

import logging
import re

import numpy as np
import pytest

import nask
from nask.exceptions import FormatError, ParameterError

zarr = pytest.importorskip("zarr")


@pytest.fixture(scope="module")
def address():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


def test_a_gram_matrix_in_a_store(invoke, tmp_path, mutag):
    out = tmp_path / "k.zarr"
    command = ["gram", "MUTAG", "--out", out, "--hops", 2, "--chunk", 50, "--gamma", 0.5]
    done = invoke(*command, "--plot", tmp_path / "k.png")
    assert "188 graphs" in done.stdout
    found = zarr.open_group(out, mode="r")
    expected = nask.NASK(n_hops=2, gamma=0.5).fit_transform(mutag.graphs)
    np.testing.assert_allclose(found["gram"][:], expected, rtol=1e-12)
    np.testing.assert_array_equal(found["y"][:], mutag.y)
    assert found["gram"].chunks == (50, 50)
    assert (tmp_path / "k.png").read_bytes().startswith(b"\x89PNG")
    chunk = out / "gram" / "c" / "1" / "2"
    chunk.unlink()
    other = (out / "gram" / "c" / "0" / "0").stat().st_mtime_ns
    invoke(*command)
    assert chunk.exists()
    assert (out / "gram" / "c" / "0" / "0").stat().st_mtime_ns == other
    with pytest.raises(FormatError, match="was computed with n_hops=2, not 3"):
        invoke("gram", "MUTAG", "--out", out, "--gamma", 0.5)


@pytest.mark.slow
def test_a_cluster_fills_the_store(process, tmp_path, mutag, address):
    out = tmp_path / "k.zarr"
    options = ["--hops", 1, "--chunk", 100, "--gram", "rbf", "--scheduler", address]
    done = process("gram", "MUTAG", "--out", out, *options)
    assert (done.returncode, done.stderr) == (0, "")
    expected = nask.NASK(n_hops=1, gram="rbf").fit_transform(mutag.graphs)
    found = zarr.open_group(out, mode="r")["gram"][:]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.slow
def test_features_in_a_store(invoke, tmp_path, mutag):
    out = tmp_path / "f.zarr"
    options = ["--components", 48, "--seed", 2, "--hops", 2, "--gamma", 0.5, "--gamma-star", 3]
    options += ["--no-edges", "--degree", "categorical"]
    done = invoke("features", "MUTAG", "--out", out, "--chunk", 50, *options)
    assert "48 features of 188 graphs" in done.stdout
    found = zarr.open_group(out, mode="r")
    model = nask.NASKFeatures(**found.attrs["parameters"])
    given = {"n_hops": 2, "gamma": 0.5, "gamma_star": 3.0, "degree": "categorical"}
    expected = nask.NASKFeatures(n_components=48, random_state=2, use_edges=False, **given)
    assert model.get_params() == expected.get_params()
    np.testing.assert_array_equal(found["features"][:], expected.fit_transform(mutag.graphs))
    np.testing.assert_array_equal(found["y"][:], mutag.y)
    assert found["features"].chunks == (50, 48)
    partition = out / "features" / "c" / "1" / "0"
    partition.unlink()
    invoke("features", "MUTAG", "--out", out, *options)
    assert partition.exists()


@pytest.mark.parametrize("name", ["f.npy", "f.npz", "F.NPZ"])
def test_features_in_a_file(invoke, tmp_path, mutag, name):
    invoke("features", "MUTAG", "--out", tmp_path / name, "--components", 48)
    expected = nask.NASKFeatures(n_components=48).fit_transform(mutag.graphs)
    found = np.load(tmp_path / name)
    if name != "f.npy":
        assert '"n_components": 48' in str(found["parameters"])
        np.testing.assert_array_equal(found["y"], mutag.y)
        found = found["features"]
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("command", ["gram", "features"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "k.npy", "--scheduler", "tcp://x:1"], r"--scheduler needs .* ends in \.zarr"),
        (["--out", "k.npz", "--chunk", "5"], r"--chunk needs .* ends in \.zarr, not k\.npz"),
        (["--out", "k.txt"], r"the ending '\.txt' is unknown.* \.npy, \.npz, \.zarr"),
        (["--out", "nowhere/k.zarr"], "there is no folder"),
        (["--out", "k.zarr", "--chunk", "0"], "The 'chunk' parameter"),
    ],
)
def test_wrong_options(invoke, tmp_path, monkeypatch, command, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=message):
        invoke(command, "MUTAG", *options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["gram", "features"])
def test_help_names_the_options(invoke, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "120")
    text = re.sub("\x1b[^m]*m", "", invoke(command, "--help").stdout)
    for option in ("--scheduler", "--chunk", "--out", "--hops"):
        assert option in text
