"""Molecules: SMILES and RDKit molecules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from nask.exceptions import GraphError, InputError
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.io.converters.molecule_attributes import (
    ATOM_SORTS,
    ATOMS,
    BOND_SORTS,
    BONDS,
    Parts,
    columns_of,
)
from nask.io.converters.molecule_reading import MoleculeGraph, MoleculeReading
from nask.io.converters.rdkit_log import quiet
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    from rdkit.Chem import Mol


@overload
def from_smiles(  # type: ignore[overload-overlap] # a text is a row of texts, too
    smiles: str,
    *,
    atoms: Collection[str] = ...,
    bonds: Collection[str] = ...,
    stereo: bool = ...,
    explicit_hydrogens: bool = ...,
) -> AttributedGraph: ...
@overload
def from_smiles(
    smiles: Iterable[str],
    *,
    atoms: Collection[str] = ...,
    bonds: Collection[str] = ...,
    stereo: bool = ...,
    explicit_hydrogens: bool = ...,
) -> list[AttributedGraph]: ...
def from_smiles(
    smiles: str | Iterable[str],
    *,
    atoms: Collection[str] = ATOMS,
    bonds: Collection[str] = BONDS,
    stereo: bool = False,
    explicit_hydrogens: bool = False,
) -> AttributedGraph | list[AttributedGraph]:
    """Convert molecules written as SMILES: one of them, or a whole column.

    Parameters
    ----------
    smiles : str, or iterable of str
        One molecule; or a list, an array, or a pandas or polars Series of them.
    atoms : collection of str, default=("element", "charge", "hydrogens", "in_ring")
        What atoms have, of: element, charge, hydrogens, in_ring, ring_size, aromatic,
        hybridisation, isotope, chirality. ``docs/molecules.md`` has a table of them.
    bonds : collection of str, default=("bond_type",)
        What bonds have, of: bond_type, conjugated, in_ring, stereo.
    stereo : bool, default=False
        Make stereoisomers differ: add chirality to atoms and stereo to bonds.
    explicit_hydrogens : bool, default=False
        Make every hydrogen a node of its own.

    Returns
    -------
    AttributedGraph, or list of them

    Raises
    ------
    GraphError
        If RDKit cannot read a SMILES: the message has its position in the column, and what RDKit
        says. :func:`nask.read_molecules` leaves such rows of a file out.

    Examples
    --------
    >>> from nask.io.converters.molecules import from_smiles
    >>> ethanol = from_smiles("CCO")
    >>> ethanol.n_nodes, ethanol.node_attributes["element"].values()
    (3, ['C', 'C', 'O'])
    >>> from_smiles("CCO", explicit_hydrogens=True).n_nodes
    9
    >>> left, right = from_smiles(["C[C@H](N)C(O)=O", "C[C@@H](N)C(O)=O"])
    >>> left == right
    True
    >>> left, right = from_smiles(["C[C@H](N)C(O)=O", "C[C@@H](N)C(O)=O"], stereo=True)
    >>> [graph.node_attributes["chirality"].values()[1] for graph in (left, right)]
    ['S', 'R']
    >>> from_smiles(["CCO", "C1CC"])
    Traceback (most recent call last):
    nask.exceptions.GraphError: Item 1: 'C1CC' is not a valid SMILES: unclosed ring. Correct it \
or leave it out.
    """
    reading = MoleculeReading.of(atoms, bonds, stereo, explicit_hydrogens)
    if isinstance(smiles, str):
        return graph_of_smiles(smiles, reading)
    if isinstance(smiles, bytes | Mapping | Set) or not isinstance(smiles, Iterable):
        raise InputError(
            f"Expected one SMILES string, or a list or Series of them; got {quoted(smiles)}, an "
            f"object of type {type(smiles).__name__}."
        )
    if hasattr(smiles, "columns"):
        raise InputError(
            f"Expected one SMILES string, or a list or Series of them; got a table "
            f"({type(smiles).__name__}). Pass its column of SMILES, such as table['smiles']."
        )
    graphs: list[AttributedGraph] = []
    for position, item in enumerate(smiles):
        try:
            graphs.append(graph_of_smiles(item, reading))
        except (GraphError, InputError) as error:
            raise type(error)(f"Item {position}: {error}") from error
    return graphs


def graph_of_smiles(smiles: Any, reading: MoleculeReading) -> MoleculeGraph:
    """Convert one SMILES, in the way in which other molecules were read."""
    return graph_of_sanitised(read_smiles(smiles), reading)


def read_smiles(smiles: Any, *, explicit_hydrogens: bool = False) -> Mol:
    """Return the RDKit molecule of a SMILES; its atoms have the order of the graph's nodes."""
    if not isinstance(smiles, str):
        missing = " A missing SMILES has to be left out, its row of y too." * is_missing(smiles)
        raise InputError(f"Expected one SMILES string; got {type(smiles).__name__}.{missing}")
    molecule = parse_smiles(smiles)
    if isinstance(molecule, str):
        raise GraphError(
            f"{quoted(smiles)} is not a valid SMILES: {molecule}. Correct it or leave it out."
        )
    if explicit_hydrogens:
        molecule = require("rdkit.Chem", "molecules").AddHs(molecule)
    return molecule


def parse_smiles(smiles: str) -> Mol | str:
    """Return the RDKit molecule of a SMILES; or, in words, why there is none.

    Examples
    --------
    >>> parse_smiles("CCO").GetNumAtoms(), parse_smiles("C1CC")
    (3, 'unclosed ring')
    """
    chem = require("rdkit.Chem", "molecules")
    written = smiles.strip()
    if not written:
        return "it is empty"
    first, *others = written.split(maxsplit=1)
    if others and not others[0].startswith("|"):
        # RDKit would read the first part alone, and take the other for a name.
        return f"it goes on after {quoted(first)} and a space"
    with quiet() as said:
        molecule: Mol | None = chem.MolFromSmiles(written)
        if molecule is not None:
            return molecule
        return said.reason(written) or _chemistry(chem.MolFromSmiles(written, sanitize=False))


def parse_block(block: str) -> Mol | str:
    """Return the RDKit molecule of a record of an SD file; or, in words, why there is none."""
    chem = require("rdkit.Chem", "molecules")
    with quiet() as said:
        molecule: Mol | None = chem.MolFromMolBlock(block)
        if molecule is not None:
            return molecule
        return said.reason() or _chemistry(chem.MolFromMolBlock(block, sanitize=False))


def from_rdkit(
    mol: Mol,
    *,
    atoms: Collection[str] = ATOMS,
    bonds: Collection[str] = BONDS,
    stereo: bool = False,
    explicit_hydrogens: bool = False,
) -> AttributedGraph:
    """Convert an RDKit molecule: atoms are nodes, bonds are edges.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        Sanitised, as RDKit's readers return it by default. It stays as it is.
    atoms, bonds, stereo
        As in :func:`nask.io.from_smiles`.
    explicit_hydrogens : bool, default=False
        Make every hydrogen a node. By default those are nodes that are atoms of the molecule.

    Examples
    --------
    >>> from rdkit import Chem
    >>> from nask.io.converters.molecules import from_rdkit
    >>> from_rdkit(Chem.MolFromSmiles("c1ccccc1"))
    AttributedGraph(6 nodes, 6 edges; node: element (categorical), charge (numerical), \
hydrogens (numerical), in_ring (categorical); edge: bond_type (categorical))
    >>> from_rdkit(Chem.MolFromSmiles("CC=O"), atoms=["hybridisation"], bonds=[])
    AttributedGraph(3 nodes, 2 edges; node: hybridisation (categorical))
    """
    return graph_of_molecule(mol, MoleculeReading.of(atoms, bonds, stereo, explicit_hydrogens))


def graph_of_molecule(mol: Any, reading: MoleculeReading) -> MoleculeGraph:
    """Convert any RDKit molecule, in the way in which other molecules were read."""
    chem = require("rdkit.Chem", "molecules")
    if not isinstance(mol, chem.Mol):
        raise InputError(f"Expected an RDKit molecule; got {type(mol).__name__}.")
    unspecified = chem.HybridizationType.UNSPECIFIED
    if any(a.GetHybridization() == unspecified and a.GetAtomicNum() > 1 for a in mol.GetAtoms()):
        raise GraphError(
            "The RDKit molecule is not sanitised, so its rings, aromaticity and hybridisation are "
            "not known. Call Chem.SanitizeMol(mol) first."
        )
    return graph_of_sanitised(mol, reading)


def graph_of_sanitised(mol: Any, reading: MoleculeReading) -> MoleculeGraph:
    """Convert an RDKit molecule that RDKit has read itself."""
    if reading.explicit_hydrogens:
        mol = require("rdkit.Chem", "molecules").AddHs(mol)
    parts = Parts(mol)
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in parts.bonds]
    return MoleculeGraph.of_molecule(
        reading,
        len(parts.atoms),
        np.sort(np.array(ends, dtype=np.int64).reshape(-1, 2), axis=1),
        columns_of(parts, reading.atoms, ATOM_SORTS),
        columns_of(parts, reading.bonds, BOND_SORTS),
    )


def _chemistry(unchecked: Mol | None) -> str:
    """Why RDKit refuses a molecule, where its log does not tell."""
    chem = require("rdkit.Chem", "molecules")
    problems = () if unchecked is None else chem.DetectChemistryProblems(unchecked)
    return "; ".join(own.Message() for own in problems) or "RDKit cannot parse it"
