"""Friendships between people: heavy-tailed, and with homophily, in nearly linear time."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64, Index
from nask.lab.generators.people import People

# A near friend is at a normally distributed distance on the line, whose deviation is this share
# of the length of the region.
NEARNESS = 0.1
# Pairs drawn at once, and the most rounds in which repeated pairs are replaced.
CHUNK = 1 << 21
ROUNDS = 20


def draw_friendships(
    rng: np.random.Generator, people: People, n_edges: int, homophily: float
) -> Index:
    """Draw distinct friendships; fewer than asked for only if hardly any pair is left.

    Each person occupies an interval as long as their sociability on one line, on which regions
    follow one another, and ages within a region. A friendship is two points: the first is
    uniform; the second, with the probability ``homophily``, is near the first and reflected at
    the borders of its region, else uniform too. Either way both points are uniform by
    themselves, so expected degrees are proportional to sociability.

    Parameters
    ----------
    n_edges : int
        Friendships to draw.
    homophily : float
        Probability that a friend is near in region and age.

    Returns
    -------
    ndarray of shape (at most n_edges, 2)
        Smaller endpoint first, sorted, without repeats.
    """
    n = len(people.age)
    if n < 2:
        return np.empty((0, 2), dtype=np.int64)
    order = np.lexsort((rng.random(n), people.age, people.region))
    stop = np.cumsum(people.sociability[order])
    # Where the region of each person in the line starts and stops.
    start, region = stop - people.sociability[order], people.region[order]
    region_start = start[np.searchsorted(region, region)]
    region_stop = stop[np.searchsorted(region, region, side="right") - 1]

    def draw(size: int, near: bool) -> Index:
        # Sorted, so that neighbouring points find their occupants in the same part of memory.
        point = np.sort(rng.random(size)) * stop[-1]
        first = _occupant(stop, point)
        if near:
            low, high = region_start[first], region_stop[first]
            step = NEARNESS * (high - low) * rng.standard_normal(size)
            other = _reflected(point + step, low, high)
        else:
            other = rng.random(size) * stop[-1]
        u, v = order[first], order[_occupant(stop, other)]
        two = u != v
        pairs: Index = (np.minimum(u, v) * n + np.maximum(u, v))[two]
        return pairs

    # Near pairs first, then the others. Near pairs of a small network repeat more often: drawn
    # together with the others, too few of them would be left.
    codes = np.empty(0, dtype=np.int64)
    for near, goal in ((True, int(rng.binomial(n_edges, homophily))), (False, n_edges)):
        for _ in range(ROUNDS):
            lacking = goal - len(codes)
            if lacking <= 0:
                break
            # A tenth more than needed, since some pairs repeat.
            size = lacking + goal // 10 + 1
            sizes = [*[CHUNK] * (size // CHUNK), size % CHUNK]
            new = _distinct([draw(size, near) for size in sizes])
            surplus = rng.choice(len(new), max(len(new) - lacking, 0), replace=False)
            codes = _distinct([codes, np.delete(new, surplus)])
    return np.stack(np.divmod(codes, n), axis=1)


def _distinct(parts: list[Index]) -> Index:
    """Return the distinct numbers, sorted; ten times as fast as np.unique, which hashes."""
    numbers = np.concatenate(parts)
    numbers.sort()
    return numbers[np.diff(numbers, prepend=-1) > 0]


def _occupant(stop: Float64, point: Float64) -> Index:
    # Rounding may put a point at the very end of the line.
    found: Index = np.searchsorted(stop, point, side="right")
    return np.minimum(found, len(stop) - 1)


def _reflected(point: Float64, low: Float64, high: Float64) -> Float64:
    """Return the points, reflected at the ends of an interval until they are inside."""
    width = high - low
    beyond = np.mod(point - low, 2 * width)
    return low + np.minimum(beyond, 2 * width - beyond)
