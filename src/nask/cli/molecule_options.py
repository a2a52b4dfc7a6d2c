"""How a command reads molecules: its options, and the files that they are for."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nask.choices import BadRows, Unlabelled
from nask.exceptions import FormatError, ParameterError

if TYPE_CHECKING:
    from nask.io.converters.molecule_reading import MoleculeReading
    from nask.io.molecule_dataset import MoleculeDataset
    from nask.io.readers.molecule_rows import MoleculeFile

option = partial(typer.Option, rich_help_panel="Molecules of a CSV or SD file")
# Rows that are no molecule are shown one by one, up to so many.
MOST_SHOWN = 50


@dataclass(frozen=True)
class MoleculeOptions:
    """What the user says of molecules, and what a model knows; None is what was not said.

    Parameters
    ----------
    smiles, target, id : str, optional
        Columns.
    atoms, bonds : str, optional
        Names of attributes, separated by commas.
    stereo, explicit_hydrogens : bool, optional
    bad_rows : {"skip", "error"}, optional
    known : MoleculeReading, optional
        How the training molecules of a model were read.
    """

    smiles: str | None = None
    target: str | None = None
    id: str | None = None
    atoms: str | None = None
    bonds: str | None = None
    stereo: bool | None = None
    explicit_hydrogens: bool | None = None
    bad_rows: BadRows | None = None
    known: MoleculeReading | None = None

    @property
    def given(self) -> list[str]:
        """The options that the user gave, as they are written; --target is for other data, too."""
        return [
            "--" + field.name.replace("_", "-")
            for field in fields(self)
            if field.name not in ("target", "known") and getattr(self, field.name) is not None
        ]

    def are_for(self, path: str) -> bool:
        """Tell whether a path is that of a file of molecules; raise if options contradict it.

        Examples
        --------
        >>> MoleculeOptions().are_for("mols.sdf"), MoleculeOptions().are_for("MUTAG")
        (True, False)
        >>> MoleculeOptions(smiles="s", bad_rows="skip").are_for("MUTAG")
        Traceback (most recent call last):
        nask.exceptions.ParameterError: --smiles and --bad-rows are for CSV and SD files of
        molecules, and MUTAG is none. Leave them out.
        """
        from nask.io.readers.molecule_rows import is_molecule_file

        place = Path(path).expanduser()
        # A table may have any ending if the user says that it has molecules.
        table = place.is_file() and place.suffix.lower() != ".zip" and self.smiles is not None
        if is_molecule_file(place) or table:
            return True
        if self.given:
            them = "them" if len(self.given) > 1 else "it"
            are = "are" if len(self.given) > 1 else "is"
            raise ParameterError(
                f"{' and '.join(self.given)} {are} for CSV and SD files of molecules, and {path} "
                f"is none. Leave {them} out."
            )
        return False

    def read(self, path: str, unlabelled: Unlabelled) -> MoleculeDataset:
        """Read the molecules of a file, and tell on standard error what was taken and left out."""
        from nask.io.readers.molecule_rows import MoleculeFile
        from nask.io.readers.molecules import read_file, with_columns

        file = MoleculeFile.open(Path(path).expanduser())
        reading, told = self._reading(file)
        if unlabelled == "skip" and reading.target is None:
            with_columns(file, reading)  # what is wrong with others comes first
            raise ParameterError(
                f"Which {file.word} of {path} is to be learned? Name it: --target NAME. It has: "
                f"{file.listed()}."
            )
        data = read_file(file, reading, self.bad_rows or "skip", unlabelled, progress=True)
        if self.smiles is None and reading.smiles is None and file.has_columns_of_smiles:
            told.append(data.notes[0])
        typer.echo("\n".join([*told, *report(path, data)]), err=True)
        return data

    def _reading(self, file: MoleculeFile) -> tuple[MoleculeReading, list[str]]:
        """How to read a file: as the user says, else as the model knows; and what to tell of it."""
        from nask.io.converters.molecule_reading import MoleculeReading

        known, told = self.known or MoleculeReading(), []
        columns: dict[str, Any] = {}
        for name in ("smiles", "target", "id"):
            given, remembered = getattr(self, name), getattr(known, name)
            # No name at all, --target "", is said too: then none is taken.
            columns[name] = given or None
            if given is not None or remembered is None:
                continue
            if name == "smiles" and not file.has_columns_of_smiles:
                continue
            if remembered in file.columns:
                columns[name] = remembered
            elif name == "smiles":
                raise FormatError(
                    f"{file.path} has no column {remembered!r}, from which the model's training "
                    f"molecules were read. Name the column of SMILES: --smiles NAME. It has: "
                    f"{file.listed()}."
                )
            elif name == "id":
                told.append(
                    f"{file.path} has no {file.word} {remembered!r}, by which the model's training "
                    "molecules went: molecules go by their lines."
                )
        hydrogens = self.explicit_hydrogens
        made = MoleculeReading.of(
            known.atoms if self.atoms is None else listed_names(self.atoms),
            known.bonds if self.bonds is None else listed_names(self.bonds),
            bool(self.stereo),
            known.explicit_hydrogens if hydrogens is None else hydrogens,
        )
        return replace(made, **columns), told


def listed_names(text: str) -> list[str]:
    """Names that are written with commas between them.

    Examples
    --------
    >>> listed_names("element, charge,"), listed_names("")
    (['element', 'charge'], [])
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def report(path: str, data: MoleculeDataset) -> list[str]:
    """Tell what was read of a file, and each row that was left out.

    Examples
    --------
    >>> from nask.io.molecule_dataset import MoleculeDataset, SkippedRow
    >>> bad = SkippedRow(3, "3", "C1CC", "unclosed ring")
    >>> print("\\n".join(report("mols.csv", MoleculeDataset("mols", (), skipped=(bad,)))))
    mols.csv, line 3, 'C1CC': unclosed ring. Left out.
    mols.csv: 0 molecules; 1 row could not be read.
    """
    told = [f"{path}, {row}. Left out." for row in data.skipped[:MOST_SHOWN]]
    more = len(data.skipped) - MOST_SHOWN
    if more > 0:
        told.append(f"{path}: {more} more rows like these.")
    counts = [f"{len(data)} {'molecule' if len(data) == 1 else 'molecules'}"]
    for number, what in (
        (len(data.skipped), "could not be read"),
        (data.n_unlabelled, f"without a value in {data.reading.target!r} left out"),
    ):
        if number:
            counts.append(f"{number} {'row' if number == 1 else 'rows'} {what}")
    return [*told, f"{path}: {'; '.join(counts)}."]


def molecule_options(
    smiles: Annotated[
        str | None,
        option(metavar="NAME", help="Column of SMILES. Default: the only one called smiles."),
    ] = None,
    id: Annotated[
        str | None,
        option(
            "--id",
            metavar="NAME",
            help="Column, or property, that names molecules. Default: lines.",
        ),
    ] = None,
    atoms: Annotated[
        str | None,
        option(
            metavar="NAME,...",
            help="What atoms have, of: element, charge, hydrogens, in_ring (these by default), "
            "ring_size, aromatic, hybridisation, isotope, chirality.",
        ),
    ] = None,
    bonds: Annotated[
        str | None,
        option(
            metavar="NAME,...",
            help="What bonds have, of: bond_type (by default), conjugated, in_ring, stereo.",
        ),
    ] = None,
    stereo: Annotated[
        bool | None,
        option("--stereo", help="Make stereoisomers differ: chirality of atoms, stereo of bonds."),
    ] = None,
    explicit_hydrogens: Annotated[
        bool | None,
        option("--explicit-hydrogens", help="Make every hydrogen a node."),
    ] = None,
    bad_rows: Annotated[
        BadRows | None,
        option(help="skip: leave out rows that are no molecule, and tell; error: stop."),
    ] = None,
) -> MoleculeOptions:
    """Collect the options.

    Examples
    --------
    >>> molecule_options(smiles="SMILES").given
    ['--smiles']
    """
    return MoleculeOptions(**locals())
