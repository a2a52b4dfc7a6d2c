"""Saved models for commands that apply them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nask
from nask.choices import Items
from nask.graph.attribute import Kind
from nask.io.readers.csv_table import header_of

if TYPE_CHECKING:
    from nask.graph.schema import Schema


def load_model(
    path: Path, n_jobs: int | None, memory_limit: str | None = None, verbose: bool = False
) -> Any:
    """Load a model that nask fit saved, to run as the user says.

    An averaged model has threads alone to say of; others have a kernel that is asked, too.
    """
    trained = nask.load(path)
    running = {"n_jobs": n_jobs, "memory_limit": memory_limit, "verbose": verbose}
    for part in (trained, getattr(trained, "kernel_", None), getattr(trained, "features_", None)):
        if part is not None:
            known = part.get_params(deep=False)
            part.set_params(**{name: value for name, value in running.items() if name in known})
    if is_stream(trained):
        # Its own bar tells of all graphs; one of each batch would run beside it.
        trained.features_.set_params(verbose=False)
    return trained


def remember(trained: Any) -> None:
    """Let a model of graphs compare them once, however much is asked of it."""
    from nask.estimators.averaged import GraphGroup
    from nask.estimators.base import GraphEstimator
    from nask.kernels.remembering import RememberingKernel

    if isinstance(trained, GraphEstimator):
        kernel = trained.kernel_
        kernel.fitted_ = RememberingKernel.of(kernel.fitted_)
    elif predicts(trained) == "graphs" and not is_stream(trained):
        trained.groups = [
            replace(own, kernel=RememberingKernel.of(own.kernel))
            if isinstance(own, GraphGroup)
            else own
            for own in trained.groups
        ]


def tells_likeness(trained: Any) -> bool:
    """Tell whether a model of graphs knows how far those of its training are from each other."""
    return predicts(trained) == "graphs" and (
        getattr(trained, "likeness_", None) is not None
        or getattr(trained, "likeness", None) is not None
    )


def finds_outliers(trained: Any) -> bool:
    """Tell whether a model tells outliers, without classes."""
    return isinstance(trained, nask.NASKOutlierDetector)


def tells_deviation(trained: Any) -> bool:
    """Tell whether a model knows the standard deviation of each number that it predicts."""
    return isinstance(trained, nask.NASKGaussianProcessRegressor)


def is_classifier(trained: Any) -> bool:
    """Tell whether a model predicts classes."""
    return hasattr(trained, "classes_")


def predicts(trained: Any) -> Items:
    """Tell whether a model is one of graphs or of nodes."""
    from nask.estimators.averaged import NodeGroup

    groups = getattr(trained, "groups", ())
    of_nodes = isinstance(trained, nask.NASKNodeClassifier) or any(
        isinstance(group, NodeGroup) for group in groups
    )
    return "nodes" if of_nodes else "graphs"


def kinds_of(trained: Any) -> dict[str, Kind]:
    """Return the kinds of the attributes that a model knows, by name.

    A name that nodes and edges have with different kinds is left out.

    Examples
    --------
    >>> mutag = nask.load_dataset("MUTAG")
    >>> kinds_of(nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:20], mutag.y[:20]))
    {'node_label': 'categorical', 'edge_label': 'categorical'}
    """
    return kinds_of_schemas(_schemas(trained))


def kinds_of_schemas(schemas: Iterable[Schema]) -> dict[str, Kind]:
    """Return the kinds of the attributes of some schemas, by name, as :func:`kinds_of`."""
    found: dict[str, set[Kind]] = {}
    for schema in schemas:
        for spec in (*schema.nodes, *schema.edges):
            if spec.kind != "missing":
                found.setdefault(spec.name, set()).add(spec.kind)
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1}


def _schemas(trained: Any) -> list[Schema]:
    """What a model learned of attributes, once per kernel."""
    if is_stream(trained):
        return [trained.features_.schema_]
    groups = getattr(trained, "groups", None)
    kernels = [trained.kernel_.fitted_] if groups is None else [own.kernel for own in groups]
    return [kernel.schema for kernel in kernels]


def is_stream(trained: Any) -> bool:
    """Tell whether a model learned from features, in one pass."""
    return isinstance(trained, (nask.NASKStreamClassifier, nask.NASKStreamRegressor))


def target_of(trained: Any, dataset: str) -> str | None:
    """Return the column that a model was trained on, where a folder of CSV files has it.

    New data may well be without it.
    """
    folder, name = Path(dataset).expanduser(), trained.target_name_
    file = "graphs.csv" if (folder / "graphs.csv").is_file() else "nodes.csv"
    there = name is not None and (folder / file).is_file() and name in header_of(folder, file)
    return name if there else None
