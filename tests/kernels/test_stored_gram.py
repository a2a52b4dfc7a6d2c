"""Gram matrices larger than memory: the same numbers, in a file, whatever happens on the way."""

import errno
import gc
import json
import os
import subprocess
import sys
import threading
import tracemalloc
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import SVC

import nask
from nask.engines.selection import ENGINES
from nask.exceptions import (
    AbsentAttributeWarning,
    FileWriteError,
    FormatError,
    MemoryLimitError,
    ParameterError,
    UnseenAttributeWarning,
)
from nask.storage.window import Window
from strategies import collections

# 12 graphs of 1 to 6 nodes: 144 numbers.
GRAPHS = [
    nask.AttributedGraph(
        n, [(i, i + 1) for i in range(n - 1)], {"x": [i * k % 5 for i in range(n)]}
    )
    for k in (1, 3)
    for n in range(1, 7)
]
# Enough for 2 hops and the sum of 5 x 5 pairs of graphs, so for tiles of 3 x 3: 10 of them.
LIMITED = {"engine": "reference", "n_hops": 2, "memory_limit": 400}
N_TILES = 10
WHOLE = {**LIMITED, "memory_limit": None}


def paths(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def spied(name="reference", method="grams"):
    return patch.object(ENGINES[name], method, wraps=getattr(ENGINES[name], method))


@pytest.mark.slow
@given(data=st.data(), symmetric=st.booleans())
@pytest.mark.parametrize("engine", ENGINES)
def test_a_window_is_a_part_of_the_whole(engine, data, symmetric):
    options = {"n_hops": 2, "gamma_star": 4.0}
    if engine == "explicit":
        options["expansion"] = "ball"
    train, new = data.draw(collections(min_size=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        fast, oracle = (nask.NASK(engine=e, **options).fit(train) for e in (engine, "reference"))
        fitted, execution = fast.fitted_, fast.execution()
        rows = fitted.graphs if symmetric else fitted.prepare(new, execution)
        expected = oracle.hop_grams(train if symmetric else new)

    def some(n):
        first = data.draw(st.integers(0, n - 1))
        return slice(first, data.draw(st.integers(first + 1, n)))

    window = Window(some(expected.shape[1]), some(expected.shape[2]))
    grams = ENGINES[engine].grams(rows, fitted.graphs, np.eye(2), execution, window)
    assert grams.shape == (2, *window.shape)
    expected = expected[:, window.rows, window.columns]
    np.testing.assert_allclose(grams, expected, rtol=1e-10, atol=1e-14)


@given(
    n=st.integers(1, 20),
    m=st.integers(1, 20),
    tile=st.tuples(st.integers(1, 25), st.integers(1, 25)),
    symmetric=st.booleans(),
)
def test_tiles_cover_every_pair_once(n, m, tile, symmetric):
    if symmetric:
        m, tile = n, (tile[0], tile[0])
    times = np.zeros((n, m), dtype=int)
    for window in Window(slice(0, n), slice(0, m)).tiles(*tile, symmetric):
        assert window.shape <= tile
        times[window.rows, window.columns] += 1
        if symmetric and not window.on_diagonal:
            times[window.columns, window.rows] += 1
    assert (times == 1).all()


@pytest.mark.slow
@settings(max_examples=15)
@given(
    data=collections(min_size=3, max_nodes=4),
    limit=st.integers(32, 300),
    normalize=st.booleans(),
    gram=st.sampled_from(["linear", "rbf"]),
    dtype=st.sampled_from(["float64", "float32"]),
)
def test_stored_is_what_memory_would_hold(data, limit, normalize, gram, dtype):
    train, new = data
    options = {**WHOLE, "normalize": normalize, "gram": gram, "dtype": dtype}
    whole, limited = nask.NASK(**options), nask.NASK(**{**options, "memory_limit": limit})
    rtol = 1e-12 if dtype == "float64" else 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        for method, graphs in (
            ("fit_transform", train),
            ("transform", new),
            ("hop_grams", new),
            ("__call__", train + new),
        ):
            expected = getattr(whole, method)(graphs)
            found = getattr(limited, method)(graphs)
            assert found.dtype == expected.dtype
            # The reference engine holds two hops, and the result.
            n_numbers = expected.size + 2 * expected.shape[-2] * expected.shape[-1]
            assert isinstance(found, np.memmap) == (8 * n_numbers > limit)
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-12)
        if gram == "rbf":
            unit = limited.fit(train).mean_squared_distance_
            assert unit == pytest.approx(whole.mean_squared_distance_, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"engine": "pairwise"},
        {"engine": "distinct", "n_jobs": 2},
        {"engine": "explicit", "expansion": "ball", "dtype": "float32"},
        {"engine": "distinct", "gram": "rbf"},
    ],
)
def test_the_fast_engines_fill_tiles(mutag, options):
    graphs, new = mutag.graphs * 5, mutag.graphs[::-1] * 3
    options = {"n_hops": 1, **options}
    whole, limited = nask.NASK(**options), nask.NASK(**options, memory_limit="3MB")
    rtol = 1e-10 if "dtype" not in options else 1e-5
    with spied(options["engine"]) as grams:
        found = limited.fit_transform(graphs)
        assert grams.call_count > 3
    assert isinstance(found, np.memmap)
    np.testing.assert_allclose(found, whole.fit_transform(graphs), rtol=rtol)
    np.testing.assert_allclose(limited.transform(new), whole.transform(new), rtol=rtol)


def test_only_tiles_on_and_above_the_diagonal_are_computed(tmp_path):
    with spied() as grams:
        nask.NASK(**LIMITED, gram_folder=tmp_path).fit_transform(GRAPHS)
    assert grams.call_count == N_TILES


@pytest.mark.slow
@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_memory_stays_below_the_limit(gram):
    graphs = [
        nask.AttributedGraph(2, [(0, 1)], {"x": [i % 7, i % 11], "c": ["ab"[i % 2], None]})
        for i in range(3000)
    ]
    limited = nask.NASK(engine="distinct", n_hops=1, gram=gram, memory_limit="20MB")
    limited.fit_transform(graphs[:100])  # compiled
    tracemalloc.start()
    found = limited.fit_transform(graphs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.nbytes == 72_000_000
    # What a batch of so many graphs takes by itself is not part of the limit.
    assert peak < 20e6 + 6e6


# Where a computation is killed, and how many tiles are left then.
KILLS = [
    ("linear", 4, "before", N_TILES - 3),
    ("linear", 4, "within", N_TILES - 3),
    ("linear", 4, "after", N_TILES - 4),
    ("rbf", N_TILES + 2, "before", 0),
]

# Children that get to a given step and kill themselves there. One process starts them all, since
# its imports take far longer than they do.
CHILDREN = """
import json, os, signal, sys
import nask
from nask.storage.json_lines import JsonLines
from test_stored_gram import GRAPHS, KILLS, LIMITED

append, noted = JsonLines.append, []

def note(record, line):
    noted.extend([line] * ("crc32" in line))
    if len(noted) == step:
        if moment == "after":
            append(record, line)
        if moment == "within":
            with record.path.open("ab") as file:
                file.write(b'{"chunk": [0,')
        os.kill(os.getpid(), signal.SIGKILL)
    append(record, line)

JsonLines.append = note
for number, (gram, step, moment, _) in enumerate(KILLS):
    child = os.fork()
    if not child:
        folder = os.path.join(sys.argv[1], str(number))
        nask.NASK(**LIMITED, gram=gram, gram_folder=folder).fit_transform(GRAPHS)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, status
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A folder with what each of the killed computations left."""
    root = tmp_path_factory.mktemp("killed")
    here = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", CHILDREN, str(root)],
        env={**os.environ, "PYTHONPATH": path},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return root


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize(("gram", "step", "moment", "n_left"), KILLS)
def test_a_killed_computation_goes_on(killed, gram, step, moment, n_left):
    folder = killed / str(KILLS.index((gram, step, moment, n_left)))
    told = []
    limited = nask.NASK(**LIMITED, gram=gram, gram_folder=folder)
    limited.set_params(verbose=lambda *step: told.append(step))
    with spied() as grams:
        found = limited.fit_transform(GRAPHS)
    assert grams.call_count == n_left
    # One bar for each matrix; what was there counts as done.
    n_matrices = 1 if gram == "linear" else 2
    assert told == n_matrices * [(k, N_TILES) for k in range(1, N_TILES + 1)]
    undisturbed = nask.NASK(**LIMITED, gram=gram).fit_transform(GRAPHS)
    np.testing.assert_array_equal(found, undisturbed)
    expected = nask.NASK(**WHOLE, gram=gram).fit_transform(GRAPHS)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_what_is_finished_is_mapped_at_once(tmp_path, gram):
    limited = nask.NASK(**LIMITED, gram=gram, gram_folder=tmp_path)
    first = limited.fit_transform(GRAPHS)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    # How to run makes no difference, as long as it does not fit.
    again = clone(limited).set_params(n_jobs=2, memory_limit=200, gram_folder=str(tmp_path))
    with patch.object(ENGINES["reference"], "grams", side_effect=AssertionError):
        second = again.fit_transform(GRAPHS)
    np.testing.assert_array_equal(first, second)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == files
    np.testing.assert_array_equal(np.load(second.filename), second)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder with three computations, each of which has files of its own."""
    folder = tmp_path_factory.mktemp("stored")
    nask.NASK(**LIMITED, gram_folder=folder).fit_transform(GRAPHS)
    before = paths(folder)
    nask.NASK(**LIMITED, gram_folder=folder).fit(GRAPHS).hop_grams(GRAPHS[1:])
    nask.NASK(**LIMITED, gram_folder=folder).fit_transform(GRAPHS[::-1])
    assert len(paths(folder)) == len(before) + 4
    assert set(before) < set(paths(folder))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"gamma": 0.5}, {"normalize": False}, {"hop_weights": [1, 2]}, {"use_edges": False},
        {"gram": "rbf"}, {"dtype": "float32"}, {"degree": "numerical"},
    ],
)  # fmt: skip
def test_another_computation_has_another_file(stored, other):
    before = paths(stored)
    nask.NASK(**{**LIMITED, **other}, gram_folder=stored).fit_transform(GRAPHS)
    assert len(paths(stored)) == len(before) + 2
    assert set(before) < set(paths(stored))


def test_other_training_graphs_make_another_file(tmp_path):
    """Of the same number, schema and new graphs, with nothing normalised."""
    for train in (GRAPHS, GRAPHS[::-1]):
        options = {"normalize": False, "star_norm": False, "gram_folder": tmp_path}
        limited = nask.NASK(**LIMITED, **options).fit(train)
        expected = nask.NASK(**WHOLE, normalize=False, star_norm=False).fit(train)
        np.testing.assert_allclose(limited.transform(GRAPHS[:9]), expected.transform(GRAPHS[:9]))
    assert len(paths(tmp_path)) == 4


def test_two_at_once_share_the_work(tmp_path):
    found = {}

    def run(number):
        limited = nask.NASK(**LIMITED, gram_folder=tmp_path)
        found[number] = limited.fit_transform(GRAPHS)

    with spied() as grams:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert grams.call_count == N_TILES
    for number in range(3):
        np.testing.assert_array_equal(found[number], found[0])


def cut(data, record):
    os.truncate(data, data.stat().st_size - 8)


def empty(data, record):
    os.truncate(data, 0)


def reshape(data, record):
    np.save(data, np.zeros((12, 11)))


def orphan(data, record):
    record.unlink()


def claim(data, record):
    lines = record.read_text().splitlines()
    header = {**json.loads(lines[0]), "computation": "0" * 64}
    record.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")


def replace_record(data, record):
    record.write_text("my notes\n")


def damage(data, record):
    lines = record.read_text().splitlines()
    record.write_text("\n".join([lines[0], '{"chunk": 3}', *lines[2:]]) + "\n")


def reshape_chunks(data, record):
    lines = record.read_text().splitlines()
    header = {**json.loads(lines[0]), "chunk": [0, 3]}
    record.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")


def holes(data, record):
    """Of squares alone, those on and above the diagonal make up the whole."""
    lines = record.read_text().splitlines()
    header = {**json.loads(lines[0]), "chunk": [3, 5]}
    record.write_text(json.dumps(header) + "\n")


def of_a_kind(data, record):
    lines = record.read_text().splitlines()
    header = {**json.loads(lines[0]), "chunk": [True, 1]}
    record.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")


def older(data, record):
    lines = record.read_text().splitlines()
    header = {**json.loads(lines[0]), "format": "nask gram"}
    record.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")


def in_single(data, record):
    np.save(data, np.load(data).astype("float32"))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (cut, r"\.npy is damaged .* Delete it and the \.jsonl file"),
        (empty, r"\.npy is damaged"),
        (reshape, r"it holds \(12, 11\) numbers .* expected \(12, 12\)"),
        (orphan, r"\.npy has no record .* Move it away, or choose another gram_folder"),
        (claim, r"\.npy is of other graphs, .* Move it .*, or choose another gram_folder"),
        (replace_record, r"\.jsonl is not the record of a matrix\. Move it away"),
        (holes, r"\.npy has chunks of \[3, 5\] rows and columns"),
        (of_a_kind, r"\.npy has chunks of \[True, 1\] rows and columns"),
        (reshape_chunks, r"\.npy has chunks of \[0, 3\] rows and columns\. Move it"),
        (older, r"\.npy has format 'nask gram', expected 'nask chunks 2'\. Move it"),
        (in_single, r"it holds \(12, 12\) numbers of type float32; expected"),
        (damage, r"Line 2 of .* is damaged\. Restore it .*, or delete that line"),
    ],
)
def test_a_foreign_or_damaged_file_is_refused(tmp_path, harm, message):
    limited = nask.NASK(**LIMITED, gram_folder=tmp_path)
    data = Path(limited.fit_transform(GRAPHS).filename)
    harm(data, data.with_suffix(".jsonl"))
    content = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(FormatError, match=message):
        limited.fit_transform(GRAPHS)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == content


def zero_the_first(array):
    array[:3, :3] = 0


def change_one_above(array):
    array[0, 10] += 1e-15


def change_one_below(array):
    array[10, 0] += 1e-15


def flip_the_sign_of_zero(array):
    array[0, 0] = -array[0, 0]


def swap_two(array):
    array[[0, 3]] = array[[3, 0]]


@pytest.mark.parametrize(
    ("harm", "n_again"),
    [
        (zero_the_first, 1), (change_one_above, 1), (change_one_below, 1),
        (flip_the_sign_of_zero, 1), (swap_two, 7),
    ],
)  # fmt: skip
def test_an_altered_chunk_is_computed_again(tmp_path, harm, n_again):
    limited = nask.NASK(**LIMITED, gram_folder=tmp_path)
    first = np.array(limited.fit_transform(GRAPHS))
    array = np.load(next(tmp_path.glob("*.npy")), mmap_mode="r+")
    harm(array)
    array.flush()
    with spied() as grams:
        np.testing.assert_array_equal(limited.fit_transform(GRAPHS), first)
        assert grams.call_count == n_again
        np.testing.assert_array_equal(limited.fit_transform(GRAPHS), first)
    assert grams.call_count == n_again


def test_matrices_that_were_swapped_are_computed_again(tmp_path):
    """The record of one matrix beside the numbers of another."""
    kernels = [
        nask.NASK(**LIMITED, gram_folder=tmp_path / name, gamma=gamma)
        for name, gamma in (("a", 1.0), ("b", 2.0))
    ]
    expected = [np.array(kernel.fit_transform(GRAPHS)) for kernel in kernels]
    [a], [b] = ((tmp_path / name).glob("*.npy") for name in "ab")
    content = a.read_bytes()
    a.write_bytes(b.read_bytes())
    b.write_bytes(content)
    with spied() as grams:
        for kernel, matrix in zip(kernels, expected, strict=True):
            np.testing.assert_array_equal(kernel.fit_transform(GRAPHS), matrix)
    assert grams.call_count == 2 * N_TILES


def test_chunks_of_a_like_matrix_are_computed_again(tmp_path):
    """Numbers and their lines, copied into the record of another matrix."""
    kernels = [
        nask.NASK(**LIMITED, gram_folder=tmp_path / name, gamma=gamma)
        for name, gamma in (("a", 1.0), ("b", 2.0))
    ]
    expected = [np.array(kernel.fit_transform(GRAPHS)) for kernel in kernels]
    [a], [b] = ((tmp_path / name).glob("*.npy") for name in "ab")
    lines = [file.with_suffix(".jsonl").read_text().splitlines() for file in (a, b)]
    a.with_suffix(".jsonl").write_text("\n".join([lines[0][0], *lines[1][1:]]) + "\n")
    a.write_bytes(b.read_bytes())
    with spied() as grams:
        np.testing.assert_array_equal(kernels[0].fit_transform(GRAPHS), expected[0])
    assert grams.call_count == N_TILES


def test_deleting_the_matrix_begins_again(tmp_path):
    limited = nask.NASK(**LIMITED, gram_folder=tmp_path)
    first = np.array(limited.fit_transform(GRAPHS))
    next(tmp_path.glob("*.npy")).unlink()
    np.testing.assert_array_equal(limited.fit_transform(GRAPHS), first)


def test_a_full_disk_is_told_before_the_work(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with (
        spied() as grams,
        pytest.raises(
            MemoryLimitError, match=r"takes 1\.15 kB in .*, where .* are free\. Give gram_f"
        ),
    ):
        nask.NASK(**LIMITED, gram_folder=tmp_path).fit_transform(GRAPHS)
    assert grams.call_count == 0
    monkeypatch.undo()
    nask.NASK(**LIMITED, gram_folder=tmp_path).fit_transform(GRAPHS)


def test_a_pair_that_does_not_fit_is_refused(tmp_path):
    limited = nask.NASK(**{**LIMITED, "memory_limit": 23}, gram_folder=tmp_path)
    with pytest.raises(
        MemoryLimitError, match=r"1 x 1 graphs .* takes 24 B, .* Raise memory_limit"
    ):
        limited.fit_transform(GRAPHS)
    assert not list(tmp_path.glob("*.npy"))
    limited.set_params(memory_limit=24).fit_transform(GRAPHS)


def test_a_temporary_file_goes_with_the_last_view(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gram = nask.NASK(**LIMITED, gram="rbf").fit_transform(GRAPHS)
    gc.collect()
    assert len(paths(tmp_path)) == 1  # the linear form has gone
    row = np.asarray(gram)[3]
    expected = np.array(row)
    del gram
    gc.collect()
    assert len(paths(tmp_path)) == 1
    np.testing.assert_array_equal(row, expected)
    del row
    gc.collect()
    assert paths(tmp_path) == []


def test_an_error_leaves_no_temporary_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(MemoryLimitError):
        nask.NASK(**{**LIMITED, "memory_limit": 23}).fit_transform(GRAPHS)
    assert paths(tmp_path) == []


def test_a_stored_matrix_is_read_only_and_good_for_learning():
    gram = nask.NASK(**LIMITED).fit_transform(GRAPHS)
    with pytest.raises(ValueError, match="read-only"):
        gram[0, 0] = 2.0
    y = [0, 1] * 6
    stored = SVC(kernel="precomputed").fit(gram, y).decision_function(gram)
    inside = nask.NASK(**WHOLE).fit_transform(GRAPHS)
    expected = SVC(kernel="precomputed").fit(inside, y).decision_function(inside)
    np.testing.assert_allclose(stored, expected, atol=1e-6)


def test_transform_prepares_the_new_graphs_alone():
    kernel = nask.NASK(**LIMITED).fit(GRAPHS)
    with spied(method="prepare") as prepare, spied() as grams:
        kernel.transform(GRAPHS[:5])
        assert [call.args[0].n_graphs for call in prepare.call_args_list] == [5]
        assert sum(np.prod(call.args[-1].shape) for call in grams.call_args_list) == 5 * 12


def test_the_folder_is_a_parameter_of_running(tmp_path, mutag):
    folder = tmp_path / "not" / "there"
    model = nask.NASKClassifier(n_hops=1, gram_folder=folder)
    assert clone(model).get_params()["gram_folder"] == folder
    model.fit(mutag.graphs[:40], mutag.y[:40]).save(tmp_path / "m.nask")
    assert not folder.exists()  # it fitted memory
    same = nask.load(tmp_path / "m.nask")
    assert same.gram_folder is None
    np.testing.assert_array_equal(same.predict(mutag.graphs), model.predict(mutag.graphs))
    model.kernel_.set_params(gram_folder=None).transform(mutag.graphs[:2])
    limited = nask.NASK(**LIMITED, gram_folder=str(folder)).fit_transform(GRAPHS)
    assert Path(limited.filename).parent == folder
    (tmp_path / "file").touch()
    for inside in ("file", "file/grams"):
        with pytest.raises(FileWriteError, match=r"file is a file, .* Give gram_folder"):
            nask.NASK(**LIMITED, gram_folder=tmp_path / inside).fit_transform(GRAPHS)
    with pytest.raises(ParameterError, match=r"'gram_folder' parameter of NASK must be .* Got 3"):
        nask.NASK(gram_folder=3).fit(GRAPHS)
