"""A search finds what the whole Gram matrix says, in an order that rounding does not decide."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from mixed_graphs import permuted, random_graphs
from nask.exceptions import (
    AbsentAttributeWarning,
    GraphError,
    InputError,
    MemoryLimitError,
    ParameterError,
    SchemaError,
    UnseenAttributeWarning,
)
from nask.io.graph_list import GraphList
from nask.search import methods
from nask.search.ranking import best_first
from strategies import VARIANTS, collections, fitting

TRAIN, NEW = random_graphs(40, seed=100), random_graphs(6, seed=101)[:-1]


def expected(similarities, k):
    """The k best by exact arithmetic on rounded numbers: ties by position."""
    order = sorted(range(len(similarities)), key=lambda j: (-round(similarities[j], 9), j))
    return order[:k]


@given(
    collections(min_size=2),
    st.fixed_dictionaries(
        {
            "n_hops": st.integers(1, 3),
            "gamma": st.sampled_from([0.5, 2.0]),
            "expansion": st.sampled_from(["nested", "ball", "walk"]),
            "degree": st.sampled_from([None, "numerical"]),
            **VARIANTS,
        }
    ),
    st.integers(1, 6),
)
@pytest.mark.filterwarnings("ignore::nask.exceptions.UnseenAttributeWarning")
@pytest.mark.filterwarnings("ignore::nask.exceptions.AbsentAttributeWarning")
def test_hits_are_the_largest_numbers_of_the_gram_matrix(given_graphs, options, k):
    train, new = given_graphs
    kernel = nask.NASK(**fitting(options)).fit(train)
    found = nask.Index(train, **fitting(options)).query(new, k)
    for hits, similarities in zip(found, kernel.transform(new), strict=True):
        best = expected(similarities, k)
        assert len(hits) == min(k, len(train))
        np.testing.assert_allclose(hits.similarities, similarities[hits.positions], atol=1e-12)
        np.testing.assert_allclose(hits.similarities, similarities[best], atol=1e-8)
        assert hits.similarities.min(initial=0) >= 0
        assert hits.similarities.max(initial=0) <= 1


@pytest.mark.parametrize("method", ["exact", "features"])
def test_a_graph_of_the_index_finds_itself_first(method):
    index = nask.Index(TRAIN[:-1], method=method)
    assert index.method == method
    for place, hits in enumerate(index.query(TRAIN[:-1], k=3)):
        assert (hits[0].position, hits[0].similarity) == (place, 1.0)
        assert place not in index.neighbours(place, k=39).positions
        np.testing.assert_array_equal(index.neighbours(place, k=2).positions, hits.positions[1:])


@pytest.mark.parametrize("method", ["exact", "features"])
def test_copies_are_ties_and_come_in_the_order_of_the_index(method):
    """Rounding differs with the order of nodes; that of hits does not."""
    draw = np.random.default_rng(102)
    copies = [permuted(TRAIN[place], draw) for place in (3, 3, 5, 3)]
    index = nask.Index([*TRAIN[:10], *copies], method=method)
    first, *again = index.query([TRAIN[3], *(permuted(TRAIN[3], draw) for _ in range(5))], k=8)
    assert first.positions[:4].tolist() == [3, 10, 11, 13]
    assert first.similarities[:4].tolist() == [1.0] * 4
    for hits in again:
        assert hits.positions.tolist() == first.positions.tolist()
        np.testing.assert_allclose(hits.similarities, first.similarities, atol=1e-12)
    assert index.neighbours(10, k=3).positions.tolist() == [3, 11, 13]
    assert index.neighbours(10, k=1).positions.tolist() == [3]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 12), st.integers(0, 99))
def test_ties_by_position_whatever_rounding_does(levels, k, seed):
    noise = np.random.default_rng(seed).uniform(-1e-15, 1e-15, len(levels))
    order = sorted(range(len(levels)), key=lambda j: (-levels[j], j))
    assert best_first(np.array(levels) / 4 + noise, k).tolist() == order[:k]


def test_features_find_nearly_all_of_the_best():
    graphs, queries = random_graphs(1500, seed=103, letters="abcdef"), random_graphs(30, seed=104)
    exact = nask.Index(graphs, method="exact").query(queries[:-1], k=10)
    searched = nask.Index(graphs, method="features", n_candidates=60)
    found = searched.query(queries[:-1], k=10)
    recall = [
        len(np.intersect1d(a.positions, b.positions)) / 10
        for a, b in zip(found, exact, strict=True)
    ]
    assert np.mean(recall) > 0.9  # 0.97; candidates drawn at random would have 0.04
    for a in found:  # the similarities of hits are exact in either way
        np.testing.assert_allclose(
            a.similarities, nask.NASK().fit(graphs).transform([a.query])[0, a.positions], atol=1e-12
        )
        break
    alone = searched.query(queries[3], k=10)
    np.testing.assert_array_equal(alone.positions, found[3].positions)


def test_auto_goes_by_the_number_of_nodes_and_by_what_features_there_are(monkeypatch):
    assert nask.Index(TRAIN).method == "exact"
    monkeypatch.setattr(methods, "MOST_EXACT_NODES", 100)
    assert nask.Index(TRAIN).method == "features"
    assert nask.Index(TRAIN[:5]).method == "exact"
    for without in ({"expansion": "walk"}, {"similarity": "euclidean"}, {"prune_cores": True}):
        assert nask.Index(TRAIN, **without).method == "exact"
        with pytest.raises(ParameterError, match=r"Index has no features of a kernel with"):
            nask.Index(TRAIN, method="features", **without)


def test_how_it_runs_changes_nothing(monkeypatch):
    plain = nask.Index(TRAIN).query(NEW, k=5)
    told = []
    monkeypatch.setattr(methods, "BLOCK_NUMBERS", 2 * len(TRAIN))  # two rows at a time
    busy = nask.Index(TRAIN, n_jobs=2, verbose=lambda *steps: told.append(steps))
    found = busy.query(NEW, k=5)
    assert told[-1] == (3, 3)
    small = nask.Index(TRAIN, memory_limit="100kB").query(NEW, k=5)
    for hits in (found, small):
        for own, same in zip(hits, plain, strict=True):
            np.testing.assert_array_equal(own.positions, same.positions)
    by_two = nask.Index(TRAIN, method="features", n_jobs=2, n_candidates=8).query(NEW, k=5)
    by_one = nask.Index(TRAIN, method="features", n_candidates=8).query(NEW, k=5)
    for own, same in zip(by_two, by_one, strict=True):
        np.testing.assert_array_equal(own.positions, same.positions)
    with pytest.raises(MemoryLimitError, match=r"rows of features.*use a smaller n_components"):
        nask.Index(TRAIN, method="features", memory_limit="50kB")


def test_stars_of_a_hit_are_its_alignment():
    hit = nask.Index(TRAIN, n_hops=2).query(NEW[0], k=1)[0]
    kernel = nask.NASK(n_hops=2).fit(TRAIN)
    alignment = nask.align(kernel, NEW[0], TRAIN[hit.position])
    assert hit.stars == alignment.matches()
    assert hit.align().value == pytest.approx(hit.similarity)
    assert hit.likeness.shape == (NEW[0].n_nodes, hit.graph.n_nodes)
    assert hit.likeness.max() < 1
    copy = nask.Index(TRAIN).query(permuted(TRAIN[4], np.random.default_rng(105)), k=1)[0]
    pairs = [copy.likeness[pair.node, pair.other] for pair in copy.stars]
    assert pairs == [1.0] * TRAIN[4].n_nodes


@pytest.mark.parametrize("method", ["exact", "features"])
def test_what_a_query_has_more_or_less_is_told_once(method):
    """Warnings are errors: those of the query are not repeated by each of its hits."""
    index = nask.Index(TRAIN, method=method)
    new = nask.AttributedGraph(2, [(0, 1)], {"letter": ["a", "b"], "age": [3, 4]})
    with pytest.warns() as told:
        hits = index.query(new, k=2)
    assert [own.category for own in told] == [
        UnseenAttributeWarning,
        AbsentAttributeWarning,
        AbsentAttributeWarning,
    ]
    assert len(hits[0].stars) == 2
    assert hits[1].likeness.shape[0] == hits.likeness.shape[0] == 2


def test_likeness_is_the_cosine_of_stars():
    """Of unnormalised stars, whose shares differ: against the kernel between nodes."""
    left, right = TRAIN[1], TRAIN[2]
    together = nask.AttributedGraph(
        left.n_nodes + right.n_nodes,
        [*left.edges.tolist(), *(right.edges + left.n_nodes).tolist()],
        {
            name: [*left.node_attributes[name].values(), *right.node_attributes[name].values()]
            for name in ("letter", "x", "y")
        },
    )
    gram = nask.NodeNASK(n_hops=2, star_norm=False, normalize=True).fit_transform(together)
    (hit,) = nask.Index([right], n_hops=2, star_norm=False).query(left, k=1)
    other = nask.Index([left, right], n_hops=2, star_norm=False).query(left, k=2)[1]
    assert hit.likeness.shape == other.likeness.shape
    np.testing.assert_allclose(other.likeness, gram[: left.n_nodes, left.n_nodes :], atol=1e-9)


def test_queries_of_any_kind_and_ids():
    smiles = ["CCO", "CCN", "c1ccccc1"]
    index = nask.Index(smiles, ids=["ethanol", "ethylamine", "benzene"])
    assert index.query("OCC", k=1)[0].id == "ethanol"
    assert [hits[0].id for hits in index.query(["NCC", "c1ccccc1"], k=1)] == [
        "ethylamine",
        "benzene",
    ]
    assert index.neighbours("ethanol", k=5)[0].id == "ethylamine"
    assert index.names.position("benzene") == index.names.position(2) == 2
    path = nask.Index([nx.path_graph(n) for n in range(1, 6)])
    assert path.query(nx.path_graph(4), k=1)[0].id == 3
    listed = GraphList(TRAIN[:2], ids=["b", "a"])
    assert nask.Index(listed).ids == ("b", "a")


def test_text_of_a_result():
    hits = nask.Index(TRAIN).query(TRAIN[0], k=25)
    lines = repr(hits).splitlines()
    assert lines[:3] == ["25 of 40 graphs:", "  id similarity", "  0  1.0000"]
    assert (len(lines), lines[-1]) == (23, "  ...")
    assert [hit.position for hit in hits[1:3]] == hits.positions[1:3].tolist()


@pytest.mark.parametrize("k", [0, -1, 1.5, "10", True, None, float("nan"), np.array([1])])
def test_a_number_of_hits_that_is_none(k):
    for ask in (nask.Index(TRAIN).query, nask.Index(TRAIN).neighbours):
        with pytest.raises(
            ParameterError, match=r"'k' parameter of Index must be an int in the ra"
        ):
            ask(TRAIN[0] if ask.__name__ == "query" else 0, k)


def test_what_cannot_be_searched():
    with pytest.raises(GraphError, match=r"at least one graph; got none"):
        nask.Index([])
    with pytest.raises(InputError, match=r"single AttributedGraph"):
        nask.Index(TRAIN[0])
    with pytest.raises(ParameterError, match=r"no parameter 'n_hop'. Did you mean 'n_hops'?"):
        nask.Index(TRAIN, n_hop=2)
    with pytest.raises(ParameterError, match=r"decides the kernel's parameter 'normalize' itself"):
        nask.Index(TRAIN, normalize=False)
    with pytest.raises(ParameterError, match=r"'gamma' parameter of NASK must be"):
        nask.Index(TRAIN, gamma=float("nan"))
    with pytest.raises(ParameterError, match=r"'method' parameter of Index must be one of 'auto'"):
        nask.Index(TRAIN, method="exct")
    with pytest.raises(ParameterError, match=r"'n_candidates' parameter of Index"):
        nask.Index(TRAIN, n_candidates=0)
    for name, value in (("n_components", "x"), ("random_state", None)):
        with pytest.raises(ParameterError, match=f"'{name}' parameter of Index"):
            nask.Index(TRAIN, **{name: value})
    with pytest.raises(ParameterError, match=r"one id per graph \(40\). Got 1 instead"):
        nask.Index(TRAIN, ids=["a"])
    index = nask.Index(TRAIN[:3], ids=["anna", "ben", "ben"])
    with pytest.raises(ParameterError, match=r"no graph 'ana'. Did you mean 'anna'\? Expec"):
        index.neighbours("ana")
    with pytest.raises(
        ParameterError, match=r"no graph 3. Known .* an id, or a position from 0 to 2"
    ):
        index.neighbours(3)
    with pytest.raises(
        ParameterError, match=r"2 graphs of the index have the id 'ben', at the posi"
    ):
        index.neighbours("ben")
    with pytest.raises(ParameterError, match=r"no graph \[\]"):
        index.neighbours([])
    with pytest.raises(ParameterError, match=r"no graph 0. Known .* Expected an id\.$"):
        nask.Index(TRAIN[:3], ids=np.array([7, 8, 9])).neighbours(0)
    with pytest.raises(
        SchemaError, match=r"none of the attributes .* 'letter', .* They have: .*'Age'"
    ):
        index.query(nask.AttributedGraph(1, (), {"Age": [3]}))
    with pytest.raises(GraphError, match=r"at least one graph; got none"):
        index.query([])
    with pytest.raises(GraphError, match=r"not a valid SMILES.*index has a graph of the id 'anna'"):
        index.query("anna")


def test_a_graph_without_nodes_is_like_none():
    index = nask.Index([nask.AttributedGraph(0), *TRAIN[:3]])
    assert index.query(nask.AttributedGraph(0), k=4).similarities.tolist() == [0.0] * 4
    assert index.query(TRAIN[1], k=4).positions[-1] == 0
    assert index.query(TRAIN[1], k=4)[-1].stars == []
