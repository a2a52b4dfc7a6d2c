"""The words that parameters take: in one place, so that the command line loads nothing else."""

from typing import Literal

Attributes = Literal["all", "categorical", "numerical"]
BadRows = Literal["skip", "error"]
Degree = Literal["categorical", "numerical"]
DType = Literal["float32", "float64"]
Expansion = Literal["nested", "ball", "walk"]
# What nask fit trains: learners of classifiers and regressors, and models of their own.
FitLearner = Literal["svm", "ridge", "process", "outliers"]
GramForm = Literal["linear", "rbf"]
GridName = Literal["default", "full", "nodes"]
Items = Literal["graphs", "nodes"]
Learner = Literal["svm", "ridge"]
LearningTask = Literal["classify", "regress"]
Multiclass = Literal["ovr", "ovo"]
Optimizer = Literal["fmin_l_bfgs_b"]
OutlierLearner = Literal["nearest", "svm"]
RepeatedEdges = Literal["error", "first", "mean", "max"]
Scale = Literal["decision", "logit"]
SearchMethod = Literal["auto", "exact", "features"]
SimilarityName = Literal["gower", "one-hot", "euclidean"]
Scheme = Literal["ovr", "ovo", "votes"]
# "planetoid" is what "public" was called first: records under that name are still read.
SplitName = Literal["folds", "grouped", "public", "planetoid"]
TunedLearner = Literal["ridge", "svm", "best"]
Unlabelled = Literal["skip", "keep"]
