"""Molecules as RDKit depicts them, atoms in the order of the converter."""

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import AllChem

import nask
from nask import plots
from nask.exceptions import GraphError, InputError
from nask.plots.molecule import positions_of_atoms

SMILES = ["C", "CCO", "O=[N+]([O-])c1ccc(Cl)cc1", "[Na+].[Cl-]", "C1CC2CCC1C2", "*CC"]


@pytest.mark.parametrize("hydrogens", [False, True])
@pytest.mark.parametrize("smiles", SMILES)
def test_atoms_have_the_order_of_the_nodes(smiles, hydrogens):
    graph = nask.io.from_smiles(smiles, explicit_hydrogens=hydrogens)
    points = plots.molecule_positions(smiles, explicit_hydrogens=hydrogens)
    assert points.shape == (graph.n_nodes, 2)
    # Bonds are short in a depiction, and all other atoms are farther: in another order, they
    # would not be.
    lengths = np.linalg.norm(np.subtract(*points[graph.edges].swapaxes(0, 1)), axis=1)
    assert (lengths < 2.2).all()
    if graph.n_nodes > 1:
        apart = np.linalg.norm(points[:, None] - points, axis=2)
        assert apart[~np.eye(len(apart), dtype=bool)].min() > 0.3


def test_a_molecule_is_not_changed():
    molecule = Chem.MolFromSmiles("CCO")
    AllChem.EmbedMolecule(molecule, randomSeed=1)
    before = molecule.GetConformer().GetPositions()
    np.testing.assert_array_equal(
        plots.molecule_positions(molecule), plots.molecule_positions("CCO")
    )
    np.testing.assert_array_equal(molecule.GetConformer().GetPositions(), before)


def test_a_molecule_without_atoms_has_no_positions():
    assert plots.molecule_positions(Chem.Mol()).shape == (0, 2)


def test_what_is_no_molecule_is_an_error():
    with pytest.raises(GraphError, match="'C1CC' is not a valid SMILES"):
        plots.molecule_positions("C1CC")
    with pytest.raises(InputError, match=r"as SMILES or of RDKit \(Mol\); got .* list"):
        plots.molecule_positions(["CCO"])


@pytest.mark.parametrize("smiles", SMILES)
def test_a_graph_of_a_molecule_is_drawn_as_one(smiles):
    graph = nask.io.from_smiles(smiles)
    points = positions_of_atoms(graph)
    lengths = np.linalg.norm(np.subtract(*points[graph.edges].swapaxes(0, 1)), axis=1)
    np.testing.assert_allclose(lengths, 1.5, atol=0.75)
    drawn = plots.graph(graph).collections[-1].get_offsets()
    np.testing.assert_array_equal(drawn, points)


def test_a_molecule_is_drawn_as_one_whatever_its_atoms_have():
    """It knows that it is a molecule; the elements are not needed for the places of its atoms."""
    bare = nask.io.from_smiles("OC1CCC1", atoms=["charge"], bonds=["conjugated"])
    np.testing.assert_allclose(positions_of_atoms(bare), plots.molecule_positions("CC1CCC1"))
    assert plots.graph("OC1CCC1").collections[-1].get_offsets().shape == (5, 2)


@pytest.mark.parametrize(("element", "bond"), [("Qq", "SINGLE"), (None, "SINGLE"), ("C", "GLUE")])
def test_what_is_not_of_chemistry_is_drawn_as_a_graph(element, bond):
    graph = nask.AttributedGraph(
        2, [(0, 1)], {"element": ["C", element]}, {"bond_type": [bond]}, categorical=["element"]
    )
    assert positions_of_atoms(graph) is None
    assert plots.graph(graph).collections[-1].get_offsets().shape == (2, 2)
