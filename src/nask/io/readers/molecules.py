"""Reader of molecules: CSV files with SMILES, SD files, lists of SMILES."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from nask.arrays import Array
from nask.choices import BadRows, Unlabelled
from nask.exceptions import FormatError, GraphError, ParameterError
from nask.execution.progress import Progress, track
from nask.io.converters.molecule_attributes import ATOMS, BONDS
from nask.io.converters.molecule_reading import MoleculeGraph, MoleculeReading
from nask.io.converters.molecules import graph_of_sanitised, parse_block, parse_smiles
from nask.io.molecule_dataset import MoleculeDataset, SkippedRow
from nask.io.readers.csv_table import CsvTable
from nask.io.readers.molecule_rows import (
    LONGEST_SMILES,
    TITLE,
    MoleculeFile,
    Row,
)
from nask.io.target import as_target
from nask.messages import quoted

SMILES = "smiles"
# Rows that a note tells of one by one; all of them are in ``skipped``.
MOST_NOTED = 5
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


def read_molecules(
    path: str | os.PathLike[str],
    *,
    smiles: str | None = None,
    target: str | None = None,
    id: str | None = None,
    atoms: Collection[str] = ATOMS,
    bonds: Collection[str] = BONDS,
    stereo: bool = False,
    explicit_hydrogens: bool = False,
    bad_rows: BadRows = "skip",
    unlabelled: Unlabelled = "skip",
    progress: Progress = False,
) -> MoleculeDataset:
    """Read the molecules of a file: a CSV file with a column of SMILES, or an SD file.

    ==============  ================================================================
    ending          what the file holds
    ==============  ================================================================
    ``.csv .tsv``   a table with a header, separated by commas, semicolons or tabs
    ``.sdf .sd``    records of molecules with properties, V2000 or V3000
    ``.smi``        a SMILES per line, and after a space a name; no header
    ==============  ================================================================

    Text is UTF-8. Any of them may be compressed with gzip (``.sdf.gz``). A file with another
    ending is read as a table.

    Parameters
    ----------
    path : str or path
    smiles : str, optional
        The column of SMILES. By default the one that is called "smiles", in capital or small
        letters; there has to be exactly one. Not for SD files.
    target : str, optional
        The column, or property of an SD file, that is to be predicted. It holds classes or numbers
        by the rule of all readers: see :func:`nask.io.target.learning_task`.
    id : str, optional
        The column, or property, that names molecules; "_Name" is the title of a record. By default
        molecules go by the line where their row begins, the first line of the file being 1.
    atoms, bonds, stereo, explicit_hydrogens
        What atoms and bonds have, as in :func:`nask.io.from_smiles`.
    bad_rows : {"skip", "error"}, default="skip"
        What to do with a row that is no molecule: leave it out, and list it in ``skipped`` and in
        the notes; or raise an error at the first.
    unlabelled : {"skip", "keep"}, default="skip"
        Whether rows whose target is empty are left out, and counted; or kept, to be predicted.
    progress : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total) rows.

    Returns
    -------
    MoleculeDataset
        A :class:`nask.Dataset` that also has ``skipped``, ``lines`` and ``reading``. A model that
        learns from its graphs reads new SMILES, and files, in the same way.

    Raises
    ------
    FormatError
        If the file cannot be read, has no such column or no molecule; with ``bad_rows="error"`` if
        a row is bad.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from nask.io.readers.molecules import read_molecules
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mols.csv"
    >>> _ = path.write_text("name,SMILES,active\\naspirin,CC(=O)Oc1ccccc1C(O)=O,yes\\n"
    ...                     "broken,C1CC,no\\ncaffeine,Cn1cnc2c1c(=O)n(C)c(=O)n2C,no\\n")
    >>> data = read_molecules(path, target="active", id="name")
    >>> data.ids, data.y.tolist(), [graph.n_nodes for graph in data.graphs]
    (('aspirin', 'caffeine'), ['yes', 'no'], [13, 14])
    >>> for note in data.notes:
    ...     print(note)
    SMILES are those of the column 'SMILES', the only one of that name.
    1 of 3 rows could not be read: line 3, 'C1CC': unclosed ring.
    >>> read_molecules(path, target="activ")
    Traceback (most recent call last):
    nask.exceptions.FormatError: ...mols.csv has no column 'activ' (target). Did you mean 'active'?
    It has: 'name', 'SMILES', 'active'.
    """
    reading = MoleculeReading.of(atoms, bonds, stereo, explicit_hydrogens)
    reading = replace(reading, smiles=smiles, target=target, id=id)
    file = MoleculeFile.open(Path(path).expanduser())
    return read_file(file, reading, bad_rows, unlabelled, progress)


def read_file(
    file: MoleculeFile,
    reading: MoleculeReading,
    bad_rows: BadRows = "skip",
    unlabelled: Unlabelled = "skip",
    progress: Progress = False,
) -> MoleculeDataset:
    """Read the molecules of a file that has been opened; see :func:`read_molecules`."""
    for name, value, known in (
        ("bad_rows", bad_rows, get_args(BadRows)),
        ("unlabelled", unlabelled, get_args(Unlabelled)),
    ):
        if not isinstance(value, str) or value not in known:
            expected = f"one of {', '.join(map(repr, known))}"
            raise ParameterError.expected(name, "read_molecules", expected, value)
    reading, notes = with_columns(file, reading)
    graphs: list[MoleculeGraph] = []
    named: list[tuple[int, str, str | None]] = []  # line, id and target of each graph
    skipped: list[SkippedRow] = []
    n_unlabelled = 0
    rows = track(file.rows(), file.n_rows, progress, f"{file.name}: reading molecules")
    for row in rows:
        target = row.cells.get(reading.target or "")
        if reading.target and target is None and unlabelled == "skip" and not row.problem:
            n_unlabelled += 1
            continue
        name = str(row.line)
        if reading.id:
            name = row.cells.get(reading.id) or f"line {row.line}"
        graph = _graph(row, reading)
        if isinstance(graph, MoleculeGraph):
            graphs.append(graph)
            named.append((row.line, name, target))
            continue
        bad = SkippedRow(row.line, name, _written(row, reading), graph)
        if bad_rows == "error":
            raise FormatError(
                f"{file.path}, {bad}. Correct it, or leave such rows out: bad_rows='skip' "
                "(--bad-rows skip)."
            )
        skipped.append(bad)
    notes += _notes(file, reading, skipped, n_unlabelled)
    if not graphs:
        raise FormatError(_nothing(file, reading, skipped, n_unlabelled))
    lines, ids, targets = zip(*named, strict=True)
    return MoleculeDataset(
        file.name,
        tuple(graphs),
        _target(file, reading.target, targets, lines) if reading.target else None,
        notes=tuple(notes),
        ids=ids,
        lines=lines,
        skipped=tuple(skipped),
        n_unlabelled=n_unlabelled,
        reading=reading,
    )


def with_columns(file: MoleculeFile, reading: MoleculeReading) -> tuple[MoleculeReading, list[str]]:
    """Check the columns that are named; find that of SMILES, with a note, if nobody named it."""
    notes: list[str] = []
    if file.has_records:
        if reading.smiles is not None:
            raise ParameterError(
                f"{file.path} is an SD file, whose records are molecules: it has no column of "
                f"SMILES. Leave out smiles={quoted(reading.smiles)} (--smiles)."
            )
    elif reading.smiles is None:
        named = [name for name in file.columns if name.lower() == SMILES]
        if len(named) != 1:
            how_many = "no column" if not named else f"{len(named)} columns"
            raise FormatError(
                f"{file.path} has {how_many} called {SMILES!r}. Name the column of SMILES: "
                f"smiles=... (--smiles NAME). It has: {file.listed()}. Of a table of nodes or "
                "edges, give the path of its folder."
            )
        reading = replace(reading, smiles=named[0])
        if file.has_columns_of_smiles:
            notes.append(
                f"SMILES are those of the column {quoted(named[0])}, the only one of that name."
            )
    for option in ("smiles", "target", "id"):
        column = getattr(reading, option)
        if column is not None:
            file.check(column, option)
    if reading.target is not None and reading.target == reading.smiles:
        raise FormatError(
            f"The column {quoted(reading.target)} of {file.path} holds the SMILES, and is the "
            "target, too: the molecules would be predicted from themselves. Name another target: "
            f"target=... (--target NAME). It has: {file.listed()}."
        )
    return reading, notes


def _graph(row: Row, reading: MoleculeReading) -> MoleculeGraph | str:
    """The molecule of a row; or, in words, why it has none."""
    if row.problem:
        return row.problem
    if row.record is not None:
        molecule = parse_block(row.record)
    else:
        molecule = _parsed(_written(row, reading))
    if isinstance(molecule, str):
        return molecule
    if not molecule.GetNumAtoms():
        return "it has no atoms"
    try:
        return graph_of_sanitised(molecule, reading)
    except GraphError as error:
        return str(error).rstrip(".")


def _parsed(written: str) -> Any:
    if len(written) > LONGEST_SMILES:
        return (
            f"the SMILES has more than the {LONGEST_SMILES} characters that are read from a file "
            "(nask.io.from_smiles reads any)"
        )
    return parse_smiles(written) if written else "there is no SMILES"


def _written(row: Row, reading: MoleculeReading) -> str:
    """The SMILES of a row, or the title of a record."""
    return row.cells.get(reading.smiles or TITLE) or ""


def _target(
    file: MoleculeFile, name: str, values: Sequence[str | None], lines: Sequence[int]
) -> Array:
    """The target by the rule of all tables; None or NaN where it is empty."""
    labelled = [k for k, value in enumerate(values) if value is not None]
    column = [values[k] for k in labelled]
    for k in labelled:
        if file.delimiter != "," and DECIMAL_COMMA.fullmatch(str(values[k])):
            raise FormatError(
                f"The column {quoted(name)} of {file.path} has {quoted(values[k])} in line "
                f"{lines[k]}, with a decimal comma. Write decimal points."
            )
    table = CsvTable(str(file.path), {name: column}, [lines[k] for k in labelled])
    found = table.target(name)
    if len(labelled) == len(values):
        return found
    every: list[Any] = [None] * len(values)
    for k, value in zip(labelled, found.tolist(), strict=True):
        every[k] = value
    return as_target(every)


def _notes(
    file: MoleculeFile, reading: MoleculeReading, skipped: Sequence[SkippedRow], n_unlabelled: int
) -> list[str]:
    """What was left out, in words."""
    notes = []
    if skipped:
        rows = "; ".join(map(str, skipped[:MOST_NOTED]))
        if len(skipped) > MOST_NOTED:
            rows += f" and {len(skipped) - MOST_NOTED} more"
        notes.append(f"{len(skipped)} of {file.n_rows} rows could not be read: {rows}.")
    if n_unlabelled:
        notes.append(
            f"{n_unlabelled} of {file.n_rows} rows have no value in {quoted(reading.target)} and "
            "were left out."
        )
    return notes


def _nothing(
    file: MoleculeFile, reading: MoleculeReading, skipped: Sequence[SkippedRow], n_unlabelled: int
) -> str:
    """What to say of a file without a molecule."""
    if skipped:
        hint = f" Does the column {quoted(reading.smiles)} hold SMILES? It has: {file.listed()}."
        return (
            f"No molecule of {file.path} could be read: {len(skipped)} rows are bad, first "
            f"{skipped[0]}.{hint if file.has_columns_of_smiles else ''}"
        )
    if n_unlabelled:
        return (
            f"No row of {file.path} has a value in {quoted(reading.target)}: there is nothing to "
            "learn. To predict, leave out the target."
        )
    return f"{file.path} holds no molecules: it has no rows."
