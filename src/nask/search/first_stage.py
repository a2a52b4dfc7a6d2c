"""The first stage of a search among many graphs: features choose those to compare exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from nask.arrays import Float32, Positions
from nask.exceptions import ModelFileError
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.features import NASKFeatures
from nask.kernels.nask import NASK
from nask.kernels.parameters import StarParameters

# Rows of a file that are computed again, and how far they may be off by rounding.
CHECKED_ROWS, SAME_ROW = 64, 1e-4


@dataclass(frozen=True, eq=False)
class FirstStage:
    """Features of all graphs of an index, compared with those of queries by a matrix product.

    Parameters
    ----------
    features : NASKFeatures
        Fitted.
    rows : ndarray of shape (n_graphs, n_components)
    """

    features: NASKFeatures
    rows: Float32

    @classmethod
    def of(
        cls, graphs: Sequence[AttributedGraph], kernel: NASK, n_components: int, random_state: int
    ) -> FirstStage:
        """Compute the features of graphs, with the parameters of a kernel."""
        shared = star_parameters(kernel)
        features = NASKFeatures(n_components=n_components, random_state=random_state, **shared)
        return cls(features, features.fit_transform(graphs))

    @classmethod
    def restored(
        cls,
        graphs: Sequence[AttributedGraph],
        kernel: NASK,
        n_components: int,
        random_state: int,
        rows: Float32,
    ) -> FirstStage:
        """The features of graphs, whose rows were computed before, by another process.

        The random choices are made again. Where some rows show that these are other ones, as by
        another version of numpy, all rows are computed anew.
        """
        shape = len(graphs), n_components
        if rows.shape != shape or rows.dtype != np.float32 or not np.isfinite(rows).all():
            raise ModelFileError(
                f"The features have shape {rows.shape} and type {rows.dtype}: expected {shape[0]} "
                f"x {shape[1]} finite numbers of type float32."
            )
        shared = star_parameters(kernel)
        features = NASKFeatures(n_components=n_components, random_state=random_state, **shared)
        features.fit(graphs)
        some = np.unique(np.linspace(0, len(graphs) - 1, CHECKED_ROWS).astype(int))
        again = features.transform_batch([graphs[place] for place in some])
        if np.abs(again - rows[some]).max() > SAME_ROW:
            rows = features.transform(graphs)
        return cls(features, np.ascontiguousarray(rows))

    def candidates(
        self, queries: Sequence[AttributedGraph], n: int, numbers: int
    ) -> Iterator[Positions]:
        """Yield, per query, the positions of the n graphs of the largest products, in order.

        So many ``numbers`` are at work at a time.
        """
        n_graphs = len(self.rows)
        first = max(0, n_graphs - n)
        # Held against the schema before, by the kernel.
        wanted = self.features.transform_batch(list(queries))
        height = max(1, numbers // n_graphs)
        for start in range(0, len(wanted), height):
            for products in wanted[start : start + height] @ self.rows.T:
                yield np.sort(np.argpartition(products, first)[first:])


def star_parameters(kernel: NASK) -> Mapping[str, Any]:
    """The parameters of a kernel that its features have, too."""
    return {field.name: getattr(kernel, field.name) for field in fields(StarParameters)}
