"""nask: the Neighborhood-Aware Star Kernel for graphs with mixed attributes."""

from importlib.metadata import version as _version

from nask.cluster.features import write_features
from nask.cluster.gram import write_gram
from nask.datasets.registry import available_datasets, load_dataset
from nask.estimators.classifier import NASKClassifier
from nask.estimators.node_classifier import NASKNodeClassifier
from nask.estimators.regressor import NASKRegressor
from nask.estimators.saving import load
from nask.evaluation.compare import compare
from nask.evaluation.comparison import Comparison
from nask.evaluation.evaluate import evaluate
from nask.evaluation.records import Evaluation
from nask.evaluation.results import read_results
from nask.graph.attributed_graph import AttributedGraph
from nask.io.converters.frames import from_frames, to_frames
from nask.io.converters.grakel import from_grakel
from nask.io.converters.molecules import from_rdkit, from_smiles
from nask.io.converters.networkx import from_networkx, to_networkx
from nask.io.converters.pyg import from_pyg
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.io.readers.planetoid import read_planetoid
from nask.io.readers.tables import read_tables
from nask.io.readers.tu import read_tu
from nask.kernels.features import NASKFeatures
from nask.kernels.nask import NASK
from nask.kernels.node_nask import NodeNASK
from nask.lab.generators import (
    make_social_network,
    make_social_networks,
    make_synthetic,
    make_synthetic_new,
    make_synthie,
)
from nask.lab.pokec.reader import read_pokec
from nask.tuning.classifier import TunedNASKClassifier
from nask.tuning.node_classifier import TunedNASKNodeClassifier

__version__ = _version("nask")

__all__ = [
    "NASK",
    "AttributedGraph",
    "Comparison",
    "Dataset",
    "Evaluation",
    "NASKClassifier",
    "NASKFeatures",
    "NASKNodeClassifier",
    "NASKRegressor",
    "NodeDataset",
    "NodeNASK",
    "TunedNASKClassifier",
    "TunedNASKNodeClassifier",
    "available_datasets",
    "compare",
    "evaluate",
    "from_frames",
    "from_grakel",
    "from_networkx",
    "from_pyg",
    "from_rdkit",
    "from_smiles",
    "load",
    "load_dataset",
    "make_social_network",
    "make_social_networks",
    "make_synthetic",
    "make_synthetic_new",
    "make_synthie",
    "read_planetoid",
    "read_pokec",
    "read_results",
    "read_tables",
    "read_tu",
    "to_frames",
    "to_networkx",
    "write_features",
    "write_gram",
]
