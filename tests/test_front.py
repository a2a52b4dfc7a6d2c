"""The front of the library: its names, what they cost, and what an editor knows of them."""

import importlib
import subprocess
import sys

import pytest

import nask

PACKAGES = ["nask", "nask.io", "nask.datasets", "nask.plots", "nask.lab"]
# What the names themselves need, and what only some of them do.
HEAVY = {
    "numpy", "scipy", "sklearn", "numba", "joblib", "matplotlib", "pooch", "pandas", "dask",
    "distributed", "zarr", "rich", "typer", "requests", "torch",
    "torch_geometric", "grakel", "ot", "networkx", "rdkit",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """The packages that a fresh process has loaded after some code."""
    shown = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", PACKAGES)
def test_every_name_of_the_stub_is_found_and_listed(name):
    package = importlib.import_module(name)
    assert dir(package) == package.__all__ != []
    for public in package.__all__:
        found = getattr(package, public)
        assert public == "__version__" or found.__name__ in {public, f"{name}.{public}"}
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = package.nothing


def test_rooms_are_reached_after_one_import():
    assert nask.io.read_tu.__module__ == "nask.io.readers.tu"
    assert nask.exceptions.NaskError.__module__ == "nask.exceptions"


def test_importing_the_library_loads_nothing_else():
    assert not HEAVY & loaded("import nask, nask.io, nask.datasets, nask.plots, nask.lab")


def test_a_dataset_and_its_kernel_load_what_they_need_alone():
    code = "import nask; nask.NASK().fit_transform(nask.load_dataset('MUTAG').graphs[:2])"
    optional = HEAVY - {"numpy", "scipy", "sklearn", "numba", "joblib"}
    # scikit-learn imports pandas where it finds it.
    assert not (optional - {"pandas"}) & loaded(code)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["evaluate", "--help"]])
def test_help_loads_no_library(arguments):
    code = f"""
import sys
from nask.cli.main import run
sys.argv[1:] = {arguments}
try:
    run()
except SystemExit as end:
    assert not end.code
"""
    # Messages of errors know numpy's numbers.
    assert not (HEAVY - {"numpy", "rich", "typer"}) & loaded(code)
