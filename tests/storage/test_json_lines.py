"""A file of JSON lines on a disk that is full, or where none can be."""

import errno
import os

import pytest

import nask
from nask.evaluation.journal import Journal
from nask.exceptions import FileWriteError
from nask.storage import json_lines
from nask.storage.json_lines import JsonLines


def full_in_the_middle(file, content):
    file.write(content[:5])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_whole_lines_and_later_ones_can_follow(tmp_path, monkeypatch):
    file = JsonLines(tmp_path / "run.jsonl", "run", "results", "folder", "out")
    file.append({"run": 1})
    with monkeypatch.context() as patch:
        patch.setattr(json_lines, "_write_all", full_in_the_middle)
        with pytest.raises(FileWriteError, match=r"run.jsonl: the disk is full: .* give out a pl"):
            file.append({"fold": 2})
    assert file.path.read_text() == '{"run": 1}\n'
    file.append({"fold": 3})
    assert file.read() == [{"run": 1}, {"fold": 3}]


def test_a_write_that_takes_some_bytes_at_a_time():
    class Slow(list):
        def write(self, content):
            self.append(bytes(content[:3]))
            return min(3, len(content))

    file = Slow()
    json_lines._write_all(file, b"0123456789")
    assert b"".join(file) == b"0123456789"


def test_places_for_results(tmp_path, mutag):
    (tmp_path / "file").touch()
    for place, message in {
        "file/results": "file is a file, not a folder",
        "n" * 300: "a name in it has 300 bytes",
    }.items():
        with pytest.raises(FileWriteError, match=message) as caught:
            Journal(tmp_path / place / "run.jsonl", {"folds": 2})
        assert "out (--out)" in str(caught.value)
        with pytest.raises(nask.exceptions.NaskError, match=message):
            nask.evaluate("majority", mutag, folds=2, out=tmp_path / place)
