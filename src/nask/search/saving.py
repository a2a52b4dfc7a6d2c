"""An index as a file: its graphs, its parameters and its features. No code is ever run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.estimators.restoring import set_parameters
from nask.estimators.restoring_work import check_work, refuse_huge_weights
from nask.estimators.saving import INDEX, plain_parameters, scalar, unreadable
from nask.exceptions import ModelFileError, ParameterError
from nask.graph.packed import array_names, pack, unpack
from nask.io.converters.molecule_reading import MoleculeGraph, MoleculeReading
from nask.kernels.nask import NASK
from nask.messages import quoted
from nask.search.index import Index
from nask.search.parameters import OF_SIMILARITIES
from nask.storage.model_file import FileArrays, read_file, write_file

ROWS = "features"


def save_index(index: Index, path: str | os.PathLike[str]) -> None:
    """Write an index; see :meth:`nask.Index.save`."""
    graphs, arrays = pack(index.graphs)
    for element in ("node", "edge"):
        for column in graphs[element]:
            what = f"category of attribute {quoted(column['name'])}"
            column["categories"] = [scalar(own, what) for own in column["categories"]]
    kernel = index.kernel.get_params(deep=False)
    given = {name: value for name, value in kernel.items() if name not in OF_SIMILARITIES}
    molecules = index.kernel.molecules_
    document = {
        "class": INDEX,
        "parameters": plain_parameters(given),
        "method": index.method,
        "n_components": int(index.n_components),
        "n_candidates": None if index.n_candidates is None else int(index.n_candidates),
        "random_state": int(index.random_state),
        "ids": [scalar(own, "id of a graph") for own in index.ids] if index.names.given else None,
        "molecules": None if molecules is None else molecules.to_json(),
        "graphs": graphs,
    }
    named = {f"graphs/{name}": array for name, array in arrays.items()}
    rows = {} if index.first_stage is None else {ROWS: index.first_stage.rows}
    # Random numbers do not become smaller, and take long to compress.
    write_file(path, document, named | rows, "save", plain=[ROWS])


def load_index(path: str | os.PathLike[str], running: Mapping[str, Any]) -> Index:
    """Read an index; see :meth:`nask.Index.load`."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError.expected("path", "Index.load", "a str or a path", path)
    try:
        return _restored(*read_file(path, _array_names), running)
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {os.fspath(path)}.") from None
    except Exception as error:
        expected = "a file written by the save method of a nask.Index"
        raise unreadable(path, error, "nask index", expected) from error


def _array_names(document: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    if document["class"] != INDEX:
        raise ModelFileError(f"It holds a {quoted(document['class'])}; nask.load reads it")
    return [f"graphs/{name}" for name in array_names(document["graphs"])], [ROWS]


def _restored(document: Mapping[str, Any], arrays: FileArrays, running: Mapping[str, Any]) -> Index:
    kernel = NASK()
    set_parameters(kernel, document["parameters"], INDEX)
    kernel.set_params(**running)
    kernel.check_parameters()
    refuse_huge_weights(kernel)
    given = document["molecules"]
    reading = None if given is None else MoleculeReading.from_json(given)
    parts = {name.removeprefix("graphs/"): array for name, array in arrays.items()}
    if reading is None:
        graphs = unpack(document["graphs"], parts, arrays.n_bytes)
    else:
        known = reading
        graphs = unpack(
            document["graphs"],
            parts,
            arrays.n_bytes,
            lambda *own: MoleculeGraph.of_molecule(known, *own),
        )
    starts = np.repeat(np.cumsum(parts["n_nodes"]) - parts["n_nodes"], parts["n_edges"])
    ends = parts["edges"] + starts[:, None]
    check_work(parts["n_nodes"], ends, arrays.n_bytes, kernel, kernel.engine)
    settings = {
        name: document[name]
        for name in ("method", "n_components", "n_candidates", "random_state", "ids")
    }
    ids, rows = settings["ids"], arrays.get(ROWS)
    if settings["method"] not in ("exact", "features"):
        raise ModelFileError(f"The method is {quoted(settings['method'])}, which is none.")
    if (settings["method"] == "features") != (rows is not None):
        raise ModelFileError("It holds features without a use for them, or none where there is.")
    if ids is not None and not (
        isinstance(ids, list) and all(isinstance(own, (str, bool, int, float)) for own in ids)
    ):
        raise ModelFileError(f"The ids are {quoted(ids)}: expected a list of texts or numbers.")
    return Index.restored(graphs, kernel, rows=rows, **settings)
