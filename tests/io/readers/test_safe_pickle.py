"""Pickles written by hand to do harm: each is refused, and changes nothing in the process."""

from __future__ import annotations

import copyreg
import pickle
import struct
import subprocess
import sys
from collections import OrderedDict, defaultdict

import numpy as np
import pytest
from scipy import sparse

from nask.exceptions import FormatError
from nask.io.readers.safe_pickle import load_arrays

NONE, REDUCE, BUILD, NEWOBJ, STOP = b"N", b"R", b"b", b"\x81", b"."


def integer(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def raw(value: bytes) -> bytes:
    return b"C" + bytes([len(value)]) + value


def name(module: str, what: str) -> bytes:
    return f"c{module}\n{what}\n".encode()


def items(*values: bytes) -> bytes:
    return b"(" + b"".join(values) + b"t"


def dtype(code: str, *state: bytes) -> bytes:
    made = name("numpy", "dtype") + items(text(code), integer(0), integer(1)) + REDUCE
    return made + items(*state) + BUILD if state else made


def array(kind: bytes, shape: tuple[int, ...], data: bytes) -> bytes:
    empty = items(name("numpy", "ndarray"), items(integer(0)), raw(b"b"))
    state = items(integer(1), items(*map(integer, shape)), kind, b"\x89", raw(data))
    return name("numpy.core.multiarray", "_reconstruct") + empty + REDUCE + state + BUILD


CSR = name("scipy.sparse._csr", "csr_matrix")
POINTER_FIELD = b"}" + text("a") + items(dtype("O"), integer(0)) + b"s"
ATTACKS = {
    # Each of the first four ended the process.
    "an object array over bytes": name("numpy", "ndarray")
    + items(items(integer(1)), dtype("O"), raw(b"A" * 8)) + REDUCE,
    "a type that hides its objects": array(
        dtype("V8", integer(3), text("|"), NONE, items(text("a")), POINTER_FIELD, integer(8),
              integer(1), integer(0)),
        (2,), b"A" * 16,
    ),
    "a key that is too deep to hash": b"})" + b"\x85" * 300_000 + integer(1) + b"s",
    "the same by way of the memo": b")" + b"\x85" * 300_000 + b"q\x00}h\x00h\x00s",
    # Others that did harm, or would.
    "parts of a class": CSR + items(NONE, b"}" + text("format") + text("evil") + b"s") + BUILD,
    "parts of a type of numbers": dtype("f8") + b"}" + text("x") + integer(1) + b"s" + BUILD,
    "a record": array(
        dtype("V8", integer(3), text("|"), NONE, items(text("a")), b"}", integer(8)), (1,), b"A" * 8
    ),
    "a subarray": array(
        dtype("f8", integer(3), text("<"), items(dtype("f8"), items(integer(2))), NONE, NONE),
        (1,), b"A" * 8,
    ),
    "an object type": array(dtype("O"), (1,), b"A" * 8),
    "a text type": array(dtype("U2"), (1,), b"A" * 8),
    "a list of types": array(dtype("f8,O"), (1,), b"A" * 16),
    "a huge shape": array(dtype("f8"), (2**31 - 1, 2**31 - 1, 2**31 - 1), b"A" * 8),
    "a shape that overflows": array(dtype("f8"), (2**30, 2**30, 2**3), b""),
    "a negative shape": array(dtype("f8"), (-1,), b"A" * 8),
    "two negative sizes": array(dtype("f8"), (-1, -1), b"A" * 8),
    "too many dimensions": array(dtype("f8"), (1,) * 70, b"A" * 8),
    "too few bytes": array(dtype("f8"), (2,), b"A" * 8),
    "too many bytes": array(dtype("f8"), (1,), b"A" * 16),
    "strides": name("numpy", "ndarray")
    + items(items(integer(3)), dtype("f8"), raw(b"A" * 24), integer(16), items(integer(-8)))
    + REDUCE,
    "an array without numbers": name("numpy.core.multiarray", "_reconstruct")
    + items(name("numpy", "ndarray"), items(integer(0)), raw(b"b")) + REDUCE,
    "a call of a result": dtype("f8") + items() + REDUCE,
    "a call of a call": name("builtins", "list") + items(name("builtins", "list")) + REDUCE,
    "code in an array's name": name("numpy.core.multiarray", "_reconstruct")
    + items(name("os", "system"), items(integer(0)), raw(b"b")) + REDUCE,
    "a factory of a dictionary": name("collections", "defaultdict")
    + items(name("os", "getpid")) + REDUCE,
    "a dotted name": b"\x8c\x05numpy\x8c\x0endarray.tofile\x93",
    "a name that is no text": b"K\x01K\x02\x93",
    "another function of numpy": name("numpy", "load") + items(text("x")) + REDUCE,
    "a function of a module admitted": name("numpy.core.multiarray", "fromfile"),
    "getattr": name("builtins", "getattr"),
    "an old instance": b"(cbuiltins\neval\nV1\no",
    "an old instance by name": b"(V1\nibuiltins\neval\n",
    "a persistent id": b"Pme\n",
    "an extension": b"\x82\x01",
    "a set": b"\x8f(K\x01\x90",
    "an integer of many digits": b"I" + b"9" * 5000 + b"\n",
    "a long of many digits": b"L" + b"9" * 5000 + b"L\n",
    "an integer of many bytes": b"\x8a\xff" + b"\x7f" * 255,
    "an integer of very many bytes": b"\x8b" + struct.pack("<i", 10**6) + b"\x7f" * 10**6,
    "a list that holds itself": b"]q\x00h\x00a",
    "lists doubled over and over": b"]K\x01a" + b"".join(
        b"q%c]h%ch%ce" % (k, k, k) for k in range(60)
    ),
    "nothing at all": b"",
    "a mark without values": b"(",
    "values without a mark": b"t",
    "an end in the middle": b"X\xff\xff\xff\xff",
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_and_changes_nothing(attack):
    before = dict(vars(sparse.csr_matrix)), dict(vars(np.ndarray)), dict(copyreg.dispatch_table)
    with pytest.raises(FormatError, match=r"^file "):
        load_arrays(b"\x80\x04" + ATTACKS[attack] + STOP, "file")
    assert before == (
        dict(vars(sparse.csr_matrix)), dict(vars(np.ndarray)), dict(copyreg.dispatch_table),
    )  # fmt: skip


@pytest.mark.slow
def test_the_attacks_that_ended_the_process_are_refused_in_one_of_their_own(tmp_path):
    """Once more where a crash is seen as such."""
    for k, attack in enumerate(list(ATTACKS)[:4]):
        (tmp_path / f"{k}.pickle").write_bytes(b"\x80\x04" + ATTACKS[attack] + STOP)
    code = (
        "import pathlib, sys\n"
        "from nask.io.readers.safe_pickle import load_arrays\n"
        "for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):\n"
        "    try: print(load_arrays(file.read_bytes(), 'file'))\n"
        "    except ValueError as error: print(type(error).__name__)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False
    )
    assert (run.returncode, run.stdout.split()) == (0, [b"FormatError"] * 4), run.stderr


def test_a_memo_entry_of_a_high_number_takes_no_memory():
    assert load_arrays(b"\x80\x02K\x07r\xff\xff\xff\x7fj\xff\xff\xff\x7f.", "file") == 7


@pytest.mark.parametrize(
    ("evil", "message"),
    [(name("os", "system"), "it would call os.system"), (b"\x82\x01", "the operation EXT1")],
)
def test_what_a_refused_pickle_would_do_is_told(evil, message):
    with pytest.raises(FormatError, match=message):
        load_arrays(b"\x80\x04" + evil + STOP, "file")


PLAIN = [
    {1: [2, 3], 2: []},
    defaultdict(list, {0: [1], 1: [0]}),
    [None, True, False, -5, 2**62, 0.5, "text", b"\xff", (1, (2, 3))],
    ["one", "one", "one"],
]


@pytest.mark.parametrize("protocol", range(5))
@pytest.mark.parametrize("value", PLAIN, ids=str)
def test_plain_values_are_read(value, protocol):
    assert load_arrays(pickle.dumps(value, protocol=protocol), "file") == value


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize("kind", ["?", "i1", "<i4", ">i4", "u8", "f2", "<f4", ">f8"])
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (0, 4)])
def test_arrays_are_read(kind, shape, protocol):
    value = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    for given in (value, np.asfortranarray(value), [value, value[:1]], {"a": value}):
        read = load_arrays(pickle.dumps(given, protocol=protocol), "file")
        for a, b in zip(_arrays(read), _arrays(given), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def _arrays(value):
    if isinstance(value, np.ndarray):
        return [value]
    return value if isinstance(value, list) else list(value.values())


def test_an_array_of_python_2_is_read():
    state = (
        b"(K\x01K\x02\x85cnumpy\ndtype\nU\x02i2K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xff"
        b"J\xff\xff\xff\xffK\x00tb\x89U\x04\x01\x00\xff\xfftb"
    )
    start = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
    assert load_arrays(start + state + STOP, "file").tolist() == [1, -1]


@pytest.mark.parametrize("module", [b"scipy.sparse.csr", b"scipy.sparse._csr"])
def test_a_sparse_matrix_is_read_as_its_parts(module):
    matrix = sparse.csr_matrix(np.array([[0, 2.0], [3, 0]]))
    data = pickle.dumps(matrix, protocol=2).replace(b"scipy.sparse._csr", module)
    read = load_arrays(data, "file")
    assert read.shape == (2, 2)
    assert (read.data.tolist(), read.indices.tolist(), read.indptr.tolist()) == (
        [2, 3], [1, 0], [0, 1, 2],
    )  # fmt: skip


def test_containers_that_are_not_plain_are_refused():
    for value in ({(1, 2): 3}, {1, 2}, OrderedDict(a=1), bytearray(b"a"), 1j, 2**70):
        with pytest.raises(FormatError, match="a pickle that is not read"):
            load_arrays(pickle.dumps(value, protocol=4), "file")
