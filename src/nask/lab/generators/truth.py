"""A dataset that says why its graphs have their classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Mask
from nask.exceptions import ParameterError
from nask.graph.attribute import frozen
from nask.io.dataset import Dataset


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedDataset(Dataset):
    """A dataset whose classes have known causes, to judge explanations by.

    Parameters
    ----------
    name, graphs, y, notes, ids, task
        As in :class:`nask.Dataset`.
    truth : tuple of ndarray of bool
        One mask per graph: the nodes that its class is owed to. All False where the class is owed
        to what a graph lacks.
    causes : tuple of str
        Names of the node attributes that the class is owed to; empty where it is the structure.

    Examples
    --------
    >>> import nask
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"age": [23, 31]})
    >>> data = ExplainedDataset("pairs", (pair,), y=[1], truth=([True, False],), causes=("age",))
    >>> data.truth[0]
    array([ True, False])
    >>> ExplainedDataset("pairs", (pair,), y=[1], truth=([True],))
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'truth' parameter of ExplainedDataset must be one mask per \
graph with one bool per node. Graph 0 has 2 nodes and a mask of shape (1,).
    """

    truth: tuple[Mask, ...] = ()
    causes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        expected = (
            "The 'truth' parameter of ExplainedDataset must be one mask per graph with one bool "
            "per node."
        )
        if len(self.truth) != len(self.graphs):
            raise ParameterError(
                f"{expected} Got {len(self.truth)} masks for {len(self.graphs)} graphs."
            )
        masks = tuple(frozen(np.array(mask, dtype=bool)) for mask in self.truth)
        for k, (graph, mask) in enumerate(zip(self.graphs, masks, strict=True)):
            if mask.shape != (graph.n_nodes,):
                raise ParameterError(
                    f"{expected} Graph {k} has {graph.n_nodes} nodes and a mask of shape "
                    f"{mask.shape}."
                )
        object.__setattr__(self, "truth", masks)
        object.__setattr__(self, "causes", tuple(self.causes))
