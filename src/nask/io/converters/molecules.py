"""Molecules: SMILES strings and RDKit molecules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nask.exceptions import GraphError, InputError
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    from rdkit.Chem import Mol


def from_smiles(smiles: str, *, explicit_hydrogens: bool = False) -> AttributedGraph:
    """Convert a molecule written as SMILES; see `from_rdkit` for its attributes.

    Parameters
    ----------
    smiles : str
        One molecule. For many, ``[from_smiles(s) for s in ...]``.
    explicit_hydrogens : bool, default=False
        Make every hydrogen a node of its own.

    Examples
    --------
    >>> from nask.io.converters.molecules import from_smiles
    >>> ethanol = from_smiles("CCO")
    >>> ethanol.n_nodes, ethanol.node_attributes["element"].values()
    (3, ['C', 'C', 'O'])
    >>> from_smiles("CCO", explicit_hydrogens=True).n_nodes
    9
    >>> from_smiles("C1CC")
    Traceback (most recent call last):
    nask.exceptions.GraphError: 'C1CC' is not a valid SMILES: RDKit cannot parse it. ...
    """
    return from_rdkit(read_smiles(smiles, explicit_hydrogens=explicit_hydrogens))


def read_smiles(smiles: str, *, explicit_hydrogens: bool = False) -> Mol:
    """Return the RDKit molecule of a SMILES; its atoms have the order of the graph's nodes."""
    chem = require("rdkit.Chem", "molecules")
    if not isinstance(smiles, str):
        raise InputError(f"Expected one SMILES string; got {type(smiles).__name__}.")
    with require("rdkit.rdBase", "molecules").BlockLogs():
        molecule: Mol = chem.MolFromSmiles(smiles)
        if molecule is None or not smiles.strip():
            raise GraphError(
                f"{quoted(smiles)} is not a valid SMILES: {_problem(smiles, chem)}. "
                "Correct it or leave it out."
            )
    if explicit_hydrogens:
        molecule = chem.AddHs(molecule)
    return molecule


def from_rdkit(mol: Mol) -> AttributedGraph:
    """Convert an RDKit molecule: atoms are nodes, bonds are edges.

    Node attributes are ``element`` ("C"), ``charge`` (formal, numerical),
    ``hybridisation`` ("SP2"; missing at a wildcard atom), ``aromatic`` and ``in_ring``
    (booleans); edge attributes are ``bond_type`` ("SINGLE", "AROMATIC", ...) and
    ``conjugated`` (boolean).

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        Sanitised, as RDKit's readers return it by default. Its hydrogens are nodes if they
        are atoms of it (``Chem.AddHs``).

    Examples
    --------
    >>> from rdkit import Chem
    >>> from nask.io.converters.molecules import from_rdkit
    >>> from_rdkit(Chem.MolFromSmiles("c1ccccc1"))
    AttributedGraph(6 nodes, 6 edges; node: element (categorical), charge (numerical), \
hybridisation (categorical), aromatic (categorical), in_ring (categorical); \
edge: bond_type (categorical), conjugated (categorical))
    """
    if not isinstance(mol, require("rdkit.Chem", "molecules").Mol):
        raise InputError(f"Expected an RDKit molecule; got {type(mol).__name__}.")
    atoms, bonds = list(mol.GetAtoms()), list(mol.GetBonds())
    hybridisations = [_hybridisation(atom) for atom in atoms]
    if any(
        h is None and atom.GetAtomicNum() for h, atom in zip(hybridisations, atoms, strict=True)
    ):
        raise GraphError(
            "The RDKit molecule is not sanitised, so its rings, aromaticity and hybridisation are "
            "not known. Call Chem.SanitizeMol(mol) first."
        )
    return AttributedGraph(
        n_nodes=len(atoms),
        edges=[(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        node_attributes={
            "element": [atom.GetSymbol() for atom in atoms],
            "charge": [atom.GetFormalCharge() for atom in atoms],
            "hybridisation": hybridisations,
            "aromatic": [atom.GetIsAromatic() for atom in atoms],
            "in_ring": [atom.IsInRing() for atom in atoms],
        },
        edge_attributes={
            "bond_type": [str(bond.GetBondType()) for bond in bonds],
            "conjugated": [bond.GetIsConjugated() for bond in bonds],
        },
        # Said outright, since a molecule without bonds has no values to infer from.
        categorical=("element", "hybridisation", "aromatic", "in_ring", "bond_type", "conjugated"),
        numerical=("charge",),
    )


def _hybridisation(atom: Any) -> str | None:
    name = str(atom.GetHybridization())
    if name != "UNSPECIFIED":
        return name
    # Chem.AddHs leaves its hydrogens without the "S" that sanitising gives to a hydrogen.
    return "S" if atom.GetAtomicNum() == 1 else None


def _problem(smiles: str, chem: Any) -> str:
    """Why RDKit refuses a SMILES, as far as it tells."""
    if not smiles.strip():
        return "it is empty"
    unchecked = chem.MolFromSmiles(smiles, sanitize=False)
    if unchecked is None:
        return "RDKit cannot parse it"
    return "; ".join(problem.Message() for problem in chem.DetectChemistryProblems(unchecked))
