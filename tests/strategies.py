"""Drawn graphs: few nodes, every kind of attribute, missing values, no edges, no nodes."""

from hypothesis import strategies as st

import nask

NUMBERS = st.floats(-1, 1).map(lambda x: round(x, 3))
FAR_NUMBERS = NUMBERS | st.sampled_from([-1e9, -7.5, 2.5, 3.0, 1e4, 1e9])
LETTERS = st.sampled_from("abc")
# Ways to compare values, and to choose members; most draws have the defaults.
VARIANTS = {
    "similarity": st.sampled_from(["gower", "gower", "one-hot", "euclidean"]),
    "max_leaves": st.sampled_from([None, None, 1, 2]),
}
MORE_LETTERS = st.sampled_from("abcxyz")


def fitting(options):
    """The options of a kernel, without a number of leaves if it compares balls, which have none."""
    return options | {"max_leaves": None} if options["expansion"] == "ball" else options


def values(elements: st.SearchStrategy, size: int) -> st.SearchStrategy:
    return st.lists(st.none() | elements, min_size=size, max_size=size)


@st.composite
def graphs(draw, *, numbers=NUMBERS, letters=LETTERS, max_nodes=5):
    """A graph; each attribute may be absent from it."""
    n = draw(st.integers(0, max_nodes))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    node_attributes = {"letter": values(letters, n), "other": values(letters, n)}
    node_attributes |= {"x": values(numbers, n), "y": values(numbers, n)}
    edge_attributes = {"bond": values(letters, len(edges)), "length": values(numbers, len(edges))}

    def some(attributes):
        return {name: draw(column) for name, column in attributes.items() if draw(st.booleans())}

    # An all-missing column of undetermined kind fits whatever the other graphs say.
    return nask.AttributedGraph(n, edges, some(node_attributes), some(edge_attributes))


@st.composite
def collections(draw, *, max_nodes=5, min_size=1, max_size=5):
    """A list of training graphs and one of new graphs, with values unseen in training."""
    train = st.lists(graphs(max_nodes=max_nodes), min_size=min_size, max_size=max_size)
    far = graphs(numbers=FAR_NUMBERS, letters=MORE_LETTERS, max_nodes=max_nodes)
    new = st.lists(far, min_size=1, max_size=4)
    train, new = draw(train), draw(new)
    return train, sharing(train, new)


def sharing(train, new):
    """The new graphs, with one of training where they would share no attribute with any."""
    return new if shares(train, new) else [*new, next(filter(_learned, train))]


def shares(train, new):
    """Whether new graphs have an attribute of the training graphs, or these have none."""
    learned = {name for graph in train for name in _learned(graph)}
    given = {name for graph in new for name, _ in _attributes(graph)}
    return not learned or not learned.isdisjoint(given) or not any(g.n_nodes for g in new)


def _learned(graph):
    return {name for name, attribute in _attributes(graph) if not attribute.missing.all()}


def _attributes(graph):
    """The attributes of the nodes and edges that a graph has."""
    for element, attributes in (("node", graph.node_attributes), ("edge", graph.edge_attributes)):
        for name, attribute in attributes.items():
            if len(attribute):
                yield (element, name), attribute
