from nask import datasets as datasets
from nask import exceptions as exceptions
from nask import io as io
from nask import lab as lab
from nask import plots as plots
from nask.datasets.registry import load_dataset as load_dataset
from nask.estimators.classifier import NASKClassifier as NASKClassifier
from nask.estimators.conformal import Conformal as Conformal
from nask.estimators.gaussian_process_classifier import (
    NASKGaussianProcessClassifier as NASKGaussianProcessClassifier,
)
from nask.estimators.gaussian_process_regressor import (
    NASKGaussianProcessRegressor as NASKGaussianProcessRegressor,
)
from nask.estimators.node_classifier import NASKNodeClassifier as NASKNodeClassifier
from nask.estimators.outliers import NASKOutlierDetector as NASKOutlierDetector
from nask.estimators.regressor import NASKRegressor as NASKRegressor
from nask.estimators.saving import load as load
from nask.estimators.stream_classifier import NASKStreamClassifier as NASKStreamClassifier
from nask.estimators.stream_regressor import NASKStreamRegressor as NASKStreamRegressor
from nask.evaluation.compare import compare as compare
from nask.evaluation.evaluate import evaluate as evaluate
from nask.evaluation.league import league as league
from nask.evaluation.results import read_results as read_results
from nask.explain.alignment import align as align
from nask.explain.counterfactual import counterfactual as counterfactual
from nask.explain.features import explain_features as explain_features
from nask.graph.attributed_graph import AttributedGraph as AttributedGraph
from nask.io.dataset import Dataset as Dataset
from nask.io.node_dataset import NodeDataset as NodeDataset
from nask.io.readers.molecules import read_molecules as read_molecules
from nask.kernels.feature_store import write_features as write_features
from nask.kernels.features import NASKFeatures as NASKFeatures
from nask.kernels.gram_store import write_gram as write_gram
from nask.kernels.nask import NASK as NASK
from nask.kernels.node_nask import NodeNASK as NodeNASK
from nask.kernels.nystroem import NASKNystroem as NASKNystroem
from nask.search.distances import distances as distances
from nask.search.distances import similarity as similarity
from nask.search.index import Index as Index
from nask.tuning.classifier import TunedNASKClassifier as TunedNASKClassifier
from nask.tuning.node_classifier import TunedNASKNodeClassifier as TunedNASKNodeClassifier
from nask.tuning.regressor import TunedNASKRegressor as TunedNASKRegressor
from nask.version import __version__ as __version__
