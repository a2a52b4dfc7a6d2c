"""A limit of time: what hangs is ended with all its processes, and what was done is kept."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gate_work
import limited_work
import nask
from nask.evaluation import evaluate as evaluate_module
from nask.evaluation import time_limit
from nask.evaluation.time_limit import run_within
from nask.exceptions import ParameterError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="hangs by means of the C library")

GRID = {"gamma": [0.1, 1.0], "n_hops": [1, 2], "C": [1.0, 10.0]}
# Longer than any test takes: it is the clock that is turned forward.
LIMIT = 5000.0


def outcome(result):
    """What must not depend on how it was computed: all but the times."""
    return [(r.repeat, r.fold, r.accuracy, r.inner_score, dict(r.parameters), r.test,
             r.predicted) for r in result.records]  # fmt: skip


def is_alive(pid):
    """Whether a process runs; one that is dead and waited for by nobody does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


class Gate:
    """Lets some folds through; the next hangs."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.monkeypatch = monkeypatch
        folder.mkdir()
        monkeypatch.setenv(gate_work.GATE, str(folder))

    def let_through(self, n_folds):
        for number in range(n_folds):
            (self.folder / f"ticket-{number}").touch()

    def hangs(self):
        return any(self.folder.glob("hangs-*"))

    def pids(self):
        return [int(path.name.removeprefix("pid-")) for path in self.folder.glob("pid-*")]

    def when_it_hangs(self, action):
        """Have the clock of the time limit do something once a fold hangs."""

        def monotonic():
            return action() if self.hangs() else time.monotonic()

        clock = SimpleNamespace(monotonic=monotonic, sleep=time.sleep)
        self.monkeypatch.setattr(time_limit, "time", clock)

    def turn_the_clock_forward(self):
        self.when_it_hangs(lambda: time.monotonic() + 10 * LIMIT)

    def assert_all_ended(self):
        assert len(self.pids()) >= 2
        assert [pid for pid in self.pids() if pid != os.getpid() and is_alive(pid)] == []

    def open(self):
        self.monkeypatch.delenv(gate_work.GATE)


@pytest.fixture
def gate(tmp_path, monkeypatch):
    return Gate(tmp_path / "gate", monkeypatch)


def folds_in(path):
    return sum("accuracy" in json.loads(line) for line in path.read_text().splitlines())


KINDS = {
    "graphs, Grams shared": (limited_work.Gated(grid=GRID, learner="svm"), "MUTAG", 2),
    "graphs, each fold alone": (limited_work.GatedConstant(), "MUTAG", None),
    "nodes": (limited_work.GatedNodes(grid=GRID, learner="svm"), "network", None),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_hangs_is_ended_and_goes_on_later(gate, monkeypatch, tmp_path, kind, mutag):
    model, name, n_jobs = KINDS[kind]
    dataset = mutag if name == "MUTAG" else nask.lab.make_social_network(120, 6.0, random_state=1)
    protocol = {"folds": 4, "repeats": 1, "inner": 2}
    out = tmp_path / "out"
    gate.let_through(2)
    gate.turn_the_clock_forward()
    result = nask.evaluate(model, dataset, out=out, time_limit=LIMIT, n_jobs=n_jobs, **protocol)
    gate.assert_all_ended()
    assert (result.timeout, result.records, result.repeats) == (LIMIT, (), 0)
    figures = (result.accuracy_mean, result.accuracy_std_folds, result.accuracy_std_repeats)
    assert np.isnan(figures).all()
    assert "TIMEOUT after 5000 s" in repr(result)
    plain = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert (plain["timeout"], plain["accuracy_mean"], plain["params"]) == (LIMIT, None, [])
    assert result.most_chosen() == {}
    assert nask.read_results(out) == [result]

    # The same limit: the same answer, without a run.
    with monkeypatch.context() as patch:
        patch.delattr(evaluate_module, "run_within")
        assert nask.evaluate(model, dataset, out=out, time_limit=LIMIT, **protocol) == result
        assert nask.evaluate(model, dataset, out=out, time_limit=1, **protocol) == result

    # What a kill in the middle of writing leaves behind does no harm.
    [journal] = out.glob("*.jsonl")
    assert folds_in(journal) == 2
    with journal.open("a") as file:
        file.write('{"repeat": 0, "fo')
    for stack in (out / "grams").rglob("pass-*.npy"):
        stack.with_suffix(".partial").write_bytes(stack.read_bytes()[:100])

    # Without a limit, it goes on from two folds; here, as workers of joblib would keep the gate.
    gate.let_through(2)
    done = nask.evaluate(model, dataset, out=out, **protocol)
    assert not list(gate.folder.glob("ticket-*"))
    gate.open()
    undisturbed = nask.evaluate(model, dataset, **protocol)
    assert outcome(done) == outcome(undisturbed)
    assert done.timeout is None
    assert nask.read_results(out) == [done]
    assert [path.name for path in out.iterdir()] == [journal.name]


@pytest.mark.slow
def test_a_larger_limit_counts_what_an_earlier_one_allowed(gate, monkeypatch, tmp_path, mutag):
    """And repeats that were finished in time are a result."""
    model, protocol = limited_work.GatedConstant(), {"folds": 2, "out": tmp_path / "out"}
    gate.let_through(2)
    first = nask.evaluate(model, mutag, repeats=1, **protocol)
    protocol["repeats"] = 3
    # The time is up before anything is done.
    monkeypatch.setattr(evaluate_module, "run_within", lambda *_: (None for _ in ()))
    assert nask.evaluate(model, mutag, time_limit=LIMIT, **protocol) == first
    given = []

    def noticed(seconds, *work):
        given.append(seconds)
        return run_within(seconds, *work)

    monkeypatch.setattr(evaluate_module, "run_within", noticed)
    gate.let_through(3)
    gate.turn_the_clock_forward()
    result = nask.evaluate(model, mutag, time_limit=LIMIT + 700, **protocol)
    assert given == [700.0]
    assert (result.timeout, result.repeats, len(result.records)) == (None, 2, 4)
    assert nask.read_results(tmp_path / "out") == [result]
    again = nask.evaluate(model, mutag, time_limit=LIMIT + 700, **protocol)
    assert again == result
    assert len(given) == 1


@pytest.mark.slow
def test_time_enough_gives_the_same_as_no_limit(mutag):
    model = nask.TunedNASKClassifier(grid=GRID)
    protocol = {"folds": 3, "repeats": 2, "inner": 2}
    reports = []
    limited = nask.evaluate(
        model, mutag, time_limit=LIMIT, progress=lambda *report: reports.append(report), **protocol
    )
    assert outcome(limited) == outcome(nask.evaluate(model, mutag, **protocol))
    assert limited.timeout is None
    assert reports == [(done, 6) for done in range(1, 7)]


@pytest.mark.slow
def test_an_error_arrives_as_itself(mutag, tmp_path):
    with pytest.raises(ParameterError, match=r"^94 graphs are too many\.$"):
        nask.evaluate(limited_work.Wrong(), mutag, folds=2, time_limit=LIMIT, out=tmp_path)
    assert "timeout" not in (tmp_path / "MUTAG--Wrong.jsonl").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected", "message"),
    [
        ((gate_work.fail, KeyError, "here"), KeyError, "here"),
        ((gate_work.fail, gate_work.TwoPartsError, 1, 2), RuntimeError, "TwoPartsError: 1 2"),
        ((signal.raise_signal, signal.SIGKILL), ChildProcessError, "code -9"),
    ],
)
def test_other_ends_are_told_from_a_timeout(arguments, expected, message):
    with pytest.raises(expected, match=message) as caught:
        list(run_within(LIMIT, *arguments))
    if expected is KeyError:
        assert "gate_work.py" in "".join(caught.value.__notes__)


@pytest.fixture
def listening():
    """Python's own way with Ctrl-C: shells have their background processes ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("listening")
def test_control_c_ends_the_process(gate, mutag, tmp_path):
    interrupted = []

    def interrupt():
        if not interrupted:
            interrupted.append(1)
            signal.raise_signal(signal.SIGINT)
        return time.monotonic()

    gate.when_it_hangs(interrupt)
    with pytest.raises(KeyboardInterrupt):
        nask.evaluate(
            limited_work.GatedConstant(), mutag, folds=2, time_limit=LIMIT, out=tmp_path / "out"
        )
    gate.assert_all_ended()
    assert "timeout" not in (tmp_path / "out" / "MUTAG--GatedConstant.jsonl").read_text()


@pytest.mark.slow
def test_an_error_of_the_progress_function_ends_the_process(gate, mutag):
    def report(done, total):
        while not gate.hangs():
            time.sleep(0.05)
        raise ZeroDivisionError

    gate.let_through(1)
    # The error keeps the frames of the call, so that nothing is closed for want of a reference.
    with pytest.raises(ZeroDivisionError) as caught:
        nask.evaluate(
            limited_work.GatedConstant(), mutag, folds=2, time_limit=LIMIT, progress=report
        )
    gate.assert_all_ended()
    assert caught.tb is not None


@pytest.mark.slow
def test_a_killed_process_takes_its_own_with_it(gate):
    code = (
        "import sys, gate_work\n"
        "from nask.evaluation.time_limit import run_within\n"
        "list(run_within(1000, gate_work.sleep_for_ever, sys.argv[1]))"
    )
    path = os.pathsep.join(filter(None, sys.path))
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(gate.folder)], env={**os.environ, "PYTHONPATH": path}
    )
    deadline = time.monotonic() + 300
    while not gate.hangs():
        assert parent.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    [pid] = gate.pids()
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("limit", [0, -1.0, "20m", float("inf"), True])
def test_limits_that_are_none(limit, mutag):
    with pytest.raises(ParameterError, match="'time_limit' parameter of evaluate must be a float"):
        nask.evaluate(limited_work.GatedConstant(), mutag, time_limit=limit)
