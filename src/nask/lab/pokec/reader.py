"""Reader of the Pokec social network as SNAP publishes it, from a folder or a zip."""

from __future__ import annotations

import os

import numpy as np

from nask.arrays import Index
from nask.datasets.pokec_files import PROFILES, RELATIONS, pokec_folder, with_or_without_gz
from nask.exceptions import FormatError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.node_dataset import NO_CLASS, NodeDataset
from nask.io.readers.archive import Archive, open_archive
from nask.lab.pokec.profiles import Profiles, read_profiles
from nask.lab.pokec.relations import Relations, read_relations

SPLIT_SEED = 0


def read_pokec(path: str | os.PathLike[str], *, name: str = "Pokec") -> NodeDataset:
    r"""Read the Pokec social network [1]_, whose people are to be classified by gender.

    The files are ``soc-pokec-profiles.txt`` and ``soc-pokec-relationships.txt`` of the SNAP
    collection [2]_, plain or with ``.gz``; they are read chunk by chunk. A line of the first is a
    profile: the tab-separated columns user_id, public, completion_percentage, gender, region,
    last_login, registration and age, then others. Neither last_login nor the others are read.
    ``null`` or an empty text is a missing value. A line of the second file is a relation: the ids
    of two users, separated by a tab.

    Parameters
    ----------
    path : str or path
        The folder or the zip. The files may lie in a folder inside it.
    name : str, default="Pokec"
        What the dataset is called.

    Returns
    -------
    NodeDataset
        Node k is the user with the k-th smallest id: in the published set, where ids are 1 to
        1,632,803, the user with the id k + 1. ``y`` is the gender, 0 for women, 1 for men and -1
        where it is missing. Attributes are ``age`` (numerical; an age of 0 is missing, as the
        collection says), ``region`` (categorical), ``registration`` (numerical: the date as days
        since 1970-01-01), ``public`` (categorical: 1 if friendships are shown to everybody, else
        0) and ``completion_percentage`` (numerical); there are no other features. A relation is
        an undirected edge, whether it is listed in one direction or both. No split is published:
        this one is drawn with a fixed seed among the people whose gender is known, half of them
        to train on, a quarter to validate and a quarter to test. The notes count what was
        changed.

    Raises
    ------
    FormatError
        If a file is missing or damaged, or one of its lines is not as described.

    References
    ----------
    .. [1] L. Takac, M. Zabovsky. "Data analysis in public social networks". International
       Scientific Conference and International Workshop Present Day Trends of Innovations, 2012.
    .. [2] J. Leskovec, A. Krevl. "SNAP Datasets: Stanford large network dataset collection".
       2014.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> profiles = (
    ...     "2\t1\t60\t1\tzilinsky kraj, zilina\t2012-05-25 11:20:00.0\t2005-04-03 00:00:00.0\t26\n"
    ...     "1\t0\t12\t0\tnull\t2012-05-23 10:05:00.0\t2007-11-30 00:00:00.0\t0\n"
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "soc-pokec-profiles.txt").write_text(profiles)
    ...     _ = pathlib.Path(folder, "soc-pokec-relationships.txt").write_text("1\t2\n2\t1\n")
    ...     network = read_pokec(folder)
    >>> network.graph
    AttributedGraph(2 nodes, 1 edges; node: age (numerical), region (categorical), registration
    (numerical), public (categorical), completion_percentage (numerical))
    >>> network.y.tolist(), network.graph.node_attributes["age"].values()
    ([0, 1], [None, 26.0])
    >>> print(*network.notes, sep="\n")
    soc-pokec-profiles.txt: last_login and the columns after age are not read.
    soc-pokec-profiles.txt: 1 profiles have the age 0, which is missing.
    soc-pokec-relationships.txt: 1 relations that are listed the other way round too make no new
    edge.
    soc-pokec-relationships.txt: directions are dropped.
    The split is not a published one: it is drawn with the seed 0.
    """
    archive = open_archive(path)
    folder = pokec_folder(archive.names)
    if folder is None:
        raise FormatError(
            f"{archive.path} does not hold {PROFILES} and {RELATIONS}, plain or with .gz, in one "
            "folder."
        )
    profiles = read_profiles(archive, _file(archive, folder + PROFILES))
    relations = read_relations(archive, _file(archive, folder + RELATIONS), profiles.ids)
    graph = AttributedGraph.from_valid(
        len(profiles.ids), relations.edges, profiles.attributes, {},
        n_self_loops_removed=relations.n_self, n_duplicate_edges_removed=relations.n_repeats,
    )  # fmt: skip
    split = _split(profiles.gender)
    return NodeDataset(name, graph, profiles.gender, *split, _notes(profiles, relations))


def _file(archive: Archive, file: str) -> str:
    return with_or_without_gz(file, archive.names)[0]


def _split(gender: Index) -> tuple[Index, Index, Index]:
    known = np.random.default_rng(SPLIT_SEED).permutation(np.flatnonzero(gender != NO_CLASS))
    n = len(known)
    train, validation, test = np.split(known, [n // 2, n * 3 // 4])
    return np.sort(train), np.sort(validation), np.sort(test)


def _notes(profiles: Profiles, relations: Relations) -> tuple[str, ...]:
    no_gender = np.count_nonzero(profiles.gender == NO_CLASS)
    counts = [
        (PROFILES, no_gender, f"have no gender: y is {NO_CLASS} there"),
        (PROFILES, profiles.n_ages_of_zero, "have the age 0, which is missing"),
        (RELATIONS, relations.n_self, "of a user with themself removed"),
        (RELATIONS, relations.n_repeats, "that repeat another removed"),
        (RELATIONS, relations.n_mutual, "that are listed the other way round too make no new edge"),
    ]
    nouns = {PROFILES: "profiles", RELATIONS: "relations"}
    return (
        f"{PROFILES}: last_login and the columns after age are not read.",
        *[f"{file}: {count} {nouns[file]} {what}." for file, count, what in counts if count],
        f"{RELATIONS}: directions are dropped.",
        f"The split is not a published one: it is drawn with the seed {SPLIT_SEED}.",
    )
