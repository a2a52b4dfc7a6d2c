"""Readers and converters: other forms of graphs in, AttributedGraph out, and back."""

from typing import TYPE_CHECKING

from nask.lazy import lazy_names

_MODULES = {
    "from_frames": "nask.io.converters.frames",
    "from_grakel": "nask.io.converters.grakel",
    "from_networkx": "nask.io.converters.networkx",
    "from_pyg": "nask.io.converters.pyg",
    "from_rdkit": "nask.io.converters.molecules",
    "from_smiles": "nask.io.converters.molecules",
    "read_planetoid": "nask.io.readers.planetoid",
    "read_tables": "nask.io.readers.tables",
    "read_tu": "nask.io.readers.tu",
    "to_frames": "nask.io.converters.frames",
    "to_networkx": "nask.io.converters.networkx",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605
if TYPE_CHECKING:
    from nask.io.converters.frames import from_frames as from_frames
    from nask.io.converters.frames import to_frames as to_frames
    from nask.io.converters.grakel import from_grakel as from_grakel
    from nask.io.converters.molecules import from_rdkit as from_rdkit
    from nask.io.converters.molecules import from_smiles as from_smiles
    from nask.io.converters.networkx import from_networkx as from_networkx
    from nask.io.converters.networkx import to_networkx as to_networkx
    from nask.io.converters.pyg import from_pyg as from_pyg
    from nask.io.readers.planetoid import read_planetoid as read_planetoid
    from nask.io.readers.tables import read_tables as read_tables
    from nask.io.readers.tu import read_tu as read_tu
else:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
