"""What every engine promises of prepared graphs: some of them are taken, not prepared again."""

import numpy as np
import pytest

import nask
from mixed_graphs import random_graphs
from nask.engines.selection import ENGINES
from nask.storage.window import Window

OPTIONS = {
    "nested": {"n_hops": 2},
    "guarded": {"n_hops": 4, "gamma_star": 1e4},
    "ball": {"n_hops": 3, "expansion": "ball", "prune_cores": True},
    "raw": {"n_hops": 2, "star_norm": False, "degree": "numerical", "use_edges": False},
    "one hop": {"n_hops": 1, "degree": "categorical"},
}


def graphs_with_bonds(n):
    """Random graphs whose edges have attributes too, the last one without nodes."""
    draw = np.random.default_rng(1)
    found = []
    for graph in random_graphs(n, seed=0):
        bonds = {"bond": draw.choice(["single", "double"], graph.n_edges).tolist()}
        found.append(nask.AttributedGraph(graph.n_nodes, graph.edges, graph.node_attributes, bonds))
    return found


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_taken_graphs_are_as_if_prepared_alone(engine, options):
    ball, nested = options.get("expansion") == "ball", options["n_hops"] > 1
    if (engine == "distinct" and ball) or (engine == "explicit" and nested and not ball):
        pytest.skip("not computed by this engine")
    graphs = graphs_with_bonds(13)
    kernel = nask.NASK(engine=engine, **options).fit(graphs).fitted_
    chosen, execution = np.array([7, 2, 12, 3]), nask.NASK().execution()
    taken = kernel.graphs.take(chosen)
    alone = ENGINES[engine].prepare(kernel.graphs.batch.take(chosen), kernel.graphs.spec, execution)
    assert taken.batch.same_content(alone.batch)
    np.testing.assert_allclose(taken.hop_self, alone.hop_self, rtol=1e-14)
    each = np.eye(options["n_hops"])
    for rows, others in ((kernel.graphs, kernel.graphs), (taken, alone)):
        window = Window.whole(rows.batch.n_graphs, len(chosen))
        grams = ENGINES[engine].grams(rows, taken, each, execution, window)
        expected = ENGINES[engine].grams(others, alone, each, execution, window)
        np.testing.assert_allclose(grams, expected, rtol=1e-13, atol=1e-300)
        if engine != "explicit":  # whose products are summed in another order
            assert np.array_equal(grams, expected)


def test_a_model_keeps_the_support_graphs_as_they_were_prepared(mutag):
    graphs, y = mutag.graphs[:60], mutag.y[:60]
    model = nask.NASKClassifier(n_hops=2).fit(graphs, y)
    kernel = nask.NASK(n_hops=2, engine=model.kernel_.engine_).fit(graphs)
    gram = kernel.transform(mutag.graphs[60:80])[:, model.support_]
    np.testing.assert_allclose(model.kernel_.transform(mutag.graphs[60:80]), gram, rtol=1e-13)
