"""Several files as one input, which a fuzzer may change anywhere."""

import re
from collections.abc import Mapping

HEAD = re.compile(rb"(?:^|\n)%%%% ([^\n]*)\n")


def joined(files: Mapping[str, bytes]) -> bytes:
    """One input of files by their names."""
    parts = (f"\n%%%% {name}\n".encode() + content for name, content in files.items())
    return b"".join(parts).removeprefix(b"\n")


def split(data: bytes) -> dict[str, bytes]:
    """The files of an input; what comes before the first name is of none."""
    _, *found = HEAD.split(data)
    names = [name.decode(errors="replace") for name in found[::2]]
    return dict(zip(names, found[1::2], strict=True))
