"""Nodes whose attributes are taken away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from nask.arrays import Mask
from nask.choices import Attributes
from nask.exceptions import ParameterError
from nask.graph.attribute import Attribute, Kind
from nask.graph.schema import AttributeSpec
from nask.io.dataset import Dataset
from nask.lab.perturbations.altered import (
    altered,
    check_request,
    first_nodes,
    node_specs,
    of_kind,
    with_attributes,
)
from nask.messages import listed

Mark = Literal["zero", "missing"]
Part = Literal["all", "some"]


def mask_attributes(
    dataset: Dataset,
    share: float,
    *,
    seed: int,
    to: Mark = "zero",
    kinds: Attributes = "numerical",
    part: Part = "all",
) -> Dataset:
    """Return the set with attributes of some nodes masked.

    The nearest whole number to ``share`` of all nodes of the set is drawn. With one seed, the nodes
    of a smaller share are among those of a larger one, and the other options mask the same nodes.

    Parameters
    ----------
    dataset : Dataset
        It is not changed. Graphs with ``node_features`` are refused. Edges keep their attributes.
    share : float
        Of the nodes, from 0 to 1.
    seed : int
        The same one gives the same copy.
    to : {"zero", "missing"}, default="zero"
        What masked values are. A 0 is a value like any other, and nothing tells that it was
        masked; of a category it is the code 0, and a set whose categories have no code 0 is
        refused. What is missing already stays missing. A missing value is unlike every value.
    kinds : {"numerical", "categorical", "all"}, default="numerical"
        Which attributes are masked.
    part : {"all", "some"}, default="all"
        Whether a node that is drawn loses all attributes of these kinds, or a random part of them:
        one at least, any selection being as likely as any other.

    Returns
    -------
    Dataset
        Named as the set with "~mask-<to>-<share>-<seed>" after it; kinds and part are in the name
        where they are not the default.

    Examples
    --------
    >>> from nask.lab import make_planted, mask_attributes
    >>> data = make_planted(4, missing=0.0)
    >>> copy = mask_attributes(data, 0.1, seed=3, to="missing", kinds="categorical")
    >>> copy.name
    'planted~mask-missing-categorical-0.1-3'
    >>> sum(graph.node_attributes["colour"].missing.sum() for graph in copy.graphs)  # of 100
    np.int64(10)
    >>> mask_attributes(data, 0.1, seed=3, kinds="categorical")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The node attribute 'colour' of planted has no category 0 to
    mask with. Use to='missing'. Its categories: 'black', 'blue', 'green', 'red'.
    """
    owner = "mask_attributes"
    check_request(dataset, share, seed, owner)
    for name, value, words in (
        ("to", to, Mark),
        ("kinds", kinds, Attributes),
        ("part", part, Part),
    ):
        if value not in get_args(words):
            expected = f"one of {', '.join(map(repr, get_args(words)))}"
            raise ParameterError.expected(name, owner, expected, value)
    specs = node_specs(dataset)
    wanted: tuple[Kind, ...] = ("numerical", "categorical") if kinds == "all" else (kinds,)
    names = [name for kind in wanted for name in of_kind(specs, kind)]
    if not names:
        raise ParameterError(
            f"The nodes of {dataset.name} have no {'' if kinds == 'all' else kinds + ' '}attribute "
            "to mask."
        )
    if to == "zero":
        _check_zeros(dataset, specs, names)
    firsts = first_nodes(dataset)
    chosen = _drawn(int(firsts[-1]), share, names, part, seed)
    graphs = [
        with_attributes(
            graph,
            {
                name: _masked(own, specs[name], chosen[name][first : first + graph.n_nodes], to)
                if name in chosen
                else own
                for name, own in graph.node_attributes.items()
            },
        )
        for graph, first in zip(dataset.graphs, firsts.tolist(), strict=False)
    ]
    n_nodes = int(np.any(list(chosen.values()), axis=0).sum())
    note = f"{kinds} attributes of {n_nodes} nodes masked: {to}, {part} of them, seed {seed}"
    unusual = [own for own, usual in ((kinds, "numerical"), (part, "all")) if own != usual]
    return altered(dataset, graphs, ("mask", to, *unusual, float(share), seed), note)


def _drawn(n_nodes: int, share: float, names: list[str], part: Part, seed: int) -> dict[str, Mask]:
    """Return a mask over all nodes of the set for each attribute."""
    rng = np.random.default_rng(seed)
    nodes = np.zeros(n_nodes, dtype=bool)
    nodes[rng.permutation(n_nodes)[: round(share * n_nodes)]] = True
    lost = np.ones((n_nodes, len(names)), dtype=bool)
    if part == "some":
        lost = rng.random(lost.shape) < 0.5
        # Drawn again until none is empty: what remains is uniform over all other selections.
        while (empty := ~lost.any(axis=1)).any():
            lost[empty] = rng.random((int(empty.sum()), len(names))) < 0.5
    return {name: nodes & lost[:, place] for place, name in enumerate(names)}


def _masked(own: Attribute, spec: AttributeSpec, mask: Mask, to: Mark) -> Attribute:
    """Return the attribute of one graph with its masked values replaced."""
    if own.kind != spec.kind:
        # Only an attribute without any value here has another kind than in the set.
        return own
    if own.kind == "numerical":
        replaced = np.where(mask & ~own.missing, 0.0, own.data)
        return Attribute(own.kind, replaced if to == "zero" else np.where(mask, np.nan, own.data))
    if to == "missing":
        return Attribute(own.kind, np.where(mask, -1, own.data).astype(np.int32), own.categories)
    categories = own.categories if _has_zero(own.categories) else (*own.categories, 0)
    zero = next(code for code, value in enumerate(categories) if _is_zero(value))
    codes = np.where(mask & ~own.missing, zero, own.data).astype(np.int32)
    return Attribute(own.kind, codes, categories)


def _check_zeros(dataset: Dataset, specs: Mapping[str, AttributeSpec], names: list[str]) -> None:
    for name in names:
        spec = specs[name]
        if spec.kind == "categorical" and not _has_zero(spec.categories):
            raise ParameterError(
                f"The node attribute {name!r} of {dataset.name} has no category 0 to mask with. "
                f"Use to='missing'. Its categories: {listed(sorted(spec.categories, key=repr))}."
            )


def _has_zero(categories: tuple[Any, ...]) -> bool:
    return any(map(_is_zero, categories))


def _is_zero(value: object) -> bool:
    # False is equal to 0, too.
    return type(value) is int and value == 0
