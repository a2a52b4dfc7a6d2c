"""Files of molecules as people have them: every row is read, or told with its line."""

import gzip
import pickle
import sys

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdDepictor

import nask
from nask.exceptions import FormatError, MissingDependencyError, ParameterError
from nask.io import from_smiles, read_molecules
from nask.io.converters.molecule_attributes import ATOM_SORTS, BOND_SORTS
from nask.io.molecule_dataset import MoleculeDataset, SkippedRow

# As a spreadsheet saves it: a mark at the start, ends of lines of Windows, quotes and commas in
# cells, lines that are blank, columns that are not of interest, without a name or with the same.
LAB = "\r\n".join(
    [
        '\ufeffCompound ID,Canonical SMILES ,"Note, if any",Active (y/n),logP,,x,x',
        'aspirin,CC(=O)Oc1ccccc1C(=O)O,"batch ""1"", dry",yes,1.31,,,',
        "salt,CC(=O)[O-].[Na+],,no,-4.2,,,",
        'broken,"C1CC",,no,1.0,,,',
        "",
        ",,,,,,,",
        'alanine,C[C@H](N)C(O)=O,"two',
        'lines",no,-0.58,,,',
        "untested, CCO ,,,,,,",
        "valence,C(C)(C)(C)(C)C,,NA,0.1,,,",
        "no structure,,,yes,2.0,,,",
        "short,CCC,",
        "caffeine,Cn1cnc2c1c(=O)n(C)c(=O)n2C,,yes,-1.03,,,",
        "",
    ]
)
COLUMNS = {"smiles": "Canonical SMILES", "target": "Active (y/n)", "id": "Compound ID"}


@pytest.fixture
def lab(tmp_path):
    path = tmp_path / "lab.csv"
    path.write_bytes(LAB.encode())
    return path


@pytest.fixture
def write(tmp_path):
    def write(text, name="mols.csv"):
        path = tmp_path / name
        path.write_text(text, newline="")
        return path

    return write


@pytest.mark.usefixtures("rdkit_reasons")
def test_a_table_of_a_laboratory(lab):
    data = read_molecules(lab, **COLUMNS)
    smiles = [
        "CC(=O)Oc1ccccc1C(=O)O",
        "CC(=O)[O-].[Na+]",
        "CC(N)C(O)=O",
        "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    ]
    assert list(data.graphs) == from_smiles(smiles)
    assert data.name == "lab"
    assert data.ids == ("aspirin", "salt", "alanine", "caffeine")
    assert data.lines == (2, 3, 7, 13)
    assert data.y.tolist() == ["yes", "no", "no", "yes"]
    assert data.n_unlabelled == 2
    assert list(map(str, data.skipped)) == [
        "line 4, 'C1CC': unclosed ring",
        "line 11: there is no SMILES",
        "line 12, 'CCC': it has 3 values, and the header 8 columns (a value with a comma in it has "
        "to be in quotes)",
    ]
    assert data.notes[0].startswith("3 of 9 rows could not be read: line 4, 'C1CC': unclosed ring;")
    assert data.notes[1] == "2 of 9 rows have no value in 'Active (y/n)' and were left out."


def test_rows_without_a_target_are_kept_to_be_predicted(lab):
    data = read_molecules(lab, **COLUMNS, unlabelled="keep")
    assert data.y.tolist() == ["yes", "no", "no", None, "yes"]
    assert [row.line for row in data.skipped] == [4, 10, 11, 12]
    numbers = read_molecules(lab, **{**COLUMNS, "target": "logP"}, unlabelled="keep")
    np.testing.assert_array_equal(numbers.y, [1.31, -4.2, -0.58, np.nan, -1.03])
    assert numbers.learning_task()[0] == "regress"


def test_every_row_has_its_place(lab):
    data = read_molecules(lab, smiles="Canonical SMILES")
    assert data.ids == ("2", "3", "7", "9", "13")
    rows = list(data.by_row(["a", "b", "c", "d", "e"]))
    assert [name for name, _ in rows] == ["2", "3", "4", "7", "9", "10", "11", "12", "13"]
    assert "".join(value or "-" for _, value in rows) == "ab-cd---e"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_ends_of_lines(write, delimiter, end):
    lines = [["id", "SMILES", "y"], ["a", "CCO", "1"], ["b", "C=C", "0"]]
    text = end + end.join(delimiter.join(line) for line in lines)
    data = read_molecules(write(text), target="y", id="id")
    assert list(data.graphs) == from_smiles(["CCO", "C=C"])
    assert (data.ids, data.y.tolist()) == (("a", "b"), [1, 0])
    assert data.notes == ("SMILES are those of the column 'SMILES', the only one of that name.",)


def test_compressed_files(lab, tmp_path):
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(lab.read_bytes()))
    data, same = read_molecules(packed, **COLUMNS), read_molecules(lab, **COLUMNS)
    assert data.name == "packed"
    assert (data.graphs, data.skipped) == (same.graphs, same.skipped)
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(FormatError, match=r"packed.csv.gz cannot be read: .*end"):
        read_molecules(packed, **COLUMNS)


@pytest.mark.usefixtures("rdkit_reasons")
def test_a_list_of_smiles(write):
    path = write("CCO ethanol\nc1ccccc1\tbenzene ring\n\nC1CC bad\nC\n", "mols.smi")
    data = read_molecules(path, id="name")
    assert data.ids == ("ethanol", "benzene ring", "line 5")
    assert [str(row) for row in data.skipped] == ["line 4, 'C1CC': unclosed ring"]


@pytest.mark.usefixtures("rdkit_reasons")
@pytest.mark.parametrize("option", ["skip", "error"])
def test_bad_rows(lab, option, capfd):
    if option == "skip":
        assert len(read_molecules(lab, **COLUMNS, bad_rows=option).skipped) == 3
    else:
        with pytest.raises(FormatError, match=r"lab.csv, line 4, 'C1CC': unclosed ring. Correct"):
            read_molecules(lab, **COLUMNS, bad_rows=option)
    assert capfd.readouterr() == ("", "")


TABLE = "name,SMILES,pIC50\naspirin,CCO,5.5\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (TABLE, {"target": "pic50"}, "no column 'pic50' .target.. Did you mean 'pIC50'.* 'name'"),
        (TABLE, {"smiles": "structure"}, "no column 'structure' .smiles.*It has: 'name', 'SMILES'"),
        (TABLE, {"smiles": "name"}, r"first line 2, 'aspirin': syntax.*column 'name' hold SMILES"),
        ("a,b\n1,2\n", {}, r"no column called 'smiles'. Name .*--smiles NAME.*It has: 'a', 'b'"),
        ("smiles,SMILES\nC,C\n", {}, "has 2 columns called 'smiles'"),
        ("Smiles,y\nC,1\n", {"target": "Smiles"}, r"is the target, too: .*It has: 'Smiles', 'y'"),
        ("smiles,y,y\nC,1,2\n", {"target": "y"}, "2 columns 'y' .target.. Rename one"),
        ("smiles,y\nC,\nCC,NA\n", {"target": "y"}, "No row of .* has a value in 'y'"),
        ("smiles\n", {}, "holds no molecules: it has no rows"),
        ("", {}, "is empty: expected a first line"),
        ("smiles,y\nC,1\nCC,>10\n", {"target": "y"}, "mixes numbers and text: '1' in line 2"),
        ("smiles;y\nC;1,5\nCC;2\n", {"target": "y"}, "'1,5' in line 2, with a decimal comma"),
        ('smiles,y\nC,1\n"CC,2\nCCC,3\n', {"target": "y"}, "is no CSV from line 3 on: .*quote"),
    ],
)
def test_files_that_are_none(write, text, options, message):
    with pytest.raises(FormatError, match=message):
        read_molecules(write(text), **options)


@pytest.mark.parametrize("name", ["bad_rows", "unlabelled"])
def test_words_that_are_none(lab, name):
    with pytest.raises(ParameterError, match=f"The '{name}' parameter of read_molecules must be"):
        read_molecules(lab, **COLUMNS, **{name: "ignore"})


def test_places_that_are_no_text(tmp_path):
    with pytest.raises(FormatError, match=r"There is no file .*no.csv: expected a CSV or SD file"):
        read_molecules(tmp_path / "no.csv")
    with pytest.raises(FormatError, match="is a folder: expected a CSV or SD file"):
        read_molecules(tmp_path)
    (tmp_path / "utf16.csv").write_text("smiles\nCCO\n", encoding="utf-16")
    with pytest.raises(FormatError, match=r"is not text in UTF-8.*Save it as CSV UTF-8"):
        read_molecules(tmp_path / "utf16.csv")
    (tmp_path / "mols.csv").write_text("smiles\nCCO\n")
    with pytest.raises(FormatError, match=r"is read by nask.read_molecules"):
        nask.load_dataset(tmp_path / "mols.csv")


def test_a_missing_package_is_named(lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'nask\[molecules\]'"):
        read_molecules(lab, **COLUMNS)


def test_progress_is_told(lab):
    steps = []
    read_molecules(lab, **COLUMNS, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(k, 9) for k in range(1, 10)]


def test_what_is_read_comes_back_from_a_pickle(lab):
    data = read_molecules(lab, **COLUMNS)
    same = pickle.loads(pickle.dumps(data))
    assert same.graphs == data.graphs
    assert (same.skipped, same.reading, same.lines) == (data.skipped, data.reading, data.lines)
    assert data.reading.smiles == "Canonical SMILES"
    with pytest.raises(ParameterError, match=r"one line per molecule \(4\). Got 1"):
        MoleculeDataset("lab", data.graphs, lines=(1,))


MOLECULES = ["CC(=O)Oc1ccccc1C(=O)O", "C[C@H](N)C(O)=O", "F/C=C/F", "CC(=O)[O-].[Na+]"]


def record(smiles, title, **properties):
    molecule = Chem.MolFromSmiles(smiles)
    rdDepictor.Compute2DCoords(molecule)
    molecule.SetProp("_Name", title)
    told = [f">  <{name}>\n{value}\n\n" for name, value in properties.items()]
    return "".join([Chem.MolToMolBlock(molecule), *told])


RECORDS = [
    record(smiles, f"mol {k}", logP=k + 0.5, source="made\nby hand")
    for k, smiles in enumerate(MOLECULES)
]
NO_STRUCTURE = "none\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n>  <logP>\n9\n\n"
GARBAGE = "garbage\n\nfoo\n>  <logP>\n9\n\n"
# A carbon of the chain gets two more bonds than it has.
FIVE_BONDS = record("CC(C)(C)C", "five", logP="9").replace("  1  2  1", "  1  2  2", 1)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["$$$$\n", ""])
def test_records_of_an_sd_file(write, end, last):
    text = "$$$$\n".join([RECORDS[0], NO_STRUCTURE, *RECORDS[1:3], GARBAGE, FIVE_BONDS, RECORDS[3]])
    path = write((text + last).replace("\n", end), "mols.sdf")
    data = read_molecules(path, target="logP", id="_Name", atoms=ATOM_SORTS, bonds=BOND_SORTS)
    expected = from_smiles(MOLECULES, atoms=ATOM_SORTS, bonds=BOND_SORTS)
    assert list(data.graphs) == expected
    assert data.y.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert data.ids == ("mol 0", "mol 1", "mol 2", "mol 3")
    begins = [1 + text[: text.index(own)].count("\n") for own in RECORDS]
    assert data.lines == tuple(begins)
    (empty, garbage, five) = data.skipped
    assert (empty.id, empty.reason) == ("none", "it has no atoms")
    assert (garbage.id, garbage.reason) == ("garbage", "its structure has no line 'M  END'")
    assert five.reason == "Explicit valence for atom # 1 C, 5, is greater than permitted"
    assert garbage.line == 1 + text[: text.index(GARBAGE)].count("\n")


def test_an_sd_file_without_that_property(write):
    path = write(RECORDS[0], "mols.SDF")
    with pytest.raises(
        FormatError, match=r"no property 'logp' .target.. Did you mean 'logP'.*'sou"
    ):
        read_molecules(path, target="logp")
    with pytest.raises(
        ParameterError, match=r"is an SD file, whose records are molecules.*--smiles"
    ):
        read_molecules(path, smiles="smiles")
    with pytest.raises(
        FormatError, match=r"No molecule of .*: 1 rows are bad, first line 1, 'none'"
    ):
        read_molecules(write(NO_STRUCTURE, "none.sd"))


def test_records_of_version_3000(write):
    molecule = Chem.MolFromSmiles(MOLECULES[1])
    rdDepictor.Compute2DCoords(molecule)
    path = write(Chem.MolToV3KMolBlock(molecule) + "$$$$\n", "mols.sdf")
    assert list(read_molecules(path, stereo=True).graphs) == [
        from_smiles(MOLECULES[1], stereo=True)
    ]


def test_a_row_that_was_left_out_is_one_line():
    assert str(SkippedRow(3, "a", "", "there is no SMILES")) == "line 3: there is no SMILES"
