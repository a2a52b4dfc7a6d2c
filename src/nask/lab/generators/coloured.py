"""Sets made from a real one: a neighbourhood that tells the classes, with the truth known."""

from __future__ import annotations

from itertools import islice

import numpy as np

from nask.arrays import Index, Mask
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.io.dataset import Dataset
from nask.lab.generators.checks import Seed, check_integer, check_number, generator
from nask.lab.generators.truth import ExplainedDataset
from nask.stars.colours import attribute_colours, refined_colours


def make_coloured(
    dataset: Dataset,
    n_rounds: int = 2,
    *,
    n_graphs: int = 400,
    share: float = 0.1,
    random_state: Seed = 0,
) -> ExplainedDataset:
    """Make a set of real graphs whose classes are told by one kind of neighbourhood.

    A colour of Weisfeiler and Leman is drawn: an attribute, and those of all nodes within
    ``n_rounds`` hops. Graphs with a node of that colour are class 1, others class 0. The truth of
    a graph of class 1 is the nodes within ``n_rounds`` hops of such nodes.

    Parameters
    ----------
    dataset : Dataset
        With categorical node attributes; its own classes are not used.
    n_rounds : int, default=2
        How far a colour sees.
    n_graphs : int, default=400
        At most, half of them with the colour. The others are those of the most similar sizes, so
        that size does not tell the classes.
    share : float, default=0.1
        The share of the graphs that must have a colour, and that must not, for it to be drawn.
    random_state : int, numpy Generator or None, default=0
        The seed: the same one draws the same colour.

    Returns
    -------
    ExplainedDataset
        Graphs in the order of ``dataset``; ``ids`` are their positions there.

    Notes
    -----
    The idea is that of OpenGraphXAI [1]_. Edge attributes are kept, but do not
    count in a colour.

    References
    ----------
    .. [1] M. Fontanesi, A. Micheli, M. Podda, D. Tortorella. "A method for the systematic
       generation of graph XAI benchmarks via Weisfeiler-Leman coloring". arXiv:2505.12437.

    Examples
    --------
    >>> import nask
    >>> from nask.lab import make_coloured
    >>> data = make_coloured(nask.load_dataset("MUTAG"), n_graphs=60)
    >>> len(data), int(data.y.sum())
    (60, 30)
    >>> [bool(mask.any()) for mask in data.truth] == (data.y == 1).tolist()
    True
    """
    owner = "make_coloured"
    rng = generator(random_state, owner)
    check_integer("n_rounds", owner, n_rounds, 0)
    check_integer("n_graphs", owner, n_graphs, 2)
    check_number("share", owner, share, 0.0, 0.5)
    graphs = dataset.graphs
    batch = GraphBatch.encode(graphs, Schema.fit(graphs))
    start = attribute_colours(batch.nodes)
    [colours] = islice(refined_colours(start, batch.endpoints), n_rounds, n_rounds + 1)
    graph_of_node = np.repeat(np.arange(len(graphs)), np.diff(batch.nodes.ptr))
    colour = _drawn(rng, colours, graph_of_node, len(graphs), share)
    marked = np.split(colours == colour, batch.nodes.ptr[1:-1])
    y = np.array([mask.any() for mask in marked], dtype=np.int64)
    chosen = _of_equal_sizes(rng, y, np.diff(batch.nodes.ptr), n_graphs)
    return ExplainedDataset(
        f"{dataset.name}-colour-{n_rounds}-{colour}",
        tuple(graphs[k] for k in chosen),
        y[chosen],
        ids=tuple(map(str, chosen.tolist())),
        truth=tuple(_widened(graphs[k], marked[k], n_rounds) for k in chosen),
    )


def _drawn(
    rng: np.random.Generator, colours: Index, graph_of_node: Index, n_graphs: int, share: float
) -> int:
    """A colour that neither too few nor too many graphs have."""
    pairs = np.unique(np.stack([colours, graph_of_node], axis=1), axis=0)
    n_having = np.bincount(pairs[:, 0])
    fit = (n_having >= max(1, share * n_graphs)) & (n_having <= min(1 - share, 1) * n_graphs)
    fit &= n_having < n_graphs
    if not fit.any():
        raise ParameterError(
            f"No colour occurs in at least {share:.0%} of {n_graphs} graphs and is absent from as "
            "many. Use a smaller 'share' or another 'n_rounds'."
        )
    return int(rng.choice(np.flatnonzero(fit)))


def _of_equal_sizes(rng: np.random.Generator, y: Index, sizes: Index, n_graphs: int) -> Index:
    """Positions of graphs, sorted: some of class 1, and for each one of class 0 as large."""
    with_it, without = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_pairs = min(n_graphs // 2, len(with_it), len(without))
    chosen = rng.choice(with_it, n_pairs, replace=False)
    free, partners = rng.permutation(without), []
    for size in sizes[chosen]:
        nearest = int(np.abs(sizes[free] - size).argmin())
        partners.append(free[nearest])
        free = np.delete(free, nearest)
    return np.sort(np.concatenate([chosen, np.array(partners, dtype=np.int64)]))


def _widened(graph: AttributedGraph, mask: Mask, n_hops: int) -> Mask:
    """The nodes of a mask, and all within some hops of them."""
    wide = mask.copy()
    for _ in range(n_hops):
        touched = wide[graph.edges].any(axis=1)
        wide[graph.edges[touched]] = True
    return wide
