import sys

import pytest
from rdkit import Chem

from nask.exceptions import GraphError, InputError, MissingDependencyError
from nask.graph.schema import Schema
from nask.io.converters.molecules import from_rdkit, from_smiles


def test_acetate_by_hand():
    graph = from_smiles("CC(=O)[O-]")
    nodes = {name: a.values() for name, a in graph.node_attributes.items()}
    edges = {name: a.values() for name, a in graph.edge_attributes.items()}
    assert graph.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert nodes == {
        "element": ["C", "C", "O", "O"],
        "charge": [0.0, 0.0, 0.0, -1.0],
        "hybridisation": ["SP3", "SP2", "SP2", "SP2"],
        "aromatic": [False] * 4,
        "in_ring": [False] * 4,
    }
    assert edges == {
        "bond_type": ["SINGLE", "DOUBLE", "SINGLE"],
        "conjugated": [False, True, True],
    }
    kinds = {name: a.kind for name, a in graph.node_attributes.items()}
    assert kinds.pop("charge") == "numerical"
    assert set(kinds.values()) == {"categorical"}


def test_rings_and_aromaticity():
    toluene = from_smiles("Cc1ccccc1")
    assert toluene.node_attributes["aromatic"].values() == [False] + [True] * 6
    assert from_smiles("C1CC1").node_attributes["in_ring"].values() == [True] * 3
    assert set(toluene.edge_attributes["bond_type"].values()) == {"SINGLE", "AROMATIC"}


def test_hydrogens_on_demand():
    graph = from_smiles("C", explicit_hydrogens=True)
    assert graph.node_attributes["element"].values() == ["C", "H", "H", "H", "H"]
    assert graph.node_attributes["hybridisation"].values() == ["SP3", "S", "S", "S", "S"]
    assert from_smiles("C").n_nodes == 1


def test_molecules_without_bonds_agree_with_others():
    graphs = [from_smiles("C"), from_smiles("CC")]
    assert {spec.kind for spec in Schema.fit(graphs).edges} == {"categorical"}
    assert {a.kind for a in graphs[0].edge_attributes.values()} == {"categorical"}


def test_wildcard_atoms_have_no_hybridisation():
    graph = from_smiles("*C")
    assert graph.node_attributes["hybridisation"].values() == [None, "SP3"]


@pytest.mark.parametrize(
    ("smiles", "reason"),
    [
        ("C1CC", "RDKit cannot parse it"),
        ("C(C)(C)(C)(C)C", "Explicit valence for atom # 0 C, 5"),
        ("c1cccc1", "Can't kekulize mol"),
        ("", "it is empty"),
        ("  ", "it is empty"),
    ],
)
def test_invalid_smiles_is_quoted_and_rdkit_is_silent(capfd, smiles, reason):
    with pytest.raises(GraphError) as caught:
        from_smiles(smiles)
    assert repr(smiles) in str(caught.value)
    assert reason in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_rdkit_speaks_again_afterwards(capfd):
    with pytest.raises(GraphError):
        from_smiles("C1CC")
    Chem.MolFromSmiles("C1CC")
    assert "unclosed ring" in capfd.readouterr().err


@pytest.mark.parametrize("smiles", [["CC"], None, 3])
def test_one_string_only(smiles):
    with pytest.raises(InputError, match="Expected one SMILES string"):
        from_smiles(smiles)


def test_unsanitised_molecules_are_refused():
    with pytest.raises(GraphError, match=r"Chem\.SanitizeMol"):
        from_rdkit(Chem.MolFromSmiles("CC", sanitize=False))


def test_empty_molecule_and_other_objects():
    assert from_rdkit(Chem.Mol()).n_nodes == 0
    with pytest.raises(InputError, match="Expected an RDKit molecule; got str"):
        from_rdkit("CC")


@pytest.mark.parametrize("convert", [lambda: from_smiles("C"), lambda: from_rdkit(None)])
def test_missing_package_names_the_extra(monkeypatch, convert):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(MissingDependencyError, match=r"'rdkit'.*pip install 'nask\[molecules\]'"):
        convert()
