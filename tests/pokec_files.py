"""Networks written in the two files of the Pokec set: what its reader is tested on."""

from __future__ import annotations

import gzip
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from nask import NodeDataset

PROFILES = "soc-pokec-profiles.txt"
RELATIONS = "soc-pokec-relationships.txt"
N_COLUMNS = 59


def profile(user: int, *fields: object) -> str:
    """A line: public, completion_percentage, gender, region, registration (a date) and age."""
    public, completion, gender, region, registered, age = (
        "null" if f is None else f for f in fields
    )
    time = registered if registered == "null" else f"{registered} 00:00:00.0"
    columns = [
        user, public, completion, gender, region, "2012-05-25 11:20:00.0", time, age,
        *["null"] * (N_COLUMNS - 8),
    ]  # fmt: skip
    # The published lines end in a tab.
    return "\t".join(map(str, columns)) + "\t\n"


def write_files(folder: Path, profiles: str, relations: str, *, packed: bool = False) -> Path:
    """Put the two files into a folder, as they are or gzipped."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((PROFILES, profiles), (RELATIONS, relations)):
        data = text.encode()
        if packed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(data, 1))
        else:
            (folder / name).write_bytes(data)
    return folder


def write_pokec(
    folder: Path, network: NodeDataset, rng: np.random.Generator, *, packed: bool = False
) -> Path:
    """Write a network with the attributes that ``read_pokec`` gives.

    Ids have gaps and profiles no order; an edge is a relation in one direction or in both.
    """
    graph = network.graph
    ids = np.sort(rng.choice(5 * graph.n_nodes, graph.n_nodes, replace=False)) + 1
    columns = {name: attribute.values() for name, attribute in graph.node_attributes.items()}
    days = [None if d is None else date(1970, 1, 1) + timedelta(d) for d in columns["registration"]]
    numbers = {
        name: [None if value is None else int(value) for value in columns[name]]
        for name in ("public", "completion_percentage", "age")
    }
    lines = [
        profile(
            ids[k], numbers["public"][k], numbers["completion_percentage"][k],
            None if network.y[k] < 0 else network.y[k], columns["region"][k], days[k],
            numbers["age"][k],
        )
        for k in rng.permutation(graph.n_nodes).tolist()
    ]  # fmt: skip
    ways = rng.integers(1, 4, graph.n_edges)
    arcs = np.concatenate([graph.edges[ways & 1 > 0], graph.edges[ways & 2 > 0][:, ::-1]])
    pairs = ids[rng.permutation(arcs)].tolist()
    return write_files(
        folder, "".join(lines), "".join(f"{u}\t{v}\n" for u, v in pairs), packed=packed
    )
