"""Files take the place of others whole: links, permissions, pipes, leftovers, failures."""

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

from nask.exceptions import FileWriteError, ParameterError
from nask.storage import replacing as module
from nask.storage import scratch
from nask.storage.replacing import check_writable, replacing
from nask.storage.scratch import PREFIX, make_scratch
from nask.storage.write_errors import cannot_write, writing

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and pipes are those of POSIX")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(path, text):
    with replacing(path, "--out") as temporary:
        temporary.write_text(text)


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with replacing(tmp_path / "a.txt", "--out") as temporary:
        assert temporary.name == "a.txt"
        temporary.write_text("new")
        assert (tmp_path / "a.txt").read_text() == "old"
    assert (tmp_path / "a.txt").read_text() == "new"
    with pytest.raises(TypeError), replacing(tmp_path / "a.txt", "--out") as temporary:
        temporary.write_text(3)
    assert (tmp_path / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_data_and_name_are_brought_to_disk_in_this_order(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def note_fsync(descriptor):
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def note_replace(*paths):
        done.append("replace")
        replace(*paths)

    monkeypatch.setattr(module.os, "fsync", note_fsync)
    monkeypatch.setattr(module.os, "replace", note_replace)
    write(tmp_path / "a.txt", "new")
    assert done == ["file", "replace", "folder"]


@posix
def test_permissions_are_those_of_before_or_of_any_new_file(tmp_path):
    write(tmp_path / "new", "")
    (tmp_path / "other").touch()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode
    (tmp_path / "other").chmod(0o640)
    write(tmp_path / "other", "")
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o640


@posix
def test_a_link_is_written_through(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "file")
    for text in ("first", "second"):
        write(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "far" / "file").read_text() == text
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(FileWriteError, match=r"Cannot write .*round: "):
        write(tmp_path / "round", "")


@posix
def test_a_pipe_gets_the_content(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_text()))
    reader.start()
    write(tmp_path / "pipe", "through")
    reader.join()
    assert got == ["through"]
    assert names(tmp_path) == ["pipe"]


@pytest.mark.slow
@posix
@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_stays_what_it_is(tmp_path, target):
    """A pipe, or a file, to which others write as well."""
    code = (
        "import sys\nfrom nask.storage.replacing import check_writable, replacing\n"
        "check_writable(sys.argv[1], '--out')\n"
        "with replacing(sys.argv[1], '--out') as temporary:\n    temporary.write_text('written')"
    )
    command = [sys.executable, "-c", code, target]
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == b"written"
    with (tmp_path / "log").open("w") as log:
        subprocess.run(command, stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "written"


@pytest.mark.slow
@posix
def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for name in (
        f"{PREFIX}{gone.pid}-x",
        f"{PREFIX}{os.getpid()}-mine",
        f".nask-elsewhere-{gone.pid}-x",
        f"other-{gone.pid}",
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    write(tmp_path / "a", "")
    kept = [f"{PREFIX}{os.getpid()}-mine", f".nask-elsewhere-{gone.pid}-x", "a"]
    assert names(tmp_path) == sorted([*kept, f"other-{gone.pid}"])


def test_many_at_once_leave_one_of_theirs(tmp_path):
    texts = [str(number) * 100_000 for number in range(8)]
    threads = [threading.Thread(target=write, args=(tmp_path / "a", text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a").read_text() in texts
    assert names(tmp_path) == ["a"]


CODES = {
    errno.ENOSPC: r"the disk is full: .* are free in .*, .*\. Free some space, or give --out",
    errno.EACCES: "you may not write to .* Give --out a place in a folder that exists",
    errno.EROFS: "is read-only. Give --out",
    errno.EIO: "Input/output error",
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("step", ["mkdtemp", "fsync", "replace"])
def test_the_system_fails_at_any_step(tmp_path, monkeypatch, code, step):
    (tmp_path / "a").write_text("old")

    def fail(*_, **__):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(scratch.tempfile if step == "mkdtemp" else module.os, step, fail)
        with pytest.raises(FileWriteError, match=CODES[code]):
            write(tmp_path / "a", "new")
        if step == "mkdtemp":
            with pytest.raises(FileWriteError, match=CODES[code]):
                check_writable(tmp_path / "a", "--out")
    assert (tmp_path / "a").read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_a_protected_file_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("precious")
    # Nothing is protected from a superuser, who may run the tests.
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    for act in (lambda: write(tmp_path / "a", "new"), lambda: check_writable(tmp_path / "a", "x")):
        with pytest.raises(FileWriteError, match="the file is write-protected"):
            act()
    assert (tmp_path / "a").read_text() == "precious"


@pytest.mark.parametrize("path", [None, 3, "a\0b"])
def test_what_is_no_path(path):
    with pytest.raises(ParameterError, match="'path' parameter of --out"):
        check_writable(path, "--out")


def test_other_errors_stay_what_they_are(tmp_path):
    for error in (BrokenPipeError(errno.EPIPE, "gone"), ValueError("wrong")):
        with pytest.raises(type(error)) as caught, writing(tmp_path, "--out"):
            raise error
        assert caught.value is error
    strange = cannot_write(tmp_path / "a", "--out", OSError("without a number"))
    assert "without a number" in str(strange)


def test_no_place_for_temporary_files(monkeypatch):
    def nowhere():
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(scratch.tempfile, "gettempdir", nowhere)
    with pytest.raises(FileWriteError, match=r"No usable .* let the environment variable TMPDIR"):
        make_scratch()
