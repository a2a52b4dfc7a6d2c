"""What atoms and bonds of a molecule have: attributes by name, and how RDKit tells their values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nask.exceptions import GraphError, ParameterError, did_you_mean
from nask.graph.attribute import Attribute, Kind
from nask.io.converters.rdkit_log import quiet
from nask.messages import quoted
from nask.optional import require

# One per atom, or per bond; None where a value is missing.
Values = Sequence[Any]
Labels = list[str | None]
NO_STEREO = "none"
MANY_ATOMS = 2000


class Parts:
    """The atoms and the bonds of an RDKit molecule, and what is learned of all of them at once.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        Sanitised.
    """

    def __init__(self, mol: Any) -> None:
        self.mol = mol
        # The iterators of RDKit ask for the number of atoms at every step.
        self.atoms: list[Any] = [mol.GetAtomWithIdx(k) for k in range(mol.GetNumAtoms())]
        self.bonds: list[Any] = _bonds(mol, self.atoms)

    @cached_property
    def labels(self) -> tuple[Labels, Labels]:
        """CIP labels of atoms and of bonds: "none" without stereo, missing where it is not given.

        Examples
        --------
        >>> from rdkit import Chem
        >>> Parts(Chem.MolFromSmiles("C[C@H](N)C(O)=O")).labels[0]
        ['none', 'S', 'none', 'none', 'none', 'none']
        >>> Parts(Chem.MolFromSmiles("FC=CF")).labels[1]
        ['none', None, 'none']
        """
        chem = require("rdkit.Chem", "molecules")
        own = chem.Mol(self.mol)  # labels are kept in the molecule
        labeler = require("rdkit.Chem.rdCIPLabeler", "molecules")
        with quiet():
            try:
                labeler.AssignCIPLabels(own)
            except RuntimeError as error:
                raise GraphError(f"RDKit cannot assign CIP labels: {str(error).strip()}.") from None
            potential = chem.FindPotentialStereo(own)
        atoms: Labels = [NO_STEREO] * len(self.atoms)
        bonds: Labels = [NO_STEREO] * len(self.bonds)
        for found in potential:
            is_bond, place = found.type.name.startswith("Bond"), found.centeredOn
            element = own.GetBondWithIdx(place) if is_bond else own.GetAtomWithIdx(place)
            label = element.GetProp("_CIPCode") if element.HasProp("_CIPCode") else None
            (bonds if is_bond else atoms)[place] = label
        return atoms, bonds

    def hybridisations(self) -> Values:
        """By name, such as "SP2"; missing at a wildcard atom."""
        # Chem.AddHs leaves its hydrogens without the "S" that sanitising gives to a hydrogen.
        unknown = {1: "S"}
        names = [atom.GetHybridization().name for atom in self.atoms]
        return [
            unknown.get(atom.GetAtomicNum()) if name == "UNSPECIFIED" else name
            for name, atom in zip(names, self.atoms, strict=True)
        ]

    def ring_sizes(self) -> Values:
        """Of the smallest ring of each atom; 0 of an atom in no ring."""
        smallest = self.mol.GetRingInfo().MinAtomRingSize
        return [smallest(place) for place in range(len(self.atoms))]


def _bonds(mol: Any, atoms: Sequence[Any]) -> list[Any]:
    """The bonds of a molecule, by number."""
    if len(atoms) < MANY_ATOMS:
        return [mol.GetBondWithIdx(k) for k in range(mol.GetNumBonds())]
    # RDKit counts from the first to find a bond by its number: 14 s for 100,000 of them.
    bonds: list[Any] = [None] * mol.GetNumBonds()
    for atom in atoms:
        for bond in atom.GetBonds():
            bonds[bond.GetIdx()] = bond
    return bonds


class Sort(NamedTuple):
    """An attribute of atoms, or of bonds: its kind, and its values in a molecule."""

    kind: Kind
    values: Callable[[Parts], Values]


# In the order of the table in docs/molecules.md.
ATOM_SORTS: Mapping[str, Sort] = {
    "element": Sort("categorical", lambda own: [a.GetSymbol() for a in own.atoms]),
    "charge": Sort("numerical", lambda own: [a.GetFormalCharge() for a in own.atoms]),
    # Those that are atoms of the molecule count too.
    "hydrogens": Sort("numerical", lambda own: [a.GetTotalNumHs(True) for a in own.atoms]),
    "in_ring": Sort("categorical", lambda own: [a.IsInRing() for a in own.atoms]),
    "ring_size": Sort("categorical", Parts.ring_sizes),
    "aromatic": Sort("categorical", lambda own: [a.GetIsAromatic() for a in own.atoms]),
    "hybridisation": Sort("categorical", Parts.hybridisations),
    "isotope": Sort("categorical", lambda own: [a.GetIsotope() for a in own.atoms]),
    "chirality": Sort("categorical", lambda own: own.labels[0]),
}
BOND_SORTS: Mapping[str, Sort] = {
    "bond_type": Sort("categorical", lambda own: [b.GetBondType().name for b in own.bonds]),
    "conjugated": Sort("categorical", lambda own: [b.GetIsConjugated() for b in own.bonds]),
    "in_ring": Sort("categorical", lambda own: [b.IsInRing() for b in own.bonds]),
    "stereo": Sort("categorical", lambda own: own.labels[1]),
}
# What molecules have if nothing else is asked for; docs/molecules.md says why.
ATOMS = ("element", "charge", "hydrogens", "in_ring")
BONDS = ("bond_type",)
STEREO_ATOM, STEREO_BOND = "chirality", "stereo"


def checked_names(names: Any, known: Collection[str], option: str) -> tuple[str, ...]:
    """Return names of attributes, each once; raise on one that is none.

    Examples
    --------
    >>> checked_names(["element", "charge", "element"], ATOM_SORTS, "atoms")
    ('element', 'charge')
    >>> checked_names(["elment"], ATOM_SORTS, "atoms")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 'atoms' names 'elment', which is no attribute that nask knows.
    Did you mean 'element'?
    """
    listed = [names] if isinstance(names, str) else names
    sized = isinstance(listed, Collection)
    if not sized or not all(isinstance(name, str) for name in listed):
        raise ParameterError(
            f"{option!r} must be a collection of names among {', '.join(map(repr, known))}. Got "
            f"{quoted(names)}."
        )
    for name in listed:
        if name not in known:
            raise ParameterError(
                f"{option!r} names {quoted(name)}, which is no attribute that nask knows. "
                f"{did_you_mean(name, known)}"
            )
    return tuple(dict.fromkeys(listed))


def columns_of(
    parts: Parts, names: Sequence[str], sorts: Mapping[str, Sort]
) -> dict[str, Attribute]:
    """Return these attributes of all atoms, or all bonds, of a molecule."""
    return {name: _column(sorts[name].kind, sorts[name].values(parts)) for name in names}


def _column(kind: Kind, values: Values) -> Attribute:
    """The attribute of values known to fit it: to check them would take most of the time."""
    if kind == "numerical":
        return Attribute(kind, np.array(values, dtype=np.float64))
    index: dict[Any, int] = {None: -1}
    codes = [index.setdefault(value, len(index) - 1) for value in values]
    return Attribute(kind, np.array(codes, dtype=np.int32), tuple(index)[1:])
