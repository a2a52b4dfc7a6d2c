"""Numbers for pairs and multisets of numbers, equal exactly where these are equal.

They are found by sorting, not by hashing.
"""

from __future__ import annotations

import numpy as np

from nask.arrays import Index


def number_pairs(a: Index, b: Index) -> Index:
    """Return a number for each pair (a, b): its rank among the distinct pairs.

    Examples
    --------
    >>> number_pairs(np.array([1, 0, 1]), np.array([5, 7, 5])).tolist()
    [1, 0, 1]
    """
    return np.unique(a * (b.max(initial=0) + 1) + b, return_inverse=True)[1].astype(np.int64)


def number_multisets(numbers: Index, owners: Index, items: Index) -> Index:
    """Return numbers that tell owners apart by their numbers and the multisets of their items.

    ``items[k]`` is an item of owner ``owners[k]``. An owner with more items has a larger number.

    Examples
    --------
    >>> owners, items = np.array([0, 0, 1, 1, 2, 2]), np.array([7, 8, 8, 7, 7, 7])
    >>> number_multisets(np.zeros(4, dtype=np.int64), owners, items).tolist()
    [2, 2, 1, 0]
    """
    # In round j each owner with more than j items takes in its j-th item in sorted order, with one
    # sort per round. Owners with different numbers of items stop after different rounds, so their
    # numbers may coincide until the last line.
    order = np.lexsort((items, owners))
    items = items[order]
    counts = np.bincount(owners, minlength=len(numbers))
    starts = np.cumsum(counts) - counts
    numbers = number_pairs(counts, numbers)
    left = np.flatnonzero(counts)
    taken = 0
    while len(left):
        numbers[left] = number_pairs(numbers[left], items[starts[left] + taken])
        taken += 1
        left = left[counts[left] > taken]
    return number_pairs(counts, numbers)
