"""Gram matrices that folds share: found again, checked, and computed anew where altered."""

import os
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import nask
from nask.evaluation.journal import Journal
from nask.evaluation.stacks import remove_stacks, shared_stacks
from nask.exceptions import FormatError
from nask.tuning.sweeps import StarSweep

GRID = {"gamma": [0.5, 2.0], "n_hops": [1, 2], "C": [1]}


@pytest.fixture
def shared(tmp_path, mutag):
    """Compute two stacks of ten graphs, of (2, 10, 10); count the passes."""
    sweeps = nask.TunedNASKClassifier(grid=GRID).sweeps()
    folder, graphs = tmp_path / "grams", mutag.graphs[:10]

    def compute(run="a"):
        journal = Journal(tmp_path / f"{run}.jsonl", {"folds": 10, "content": run})
        with patch.object(StarSweep, "compute", autospec=True, side_effect=StarSweep.compute) as c:
            stacks = shared_stacks(sweeps, graphs, 10, folder, journal, None, False, "")
        compute.files = [Path(stack.filename) for stack in stacks]
        return stacks, c.call_count

    compute.folder = folder
    return compute


def swap(one, other):
    spare = one.with_suffix(".spare")
    os.replace(one, spare)
    os.replace(other, one)
    os.replace(spare, other)


def test_stacks_are_found_again(shared, mutag):
    stacks, n = shared()
    assert (n, stacks[0].shape) == (2, (2, 10, 10))
    expected = nask.NASK(n_hops=2, gamma=2.0).fit(mutag.graphs[:10]).hop_grams(mutag.graphs[:10])
    np.testing.assert_array_equal(stacks[1], expected.astype(stacks[1].dtype))
    again, n = shared()
    assert n == 0
    for one, other in zip(stacks, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not again[0].flags.writeable
    remove_stacks(shared.folder)
    assert shared()[1] == 2


def zero(files):
    array = np.load(files[1], mmap_mode="r+")
    array[1, :3] = 0
    array.flush()


def change_one(files):
    array = np.load(files[1], mmap_mode="r+")
    array[0, 3, 4] = np.nextafter(array[0, 3, 4], 2)
    array.flush()


def forget(files):
    files[1].unlink()


def unfinished(files):
    record = files[1].with_suffix(".jsonl")
    record.write_text(record.read_text().splitlines()[0] + "\n")


@pytest.mark.parametrize("harm", [zero, change_one, forget, unfinished])
def test_an_altered_stack_is_computed_again(shared, harm):
    stacks = [np.array(stack) for stack in shared()[0]]
    harm(shared.files)
    for n_again in (1, 0):
        again, n = shared()
        assert n == n_again
        for one, other in zip(stacks, again, strict=True):
            np.testing.assert_array_equal(one, other)


def test_stacks_that_were_swapped_do_not_pass(shared):
    stacks = [np.array(stack) for stack in shared()[0]]
    swap(*shared.files)
    again, n = shared()
    assert n == 2
    for one, other in zip(stacks, again, strict=True):
        np.testing.assert_array_equal(one, other)
    swap(*shared.files)
    swap(*(file.with_suffix(".jsonl") for file in shared.files))
    with pytest.raises(
        FormatError, match=r"\.npy was computed with gamma=2\.0, not 0\.5\. Move it"
    ):
        shared()


def test_stacks_of_other_graphs_do_not_pass(shared, tmp_path):
    shared("a")
    files = shared.files
    content = files[0].read_bytes()
    # The journal of the other run claims that its passes are done.
    for number in range(2):
        Journal(tmp_path / "b.jsonl", {"folds": 10, "content": "b"}).note_pass(number, 1.0)
    assert shared("b")[1] == 2
    assert not set(files) & set(shared.files)
    # Not even under the name that they would have.
    for own, other in zip(files, shared.files, strict=True):
        for suffix in (".npy", ".jsonl"):
            os.replace(own.with_suffix(suffix), other.with_suffix(suffix))
    with pytest.raises(FormatError, match=r"\.npy is of other graphs"):
        shared("b")
    assert shared.files[0].read_bytes() == content


def test_kept_stacks_serve_other_learners_and_folds(tmp_path, mutag, monkeypatch):
    """And are those that would have been computed; without a folder for them none is left."""
    few = nask.Dataset("few", mutag.graphs[::3], mutag.y[::3])
    made = []
    compute = StarSweep.compute
    monkeypatch.setattr(
        StarSweep, "compute", lambda *args, **kw: made.append(1) or compute(*args, **kw)
    )
    for learner in ("ridge", "svm", "best"):
        model = nask.TunedNASKClassifier(grid=GRID, learner=learner)
        for protocol in ({"folds": 3}, {"folds": 4, "random_state": 7, "split": "grouped"}):
            places = {"out": tmp_path / "kept", "grams": tmp_path / "grams"}
            if learner == "ridge" and protocol["folds"] == 4:
                places["time_limit"] = 300
            kept = nask.evaluate(model, few, repeats=1, **places, **protocol)
            n_made = len(made)
            assert n_made == 2
            alone = nask.evaluate(model, few, repeats=1, **protocol)
            del made[n_made:]
            assert [r.predicted for r in kept.records] == [r.predicted for r in alone.records]
    assert len(list((tmp_path / "grams").glob("*.npy"))) == 2
    assert not (tmp_path / "kept" / "grams").exists()


def test_a_deeper_pass_has_the_matrices_of_a_shallower_one(tmp_path, mutag, monkeypatch):
    """Bit by bit, and not the other way round."""
    folder, graphs = tmp_path / "grams", mutag.graphs[:10]
    journal = Journal(tmp_path / "a.jsonl", {"folds": 10, "content": "a"})
    made = []
    compute = StarSweep.compute
    monkeypatch.setattr(
        StarSweep, "compute", lambda *args, **kw: made.append(1) or compute(*args, **kw)
    )

    def stack(n_hops, where=folder):
        grid = {"gamma": [0.5], "n_hops": [n_hops], "C": [1]}
        sweeps = nask.TunedNASKClassifier(grid=grid).sweeps()
        [found] = shared_stacks(sweeps, graphs, 10, where, journal, None, False, "")
        return found

    deep = stack(3)
    for n_hops in (1, 2, 3):
        assert stack(n_hops).shape == (n_hops, 10, 10)
        np.testing.assert_array_equal(stack(n_hops), deep[:n_hops])
    assert len(made) == 1
    np.testing.assert_array_equal(stack(2, tmp_path / "other"), deep[:2])
    assert stack(4).shape == (4, 10, 10)
    assert len(made) == 3


def test_a_stack_cut_short_is_refused(shared):
    shared()
    os.truncate(shared.files[0], 300)
    with pytest.raises(FormatError, match=r"\.npy is damaged .* Delete it and the \.jsonl"):
        shared()
