from __future__ import annotations

import io
import struct
import zipfile

import pytest

from nask.exceptions import FormatError
from nask.io.readers.archive import open_archive
from nask.io.readers.tu import read_tu

FILES = {"S/S_A.txt": b"1, 2\n2, 1\n" * 20, "S/S_graph_indicator.txt": b"1\n1\n"}


def zipped(files=FILES, compression=zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def with_flag(data: bytes, flag: int) -> bytes:
    """Set a general purpose flag in every local and central header."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = data.find(signature)
        while start >= 0:
            (old,) = struct.unpack_from("<H", data, start + offset)
            struct.pack_into("<H", changed, start + offset, old | flag)
            start = data.find(signature, start + 1)
    return bytes(changed)


def test_folder_and_zip_are_seen_alike(tmp_path):
    for name, data in FILES.items():
        (tmp_path / "folder/S").mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_bytes(data)
    (tmp_path / "set.zip").write_bytes(zipped(FILES | {"S/": b"", "__MACOSX/S/._S_A.txt": b"x"}))
    for archive in (open_archive(tmp_path / "folder"), open_archive(tmp_path / "set.zip")):
        assert archive.names == tuple(sorted(FILES))
        assert {name: archive.read(name) for name in archive.names} == FILES


BAD = {
    "not a zip": (b"1, 2\n2, 1\n", "not a zip"),
    "empty file": (b"", "not a zip"),
    "cut short": (zipped()[:-40], "cut short or damaged"),
    "cut in half": (zipped()[: len(zipped()) // 2], "cut short or damaged"),
    "password": (with_flag(zipped(), 1), r"^\S+S_\w+.txt is protected by a password"),
    "no set": (zipped({"S/readme.txt": b""}), r"holds no file \*_A.txt"),
}


@pytest.mark.parametrize(("data", "message"), list(BAD.values()), ids=list(BAD))
def test_bad_zips(tmp_path, data, message):
    (tmp_path / "set.zip").write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        read_tu(tmp_path / "set.zip")
    assert "set.zip" in str(caught.value)


def test_missing_path(tmp_path):
    with pytest.raises(FormatError, match=r"nowhere.zip does not exist"):
        read_tu(tmp_path / "nowhere.zip")


def test_a_crc_error(tmp_path):
    data = zipped(compression=zipfile.ZIP_STORED)
    (tmp_path / "set.zip").write_bytes(data.replace(b"1, 2\n2, 1\n", b"1, 2\n2, 3\n", 1))
    with pytest.raises(FormatError, match=r"S_A.txt cannot be read: .*CRC"):
        read_tu(tmp_path / "set.zip")


@pytest.mark.parametrize(
    "name", ["../x.txt", "S/../../x.txt", "/etc/x.txt", "C:/x.txt", "c:x.txt", "..\\x.txt", "\\x"]
)
def test_names_that_lead_out(tmp_path, name):
    (tmp_path / "set.zip").write_bytes(zipped(FILES | {name: b""}))
    with pytest.raises(FormatError, match="leads out of the zip"):
        read_tu(tmp_path / "set.zip")


def test_an_empty_name(tmp_path):
    """ZipInfo.is_dir fails on one: a NUL cuts the name of this file to nothing."""
    data = zipped(FILES | {"QQ": b""}).replace(b"QQ", b"\0Q")
    (tmp_path / "set.zip").write_bytes(data)
    with pytest.raises(FormatError, match="leads out of the zip"):
        read_tu(tmp_path / "set.zip")


def test_harmless_dots_in_names(tmp_path):
    (tmp_path / "set.zip").write_bytes(zipped(FILES | {"S/..a/b..txt": b""}))
    assert len(read_tu(tmp_path / "set.zip")) == 1


def test_a_file_twice(tmp_path):
    data = zipped(FILES | {"S/S_B.txt": b""}).replace(b"S_B.txt", b"S_A.txt")
    (tmp_path / "set.zip").write_bytes(data)
    with pytest.raises(FormatError, match=r"'S/S_A.txt' 2 times"):
        read_tu(tmp_path / "set.zip")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damage_anywhere_is_a_format_error_or_harmless(tmp_path, compression):
    """Every byte changed in three ways, and the zip cut at every length."""
    good, path = zipped(compression=compression), tmp_path / "set.zip"
    damaged = [good[:length] for length in range(len(good))]
    for position, byte in enumerate(good):
        for change in (0x01, 0x80, 0xFF):
            damaged.append(good[:position] + bytes([byte ^ change]) + good[position + 1 :])
    refused = 0
    for data in damaged:
        path.write_bytes(data)
        try:
            edges = read_tu(path).graphs[0].edges.tolist()
        except FormatError:
            refused += 1
        else:
            assert edges == [[0, 1]]
    assert len(damaged) > refused > len(damaged) / 2
