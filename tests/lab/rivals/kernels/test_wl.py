"""WL-VH against refinement by nested tuples."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import collections

pytest.importorskip("grakel")

from nask.lab.rivals.kernels.wl import WL


def label_counts(graph, names, rounds):
    """How often each label of each round occurs; a label is what it was made of."""
    near = {v: [] for v in range(graph.n_nodes)}
    for u, v in graph.edges.tolist():
        near[u].append(v)
        near[v].append(u)
    columns = [
        graph.node_attributes[name].values()
        if name in graph.node_attributes
        else [None] * graph.n_nodes
        for name in names
    ]
    now = {v: repr([column[v] for column in columns]) for v in near}
    counts = Counter()
    for number in range(rounds + 1):
        counts.update((number, label) for label in now.values())
        now = {v: repr((now[v], sorted(now[u] for u in near[v]))) for v in near}
    return counts


@given(collections(), st.integers(1, 3))
@pytest.mark.filterwarnings("ignore::nask.exceptions.UnseenAttributeWarning")
@pytest.mark.filterwarnings("ignore::nask.exceptions.AbsentAttributeWarning")
def test_kernel_counts_common_labels_of_all_rounds(graphs, rounds):
    train, new = graphs
    names = [
        name
        for name in ("letter", "other")
        if any(
            name in g.node_attributes and not g.node_attributes[name].missing.all() for g in train
        )
    ]
    fitted = WL(n_iter=rounds).fit(train)
    for some, found in ((train, fitted.compare()), (new, fitted.transform(new))):
        for graph, row in zip(some, found, strict=True):
            own = label_counts(graph, names, rounds)
            for other, value in zip(train, row, strict=True):
                theirs = label_counts(other, names, rounds)
                common = sum(n * theirs[label] for label, n in own.items())
                squares = [sum(n * n for n in counts.values()) for counts in (own, theirs)]
                expected = common / np.sqrt(np.prod(squares)) if all(squares) else 0.0
                assert value == pytest.approx(expected, abs=1e-12)


def test_new_graphs_compare_as_in_a_fit_of_all(mutag):
    graphs = mutag.graphs[:40]
    whole = WL().fit_transform(graphs)
    # The first 15 graphs lack an atom that later ones have.
    np.testing.assert_allclose(WL().fit(graphs[:15]).transform(graphs[15:]), whole[15:, :15])
