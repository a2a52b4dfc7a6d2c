"""Drawn graphs: few nodes, every kind of attribute, missing values, no edges, no nodes."""

from hypothesis import strategies as st

import nask

NUMBERS = st.floats(-1, 1).map(lambda x: round(x, 3))
FAR_NUMBERS = NUMBERS | st.sampled_from([-1e9, -7.5, 2.5, 3.0, 1e4, 1e9])
LETTERS = st.sampled_from("abc")
MORE_LETTERS = st.sampled_from("abcxyz")


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
    return train, new + _sharing(train, new)


def _sharing(train, new):
    """A training graph to be among the new ones, where these would share no attribute with any."""
    learned = [_named(graph, valued=True) for graph in train]
    if any(names & _named(other) for names in learned for other in new):
        return []
    return [graph for graph, names in zip(train, learned, strict=True) if names][:1]


def _named(graph, valued=False):
    """The attributes that the nodes, or the edges, of a graph have; or those with a value."""
    return {
        (element, name)
        for element, attributes in (
            ("node", graph.node_attributes),
            ("edge", graph.edge_attributes),
        )
        for name, attribute in attributes.items()
        if len(attribute) and not (valued and attribute.missing.all())
    }
