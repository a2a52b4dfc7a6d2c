"""Noise on the numbers of nodes."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.graph.attribute import Attribute
from nask.io.dataset import Dataset
from nask.lab.perturbations.altered import (
    altered,
    check_request,
    first_nodes,
    node_specs,
    numbers,
    of_kind,
    with_attributes,
)


def add_noise(dataset: Dataset, share: float, *, seed: int) -> Dataset:
    """Return the set with Gaussian noise on the numerical attributes of its nodes.

    x' = x + ε with ε ~ N(0, (share · s)²), where s is the standard deviation of that attribute over
    all nodes of the set. An attribute that is the same everywhere stays so, and a missing value
    stays missing. With one seed, noise of another share is the same noise, longer or shorter.

    Parameters
    ----------
    dataset : Dataset
        It is not changed. Graphs with ``node_features`` are refused.
    share : float
        Standard deviation of the noise relative to that of the attribute, from 0 to 1.
    seed : int
        The same one gives the same copy.

    Returns
    -------
    Dataset
        Named as the set with "~noise-<share>-<seed>" after it.

    Examples
    --------
    >>> from nask.lab import add_noise, make_synthie
    >>> data = make_synthie(n_graphs=20)
    >>> noisy = add_noise(data, 0.1, seed=3)
    >>> noisy.name
    'synthie~noise-0.1-3'
    >>> add_noise(data, 1.5, seed=3)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'share' parameter of add_noise must be a float in the
    range [0.0, 1.0]. Got 1.5 instead.
    """
    owner = "add_noise"
    check_request(dataset, share, seed, owner)
    names = of_kind(node_specs(dataset), "numerical")
    if not names:
        raise ParameterError(
            f"{owner} adds noise to numbers, but the nodes of {dataset.name} have no numerical "
            "attribute. To alter categories, use mask_attributes."
        )
    rng = np.random.default_rng(seed)
    firsts = first_nodes(dataset)
    noise = {
        name: share * _deviation(numbers(dataset, name)) * rng.standard_normal(firsts[-1])
        for name in names
    }
    graphs = [
        with_attributes(
            graph,
            {
                name: Attribute("numerical", own.data + noise[name][first : first + graph.n_nodes])
                # All of its values may be missing here, whatever its kind is elsewhere.
                if name in noise and own.kind == "numerical"
                else own
                for name, own in graph.node_attributes.items()
            },
        )
        for graph, first in zip(dataset.graphs, firsts.tolist(), strict=False)
    ]
    note = (
        f"Gaussian noise of {share} standard deviations on the {len(names)} numerical node "
        f"attributes, seed {seed}"
    )
    return altered(dataset, graphs, ("noise", float(share), seed), note)


def _deviation(values: Float64) -> float:
    """Standard deviation; exactly 0 where all values are equal, which rounding might spoil."""
    return float(values.std()) if len(values) and np.ptp(values) else 0.0
