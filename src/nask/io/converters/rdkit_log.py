"""RDKit's messages, caught instead of printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import Any

from nask.messages import shortened
from nask.optional import require

# RDKit's logs are global: while one thread catches messages, others wait, and lose none of theirs.
_ALONE = RLock()
TIME = re.compile(r"^\[\d\d:\d\d:\d\d\] ", re.MULTILINE)
# What RDKit says around the reason: who speaks, and what it was given.
SPEAKER = re.compile(r"^(SMILES Parse Error|ERROR|Error|Explicit Error): ?")
GIVEN = re.compile(r"( for input:| while parsing:).*$", re.DOTALL)
# A line that draws an arrow, or says once more that it failed.
EMPTY = re.compile(r"^([~^\s]*|Failed parsing SMILES.*|Could not sanitize molecule.*)$", re.DOTALL)


class Said:
    """What RDKit says while it is caught.

    Parameters
    ----------
    log : object with ``messages``, or None
    """

    def __init__(self, log: Any = None) -> None:
        self.log = log

    def reason(self, given: str = "") -> str:
        """Why RDKit refused what it was given; empty if it did not say.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> text = "[10:02:11] SMILES Parse Error: unclosed ring for input: 'C1CC'\\n"
        >>> Said(SimpleNamespace(messages=text)).reason("C1CC")
        'unclosed ring'
        """
        # A message may have lines of its own, such as a name that was read.
        told: dict[str, None] = {}
        try:
            messages = getattr(self.log, "messages", "")
        except UnicodeDecodeError:  # RDKit cuts what it was given between the bytes of a letter
            return ""
        for part in TIME.split(messages):
            line = SPEAKER.sub("", part.strip())
            if line.strip() != given.strip() and not EMPTY.match(line):
                told[" ".join(GIVEN.sub("", line).rstrip(".: ").split())] = None
        return shortened("; ".join(told))


@contextmanager
def quiet() -> Iterator[Said]:
    """Let RDKit print nothing while the block runs, in any thread; return what it says.

    Before version 2026.03 RDKit's messages are lost.

    Examples
    --------
    >>> from rdkit import Chem
    >>> with quiet() as said:
    ...     molecule = Chem.MolFromSmiles("C1CC")
    >>> molecule is None, said.reason()
    (True, 'unclosed ring')
    """
    base: Any = require("rdkit.rdBase", "molecules")
    catch = getattr(base, "CaptureErrorLog", nullcontext)
    with _ALONE, base.BlockLogs(), catch() as log:
        yield Said(log)
