"""Every reader and loader on the corpus, on the finds of old, and on a few drawn changes of them.

``make fuzz`` goes on from here for as long as one likes.
"""

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.parts import joined, split
from fuzz.run import fuzz
from fuzz.running import CORPUS, inputs, outcome, room
from fuzz.targets import TARGETS, TU

# Enough to see that the machinery runs; what they cost decides.
N_DRAWN = 60
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda own: st.lists(own, max_size=3) | st.dictionaries(st.text(max_size=3), own, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("target", TARGETS)
def test_the_corpus_and_finds_of_old_are_read_or_refused(target):
    kept = inputs(target)
    assert kept
    with room() as folder:
        ends = [outcome(target, data, folder) for data in kept]
    n_corpus = len(list((CORPUS / target).glob("*")))
    assert ends[:n_corpus] == ["read"] * n_corpus
    assert "not tried" not in ends


@pytest.mark.parametrize("target", TARGETS)
def test_drawn_changes_are_read_or_refused(target):
    counts = fuzz(target, seconds=60, seed=0, most=N_DRAWN)
    assert counts.keys() <= {"read", "refused"}
    assert counts.total() == N_DRAWN


@given(
    st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 5)), max_size=6),
    st.lists(st.integers(-1, 4), max_size=5),
    st.lists(st.floats(width=16) | st.integers(), max_size=5),
)
def test_drawn_tables_of_numbers_are_read_or_refused(arcs, indicator, labels):
    columns = {
        "T_A.txt": [f"{u}, {v}" for u, v in arcs],
        "T_graph_indicator.txt": indicator,
        "T_node_labels.txt": labels,
    }
    files = {name: "\n".join(map(str, own)).encode() for name, own in columns.items()}
    with room() as folder:
        for target in ("tu", "tu_as_undirected"):
            outcome(target, joined(files), folder)


@pytest.mark.parametrize("target", ["journal", "grakel", "networkx", "lab_records"])
@given(value=VALUES)
def test_drawn_documents_are_read_or_refused(target, value):
    text = json.dumps(value).encode()
    with room() as folder:
        if target == "lab_records":
            outcome(target, joined({"times/column--row.json": text}), folder)
            outcome(target, joined({"studies/MUTAG.json": text}), folder)
        else:
            outcome(target, text, folder)
        if target == "journal":
            outcome(target, inputs("journal")[0] + text + b"\n", folder)


def test_parts_are_what_was_joined():
    files = {name: zlib.compress(name.encode()) for name in TU}
    assert split(joined(files)) == files


def test_a_wrong_result_and_a_wrong_error_are_finds(monkeypatch):
    def wrong(data, folder):
        raise KeyError(data)

    monkeypatch.setitem(TARGETS, "tu", wrong)
    with room() as folder, pytest.raises(KeyError):
        outcome("tu", b"", folder)
