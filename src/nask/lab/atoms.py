"""What the node labels of sets of molecules stand for, where their own documentation says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

# From README.txt within the public zip of each set: the label is the place in this list. The
# README of NCI1 says nothing about its 37 labels, so they are numbered and not guessed.
DOCUMENTED = MappingProxyType(
    {
        "MUTAG": ("C", "N", "O", "F", "I", "Cl", "Br"),
        "PTC_MR": (
            *("In", "P", "O", "N", "Na", "C", "Cl", "S", "Br"),
            *("F", "K", "Cu", "Zn", "I", "Ba", "Sn", "Pb", "Ca"),
        ),
    }
)


def atom_names(dataset: str, labels: Iterable[int]) -> Mapping[int, str]:
    """Return a name for each label of a set, smallest label first.

    Parameters
    ----------
    dataset : str
        Name of the set; what follows a "~" is left out.
    labels : iterable of int
        The labels that are to be named.

    Returns
    -------
    dict of int to str
        The element where the set's documentation names it, else "atom type 3".

    Examples
    --------
    >>> atom_names("MUTAG", [1, 0])
    {0: 'C', 1: 'N'}
    >>> atom_names("NCI1", [3])
    {3: 'atom type 3'}
    """
    known = dict(enumerate(DOCUMENTED.get(dataset.partition("~")[0], ())))
    return {label: known.get(label, f"atom type {label}") for label in sorted(set(labels))}
