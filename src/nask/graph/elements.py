"""The attributes of all nodes, or all edges, of many graphs as arrays, encoded under a schema."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Index, Positions
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute
from nask.graph.bins import bins_of
from nask.graph.schema import AttributeSpec
from nask.messages import quoted

Codes = npt.NDArray[np.int32]
Column = Sequence[Attribute | None]
"""One attribute of every graph, None where a graph does not have it."""

# The difference of two values of this size is still finite.
LARGEST_SCALED = 1e300


@dataclass(frozen=True, eq=False)
class Elements:
    """The attributes of all nodes, or all edges, of a batch.

    Parameters
    ----------
    ptr : ndarray of shape (n_graphs + 1,)
        The elements of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    numerical : ndarray of shape (number of numerical attributes, n_elements)
        Values scaled so that the training range is [0, 1]; NaN where missing, or the middle of the
        training range where attributes are compared as points of a Euclidean space.
    categorical : ndarray of shape (number of categorical attributes, n_elements)
        Codes of the schema's categories; -1 where missing. A category that the schema does not
        know has a code of its own above the known ones, so it matches only itself. Numbers that
        are compared one-hot are here, too: as the bins that they are in.
    """

    ptr: Index
    numerical: Float64
    categorical: Codes

    @classmethod
    def encode(
        cls,
        collections: Sequence[Mapping[str, Attribute]],
        sizes: Sequence[int],
        specs: Sequence[AttributeSpec],
    ) -> Elements:
        """Encode the attributes of graphs that have ``sizes`` nodes, or edges."""
        ptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        numerical, categorical = [], []
        for spec in specs:
            column = [attributes.get(spec.name) for attributes in collections]
            if spec.encoded == "numerical":
                numerical.append(_filled(_scaled(column, sizes, spec), spec.missing_number))
            elif spec.kind == "numerical":
                categorical.append(bins_of(_scaled(column, sizes, spec)))
            elif spec.kind == "categorical":
                categorical.append(_coded(column, sizes, spec))
        return cls(
            ptr,
            np.array(numerical, dtype=np.float64).reshape(len(numerical), ptr[-1]),
            np.array(categorical, dtype=np.int32).reshape(len(categorical), ptr[-1]),
        )

    def __len__(self) -> int:
        return int(self.ptr[-1])

    def take(self, positions: Index, ptr: Index | None = None) -> Elements:
        """Return the elements at these positions, divided among graphs by ``ptr``.

        By default all of them belong to one graph.
        """
        return Elements(
            np.array([0, len(positions)]) if ptr is None else ptr,
            np.ascontiguousarray(self.numerical[:, positions]),
            np.ascontiguousarray(self.categorical[:, positions]),
        )

    def union(self, other: Elements) -> Elements:
        """Return these elements and then those of another batch."""
        return Elements(
            np.concatenate([self.ptr, other.ptr[1:] + self.ptr[-1]]),
            np.hstack([self.numerical, other.numerical]),
            np.hstack([self.categorical, other.categorical]),
        )

    def check(
        self, element: str, specs: Sequence[AttributeSpec], n_features: int, n_graphs: int
    ) -> None:
        """Raise unless the arrays are those of elements under a schema.

        Parameters
        ----------
        element : {"nodes", "edges"}
            What error messages call the elements.
        specs : sequence of AttributeSpec
            The schema of their attributes.
        n_features : int
            Number of node features, which are the last rows of ``numerical``.
        """
        ptr = self.ptr
        # Compared, not subtracted: a difference of two positions may overflow and look right.
        divided = ptr.dtype == np.int64 and ptr.shape == (n_graphs + 1,) and n_graphs >= 0
        if not divided or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
            raise GraphError(f"The {element} of the batch are not divided among its graphs.")
        for kind, dtype in (("numerical", np.float64), ("categorical", np.int32)):
            values = getattr(self, kind)
            n_rows = sum(spec.encoded == kind for spec in specs)
            n_rows += n_features if kind == "numerical" else 0
            expected = (n_rows, len(self))
            if values.shape != expected or values.dtype != dtype:
                raise GraphError(
                    f"The {kind} attributes of the {element} have shape {values.shape} and type "
                    f"{values.dtype}; expected {expected} of type {np.dtype(dtype)}."
                )
        if (np.abs(self.numerical) > LARGEST_SCALED).any():
            raise GraphError(
                f"A numerical attribute of the {element} is beyond {LARGEST_SCALED:g}."
            )
        if np.isnan(self.numerical).any() and any(s.similarity == "euclidean" for s in specs):
            raise GraphError(
                f"A numerical attribute of the {element} has a missing value, which a Euclidean "
                "similarity has no place for."
            )
        categorical = [spec for spec in specs if spec.encoded == "categorical"]
        for spec, codes in zip(categorical, self.categorical, strict=True):
            if codes.max(initial=-1) >= spec.n_codes or codes.min(initial=-1) < -1:
                raise GraphError(
                    f"The attribute {quoted(spec.name)} of the {element} has an unknown category."
                )


def _scaled(column: Column, sizes: Sequence[int], spec: AttributeSpec) -> Float64:
    """Return the numbers of all graphs in units of the training range, from its minimum on."""
    values = np.concatenate(
        [
            a.data if a is not None and a.kind == "numerical" else np.full(size, np.nan)
            for a, size in zip(column, sizes, strict=True)
        ]
    )
    if spec.range == 0.0:
        # All training values are equal, so any two values count as equal.
        return np.where(np.isnan(values), np.nan, 0.0)
    # Halves keep differences of huge values finite, where the range can be halved.
    half = 0.5 if spec.range > 1e-300 else 1.0
    with np.errstate(over="ignore"):
        scaled = (values * half - spec.minimum * half) / (spec.range * half)
    return np.clip(scaled, -LARGEST_SCALED, LARGEST_SCALED)


def _filled(values: Float64, missing: float) -> Float64:
    return values if np.isnan(missing) else np.where(np.isnan(values), missing, values)


def _coded(column: Column, sizes: Sequence[int], spec: AttributeSpec) -> Codes:
    """Return the codes of the categories of all graphs."""
    codes = _extended_codes(column, spec)
    translations: dict[tuple[Hashable, ...], Codes] = {}
    by_graph = []
    for attribute, size in zip(column, sizes, strict=True):
        if attribute is None or attribute.kind != "categorical":
            by_graph.append(np.full(size, -1, dtype=np.int32))
            continue
        if attribute.categories not in translations:
            # The code -1 of a missing value picks the extra entry at the end.
            coded = [codes[category] for category in attribute.categories]
            translations[attribute.categories] = np.array([*coded, -1], dtype=np.int32)
        by_graph.append(translations[attribute.categories][attribute.data])
    return np.concatenate(by_graph)


def _extended_codes(column: Column, spec: AttributeSpec) -> dict[Hashable, int]:
    """Return the codes of the schema's categories, then those of unseen ones in order."""
    codes = dict(spec.codes)
    groups = dict.fromkeys(a.categories for a in column if a is not None)
    for category in (category for group in groups for category in group):
        codes.setdefault(category, len(codes))
    return codes


def unseen_categories(
    collections: Sequence[Mapping[str, Attribute]], specs: Sequence[AttributeSpec]
) -> tuple[tuple[Hashable, ...], ...]:
    """Return the categories of some graphs that the schema does not know, in order of their codes.

    There is one tuple per categorical attribute; numbers in bins have none.

    Examples
    --------
    >>> import nask
    >>> from nask.graph.schema import Schema
    >>> atoms = [nask.AttributedGraph(1, (), {"atom": [atom]}) for atom in "CNO"]
    >>> specs = Schema.fit(atoms[:1]).nodes
    >>> unseen_categories([graph.node_attributes for graph in atoms], specs)
    (('N', 'O'),)
    """
    coded = [spec for spec in specs if spec.encoded == "categorical"]
    columns = ([attributes.get(spec.name) for attributes in collections] for spec in coded)
    return tuple(
        tuple(_extended_codes(column, spec))[len(spec.codes) :]
        if spec.kind == "categorical"
        else ()
        for spec, column in zip(coded, columns, strict=True)
    )


def positions_of(ptr: Index, chosen: Index | Positions) -> tuple[Index, Index]:
    """Return the positions ``ptr[i]`` to ``ptr[i + 1]`` of each chosen i, and where each i starts.

    Examples
    --------
    >>> positions, starts = positions_of(np.array([0, 2, 5, 6]), np.array([2, 0]))
    >>> positions.tolist(), starts.tolist()
    ([5, 0, 1], [0, 1, 3])
    """
    sizes = np.diff(ptr)[chosen]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    positions = np.arange(starts[-1]) + np.repeat(ptr[chosen] - starts[:-1], sizes)
    return positions, starts
