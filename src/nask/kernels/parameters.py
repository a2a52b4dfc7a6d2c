"""The parameters of the kernel, shared by everything that computes it, and their checks."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeGuard, get_args

import numpy as np
from sklearn.base import BaseEstimator

from nask.arrays import Float64
from nask.attributes.similarity import attribute_similarities
from nask.choices import Attributes, Degree, DType, Expansion, GramForm, SimilarityName
from nask.engines.selection import EngineName
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.execution.progress import Progress
from nask.execution.resources import parsed_bytes
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import Schema
from nask.io.coerce import TakesGraphs
from nask.kernels.forms import Form
from nask.stars.spec import StarSpec

POSITIVE = "a float in the range (0, inf)"
# No graph is so wide; beyond, a model file of a few bytes would keep a processor busy for days.
MOST_HOPS = 1000
SMALLEST_FLOAT32_P = 1e-15
SMALLEST_SPREAD = 1e-6
# Of rounding by hops, up to which P in float32 was within 2.4e-6 of P in float64.
LARGEST_GROWTH = 8.0
# Of rounding by one hop of a walk, at most: k_h and what it is divided by have that of P_{h-1}.
GROWTH_OF_WALKS = 2.0
# How to run, on this computer and at this moment: no file holds these, or is asked for them.
RESOURCES = ("n_jobs", "memory_limit", "gram_folder", "verbose")
# Parameters that make no difference to the result.
RUNNING = ("engine", *RESOURCES)


class ChecksParameters:
    """What checks the parameters of an estimator, with errors worded as those of scikit-learn."""

    def _check(self, valid: bool, name: str, expected: str) -> None:
        if not valid:
            raise ParameterError.expected(name, type(self).__name__, expected, getattr(self, name))

    def _check_option(self, name: str, options: Sequence[str | None]) -> None:
        value = getattr(self, name)
        known = value in options if value is None or isinstance(value, str) else False
        self._check(known, name, f"one of {', '.join(map(repr, options))}")

    def _check_integer(self, name: str, least: int, most: float = math.inf) -> None:
        value = getattr(self, name)
        valid = is_integer(value) and least <= value <= most
        limits = f"[{least}, inf)" if most == math.inf else f"[{least}, {most}]"
        self._check(valid, name, f"an int in the range {limits}")

    def _check_not_negative(self, name: str) -> None:
        valid = _is_non_negative(getattr(self, name))
        self._check(valid, name, "a float in the range [0, inf)")

    def _check_verbose(self, verbose: Progress) -> None:
        valid = callable(verbose) or isinstance(verbose, (bool, int))
        self._check(valid, "verbose", "a bool, an int or a function of (done, total)")


@dataclass(kw_only=True, eq=False, repr=False)
class StarParameters(ChecksParameters, TakesGraphs, BaseEstimator):
    """The choices of the kernel itself; see :class:`nask.NASK` for their meaning.

    A dataclass, so that the estimators that add parameters of their own inherit these with their
    names, types and defaults instead of repeating them.
    """

    n_hops: int = 3
    gamma: float | Mapping[str, float] = 1.0
    gamma_star: float = 8.0
    expansion: Expansion = "nested"
    star_norm: bool = True
    normalize: bool = True
    hop_weights: Sequence[float] | None = None
    attribute_weights: Mapping[str, float] | None = None
    attributes: Attributes = "all"
    degree: Degree | None = None
    similarity: SimilarityName = "gower"
    max_leaves: int | None = None
    use_edges: bool = True
    n_jobs: int | None = None
    memory_limit: int | str | None = None
    verbose: Progress = False

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; ``fit`` begins with it."""
        check = self._check
        self._check_integer("n_hops", 1, MOST_HOPS)
        if isinstance(self.gamma, Mapping):
            check(
                all(map(is_positive, self.gamma.values())),
                "gamma",
                f"{POSITIVE} for each attribute",
            )
        else:
            check(is_positive(self.gamma), "gamma", f"{POSITIVE} or a dict of such by attribute")
        check(is_positive(self.gamma_star), "gamma_star", POSITIVE)
        self._check_option("expansion", get_args(Expansion))
        self._check_option("attributes", get_args(Attributes))
        self._check_option("degree", (None, *get_args(Degree)))
        self._check_option("similarity", get_args(SimilarityName))
        valid = self.max_leaves is None or (is_integer(self.max_leaves) and self.max_leaves >= 1)
        check(valid, "max_leaves", "None or an int in the range [1, inf)")
        if self.max_leaves is not None and self.expansion == "ball":
            raise ParameterError(
                f"{type(self).__name__} takes max_leaves for stars and walks, which are made of a "
                "node and its leaves. With expansion='ball' it must be None."
            )
        for name in ("star_norm", "normalize", "use_edges"):
            check(isinstance(getattr(self, name), (bool, np.bool_)), name, "a bool")
        n_jobs_valid = self.n_jobs is None or (is_integer(self.n_jobs) and self.n_jobs != 0)
        check(n_jobs_valid, "n_jobs", "None, or an int other than 0")
        self._check_verbose(self.verbose)
        if self.hop_weights is not None:
            sized = isinstance(self.hop_weights, (Sequence, np.ndarray))
            weights = list(self.hop_weights) if sized else []
            valid = len(weights) == self.n_hops and all(map(_is_non_negative, weights))
            check(
                valid and sum(weights) > 0,
                "hop_weights",
                f"{self.n_hops} non-negative floats, one per hop, not all 0",
            )
        if self.attribute_weights is not None:
            valid = isinstance(self.attribute_weights, Mapping)
            check(
                valid and all(map(_is_non_negative, self.attribute_weights.values())),
                "attribute_weights",
                "a dict of non-negative floats by attribute",
            )
        memory_in_bytes(self.memory_limit, type(self).__name__)

    def star_spec(self, schema: Schema) -> StarSpec:
        """The star kernel of these parameters for attributes of a schema."""
        owner = type(self).__name__
        nodes, edges = attribute_similarities(schema, self.gamma, self.attribute_weights, owner)
        return StarSpec(
            n_hops=int(self.n_hops),
            gamma_star=float(self.gamma_star),
            expansion=self.expansion,
            star_norm=bool(self.star_norm),
            use_edges=bool(self.use_edges),
            prune_cores=False,
            nodes=nodes,
            edges=edges,
            dtype="float64",
            max_leaves=None if self.max_leaves is None else int(self.max_leaves),
        )

    def schema_of(self, graphs: Sequence[AttributedGraph]) -> Schema:
        """The schema of training graphs, as these parameters look at attributes."""
        return Schema.fit(graphs, self.degree, self.attributes, self.similarity)

    def execution(self) -> Execution:
        """How to run, as these parameters say at this moment."""
        limit = memory_in_bytes(self.memory_limit, type(self).__name__)
        return Execution(n_jobs=self.n_jobs, memory_limit=limit, progress=self.verbose)

    def weight_of_hops(self) -> Float64:
        """The weight of each hop, 1 where none is given."""
        if self.hop_weights is None:
            return np.ones(self.n_hops)
        return np.asarray(self.hop_weights, dtype=np.float64)


@dataclass(kw_only=True, eq=False, repr=False)
class StarKernelParameters(StarParameters):
    """Every choice of the exact kernel, between graphs or between nodes."""

    gram: GramForm = "linear"
    gram_scale: float = 1.0
    prune_cores: bool = False
    dtype: DType = "float64"

    def kernel_parameters(self) -> dict[str, Any]:
        """The parameters of the kernel alone, of an estimator that has others too."""
        return {field.name: getattr(self, field.name) for field in fields(StarKernelParameters)}

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check(is_positive(self.gram_scale), "gram_scale", POSITIVE)
        self._check_option("gram", get_args(GramForm))
        self._check_option("dtype", get_args(DType))
        self._check(isinstance(self.prune_cores, (bool, np.bool_)), "prune_cores", "a bool")

    def star_spec(self, schema: Schema) -> StarSpec:
        """The star kernel of these parameters, in float32 where that is enough for 1e-5."""
        spec = super().star_spec(schema)
        # float32 would underflow in P^2, the order of a star's self-similarity; it would lose more
        # than 1e-5 where hops magnify its errors, or where nearby numbers are subtracted.
        growth = {"nested": float(self.gamma_star), "walk": GROWTH_OF_WALKS, "ball": 1.0}
        delicate = (
            spec.nodes.base < SMALLEST_FLOAT32_P
            or (self.n_hops - 1) * math.log(growth[self.expansion]) > math.log(LARGEST_GROWTH)
            or self.prune_cores
            or self.gram == "rbf"
        )
        dtype: DType = "float64" if delicate else self.dtype
        spec = replace(spec, prune_cores=bool(self.prune_cores), dtype=dtype)
        if self.prune_cores and 0 < spec.core_spreads().min() < SMALLEST_SPREAD:
            raise ParameterError(
                f"{type(self).__name__} with prune_cores=True needs a gamma and a gamma_star of at "
                f"least {SMALLEST_SPREAD}: below, all cores are alike to within rounding."
            )
        return spec

    def form(self) -> Form:
        """What is made of the hops' Gram matrices."""
        return Form(
            hop_weights=self.weight_of_hops(),
            normalize=bool(self.normalize),
            gram=self.gram,
            scale=float(self.gram_scale),
            dtype=self.dtype,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class NodeKernelParameters(StarKernelParameters):
    """Every choice of the kernel between nodes."""

    restart: float | None = None

    def kernel_parameters(self) -> dict[str, Any]:
        """The parameters of :class:`nask.NodeNASK`, of an estimator that has others too."""
        return {field.name: getattr(self, field.name) for field in fields(NodeKernelParameters)}

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        check_restart(self.restart, type(self).__name__)


def check_restart(restart: Any, owner: str) -> None:
    """Raise unless it is None or a probability above 0."""
    if restart is not None and not (is_positive(restart) and restart <= 1):
        raise ParameterError.expected(
            "restart", owner, "None or a float in the range (0, 1]", restart
        )


@dataclass(kw_only=True, eq=False, repr=False)
class GraphKernelParameters(StarKernelParameters):
    """Every choice of the kernel between graphs, and how to compute it."""

    engine: EngineName = "auto"
    gram_folder: str | os.PathLike[str] | None = None

    def kernel_parameters(self) -> dict[str, Any]:
        """The parameters of :class:`nask.NASK`, of an estimator that has others too."""
        return {field.name: getattr(self, field.name) for field in fields(GraphKernelParameters)}

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check_option("engine", get_args(EngineName))
        is_path = isinstance(self.gram_folder, (str, os.PathLike))
        expected = "None, or the path of a folder"
        self._check(self.gram_folder is None or is_path, "gram_folder", expected)


def memory_in_bytes(limit: int | str | None, owner: str = "NASK") -> int | None:
    """Read a memory limit: a number of bytes, or text such as "4GB" or "500 MB".

    Examples
    --------
    >>> memory_in_bytes("4GB"), memory_in_bytes(1024), memory_in_bytes("2 GiB")
    (4000000000, 1024, 2147483648)
    """
    if limit is None:
        return None
    if is_integer(limit) and int(limit) > 0:
        return int(limit)
    n_bytes = parsed_bytes(limit) if isinstance(limit, str) else None
    if n_bytes is None:
        expected = "a positive number of bytes, or text such as '4GB'"
        raise ParameterError.expected("memory_limit", owner, expected, limit)
    return n_bytes


def is_integer(value: object) -> TypeGuard[int]:
    """Tell whether a value is a whole number, and not a bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite real number, and not a bool."""
    real = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    try:
        return real and math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def is_positive(value: Any) -> bool:
    """Tell whether a value is a finite number above 0."""
    return is_number(value) and value > 0


def _is_non_negative(value: Any) -> bool:
    return is_number(value) and value >= 0
