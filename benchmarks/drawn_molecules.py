"""Molecules drawn from fragments, with what RDKit computes of them: numbers to predict."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import QED, rdMolDescriptors

CORES = (
    "c1c({0})ccc({1})c1",
    "c1c({0})cc({1})cc1",
    "c1c({0})c({1})ncc1",
    "c1c({0})sc({1})c1",
    "c1c({0})oc({1})c1",
    "C1C({0})CC({1})CC1",
    "C1C({0})CN({1})CC1",
    "c1c({0})c2ccc({1})cc2cc1",
    "c1c({0})c2cc({1})[nH]c2cc1",
    "C({0})CCC({1})",
    "C({0})C(=O)C({1})C",
    "C({0})NC(=O)C({1})",
    "C({0})OCC({1})C",
    "N1C({0})C(=O)N({1})C1",
)
PARTS = (
    "C", "CC", "C(C)C", "C(C)(C)C", "CCCC", "O", "OC", "OCC", "N", "NC", "N(C)C", "F", "Cl", "Br",
    "C#N", "C(F)(F)F", "C(=O)O", "C(=O)OC", "C(=O)N", "C(=O)C", "NC(=O)C", "S(=O)(=O)N", "SC",
    "[N+](=O)[O-]", "c9ccccc9", "Cc9ccccc9", "c9ccncc9", "C9CCCCC9", "N9CCOCC9", "CCO", "COC", "CN",
)  # fmt: skip
TARGETS: dict[str, Callable[[Any], float]] = {
    "logP": lambda mol: rdMolDescriptors.CalcCrippenDescriptors(mol)[0],
    "polar surface": rdMolDescriptors.CalcTPSA,
    "molar refractivity": lambda mol: rdMolDescriptors.CalcCrippenDescriptors(mol)[1],
    "drug-likeness": QED.qed,
}


def molecules(n: int, seed: int) -> tuple[list[str], dict[str, npt.NDArray[np.float64]]]:
    """SMILES of different molecules, and each target of all of them."""
    draw, found = random.Random(seed), dict[str, None]()
    while len(found) < n:
        core = draw.choice(CORES)
        # A part may have a part of its own, so that sizes differ.
        mol = Chem.MolFromSmiles(core.format(_part(draw), _part(draw)))
        found[Chem.MolToSmiles(mol)] = None
    mols = [Chem.MolFromSmiles(smiles) for smiles in found]
    values = {name: np.array([of(mol) for mol in mols]) for name, of in TARGETS.items()}
    return list(found), values


def _part(draw: random.Random) -> str:
    part = draw.choice(PARTS)
    return f"C{draw.choice(PARTS)}" if draw.random() < 0.2 else part
