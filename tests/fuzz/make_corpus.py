"""Write the corpus: small files of every format, from embedded sets and small models.

python -m fuzz.make_corpus        (in the folder tests)
"""

import gzip
import io
import json
import pickle
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import sparse

import nask
from fuzz.parts import joined, split
from fuzz.running import CORPUS
from fuzz.targets import CHUNKS, CONTENTS, SIDE, STORED, ring
from nask.storage.npy_chunks import open_npy, write_npy
from nask.storage.zarr_chunks import ZarrStore

SMILES = ["CCO", "c1ccccc1O", "C[C@H](N)C(=O)O", "[Na+].[Cl-]", "F/C=C/F", "C1CC"]
WORDS = sparse.csr_matrix(np.array([[1, 0], [0, 2], [0, 0]], dtype=np.float32))
CLASSES = np.array([[0, 1], [1, 0], [0, 0]], dtype=np.int32)
PLANETOID = {
    "x": WORDS[:1], "y": CLASSES[:1], "allx": WORDS, "ally": CLASSES, "tx": WORDS[1:],
    "ty": CLASSES[1:], "graph": defaultdict(list, {0: [1, 1, 0], 1: [0, 4], 2: [3]}),
}  # fmt: skip
ARRAYS = {
    "edges": np.array([[0, 1], [1, 2]]), "labels": np.array([0, 1, -1]), "x_data": np.array([1.0]),
    "x_indices": np.array([4]), "x_indptr": np.array([0, 1, 1, 1]), "x_shape": np.array([3, 5]),
    "train_idx": np.array([0]), "val_idx": np.array([1]), "test_idx": np.array([2]),
}  # fmt: skip
MIXED = {
    "T_A.txt": "1, 2\n2, 1\n3, 4\n4, 3\n", "T_graph_indicator.txt": "1\n1\n2\n2\n",
    "T_graph_labels.txt": "1\n-1\n", "T_node_labels.txt": "6\n8\n6\n8\n",
    "T_node_attributes.txt": "0.5, 1\n1e3, nan\n2,3\n4,5\n", "T_edge_labels.txt": "1\n1\n2\n2\n",
    "T_edge_attributes.txt": "0.5\n-0.5\n2\n2\n", "T_graph_attributes.txt": "0.5\n2\n",
}  # fmt: skip
TABLES = {
    "nodes.csv": "graph,node,age,region\ng2,a,1,x\ng1,a,2,y\ng2,b,3,\ng1,c,,y\n",
    "edges.csv": "graph,source,target,weight\ng1,a,c,0.5\ng2,b,a,1\n",
    "graphs.csv": "graph,y\ng1,1\ng2,-1\n",
}
NETWORK = {
    "nodes.csv": "node,age,since,y,train_mask\na,1,2020-02-29,o,1\nb,,2021-01-01,,0\nc,3,,new,1\n",
    "edges.csv": "source,target,weight\na,b,1\nb,c,0.5\n",
}
POKEC = {
    "soc-pokec-profiles.txt": "2\t1\t60\t1\tkraj\t2012-05-25\t2005-04-03 00:00:00.0\t26\n"
    "1\t0\t12\t0\tnull\t2012-05-23\t2007-11-30 00:00:00.0\t0\n",
    "soc-pokec-relationships.txt": "1\t2\n2\t1\n",
}
SDF = """ethanol
  nask

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.5000    0.0000    0.0000 C   0  0
    2.0000    1.2000    0.0000 O   0  0
  1  2  1  0
  2  3  1  0
M  END
>  <y>
1

$$$$
"""


def put(target: str, name: str, data: bytes) -> None:
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def texts(files: dict[str, str]) -> bytes:
    return joined({name: text.encode() for name, text in files.items()})


def as_tu(graphs, y) -> dict[str, str]:
    """Text files of the TUDataset form; node k of graph g has its first attribute."""
    lines: dict[str, list[str]] = defaultdict(list)
    start = 1
    for number, (graph, label) in enumerate(zip(graphs, y, strict=True), start=1):
        lines["graph_labels"].append(str(label))
        lines["graph_indicator"] += [str(number)] * graph.n_nodes
        for kind in ("categorical", "numerical"):
            columns = [a.values() for a in graph.node_attributes.values() if a.kind == kind]
            name = "node_labels" if kind == "categorical" else "node_attributes"
            lines[name] += [",".join(map(str, row)) for row in zip(*columns, strict=True)]
        lines["A"] += [
            f"{u + start}, {v + start}\n{v + start}, {u + start}" for u, v in graph.edges
        ]
        start += graph.n_nodes
    return {f"T_{kind}.txt": "\n".join(own) + "\n" for kind, own in lines.items() if own}


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sets() -> None:
    mutag, cuneiform = nask.load_dataset("MUTAG"), nask.load_dataset("Cuneiform")
    one_way = texts(MIXED)
    both_ways = texts({**MIXED, "T_edge_attributes.txt": "0.5\n0.5\n2\n2\n"})
    put("tu", "mixed", both_ways)
    put("tu", "mutag", texts(as_tu(mutag.graphs[:3], mutag.y[:3])))
    put("tu", "cuneiform", texts(as_tu(cuneiform.graphs[:2], cuneiform.y[:2])))
    put("tu_as_undirected", "mixed", one_way)
    put("tu_zip", "mixed", zipped(split(both_ways)))
    put("tables", "people", texts(TABLES))
    put("network", "people", texts(NETWORK))
    put("frames", "people", texts(TABLES))
    put("pokec", "two", texts(POKEC))
    for protocol in (2, 4):
        files = {f"ind.t.{part}": pickle.dumps(v, protocol) for part, v in PLANETOID.items()}
        put("planetoid", f"protocol{protocol}", joined({**files, "ind.t.test.index": b"4\n3\n"}))
        for part in ("graph", "allx", "y"):
            put("pickles", f"{part}{protocol}", files[f"ind.t.{part}"])
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **ARRAYS)
    put("planetoid_npz", "three", buffer.getvalue())
    put("planetoid_arrays", "three", joined(members(buffer.getvalue())))
    table = "name,smiles,y\n" + "".join(f"m{k},{s},{k % 2}\n" for k, s in enumerate(SMILES))
    put("molecules", "csv", texts({"m.csv": table}))
    put("molecules", "smi", texts({"m.smi": "".join(f"{s} m\n" for s in SMILES)}))
    put("molecules", "sdf", texts({"m.sdf": SDF}))
    put("molecules_gz", "csv", gzip.compress(table.encode(), mtime=0))
    put("smiles", "six", "\n".join(SMILES[:-1]).encode())
    put(
        "grakel",
        "edges",
        json.dumps([{"0,1": 1, "1,2": 2.0}, {"0": "a", "1": "b", "2": "a"}]).encode(),
    )
    put("grakel", "matrix", json.dumps([[[0, 1], [1, 0]], {"0": [0.5, 1], "1": [1, 2]}]).encode())
    given = {
        "nodes": [["a", {"age": 3}], ["b", {"age": None, "at": [1, 2]}]],
        "edges": [["a", "b", {"w": 1}]],
    }
    put("networkx", "two", json.dumps(given).encode())


def models(folder: Path) -> None:
    mutag = nask.load_dataset("MUTAG")
    graphs, y = mutag.graphs[:12], mutag.y[:12]
    numbers = [float(graph.n_nodes) for graph in graphs]
    made = {
        "svm": nask.NASKClassifier(n_hops=2, degree="numerical").fit(graphs, y),
        "ridge": nask.NASKClassifier(n_hops=1, learner="ridge", gram="rbf").fit(graphs, y),
        "numbers": nask.NASKRegressor(n_hops=1).fit(graphs, numbers),
        "mean": nask.TunedNASKClassifier(grid={"n_hops": [1, 2], "alpha": [0.1, 1]}).fit(graphs, y),
        "nodes": nask.NASKNodeClassifier(n_hops=2, restart=0.3).fit(ring(), ["x", "y", None] * 2),
    }
    rows = nask.NASKFeatures(n_components=16, n_hops=2)
    landmarks = nask.NASKNystroem(n_components=3, n_hops=1, gram="rbf")
    made |= {
        "process": nask.NASKGaussianProcessRegressor(n_hops=1, optimizer=None).fit(graphs, numbers),
        "processes": nask.NASKGaussianProcessClassifier(n_hops=1, optimizer=None).fit(graphs, y),
        "outliers": nask.NASKOutlierDetector(n_hops=1).fit(graphs),
        "stream": nask.NASKStreamClassifier(features=rows).fit(graphs, y),
        "landmarks": nask.NASKStreamRegressor(features=landmarks).fit(graphs, numbers),
    }
    for name, own in made.items():
        own.save(folder / name)
        content = (folder / name).read_bytes()
        put("model", name, joined(members(content)))
        if name in ("ridge", "nodes", "stream"):
            put("model_file", name, content)
    for name, options in (
        ("exact", {"ids": [f"g{k}" for k in range(12)]}),
        ("features", {"method": "features", "n_components": 16, "n_candidates": 4}),
    ):
        nask.Index(graphs, n_hops=1, **options).save(folder / name)
        content = (folder / name).read_bytes()
        put("index", name, joined(members(content)))
        put("index_file", name, content)


def records(folder: Path) -> None:
    data = nask.load_dataset("MUTAG")
    some = nask.Dataset("MUTAG", data.graphs[:12], data.y[:12])
    numbers = nask.Dataset("MUTAG", data.graphs[:12], np.arange(12) / 8)
    protocol = {"folds": 2, "repeats": 1}
    for name, own, method, options in (
        ("accuracy", some, "majority", {}),
        ("scored", some, "majority", {"scoring": "balanced_accuracy"}),
        ("numbers", numbers, "mean", {}),
    ):
        nask.evaluate(method, own, out=folder / "records" / name, **protocol, **options)
        [path] = (folder / "records" / name).glob("*.jsonl")
        put("journal", name, path.read_bytes())
    time = {
        "run": {"dataset": "MUTAG", "method": "nask"},
        "time": {"seconds": 1.5, "timeout": False, "n_graphs": 188},
        "environment": {},
    }
    study = {
        "parameters": {"C": 1.0}, "classes": [-1, 1], "truth": [1, -1],
        "probabilities": [[0.25, 0.75], [0.5, 0.5]],
        "graphs": [
            {"graph": 3, "truth": 1, "predicted": 1, "probability": 0.75, "labels": ["C", "O"],
             "edges": [[0, 1]], "core": 0, "shares": [0.5, 0.25]},
        ],
    }  # fmt: skip
    files = {"times/column--row.json": json.dumps(time), "studies/MUTAG.json": json.dumps(study)}
    put("lab_records", "both", texts(files))


def stores(folder: Path) -> None:
    path = folder / "a.npy"
    with open_npy(path, CONTENTS, (SIDE, SIDE), "float64", **CHUNKS) as chunks:
        chunks.fill(lambda window: STORED[window.rows, window.columns], False, "")
    put_store("chunks", path)
    whole = folder / "b.npy"
    write_npy(whole, CONTENTS, STORED, "folder")
    put_store("whole", whole)

    chunked = ZarrStore(folder / "k.zarr", CONTENTS)
    gram = chunked.chunks("gram", STORED.shape, (3, 3), "float64", symmetric=True)
    gram.fill(lambda window: STORED[window.rows, window.columns], False, "")
    found = sorted(own for own in (folder / "k.zarr").rglob("*") if own.is_file())
    files = {own.relative_to(folder / "k.zarr").as_posix(): own.read_bytes() for own in found}
    put("zarr_store", "whole", joined(files))


def put_store(name: str, path: Path) -> None:
    files = {f"a{own.suffix}": own.read_bytes() for own in (path, path.with_suffix(".jsonl"))}
    put("npy_store", name, joined(files))


if __name__ == "__main__":
    sets()
    with tempfile.TemporaryDirectory() as made:
        models(Path(made))
        records(Path(made))
        stores(Path(made))
