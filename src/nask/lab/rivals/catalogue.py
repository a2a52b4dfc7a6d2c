"""The rivals by name. Their modules are imported when one is asked for: some need torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nask.choices import Items
from nask.exceptions import MissingDependencyError, ParameterError, did_you_mean
from nask.messages import quoted
from nask.optional import named

_KERNELS, _NETWORKS = "nask.lab.rivals.kernels", "nask.lab.rivals.networks"
GRAPH_RIVALS: Mapping[str, str] = {
    "wl": f"{_KERNELS}.wl:WLClassifier",
    "pk": f"{_KERNELS}.pk:PKClassifier",
    "gh": f"{_KERNELS}.gh:GHClassifier",
    "ml": f"{_KERNELS}.ml:MLClassifier",
    "hgk-wl": f"{_KERNELS}.hgk_wl:HGKWLClassifier",
    "wwl": f"{_KERNELS}.wwl:WWLClassifier",
    "swwl": f"{_KERNELS}.swwl:SWWLClassifier",
    "retgk": f"{_KERNELS}.retgk:RetGKClassifier",
    "rwk": f"{_KERNELS}.rwk:RWKClassifier",
    "gcn": f"{_NETWORKS}.gcn:GCNClassifier",
    "gin": f"{_NETWORKS}.gin:GINClassifier",
    "graphsage": f"{_NETWORKS}.graphsage:GraphSAGEClassifier",
    "gat": f"{_NETWORKS}.gat:GATClassifier",
    "kergnn": f"{_NETWORKS}.kergnn:KerGNNClassifier",
    "kagnn": f"{_NETWORKS}.kagnn:KAGNNClassifier",
    "attributes-only": f"{_KERNELS}.attributes_only:AttributesOnlyClassifier",
    "majority": "nask.lab.rivals.majority:MajorityClassifier",
}
NODE_RIVALS: Mapping[str, str] = {
    "gcn": f"{_NETWORKS}.gcn:GCNNodeClassifier",
    "gat": f"{_NETWORKS}.gat:GATNodeClassifier",
    "kernelgcn": f"{_NETWORKS}.kernelgcn:KernelGCNNodeClassifier",
    "akgnn": f"{_NETWORKS}.akgnn:AKGNNNodeClassifier",
    "kagnn": f"{_NETWORKS}.kagnn:KAGNNNodeClassifier",
    "majority": "nask.lab.rivals.majority:MajorityNodeClassifier",
}
# Those that learn from a kernel, with a choice of learners.
KERNEL_RIVALS = tuple(name for name, own in GRAPH_RIVALS.items() if own.startswith(_KERNELS))
RIVALS = tuple(dict.fromkeys([*GRAPH_RIVALS, *NODE_RIVALS, "mean"]))


# What regressions have to beat; beside it, all kernels learn numbers, too.
REGRESSION_FLOORS: Mapping[str, str] = {"mean": "nask.lab.rivals.mean:MeanRegressor"}
REGRESSION_RIVALS = (*KERNEL_RIVALS, *REGRESSION_FLOORS)


def rival(name: str, items: Items = "graphs") -> Any:
    """Return a new, unfitted model of a rival, one that classifies graphs or nodes.

    Examples
    --------
    >>> rival("majority"), rival("majority", "nodes")
    (MajorityClassifier(), MajorityNodeClassifier())
    >>> rival("majorty")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: There is no method 'majorty'. Did you mean 'majority'?
    """
    rivals = GRAPH_RIVALS if items == "graphs" else NODE_RIVALS
    methods = ["nask", *rivals]
    if name not in rivals:
        if name in RIVALS:
            raise ParameterError(
                f"{quoted(name)} does not classify {items}. Methods that do: {', '.join(methods)}."
            )
        raise ParameterError(f"There is no method {quoted(name)}. {did_you_mean(name, methods)}")
    return _made(name, rivals[name])


def regression_rival(name: str) -> Any:
    """Return a new, unfitted model of a rival that predicts numbers.

    Examples
    --------
    >>> regression_rival("mean"), regression_rival("retgk")
    (MeanRegressor(), KernelRegressor(rival='retgk'))
    >>> regression_rival("gin")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 'gin' does not predict numbers. Methods that do: nask, wl, ...
    """
    if name in KERNEL_RIVALS:
        return _made(name, f"{_KERNELS}.regressor:KernelRegressor", rival=name)
    if name not in REGRESSION_FLOORS:
        methods = ["nask", *REGRESSION_RIVALS]
        if name in RIVALS:
            raise ParameterError(
                f"{quoted(name)} does not predict numbers. Methods that do: {', '.join(methods)}."
            )
        raise ParameterError(f"There is no method {quoted(name)}. {did_you_mean(name, methods)}")
    return _made(name, REGRESSION_FLOORS[name])


def _made(name: str, place: str, **parameters: Any) -> Any:
    try:
        return named(place)(**parameters)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("nask"):
            raise
        raise MissingDependencyError(
            f"{name} needs the package {error.name!r}, which is not installed. Install it with: "
            "pip install 'nask[lab]' (see the README for torch without CUDA)."
        ) from error
