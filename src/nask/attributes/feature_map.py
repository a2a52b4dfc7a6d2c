"""The feature map of P: finite vectors phi with P as their product, exactly.

    P(v, v') = phi(v) C phi'(v')^T

phi(v) has one column for a constant and one per value that occurs in the batch; it is nonzero for
the constant and for the values of v. C holds the similarities of the values of two batches: 1 for
equal values, between 0 and 1 for numbers less than the training range apart, and 0 for all others.
So phi of a batch does not depend on the batch with which it is compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.arrays import Float64, Index
from nask.attributes.similarity import AttributeSimilarity
from nask.graph.elements import Elements

# The most distinct values of a numerical attribute: 1000 x 1000 similarities take 8 MB.
MOST_VALUES = 1000


@dataclass(frozen=True, eq=False)
class Slot:
    """The columns of phi for one attribute: one per value.

    Parameters
    ----------
    codes : ndarray of int
        The value of each element, as a position in ``values``; negative where it is missing.
    values : ndarray
        The distinct values in ascending order; for a categorical attribute, its codes.
    scale : float
        The entry of phi in the column of an element's value; all other entries are 0.
    gamma : float or None
        Gamma of a numerical attribute; None for a categorical one.
    """

    codes: npt.NDArray[np.integer]
    values: Float64
    scale: float
    gamma: float | None = None

    @classmethod
    def categorical(cls, codes: npt.NDArray[np.int32], n_categories: int, scale: float) -> Slot:
        """Return columns for the categories of training and for unseen ones that occur."""
        size = max(n_categories, int(codes.max(initial=-1)) + 1)
        return cls(codes, np.arange(float(size)), scale)

    @classmethod
    def numerical(cls, numbers: Float64, gamma: float, scale: float) -> Slot:
        """Return columns for the numbers that occur."""
        codes = np.full(len(numbers), -1)
        present = ~np.isnan(numbers)
        values, codes[present] = np.unique(numbers[present], return_inverse=True)
        return cls(codes, values, scale, gamma)

    def matrix(self) -> sparse.csr_array:
        """Return these columns of phi, elements x values."""
        has = (self.codes >= 0) & (self.scale > 0)
        ptr = np.concatenate([[0], np.cumsum(has)])
        data = np.full(ptr[-1], self.scale)
        return sparse.csr_array((data, self.codes[has], ptr), shape=(len(has), len(self.values)))

    def similarities(self, other: Slot) -> sparse.csr_array:
        """Return C between the values of this attribute in two batches.

        Examples
        --------
        >>> slot = Slot.numerical(np.array([0.0, np.nan, 0.5, 1.0]), gamma=1.0, scale=1.0)
        >>> slot.similarities(slot).toarray().round(3)
        array([[1.   , 0.378, 0.   ], [0.378, 1.   , 0.378], [0.   , 0.378, 1.   ]])
        """
        if self.gamma is None:
            return sparse.eye_array(len(self.values), len(other.values), format="csr")
        distance = np.minimum(np.abs(self.values[:, None] - other.values), 1.0)
        # (e^(-g d) - e^-g) / (1 - e^-g), without cancellation where g (1 - d) is small.
        nearness = np.expm1(-self.gamma * (1 - distance)) / np.expm1(-self.gamma)
        return sparse.csr_array(np.exp(-self.gamma * distance) * nearness)

    def squared_norms(self, sums: sparse.csr_array) -> Float64:
        """Return s C s^T of each row s of a matrix of sums of phi."""
        if self.gamma is None:
            return np.asarray(sums.power(2).sum(axis=1)).ravel()
        return np.asarray((sums @ self.similarities(self)).multiply(sums).sum(axis=1)).ravel()


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The feature map of P for one batch: a slot for the constant, then one per attribute.

    Examples
    --------
    >>> import nask
    >>> from nask.attributes.similarity import attribute_similarities
    >>> from nask.graph.batch import GraphBatch
    >>> from nask.graph.schema import Schema
    >>> graph = nask.AttributedGraph(3, node_attributes={"atom": ["C", "N", None]})
    >>> schema = Schema.fit([graph])
    >>> nodes, _ = attribute_similarities(schema, 1.0, None, "NASK")
    >>> phi = FeatureMap.of(GraphBatch.encode([graph], schema).nodes, nodes).matrix()
    >>> (phi @ phi.T).toarray().round(3)  # P is 1 for equal atoms and exp(-1) for others
    array([[1.   , 0.368, 0.368], [0.368, 1.   , 0.368], [0.368, 0.368, 0.368]])
    """

    slots: list[Slot]

    @classmethod
    def of(cls, elements: Elements, similarity: AttributeSimilarity) -> FeatureMap:
        """Return the map of the elements of a batch."""
        s, constant = similarity, np.zeros(len(elements), dtype=np.int32)
        slots = [Slot.categorical(constant, 1, float(np.sqrt(s.base)))]
        # Equal values add the square of the scale to the base.
        scales = np.sqrt(-s.numerical_weight * np.expm1(-s.numerical_gamma))
        numerical = zip(elements.numerical, s.numerical_gamma, scales, strict=True)
        slots += [Slot.numerical(x, float(gamma), float(scale)) for x, gamma, scale in numerical]
        scales = np.sqrt(-s.categorical_weight * np.expm1(-s.categorical_gamma))
        categorical = zip(elements.categorical, s.n_categories, scales, strict=True)
        slots += [Slot.categorical(codes, int(n), float(scale)) for codes, n, scale in categorical]
        return cls(slots)

    def take(self, elements: Index) -> FeatureMap:
        """Return the map of some elements; it keeps the columns of all values."""
        return FeatureMap([replace(slot, codes=slot.codes[elements]) for slot in self.slots])

    def pruned(self, similarity: AttributeSimilarity) -> FeatureMap:
        """Return the map of the core factor (P - floor) / (1 - floor), which has no constant."""
        root = float(np.sqrt(similarity.spread))
        constant, *slots = (replace(slot, scale=slot.scale / root) for slot in self.slots)
        if similarity.floor > 0:
            constant = replace(constant, scale=0.0)
        return FeatureMap([constant, *slots])

    def matrix(self) -> sparse.csr_array:
        """Return phi, elements x values of all slots."""
        return sparse.hstack([slot.matrix() for slot in self.slots], format="csr")

    def similarities(self, other: FeatureMap) -> sparse.csr_array:
        """Return C between the values of two batches, for all slots."""
        slots = zip(self.slots, other.slots, strict=True)
        return sparse.block_diag([a.similarities(b) for a, b in slots], format="csr")

    def n_compared(self, other: FeatureMap) -> int:
        """Number of pairs of numbers that :meth:`similarities` compares."""
        slots = zip(self.slots, other.slots, strict=True)
        return sum(len(a.values) * len(b.values) for a, b in slots if a.gamma is not None)


def few_values(elements: Elements) -> bool:
    """Tell whether no numerical attribute has more than ``MOST_VALUES`` distinct values.

    A few elements are counted first: if most values differ, they are enough.
    """
    for numbers in elements.numerical:
        for some in (numbers[: 2 * MOST_VALUES], numbers):
            if len(np.unique(some[~np.isnan(some)])) > MOST_VALUES:
                return False
    return True
