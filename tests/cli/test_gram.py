"""``nask gram``: the file holds what the kernel computes, and is whole or not there."""

import inspect
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import nask
from nask.cli.kernel_options import kernel_options
from nask.exceptions import NaskError, ParameterError
from nask.kernels.parameters import RUNNING
from nask.storage.json_lines import JsonLines

# Every option of the kernel once, away from its default.
OPTIONS = {
    ("--hops", "2"): {"n_hops": 2},
    ("--gamma", "0.5"): {"gamma": 0.5},
    ("--gamma-star", "3"): {"gamma_star": 3.0},
    ("--expansion", "ball"): {"expansion": "ball"},
    ("--attributes", "numerical"): {"attributes": "numerical"},
    ("--degree", "numerical"): {"degree": "numerical"},
    ("--gram", "rbf", "--gram-scale", "2"): {"gram": "rbf", "gram_scale": 2.0},
    ("--no-normalize",): {"normalize": False},
    ("--no-star-norm",): {"star_norm": False},
    ("--no-edges",): {"use_edges": False},
    ("--dtype", "float32"): {"dtype": "float32"},
    ("--similarity", "one-hot"): {"similarity": "one-hot"},
    ("--max-leaves", "1"): {"max_leaves": 1},
}
READERS = {
    "k.npy": np.load,
    "k.npz": lambda path: np.load(path)["gram"],
    "k.csv": lambda path: np.loadtxt(path, delimiter=","),
}


def paths(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("options", "parameters"), OPTIONS.items())
def test_every_option_is_a_parameter_of_the_kernel(invoke, tmp_path, mutag, options, parameters):
    out = tmp_path / "gram.npz"
    invoke("gram", "MUTAG", "--out", out, *options)
    with np.load(out) as file:
        expected = nask.NASK(**parameters).fit_transform(mutag.graphs)
        np.testing.assert_allclose(file["gram"], expected, rtol=1e-12)
        assert file["gram"].dtype == expected.dtype
        np.testing.assert_array_equal(file["y"], mutag.y)
        again = nask.NASK(**json.loads(str(file["parameters"])))
    assert {**again.get_params()} == nask.NASK(**parameters).get_params()
    plain = nask.NASK().fit_transform(mutag.graphs[:9])
    assert np.abs(plain - expected[:9, :9]).max() > 1e-9  # the option makes a difference


def test_options_and_their_defaults_are_those_of_the_kernel():
    tried = {name for parameters in OPTIONS.values() for name in parameters}
    assert tried | {"n_jobs", "memory_limit"} == set(inspect.signature(kernel_options).parameters)
    given = {k: v for k, v in kernel_options().items() if k not in RUNNING}
    defaults = nask.NASK().get_params()
    assert given == {name: defaults[name] for name in given}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["k.npy", "K.NPY", "k.csv"])
def test_the_matrix_alone_is_written_exactly(invoke, tmp_path, mutag, name, dtype):
    invoke("gram", "MUTAG", "--out", tmp_path / name, "--hops", 1, "--dtype", dtype, "--n-jobs", 1)
    expected = nask.NASK(n_hops=1, dtype=dtype).fit_transform(mutag.graphs)
    found = READERS[name.lower()](tmp_path / name)
    np.testing.assert_array_equal(found.astype(dtype), expected)
    assert paths(tmp_path) == [name]


def test_a_dataset_by_its_path_without_targets(invoke, tmp_path, tiny):
    invoke("gram", tiny(), "--out", tmp_path / "k.npz", "--plot", tmp_path / "k.svg")
    with np.load(tmp_path / "k.npz") as file:
        assert file["gram"].shape == (6, 6)
        assert "y" not in file
    assert (tmp_path / "k.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    "targets",
    [
        {"graph_labels": [1, 1, 1, 2, 2, 2]},
        {"graph_attributes": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]},
        {"graph_attributes": [f"{k}.5, 1.5" for k in range(6)]},
    ],
)
def test_every_kind_of_target_can_be_drawn(invoke, tmp_path, tiny, targets):
    invoke("gram", tiny(**targets), "--out", tmp_path / "k.npz", "--plot", tmp_path / "k.png")
    assert (tmp_path / "k.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("out", "plot", "message"),
    [
        ("k.txt", None, r"k\.txt: the ending '\.txt' is unknown\. .* --out .* \.csv, \.npy, \.npz"),
        ("k", None, "the ending '' is unknown"),
        ("nowhere/k.npz", None, "there is no folder .*nowhere. .* give --out a place in one that"),
        ("folder.npz", None, "it is a folder. Give --out the name of a file"),
        ("k" * 300 + ".npz", None, "a name in it has 304 bytes, .* Give --out a shorter name"),
        ("k.npz", "k.docx", r"k\.docx: the ending '\.docx' is unknown\. .* --plot"),
        ("k.npz", "nowhere/k.png", "give --plot a place in one that exists"),
    ],
)
def test_a_wrong_place_is_an_error_before_anything_is_computed(
    invoke, tmp_path, monkeypatch, out, plot, message
):
    def computed(*_):
        pytest.fail("the computation began")

    monkeypatch.setattr(nask.NASK, "fit_transform", computed)
    (tmp_path / "folder.npz").mkdir()
    arguments = ["--plot", tmp_path / plot] if plot else []
    with pytest.raises(NaskError, match=message):
        invoke("gram", "MUTAG", "--out", tmp_path / out, *arguments)
    assert paths(tmp_path) == ["folder.npz"]


def test_a_failure_leaves_the_old_file_as_it_was(invoke, tmp_path, monkeypatch):
    out = tmp_path / "k.npz"
    out.write_text("old")
    monkeypatch.setattr("nask.cli.gram.np.savez", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        invoke("gram", "MUTAG", "--out", out, "--hops", 1)
    assert out.read_text() == "old"
    assert paths(tmp_path) == ["k.npz"]


def test_a_failure_to_draw_leaves_the_matrix(invoke, tmp_path, monkeypatch):
    monkeypatch.setattr("nask.plots.kernel_overview", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        invoke(
            "gram", "MUTAG", "--out", tmp_path / "k.npz", "--plot", tmp_path / "k.png", "--hops", 1
        )
    assert paths(tmp_path) == ["k.npz"]


@pytest.mark.skipif(not hasattr(os, "umask"), reason="permissions are those of POSIX")
def test_the_file_has_the_permissions_of_any_other(invoke, tmp_path):
    invoke("gram", "MUTAG", "--out", tmp_path / "k.npy", "--hops", 1)
    (tmp_path / "other").touch()
    assert (tmp_path / "k.npy").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_is_followed(invoke, tmp_path):
    real, link = tmp_path / "real.npy", tmp_path / "link.npy"
    real.touch()
    link.symlink_to(real)
    invoke("gram", "MUTAG", "--out", link, "--hops", 1)
    assert link.is_symlink()
    assert np.load(real).shape == (188, 188)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gamma", "-1"], "The 'gamma' parameter of NASK must be"),
        (["--memory-limit", "1KB"], "memory"),
        (["--memory-limit", "much"], "'4GB'. Got 'much' instead"),
        (["--n-jobs", "0"], "n_jobs"),
    ],
)
def test_values_out_of_range_are_the_kernels_own_errors(invoke, tmp_path, arguments, message):
    with pytest.raises(NaskError, match=message):
        invoke("gram", "MUTAG", "--out", tmp_path / "k.npz", *arguments)
    assert paths(tmp_path) == []


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A dataset of 600 paths of 1 to 6 nodes, as a folder: its Gram matrix takes 2.9 MB."""
    folder = tmp_path_factory.mktemp("data") / "MANY"
    folder.mkdir()
    nodes, edges = ["graph,node,x"], ["graph,source,target"]
    for graph in range(600):
        size = graph % 6 + 1
        nodes += [f"{graph},{node},{(graph + node) % 10}" for node in range(size)]
        edges += [f"{graph},{node},{node + 1}" for node in range(size - 1)]
    (folder / "nodes.csv").write_text("\n".join(nodes) + "\n")
    (folder / "edges.csv").write_text("\n".join(edges) + "\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("form", ["linear", "rbf"])
def test_a_matrix_larger_than_memory_is_the_same_file(invoke, tmp_path, many, form):
    options = ["--hops", 1, "--gram", form, "--n-jobs", 1]
    invoke("gram", many, "--out", tmp_path / "whole.npy", *options)
    whole = np.load(tmp_path / "whole.npy")
    for name, read in READERS.items():
        # A picture is drawn of the same numbers, whatever file they come from.
        drawn = ["k.svg"] if name == "k.npy" else []
        folder = tmp_path / name
        folder.mkdir()
        plot = [part for file in drawn for part in ("--plot", folder / file)]
        invoke("gram", many, "--out", folder / name, "--memory-limit", "2MB", *plot, *options)
        np.testing.assert_allclose(read(folder / name), whole, rtol=1e-12)
        assert paths(folder) == sorted([name, *drawn])


# The command, which kills itself where a number of tiles is done.
KILLED = """
import os, signal
from nask.cli.main import run
from nask.storage.json_lines import JsonLines

append, noted = JsonLines.append, []

def note(record, line):
    append(record, line)
    noted.extend([line] * ("crc32" in line))
    if len(noted) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

JsonLines.append = note
run()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_a_killed_command_goes_on(invoke, tmp_path, many, monkeypatch):
    command = ["gram", many, "--out", tmp_path / "k.npy", "--memory-limit", "2MB", "--hops", 1]
    done = subprocess.run([sys.executable, "-c", KILLED, *map(str, command)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert ".k.npy.unfinished" in paths(tmp_path)
    assert "k.npy" not in paths(tmp_path)
    noted = []
    append = JsonLines.append

    def note(record, line):
        noted.extend([line] * ("crc32" in line))
        append(record, line)

    monkeypatch.setattr(JsonLines, "append", note)
    invoke(*command)
    # 600 graphs, 250 along a tile: 6 tiles on and above the diagonal.
    assert len(noted) == 3
    assert ".k.npy.unfinished" not in paths(tmp_path)
    expected = nask.NASK(n_hops=1).fit_transform(nask.load_dataset(str(many)).graphs)
    np.testing.assert_allclose(np.load(tmp_path / "k.npy"), expected, rtol=1e-12)


def test_a_network_of_nodes_is_refused(benchmark_set, invoke, tmp_path):
    benchmark_set("Cora")
    with pytest.raises(ParameterError, match="Cora is one network"):
        invoke("gram", "Cora", "--out", tmp_path / "k.npz")


@pytest.mark.slow
def test_as_a_process(process, tmp_path, mutag):
    out, plot = tmp_path / "k.npz", tmp_path / "k.png"
    done = process("gram", "MUTAG", "--out", out, "--plot", plot, "--hops", 2)
    assert (done.returncode, done.stderr) == (0, "")
    assert "188 graphs" in done.stdout
    np.testing.assert_allclose(
        np.load(out)["gram"], nask.NASK(n_hops=2).fit_transform(mutag.graphs), rtol=1e-12
    )
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_help_names_every_option(invoke, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    text = re.sub("\x1b[^m]*m", "", invoke("gram", "--help").stdout)
    for options in OPTIONS:
        assert options[0] in text
    assert "DATASET" in text
