"""What small files may demand: refused before anything is made of it, in little memory and time."""

import gzip
import io
import json
import pickle
import resource
import struct
import time
import zipfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import nask
from nask.estimators.restoring_work import check_work
from nask.exceptions import FormatError, ModelFileError, NaskError, ParameterError
from nask.graph.batch import GraphBatch
from nask.graph.packed import pack
from nask.storage.read_limit import LIMIT_VARIABLE, RATIO, ROOM, allowed_demand, check_demand

# More than any of these refusals takes, and less than what each file asks for.
MEMORY, SECONDS = 500_000_000, 5.0
TINY = {"T_A.txt": "1, 2\n2, 1\n", "T_graph_indicator.txt": "1\n1\n"}


def zeros(n_bytes):
    """A part of a zip of so many zeros, written without making them."""
    return (bytes(1 << 20) for _ in range(n_bytes >> 20))


def packed(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        for name, content in files.items():
            with archive.open(name, "w") as file:
                for piece in [content] if isinstance(content, bytes) else content:
                    file.write(piece)
    return path


def npy_header(dtype, shape):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return buffer.getvalue()


def tu(folder, **texts):
    for name, text in {**TINY, **{f"T_{kind}.txt": text for kind, text in texts.items()}}.items():
        (folder / name).write_text(text)
    return lambda: nask.io.read_tu(folder)


def graph_numbers(folder):
    return tu(folder, graph_indicator="1\n30000000\n", A="")


def columns_of_graphs_without_edges(folder):
    labels = ",".join(["1"] * 3000)
    ids = "1\n1\n" + "\n".join(map(str, range(2, 20_001))) + "\n"
    return tu(folder, graph_indicator=ids, edge_labels=f"{labels}\n{labels}\n")


def columns_of_labels(folder):
    return tu(folder, node_labels="1," * 1_000_000 + "1\n")


def one_long_class(folder):
    for name, header in (("nodes.csv", "graph,node"), ("edges.csv", "graph,source,target")):
        (folder / name).write_text(header + "\n")
    rows = "".join(f"{k},b\n" for k in range(5000))
    (folder / "graphs.csv").write_text("graph,y\nx," + "a" * 100_000 + "\n" + rows)
    return lambda: nask.io.read_tables(folder)


def zip_of_a_set(folder):
    path = packed(folder / "T.zip", {"T_A.txt": b"", "T_graph_indicator.txt": zeros(256 << 20)})
    assert path.stat().st_size < 2_000_000
    return lambda: nask.io.read_tu(path)


def zip_that_lies(folder):
    """Its directory says ten bytes."""
    path = packed(folder / "T.zip", {"T_A.txt": b"", "T_graph_indicator.txt": zeros(256 << 20)})
    content = bytearray(path.read_bytes())
    for start, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = content.rindex(start)
        content[place + at : place + at + 4] = struct.pack("<I", 10)
    path.write_bytes(content)
    return lambda: nask.io.read_tu(path)


def zip_of_another_method(folder):
    path = packed(folder / "T.zip", {"T_A.txt": zeros(20 << 20)}, zipfile.ZIP_BZIP2)
    return lambda: nask.io.read_tu(path)


def columns_of_a_table(folder):
    names = [f"c{k}" for k in range(60_000)]
    (folder / "nodes.csv").write_text("graph,node," + ",".join(names) + "\n1,1" + ",1" * 60_000)
    (folder / "edges.csv").write_text("graph,source,target\n")
    return lambda: nask.io.read_tables(folder)


def columns_of_edges_of_a_table(folder):
    names = ",".join(f"c{k}" for k in range(5000))
    ids = "".join(f"{k},1\n" for k in range(50_000))
    (folder / "nodes.csv").write_text("graph,node\n" + ids)
    (folder / "edges.csv").write_text(f"graph,source,target,{names}\n")
    return lambda: nask.io.read_tables(folder)


def npz(folder, **parts):
    arrays = {
        "edges": np.array([[0, 1]]), "labels": np.array([0, 1]), "x_data": np.array([1.0]),
        "x_indices": np.array([0]), "x_indptr": np.array([0, 1, 1]), "x_shape": np.array([2, 5]),
        "train_idx": np.array([0]), "val_idx": np.array([1]), "test_idx": np.array([], dtype=int),
    }  # fmt: skip
    files = {}
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, array)
        files[f"{name}.npy"] = buffer.getvalue()
    packed(folder / "t.npz", {**files, **parts})
    return lambda: nask.io.read_planetoid(folder)


def text_of_an_npz(folder):
    header = npy_header("<U67000000", (1,))
    return npz(folder, **{"test_idx.npy": (header, *zeros(256 << 20))})


def text_that_is_only_promised(folder):
    return npz(folder, **{"test_idx.npy": npy_header("<U300000000", (1,)) + bytes(100)})


def words_of_an_npz(folder):
    buffer = io.BytesIO()
    np.save(buffer, np.array([2, 10**9]))
    return npz(folder, **{"x_shape.npy": buffer.getvalue()})


def a_test_node_of_planetoid(folder):
    rows = np.eye(2, dtype=np.int32)
    from scipy import sparse

    words = sparse.csr_matrix(rows.astype(np.float32))
    parts = {"x": words[:1], "y": rows[:1], "tx": words[1:], "ty": rows[1:], "allx": words[:1]}
    for name, value in {**parts, "ally": rows[:1], "graph": {0: [1], 1: [0]}}.items():
        (folder / f"ind.t.{name}").write_bytes(pickle.dumps(value, 2))
    (folder / "ind.t.test.index").write_text("300000000\n")
    return lambda: nask.io.read_planetoid(folder)


def arrays_of_a_pickle(folder):
    """One million bytes, of which arrays are made again and again."""
    size = struct.pack("<i", 1_000_000)
    first = (
        b"cnumpy.core.multiarray\n_reconstruct\nq\x01(cnumpy\nndarray\nK\x00\x85C\x01btq\x02R"
        b"(K\x01J" + size + b"\x85q\x03cnumpy\ndtype\nX\x02\x00\x00\x00u1\x85R(K\x03X\x01\x00\x00"
        b"\x00|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbq\x04\x89B"
        + size
        + bytes(1_000_000)
        + b"q\x05tq\x06b"
    )
    again = b"h\x01h\x02Rh\x06b"
    read = a_test_node_of_planetoid(folder)
    (folder / "ind.t.graph").write_bytes(b"\x80\x04](" + first + 3000 * again + b"e.")
    return read


def relations_of_pokec(folder):
    line = "\t1\t60\t1\tkraj\t2012-05-25\t2005-04-03 00:00:00.0\t26\n"
    (folder / "soc-pokec-profiles.txt").write_text(f"1{line}2{line}")
    with gzip.open(folder / "soc-pokec-relationships.txt.gz", "wb", 1) as file:
        for _ in range(60):
            file.write(b"1\t2\n" * (1 << 18))
    return lambda: nask.lab.read_pokec(folder)


def rows_of_molecules(folder):
    with gzip.open(folder / "m.smi.gz", "wb") as file:
        file.write(b"C\n" * 2_000_000)
    return lambda: nask.read_molecules(folder / "m.smi.gz")


def line_of_molecules(folder):
    with gzip.open(folder / "m.smi.gz", "wb") as file:
        file.write(b"C" * 100_000_000)
    return lambda: nask.read_molecules(folder / "m.smi.gz")


def one_large_molecule(folder):
    (folder / "m.smi").write_text("C[C@H](N)" + "C" * 100_000)
    return lambda: nask.read_molecules(folder / "m.smi")


def model_members(folder):
    mutag = nask.load_dataset("MUTAG")
    nask.NASKRegressor(n_hops=1).fit(mutag.graphs[:4], [1.0, 2, 3, 4]).save(folder / "m.nask")
    with zipfile.ZipFile(folder / "m.nask") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def array_of_a_model(folder):
    members = model_members(folder)
    header = npy_header("<i8", (16 << 20, 2))
    packed(folder / "m.nask", {**members, "batch/endpoints.npy": (header, *zeros(256 << 20))})
    return lambda: nask.load(folder / "m.nask")


def document_of_a_model(folder):
    members = model_members(folder)
    start = members["model.json"].removesuffix(b"}") + b', "target": ['
    packed(folder / "m.nask", {**members, "model.json": start + b"[],\n" * 7_000_000 + b"1]}"})
    return lambda: nask.load(folder / "m.nask")


def changed_model(folder, change):
    members = model_members(folder)
    document = json.loads(members["model.json"])
    change(document)
    packed(folder / "m.nask", {**members, "model.json": json.dumps(document).encode()})
    return lambda: nask.load(folder / "m.nask")


def hops_of_a_model(folder):
    return changed_model(folder, lambda own: own["parameters"].update(n_hops=10**8))


def hub_of_a_model(folder):
    """A star of 20,000 leaves, in 40 kB, whose balls hold all of it."""
    return model_of_stars(folder, 20_000)


def model_of_stars(folder, n_leaves):
    def star(n):
        ends = np.stack([np.zeros(n, dtype=np.int64), np.arange(1, n + 1)], axis=1)
        return nask.AttributedGraph(n + 1, ends, {"a": np.arange(n + 1) % 7 + 0.5})

    model = nask.NASKRegressor(expansion="ball", n_hops=2).fit([star(5), star(6)], [1.0, 2.0])
    model.save(folder / "m.nask")
    batch = GraphBatch.encode([star(n_leaves), star(6)], model.kernel_.fitted_.schema)
    with zipfile.ZipFile(folder / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, array in batch.arrays().items():
        buffer = io.BytesIO()
        np.save(buffer, array)
        members[f"batch/{name}.npy"] = buffer.getvalue()
    packed(folder / "m.nask", members)
    return lambda: nask.load(folder / "m.nask")


@pytest.mark.parametrize(
    ("sizes", "n_kernels", "engine", "passes"),
    [
        # Scanned objects, the largest of 5037 nodes, and the mean of five kernels.
        ([*np.linspace(24, 2600, 40).astype(int), 5037], 5, "pairwise", True),
        ([*np.linspace(24, 2600, 40).astype(int), 5037], 300, "pairwise", False),
        ([7000], 1, "pairwise", True),
        ([7100], 1, "pairwise", False),
        ([100_000], 1, "explicit", False),
    ],
)
def test_large_graphs_are_loaded_as_long_as_they_fit(sizes, n_kernels, engine, passes):
    sizes = np.array(sizes)
    starts = np.cumsum(sizes) - sizes
    ends = np.concatenate(
        [
            np.stack([np.arange(n - 1), np.arange(1, n)], 1) + k
            for n, k in zip(sizes, starts, strict=True)
        ]
    )
    model = nask.NASKClassifier(n_hops=4, expansion="ball" if engine == "explicit" else "nested")
    outcome = nullcontext() if passes else pytest.raises(ModelFileError, match="NASK_READ_LIMIT")
    with outcome:
        check_work(sizes, ends, 10**6, model, engine, n_kernels)


def test_a_star_of_few_leaves_is_loaded(tmp_path):
    assert model_of_stars(tmp_path, 50)().n_graphs_ == 2


def pairs_of_a_model(folder):
    """Graphs without edges and of one value: 50 kB, which unpack to 31 MB."""
    bare = [nask.AttributedGraph(2, [], {"a": [0.5, own]}) for own in (1.0, 2.0)]
    model = nask.NASKRegressor(n_hops=1, engine="pairwise").fit(bare, [1.0, 2.0])
    model.save(folder / "m.nask")
    with zipfile.ZipFile(folder / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    many = [nask.AttributedGraph(2000, [], {"a": np.full(2000, 0.5)})] * 1900
    batch = GraphBatch.encode(many, model.kernel_.fitted_.schema)
    members |= {f"batch/{name}.npy": as_npy(array) for name, array in batch.arrays().items()}
    members["support.npy"] = as_npy(np.arange(1900))
    members["machine/coefficients.npy"] = as_npy(np.ones((1, 1900)))
    packed(folder / "m.nask", members)
    return lambda: nask.load(folder / "m.nask")


def passes_of_a_model(folder):
    """Each of them compares the same graphs."""
    graph = nask.AttributedGraph(3000, [], {"a": np.arange(3000) % 2})
    model = nask.TunedNASKRegressor(grid={"n_hops": [1], "alpha": [0.1]})
    model.fit([graph, *(nask.AttributedGraph(k, [], {"a": [0] * k}) for k in (1, 2, 3))], range(4))
    model.save(folder / "m.nask")
    with zipfile.ZipFile(folder / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    document["groups"] = 900 * [{**document["groups"][0], "engine": "pairwise"}]
    for part in ("coefficients", "constants"):
        for k in range(1, 900):
            members[f"group{k}/{part}.npy"] = members[f"group0/{part}.npy"]
    packed(folder / "m.nask", {**members, "model.json": json.dumps(document).encode()})
    return lambda: nask.load(folder / "m.nask")


def as_npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def changed_index(folder, graphs, change=lambda *_: None, **options):
    """An index of three small graphs, in whose file are others, and an altered document."""
    small = [nask.AttributedGraph(2, [(0, 1)], node_features=np.eye(2)) for _ in range(3)]
    nask.Index(small, **options).save(folder / "g.index")
    with zipfile.ZipFile(folder / "g.index") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    document["graphs"], arrays = pack(graphs or small)
    change(document["graphs"], arrays)
    members = {name: own for name, own in members.items() if not name.startswith("graphs/")}
    members |= {f"graphs/{name}.npy": as_npy(array) for name, array in arrays.items()}
    packed(folder / "g.index", {**members, "model.json": json.dumps(document).encode()})
    return lambda: nask.Index.load(folder / "g.index")


def nodes_of_an_index(folder):
    """Nodes without attributes take no bytes of the file."""

    def change(_, arrays):
        arrays["n_nodes"][-1] = 30_000_000

    return changed_index(folder, [nask.AttributedGraph(2, [(0, 1)])] * 3, change)


def node_features_of_an_index(folder):
    return changed_index(folder, None, lambda document, _: document.update(n_features=10**7))


def graphs_of_an_index(folder):
    return changed_index(folder, [nask.AttributedGraph(0)] * 1_000_000)


def hops_of_balls_of_a_model(folder):
    """Whose members are listed anew at every hop: 0.8 billion."""
    ends = [(0, k) for k in range(1, 10)]
    star = nask.AttributedGraph(10, ends, {"a": [0.5] * 10})
    model = nask.NASKRegressor(expansion="ball", n_hops=2).fit([star, star], [1.0, 2.0])
    model.save(folder / "m.nask")
    with zipfile.ZipFile(folder / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    batch = GraphBatch.encode([star] * 8000, model.kernel_.fitted_.schema)
    members |= {f"batch/{name}.npy": as_npy(array) for name, array in batch.arrays().items()}
    members["support.npy"] = as_npy(np.arange(8000))
    members["machine/coefficients.npy"] = as_npy(np.ones((1, 8000)))
    document = json.loads(members["model.json"])
    document["parameters"].update(n_hops=1000)
    document.update(n_graphs=8000)
    packed(folder / "m.nask", {**members, "model.json": json.dumps(document).encode()})
    return lambda: nask.load(folder / "m.nask")


def hub_of_an_index(folder):
    ends = np.stack([np.zeros(20_000, dtype=np.int64), np.arange(1, 20_001)], axis=1)
    star = nask.AttributedGraph(20_001, ends, {"a": np.arange(20_001) % 7 + 0.5})
    return changed_index(folder, [star], expansion="ball", n_hops=2)


def hops_of_an_index(folder):
    read = changed_index(folder, None)
    with zipfile.ZipFile(folder / "g.index") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    document["parameters"].update(n_hops=10**8)
    packed(folder / "g.index", {**members, "model.json": json.dumps(document).encode()})
    return read


def classes_of_a_model(folder):
    mutag = nask.load_dataset("MUTAG")
    nask.NASKClassifier(n_hops=1).fit(mutag.graphs[:8], list("abcdabcd")).save(folder / "m.nask")
    with zipfile.ZipFile(folder / "m.nask") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    many = sorted(f"{k:x}" for k in range(20_000))
    document |= {"classes": many, "classes_dtype": "<U10000"}
    packed(folder / "m.nask", {**members, "model.json": json.dumps(document).encode()})
    return lambda: nask.load(folder / "m.nask")


def classes_of_a_journal(folder):
    run = {
        "dataset": "a", "content": "b", "classes": {str(k): 1 for k in range(20_000)},
        "method": "c", "model": {}, "folds": 2, "inner": 2, "random_state": 0, "strict": False,
        "nask": "0",
        "scoring": "f1_macro",
    }  # fmt: skip
    (folder / "a--c.jsonl").write_text(json.dumps({"run": run, "version": 3}) + "\n")
    return lambda: nask.read_results(folder)


LIMIT = "that a file of .* may demand"
ATTACKS = {
    graph_numbers: LIMIT,
    columns_of_graphs_without_edges: LIMIT,
    columns_of_labels: LIMIT,
    one_long_class: LIMIT,
    classes_of_a_model: LIMIT,
    hub_of_a_model: LIMIT,
    pairs_of_a_model: LIMIT,
    hops_of_balls_of_a_model: LIMIT,
    passes_of_a_model: LIMIT,
    nodes_of_an_index: LIMIT,
    node_features_of_an_index: LIMIT,
    graphs_of_an_index: LIMIT,
    hub_of_an_index: LIMIT,
    hops_of_an_index: r"must be an int in the range \[1, 1000\]",
    classes_of_a_journal: LIMIT,
    zip_of_a_set: LIMIT,
    zip_that_lies: "the zip is damaged",
    zip_of_another_method: "packed by method 12: expected 0",
    columns_of_a_table: LIMIT,
    columns_of_edges_of_a_table: LIMIT,
    text_of_an_npz: LIMIT,
    text_that_is_only_promised: "its header promises 1200000128 bytes, and it has 228",
    words_of_an_npz: LIMIT,
    a_test_node_of_planetoid: "names node 300000000, but all files together name",
    arrays_of_a_pickle: "its arrays together are larger than the file",
    relations_of_pokec: LIMIT,
    rows_of_molecules: LIMIT,
    line_of_molecules: LIMIT,
    one_large_molecule: "has more than the 10000 characters that are read from a file",
    array_of_a_model: LIMIT,
    document_of_a_model: LIMIT,
    hops_of_a_model: r"must be an int in the range \[1, 1000\]",
}


@pytest.mark.parametrize(
    ("attack", "reason"), ATTACKS.items(), ids=[own.__name__ for own in ATTACKS]
)
def test_a_small_file_that_demands_much_is_refused_in_little(tmp_path, attack, reason):
    """In this process, whose memory may grow by so much; what is loaded on the way is not of it."""
    read = attack(tmp_path)
    with pytest.raises(NaskError):  # what is imported
        nask.load(tmp_path / "none")
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    start = time.process_time()
    try:
        with pytest.raises((FormatError, ModelFileError), match=reason) as refused:
            read()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert time.process_time() - start < SECONDS
    assert str(tmp_path) in str(refused.value) or ".csv" in str(refused.value)


@pytest.mark.parametrize("given", ["1GB", "1e9", "no", "-1", "0"])
def test_the_limit_can_be_named(monkeypatch, given):
    monkeypatch.setenv(LIMIT_VARIABLE, given)
    if given == "1GB":
        check_demand(10**9, 1, "It takes")
        with pytest.raises(FormatError, match=r"It takes 1 GB, more than the 1 GB .* '3GB'"):
            check_demand(10**9 + 1, 1, "It takes")
    else:
        with pytest.raises(ParameterError, match=r"NASK_READ_LIMIT is .*: expected a positive"):
            check_demand(1, 1, "It takes")


def test_what_is_refused_is_read_with_a_larger_limit(tmp_path, monkeypatch):
    read = tu(tmp_path, graph_indicator="1\n40000\n", A="")
    with pytest.raises(
        FormatError, match=r"leaves 39998 graphs without nodes, of 40 MB"
    ) as refused:
        read()
    assert f"let the environment variable {LIMIT_VARIABLE} name more, such as '1GB'" in str(
        refused.value
    )
    monkeypatch.setenv(LIMIT_VARIABLE, "1GB")
    assert len(read().graphs) == 40_000


def test_a_file_may_demand_as_much_as_its_size_allows():
    assert allowed_demand(0) == ROOM
    assert allowed_demand(10 * ROOM) >= 10 * ROOM
    assert allowed_demand(2_000_000) == RATIO * 2_000_000
