"""The parameters of the similarity P: one gamma and one weight per attribute of the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nask.arrays import Float64, Index
from nask.exceptions import ParameterError, did_you_mean
from nask.graph.schema import FEATURES, AttributeSpec, Schema
from nask.messages import quoted

# So large that exp(-gamma), the similarity of values that differ, is 0.
ONE_HOT_GAMMA = 1000.0

PerAttribute = float | Mapping[str, float] | None


@dataclass(frozen=True, eq=False)
class AttributeSimilarity:
    """P(v, v') = constant + sum over attributes of weight * exp(-gamma (1 - s)).

    If it is joint, P(v, v') = exp(-sum over attributes of weight * gamma * squared distance).

    Parameters
    ----------
    numerical_gamma, numerical_weight, categorical_gamma, categorical_weight : ndarray
        In the order of the rows of :class:`~nask.graph.elements.Elements`. The weights of all
        attributes sum to 1, including those of attributes that no training graph has a value of.
    constant : float
        What attributes without any training value add to every pair; 1 where there is no attribute
        at all, so that all elements are alike.
    n_categories : ndarray
        Number of categories of each categorical attribute in training.
    n_features : int
        Number of node features.
    feature_gamma, feature_weight : float
        Gamma and weight of each node feature.
    joint : bool
        Whether P is a Gaussian of all attributes together instead of a sum over them.
    """

    numerical_gamma: Float64
    numerical_weight: Float64
    categorical_gamma: Float64
    categorical_weight: Float64
    constant: float
    n_categories: Index
    n_features: int = 0
    feature_gamma: float = 1.0
    feature_weight: float = 0.0
    joint: bool = False

    @classmethod
    def build(
        cls,
        specs: Sequence[AttributeSpec],
        gamma: Mapping[str, float],
        weight: Mapping[str, float],
        n_features: int = 0,
        joint: bool = False,
    ) -> AttributeSimilarity:
        """Return P of the nodes, or of the edges.

        Parameters
        ----------
        gamma, weight : mapping of str to float
            By name of the attribute. Weights are relative: they are scaled to sum to 1.
        n_features : int, default=0
            Number of node features.
        joint : bool, default=False
            Whether P is to be a Gaussian. Attributes without any training value do not show in it.
        """
        if joint:
            n_compared = n_features + sum(spec.kind != "missing" for spec in specs)
            specs, joint = (specs, True) if n_compared else ((), False)
        if not specs and not n_features:
            none = np.empty(0)
            return cls(none, none, none, none, 1.0, np.empty(0, dtype=np.int64))
        total = sum(weight[spec.name] for spec in specs)
        total += n_features * weight.get(FEATURES, 0.0)

        def of(kind: str) -> tuple[Float64, Float64]:
            names = [spec.name for spec in specs if spec.encoded == kind]
            return (
                np.array([gamma[name] for name in names], dtype=np.float64),
                np.array([weight[name] / total for name in names], dtype=np.float64),
            )

        missing_gamma, missing_weight = of("missing")
        constant = 0.0 if joint else float(missing_weight @ np.exp(-missing_gamma))
        sizes = [spec.n_codes for spec in specs if spec.encoded == "categorical"]
        n_categories = np.array(sizes, dtype=np.int64)
        features = (gamma.get(FEATURES, 1.0), weight.get(FEATURES, 0.0) / total)
        named = (*of("numerical"), *of("categorical"))
        return cls(*named, constant, n_categories, n_features, *features, joint)

    def with_dense_features(self, n: int | None = None) -> AttributeSimilarity:
        """Return the same P with n node features, or all, as the last numerical attributes."""
        more = np.ones(self.n_features if n is None else n)
        return replace(
            self,
            numerical_gamma=np.append(self.numerical_gamma, self.feature_gamma * more),
            numerical_weight=np.append(self.numerical_weight, self.feature_weight * more),
            n_features=self.n_features - len(more),
        )

    @property
    def is_constant(self) -> bool:
        """Whether every pair of elements has the same P."""
        return len(self.numerical_gamma) + len(self.categorical_gamma) + self.n_features == 0

    @property
    def base(self) -> float:
        """P of two entirely dissimilar elements: constant + sum of weight * exp(-gamma).

        It is 0 of a Gaussian, which has no least value.
        """
        if self.joint:
            return 0.0
        return self.constant + float(
            self.numerical_weight @ np.exp(-self.numerical_gamma)
            + self.categorical_weight @ np.exp(-self.categorical_gamma)
            + self.n_features * self.feature_weight * np.exp(-self.feature_gamma)
        )

    @property
    def spread(self) -> float:
        """1 - floor, without cancellation: pruning divides the core factor by it."""
        if self.floor == 0.0:
            return 1.0
        features = self.n_features * self.feature_weight
        missing = 1 - float(self.numerical_weight.sum() + self.categorical_weight.sum() + features)
        return (missing - self.constant) - float(
            self.numerical_weight @ np.expm1(-self.numerical_gamma)
            + self.categorical_weight @ np.expm1(-self.categorical_gamma)
            + features * np.expm1(-self.feature_gamma)
        )

    @property
    def floor(self) -> float:
        """What pruning subtracts: the base, or 0 where elements have no attribute to differ in."""
        return 0.0 if self.is_constant and self.constant == 1.0 else self.base


def attribute_similarities(
    schema: Schema, gamma: PerAttribute, weights: PerAttribute, owner: str
) -> tuple[AttributeSimilarity, AttributeSimilarity]:
    """Return P of the nodes and P of the edges for the parameters that a user gives.

    Parameters
    ----------
    gamma, weights : float, mapping of str to float, or None
        One number for all attributes, or one per attribute by name. An attribute that is not named
        has gamma 1 and weight 1. Weights are relative, within nodes and within edges. Where values
        are compared one-hot, no gamma counts.
    owner : str
        The estimator's name, for error messages.
    """
    n_features = len(schema.features)
    gammas, relative = attribute_parameters(schema, gamma, weights, owner)
    joint = schema.similarity == "euclidean"
    for specs, element in ((schema.nodes, "node"), (schema.edges, "edge")):
        own = [spec.name for spec in specs]
        own += [FEATURES] if n_features and element == "node" else []
        if own and not any(relative[name] > 0 for name in own):
            raise ParameterError(
                f"The 'attribute_weights' parameter of {owner} gives every {element} attribute "
                "the weight 0. At least one must be positive."
            )
    return (
        AttributeSimilarity.build(schema.nodes, gammas, relative, n_features, joint),
        AttributeSimilarity.build(schema.edges, gammas, relative, joint=joint),
    )


def attribute_parameters(
    schema: Schema, gamma: PerAttribute, weights: PerAttribute, owner: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Return gamma and the relative weight of every attribute, by name.

    Parameters are those of :func:`attribute_similarities`.
    """
    names = {spec.name for spec in (*schema.nodes, *schema.edges)}
    names |= {FEATURES} if schema.features else set()
    names |= {*schema.hidden_nodes, *schema.hidden_edges}
    gammas = _per_attribute(gamma, names, "gamma", owner)
    if schema.similarity == "one-hot":
        gammas = dict.fromkeys(names, ONE_HOT_GAMMA)
    return gammas, _per_attribute(weights, names, "attribute_weights", owner)


def _per_attribute(
    given: PerAttribute, names: set[str], parameter: str, owner: str
) -> dict[str, float]:
    if given is None:
        return dict.fromkeys(names, 1.0)
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, float(given))
    for name in given:
        if name not in names:
            raise ParameterError(
                f"The {parameter!r} parameter of {owner} names {quoted(name)}, which is no "
                f"attribute of the training graphs. {did_you_mean(name, names)}"
            )
    return {name: float(given.get(name, 1.0)) for name in names}
