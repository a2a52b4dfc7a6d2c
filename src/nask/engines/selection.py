"""Which engine computes: the one asked for, or the cheapest that can."""

from __future__ import annotations

from typing import Any, Literal

from nask.engines.contract import Engine
from nask.engines.explicit import ExplicitEngine
from nask.engines.pairwise import PairwiseEngine
from nask.engines.reference import ReferenceEngine
from nask.exceptions import ParameterError
from nask.graph.batch import GraphBatch
from nask.stars.spec import StarSpec

EngineName = Literal["auto", "reference", "pairwise", "explicit"]
ENGINES: dict[str, Engine[Any]] = {
    engine.name: engine for engine in (ReferenceEngine(), PairwiseEngine(), ExplicitEngine())
}

# A pair of nodes costs a tile about as much as this many multiply-adds cost a matrix product.
PRODUCTS_PER_PAIR = 100


def choose_engine(name: EngineName, batch: GraphBatch, spec: StarSpec, owner: str) -> Engine[Any]:
    """Return the engine of that name; "auto" compares the work of those that apply.

    Explicit features cost a product of their length for each pair of graphs, tiles a fixed
    amount for each pair of nodes.
    """
    applies = ExplicitEngine.applies(spec)
    if name == "explicit" and not applies:
        raise ParameterError(
            f"The 'engine' parameter of {owner} is 'explicit', which needs categorical attributes "
            "only and expansion='ball' (or n_hops=1). Use engine='auto', which picks one that fits."
        )
    if name != "auto":
        return ENGINES[name]
    nodes_per_graph = batch.n_nodes / max(batch.n_graphs, 1)
    cheap = ExplicitEngine.n_features(spec) < PRODUCTS_PER_PAIR * nodes_per_graph**2
    return ENGINES["explicit" if applies and cheap else "pairwise"]
