"""Social networks of people with age, gender, region and more: one large, or many small."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nask.arrays import Float64, Index
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.lab.generators.checks import Seed, check_integer, check_number, generator
from nask.lab.generators.friendships import draw_friendships
from nask.lab.generators.people import People, standardised

# Deviation of the chance in a person's class; attributes and friends have about 1 each.
CHANCE = 0.5


def make_social_network(
    n_nodes: int = 1000,
    mean_degree: float = 10.0,
    *,
    homophily: float = 0.7,
    influence: float = 1.0,
    missing: float = 0.1,
    random_state: Seed = 0,
) -> NodeDataset:
    """Draw one social network whose people are to be classified.

    People have the attributes of the paper's example [1]_, ``age`` (numerical), ``gender`` and
    ``region`` (categorical), and besides an ``interest`` (categorical), which depends on the
    age, and their ``activity`` in hours per week (numerical), which grows with the number of
    friends. Friends are often of the same region and of about the same age. The class depends
    on a person's own interest, gender and age, and on those of the friends.

    Parameters
    ----------
    n_nodes : int, default=1000
        Number of people. Time and memory grow in proportion to people and friendships.
    mean_degree : float, default=10.0
        Mean number of friends. Degrees are heavy-tailed. The mean is smaller only if the
        network is so dense that hardly any new pair is left to draw.
    homophily : float, default=0.7
        Probability that a friendship is made within the region and near in age; otherwise it is
        made with anybody.
    influence : float, default=1.0
        How much the friends count in a person's class, compared with their own attributes.
    missing : float, default=0.1
        Probability that a value is missing. Classes come from the true values.
    random_state : int, numpy Generator or None, default=0
        The seed: the same one gives the same network.

    Returns
    -------
    NodeDataset
        The ``graph`` with its attributes, no other features, ``y``, the class 0 or 1 of each
        person, both equally frequent, and a random split: half of the people to train on, a
        quarter to validate and a quarter to test.

    References
    ----------
    .. [1] H. Huang, H. Chen, H. Gao, C. Yao. "Heterogeneous Attributed Graph Learning via
       Neighborhood-Aware Star Kernels". arXiv:2511.11245.

    Examples
    --------
    >>> from nask.lab import make_social_network
    >>> network = make_social_network(500)
    >>> network.graph
    AttributedGraph(500 nodes, 2500 edges; node: age (numerical), gender (categorical),
    region (categorical), interest (categorical), activity (numerical))
    >>> np.bincount(network.y).tolist()
    [250, 250]
    """
    owner = "make_social_network"
    rng = generator(random_state, owner)
    check_number("homophily", owner, homophily, 0.0, 1.0)
    check_number("influence", owner, influence)
    _check(owner, n_nodes, mean_degree, missing)
    people, graph = _network(rng, n_nodes, mean_degree, homophily, missing)
    friends = standardised(_mean_of_friends(graph.edges, people.leaning))
    own = people.leaning + CHANCE * rng.standard_normal(n_nodes)
    total = own + influence * friends
    y = (total > np.median(total)).astype(np.int64)
    train, validation, test = np.split(rng.permutation(n_nodes), [n_nodes // 2, n_nodes * 3 // 4])
    return NodeDataset(
        "social_network", graph, y, np.sort(train), np.sort(validation), np.sort(test)
    )


def make_social_networks(
    n_graphs: int = 200,
    n_nodes: int = 60,
    mean_degree: float = 4.0,
    *,
    homophily: Sequence[float] = (0.3, 0.6),
    missing: float = 0.1,
    random_state: Seed = 0,
) -> Dataset:
    """Draw many small social networks, to be classified by the strength of their homophily.

    Parameters
    ----------
    n_graphs : int, default=200
        The classes take turns.
    n_nodes, mean_degree, missing
        Of each network, as in :func:`make_social_network`.
    homophily : sequence of float, default=(0.3, 0.6)
        One per class: the networks of class k have the homophily ``homophily[k]``.
    random_state : int, numpy Generator or None, default=0
        The seed: the same one gives the same dataset.

    Examples
    --------
    >>> from nask.lab import make_social_networks
    >>> make_social_networks()
    Dataset('social_networks': 200 graphs, 12000 nodes, 24000 edges; y: 2 classes; node: age
    (numerical), gender (categorical), ..., activity (numerical))
    """
    owner = "make_social_networks"
    rng = generator(random_state, owner)
    check_integer("n_graphs", owner, n_graphs, 1)
    _check(owner, n_nodes, mean_degree, missing)
    if not isinstance(homophily, (Sequence, np.ndarray)) or len(homophily) == 0:
        raise ParameterError.expected("homophily", owner, "floats, one per class", homophily)
    for strength in homophily:
        check_number("homophily", owner, strength, 0.0, 1.0)
    y = np.arange(n_graphs) % len(homophily)
    graphs = tuple(
        _network(rng, n_nodes, mean_degree, float(homophily[k]), missing)[1] for k in y.tolist()
    )
    return Dataset("social_networks", graphs, y)


def _check(owner: str, n_nodes: int, mean_degree: float, missing: float) -> None:
    check_integer("n_nodes", owner, n_nodes, 1)
    check_number("mean_degree", owner, mean_degree, 0.0, n_nodes - 1)
    check_number("missing", owner, missing, 0.0, 1.0)


def _network(
    rng: np.random.Generator, n_nodes: int, mean_degree: float, homophily: float, missing: float
) -> tuple[People, AttributedGraph]:
    people = People.draw(rng, n_nodes)
    edges = draw_friendships(rng, people, round(n_nodes * mean_degree / 2), homophily)
    # Not checked again: that would take longer than drawing them.
    graph = AttributedGraph.from_valid(n_nodes, edges, people.attributes(rng, missing), {})
    return people, graph


def _mean_of_friends(edges: Index, values: Float64) -> Float64:
    """Return the mean value of each node's neighbours; 0 for a node without any."""
    n = len(values)
    u, v = edges.T
    total = np.bincount(u, values[v], n) + np.bincount(v, values[u], n)
    degree = np.bincount(u, minlength=n) + np.bincount(v, minlength=n)
    mean: Float64 = total / np.maximum(degree, 1)
    return mean
