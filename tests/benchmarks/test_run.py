"""The harness: fresh processes, records that survive a kill, a page made of records."""

import json
import signal
import sys
from pathlib import Path

import cases
import numpy as np
import pytest
from cases import NESTED, PROPAGATION, WWL, Case, all_cases, quick_cases
from generated import power_law
from measure import measure
from page import BEGIN, END, write_page
from records import Record, Records
from run import chosen, main
from run import measure as measure_in_process
from tables import number
from targets import TARGETS

HERE = {
    "versions": {"nask": "1"},
    "python": "3",
    "system": "Linux",
    "processor": "abacus",
    "cores": 2,
}


def gram_record(method, dataset, seconds, n_graphs=10, whole=10, **parameters):
    [case] = [
        case
        for case in all_cases()
        if (case.work, case.method, case.subject) == ("gram", method, dataset)
        and parameters.items() <= case.options["parameters"].items()
    ]
    result = {"seconds": seconds, "cpu_seconds": seconds, "before_mb": 100.0, "peak_mb": 150.0}
    sizes = {"n_graphs": n_graphs, "n_graphs_of_set": whole}
    return Record(case, result | sizes, HERE)


def verdict(records, subject, quantity):
    [target] = [t for t in TARGETS if (t.subject, t.quantity) == (subject, quantity)]
    return target.verdict(records)


@pytest.fixture
def records(tmp_path):
    return Records(tmp_path / "results" / "performance.jsonl")


@pytest.fixture
def measured(monkeypatch, capsys):
    """Run the script with some options; the names of the cases that it measures."""
    before = signal.getsignal(signal.SIGTERM)

    def names(*options):
        monkeypatch.setattr(sys, "argv", ["run.py", *options])
        main()
        return [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[:-1]]

    yield names
    signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
def test_a_killed_run_goes_on_and_the_page_keeps_its_prose(measured, tmp_path):
    only = NESTED, "GraphHopper", "scaling on graphs"
    options = ("--quick", "--out", str(tmp_path), "--only", *only)

    page, file = tmp_path / "docs" / "performance.md", tmp_path / "results" / "performance.jsonl"
    names = [str(case) for case in quick_cases()]
    first = measured(*options)
    assert first == [n for n in names if any(w in n for w in only)]
    assert len(first) == 3
    assert (tmp_path / "docs" / "images" / "performance-scaling.png").exists()
    assert "none in 0.001 s" in page.read_text(encoding="utf-8")

    page.write_text(page.read_text(encoding="utf-8") + "\nProse.\n", encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert measured(*options) == first[-1:]
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3
    assert page.read_text(encoding="utf-8").endswith("\nProse.\n")
    for line in file.read_text(encoding="utf-8").splitlines():
        assert json.loads(line)["environment"]["versions"]["POT"]


@pytest.mark.slow
def test_a_case_that_fails_says_why_and_is_measured_again(records):
    case = Case("gram", "NoSuchSet", NESTED, quick_cases()[0].options)
    result = measure_in_process(case)
    assert "NoSuchSet" in result["failed"]
    records.add(Record(case, result, HERE))
    assert Records(records.path).lacks(case)


def test_measuring_sees_memory_that_is_given_back():
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("the system does not tell the peak of memory")
    np.ones(50_000_000).sum()  # A peak before, which must not count.
    result = measure(lambda: np.ones(25_000_000).sum(), repeats=2, limit=60)
    assert len(result["seconds"]) == len(result["cpu_seconds"]) == 2
    assert 190 < result["peak_mb"] - result["before_mb"] < 300


def test_no_two_cases_are_the_same_and_names_tell_them_apart():
    for known in (all_cases(), quick_cases()):
        assert len({case.key for case in known}) == len({str(case) for case in known}) == len(known)
    grams = [case for case in all_cases() if case.work == "gram"]
    assert {case.subject for case in grams} == set(cases.DATASETS)
    names = {str(case) for case in chosen(all_cases(), ["DD"], ["nested", "Hopper"])}
    assert names == {"nask ball, 3 hops, 2 jobs on DD", "GraKeL WL on DD", "WWL on POT on DD"}


def test_seconds_are_medians_and_grow_with_the_pairs_that_were_left_out(records):
    record = gram_record(WWL, "NCI1", [1.0, 7.0, 2.0], n_graphs=3, whole=5)
    assert record.seconds() == 2.0 * 10 / 3
    assert record.seconds() == record.seconds("cpu_seconds")


def test_targets_are_met_or_missed_by_a_factor(records):
    enzymes = "ENZYMES, 19 attributes, nested, 3 hops"
    assert verdict(records, enzymes, f"time against {PROPAGATION}") == ("", "not measured")
    records.add(gram_record(NESTED, "ENZYMES", [2.0], n_hops=3, n_jobs=2))
    records.add(gram_record(PROPAGATION, "ENZYMES", [8.0]))
    records.add(gram_record(WWL, "ENZYMES", [20.0]))
    [case] = [case for case in all_cases() if case.work == "threads"]
    records.add(Record(case, {"seconds": [[3.0, 2.0], [9.0, 1.0], [4.0, 4.0]]}, HERE))
    assert verdict(records, enzymes, f"time against {PROPAGATION}") == ("0.25 x", "met")
    assert verdict(records, enzymes, f"faster than {WWL}") == (
        "10 x",
        "**missed by a factor of 4.00**",
    )
    threads = verdict(records, "ENZYMES, 2 threads", "faster than 1 thread")
    assert threads == ("1.5 x", "**missed by a factor of 1.13**")


def test_the_page_says_what_records_say(records, tmp_path):
    records.add(gram_record(NESTED, "BZR", [2.0], n_hops=3, n_jobs=2))
    records.add(gram_record(WWL, "BZR", [30.0], n_graphs=5, whole=9))
    hopper = gram_record(cases.HOPPER, "BZR", [])
    records.add(Record(hopper.case, {"none_in": 120.0}, HERE))
    page = tmp_path / "docs" / "performance.md"
    write_page(records, page)
    text = page.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert "| BZR | 2.0 | none in 120 s (> 60 x) | ≈ 108 (54 x), of 5 graphs |" in text
    assert "| BZR | 150 (+50) |" in text
    assert "| BZR | 2.0 | 10.4 |  | 7.24 | ≈ 108 | 97.3 |  | 252 |" in text
    assert "abacus, 2 cores" in text


def test_a_power_law_is_fitted_to_the_last_points():
    exponent, factor = power_law([(1, 100.0), (2, 3 * 2**1.5), (4, 3 * 4**1.5), (8, 3 * 8**1.5)])
    assert exponent == pytest.approx(1.5)
    assert factor == pytest.approx(3)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0678, "0.068"), (0.999, "1.0"), (4.26, "4.3"), (27.4, "27"), (1234.5, "1234"), (0, "0.0")],
)
def test_numbers_have_two_digits(value, text):
    assert number(value) == text
