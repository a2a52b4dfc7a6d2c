"""The SYNTHETIC family: two classes of copies of one random graph, told apart by few changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nask.arrays import Float64, Index
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.dataset import Dataset
from nask.lab.generators.checks import (
    Seed,
    check_integer,
    check_number,
    check_pair,
    generator,
)

# Pairs of edges tried per switch. Most switches take a few; if all tries fail, it is an error.
TRIES = 200


def make_synthetic(
    n_graphs: int = 300,
    n_nodes: int = 100,
    n_edges: int = 196,
    *,
    n_permuted: tuple[int, int] = (10, 5),
    noise: float = 0.45,
    random_state: Seed = 0,
) -> Dataset:
    """Draw a dataset like SYNTHETIC [1]_: one graph, two arrangements of its attributes, noise.

    A base graph has uniformly drawn edges and standard normal node attributes. A class is
    the base graph with the attributes of a few nodes exchanged among them; a graph is its
    class plus normal noise at every node. All graphs have the same edges.

    Parameters
    ----------
    n_graphs : int, default=300
        The classes take turns, so they are of equal size if the number is even.
    n_nodes, n_edges : int, default=100 and 196
        Of each graph.
    n_permuted : tuple of two int, default=(10, 5)
        How many nodes exchange their attributes in class 1 and in class 0.
    noise : float, default=0.45
        Standard deviation of the noise.
    random_state : int, numpy Generator or None, default=0
        The seed: the same one gives the same dataset.

    Returns
    -------
    Dataset
        With the classes 1 and 0, ``node_attribute`` (numerical) and ``node_label``
        (categorical), which is the degree, as in the public set.

    Notes
    -----
    The exchange is drawn once per class: in the public set the mean attributes of the two classes
    differ at 7 of the 100 nodes, and nowhere else, while within a class only the noise varies.
    Here the attributes go round in a ring, and the smaller ring is part of the larger one, so
    the classes differ at 6 nodes with the defaults.

    References
    ----------
    .. [1] A. Feragen, N. Kasenburg, J. Petersen, M. de Bruijne, K. Borgwardt. "Scalable kernels
       for graphs with continuous attributes". NIPS 2013.

    See Also
    --------
    make_synthetic_new : The classes differ in their edges as well.

    Examples
    --------
    >>> from nask.lab import make_synthetic
    >>> make_synthetic()
    Dataset('synthetic': 300 graphs, 30000 nodes, 58800 edges; y: 2 classes; node: node_label
    (categorical), node_attribute (numerical))
    """
    owner = "make_synthetic"
    rng = generator(random_state, owner)
    _check(owner, n_graphs, n_nodes, n_edges, n_permuted, noise)
    edges = _random_edges(rng, n_nodes, n_edges)
    values = _attributes(rng, n_graphs, n_nodes, n_permuted, noise)
    degree = np.bincount(edges.ravel(), minlength=n_nodes)
    graphs = [
        AttributedGraph(
            n_nodes,
            edges,
            {"node_label": degree, "node_attribute": row},
            categorical=["node_label"],
        )
        for row in values
    ]
    return Dataset("synthetic", tuple(graphs), 1 - np.arange(n_graphs) % 2)


def make_synthetic_new(
    n_graphs: int = 300,
    n_nodes: int = 100,
    n_edges: int = 196,
    *,
    n_permuted: tuple[int, int] = (10, 5),
    n_switches: tuple[int, int] = (5, 10),
    noise: float = 0.45,
    random_state: Seed = 0,
) -> Dataset:
    """Draw a dataset like SYNTHETICnew [1]_: as SYNTHETIC, with edges rewired in each graph.

    Parameters
    ----------
    n_graphs, n_nodes, n_edges, n_permuted, noise, random_state
        As in :func:`make_synthetic`; the classes are called 1 and -1.
    n_switches : tuple of two int, default=(5, 10)
        How many pairs of edges are rewired in each graph of class 1 and of class -1.

    Returns
    -------
    Dataset
        With ``node_attribute`` (numerical) only, as in the public set.

    Raises
    ------
    ParameterError
        Also if the graph is too small or too dense for so many switches.

    Notes
    -----
    A switch replaces the edges a - b and c - d by a - d and c - b, so degrees stay the same. Each
    edge of the base graph is rewired at most once, and never into another edge of it. This is
    what the public set shows: its graphs differ from their common base in 10 edges (class 1) and
    in 20 (class -1), with the degrees of the base. Its exchange of attributes is drawn once per
    class, its switches once per graph. The public set differs in one respect: through an
    oversight, some of its graphs have 197 or 198 edges instead of 196.

    References
    ----------
    .. [1] A. Feragen, N. Kasenburg, J. Petersen, M. de Bruijne, K. Borgwardt. "Scalable kernels
       for graphs with continuous attributes". NIPS 2013. The public set is a later version.

    Examples
    --------
    >>> from nask.lab import make_synthetic_new
    >>> make_synthetic_new()
    Dataset('synthetic_new': 300 graphs, 30000 nodes, 58800 edges; y: 2 classes; node:
    node_attribute (numerical))
    >>> make_synthetic_new(n_edges=15)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'n_switches' parameter of make_synthetic_new must be an \
int in the range [0, 7]. Got (5, 10) instead.
    """
    owner = "make_synthetic_new"
    rng = generator(random_state, owner)
    _check(owner, n_graphs, n_nodes, n_edges, n_permuted, noise)
    check_pair("n_switches", owner, n_switches, 0, n_edges // 2)
    edges = _random_edges(rng, n_nodes, n_edges)
    values = _attributes(rng, n_graphs, n_nodes, n_permuted, noise)
    graphs = [
        AttributedGraph(
            n_nodes, _switched(rng, edges, n_switches[k % 2]), {"node_attribute": values[k]}
        )
        for k in range(n_graphs)
    ]
    return Dataset("synthetic_new", tuple(graphs), 1 - 2 * (np.arange(n_graphs) % 2))


def _check(
    owner: str, n_graphs: int, n_nodes: int, n_edges: int, n_permuted: object, noise: float
) -> None:
    check_integer("n_graphs", owner, n_graphs, 1)
    check_integer("n_nodes", owner, n_nodes, 1)
    check_integer("n_edges", owner, n_edges, 0, n_nodes * (n_nodes - 1) // 2)
    check_pair("n_permuted", owner, n_permuted, 0, n_nodes)
    check_number("noise", owner, noise)


def _random_edges(rng: np.random.Generator, n_nodes: int, n_edges: int) -> Index:
    """Draw distinct edges; all sets of that size are equally likely."""
    pairs = np.stack(np.triu_indices(n_nodes, 1), axis=1)
    return pairs[np.sort(rng.choice(len(pairs), n_edges, replace=False))]


def _attributes(
    rng: np.random.Generator, n_graphs: int, n_nodes: int, n_permuted: Sequence[int], noise: float
) -> Float64:
    """Return the attributes of all graphs, one row per graph: those of the class, plus noise."""
    base = rng.standard_normal(n_nodes)
    chosen = rng.choice(n_nodes, max(n_permuted), replace=False)
    of_class = np.tile(base, (2, 1))
    for values, size in zip(of_class, n_permuted, strict=True):
        ring = chosen[:size]
        values[ring] = base[np.roll(ring, 1)]
    noisy: Float64 = of_class[np.arange(n_graphs) % 2] + noise * rng.standard_normal(
        (n_graphs, n_nodes)
    )
    return noisy


def _switched(rng: np.random.Generator, edges: Index, n_switches: int) -> Index:
    """Return the edges after switches that keep all degrees and share no edge."""
    result = edges.copy()
    taken = set(map(tuple, edges.tolist()))
    fresh = np.arange(len(edges))
    for _ in range(n_switches):
        for _ in range(TRIES):
            i, j = fresh[rng.choice(len(fresh), 2, replace=False)]
            (a, b), (c, d) = edges[i].tolist(), rng.permutation(edges[j]).tolist()
            new = {(min(a, d), max(a, d)), (min(c, b), max(c, b))}
            if len({a, b, c, d}) == 4 and not new & taken:
                break
        else:
            raise ParameterError(
                f"No {n_switches} switches of edges were found in a graph of {len(edges)} edges. "
                "Ask for fewer in 'n_switches', or for a larger or sparser graph."
            )
        result[[i, j]] = sorted(new)
        taken |= new
        fresh = fresh[(fresh != i) & (fresh != j)]
    return result
