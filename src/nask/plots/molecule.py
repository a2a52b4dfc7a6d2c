"""Where the atoms of a molecule are drawn: as chemists draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nask.arrays import Float64
from nask.exceptions import InputError
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
    if not molecule.GetNumAtoms():
        return np.zeros((0, 2))
    # A depiction is stored in the molecule: the caller's own is copied.
    copy = require("rdkit.Chem", "molecules").Mol(molecule)
    require("rdkit.Chem.rdDepictor", "molecules").Compute2DCoords(copy, canonOrient=True)
    positions: Float64 = copy.GetConformer().GetPositions()[:, :2].astype(np.float64)
    return positions
