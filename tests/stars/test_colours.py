"""Colours against the plain relabelling of Weisfeiler and Leman with a dictionary."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.stars.colours import StarColours, attribute_colours, least_colours
from strategies import collections

N_HOPS = 3


def batch_of(graphs, degree=None):
    return GraphBatch.encode(graphs, Schema.fit(graphs, degree))


def colours_of(batch, n_hops, use_edges, **options):
    """The colours of a kernel's stars, whatever the attributes: the spec has those of one node."""
    spec = nask.NASK(n_hops=n_hops, use_edges=use_edges, **options).fit([nask.AttributedGraph(1)])
    return StarColours.of(batch, spec.fitted_.graphs.spec)


def values(elements, i):
    """The attributes of one element as text: two missing numbers are equal, and so are 0 and -0."""
    return repr([*(elements.numerical[:, i] + 0.0).tolist(), *elements.categorical[:, i].tolist()])


def relabelled(batch, use_edges):
    """What a star of 0, 1, ... hops is, as nested tuples of its core, leaves and edges."""
    ends = batch.endpoints.tolist()
    stars = [values(batch.nodes, v) for v in range(batch.n_nodes)]
    edges = [values(batch.edges, e) if use_edges else "" for e in range(len(ends))]
    yield stars
    for _ in range(N_HOPS):
        leaves = [[] for _ in stars]
        around = [[] for _ in stars]
        for e, (u, v) in enumerate(ends):
            for core, leaf in ((u, v), (v, u)):
                leaves[core].append(stars[leaf])
                around[core].append(edges[e])
        # Leaves and edges are multisets of their own: which leaf an edge leads to does not count.
        full = [
            (star, tuple(sorted(leaf)), tuple(sorted(edge)))
            for star, leaf, edge in zip(stars, leaves, around, strict=True)
        ]
        names = {star: f"{i}" for i, star in enumerate(dict.fromkeys(full))}
        stars = [names[star] for star in full]
        yield stars


def same_partition(colours, names):
    pairs = set(zip(colours.tolist(), names, strict=True))
    return len(pairs) == len(set(names)) == len(set(colours.tolist()))


@pytest.mark.parametrize("use_edges", [True, False])
@given(data=st.data())
def test_colours_are_those_of_plain_relabelling(use_edges, data):
    train, new = data.draw(collections(max_nodes=7))
    batch = batch_of([*train, *new], data.draw(st.sampled_from([None, "categorical"])))
    colours = colours_of(batch, N_HOPS, use_edges)
    for level, names in zip(colours.levels, relabelled(batch, use_edges), strict=True):
        assert same_partition(level, names)
        assert set(level.tolist()) == set(range(len(set(names))))


@given(collections(max_nodes=7))
def test_stars_come_in_the_order_of_their_leaves(graphs):
    batch = batch_of(list(itertools.chain(*graphs)))
    degree = np.bincount(batch.endpoints.ravel(), minlength=batch.n_nodes)
    for level in colours_of(batch, N_HOPS, use_edges=True).levels[1:]:
        assert (np.diff(degree[np.argsort(level, kind="stable")]) >= 0).all()


def test_missing_values_are_alike_and_edges_tell_stars_apart():
    graph = nask.AttributedGraph(
        6,
        [(0, 1), (2, 3), (4, 5)],
        {"x": [None, 1.0, None, 1.0, 0.0, 1.0]},
        {"bond": ["single", "double", "single"]},
    )
    batch = batch_of([graph])
    assert attribute_colours(batch.nodes).tolist() == [2, 1, 2, 1, 0, 1]
    with_edges = colours_of(batch, 1, use_edges=True)
    assert len(set(with_edges.levels[1].tolist())) == 6
    assert with_edges.bundles.tolist() == [0, 0, 1, 1, 0, 0]
    without = colours_of(batch, 1, use_edges=False).levels[1]
    assert without[0] == without[2]
    assert without[1] == without[3] != without[5]


def test_leaves_are_counted():
    """Two leaves a and one b are not one a and two b."""
    stars = [
        nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)], {"letter": ["c", *leaves]})
        for leaves in ("aab", "abb", "baa")
    ]
    centres = colours_of(batch_of(stars), 1, use_edges=True).levels[1][::4]
    assert centres[0] == centres[2] != centres[1]


@given(collections(max_nodes=7))
def test_the_least_number_of_colours_is_no_more_than_there_are(graphs):
    nodes = batch_of(list(itertools.chain(*graphs))).nodes
    n_colours = len(set(attribute_colours(nodes).tolist()))
    assert min(1, n_colours) <= least_colours(nodes) <= n_colours


def test_the_least_number_of_colours_is_all_of_them_where_numbers_differ():
    x, y = np.random.default_rng(0).normal(size=(2, 100))
    graph = nask.AttributedGraph(200, node_attributes={"x": [*x, *x], "y": [*y, *y]})
    assert least_colours(batch_of([graph]).nodes) == 100


def test_the_edges_of_kept_leaves_make_a_bundle():
    """Both centres have a leaf like them and another one, a single and a double bond: crosswise."""
    letters = {"letter": ["a", "a", "b"]}
    stars = [
        nask.AttributedGraph(3, [(0, 1), (0, 2)], letters, {"bond": bonds})
        for bonds in (["single", "double"], ["double", "single"])
    ]
    for k, same in ((None, True), (2, True), (1, False)):
        training = nask.NASK(n_hops=1, max_leaves=k).fit(stars).fitted_.graphs
        centres = StarColours.of(training.batch, training.spec).levels[1][::3]
        assert (centres[0] == centres[1]) == same
        grams = [
            nask.NASK(n_hops=1, max_leaves=k, engine=engine).fit_transform(stars)
            for engine in ("reference", "distinct")
        ]
        np.testing.assert_allclose(*grams, rtol=1e-13)
