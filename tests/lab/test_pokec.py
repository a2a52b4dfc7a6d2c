from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask import NodeDataset
from nask.exceptions import FormatError
from nask.graph.attribute import Attribute
from nask.io.readers.archive import open_archive
from nask.lab import read_pokec
from nask.lab.pokec import lines as pokec_lines
from pokec_files import PROFILES, RELATIONS, profile, write_files, write_pokec

REGIONS = ("bratislavsky kraj, bratislava - stare mesto", "zahranicie, nemecko", "Žilina")


def invented(n_nodes: int, rng: np.random.Generator, missing: float = 0.2) -> NodeDataset:
    """A network with the attributes of Pokec, many of them missing."""
    numbers = {
        "age": rng.integers(1, 100, n_nodes),
        "registration": rng.integers(-400, 15000, n_nodes),
        "completion_percentage": rng.integers(0, 101, n_nodes),
    }
    codes = {"region": (REGIONS, 3), "public": ((0, 1), 2)}
    columns = {name: Attribute("numerical", data.astype(float)) for name, data in numbers.items()}
    for name, (categories, size) in codes.items():
        data = rng.integers(0, size, n_nodes).astype(np.int32)
        columns[name] = Attribute("categorical", data, categories)
    for name, column in columns.items():
        data = column.data.copy()
        data[rng.random(n_nodes) < missing] = np.nan if column.kind == "numerical" else -1
        columns[name] = Attribute(column.kind, data, column.categories)
    drawn = nask.lab.make_social_network(n_nodes, min(6.0, n_nodes - 1), random_state=rng)
    graph = nask.AttributedGraph.from_valid(n_nodes, drawn.graph.edges, columns, {})
    y = np.where(rng.random(n_nodes) < missing, -1, drawn.y)
    return NodeDataset("invented", graph, y, [], [], [])


def as_zip(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in folder.iterdir():
            archive.write(file, f"Pokec/{file.name}")
    return path


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("zipped", [False, True])
def test_round_trip_of_thousands_in_many_blocks(tmp_path, monkeypatch, packed, zipped):
    monkeypatch.setattr(pokec_lines, "READ_BYTES", 5000)
    rng = np.random.default_rng(7)
    network = invented(4000, rng)
    path = write_pokec(tmp_path / "set", network, rng, packed=packed)
    read = read_pokec(as_zip(path) if zipped else path)
    assert read.graph == network.graph
    assert np.array_equal(read.y, network.y)
    assert read.name == "Pokec"


@given(n_nodes=st.integers(2, 30), block=st.integers(1, 400), seed=st.integers(0, 1000))
def test_round_trip_at_every_size_of_a_block(tmp_path_factory, n_nodes, block, seed):
    rng = np.random.default_rng(seed)
    network = invented(n_nodes, rng)
    path = write_pokec(tmp_path_factory.mktemp("set"), network, rng)
    with pytest.MonkeyPatch.context() as patch:
        # Little more than a line, so that most lines come in two pieces.
        patch.setattr(pokec_lines, "READ_BYTES", 400 + block)
        read = read_pokec(path)
    assert read.graph == network.graph
    assert np.array_equal(read.y, network.y)


PEOPLE = (
    profile(30, 1, 60, 1, "kosicky kraj, michalovce", "2005-04-03", 26)
    + profile(7, 0, 0, 0, "kosicky kraj, michalovce", "1970-01-02", 0)
    + profile(12, None, None, None, None, None, None)
)


def write(folder: Path, profiles: str = PEOPLE, relations: str = "") -> Path:
    return write_files(folder, profiles, relations)


def test_values_by_hand(tmp_path):
    data = read_pokec(write(tmp_path))
    values = {name: column.values() for name, column in data.graph.node_attributes.items()}
    assert values == {
        "age": [None, None, 26],
        "region": ["kosicky kraj, michalovce", None, "kosicky kraj, michalovce"],
        "registration": [1, None, 12876],
        "public": [0, None, 1],
        "completion_percentage": [0, None, 60],
    }
    assert data.y.tolist() == [0, -1, 1]
    assert data.graph.node_attributes["public"].categories == (0, 1)
    assert f"{PROFILES}: 1 profiles have no gender: y is -1 there." in data.notes
    assert f"{PROFILES}: 1 profiles have the age 0, which is missing." in data.notes


def test_relations_are_merged_and_counted(tmp_path):
    lines = ["30 7", "7 30", "30 7", "12 12", "7 12", "7 12", "12 12", "7 7"]
    relations = "\n".join(lines).replace(" ", "\t")  # and no newline at the end
    data = read_pokec(write(tmp_path, relations=relations))
    assert data.graph.edges.tolist() == [[0, 1], [0, 2]]
    assert data.graph.n_self_loops_removed == 3
    assert data.graph.n_duplicate_edges_removed == 2
    assert [note.removeprefix(f"{RELATIONS}: ") for note in data.notes if RELATIONS in note] == [
        "3 relations of a user with themself removed.",
        "2 relations that repeat another removed.",
        "1 relations that are listed the other way round too make no new edge.",
        "directions are dropped.",
    ]


def test_without_relations_there_are_no_edges_and_no_counts(tmp_path):
    data = read_pokec(write(tmp_path))
    assert data.graph.edges.shape == (0, 2)
    assert sum(RELATIONS in note for note in data.notes) == 1


def test_the_split_is_the_same_every_time_and_of_people_with_a_gender(tmp_path):
    rng = np.random.default_rng(1)
    network = invented(400, rng)
    first = read_pokec(write_pokec(tmp_path / "a", network, rng))
    second = read_pokec(write_pokec(tmp_path / "b", network, rng))
    known = np.flatnonzero(network.y >= 0)
    parts = [first.train, first.validation, first.test]
    assert np.array_equal(np.sort(np.concatenate(parts)), known)
    assert [len(part) for part in parts] == [
        len(known) // 2, len(known) * 3 // 4 - len(known) // 2, len(known) - len(known) * 3 // 4,
    ]  # fmt: skip
    for name in ("train", "validation", "test"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
        assert (np.diff(getattr(first, name)) > 0).all()


def test_lines_of_windows_and_nothing_for_null(tmp_path):
    plain = read_pokec(write(tmp_path / "plain", relations="7\t30\n30\t12\n"))
    profiles = PEOPLE.replace("\n", "\r\n").replace("null", "")
    windows = read_pokec(write(tmp_path / "windows", profiles, "7\t30\r\n30\t12\r\n"))
    assert windows.graph == plain.graph
    assert np.array_equal(windows.y, plain.y)


def test_a_file_called_gz_that_is_none_and_the_other_way_round(tmp_path):
    expected = read_pokec(write(tmp_path / "plain", relations="7\t30\n"))
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / f"{PROFILES}.gz").write_text(PEOPLE)
    (folder / RELATIONS).write_bytes(gzip.compress(b"7\t30\n"))
    assert read_pokec(folder).graph == expected.graph


@pytest.mark.parametrize("columns", [8, 9, 59])
def test_columns_after_the_age_are_not_needed(tmp_path, columns):
    lines = ["\t".join(line.split("\t")[:columns]) for line in PEOPLE.splitlines()]
    assert read_pokec(write(tmp_path, "\n".join(lines))).y.tolist() == [0, -1, 1]


BAD_PROFILES = {
    "short": ("5\t1\t20", r"line 4 has 3 of the columns user_id, .*, age, separated by tabs"),
    "blank": ("", r"line 4 has 1 of the columns"),
    "id is text": (profile("x5", 1, 2, 1, "a", "2005-01-01", 3), r"line 4: the user_id is 'x5'"),
    "id is negative": (profile(-5, 1, 2, 1, "a", "2005-01-01", 3), r"the user_id is '-5'"),
    "id is null": (profile("null", 1, 2, 1, "a", "2005-01-01", 3), r"the user_id is 'null'"),
    "id is huge": (profile("9" * 19, 1, 2, 1, "a", "2005-01-01", 3), r"at most 18 digits"),
    "second profile": (profile(7, 1, 2, 1, "a", "2005-01-01", 3), r"line 4: user 7 .* line 2 al"),
    "public": (profile(5, 2, 2, 1, "a", "2005-01-01", 3), r"line 4: the public is '2'; .*0 or 1"),
    "completion": (profile(5, 1, "2%", 1, "a", "2005-01-01", 3), r"completion_percentage is '2%'"),
    "gender": (profile(5, 1, 2, "man", "a", "2005-01-01", 3), r"line 4: the gender is 'man'"),
    "registration": (profile(5, 1, 2, 1, "a", "2005-13-01", 3), r"registration is '2005-13-01'"),
    "registration, no text": (profile(5, 1, 2, 1, "a", "é", 3), r"the registration is 'é'"),
    "age": (profile(5, 1, 2, 1, "a", "2005-01-01", "3.5"), r"line 4: the age is '3.5'; .* or null"),
}


@pytest.mark.parametrize("case", BAD_PROFILES)
@pytest.mark.parametrize("block", [1 << 20, 600])
def test_a_bad_profile_is_named_with_file_and_line(tmp_path, monkeypatch, case, block):
    monkeypatch.setattr(pokec_lines, "READ_BYTES", block)
    line, message = BAD_PROFILES[case]
    after = profile(90, 1, 2, 1, "a", "2005-01-01", 3)
    folder = write(tmp_path, PEOPLE + line.removesuffix("\n") + "\n" + after)
    with pytest.raises(FormatError, match=message) as caught:
        read_pokec(folder)
    assert str(folder / PROFILES) in str(caught.value)
    assert "line 4" in str(caught.value)


def test_a_region_that_is_no_text(tmp_path):
    folder = write(tmp_path)
    (folder / PROFILES).write_bytes(PEOPLE.encode().replace(b"kosicky", b"ko\xffice"))
    with pytest.raises(FormatError, match=r"line 1: the region is 'ko\\\\xffice.*UTF-8"):
        read_pokec(folder)


def test_of_two_faults_the_first_line_is_named(tmp_path):
    profiles = PEOPLE + profile(5, 1, 2, 1, "a", "2005-01-01", "old") + profile("x", *[None] * 6)
    with pytest.raises(FormatError, match="line 4: the age is 'old'"):
        read_pokec(write(tmp_path, profiles))


def test_of_two_second_profiles_the_first_line_is_named(tmp_path):
    profiles = (
        PEOPLE + profile(30, *[None] * 6) + profile(7, *[None] * 6) + profile(12, *[None] * 6)
    )
    with pytest.raises(FormatError, match="line 4: user 30 has a profile on line 1 already"):
        read_pokec(write(tmp_path, profiles))


BAD_RELATIONS = {
    "unknown": ("7\t8", r"line 3: user 8 has no profile"),
    "unknown, above all": ("31\t7", r"line 3: user 31 has no profile"),
    "unknown, beyond 64 bits": ("7\t" + "9" * 30, r"line 3: user \d+ has no profile"),
    "one": ("7", r"line 3: '7'; expected the ids of two users"),
    "three": ("7\t30\t12", r"line 3: '7\\t30\\t12'"),
    "space": ("7 30", r"line 3: '7 30'"),
    "text": ("7\tx30", r"line 3: '7\\tx30'"),
    "negative": ("-7\t30", r"line 3: '-7\\t30'"),
    "first is empty": ("\t30", r"line 3: '\\t30'"),
    "second is empty": ("30\t", r"line 3: '30\\t'"),
    "blank": ("", r"line 3: ''"),
    "comment": ("# from to", r"line 3: '# from to'"),
    "return": ("7\r\t30", r"line 3: '7\\r\\t30'"),
    "no text": ("7\t\udcff", r"line 3: '7\\t\\\\xff'"),
}


@pytest.mark.parametrize("case", BAD_RELATIONS)
@pytest.mark.parametrize("block", [1 << 20, 6])
def test_a_bad_relation_is_named_with_file_and_line(tmp_path, monkeypatch, case, block):
    line, message = BAD_RELATIONS[case]
    folder = write(tmp_path)
    text = f"7\t30\n30\t12\n{line}\n30\t7\n"
    (folder / RELATIONS).write_bytes(text.encode(errors="surrogateescape"))
    (folder / PROFILES).write_text("\n".join(f"{user}" + "\t" * 7 for user in (30, 7, 12)))
    monkeypatch.setattr(pokec_lines, "READ_BYTES", max(block, len(line), 10))
    with pytest.raises(FormatError, match=message) as caught:
        read_pokec(folder)
    assert str(folder / RELATIONS) in str(caught.value)


@pytest.mark.parametrize("name", [PROFILES, RELATIONS])
def test_a_missing_file(tmp_path, name):
    folder = write(tmp_path)
    (folder / name).unlink()
    with pytest.raises(FormatError, match=f"does not hold {PROFILES} and {RELATIONS}"):
        read_pokec(folder)


def test_files_in_different_folders_are_not_one_network(tmp_path):
    folder = write(tmp_path / "set")
    (tmp_path / "other").mkdir()
    (folder / RELATIONS).rename(tmp_path / "other" / RELATIONS)
    with pytest.raises(FormatError, match="in one folder"):
        read_pokec(tmp_path)


def test_no_profiles(tmp_path):
    with pytest.raises(FormatError, match=f"{PROFILES} is empty"):
        read_pokec(write(tmp_path, ""))


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: data[:40] + b"!" * 40])
@pytest.mark.parametrize("name", [PROFILES, RELATIONS])
def test_a_damaged_gz(tmp_path, damage, name):
    rng = np.random.default_rng(3)
    folder = write_pokec(tmp_path, invented(300, rng), rng, packed=True)
    file = folder / f"{name}.gz"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(FormatError, match=rf"{file} cannot be read: .* damaged .* Get it again"):
        read_pokec(folder)


def test_a_damaged_zip(tmp_path):
    rng = np.random.default_rng(3)
    path = as_zip(write_pokec(tmp_path / "set", invented(300, rng), rng))
    data = bytearray(path.read_bytes())
    data[2000:2400] = b"!" * 400
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"cannot be read: the zip is damaged"):
        read_pokec(path)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(pokec_lines, "READ_BYTES", 100)
    folder = write(tmp_path, PEOPLE[:20] + "\n" + "x" * 1000)
    blocks = pokec_lines.whole_lines(open_archive(folder), PROFILES)
    assert next(blocks)[0] == 1
    with pytest.raises(FormatError, match=r"line 2 is longer than 100 bytes"):
        next(blocks)
