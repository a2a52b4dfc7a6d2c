"""How a command reads the dataset that the user names: its options, and the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Annotated, Any

import typer

import nask
from nask.choices import Unlabelled
from nask.cli.collected_options import with_collected
from nask.cli.models import kinds_of, target_of
from nask.cli.molecule_options import MoleculeOptions, listed_names, molecule_options
from nask.exceptions import ParameterError
from nask.graph.attribute import Kind


@dataclass(frozen=True)
class ReadingOptions:
    """What the user says of how to read data, and what a model knows.

    Parameters
    ----------
    categorical : str
        Columns whose numbers are codes, separated by commas.
    target : str, optional
        The column to predict.
    repeated_edges : str
        A rule for edges that are listed with different values, or one per column.
    molecules : MoleculeOptions
        For a file of molecules.
    kinds : mapping of str to Kind, optional
        Of the attributes that a model knows.
    """

    categorical: str = ""
    target: str | None = None
    repeated_edges: str = "error"
    molecules: MoleculeOptions = field(default_factory=MoleculeOptions)
    kinds: Mapping[str, Kind] | None = None

    def as_by(self, trained: Any, dataset: str) -> ReadingOptions:
        """The options for data that a model is applied to: what the user does not say, it knows."""
        known = getattr(trained, "molecules_", None)
        return replace(
            self,
            target=target_of(trained, dataset) if self.target is None else self.target,
            kinds=kinds_of(trained),
            molecules=replace(self.molecules, known=known),
        )

    def load(
        self, dataset: str, unlabelled: Unlabelled = "keep"
    ) -> nask.Dataset | nask.NodeDataset:
        """Load a dataset of many graphs, or a network whose nodes have classes.

        ``unlabelled`` is what to do with molecules that have no target.

        Examples
        --------
        >>> ReadingOptions().load("MUTAG").name
        'MUTAG'
        """
        names, rules = listed_names(self.categorical), rules_of(self.repeated_edges)
        if self.molecules.are_for(dataset):
            if names or rules != "error":
                raise ParameterError(
                    f"{'--categorical' if names else '--repeated-edges'} is for folders of CSV "
                    f"files: {dataset} is a file of molecules, whose attributes and bonds are "
                    "known. Leave it out."
                )
            return replace(self.molecules, target=self.target).read(dataset, unlabelled)
        return nask.load_dataset(
            dataset,
            y=self.target or "y",
            categorical=names,
            repeated_edges=rules,
            kinds=self.kinds,
        )

    def load_graphs(self, dataset: str) -> nask.Dataset:
        """Load a dataset of many graphs.

        Examples
        --------
        >>> ReadingOptions().load_graphs("MUTAG").name
        'MUTAG'
        """
        data = self.load(dataset)
        if not isinstance(data, nask.Dataset):
            raise ParameterError(
                f"{dataset} is one network with a class for each node; this command takes a "
                "dataset of many graphs. nask datasets list shows which sets those are; in a "
                "folder of your own, nodes.csv has a column graph."
            )
        return data


def rules_of(text: str) -> Any:
    """Return the rule, or rules by column, for repeated edges; those that are none raise later.

    Examples
    --------
    >>> rules_of("mean"), rules_of("amount=mean, kind=first")
    ('mean', {'amount': 'mean', 'kind': 'first'})
    """
    if "=" not in text:
        return text.strip()
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return {name.strip(): rule.strip() for name, _, rule in pairs}


def reading_options(
    categorical: Annotated[
        str,
        typer.Option(
            metavar="NAME,...", help="Columns of a folder of CSV files whose numbers are codes."
        ),
    ] = "",
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column to predict, which is no attribute: of a file of molecules (or a property "
            "of an SD file), or in a folder of CSV files, of graphs.csv or of the nodes.csv of a "
            "network.",
            show_default="y in a folder; that of a model",
        ),
    ] = None,
    repeated_edges: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="In data of your own, where an edge is listed with different values: error, "
            "first, mean or max; or a rule for each column: NAME=mean,NAME=first.",
        ),
    ] = "error",
    **molecules: Any,
) -> ReadingOptions:
    """Collect the options.

    Examples
    --------
    >>> reading_options(target="activity", smiles="SMILES").molecules.given
    ['--smiles']
    """
    return ReadingOptions(categorical, target, repeated_edges, molecule_options(**molecules))


def with_reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as one argument, ``reading``."""
    own, of_molecules = (signature(f, eval_str=True) for f in (reading_options, molecule_options))
    named = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = {p.name: p for p in (*named, *of_molecules.parameters.values())}
    return with_collected(command, options, reading_options, "reading")
