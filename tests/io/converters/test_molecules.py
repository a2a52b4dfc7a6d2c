import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem, rdBase

from nask import NASK, AttributedGraph
from nask.exceptions import GraphError, InputError, MissingDependencyError, ParameterError
from nask.graph.schema import Schema
from nask.io.converters.molecule_attributes import ATOM_SORTS, BOND_SORTS
from nask.io.converters.molecule_reading import MoleculeReading, common_reading
from nask.io.converters.molecules import from_rdkit, from_smiles
from nask.io.converters.rdkit_log import quiet


def test_acetate_by_hand():
    graph = from_smiles("CC(=O)[O-]", atoms=ATOM_SORTS, bonds=BOND_SORTS)
    nodes = {name: a.values() for name, a in graph.node_attributes.items()}
    edges = {name: a.values() for name, a in graph.edge_attributes.items()}
    assert graph.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert nodes == {
        "element": ["C", "C", "O", "O"],
        "charge": [0.0, 0.0, 0.0, -1.0],
        "hydrogens": [3.0, 0.0, 0.0, 0.0],
        "in_ring": [False] * 4,
        "ring_size": [0] * 4,
        "aromatic": [False] * 4,
        "hybridisation": ["SP3", "SP2", "SP2", "SP2"],
        "isotope": [0] * 4,
        "chirality": ["none"] * 4,
    }
    assert edges == {
        "bond_type": ["SINGLE", "DOUBLE", "SINGLE"],
        "conjugated": [False, True, True],
        "in_ring": [False] * 3,
        "stereo": ["none"] * 3,
    }
    kinds = {name: a.kind for name, a in graph.node_attributes.items()}
    assert {name for name, kind in kinds.items() if kind == "numerical"} == {"charge", "hydrogens"}
    assert list(from_smiles("C").node_attributes) == ["element", "charge", "hydrogens", "in_ring"]
    assert list(from_smiles("C").edge_attributes) == ["bond_type"]


def test_rings_and_aromaticity():
    toluene = from_smiles("Cc1ccccc1", atoms=["aromatic"])
    assert toluene.node_attributes["aromatic"].values() == [False] + [True] * 6
    assert from_smiles("C1CC1").node_attributes["in_ring"].values() == [True] * 3
    assert set(toluene.edge_attributes["bond_type"].values()) == {"SINGLE", "AROMATIC"}
    # Two rings share a bond: atoms of it are in the smaller one.
    hydrindane = from_smiles("C1CCC2CCCC2C1C", atoms="ring_size", bonds="in_ring")
    assert hydrindane.node_attributes["ring_size"].values() == [6, 6, 6, 5, 5, 5, 5, 5, 6, 0]
    assert hydrindane.edge_attributes["in_ring"].values().count(False) == 1


def test_hydrogens_on_demand():
    graph = from_smiles(
        "C", atoms=["element", "hybridisation", "hydrogens"], explicit_hydrogens=True
    )
    assert graph.node_attributes["element"].values() == ["C", "H", "H", "H", "H"]
    assert graph.node_attributes["hybridisation"].values() == ["SP3", "S", "S", "S", "S"]
    assert graph.node_attributes["hydrogens"].values() == [4, 0, 0, 0, 0]
    assert from_smiles("C").n_nodes == 1
    assert from_rdkit(Chem.MolFromSmiles("C"), explicit_hydrogens=True).n_nodes == 5
    # Written ones are no nodes, unless they are isotopes.
    assert from_smiles("[H]C([H])([H])[2H]").node_attributes["element"].values() == ["C", "H"]


def test_molecules_without_bonds_agree_with_others():
    graphs = [from_smiles("C"), from_smiles("CC")]
    assert {spec.kind for spec in Schema.fit(graphs).edges} == {"categorical"}
    assert {a.kind for a in graphs[0].edge_attributes.values()} == {"categorical"}


def test_wildcard_atoms_have_no_hybridisation():
    graph = from_smiles("*C", atoms=["hybridisation"])
    assert graph.node_attributes["hybridisation"].values() == [None, "SP3"]


@pytest.mark.usefixtures("rdkit_reasons")
@pytest.mark.parametrize(
    ("smiles", "reason"),
    [
        ("C1CC", "unclosed ring"),
        ("CC(", "syntax error; check for mistakes around position 3"),
        ("C(C)(C)(C)(C)C", "Explicit valence for atom # 0 C, 5"),
        ("c1cccc1", "Can't kekulize mol"),
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("CCO ethanol", "it goes on after 'CCO' and a space"),
        ("CC |nonsense|", "RDKit cannot parse it"),
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


@pytest.mark.parametrize(
    "smiles", [None, 3, b"CC", {"CC"}, {"a": "CC"}, pd.DataFrame({"s": ["C"]})]
)
def test_neither_a_smiles_nor_a_column(smiles):
    with pytest.raises(InputError, match="Expected one SMILES string, or a list or Series"):
        from_smiles(smiles)


@pytest.mark.usefixtures("rdkit_reasons")
def test_a_column_names_the_position_of_what_is_no_molecule():
    with pytest.raises(GraphError, match=r"^Item 1: 'C1CC' is not a valid SMILES: unclosed ring"):
        from_smiles(["C", "C1CC"])
    with pytest.raises(InputError, match=r"^Item 2: Expected .* got float\. A missing SMILES has"):
        from_smiles(pd.Series(["C", "CC", None]))


LEFT, RIGHT = "C[C@H](N)C(O)=O", "C[C@@H](N)C(O)=O"
CIS, TRANS = "F/C=C\\F", "F/C=C/F"


def labels(smiles, **options):
    graph = from_smiles(smiles, **options)
    return [
        value
        for attributes in (graph.node_attributes, graph.edge_attributes)
        for name in ("chirality", "stereo")
        if name in attributes
        for value in attributes[name].values()
        if value != "none"
    ]


@pytest.mark.parametrize(
    ("smiles", "found"),
    [
        (LEFT, ["S"]),
        (RIGHT, ["R"]),
        (CIS, ["Z"]),
        (TRANS, ["E"]),
        # What a formula leaves open is missing: it is not known.
        ("CC(N)C(O)=O", [None]),
        ("FC=CF", [None]),
        ("C1CC1", []),
        # Rings without a chiral centre have stereoisomers too.
        ("C[C@H]1CC[C@@H](C)CC1", ["s", "s"]),
        ("C[C@H]1CC[C@H](C)CC1", ["r", "r"]),
        ("C[S@](=O)c1ccccc1", ["S"]),
    ],
)
def test_stereo_by_hand(smiles, found):
    assert labels(smiles, stereo=True) == found
    assert labels(smiles) == []


@pytest.mark.parametrize("pair", [(LEFT, RIGHT), (CIS, TRANS)])
def test_stereoisomers_differ_when_asked(pair):
    assert from_smiles(pair[0]) == from_smiles(pair[1])
    gram = NASK(n_hops=2).fit_transform(from_smiles(pair, stereo=True))
    assert gram[0, 1] < 0.999
    np.testing.assert_allclose(NASK(n_hops=2).fit_transform(from_smiles(pair)), 1.0)


def test_a_molecule_is_not_changed_by_its_labels():
    molecule = Chem.MolFromSmiles("C[C@H]1CC[C@@H](C)CC1")
    from_rdkit(molecule, stereo=True)
    assert not any(atom.HasProp("_CIPCode") for atom in molecule.GetAtoms())


@pytest.mark.parametrize(
    "smiles",
    [
        "[Na+].[Cl-]", "*", "[1*]CC*", "[NH3]->[Pt](Cl)(Cl)<-[NH3]", "[H][H]", "[2H]C", "[Fe+3]",
        "C~C", "N[C@](F)(Cl)Br", "C" * 300, "B1C2CC3CC1CC(C2)C3", "[O-][n+]1ccccc1", "C[Si](C)C",
    ],
)  # fmt: skip
@pytest.mark.parametrize("hydrogens", [False, True])
def test_unusual_molecules_have_all_attributes(smiles, hydrogens, capfd):
    graph = from_smiles(smiles, atoms=ATOM_SORTS, bonds=BOND_SORTS, explicit_hydrogens=hydrogens)
    molecule = Chem.MolFromSmiles(smiles)
    molecule = Chem.AddHs(molecule) if hydrogens else molecule
    assert (graph.n_nodes, graph.n_edges) == (molecule.GetNumAtoms(), molecule.GetNumBonds())
    same = AttributedGraph(
        graph.n_nodes,
        [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()],
        {name: own.values() for name, own in graph.node_attributes.items()},
        {name: own.values() for name, own in graph.edge_attributes.items()},
        categorical=({*ATOM_SORTS, *BOND_SORTS} - {"charge", "hydrogens"}),
        numerical=("charge", "hydrogens"),
    )
    assert graph == same
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"atoms": ["elment"]}, "'atoms' names 'elment'.* Did you mean 'element'"),
        ({"bonds": ["bond"]}, "'bonds' names 'bond'.* Did you mean 'bond_type'"),
        ({"atoms": 3}, "'atoms' must be a collection of names among 'element'"),
        ({"atoms": [None]}, "'atoms' must be a collection"),
        ({"stereo": "yes"}, "'stereo' must be True or False"),
    ],
)
def test_options_that_are_none(options, message):
    with pytest.raises(ParameterError, match=message):
        from_smiles("C", **options)


def test_graphs_of_molecules_know_how_they_were_read():
    graphs = from_smiles(["CCO", "C"], stereo=True)
    reading = MoleculeReading.of(stereo=True)
    assert common_reading(graphs) == reading == MoleculeReading.from_json(reading.to_json())
    again = pickle.loads(pickle.dumps(graphs))
    assert again == graphs
    assert common_reading(again) == reading
    assert common_reading([*graphs, from_smiles("C")]) is None
    assert common_reading([*graphs, graphs[0].induced([0])]) is None


def test_readings_have_in_common_what_is_the_same():
    first = replace(MoleculeReading.of(["charge", "element"]), smiles="SMILES", target="logP")
    second = replace(MoleculeReading.of(["element", "charge"]), smiles="SMILES", target="logD")
    assert first.joined(second) == replace(first, target=None)
    assert first.joined(replace(second, explicit_hydrogens=True)) is None


@pytest.mark.usefixtures("rdkit_reasons")
def test_threads_are_silent_and_lose_no_reason(capfd):
    bad = ["C1CC", "C(C)(C)(C)(C)C", "c1cccc1"] * 30

    def reason(smiles):
        with pytest.raises(GraphError) as caught:
            from_smiles(smiles)
        return str(caught.value)

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(reason, bad))
    assert told == [told[0], told[1], told[2]] * 30
    assert "unclosed ring" in told[0]
    assert "Explicit valence" in told[1]
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("rdkit_reasons")
def test_messages_are_caught_in_one_thread_at_a_time(capfd):
    """RDKit has one log for all threads: whoever left first would let it speak for the others."""
    entered = Event()

    def other():
        with quiet():
            entered.set()

    thread = Thread(target=other)
    with quiet() as said:
        thread.start()
        assert not entered.wait(0.2)
        Chem.MolFromSmiles("C1CC")
        assert said.reason() == "unclosed ring"
    thread.join(10)
    assert entered.is_set()
    assert capfd.readouterr() == ("", "")


def test_older_versions_of_rdkit_tell_the_chemistry_alone(monkeypatch, capfd):
    monkeypatch.delattr(rdBase, "CaptureErrorLog", raising=False)
    with pytest.raises(GraphError, match="RDKit cannot parse it"):
        from_smiles("C1CC")
    with pytest.raises(GraphError, match="Explicit valence for atom # 0 C, 5"):
        from_smiles("C(C)(C)(C)(C)C")
    assert capfd.readouterr() == ("", "")


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
