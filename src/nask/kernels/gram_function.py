"""The Gram matrix of training graphs as a differentiable function of the kernel's parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Float64
from nask.attributes.similarity import attribute_parameters
from nask.engines.pairwise.engine import PairwiseEngine
from nask.engines.pairwise.gradient import StarGradient, star_gradient
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.exceptions import PrecisionWarning
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import FEATURES, AttributeSpec
from nask.kernels.fitted import dense_spec, encoded
from nask.kernels.form_gradient import pull_form
from nask.kernels.forms import gram_of_hops
from nask.kernels.nask import NASK
from nask.kernels.parameters import GraphKernelParameters
from nask.storage.window import Window

# Parameters with a gradient, and whether a change of them takes another pass over pairs of graphs.
LEARNABLE = {
    "gamma": True,
    "gamma_star": True,
    "attribute_weights": True,
    "hop_weights": False,
    "gram_scale": False,
}


def not_learnable(parameters: GraphKernelParameters) -> dict[str, str]:
    """Return the parameters that cannot be learned beside the others, each with the reason.

    Examples
    --------
    >>> not_learnable(NASK(n_hops=1))["gamma_star"]
    'makes no difference with n_hops=1'
    """
    reasons = {}
    if parameters.similarity == "one-hot":
        reasons["gamma"] = "makes no difference with similarity='one-hot'"
    attributes = ("gamma", "attribute_weights")
    if parameters.similarity == "euclidean":
        why = "has a gradient where P is a sum over attributes, which similarity='euclidean' is not"
        reasons |= dict.fromkeys(attributes, why)
    if parameters.max_leaves is not None:
        why = "decides which leaves stars keep with max_leaves, and so changes the kernel in jumps"
        reasons |= dict.fromkeys(attributes, why)
    if parameters.expansion != "nested":
        reasons["gamma_star"] = f"makes no difference with expansion={parameters.expansion!r}"
    if parameters.n_hops == 1:
        reasons |= dict.fromkeys(("gamma_star", "hop_weights"), "makes no difference with n_hops=1")
    if parameters.gram == "linear":
        reasons["gram_scale"] = "makes no difference with gram='linear'"
    return reasons


class Coordinate(NamedTuple):
    """A positive number that is learned: a parameter, or one attribute's or hop's part of it."""

    name: str
    key: str | int | None = None


class GramFunction:
    """The Gram matrix of some graphs as a function of the logarithms of parameters.

    Parameters
    ----------
    parameters : GraphKernelParameters
        What is not learned, and where learning begins. ``gamma`` is one number for all attributes,
        or one for each if it is given by name. What has the weight 0 keeps it.
    graphs : list of AttributedGraph
    names : sequence of str
        The parameters that are learned.
    execution : Execution, optional
        How to run, by default as the parameters say.

    Attributes
    ----------
    coordinates : list of Coordinate
    start : ndarray
        The logarithms of the given parameters.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs[:5]
    >>> function = GramFunction(NASK(gamma={}), graphs, ["gamma", "gamma_star"])
    >>> [tuple(own) for own in function.coordinates]
    [('gamma', 'node_label'), ('gamma', 'edge_label'), ('gamma_star', None)]
    >>> function.gradient(function.start, np.ones((5, 5))).shape
    (3,)
    """

    def __init__(
        self,
        parameters: GraphKernelParameters,
        graphs: Sequence[AttributedGraph],
        names: Sequence[str],
        execution: Execution | None = None,
    ) -> None:
        self._execution = execution or parameters.execution()
        self._given = NASK(**parameters.kernel_parameters())
        self._schema = parameters.schema_of(graphs)
        # First, since it may refuse a parameter.
        dense_spec(self._given, self._schema)
        self._batch = encoded(graphs, self._schema)
        self._names = set(names)
        self.coordinates, start = self._begin()
        self.start = np.log(start)
        self._stars: tuple[Any, PairwisePrepared, Float64] | None = None

    def parameters(self, x: Float64) -> dict[str, Any]:
        """Return the learned parameters of the kernel at a point, by name."""
        found: dict[str, Any] = {}
        gamma, weights = self._by_attribute(self._given)
        parts = {"gamma": gamma, "attribute_weights": weights}
        for (name, key), value in zip(self.coordinates, np.exp(x).tolist(), strict=True):
            if key is None:
                found[name] = value
            elif name == "hop_weights":
                found.setdefault(name, self._given.weight_of_hops().tolist())[key] = value
            else:
                found.setdefault(name, parts[name])[key] = value
        return found

    def gram(self, x: Float64) -> Float64:
        """Return the Gram matrix at a point."""
        kernel, (_, hops) = self._at(x)
        form = kernel.form()
        return np.asarray(
            gram_of_hops(
                hops,
                n_hops=len(hops),
                hop_weights=form.hop_weights.tolist(),
                normalize=form.normalize,
                gram=form.gram,
                gram_scale=form.scale,
            )
        )

    def gradient(self, x: Float64, bar: Float64) -> Float64:
        """Return the gradient of a function of the Gram matrix by the logarithms.

        Parameters
        ----------
        x : ndarray
            A point.
        bar : ndarray of shape (n, n)
            The function's derivative by each entry of the matrix there, symmetric.
        """
        kernel, (stars, hops) = self._at(x)
        form = kernel.form()
        pulled = pull_form(hops, form, bar)
        found: dict[Coordinate, float] = {Coordinate("gram_scale"): pulled.gram_scale}
        of_hops = pulled.hop_weights * form.hop_weights
        found |= {Coordinate("hop_weights", h): float(own) for h, own in enumerate(of_hops)}
        if any(LEARNABLE[name] for name in self._names):
            of_stars = star_gradient(stars, pulled.raw, form.hop_weights, self._execution)
            found |= self._by_coordinate(kernel, of_stars)
        return np.array([found[own] for own in self.coordinates])

    def _begin(self) -> tuple[list[Coordinate], list[float]]:
        """Return the coordinates and their values where learning begins."""
        given = self._given
        found: dict[Coordinate, float] = {}
        gamma, weights = self._by_attribute(given)
        compared = [(spec.name, spec.kind != "missing") for spec in self._specs()]
        compared += [(FEATURES, True)] if self._schema.features else []
        names = list(dict.fromkeys(name for name, there in compared if there))
        for name in LEARNABLE:
            if name not in self._names:
                continue
            if name == "gamma" and isinstance(given.gamma, Mapping):
                found |= {Coordinate(name, own): gamma[own] for own in names}
            elif name == "attribute_weights":
                found |= {Coordinate(name, own): weights[own] for own in names if weights[own] > 0}
            elif name == "hop_weights":
                values = enumerate(given.weight_of_hops().tolist())
                found |= {Coordinate(name, h): value for h, value in values if value > 0}
            else:
                found[Coordinate(name)] = getattr(given, name)
        return list(found), list(found.values())

    def _specs(self) -> tuple[AttributeSpec, ...]:
        return (*self._schema.nodes, *(self._schema.edges if self._given.use_edges else ()))

    def _by_attribute(self, kernel: NASK) -> tuple[dict[str, float], dict[str, float]]:
        owner = type(kernel).__name__
        return attribute_parameters(self._schema, kernel.gamma, kernel.attribute_weights, owner)

    def _at(self, x: Float64) -> tuple[NASK, tuple[PairwisePrepared, Float64]]:
        """Return the kernel at a point, the prepared graphs and the Gram matrix of each hop."""
        found = self.parameters(x)
        kernel = NASK(**(self._given.get_params() | found))
        of_stars = {name: value for name, value in found.items() if LEARNABLE[name]}
        if self._stars is None or self._stars[0] != of_stars:
            spec = replace(dense_spec(kernel, self._schema), dtype="float64")
            engine, n = PairwiseEngine(), self._batch.n_graphs
            stars = engine.prepare(self._batch, spec, self._execution)
            each = np.eye(spec.n_hops)
            with warnings.catch_warnings():
                # Of parameters that are only tried: a kernel that is kept warns by itself.
                warnings.simplefilter("ignore", PrecisionWarning)
                hops = engine.grams(stars, stars, each, self._execution, Window.whole(n, n))
            self._stars = of_stars, stars, np.asarray(hops, dtype=np.float64)
        return kernel, self._stars[1:]

    def _by_coordinate(self, kernel: NASK, gradient: StarGradient) -> dict[Coordinate, float]:
        """Return the gradient by the logarithms of the parameters of stars."""
        star = Coordinate("gamma_star"), kernel.gamma_star * gradient.gamma_star
        found: dict[Coordinate, float] = dict([star])
        gamma, weights = self._by_attribute(kernel)
        elements = [(gradient.nodes, self._schema.nodes, len(self._schema.features))]
        if kernel.use_edges:
            elements.append((gradient.edges, self._schema.edges, 0))
        if kernel.similarity == "euclidean":
            elements = []
        one = 0.0
        for own, specs, n_features in elements:
            for name, (by_gamma, by_weight) in own.by_attribute(
                specs, gamma, weights, n_features
            ).items():
                one += by_gamma
                for what, part in (("gamma", by_gamma), ("attribute_weights", by_weight)):
                    place = Coordinate(what, name)
                    found[place] = found.get(place, 0.0) + part
        return found | {Coordinate("gamma"): one}
