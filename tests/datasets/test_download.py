"""Downloads against a server of this machine."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import socket
import threading
import zipfile
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy import sparse

from nask.datasets import available_datasets, load_dataset
from nask.datasets.catalogue import DatasetInfo, catalogue
from nask.exceptions import DatasetNotFoundError, FormatError


def zipped(name: str, n_nodes: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}/{name}_A.txt", "1, 2\n2, 1\n")
        archive.writestr(f"{name}/{name}_graph_indicator.txt", "1\n" * n_nodes)
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Serves ``files``; each request is noted, and bodies in ``cut`` end too soon."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.cut: set[str] = set()
        self.asked: list[str] = []

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.removeprefix("/")
        self.server.asked.append(name)
        body = self.server.files.get(name)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if name in self.server.cut else body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("NASK_DATA", raising=False)
    monkeypatch.setenv("NASK_CACHE", str(tmp_path / "deep/cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "deep/cache"


@pytest.fixture
def publish(monkeypatch):
    """A function that puts a set TINY of two joined nodes into the catalogue."""

    def add(*addresses: str, **counts: object) -> None:
        expected = {"n_graphs": 1, "mean_nodes": 2.0, "n_edges": 1, **counts}
        info = DatasetInfo(name="TINY", addresses=addresses, **expected)
        monkeypatch.setitem(catalogue(), "TINY", info)

    return add


def test_a_set_is_downloaded_once(server, cache, publish, capfd):
    server.files["TINY.zip"] = zipped("TINY", 2)
    publish(server.address("TINY.zip"))
    assert "TINY" not in available_datasets()
    for _ in range(2):
        assert load_dataset("TINY").graphs[0].n_edges == 1
    assert server.asked == ["TINY.zip"]
    assert (cache / "TINY.zip").read_bytes() == server.files["TINY.zip"]
    assert os.listdir(cache) == ["TINY.zip"]
    assert "TINY" in available_datasets()
    assert capfd.readouterr() == ("", "")  # the bar is for terminals


def test_several_files_become_one_zip(server, cache, publish):
    one_hot, words = np.eye(2, dtype=np.int32), sparse.csr_matrix(np.eye(2))
    parts = {"x": words, "y": one_hot, "allx": words, "ally": one_hot, "tx": words, "ty": one_hot}
    server.files = {f"ind.tiny.{part}": pickle.dumps(value) for part, value in parts.items()}
    server.files["ind.tiny.graph"] = pickle.dumps(defaultdict(list, {0: [1], 1: [0]}))
    server.files["ind.tiny.test.index"] = b"3\n2\n"
    publish(
        *map(server.address, server.files), collection="Planetoid", task="node classification",
        n_nodes=4, node_attributes=2, n_classes=2, split=(2, 0, 2),
    )  # fmt: skip
    data = load_dataset("TINY")
    assert (data.name, data.y.tolist()) == ("TINY", [0, 1, 1, 0])
    assert os.listdir(cache) == ["TINY.zip"]
    assert sorted(server.asked) == sorted(server.files)
    del server.files["ind.tiny.graph"]
    (cache / "TINY.zip").unlink()
    with pytest.raises(DatasetNotFoundError, match="404") as caught:
        load_dataset("TINY")
    assert f"into a folder TINY, and that into {cache}" in str(caught.value)
    assert server.address("ind.tiny.test.index") in str(caught.value)


def test_the_files_of_pokec_are_not_packed_twice(server, cache, publish):
    line = "{}\t1\t50\t{}\tzilina\t2012-05-25 11:20:00.0\t2005-04-03 00:00:00.0\t20\n"
    server.files = {
        "soc-pokec-relationships.txt.gz": gzip.compress(b"1\t2\n"),
        "soc-pokec-profiles.txt.gz": gzip.compress(
            (line.format(1, 0) + line.format(2, 1)).encode()
        ),
    }
    publish(
        *map(server.address, server.files), collection="SNAP", task="node classification",
        n_nodes=2, n_classes=2, node_labels=2, node_attributes=3,
    )  # fmt: skip
    data = load_dataset("TINY")
    assert (data.name, data.y.tolist()) == ("TINY", [0, 1])
    with zipfile.ZipFile(cache / "TINY.zip") as archive:
        assert {file.filename: archive.read(file) for file in archive.infolist()} == server.files
        assert all(file.compress_type == zipfile.ZIP_STORED for file in archive.infolist())


def refused(server: Server) -> str:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{closed.getsockname()[1]}/TINY.zip"


def missing(server: Server) -> str:
    return server.address("TINY.zip")


def cut_short(server: Server) -> str:
    server.files["TINY.zip"] = zipped("TINY", 2)
    server.cut.add("TINY.zip")
    return server.address("TINY.zip")


def no_zip(server: Server) -> str:
    server.files["TINY.zip"] = b"<html>Log in to this network</html>"
    return server.address("TINY.zip")


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (refused, "Connection refused"),
        (missing, "the server answered 404"),
        (cut_short, "IncompleteRead"),
        (no_zip, "not a zip"),
    ],
)
def test_a_failed_download_says_what_to_put_where_and_leaves_nothing(
    server, cache, publish, trouble, reason
):
    address = trouble(server)
    publish(address)
    with pytest.raises(DatasetNotFoundError, match=reason) as caught:
        load_dataset("TINY")
    message = str(caught.value)
    assert message.startswith("TINY is not at hand, and its download failed: ")
    # A traceback shows it alone.
    assert caught.value.__suppress_context__
    assert f"Get {address} and put it into {cache} (the cache)" in message
    assert "NASK_DATA" in message
    assert os.listdir(cache) == []
    assert "TINY" not in available_datasets()


def test_following_the_advice_works(server, cache, publish):
    publish(missing(server))
    with pytest.raises(DatasetNotFoundError):
        load_dataset("TINY")
    (cache / "TINY.zip").write_bytes(zipped("TINY", 2))
    assert len(load_dataset("TINY")) == 1


def test_a_cache_that_cannot_be_written_says_so(server, cache, publish):
    server.files["TINY.zip"] = zipped("TINY", 2)
    publish(server.address("TINY.zip"))
    cache.parent.mkdir()
    cache.write_text("a file, no folder")
    with pytest.raises(DatasetNotFoundError, match=r"cache is a file, .* NASK_CACHE"):
        load_dataset("TINY")


def test_a_download_with_other_counts_is_refused_until_it_is_removed(server, cache, publish):
    server.files["TINY.zip"] = zipped("TINY", 3)
    publish(server.address("TINY.zip"))
    for _ in range(2):
        with pytest.raises(FormatError, match=r"3 nodes per graph, not 2\. Remove") as caught:
            load_dataset("TINY")
        assert str(cache / "TINY.zip") in str(caught.value)
    server.files["TINY.zip"] = zipped("TINY", 2)
    (cache / "TINY.zip").unlink()
    assert len(load_dataset("TINY")) == 1
