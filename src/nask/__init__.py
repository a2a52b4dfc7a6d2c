"""nask: the Neighborhood-Aware Star Kernel for graphs with mixed attributes.

``import nask`` is cheap: a name is imported when it is first used. At the front stand graphs,
kernels, models and their evaluation; converters and readers are in ``nask.io``, benchmark sets
in ``nask.datasets``, pictures in ``nask.plots``, rivals and generators in ``nask.lab``, and
errors and warnings in ``nask.exceptions``.
"""

from typing import TYPE_CHECKING

from nask.lazy import lazy_names

_MODULES = {
    "__version__": "nask.version",
    "AttributedGraph": "nask.graph.attributed_graph",
    "Dataset": "nask.io.dataset",
    "NodeDataset": "nask.io.node_dataset",
    "NASK": "nask.kernels.nask",
    "NodeNASK": "nask.kernels.node_nask",
    "NASKFeatures": "nask.kernels.features",
    "NASKClassifier": "nask.estimators.classifier",
    "NASKRegressor": "nask.estimators.regressor",
    "NASKNodeClassifier": "nask.estimators.node_classifier",
    "TunedNASKClassifier": "nask.tuning.classifier",
    "TunedNASKNodeClassifier": "nask.tuning.node_classifier",
    "load": "nask.estimators.saving",
    "load_dataset": "nask.datasets.registry",
    "evaluate": "nask.evaluation.evaluate",
    "read_results": "nask.evaluation.results",
    "compare": "nask.evaluation.compare",
    "write_gram": "nask.kernels.gram_store",
    "write_features": "nask.kernels.feature_store",
    "datasets": "nask.datasets",
    "exceptions": "nask.exceptions",
    "io": "nask.io",
    "lab": "nask.lab",
    "plots": "nask.plots",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605
if TYPE_CHECKING:
    from nask import datasets as datasets
    from nask import exceptions as exceptions
    from nask import io as io
    from nask import lab as lab
    from nask import plots as plots
    from nask.datasets.registry import load_dataset as load_dataset
    from nask.estimators.classifier import NASKClassifier as NASKClassifier
    from nask.estimators.node_classifier import NASKNodeClassifier as NASKNodeClassifier
    from nask.estimators.regressor import NASKRegressor as NASKRegressor
    from nask.estimators.saving import load as load
    from nask.evaluation.compare import compare as compare
    from nask.evaluation.evaluate import evaluate as evaluate
    from nask.evaluation.results import read_results as read_results
    from nask.graph.attributed_graph import AttributedGraph as AttributedGraph
    from nask.io.dataset import Dataset as Dataset
    from nask.io.node_dataset import NodeDataset as NodeDataset
    from nask.kernels.feature_store import write_features as write_features
    from nask.kernels.features import NASKFeatures as NASKFeatures
    from nask.kernels.gram_store import write_gram as write_gram
    from nask.kernels.nask import NASK as NASK
    from nask.kernels.node_nask import NodeNASK as NodeNASK
    from nask.tuning.classifier import TunedNASKClassifier as TunedNASKClassifier
    from nask.tuning.node_classifier import TunedNASKNodeClassifier as TunedNASKNodeClassifier
    from nask.version import __version__ as __version__
else:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
