"""Files with a few bytes changed: they are read, or refused by an error of nask's own."""

from __future__ import annotations

import pickle
import random
from collections import defaultdict

import numpy as np
import pytest
from scipy import sparse

import nask
from nask.exceptions import NaskError

TU = {
    "T_A.txt": "1, 2\n2, 1\n3, 4\n4, 3\n", "T_graph_indicator.txt": "1\n1\n2\n2\n",
    "T_graph_labels.txt": "1\n-1\n", "T_node_labels.txt": "6\n8\n6\n8\n",
    "T_node_attributes.txt": "0.5, 1\n1e3, nan\n2,3\n4,5\n", "T_edge_labels.txt": "1\n1\n2\n2\n",
}  # fmt: skip
TABLES = {
    "nodes.csv": "graph,node,age,region\ng2,a,1,x\ng1,a,2,y\ng2,b,3,\ng1,c,,y\n",
    "edges.csv": "graph,source,target,weight\ng1,a,c,0.5\ng2,b,a,1\n",
    "graphs.csv": "graph,y\ng1,1\ng2,-1\n",
}
POKEC = {
    "soc-pokec-profiles.txt": "2\t1\t60\t1\tkraj\t2012-05-25\t2005-04-03 00:00:00.0\t26\n"
    "1\t0\t12\t0\tnull\t2012-05-23\t2007-11-30 00:00:00.0\t0\n",
    "soc-pokec-relationships.txt": "1\t2\n2\t1\n",
}
WORDS = sparse.csr_matrix(np.array([[1, 0], [0, 2], [0, 0]], dtype=np.float32))
CLASSES = np.array([[0, 1], [1, 0], [0, 0]], dtype=np.int32)
PLANETOID = {
    "x": WORDS[:1], "y": CLASSES[:1], "allx": WORDS, "ally": CLASSES, "tx": WORDS[1:],
    "ty": CLASSES[1:], "graph": defaultdict(list, {0: [1, 1, 0], 1: [0, 4], 2: [3]}),
}  # fmt: skip
PICKLES = {f"ind.t.{part}": pickle.dumps(value, 2) for part, value in PLANETOID.items()}
SETS = {
    nask.io.read_tu: TU,
    nask.io.read_tables: TABLES,
    nask.lab.read_pokec: POKEC,
    nask.io.read_planetoid: {**PICKLES, "ind.t.test.index": "4\n3\n"},
}
PIECES = [
    b"", b"0", b"-1", b"1e400", b"nan", b"inf", b"9" * 30, b"9" * 5000, b"1_0", b"\xff\xfe", b"\0",
    b",", b"\n\n", b"\r", b"\t", b'"', b"a", b"1.5", b"-0", b"\xef\xbb\xbf", b"\x1f\x8b",
    "\u0661".encode(), b"\xe2\x80\xa8", b"1" * 400,
]  # fmt: skip


def mutated(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data) + 1)
    stop = min(len(data), start + draw.choice([0, 1, 1, 5, 30]))
    return data[:start] + draw.choice([*PIECES, bytes([draw.randrange(256)])]) + data[stop:]


@pytest.mark.slow
@pytest.mark.parametrize("read", SETS, ids=lambda read: read.__name__)
def test_mutated_files_are_read_or_refused(read, tmp_path):
    draw = random.Random(0)
    files = {
        name: data if isinstance(data, bytes) else data.encode()
        for name, data in SETS[read].items()
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    read(tmp_path)
    refused = []
    for _ in range(300):
        name = draw.choice(sorted(files))
        (tmp_path / name).write_bytes(mutated(files[name], draw))
        try:
            read(tmp_path)
        except NaskError as error:
            refused.append(str(error))
        (tmp_path / name).write_bytes(files[name])
    assert len(refused) > 50
    assert max(map(len, refused)) < 1000
