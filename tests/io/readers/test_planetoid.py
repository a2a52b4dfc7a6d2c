from __future__ import annotations

import os
import pickle
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from nask import AttributedGraph
from nask.exceptions import FormatError, ParameterError
from nask.io.node_dataset import NodeDataset
from nask.io.readers.planetoid import read_planetoid

NETWORKS = ["Cora", "Citeseer", "Pubmed"]


def real_zip(name: str) -> Path:
    for folder in os.environ.get("NASK_DATA", "").split(os.pathsep):
        if folder.strip() and (Path(folder) / f"{name}.zip").is_file():
            return Path(folder) / f"{name}.zip"
    return pytest.skip(f"{name}.zip is not in a folder named by the variable NASK_DATA")


def same(a: NodeDataset, b: NodeDataset) -> bool:
    arrays = ("y", "train", "validation", "test")
    return (
        a.graph == b.graph
        and a.graph.node_features.shape == b.graph.node_features.shape
        and (a.graph.node_features != b.graph.node_features).nnz == 0
        and all(np.array_equal(getattr(a, part), getattr(b, part)) for part in arrays)
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_npz_and_pickles_of_the_real_sets_agree(name, tmp_path):
    source = real_zip(name)
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(tmp_path / "raw.zip", "w") as raw:
        for file in given.namelist():
            if not file.endswith(".npz"):
                raw.writestr(file, given.read(file))
    npz, pickles = read_planetoid(source), read_planetoid(tmp_path / "raw.zip")
    assert (npz.name, pickles.name) == (name, name.lower())
    assert same(npz, pickles)
    loops = {"Cora": None, "Citeseer": "124 self-loops", "Pubmed": "3 self-loops"}[name]
    assert any("self-loops" in note for note in pickles.notes) == (loops is not None)
    assert loops is None or loops in pickles.notes[0]
    assert any("15 nodes have no class" in note for note in npz.notes) == (name == "Citeseer")


# Nodes 0 to 2 are known and 0 is to train on; 5 and 3 are to test on, 4 is in no file.
WORDS = np.array([[1, 0], [0, 2], [0, 0]], dtype=np.float32)
RAW = {
    "x": sparse.csr_matrix(WORDS[:1]),
    "y": np.array([[0, 1]], dtype=np.int32),
    "allx": sparse.csr_matrix(WORDS),
    "ally": np.array([[0, 1], [1, 0], [0, 0]], dtype=np.int32),
    "tx": sparse.csr_matrix(np.array([[5, 5], [3, 0]], dtype=np.float32)),
    "ty": np.array([[1, 0], [0, 1]], dtype=np.int32),
    "graph": defaultdict(list, {0: [1, 1, 0], 1: [0, 5], 5: [1], 2: [3], 4: []}),
}


def write_raw(folder: Path, **changes: object) -> Path:
    for part, value in {**RAW, **changes}.items():
        data = value if isinstance(value, bytes) else pickle.dumps(value, protocol=4)
        (folder / f"ind.tiny.{part}").write_bytes(data)
    (folder / "ind.tiny.test.index").write_text("5\n3\n")
    return folder


def test_pickles_by_hand(tmp_path):
    data = read_planetoid(write_raw(tmp_path), name="Tiny")
    assert data.name == "Tiny"
    assert data.graph.n_nodes == 6
    assert data.graph.edges.tolist() == [[0, 1], [1, 5], [2, 3]]
    assert data.y.tolist() == [1, 0, -1, 1, -1, 0]
    rows = [[1, 0], [0, 2], [0, 0], [3, 0], [0, 0], [5, 5]]
    assert data.graph.node_features.toarray().tolist() == rows
    assert data.train.tolist() == [0]
    assert data.validation.tolist() == [1, 2]
    assert data.test.tolist() == [3, 5]
    assert data.notes == (
        "ind.tiny.graph: 1 self-loops removed.",
        "ind.tiny.graph: 1 repeats of an edge removed.",
        "ind.tiny.graph: 1 edges listed in one direction only.",
        "2 nodes have no class: y is -1 there.",
    )


class Shell:
    """A pickle of it runs a command when it is read."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):
        return os.system, (f"echo broken > {self.target}",)


@pytest.mark.parametrize("part", ["graph", "allx", "ty"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_pickle_with_code_is_refused_and_not_run(tmp_path, part, protocol):
    harm = tmp_path / "harm"
    evil = pickle.dumps([Shell(harm)], protocol=protocol)
    pickle.loads(evil)
    assert harm.exists()  # so the trap works
    harm.unlink()
    write_raw(tmp_path, **{part: evil})
    with pytest.raises(FormatError, match=rf"ind.tiny.{part} .* it would call (posix|nt).system"):
        read_planetoid(tmp_path)
    assert not harm.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"graph": b"\x80\x02"}, "ind.tiny.graph cannot be read"),
        ({"graph": [1, 2]}, "ind.tiny.graph holds a list: expected a dictionary"),
        ({"graph": {0: [1], 1: [[0]]}}, "ind.tiny.graph .* expected whole numbers. It is entry 1"),
        ({"graph": {"a": [1]}}, "ind.tiny.graph .* expected whole numbers. It is entry 0"),
        ({"graph": {0: np.arange(3)}}, "ind.tiny.graph .* expected whole numbers. It is entry 0"),
        ({"graph": {0: [9]}}, r"\(0, 9\)"),
        ({"allx": np.eye(3)}, "ind.tiny.allx does not hold a sparse matrix"),
        ({"tx": sparse.csr_matrix(np.eye(2, 3))}, "do not make up"),
        ({"ty": np.eye(3, 2)}, "do not make up"),
        ({"ally": 3}, "ind.tiny.ally does not hold a matrix"),
        ({"ally": np.zeros((2**40, 0))}, "ind.tiny.ally does not hold a matrix"),
        # Training nodes 0 to 3, of which 3 is to test on.
        ({"y": np.eye(4, 2)}, "ind.tiny.y has 4 rows, but ally has 3"),
    ],
)
def test_files_that_contradict_each_other(tmp_path, change, message):
    with pytest.raises(FormatError, match=message):
        read_planetoid(write_raw(tmp_path, **change))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("5\n5\n", "test.index names a node twice"),
        ("5\n2\n", "test.index names a node twice"),
        ("5\n-3\n", "test.index: the 2. entry is '-3'; expected a node"),
        ("5\nthree\n", "test.index: the 2. entry is 'three'; expected a node"),
        ("5\n" + "9" * 5000, "test.index: the 2. entry is '9{20}'; expected a node"),
        ("5\n" + "9" * 18, "test.index names node 9{18}, but all files together name 10 nodes"),
    ],
)
def test_each_test_node_is_one_of_its_own(tmp_path, index, message):
    write_raw(tmp_path)
    (tmp_path / "ind.tiny.test.index").write_text(index)
    with pytest.raises(FormatError, match=message):
        read_planetoid(tmp_path)


def test_parts_of_a_sparse_matrix_that_lead_out_of_memory(tmp_path):
    for part, value in (
        ("indptr", [0, 2**31 - 1, 1, 2]), ("indptr", [0, -5, 1, 2]), ("indices", [0, 2]),
        ("indices", [-1, 1]), ("data", [1.0]), ("data", [[1.0, 2.0]]), ("data", [1j, 2j]),
        ("indices", [0.0, 1.0]), ("_shape", (3, -2)), ("_shape", (3,)), ("_shape", None),
    ):  # fmt: skip
        matrix = sparse.csr_matrix(WORDS)
        vars(matrix)[part] = np.array(value) if isinstance(value, list) else value
        with pytest.raises(FormatError, match=r"ind.tiny.allx"):
            read_planetoid(write_raw(tmp_path, allx=matrix))


@pytest.mark.parametrize("part", ["x", "y", "tx", "ty", "allx", "ally", "test.index"])
def test_a_file_that_is_not_there(tmp_path, part):
    write_raw(tmp_path)
    (tmp_path / f"ind.tiny.{part}").unlink()
    if part == "x":  # its rows are the first of allx
        assert read_planetoid(tmp_path).graph.n_nodes == 6
    else:
        with pytest.raises(FormatError, match=rf"ind.tiny.{part} does not exist"):
            read_planetoid(tmp_path)


ARRAYS = {
    "edges": [[2, 1], [0, 1], [1, 2], [2, 2]], "labels": [0, 1, -1], "x_data": [1.0],
    "x_indices": [1], "x_indptr": [0, 1, 1, 1], "x_shape": [3, 2], "train_idx": [0],
    "val_idx": [1], "test_idx": [2],
}  # fmt: skip


def test_npz_by_hand(tmp_path):
    np.savez(tmp_path / "tiny.npz", **ARRAYS)
    data = read_planetoid(tmp_path)
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert data.graph.node_features.toarray().tolist() == [[0, 1], [0, 0], [0, 0]]
    assert (data.y.tolist(), data.test.tolist()) == ([0, 1, -1], [2])
    assert data.notes == (
        "tiny.npz: 1 self-loops removed.",
        "tiny.npz: 1 repeats of an edge removed.",
        "1 nodes have no class: y is -1 there.",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [[0, 3]]}, r"\(0, 3\)"),
        ({"labels": [0, 1]}, "'y' parameter"),
        ({"labels": [0.5, 1, 1]}, "'y' parameter"),
        ({"x_indices": [2]}, "tiny.npz: the arrays of the matrix do not fit"),
        ({"x_data": ["a"]}, "tiny.npz: the data of the matrix are no row of numbers"),
        ({"edges": [[0.5, 1]]}, "do not make up"),
        ({"x_indptr": [0, 1, 1]}, "do not make up"),
        ({"x_shape": [4, 2]}, "do not make up"),
        ({"test_idx": [3]}, "'test' must be positions"),
        ({"test_idx": [2, 0]}, "1 nodes of tiny are in both train and test, the first of them 0"),
        ({"train_idx": np.array([{}])}, "cannot be read"),
        ({"test_idx": None}, "lacks the arrays test_idx"),
    ],
)
def test_an_npz_that_contradicts_itself(tmp_path, change, message):
    arrays = {key: value for key, value in {**ARRAYS, **change}.items() if value is not None}
    np.savez(tmp_path / "tiny.npz", **arrays)
    with pytest.raises(FormatError, match=message):
        read_planetoid(tmp_path)


def test_which_set_of_a_folder(tmp_path):
    with pytest.raises(FormatError, match="holds no file"):
        read_planetoid(tmp_path)
    write_raw(tmp_path)
    np.savez(tmp_path / "Tiny.npz", **ARRAYS)
    assert read_planetoid(tmp_path).graph.n_nodes == 3  # the npz of the same set wins
    np.savez(tmp_path / "other.npz", **ARRAYS)
    with pytest.raises(FormatError, match="several sets: Tiny, other"):
        read_planetoid(tmp_path)
    assert read_planetoid(tmp_path, name="other").name == "other"
    with pytest.raises(FormatError, match="Did you mean 'Tiny'"):
        read_planetoid(tmp_path, name="Tny")


def tiny(**changes: object) -> NodeDataset:
    given = {
        "y": [0, 1, -1], "train": [0], "validation": [], "test": np.array([2, 1]), **changes,
    }  # fmt: skip
    graph = AttributedGraph(3, [(0, 1)], node_features=sparse.csr_matrix(np.eye(3)))
    return NodeDataset("tiny", graph, **given)


def test_a_node_dataset_is_read_only_and_apart_from_its_input():
    y = np.array([0, 1, 1])
    data = tiny(y=y)
    y[0] = 1
    assert data.y.tolist() == [0, 1, 1]
    copy = pickle.loads(pickle.dumps(data))
    assert same(data, copy)
    for some in (data, copy):
        X = some.graph.node_features
        for array in (X.data, X.indices, X.indptr, some.y, some.train, some.validation, some.test):
            assert not array.flags.writeable


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0, 1, -2]}, "values of -2 to 1"),
        ({"y": [0, 1, np.nan]}, "values of type float64"),
        ({"train": [3]}, "'train' .* 0 to 2, .* Got 3"),
        ({"validation": [-1]}, "'validation'"),
        ({"test": [True, False]}, "'test' is a mask of 2 values, but the graph has 3 nodes"),
        ({"test": [[1]]}, r"'test' .* shape \(1, 1\)"),
    ],
)
def test_a_node_dataset_that_contradicts_itself(change, message):
    with pytest.raises(ParameterError, match=message):
        tiny(**change)
