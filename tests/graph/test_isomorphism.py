"""Groups of isomorphic graphs against networkx, and by what an isomorphism preserves."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import nask
from nask.exceptions import SchemaError
from nask.graph import isomorphism
from nask.graph.isomorphism import isomorphic_groups
from strategies import graphs

FEW = {"numbers": st.sampled_from([0.0, 0.5]), "letters": st.sampled_from("ab")}


def plain(graph):
    """A graph of networkx without attributes, as one of nask."""
    graph = nx.convert_node_labels_to_integers(graph)
    return nask.AttributedGraph(graph.number_of_nodes(), list(graph.edges))


def permuted(graph, order, turned=False):
    """The graph with node i called order[i], and its edges listed in another order."""
    order = np.array(order, dtype=np.int64)
    nodes, edges = np.argsort(order), np.arange(graph.n_edges)[::-1]
    ends = order[graph.edges[edges]]
    return nask.AttributedGraph(
        graph.n_nodes,
        ends[:, ::-1] if turned else ends,
        {name: a.take(nodes) for name, a in graph.node_attributes.items()},
        {name: a.take(edges) for name, a in graph.edge_attributes.items()},
        node_features=None if graph.node_features is None else graph.node_features[nodes],
    )


def as_networkx(graph, numbers):
    """The graph for the oracle; a value that is missing, or whose attribute is, is not named."""

    def labels(attributes, i):
        shown = {
            n: a.values()[i] for n, a in attributes.items() if numbers or a.kind != "numerical"
        }
        return {"label": {name: value for name, value in shown.items() if value is not None}}

    other = nx.Graph()
    other.add_nodes_from((i, labels(graph.node_attributes, i)) for i in range(graph.n_nodes))
    for e, (u, v) in enumerate(graph.edges.tolist()):
        other.add_edge(u, v, **labels(graph.edge_attributes, e))
    return other


def groups_by_networkx(collection, numbers):
    found, models = [], []
    for graph in (as_networkx(graph, numbers) for graph in collection):
        alike = (nx.is_isomorphic(graph, m, dict.__eq__, dict.__eq__) for m in models)
        group = next((k for k, yes in enumerate(alike) if yes), len(models))
        models += [graph] * (group == len(models))
        found.append(group)
    return found


def permutations(graph):
    return st.permutations(range(graph.n_nodes))


@st.composite
def related_graphs(draw):
    """Few values and few nodes, and some graphs permuted or with one edge moved."""
    drawn = draw(st.lists(graphs(**FEW, max_nodes=5), min_size=1, max_size=4))
    copies = []
    for graph in drawn:
        copies.append(permuted(graph, draw(permutations(graph)), draw(st.booleans())))
        if graph.n_edges and not graph.edge_attributes:
            edges = graph.edges.tolist()
            edges[0] = sorted(draw(permutations(graph))[:2])
            copies.append(nask.AttributedGraph(graph.n_nodes, edges, graph.node_attributes))
    return draw(st.permutations([*drawn, *copies]))


@pytest.mark.parametrize("numbers", [True, False])
@settings(max_examples=100)
@given(collection=related_graphs())
def test_groups_are_those_of_networkx(numbers, collection):
    expected = groups_by_networkx(collection, numbers)
    assert isomorphic_groups(collection, numbers=numbers).tolist() == expected


@settings(max_examples=100)
@given(st.data())
def test_sparse_graphs_of_two_colours_are_grouped_as_by_networkx(data):
    """Structure decides: nodes of equal degree, of two categories at most."""
    collection = []
    for _ in range(data.draw(st.integers(2, 6))):
        seed, degree = data.draw(st.integers(0, 50)), data.draw(st.sampled_from([2, 2, 3]))
        shape = nx.random_regular_graph(degree, 8, seed=seed)
        colours = data.draw(st.sampled_from(["aaaaaaaa", "aaaaaaab", "abababab"]))
        collection.append(nask.AttributedGraph(8, list(shape.edges), {"letter": list(colours)}))
    assert isomorphic_groups(collection).tolist() == groups_by_networkx(collection, True)


@given(graphs(max_nodes=8), st.data())
def test_a_permuted_graph_is_in_the_same_group(graph, data):
    other = permuted(graph, data.draw(permutations(graph)), turned=True)
    assert isomorphic_groups([graph, other]).tolist() == [0, 0]
    assert isomorphic_groups([other, graph], numbers=False).tolist() == [0, 0]


# The smallest asymmetric tree: a path of six nodes with a leaf on the third.
TREE = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)]


def tree(edges=TREE, **changed):
    values = {
        "letter": [*"aabbabc"[:6], None],
        "x": [0.1, 0.2, 0.3, None, 0.5, 0.6, 0.7],
        "bond": list("ststts"),
        "length": [1.0, 2.0, 3.0, 4.0, None, 6.0],
    }
    for name, (position, value) in changed.items():
        values[name][position] = value
    nodes = {name: values[name] for name in ("letter", "x")}
    return nask.AttributedGraph(7, edges, nodes, {n: values[n] for n in ("bond", "length")})


@pytest.mark.parametrize("name", ["letter", "x", "bond", "length"])
@given(data=st.data())
def test_another_value_of_one_attribute_makes_another_group(name, data):
    graph = tree()
    own = {**graph.node_attributes, **graph.edge_attributes}[name]
    position = data.draw(st.integers(0, len(own) - 1))
    value = data.draw(
        st.sampled_from(sorted({v for v in own.values() if v is not None})) | st.none()
    )
    assume(value != own.values()[position])
    other = permuted(tree(**{name: (position, value)}), data.draw(permutations(graph)))
    assert isomorphic_groups([graph, other]).tolist() == [0, 1]
    without = [0, 0] if own.kind == "numerical" else [0, 1]
    assert isomorphic_groups([graph, other], numbers=False).tolist() == without


@given(st.integers(0, 5), st.sampled_from(list(itertools.combinations(range(7), 2))), st.data())
def test_another_edge_makes_another_group(position, pair, data):
    assume(pair not in TREE)
    moved = [*TREE]
    moved[position] = pair
    graph, other = tree(), tree(moved)
    # All nodes have values of their own, so no other edge is the same one.
    other = permuted(other, data.draw(permutations(graph)))
    assert isomorphic_groups([graph, other]).tolist() == [0, 1]
    fewer = nask.AttributedGraph(7, np.delete(TREE, position, axis=0))
    assert isomorphic_groups([nask.AttributedGraph(7, TREE), fewer]).tolist() == [0, 1]


def test_an_edge_is_told_by_the_neighbour_it_leads_to():
    """Both centres have the same neighbours and the same bonds, but not in the same pairs."""
    a, b = (
        nask.AttributedGraph(3, [(0, 1), (0, 2)], {"atom": list("CNO")}, {"bond": bonds})
        for bonds in (["single", "double"], ["double", "single"])
    )
    assert isomorphic_groups([a, b]).tolist() == [0, 1]


def triangles(n):
    return nx.disjoint_union_all([nx.cycle_graph(3)] * n)


def with_hub(graph):
    """The graph and one more node, joined to all others."""
    hub = nx.convert_node_labels_to_integers(graph)
    hub.add_edges_from([("hub", v) for v in list(hub)])
    return hub


def rook():
    return nx.line_graph(nx.complete_bipartite_graph(4, 4))


def shrikhande():
    """As regular as the rook's graph, and told from it only by what is among the neighbours."""
    steps = [(0, 1), (1, 0), (1, 1)]
    places = list(itertools.product(range(4), repeat=2))
    return nx.Graph([((a, b), ((a + i) % 4, (b + j) % 4)) for a, b in places for i, j in steps])


def prism(n):
    return nx.circular_ladder_graph(n)


def moebius(n):
    return nx.circulant_graph(2 * n, [1, n])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (triangles(2), nx.cycle_graph(6)),
        (with_hub(triangles(2)), with_hub(nx.cycle_graph(6))),
        (nx.complement(triangles(3)), nx.complement(nx.cycle_graph(9))),
        # Trying to match triangles one after the other would take 18! attempts.
        (nx.disjoint_union(triangles(18), nx.cycle_graph(6)), triangles(20)),
        (with_hub(nx.disjoint_union(triangles(18), nx.cycle_graph(6))), with_hub(triangles(20))),
        (rook(), shrikhande()),
        (prism(6), moebius(6)),
        (nx.circulant_graph(13, [1, 3]), nx.circulant_graph(13, [1, 5])),
    ],
)
@pytest.mark.timeout(60)
def test_regular_graphs_that_colours_do_not_tell_apart(one, other):
    one, other = plain(one), plain(other)
    order = np.random.default_rng(0).permutation(one.n_nodes)
    family = isomorphism._Family.of([one, other], numbers=True)
    for _ in range(one.n_nodes):
        family = family.refined()
    assert len(set(family.palettes().tolist())) == 1, "refinement alone would do"
    collection = [one, other, permuted(other, order), permuted(one, order)]
    assert isomorphic_groups(collection).tolist() == [0, 1, 1, 0]


@example(n=8, steps=[{1, 3}, {1, 2}, {1, 3}])
@given(st.integers(6, 13), st.lists(st.sets(st.integers(1, 6), min_size=1, max_size=3), min_size=2))
def test_circulants_are_grouped_as_by_networkx(n, steps):
    shapes = [nx.circulant_graph(n, [step for step in some if 2 * step <= n]) for some in steps]
    random = np.random.default_rng(n)
    collection = [permuted(plain(shape), random.permutation(n)) for shape in shapes]
    assert isomorphic_groups(collection).tolist() == groups_by_networkx(collection, True)


@pytest.mark.slow
def test_all_graphs_of_six_nodes_are_told_apart():
    """There are 156, by the count of Pólya; each has a least degree first and a largest last."""
    pairs = list(itertools.combinations(range(6), 2))
    chosen = np.array(list(itertools.product([False, True], repeat=len(pairs))))
    ends = np.array([[node in pair for node in range(6)] for pair in pairs])
    degrees = chosen.astype(int) @ ends
    kept = (degrees[:, 0] == degrees.min(axis=1)) & (degrees[:, -1] == degrees.max(axis=1))
    collection = [nask.AttributedGraph(6, list(itertools.compress(pairs, c))) for c in chosen[kept]]
    assert isomorphic_groups(collection).max() + 1 == 156


def test_all_cubic_graphs_of_eight_nodes_are_told_apart():
    """There are 6, of which 5 are connected; colours tell none of them apart."""
    shapes = [nx.random_regular_graph(3, 8, seed=seed) for seed in range(150)]
    shapes.append(nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4)))
    groups = isomorphic_groups([plain(shape) for shape in shapes])
    assert groups.max() + 1 == 6


@pytest.mark.parametrize("shape", [nx.petersen_graph(), nx.hypercube_graph(5), rook()])
def test_symmetric_graphs_are_recognised(shape):
    graph = plain(shape)
    random = np.random.default_rng(0)
    copies = [permuted(graph, random.permutation(graph.n_nodes)) for _ in range(5)]
    assert isomorphic_groups([graph, *copies]).tolist() == [0] * 6


def test_numbers_are_compared_as_given():
    """Scaled to the range of all graphs, 1 and the next number would be equal."""
    values = [1.0, np.nextafter(1.0, 2.0), 1e300, -1e300, 5e-324, 0.0, -0.0, np.nan]
    collection = [nask.AttributedGraph(1, (), {"x": [value]}) for value in values]
    collection.append(nask.AttributedGraph(1))
    assert isomorphic_groups(collection).tolist() == [0, 1, 2, 3, 4, 5, 5, 6, 6]
    assert isomorphic_groups(collection, numbers=False).tolist() == [0] * 9


def test_node_features_count_as_numbers():
    rows = [[1.0, 0.0], [0.0, 1.0]]
    collection = [
        nask.AttributedGraph(2, [(0, 1)], node_features=features)
        for features in (rows, rows[::-1], [rows[0], rows[0]], [[1.0, 1.0], [0.0, 0.0]])
    ]
    assert isomorphic_groups(collection).tolist() == [0, 0, 1, 2]
    assert isomorphic_groups(collection, numbers=False).tolist() == [0, 0, 0, 0]


def test_graphs_without_nodes_or_edges():
    empty, node = nask.AttributedGraph(0), nask.AttributedGraph(1)
    pair, edge = nask.AttributedGraph(2), nask.AttributedGraph(2, [(0, 1)])
    assert isomorphic_groups([]).tolist() == []
    assert isomorphic_groups([edge]).tolist() == [0]
    collection = [empty, node, pair, edge, empty, node, edge, pair]
    assert isomorphic_groups(collection).tolist() == [0, 1, 2, 3, 0, 1, 3, 2]


def test_graphs_that_contradict_each_other():
    collection = [nask.AttributedGraph(1, (), {"x": [x]}) for x in (1.0, "a")]
    with pytest.raises(SchemaError, match="is numerical in graph 0, but categorical in graph 1"):
        isomorphic_groups(collection)


@pytest.mark.parametrize(
    ("name", "numbers", "n_groups"),
    [("NCI1", True, 4039), ("PROTEINS", False, 1069), ("SYNTHETIC", False, 1), ("DD", True, 1178)],
)
@pytest.mark.timeout(60)
def test_benchmark_sets(benchmark_set, name, numbers, n_groups):
    """The first two counted with networkx, too. The graphs of SYNTHETIC differ in numbers only."""
    groups = isomorphic_groups(benchmark_set(name).graphs, numbers=numbers)
    assert groups.max() + 1 == n_groups
