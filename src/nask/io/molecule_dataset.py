"""Molecules of a file as a dataset, with the rows that could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, TypeVar

from nask.exceptions import ParameterError
from nask.io.converters.molecule_reading import MoleculeReading
from nask.io.dataset import Dataset
from nask.messages import quoted

T = TypeVar("T")


class SkippedRow(NamedTuple):
    """A row of a file that is no molecule.

    Parameters
    ----------
    line : int
        Where it begins, the first line of the file being 1.
    id : str
    molecule : str
        Its SMILES, or the title of its record.
    reason : str

    Examples
    --------
    >>> print(SkippedRow(3, "3", "C1CC", "unclosed ring"))
    line 3, 'C1CC': unclosed ring
    """

    line: int
    id: str
    molecule: str
    reason: str

    def __str__(self) -> str:
        what = f", {quoted(self.molecule)}" if self.molecule else ""
        return f"line {self.line}{what}: {self.reason}"


@dataclass(frozen=True, eq=False, repr=False)
class MoleculeDataset(Dataset):
    """Molecules of a file, and the target to predict; see :func:`nask.read_molecules`.

    Parameters
    ----------
    lines : tuple of int
        The line of the file where the row of each molecule begins.
    skipped : tuple of SkippedRow
        Rows that could not be read.
    n_unlabelled : int
        Rows that were left out because they have no target.
    reading : MoleculeReading
        What atoms and bonds have, and which columns were taken.

    The others are those of :class:`nask.Dataset`.
    """

    lines: tuple[int, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()
    n_unlabelled: int = 0
    reading: MoleculeReading = field(default_factory=MoleculeReading)

    attributes_are_made: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.lines) != len(self.graphs):
            raise ParameterError(
                f"The 'lines' parameter of MoleculeDataset must be one line per molecule "
                f"({len(self.graphs)}). Got {len(self.lines)}."
            )

    def by_row(self, values: Sequence[T]) -> Iterator[tuple[str, T | None]]:
        """Yield the id of each row of the file, in its order, and the value of its molecule.

        None where the row could not be read.

        Examples
        --------
        >>> from nask.io import from_smiles
        >>> bad = SkippedRow(3, "3", "C1CC", "unclosed ring")
        >>> mols = MoleculeDataset(
        ...     "mols", from_smiles(["C", "O"]), ids=("2", "4"), lines=(2, 4), skipped=(bad,)
        ... )
        >>> list(mols.by_row(["gas", "liquid"]))
        [('2', 'gas'), ('3', None), ('4', 'liquid')]
        """
        names = map(str, self.lines) if self.ids is None else self.ids
        read = zip(self.lines, names, values, strict=True)
        bad = ((row.line, row.id, None) for row in self.skipped)
        for _, name, value in sorted([*read, *bad], key=lambda row: row[0]):
            yield name, value
