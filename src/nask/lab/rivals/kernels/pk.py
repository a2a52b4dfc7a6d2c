"""PK: propagation kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from grakel import Graph, Propagation, PropagationAttr
from scipy import sparse

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.base import KernelClassifier, with_gaussian_forms
from nask.lab.rivals.kernels.grakel_graphs import attributed
from nask.lab.rivals.kernels.grakel_kernel import GraKeLKernel
from nask.lab.rivals.kernels.labels import NodeLabels
from nask.lab.rivals.kernels.mixed_nodes import has_numbers

GRID = with_gaussian_forms({"t_max": [1, 2, 3, 4, 5, 6]})


@dataclass(kw_only=True, eq=False, repr=False)
class PK(GraKeLKernel):
    r"""Propagation kernel, as GraKeL hashes it.

    Labels and attributes of nodes spread over the graph, P_{t+1} = D^{-1} A P_t. In each step a
    random hash, :math:`\lfloor (u \cdot p + b) / w \rfloor` with Cauchy u, puts nodes with similar
    rows p into the same bin. With c_t(G) the counts of nodes by bin,

    .. math:: K(G, G') = \sum_{t=0}^{t_{max}} \langle c_t(G), c_t(G') \rangle,

    divided by :math:`\sqrt{K(G, G) K(G', G')}`.

    Parameters
    ----------
    t_max : int, default=3
        Number of steps. GraKeL counts the start as one of them, the paper does not.
    label_width : float, default=1e-5
        Width w of the bins of labels, which preserve total variation.
    attribute_width : float, default=1.0
        Width of the bins of numerical attributes, in standard deviations; they preserve L1.
    random_state : int, default=0
        Seed of the hashes.

    Notes
    -----
    Without numerical attributes P_0 is the one-hot label of a node, which stands for all of its
    categorical attributes, and a row has one hash (GraKeL's ``Propagation``). All labels that were
    not seen in training count as one. Where there are no attributes at all, the label of a node is
    its degree, as in the paper.

    With numerical attributes P_0 has their z-scores and one-hot columns, and each column has a
    hash of its own (``PropagationAttr``). Nodes share a bin where all hashes agree, which is the
    paper's product of a kernel on labels and one on attributes. The paper spreads mixtures of
    Gaussians instead of the numbers themselves; GraKeL does not. A missing number is the mean, a
    missing category is all zeros. After the first step a node without neighbours has zeros.

    References
    ----------
    Neumann, M., Garnett, R., Bauckhage, C. and Kersting, K. Propagation kernels: efficient graph
    kernels from propagated information. Machine Learning 102, 2016.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> PK(t_max=1).fit_transform(mutag.graphs[:2]).round(3)
    array([[1.   , 0.975], [0.975, 1.   ]])
    """

    t_max: int = 3
    label_width: float = 1e-5
    attribute_width: float = 1.0
    random_state: int = 0

    least = (("t_max", 0),)
    positive = ("label_width", "attribute_width")

    def _learn(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = NodeEncoder().fit(graphs)
        self.labels_ = NodeLabels.fit(graphs)
        self.degrees_ = np.unique(np.concatenate([graph.degrees() for graph in graphs]))
        schema = self.encoder_.schema_
        self.numerical_ = has_numbers(schema)
        n_categories = sum(len(s.categories) for s in schema.nodes if s.kind == "categorical")
        self.labelled_ = n_categories > 0
        self.widths_ = np.full(self.encoder_.n_columns_, self.attribute_width, dtype=np.float64)
        self.widths_[:n_categories] = self.label_width

    def _grakel(self) -> Any:
        width = 1.0 if self.numerical_ else self.label_width
        kind = _VectorBins if self.numerical_ else _LabelBins
        return kind(t_max=self.t_max + 1, w=width, random_state=self.random_state)

    def _convert(self, graphs: Sequence[AttributedGraph]) -> list[Any]:
        if self.numerical_:
            rows = self.encoder_.transform(graphs)
            return attributed(graphs, [own.astype(np.float64) / self.widths_ for own in rows])
        if self.labelled_:
            labels, unseen = self.labels_.transform(graphs), self.labels_.n_labels
        else:
            labels, unseen = self._degrees(graphs), len(self.degrees_)
        return attributed(graphs, [np.minimum(own, unseen).tolist() for own in labels])

    def _degrees(self, graphs: Sequence[AttributedGraph]) -> list[Any]:
        """Return the position of each degree among those of training; others share one more."""
        found = []
        for graph in graphs:
            places = np.searchsorted(self.degrees_, graph.degrees())
            known = self.degrees_[np.minimum(places, len(self.degrees_) - 1)] == graph.degrees()
            found.append(np.where(known, places, len(self.degrees_)))
        return found


class _SparseCounts:
    """Counts of nodes by bin as sparse matrices; GraKeL compares dictionaries pair by pair."""

    X: list[dict[int, Counter[int]]]

    def _calculate_kernel_matrix(self, Y: list[dict[int, Counter[int]]] | None = None) -> Float64:
        columns: dict[tuple[int, int], int] = {}
        training = _counts(self.X, columns)
        new = training if Y is None else _counts(Y, columns)
        gram: Float64 = (new[:, : training.shape[1]] @ training.T).toarray()
        return gram


class _LabelBins(_SparseCounts, Propagation):
    """GraKeL's kernel on labels, with one label reserved for those unseen in training.

    GraKeL's own way with unseen labels draws random numbers at each call, and also counts the
    first node of the next graph.
    """

    def fit(self, X: list[Any], y: object = None) -> Any:
        labels = {label for graph in X for label in graph.get_labels().values()}
        free = Graph(np.zeros((1, 1)), {0: max(labels) + 1}, graph_format="adjacency")
        super().fit([*X, free])
        self.X = self.X[:-1]
        return self


class _VectorBins(_SparseCounts, PropagationAttr):
    """GraKeL's kernel on vectors."""


def _counts(bins: list[dict[int, Counter[int]]], columns: dict[tuple[int, int], int]) -> Any:
    rows, places, counts = [], [], []
    for row, steps in enumerate(bins):
        for t, own in steps.items():
            for key, count in own.items():
                rows.append(row)
                places.append(columns.setdefault((t, int(key)), len(columns)))
                counts.append(float(count))
    return sparse.csr_array((counts, (rows, places)), shape=(len(bins), len(columns)))


class PKClassifier(KernelClassifier):
    """A support vector machine on :class:`PK`; see :class:`KernelClassifier` for its parameters."""

    kernel_type = PK
    default_grid = GRID
