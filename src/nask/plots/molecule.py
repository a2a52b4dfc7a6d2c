"""Where the atoms of a molecule are drawn: as chemists draw it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from nask.arrays import Float64
from nask.exceptions import InputError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.converters.molecule_reading import MoleculeGraph
from nask.io.converters.molecules import read_smiles
from nask.optional import is_instance, require

if TYPE_CHECKING:
    from rdkit.Chem import Mol


def molecule_positions(molecule: str | Mol, *, explicit_hydrogens: bool = False) -> Float64:
    """Positions of the atoms of a molecule, as RDKit depicts it in the plane.

    Atoms have the order of the nodes that ``nask.io.from_smiles`` and ``nask.io.from_rdkit`` make
    of them, so that ``graph(from_smiles(smiles), positions=molecule_positions(smiles))`` draws a
    molecule.

    Parameters
    ----------
    molecule : str or rdkit.Chem.Mol
        SMILES, or a molecule, which stays as it is.
    explicit_hydrogens : bool, default=False
        Place every hydrogen of a SMILES, as ``from_smiles(smiles, explicit_hydrogens=True)`` makes
        every hydrogen a node. A molecule of RDKit has the hydrogens that are atoms of it.

    Returns
    -------
    ndarray of shape (n_atoms, 2)

    Examples
    --------
    >>> points = molecule_positions("c1ccccc1")
    >>> np.linalg.norm(points - points.mean(axis=0), axis=1).round(3).tolist()  # a hexagon
    [1.5, 1.5, 1.5, 1.5, 1.5, 1.5]
    >>> molecule_positions("CCO", explicit_hydrogens=True).shape
    (9, 2)
    """
    if isinstance(molecule, str):
        molecule = read_smiles(molecule, explicit_hydrogens=explicit_hydrogens)
    elif not is_instance(molecule, "rdkit", "Mol"):
        raise InputError(
            "Expected a molecule, as SMILES or of RDKit (Mol); got an object of type "
            f"{type(molecule).__name__}."
        )
    # A depiction is stored in the molecule: the caller's own is copied.
    return _depicted(require("rdkit.Chem", "molecules").Mol(molecule))


def positions_of_atoms(graph: AttributedGraph) -> Float64 | None:
    """Positions of the nodes of a graph that ``nask.io`` made of a molecule.

    None of other graphs, and where RDKit is not installed.

    Examples
    --------
    >>> import nask
    >>> positions_of_atoms(nask.io.from_smiles("c1ccccc1O")).shape
    (7, 2)
    >>> positions_of_atoms(nask.AttributedGraph(2, [(0, 1)])) is None
    True
    """
    found = graph.node_attributes.get("element"), graph.edge_attributes.get("bond_type")
    is_molecule = isinstance(graph, MoleculeGraph)
    if (None in found and not is_molecule) or find_spec("rdkit") is None:
        return None
    # Of a molecule that was read without them any will do.
    elements = ["C"] * graph.n_nodes if found[0] is None else found[0].values()
    bonds = ["SINGLE"] * graph.n_edges if found[1] is None else found[1].values()
    chem = require("rdkit.Chem", "molecules")
    molecule, kinds = chem.RWMol(), chem.BondType.names
    try:
        for element in elements:
            molecule.AddAtom(chem.Atom(element))
        for (u, v), bond in zip(graph.edges.tolist(), bonds, strict=True):
            molecule.AddBond(u, v, kinds[bond])
    except (KeyError, RuntimeError, TypeError):
        # An element or a bond that is missing or not of chemistry.
        return None
    chem.GetSSSR(molecule)
    return _depicted(molecule)


def _depicted(molecule: Mol) -> Float64:
    if not molecule.GetNumAtoms():
        return np.zeros((0, 2))
    require("rdkit.Chem.rdDepictor", "molecules").Compute2DCoords(molecule, canonOrient=True)
    positions: Float64 = molecule.GetConformer().GetPositions()[:, :2].astype(np.float64)
    return positions
