"""Gram matrices of many parameter settings, as few computed as possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import ParameterGrid

from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.nask import NASK
from nask.numeric import inverse_root


@dataclass(frozen=True, eq=False)
class Candidate:
    """One parameter setting and its Gram matrix over the whole collection."""

    parameters: Mapping[str, Any]
    gram: npt.NDArray[np.floating]


def candidates(
    graphs: Sequence[AttributedGraph],
    grid: Mapping[str, Sequence[Any]],
    *,
    n_hops: int,
    **fixed: Any,
) -> Iterator[Candidate]:
    """Gram matrices of every setting of a grid and every number of hops up to ``n_hops``.

    All hops of a setting come from one pass. Ranges and categories are those of the whole
    collection, which is unlabelled.

    Parameters
    ----------
    graphs : sequence of AttributedGraph
    grid : mapping of str to sequence
        Values of parameters of :class:`nask.NASK` to combine.
    n_hops : int
        The deepest.
    **fixed
        Other parameters of :class:`nask.NASK`.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs[:5]
    >>> for candidate in candidates(graphs, {"gamma": [0.1, 1.0]}, n_hops=2):
    ...     print(candidate.parameters, candidate.gram.shape)
    {'gamma': 0.1, 'n_hops': 1} (5, 5)
    {'gamma': 0.1, 'n_hops': 2} (5, 5)
    {'gamma': 1.0, 'n_hops': 1} (5, 5)
    {'gamma': 1.0, 'n_hops': 2} (5, 5)
    """
    for name in ("normalize", "gram", "gram_scale", "hop_weights", "n_hops"):
        if name in grid or name in fixed:
            raise ParameterError(
                f"candidates cannot vary {name!r}: its Grams are normalised, linear sums of hops."
            )
    for setting in ParameterGrid(dict(grid)):
        kernel = NASK(n_hops=n_hops, **setting, **fixed).fit(graphs)
        for hops, gram in enumerate(np.cumsum(kernel.hop_grams(graphs), axis=0), start=1):
            yield Candidate({**setting, "n_hops": hops}, _normalised(gram))


def _normalised(gram: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    scale = inverse_root(np.diag(gram))
    return gram * scale[:, None] * scale[None, :]
