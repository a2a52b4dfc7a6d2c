"""Commands on files of molecules: nothing is left out without a word, and models remember."""

import csv
import io

import numpy as np
import pytest

import nask
from nask.exceptions import FormatError, ParameterError
from nask.plots.molecule import molecule_positions

RINGS = ["c1ccccc1", "Cc1ccccc1", "Oc1ccccc1", "C1CCCCC1", "c1ccncc1", "CC1CC1", "C1CCNC1"]
CHAINS = ["CCO", "CCCCCC", "CC(=O)[O-].[Na+]", "NC(N)=O", "C=CC", "CC(C)O", "CCN"]
# Two rows that are no molecules, and one without a target.
LINES = [
    "Name,SMILES,ring",
    *(f"r{k},{smiles},yes" for k, smiles in enumerate(RINGS)),
    "broken,C1CC,yes",
    *(f"c{k},{smiles},no" for k, smiles in enumerate(CHAINS)),
    "untested,CCCO,",
    "nothing,,no",
]
GRAPHS = nask.io.from_smiles([*RINGS, *CHAINS])
Y = ["yes"] * 7 + ["no"] * 7


@pytest.fixture
def mols(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.fixture
def model(invoke, mols, tmp_path):
    path = tmp_path / "m.nask"
    invoke("fit", mols, "--smiles", "SMILES", "--target", "ring", "--model", path, "--hops", 1)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.usefixtures("rdkit_reasons")
def test_a_model_is_fitted_and_every_row_left_out_is_told(invoke, mols, tmp_path):
    path = tmp_path / "m.nask"
    told = invoke("fit", mols, "--target", "ring", "--model", path, "--hops", 1)
    assert told.stderr.splitlines() == [
        "SMILES are those of the column 'SMILES', the only one of that name.",
        f"{mols}, line 9, 'C1CC': unclosed ring. Left out.",
        f"{mols}, line 18: there is no SMILES. Left out.",
        f"{mols}: 14 molecules; 2 rows could not be read; 1 row without a value in 'ring' left "
        "out.",
    ]
    assert "mols: trained a NASKClassifier on 14 graphs." in told.stdout
    expected = nask.NASKClassifier(n_hops=1).fit(GRAPHS, Y)
    smiles = ["CCO", "c1ccccc1O"]
    np.testing.assert_allclose(
        nask.load(path).decision_function(smiles), expected.decision_function(smiles)
    )


def test_predictions_stand_beside_the_rows(invoke, mols, model):
    told = invoke("predict", model, mols, "--proba")
    rows = rows_of(told.stdout)
    assert [int(row["graph"]) for row in rows] == list(range(2, 19))
    predicted = [row["prediction"] for row in rows]
    assert (predicted[7], predicted[16], rows[7]["probability_yes"]) == ("", "", "")
    assert [own for own in predicted if own] == [*nask.load(model).predict(GRAPHS), "no"]
    # Of 14 rows with a target, since one has none.
    assert told.stderr.splitlines()[-1] == "Accuracy 100.0 % (14 of 14 graphs)."


def test_a_model_remembers_its_columns_and_attributes(invoke, mols, tmp_path):
    path, other = tmp_path / "m.nask", tmp_path / "other.csv"
    options = ["--id", "Name", "--atoms", "element,charge", "--bonds", "", "--explicit-hydrogens"]
    invoke("fit", mols, "--smiles", "SMILES", "--target", "ring", *options, "--model", path)
    made = nask.load(path).molecules_
    assert (made.smiles, made.target, made.id) == ("SMILES", "ring", "Name")
    assert (made.atoms, made.bonds, made.explicit_hydrogens) == (("element", "charge"), (), True)
    other.write_text("Name,smiles,SMILES\na,not,CCO\nb,not,c1ccccc1\n")
    rows = rows_of(invoke("predict", path, other).stdout)
    assert [(row["graph"], row["prediction"]) for row in rows] == [("a", "no"), ("b", "yes")]
    # What is said counts before what is known.
    other.write_text("Name,structure\na,CCO\nb,c1ccccc1\n")
    with pytest.raises(
        FormatError, match=r"no column 'SMILES', from which the model's training .*"
    ):
        invoke("predict", path, other)
    told = invoke("predict", path, other, "--smiles", "structure", "--id", "structure")
    assert [row["graph"] for row in rows_of(told.stdout)] == ["CCO", "c1ccccc1"]


def test_a_target_can_be_left_alone(invoke, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("SMILES,ring\nCCO,1\nc1ccccc1,>2\n")
    with pytest.raises(FormatError, match="mixes numbers and text: '1' in line 2"):
        invoke("predict", model, path)
    told = invoke("predict", model, path, "--target", "")
    assert [row["prediction"] for row in rows_of(told.stdout)] == ["no", "yes"]
    assert told.stderr.splitlines() == [f"{path}: 2 molecules."]


def test_a_name_that_is_gone_is_told(invoke, mols, model, tmp_path):
    path, other = tmp_path / "m.nask", tmp_path / "other.csv"
    invoke("fit", mols, "--target", "ring", "--id", "Name", "--model", path, "--hops", 1)
    other.write_text("SMILES\nCCO\n")
    told = invoke("predict", path, other)
    assert "no column 'Name', by which the model's training molecules went" in told.stderr
    assert rows_of(told.stdout) == [{"graph": "2", "prediction": "no"}]


def test_a_tuned_model_remembers_too(invoke, mols, tmp_path, monkeypatch):
    monkeypatch.setattr("nask.tuning.grid.GRIDS", {"default": [{"n_hops": [1], "alpha": [0.1]}]})
    path = tmp_path / "m.nask"
    invoke("fit", mols, "--target", "ring", "--stereo", "--model", path, "--tune")
    trained = nask.load(path)
    assert trained.molecules_.atoms[-1] == "chirality"
    assert trained.predict(["CCO", "c1ccccc1"]).tolist() == ["no", "yes"]
    assert len(rows_of(invoke("predict", path, mols).stdout)) == 17


def test_numbers_of_an_sd_file(invoke, tmp_path):
    from rdkit import Chem
    from rdkit.Chem.Crippen import MolLogP

    path, model = tmp_path / "mols.sdf", tmp_path / "m.nask"
    writer = Chem.SDWriter(str(path))
    values = []
    for smiles in [*RINGS, *CHAINS]:
        molecule = Chem.MolFromSmiles(smiles)
        values.append(round(MolLogP(molecule), 3))
        molecule.SetProp("logP", str(values[-1]))
        writer.write(molecule)
    writer.close()
    told = invoke("fit", path, "--target", "logP", "--model", model, "--hops", 1)
    assert "regress, because y holds numbers that are not whole" in told.stdout
    told = invoke("predict", model, path)
    expected = nask.NASKRegressor(n_hops=1).fit(GRAPHS, values)
    predicted = [float(row["prediction"]) for row in rows_of(told.stdout)]
    np.testing.assert_allclose(predicted, expected.predict(GRAPHS))
    assert told.stderr.splitlines()[-1].startswith("R2 0.")
    # A list of SMILES has no columns to remember.
    (tmp_path / "new.smi").write_text("CCO ethanol\n")
    told = invoke("predict", model, tmp_path / "new.smi", "--id", "name")
    assert rows_of(told.stdout)[0]["graph"] == "ethanol"


def test_an_evaluation(invoke, mols, tmp_path):
    told = invoke(
        "evaluate", mols, "--target", "ring", "--method", "majority", "--folds", 2, "--repeats", 1,
        "--no-pictures", "--out", tmp_path / "results", "--json", "--n-jobs", 1,
    )  # fmt: skip
    assert '"dataset": "mols"' in told.stdout
    assert "2 rows could not be read" in told.stderr


def test_an_explanation_is_drawn_as_chemists_do(invoke, mols, model, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "nask.plots.explanation_figure.draw_graph",
        lambda ax, graph, points, *rest: drawn.append(points),
    )
    told = invoke(
        "explain", model, mols, "--id", "Name", "--graph", "r1,c3", "--out", tmp_path / "why"
    )
    assert "Explained 2 graphs of mols" in told.stdout
    assert (tmp_path / "why" / "r1.png").exists()
    for points, smiles in zip(drawn, [RINGS[1], CHAINS[3]], strict=True):
        np.testing.assert_allclose(points, molecule_positions(smiles), atol=1e-6)


def test_molecules_of_one_name_are_all_explained(invoke, model, tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("SMILES,id\nCCO,a\nc1ccccc1,b\nCCN,a\n")
    out = tmp_path / "why"
    invoke("explain", model, path, "--id", "id", "--graph", "a", "--out", out, "--no-plots")
    rows = rows_of((out / "explanations.csv").read_text())
    assert [row["node"] for row in rows] == ["0", "1", "2"] * 2


def test_grams_and_features(invoke, mols, tmp_path):
    invoke("gram", mols, "--out", tmp_path / "g.npy", "--hops", 1)
    expected = nask.NASK(n_hops=1).fit_transform([*GRAPHS, nask.io.from_smiles("CCCO")])
    np.testing.assert_allclose(np.load(tmp_path / "g.npy"), expected)
    invoke("features", mols, "--out", tmp_path / "f.npy", "--components", 64, "--hops", 1)
    assert np.load(tmp_path / "f.npy").shape == (15, 64)


@pytest.mark.usefixtures("rdkit_reasons")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            [],
            ParameterError,
            r"Which column of .* is to be learned.*--target NAME.*'SMILES', 'ring'",
        ),
        (["--target", "rings"], FormatError, "no column 'rings'.*Did you mean 'ring'"),
        (["--target", "ring", "--smiles", "smile"], FormatError, "no column 'smile'"),
        (["--target", "ring", "--atoms", "colour"], ParameterError, "'atoms' names 'colour'"),
        (["--target", "ring", "--bad-rows", "error"], FormatError, "line 9, 'C1CC': unclosed ring"),
        (
            ["--target", "ring", "--categorical", "a"],
            ParameterError,
            "--categorical is for folders",
        ),
    ],
)
def test_errors(invoke, mols, tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        invoke("fit", mols, *options, "--model", tmp_path / "m.nask")
    assert not (tmp_path / "m.nask").exists()


def test_options_of_molecules_are_for_molecules(invoke, tiny, tmp_path):
    with pytest.raises(ParameterError, match=r"--smiles and --id are for .* Leave them out"):
        invoke("gram", tiny(), "--smiles", "s", "--id", "i", "--out", tmp_path / "g.npy")
    with pytest.raises(FormatError, match=r"There is no file no.sdf"):
        invoke("gram", "no.sdf", "--out", tmp_path / "g.npy")


def test_many_bad_rows_are_counted(invoke, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("smiles\nCCO\n" + "C1CC\n" * 60)
    told = invoke("gram", path, "--out", tmp_path / "g.npy").stderr.splitlines()
    assert len(told) == 1 + 50 + 2
    assert told[-2:] == [
        f"{path}: 10 more rows like these.",
        f"{path}: 1 molecule; 60 rows could not be read.",
    ]
