"""How molecules become graphs: kept with each graph, and so with models that learn from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from nask.arrays import Index
from nask.exceptions import ParameterError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.io.converters.molecule_attributes import (
    ATOM_SORTS,
    ATOMS,
    BOND_SORTS,
    BONDS,
    STEREO_ATOM,
    STEREO_BOND,
    checked_names,
)
from nask.messages import quoted

COLUMNS = ("smiles", "target", "id")


@dataclass(frozen=True)
class MoleculeReading:
    """How molecules are read: what atoms and bonds have, and from which columns of a file.

    Parameters
    ----------
    atoms, bonds : tuple of str
        Names of attributes.
    explicit_hydrogens : bool
        Whether every hydrogen is a node.
    smiles, target, id : str, optional
        Names of columns, where the molecules are from a file.

    Examples
    --------
    >>> MoleculeReading.of(atoms=["element"], stereo=True)
    MoleculeReading(atoms=('element', 'chirality'), bonds=('bond_type', 'stereo'),
    explicit_hydrogens=False, smiles=None, target=None, id=None)
    """

    atoms: tuple[str, ...] = ATOMS
    bonds: tuple[str, ...] = BONDS
    explicit_hydrogens: bool = False
    smiles: str | None = None
    target: str | None = None
    id: str | None = None

    @classmethod
    def of(
        cls,
        atoms: Collection[str] = ATOMS,
        bonds: Collection[str] = BONDS,
        stereo: bool = False,
        explicit_hydrogens: bool = False,
    ) -> Self:
        """Check what a user asks for."""
        for name, value in (("stereo", stereo), ("explicit_hydrogens", explicit_hydrogens)):
            if not isinstance(value, bool):
                raise ParameterError(f"{name!r} must be True or False. Got {quoted(value)}.")
        return cls(
            checked_names([*_listed(atoms), *[STEREO_ATOM] * stereo], ATOM_SORTS, "atoms"),
            checked_names([*_listed(bonds), *[STEREO_BOND] * stereo], BOND_SORTS, "bonds"),
            explicit_hydrogens,
        )

    def joined(self, other: MoleculeReading | None) -> MoleculeReading | None:
        """What both ways have in common; None if they give molecules other attributes."""
        if other is None or other is self:
            return other
        if _made_of(self) != _made_of(other):
            return None
        differing = [name for name in COLUMNS if getattr(self, name) != getattr(other, name)]
        unnamed: dict[str, Any] = dict.fromkeys(differing)
        return replace(self, **unnamed)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**asdict(self), "atoms": list(self.atoms), "bonds": list(self.bonds)}

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """Read what :meth:`to_json` returned; raise ParameterError on anything else.

        Examples
        --------
        >>> reading = MoleculeReading(smiles="SMILES")
        >>> MoleculeReading.from_json(reading.to_json()) == reading
        True
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(content, Mapping) or set(content) != names:
            raise ParameterError(
                f"Molecules were read in a way that has {', '.join(sorted(names))}. Got "
                f"{quoted(content)}."
            )
        for name in COLUMNS:
            if not isinstance(content[name], str | None):
                raise ParameterError(
                    f"The column of {name} must be text. Got {quoted(content[name])}."
                )
        own = {name: content[name] for name in ("atoms", "bonds", "explicit_hydrogens")}
        return replace(cls.of(**own), **{name: content[name] for name in COLUMNS})


class MoleculeGraph(AttributedGraph):
    """The graph of a molecule, which knows how the molecule was read.

    Attributes
    ----------
    reading : MoleculeReading
    """

    __slots__ = ("reading",)

    reading: MoleculeReading

    @classmethod
    def of_molecule(
        cls,
        reading: MoleculeReading,
        n_atoms: int,
        edges: Index,
        atoms: Mapping[str, Attribute],
        bonds: Mapping[str, Attribute],
    ) -> MoleculeGraph:
        """Build it from valid values, as :meth:`AttributedGraph.from_valid` does."""
        graph = cls.from_valid(n_atoms, edges, atoms, bonds)
        object.__setattr__(graph, "reading", reading)
        return graph  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        attributes = dict(self.node_attributes), dict(self.edge_attributes)
        return MoleculeGraph.of_molecule, (self.reading, self.n_nodes, self.edges, *attributes)


def common_reading(graphs: Iterable[AttributedGraph]) -> MoleculeReading | None:
    """How all graphs were read; None if one of them is no molecule, or two have other attributes.

    A column is named where it is the same for all.

    Examples
    --------
    >>> from nask.io.converters.molecules import from_smiles
    >>> common_reading([from_smiles("C"), from_smiles("CC")]) == MoleculeReading()
    True
    >>> common_reading([from_smiles("C"), AttributedGraph(1)]) is None
    True
    """
    common: MoleculeReading | None = None
    for graph in graphs:
        own = graph.reading if isinstance(graph, MoleculeGraph) else None
        common = own if common is None else common.joined(own)
        if common is None:
            return None
    return common


def _made_of(reading: MoleculeReading) -> tuple[Any, ...]:
    # The order of names makes no difference to a kernel.
    return frozenset(reading.atoms), frozenset(reading.bonds), reading.explicit_hydrogens


def _listed(names: Any) -> list[Any]:
    """Names in a list; what is no collection stays as it is, to be refused."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    return list(names)
