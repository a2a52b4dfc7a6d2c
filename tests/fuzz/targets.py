"""What is fuzzed: each reader and loader, with what has to be true of all that it returns.

A target takes an input and a folder of its own. It returns when the input is read, and what came
out is right; it raises an error of nask where the input is refused. Anything else is a find.
"""

import io
import json
import math
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

import nask
from fuzz.parts import split
from nask.evaluation.journal import Journal
from nask.evaluation.results import finished_repeats, read_results, summary
from nask.exceptions import NaskError
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.io.readers.safe_pickle import load_arrays
from nask.lab.experiments.evaluated import Evaluated
from nask.lab.experiments.experiment import Place
from nask.lab.experiments.studied import StudiedFold
from nask.lab.experiments.timed import TimedGram
from nask.storage.contents import Contents
from nask.storage.npy_chunks import open_npy, read_npy
from nask.storage.zarr_chunks import ZarrStore

Target = Callable[[bytes, Path], None]
# Of the files of an input, for targets that read a folder.
TU = [f"T_{kind}.txt" for kind in (
    "A", "graph_indicator", "graph_labels", "graph_attributes", "node_labels", "node_attributes",
    "edge_labels", "edge_attributes",
)]  # fmt: skip
TABLES = ["nodes.csv", "edges.csv", "graphs.csv"]
PLANETOID = [f"ind.t.{part}" for part in (
    "x", "y", "tx", "ty", "allx", "ally", "graph", "test.index",
)]  # fmt: skip
POKEC = ["soc-pokec-profiles.txt", "soc-pokec-relationships.txt"]
STORED, SIDE = np.arange(36.0).reshape(6, 6) + np.arange(36.0).reshape(6, 6).T, 6
CHUNKS = {"chunk": (2, 2), "symmetric": True, "place": "folder"}
ZARR_NAME = re.compile(r"[a-z_]+(/[a-z0-9_]+){0,3}(\.json)?")
CONTENTS = Contents("numbers", "of a target of the fuzzer", {"n": 6})
FOUND_TIME = TimedGram("row", "column", "MUTAG", "nask", "times")
FOUND_STUDY = StudiedFold(Evaluated("row", "column", "MUTAG", "nask-svm", "records"), "studies")


class NotTriedError(Exception):
    """An input that is none for its target, such as text that is no JSON."""


def written(data: bytes, folder: Path, names: list[str], below: str = "") -> Path:
    """Write the files of an input, those that have one of the names, all below a folder."""
    files = {f"{below}{name}": content for name, content in split(data).items()}
    for name in names:
        if name in files:
            path = folder / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(files[name])
            except OSError:  # a file where another has its folder
                raise NotTriedError from None
    return folder


def check_graph(graph: nask.AttributedGraph) -> None:
    """What is true of every graph."""
    edges, n = graph.edges, graph.n_nodes
    assert edges.shape == (graph.n_edges, 2)
    assert edges.dtype == np.int64
    assert ((edges[:, 0] >= 0) & (edges[:, 0] < edges[:, 1]) & (edges[:, 1] < n)).all()
    assert len({*map(tuple, edges.tolist())}) == len(edges)
    for attributes, size in ((graph.node_attributes, n), (graph.edge_attributes, graph.n_edges)):
        for attribute in attributes.values():
            assert attribute.data.shape == (size,)
            if attribute.kind == "numerical":
                assert not np.isinf(attribute.data).any()
            elif attribute.kind == "categorical":
                codes = attribute.data
                assert ((codes >= -1) & (codes < len(attribute.categories))).all()
    if graph.node_features is not None:
        assert graph.node_features.shape[0] == n
        assert np.isfinite(graph.node_features.data).all()


def check_dataset(data) -> None:
    """What is true of every dataset; and a kernel can be fitted to it, or tells why not."""
    nodes = isinstance(data, nask.NodeDataset)
    graphs = [data.graph] if nodes else list(data.graphs)
    for graph in graphs:
        check_graph(graph)
    n_items = graphs[0].n_nodes if nodes else len(graphs)
    if data.y is not None:
        assert len(data.y) == n_items
    if nodes:
        for part in (data.train, data.validation, data.test):
            assert ((part >= 0) & (part < n_items)).all()
    repr(data)
    with suppress(NaskError):
        schema = Schema.fit(graphs)
        GraphBatch.encode(graphs, schema).with_dense_features().check(schema)


def tu(data, folder):
    check_dataset(nask.io.read_tu(written(data, folder, TU)))


def tu_as_undirected(data, folder):
    folder = written(data, folder, TU)
    options = {"opposite": "absolute", "to_undirected": True, "repeated_edges": "mean"}
    check_dataset(nask.io.read_tu(folder, target="attributes", **options))


def tu_zip(data, folder):
    (folder / "T.zip").write_bytes(data)
    check_dataset(nask.io.read_tu(folder / "T.zip"))


def tables(data, folder):
    check_dataset(nask.io.read_tables(written(data, folder, TABLES)))


def network(data, folder):
    check_dataset(nask.io.read_network(written(data, folder, TABLES[:2])))


def planetoid(data, folder):
    check_dataset(nask.io.read_planetoid(written(data, folder, PLANETOID)))


def planetoid_npz(data, folder):
    (folder / "t.npz").write_bytes(data)
    check_dataset(nask.io.read_planetoid(folder))


def planetoid_arrays(data, folder):
    """The arrays of such a file, in a zip that is whole."""
    packed(data, folder / "t.npz")
    check_dataset(nask.io.read_planetoid(folder))


def pickles(data, folder):
    load_arrays(data, "a pickle")


def pokec(data, folder):
    check_dataset(nask.lab.read_pokec(written(data, folder, POKEC)))


def molecules(data, folder):
    names = split(data).keys() & {"m.csv", "m.smi", "m.sdf", "m.tsv"}
    if not names:
        raise NotTriedError
    for name in sorted(names):
        check_dataset(nask.read_molecules(written(data, folder, [name]) / name))


def molecules_gz(data, folder):
    (folder / "m.csv.gz").write_bytes(data)
    check_dataset(nask.read_molecules(folder / "m.csv.gz", target="y"))


def packed(data: bytes, path: Path) -> None:
    """Write the files of an input into a zip."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in split(data).items():
            archive.writestr(name.replace("\0", "_") or "_", content)


@cache
def new_graphs():
    return nask.load_dataset("MUTAG").graphs[60:62]


def ring() -> nask.AttributedGraph:
    """A network with everything that one can have."""
    columns = {"age": [1.0, None, 3.0] * 2, "region": list("abcabc")}
    edges, since = [(k, (k + 1) % 6) for k in range(6)], {"since": list(range(6))}
    return nask.AttributedGraph(6, edges, columns, since, node_features=np.eye(6)[:, :3])


def use_model(path: Path) -> None:
    """Load a model and predict: classes of the model, or finite numbers."""
    model = nask.load(path)
    if getattr(model, "items", "") == "nodes" or isinstance(model, nask.NASKNodeClassifier):
        found = model.predict(ring(), [0, 5])
    else:
        found = model.predict(new_graphs())
    if isinstance(model, nask.NASKGaussianProcessRegressor):
        _, std = model.predict(new_graphs(), return_std=True)
        assert (std >= 0).all()
    if getattr(model, "likeness_", None) is not None:
        shares = model.applicability(new_graphs())
        assert ((shares >= 0) & (shares <= 1)).all()
    assert len(found) == 2
    if hasattr(model, "classes_"):
        assert set(found.tolist()) <= set(model.classes_.tolist())
    else:
        assert np.isfinite(found).all()


def model_file(data, folder):
    (folder / "m.nask").write_bytes(data)
    use_model(folder / "m.nask")


def model(data, folder):
    """The document and the arrays of a model, in a zip that is whole."""
    packed(data, folder / "m.nask")
    use_model(folder / "m.nask")


def use_index(path: Path) -> None:
    """Load an index and ask it: graphs that it has, and similarities from 0 to 1."""
    index = nask.Index.load(path)
    for hits in index.query(new_graphs(), k=2):
        assert len(set(hits.positions.tolist())) == len(hits) <= len(index)
        assert all(0 <= position < len(index) for position in hits.positions.tolist())
        assert ((hits.similarities >= 0) & (hits.similarities <= 1)).all()
        repr(hits)


def index_file(data, folder):
    (folder / "m.index").write_bytes(data)
    use_index(folder / "m.index")


def index(data, folder):
    """The document and the arrays of an index, in a zip that is whole."""
    packed(data, folder / "m.index")
    use_index(folder / "m.index")


def journal(data, folder):
    path = folder / "MUTAG--wl.jsonl"
    path.write_bytes(data)
    found = Journal(path)
    for record in found.folds.values():
        if record.truth is not None and record.accuracy is not None:
            right = [p == t for p, t in zip(record.predicted, record.truth, strict=True)]
            assert math.isclose(record.accuracy, np.mean(right), abs_tol=1e-9)
    repeats = finished_repeats(found)
    if repeats or found.timeout is not None:
        result = summary(found, repeats)
        json.dumps(result.to_json())
        repr(result)
        assert repr(read_results(folder)) == repr([result])


def lab_records(data, folder):
    names = ["times/column--row.json", "studies/MUTAG.json"]
    if not split(data).keys() & {*names}:
        raise NotTriedError
    place = Place(written(data, folder, names))
    found = FOUND_TIME.find(place)
    assert found is None or 0 <= found.seconds < math.inf
    study = FOUND_STUDY.find(place)
    assert study is None or len(study.truth) == len(study.probabilities)


def npy_store(data, folder):
    """Numbers that come out are those that went in, or none come out."""
    written(data, folder, ["a.npy", "a.jsonl"])
    found = read_npy(folder / "a.npy", CONTENTS, SIDE, "folder")
    if found is not None:
        assert np.array_equal(found, STORED)
        return
    with open_npy(folder / "a.npy", CONTENTS, (SIDE, SIDE), "float64", **CHUNKS) as chunks:
        chunks.fill(lambda window: STORED[window.rows, window.columns], False, "")
        assert np.array_equal(chunks.map(), STORED)


def zarr_store(data, folder):
    """Numbers that come out are those that went in: what was changed is computed again."""
    names = [name for name in split(data) if ZARR_NAME.fullmatch(name) and ".." not in name]
    written(data, folder, [f"k.zarr/{name}" for name in names], "k.zarr/")
    store = ZarrStore(folder / "k.zarr", CONTENTS)
    chunks = store.chunks("gram", STORED.shape, (3, 3), "float64", symmetric=True)
    chunks.fill(lambda window: STORED[window.rows, window.columns], False, "")
    assert np.array_equal(store.array("gram")[:], STORED)


def smiles(data, folder):
    text = data.decode(errors="replace")
    # RDKit's time grows with the square of a molecule's size; readers of files have a limit.
    for graph in nask.io.from_smiles([line[:2000] for line in text.split("\n")]):
        check_graph(graph)


def grakel(data, folder):
    """A graph of lists and dictionaries, as JSON says it."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise NotTriedError from None
    if isinstance(given, list):
        given = tuple(_keyed(own) for own in given)
    check_graph(nask.io.from_grakel(given, to_undirected=True))


def _keyed(value):
    """JSON with whole numbers, or pairs of them, as keys."""
    if isinstance(value, dict):
        return {_key(name): own for name, own in value.items()}
    return value


def _key(name: str):
    parts = name.split(",")
    with suppress(ValueError):
        return int(name) if len(parts) == 1 else tuple(map(int, parts))
    return name


def networkx(data, folder):
    """Nodes and edges with attributes, as JSON says them."""
    import networkx as nx

    graph = nx.Graph()
    try:
        given = json.loads(data)
        graph.add_nodes_from((node, own) for node, own in given["nodes"])
        graph.add_edges_from((u, v, own) for u, v, own in given["edges"])
    except Exception:  # what networkx says of it is not ours
        raise NotTriedError from None
    check_graph(nask.io.from_networkx(graph))


def frames(data, folder):
    """Tables of pandas, with whatever types it makes of two CSV files."""
    import pandas as pd

    files = split(data)
    try:
        nodes, edges = (
            pd.read_csv(io.BytesIO(files[name]), low_memory=False)
            for name in ("nodes.csv", "edges.csv")
        )
    except Exception:  # what pandas says of it is not ours
        raise NotTriedError from None
    for graph in nask.io.from_frames(nodes, edges, repeated_edges="first"):
        check_graph(graph)


TARGETS: dict[str, Target] = {
    own.__name__: own
    for own in (
        tu, tu_as_undirected, tu_zip, tables, network, planetoid, planetoid_npz, planetoid_arrays,
        pickles, pokec, molecules, molecules_gz, model_file, model, index_file, index, journal,
        lab_records, npy_store, zarr_store, smiles, grakel, networkx, frames,
    )
}  # fmt: skip
