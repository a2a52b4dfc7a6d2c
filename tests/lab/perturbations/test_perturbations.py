"""Altered sets: how much is altered, what is not, and that it can be done again."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

import nask
from nask.exceptions import InputError, ParameterError
from nask.graph.schema import Schema
from nask.lab import add_noise, labels_only, make_planted, make_social_network, mask_attributes
from strategies import graphs

SHARES = (0.0, 0.1, 0.25, 1.0)
MASKS = [
    {"to": to, "kinds": kinds, "part": part}
    for to in ("zero", "missing")
    for kinds in ("numerical", "categorical", "all")
    for part in ("all", "some")
]


def coded(n_graphs=30, seed=100, missing=0.0):
    """Graphs of 3 to 40 nodes with codes as categories, and numbers on unlike scales."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n_graphs):
        n = int(rng.integers(3, 40))
        columns = {
            "label": rng.integers(0, 3, n).tolist(),
            "small": rng.normal(7, 0.01, n).tolist(),
            "large": rng.uniform(-1e4, 3e4, n).tolist(),
            "same": [0.1] * n,
        }
        for values in columns.values():
            for place in np.flatnonzero(rng.random(n) < missing):
                values[place] = None
        edges = [(v, v + 1) for v in range(n - 1)]
        bonds = {"bond": rng.integers(0, 2, n - 1).tolist(), "length": rng.random(n - 1).tolist()}
        made.append(
            nask.AttributedGraph(
                n, edges, columns, bonds, categorical=("label", "bond"),
                numerical=("small", "large", "same", "length"),
            )
        )  # fmt: skip
    return nask.Dataset(
        "coded", made, y=np.arange(n_graphs) % 2, ids=tuple(map(str, range(n_graphs)))
    )


CODED = coded()


def values(dataset, name):
    """All values of an attribute, as objects: None where missing."""
    return list(itertools.chain(*(g.node_attributes[name].values() for g in dataset.graphs)))


def altered_nodes(dataset, copy, names):
    """A row per attribute: which nodes have another value in the copy."""
    return np.array(
        [[a != b for a, b in zip(values(dataset, n), values(copy, n), strict=True)] for n in names]
    )


@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
def test_noise_has_the_promised_deviation_in_units_of_each_attribute(share):
    data = coded(1500)
    copy = add_noise(data, share, seed=100)
    noise = {}
    for name in ("small", "large"):
        before, after = (np.array(values(own, name)) for own in (data, copy))
        noise[name] = (after - before) / before.std()
        n = len(before)
        assert n > 25_000
        # Within five standard errors of what is promised.
        assert noise[name].std() == pytest.approx(share, rel=5 / np.sqrt(2 * n))
        assert abs(noise[name].mean()) < 5 * share / np.sqrt(n)
        # Gaussian: a uniform or a two-valued noise has other shares within one deviation.
        assert np.mean(np.abs(noise[name]) < share) == pytest.approx(0.6827, abs=0.015)
    assert abs(np.corrcoef(noise["small"], noise["large"])[0, 1]) < 5 / np.sqrt(n)
    assert set(values(copy, "same")) == {0.1}
    assert values(copy, "label") == values(data, "label")


def test_with_one_seed_more_noise_is_the_same_noise_scaled():
    little, much = (
        np.array(values(add_noise(CODED, share, seed=100), "small"))
        - np.array(values(CODED, "small"))
        for share in (0.1, 0.3)
    )
    np.testing.assert_allclose(3 * little, much, atol=1e-12)


def test_missing_values_stay_missing_under_noise_and_do_not_count():
    data = coded(missing=0.3)
    copy = add_noise(data, 0.5, seed=100)
    for name in ("small", "large"):
        gaps = [value is None for value in values(data, name)]
        assert 0 < sum(gaps) < len(gaps)
        assert [value is None for value in values(copy, name)] == gaps
        # All others have noise.
        assert altered_nodes(data, copy, [name]).sum() == len(gaps) - sum(gaps)


NAMES = {"numerical": ["small", "large", "same"], "categorical": ["label"]}
NAMES["all"] = NAMES["numerical"] + NAMES["categorical"]


@pytest.mark.parametrize("part", ["all", "some"])
@pytest.mark.parametrize("kinds", NAMES)
@pytest.mark.parametrize("share", SHARES)
def test_exactly_the_share_of_nodes_loses_exactly_the_kinds_asked_for(share, kinds, part):
    asked = NAMES[kinds]
    others = [name for name in NAMES["all"] if name not in asked]
    copy = mask_attributes(CODED, share, seed=100, to="missing", kinds=kinds, part=part)
    lost = np.array([[value is None for value in values(copy, name)] for name in asked])
    assert lost.any(axis=0).sum() == round(share * lost.shape[1])
    if part == "all":
        assert (lost == lost[0]).all()
    # What is not lost is as it was, and other kinds are too.
    np.testing.assert_array_equal(altered_nodes(CODED, copy, asked), lost)
    assert not others or not altered_nodes(CODED, copy, others).any()

    zeros = mask_attributes(CODED, share, seed=100, to="zero", kinds=kinds, part=part)
    for row, name in zip(lost, asked, strict=True):
        expected = [0 if gone else own for gone, own in zip(row, values(CODED, name), strict=True)]
        assert values(zeros, name) == expected
    assert not others or not altered_nodes(CODED, zeros, others).any()


def test_a_random_part_is_any_selection_but_none():
    data = coded(300)
    copy = mask_attributes(data, 1.0, seed=100, to="missing", part="some")
    lost = np.array([[v is None for v in values(copy, n)] for n in ("small", "large", "same")])
    selections, counts = np.unique(lost, axis=1, return_counts=True)
    assert selections.shape[1] == 7
    np.testing.assert_allclose(counts / lost.shape[1], 1 / 7, atol=0.025)


def test_missing_is_missing_for_the_kernel_too():
    copy = mask_attributes(CODED, 1.0, seed=100, to="missing", kinds="all")
    assert {spec.kind for spec in Schema.fit(copy.graphs).nodes} == {"missing"}
    half = mask_attributes(CODED, 0.5, seed=100, to="missing", kinds="all")
    for graph in half.graphs:
        gaps = [own.missing for own in graph.node_attributes.values()]
        assert (gaps == gaps[0]).all()
    gram = nask.NASK(n_hops=2).fit_transform(half.graphs)
    assert np.isfinite(gram).all()
    assert not np.allclose(gram, nask.NASK(n_hops=2).fit_transform(CODED.graphs))


def test_zero_leaves_what_is_missing():
    data = coded(missing=0.3)
    copy = mask_attributes(data, 1.0, seed=100, kinds="all")
    for name in ("small", "label"):
        assert {*values(copy, name)} == {0, None}
        gaps = [[value is None for value in values(own, name)] for own in (data, copy)]
        assert gaps[0] == gaps[1]


def test_one_seed_masks_the_same_nodes_whatever_the_options():
    def masked(share, **options):
        copy = mask_attributes(CODED, share, seed=100, to="missing", **options)
        return altered_nodes(CODED, copy, NAMES["all"]).any(axis=0)

    np.testing.assert_array_equal(masked(0.2), masked(0.2, kinds="categorical"))
    np.testing.assert_array_equal(masked(0.2), masked(0.2, part="some", kinds="all"))
    assert (masked(0.1) <= masked(0.2)).all()


ALTER = {
    "noise": lambda data, seed: add_noise(data, 0.2, seed=seed),
    "mask": lambda data, seed: mask_attributes(data, 0.2, seed=seed),
    "part": lambda data, seed: mask_attributes(data, 0.2, seed=seed, part="some", kinds="all"),
    "missing": lambda data, seed: mask_attributes(data, 0.2, seed=seed, to="missing"),
}


@pytest.mark.parametrize("name", ALTER)
def test_the_seed_decides(name):
    alter = ALTER[name]
    assert alter(CODED, 100).graphs == alter(CODED, 100).graphs
    assert alter(CODED, 100).graphs != alter(CODED, 101).graphs
    assert alter(CODED, 100).name != alter(CODED, 101).name


@pytest.mark.parametrize("name", ALTER)
def test_all_else_is_as_it_was(name):
    before = coded()
    copy = ALTER[name](CODED, 100)
    assert CODED.graphs == before.graphs
    assert len(copy) == len(CODED)
    np.testing.assert_array_equal(copy.y, CODED.y)
    assert copy.ids == CODED.ids
    assert len(copy.notes) == 1
    for graph, own in zip(CODED.graphs, copy.graphs, strict=True):
        np.testing.assert_array_equal(graph.edges, own.edges)
        assert dict(graph.edge_attributes) == dict(own.edge_attributes)
        assert list(graph.node_attributes) == list(own.node_attributes)


@given(st.lists(graphs(), min_size=1, max_size=4), st.floats(0, 1))
def test_any_drawn_set_can_be_altered_or_has_nothing_to_alter(drawn, share):
    data = nask.Dataset("drawn", drawn)
    kinds = {spec.name: spec.kind for spec in Schema.fit(drawn).nodes}
    for alter, kind in (
        (lambda: add_noise(data, share, seed=100), "numerical"),
        (lambda: mask_attributes(data, share, seed=100), "numerical"),
        (lambda: mask_attributes(data, share, seed=100, to="missing", kinds="all"), None),
    ):
        if not [k for k in kinds.values() if k == kind or (kind is None and k != "missing")]:
            with pytest.raises(ParameterError, match="have no"):
                alter()
            continue
        specs = Schema.fit(alter().graphs).nodes
        # What is masked may be missing everywhere, but nothing has another kind.
        assert all(spec.kind in (kinds[spec.name], "missing") for spec in specs)


def test_names_are_unique_and_files_of_results_bear_them(tmp_path):
    names = [add_noise(CODED, share, seed=s).name for share in SHARES for s in (1, 2)]
    names += [
        mask_attributes(CODED, share, seed=s, **options).name
        for share in SHARES
        for s in (1, 2)
        for options in MASKS
    ]
    assert len({*names, CODED.name, labels_only(CODED).name}) == len(names) + 2
    assert add_noise(CODED, 0.1, seed=3).name == "coded~noise-0.1-3"
    assert add_noise(CODED, 0.1 + 0.2, seed=3).name != add_noise(CODED, 0.3, seed=3).name
    assert mask_attributes(CODED, 0.2, seed=1).name == "coded~mask-zero-0.2-1"
    assert labels_only(CODED).name == "coded~labels"

    # Two tildes in one cell of Markdown would strike out what is between them.
    sets = [CODED, labels_only(CODED), add_noise(add_noise(CODED, 0.1, seed=3), 0.1, seed=3)]
    models = nask.NASKClassifier(n_hops=1), DummyClassifier()
    results = [
        nask.evaluate(model, own, folds=2, repeats=1, out=tmp_path)
        for model in models
        for own in sets
    ]
    assert {path.name for path in tmp_path.glob("*.jsonl")} == {
        f"{own.name}--{type(model).__name__}.jsonl" for own in sets for model in models
    }
    assert {r.dataset for r in nask.read_results(tmp_path)} == {own.name for own in sets}
    comparison = nask.compare(results)
    assert set(comparison.tables[0].datasets) == {own.name for own in sets}
    assert "coded\\~noise-0.1-3\\~noise-0.1-3" in comparison.to_markdown()


def test_labels_only_keeps_all_categories_and_nothing_else():
    copy = labels_only(CODED)
    for graph, own in zip(CODED.graphs, copy.graphs, strict=True):
        assert dict(own.node_attributes) == {"label": graph.node_attributes["label"]}
        assert dict(own.edge_attributes) == {"bond": graph.edge_attributes["bond"]}
        np.testing.assert_array_equal(graph.edges, own.edges)
    wide = nask.Dataset(
        "wide", [nask.AttributedGraph(2, (), {"label": ["a", "b"]}, node_features=np.eye(2))]
    )
    assert labels_only(wide).graphs[0].node_features is None


def test_labels_only_is_what_the_kernel_sees_of_categories():
    gram = nask.NASK(n_hops=2).fit_transform(labels_only(CODED).graphs)
    np.testing.assert_allclose(
        gram, nask.NASK(n_hops=2, attributes="categorical").fit_transform(CODED.graphs)
    )


NUMBERS = nask.Dataset("numbers", [nask.AttributedGraph(2, (), {"x": [1.0, 2.0]})])
LETTERS = nask.Dataset("letters", [nask.AttributedGraph(2, (), {"x": ["a", "b"]})])
FEATURES = nask.Dataset("features", [nask.AttributedGraph(2, node_features=np.eye(2))])
FLAGS = nask.Dataset("flags", [nask.AttributedGraph(2, (), {"x": [True, False]})])


@pytest.mark.parametrize("alter", [add_noise, mask_attributes])
@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "0.1", None])
def test_shares_outside_0_and_1_are_refused(alter, share):
    with pytest.raises(ParameterError, match=f"'share' parameter of {alter.__name__}"):
        alter(CODED, share, seed=100)


@pytest.mark.parametrize("alter", [add_noise, mask_attributes])
@pytest.mark.parametrize("seed", [-1, None, 0.5, np.random.default_rng(100)])
def test_a_seed_that_has_no_name_is_refused(alter, seed):
    with pytest.raises(ParameterError, match=f"'seed' parameter of {alter.__name__}"):
        alter(CODED, 0.1, seed=seed)


@pytest.mark.parametrize(
    ("alter", "error", "message"),
    [
        (lambda: add_noise(LETTERS, 0.1, seed=1), ParameterError, "letters have no numerical"),
        (lambda: mask_attributes(LETTERS, 0.1, seed=1), ParameterError, "no numerical attribute"),
        (
            lambda: mask_attributes(NUMBERS, 0.1, seed=1, kinds="categorical"),
            ParameterError,
            "no categorical attribute to mask",
        ),
        (
            lambda: mask_attributes(nask.Dataset("bare", ()), 0.1, seed=1, kinds="all"),
            ParameterError,
            "have no attribute to mask",
        ),
        (lambda: labels_only(NUMBERS), ParameterError, "numbers have none"),
        (lambda: add_noise(FEATURES, 0.1, seed=1), ParameterError, "have node_features"),
        (
            lambda: mask_attributes(LETTERS, 0.1, seed=1, kinds="all"),
            ParameterError,
            "no category 0 to mask with. Use to='missing'",
        ),
        # False equals 0, but is no code.
        (
            lambda: mask_attributes(FLAGS, 0.1, seed=1, kinds="all"),
            ParameterError,
            "no category 0",
        ),
        (lambda: mask_attributes(CODED, 0.1, seed=1, to="nan"), ParameterError, "'to' parameter"),
        (lambda: mask_attributes(CODED, 0.1, seed=1, kinds="x"), ParameterError, "'kinds' param"),
        (lambda: mask_attributes(CODED, 0.1, seed=1, part="x"), ParameterError, "'part' param"),
        (lambda: add_noise("BZR", 0.1, seed=1), InputError, "Load it with nask.load_dataset"),
        (lambda: labels_only(CODED.graphs), InputError, "Got a tuple"),
    ],
)
def test_what_cannot_be_altered_says_why(alter, error, message):
    with pytest.raises(error, match=message):
        alter()


@pytest.mark.parametrize("alter", [*ALTER.values(), lambda data, _: labels_only(data)])
def test_networks_are_refused(alter):
    with pytest.raises(InputError, match="a network whose nodes are classified"):
        alter(make_social_network(30), 100)


def test_an_explained_set_keeps_its_truth():
    data = make_planted(4)
    copy = add_noise(data, 0.1, seed=100)
    assert all((a == b).all() for a, b in zip(copy.truth, data.truth, strict=True))


@pytest.mark.parametrize("name", ["BZR", "COX2", "PROTEINS_full"])
def test_the_sets_of_the_paper_can_be_altered(benchmark_set, name):
    data = benchmark_set(name)
    noisy = add_noise(data, 0.3, seed=100)
    before, after = (np.array(values(own, "node_attribute_0")) for own in (data, noisy))
    assert np.std(after - before) == pytest.approx(0.3 * before.std(), rel=0.05)
    masked = mask_attributes(data, 0.3, seed=100, to="missing", kinds="all")
    gaps = np.array([value is None for value in values(masked, "node_label")])
    assert gaps.sum() == round(0.3 * len(gaps))


def test_the_nearest_whole_number_of_nodes_is_masked():
    """0.29 of 100 nodes are 29, though 0.29 * 100 is less in a computer."""
    data = make_planted(4, missing=0.0)
    copy = mask_attributes(data, 0.29, seed=0, to="missing", kinds="categorical")
    masked = [graph.node_attributes["colour"].missing.sum() for graph in copy.graphs]
    assert (sum(masked), sum(graph.n_nodes for graph in copy.graphs)) == (29, 100)
