"""The choice of an engine: the one that the user names, or the one with the least work."""

from __future__ import annotations

from itertools import islice
from typing import Any, Literal

from nask.attributes.feature_map import MOST_VALUES
from nask.engines.contract import Engine, Prepared
from nask.engines.distinct.engine import DistinctEngine
from nask.engines.explicit.engine import ExplicitEngine
from nask.engines.explicit.work import products_per_pair, values_are_few
from nask.engines.pairwise.engine import PairwiseEngine
from nask.engines.reference.engine import ReferenceEngine
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.colours import StarColours, least_colours, star_colours
from nask.stars.spec import StarSpec

EngineName = Literal["auto", "reference", "pairwise", "explicit", "distinct"]
ENGINES: dict[str, Engine[Any]] = {
    engine.name: engine
    for engine in (ReferenceEngine(), PairwiseEngine(), ExplicitEngine(), DistinctEngine())
}

# Comparing a pair of nodes in a tile takes about as long as this many multiply-adds of a matrix
# product. Measured on one thread with 500 trees of 20 nodes, with one number per node: with 20
# distinct numbers, which take 38 multiply-adds per pair of nodes, the explicit engine takes a third
# of the time of tiles; with 60, which take 200, twice the time.
PRODUCTS_PER_PAIR = 100
# Up to so many pairs of nodes and hops, 4 ms of tiles, it is not worth while to colour the nodes.
FEW_PAIRS = 1_000_000
# Comparing a pair of distinct stars takes up to as long as this many pairs of nodes in a tile.
PAIRS_PER_DISTINCT_PAIR = 2.0


def prepare(
    name: EngineName, batch: GraphBatch, spec: StarSpec, execution: Execution, owner: str
) -> tuple[str, Prepared]:
    """Prepare a batch by the engine of that name, or for "auto" by the one with the least work.

    The work of the explicit engine grows with the pairs of graphs and the length of their vectors,
    that of tiles with the pairs of nodes, that of the distinct engine with the pairs of distinct
    stars.

    Return the name of the engine too. ``owner`` is the estimator's name, for error messages.
    """
    check_engine(name, batch, spec, owner)
    if name == "auto":
        if ExplicitEngine.applies(spec) and products_are_few(batch, spec):
            name = "explicit"
        elif DistinctEngine.applies(spec) and (colours := repeated_colours(batch, spec)):
            return "distinct", DistinctEngine().prepare(batch, spec, execution, colours)
        else:
            name = "pairwise"
    prepared: Prepared = ENGINES[name].prepare(batch, spec, execution)
    return name, prepared


def check_engine(name: EngineName, batch: GraphBatch, spec: StarSpec, owner: str) -> None:
    """Raise if the engine of that name cannot compute this kernel; "auto" always can.

    ``owner`` is the estimator's name, for errors.
    """
    needs = ""
    if name == "explicit" and not ExplicitEngine.applies(spec):
        needs = "expansion='ball' (or n_hops=1)"
        if spec.joint:
            needs = "a similarity that is a sum over attributes, which 'euclidean' is not"
    elif name == "explicit" and not values_are_few(batch, spec):
        needs = f"numerical attributes of at most {MOST_VALUES} distinct values in training"
    elif name == "distinct" and not DistinctEngine.applies(spec):
        needs = "expansion='nested' or 'walk' (or n_hops=1)"
    if needs:
        raise ParameterError(
            f"The 'engine' parameter of {owner} is {name!r}, which needs {needs}. "
            "Use engine='auto', which picks one that fits."
        )


def products_are_few(batch: GraphBatch, spec: StarSpec) -> bool:
    """Tell whether the explicit engine's products are less work than tiles."""
    nodes_per_graph = batch.n_nodes / max(batch.n_graphs, 1)
    return products_per_pair(batch, spec) < PRODUCTS_PER_PAIR * nodes_per_graph**2


def repeated_colours(batch: GraphBatch, spec: StarSpec) -> StarColours | None:
    """Return the colours of the stars if comparing the distinct ones is less work than tiles.

    For a symmetric matrix, half of the pairs do: of nodes, and of the last hop's distinct stars.
    """
    pairs = spec.n_hops * batch.n_nodes**2 / 2
    if pairs <= FEW_PAIRS:
        return None
    if PAIRS_PER_DISTINCT_PAIR * float(least_colours(batch.nodes)) ** 2 >= pairs:
        return None
    edges, bundles, found = star_colours(batch, spec)
    work, levels = 0.0, []
    # Hop by hop, to stop as soon as the answer is no: at hop 0, if attributes are numbers.
    for hop, colours in enumerate(islice(found, spec.n_hops + 1)):
        share = 0.5 if hop == spec.n_hops else 1.0
        work += PAIRS_PER_DISTINCT_PAIR * share * float(colours.max() + 1) ** 2
        if work >= pairs:
            return None
        levels.append(colours)
    return StarColours(edges, bundles, levels)
