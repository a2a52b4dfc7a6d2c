"""The baselines by name. Their modules are imported when one is asked for: some need torch."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from nask.exceptions import MissingDependencyError

_KERNELS, _NETWORKS = "nask.lab.rivals.kernels", "nask.lab.rivals.networks"
GRAPH_BASELINES: Mapping[str, str] = {
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
NODE_BASELINES: Mapping[str, str] = {
    "gcn": f"{_NETWORKS}.gcn:GCNNodeClassifier",
    "gat": f"{_NETWORKS}.gat:GATNodeClassifier",
    "kernelgcn": f"{_NETWORKS}.kernelgcn:KernelGCNNodeClassifier",
    "akgnn": f"{_NETWORKS}.akgnn:AKGNNNodeClassifier",
    "kagnn": f"{_NETWORKS}.kagnn:KAGNNNodeClassifier",
    "majority": "nask.lab.rivals.majority:MajorityNodeClassifier",
}


def baseline(place: str) -> Any:
    """Return a new, unfitted model of the class at ``module:class``.

    Examples
    --------
    >>> type(baseline(GRAPH_BASELINES["majority"])).__name__
    'MajorityClassifier'
    """
    module, _, name = place.partition(":")
    try:
        return getattr(importlib.import_module(module), name)()
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("nask"):
            raise
        raise MissingDependencyError(
            f"{name} needs the package {error.name!r}, which is not installed. Install it with: "
            "pip install 'nask[baselines]' (see the README for torch without CUDA)."
        ) from error
