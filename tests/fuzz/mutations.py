"""Inputs made of others: bytes, numbers and lines changed, doubled, swapped and left out."""

import json
import random
import re
from collections.abc import Sequence

from fuzz.parts import HEAD

# What readers trip over: limits of numbers, of text and of structure.
PIECES = [
    b"", b"0", b"-1", b"1e400", b"nan", b"NaN", b"inf", b"-Infinity", b"9" * 30, b"9" * 5000,
    b"1_0", b"\xff\xfe", b"\0", b",", b"\n\n", b"\r", b"\t", b'"', b"a", b"1.5", b"-0", b"true",
    b"null", b"[]", b"{}", b"\xef\xbb\xbf", b"\x1f\x8b", "\u0661".encode(), b"\xe2\x80\xa8",
    b"1" * 400, b"[" * 2000, b"30000000", b"300000000", b"100000000000", b"2147483648",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"1e308", b"1e-320",
    b"\xff\xff\xff\xff", b"\xff" * 8, b"\x80", b"\x7f\xff\xff\xff", b"../", b"\n%%%% A\n",
]  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 2, 1.5, -0.0, 1e308, 1e-320, 10**8, 2**31, 2**63, 10**400,
    float("nan"), float("inf"), "", "x", "nested", "0", [], {}, [[]], [0], [1.0, 2.0], {"a": 1},
    "y" * 500,
]  # fmt: skip
NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
LONGEST = 200_000


def mutated(data: bytes, draw: random.Random, others: Sequence[bytes]) -> bytes:
    """Another input: one to four changes of one, with parts of others now and then."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        data = draw.choice(CHANGES)(data, draw, others)
    return data[:LONGEST]


def _piece(data, draw, others):
    start = draw.randrange(len(data) + 1)
    stop = min(len(data), start + draw.choice([0, 1, 1, 5, 30]))
    return data[:start] + draw.choice([*PIECES, bytes([draw.randrange(256)])]) + data[stop:]


def _number(data, draw, others):
    found = list(NUMBER.finditer(data))
    if not found:
        return _piece(data, draw, others)
    number = draw.choice(found)
    text = number[0]
    nearby = (
        str(int(float(text)) + draw.choice((-1, 1, 2**31))).encode() if len(text) < 15 else b"0"
    )
    new = draw.choice([*PIECES, nearby, b"-" + text, draw.choice(found)[0]])
    return data[: number.start()] + new + data[number.end() :]


def _bits(data, draw, others):
    changed = bytearray(data or b"0")
    for _ in range(draw.choice((1, 1, 3))):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _lines(data, draw, others):
    lines = data.split(b"\n")
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    what = draw.randrange(3)
    if what == 0:
        lines[first], lines[second] = lines[second], lines[first]
    elif what == 1:
        lines.insert(second, lines[first])
    else:
        del lines[first]
    return b"\n".join(lines)


def _block(data, draw, others):
    start = draw.randrange(len(data) + 1)
    block = data[start : start + draw.choice((1, 8, 50, 500))]
    place = draw.randrange(len(data) + 1)
    return data[:place] + block * draw.choice((1, 1, 2, 40)) + data[place:]


def _json(data, draw, others):
    """A value of a JSON document in the input, or of a line of JSON, changed."""
    parts = HEAD.split(data)
    places = [k for k in range(0, len(parts), 2) if parts[k].lstrip()[:1] in (b"{", b"[")]
    if not places:
        return _piece(data, draw, others)
    place = draw.choice(places)
    lines = parts[place].split(b"\n")
    k = draw.randrange(len(lines))
    try:
        lines[k] = _value_changed(lines[k], draw)
        changed = b"\n".join(lines)
    except (ValueError, RecursionError):
        try:
            changed = _value_changed(parts[place], draw)
        except (ValueError, RecursionError):
            return _piece(data, draw, others)
    whole = data.split(parts[place], 1)
    return changed.join(whole) if len(whole) == 2 else changed


def _value_changed(text, draw):
    document = json.loads(text)
    holders = [own for own in _containers(document) if own]
    if not holders:
        raise ValueError
    holder = draw.choice(holders)
    key = draw.choice(list(holder)) if isinstance(holder, dict) else draw.randrange(len(holder))
    what = draw.randrange(6)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[draw.choice(("x", "", "n_hops", str(key) + "s"))] = holder[key]
    elif what == 2 and isinstance(holder, list):
        holder.insert(key, draw.choice(holder))
    else:
        own = draw.choice(holders)
        other = draw.choice(list(own.values()) if isinstance(own, dict) else own)
        number = holder[key]
        near = number + draw.choice((-1, 1)) if type(number) in (int, float) else not number
        holder[key] = draw.choice([*VALUES, other, near, near])
    return json.dumps(document).encode()


def _containers(value):
    if isinstance(value, (dict, list)):
        yield value
        for own in value.values() if isinstance(value, dict) else value:
            yield from _containers(own)


def _cut(data, draw, others):
    start = draw.randrange(len(data) + 1)
    return data[:start] + data[start + draw.choice((1, 8, 50, len(data))) :]


def _spliced(data, draw, others):
    other = draw.choice(others)
    return data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :]


CHANGES = (
    _piece, _piece, _number, _number, _number, _json, _json, _json, _bits, _bits, _lines, _block,
    _cut, _spliced,
)  # fmt: skip
