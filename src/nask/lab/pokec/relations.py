"""Relations of the Pokec network: lines of two ids, thirty million of them, as edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Index, Mask
from nask.exceptions import FormatError
from nask.io.readers.archive import Archive
from nask.lab.pokec.lines import whole_lines
from nask.messages import quoted


@dataclass(frozen=True)
class Relations:
    """Undirected edges, and counts of the directed relations they came from.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Nodes, smaller first, sorted, without repeats and self-loops.
    n_self : int
        Relations of a user with themself, removed.
    n_repeats : int
        Lines that repeat a relation in the same direction, removed.
    n_mutual : int
        Edges that stand for a relation in both directions.
    """

    edges: Index
    n_self: int
    n_repeats: int
    n_mutual: int


def read_relations(archive: Archive, name: str, ids: Index) -> Relations:
    """Read the file of the relations between users.

    Parameters
    ----------
    name : str
        The file in it.
    ids : ndarray of int
        The ids of the users, sorted and distinct; node k is the user ``ids[k]``.
    """
    where, n = archive.where(name), len(ids)
    parts: list[Index] = []
    n_self = 0
    for first, block in whole_lines(archive, name):
        users = _integers(block)
        if users is None:
            raise _malformed(block, where, first)
        u, v = _nodes(users, ids, where, first).reshape(-1, 2).T
        # One number per direction of an edge: even for the first, the next odd one for the second.
        arcs = 2 * (np.minimum(u, v) * n + np.maximum(u, v)) + (u > v)
        proper = arcs[u != v]
        n_self += len(arcs) - len(proper)
        parts.append(proper)
    arcs = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    parts.clear()
    n_listed = len(arcs)
    arcs.sort()
    arcs = arcs[_is_first(arcs)]
    n_arcs = len(arcs)
    arcs //= 2
    codes = arcs[_is_first(arcs)]
    del arcs
    edges = np.empty((len(codes), 2), dtype=np.int64)
    np.floor_divide(codes, n, out=edges[:, 0])
    np.remainder(codes, n, out=edges[:, 1])
    return Relations(edges, n_self, n_listed - n_arcs, n_arcs - len(codes))


def _is_first(numbers: Index) -> Mask:
    """Of sorted numbers, mark the first of each run of equal ones."""
    first = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return first


def _integers(block: bytes) -> Index | None:
    """Return the two integers of every line, separated by a tab; None if a line has other text."""
    if block.translate(None, b"0123456789") != b"\t\n" * block.count(b"\n"):
        return None
    numbers = np.fromstring(block, dtype=np.int64, sep=" ")
    # Fewer if a side of a tab is empty.
    return numbers if len(numbers) == 2 * block.count(b"\n") else None


def _malformed(block: bytes, where: str, first: int) -> FormatError:
    lines = block.split(b"\n")
    for number, line in enumerate(lines[:-1], start=first):
        parts = line.split(b"\t")
        if len(parts) != 2 or not all(map(bytes.isdigit, parts)):
            shown = line[:100].decode(errors="backslashreplace")
            return FormatError(
                f"{where}, line {number}: {quoted(shown)}; expected the ids of two users, whole "
                "numbers separated by a tab."
            )
    raise AssertionError("no line is at fault")


def _nodes(users: Index, ids: Index, where: str, first: int) -> Index:
    found: Index = np.searchsorted(ids, users)
    unknown = np.flatnonzero(ids[np.minimum(found, len(ids) - 1)] != users)
    if len(unknown):
        k = int(unknown[0])
        raise FormatError(
            f"{where}, line {first + k // 2}: user {users[k]} has no profile; expected the ids of "
            "users in the file of the profiles."
        )
    return found
