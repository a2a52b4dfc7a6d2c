"""Model files made by hand: a consistent model comes out, or nask's own error."""

import io
import json
import os
import pickle
import random
import warnings
import zipfile
from contextlib import suppress
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

import nask
from nask.estimators.averaged import AveragedClassifier
from nask.exceptions import (
    AbsentAttributeWarning,
    ModelFileError,
    NaskError,
    PrecisionWarning,
    UnseenAttributeWarning,
)
from nask.kernels.parameters import RESOURCES


class Bomb:
    """Runs code when unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("loading a model ran code from it",))


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def array_of(content):
    return np.load(io.BytesIO(content))


def bytes_of(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


# Forms of one pass, another pass with degrees, and a value by attribute.
MEAN = [
    {"n_hops": [1, 2], "gamma": [{"node_label": 0.5}], "alpha": [0.1]},
    {"gram": ["rbf"], "degree": ["numerical"], "alpha": [0.1]},
]
ALL = [
    "three", "two", "regressor", "ridge", "mean", "mean of three", "nodes", "mean of nodes",
    "process", "process of three",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Classifiers of three classes with mixed attributes and of two; a regressor; means."""
    folder = tmp_path_factory.mktemp("models")
    dataset = nask.load_dataset("Cuneiform")
    keep = [i for i, label in enumerate(dataset.y) if label < 3]
    graphs, y = [dataset.graphs[i] for i in keep], dataset.y[keep]
    mutag = nask.load_dataset("MUTAG")
    models = {
        "three": nask.NASKClassifier(n_hops=2, degree="numerical", gamma={"node_label_0": 0.5}),
        "two": nask.NASKClassifier(
            n_hops=2, expansion="ball", engine="explicit", class_weight={-1: 2.0, 1: 1.0}
        ),
        "regressor": nask.NASKRegressor(n_hops=1, gram="rbf", hop_weights=[1.0]),
        "ridge": nask.NASKClassifier(n_hops=2, learner="ridge", gram="rbf"),
        "mean": nask.TunedNASKClassifier(grid=MEAN),
        "mean of three": nask.TunedNASKClassifier(grid={"n_hops": [1, 2], "alpha": [0.1]}),
        "process": nask.NASKGaussianProcessRegressor(
            n_hops=2, gram="rbf", bounds={"gamma": (0.1, 10.0)}
        ),
        "process of three": nask.NASKGaussianProcessClassifier(
            n_hops=2, optimize=["hop_weights", "signal_variance"], gamma={"node_label_0": 0.5}
        ),
    }
    of_letters = ("three", "ridge", "mean of three", "process of three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nask.tuning.near_best.BEHIND", 1e3)  # all settings are averaged
        for name in of_letters:
            models[name].fit(graphs[::2], y[::2])
        models["two"].fit(mutag.graphs[:40], mutag.y[:40])
        models["mean"].fit(mutag.graphs[:12], mutag.y[:12])
    sizes = [float(g.n_nodes) for g in mutag.graphs[:30]]
    models["regressor"].fit(mutag.graphs[:30], sizes)
    models["process"].fit(mutag.graphs[:20], sizes[:20])
    new = {name: graphs[1:4] if name in of_letters else mutag.graphs[60:63] for name in models}
    network, y = small_network()
    models["nodes"] = nask.NASKNodeClassifier(
        n_hops=2, gram="rbf", degree="numerical", restart=0.3, probability=True
    ).fit(network, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nask.tuning.near_best.BEHIND", 1e3)
        grid = {"n_hops": [1, 2], "restart": [None, 0.3], "gram": ["rbf"], "alpha": [0.1]}
        models["mean of nodes"] = nask.TunedNASKNodeClassifier(grid=grid).fit(network, y)
    # The training network, and another one.
    new |= {"nodes": Nodes(network, [0, 5, 11])}
    new |= {"mean of nodes": Nodes(network.induced(range(7)), [0, 6])}
    for name, model in models.items():
        model.save(folder / name)
    return {name: (members_of(folder / name), new[name]) for name in models}


class Nodes(NamedTuple):
    """What a model of nodes predicts."""

    graph: nask.AttributedGraph
    nodes: list[int]


def small_network():
    """A ring of twelve nodes with everything that a network can have, and text classes."""
    columns = {"age": [1.0, None, 3.0] * 4, "region": ["a", "b", None, "b"] * 3}
    ring = [(k, (k + 1) % 12) for k in range(12)]
    words = np.eye(12)[:, :5]
    network = nask.AttributedGraph(
        12, ring, columns, {"since": list(range(12))}, node_features=words
    )
    return network, ["old", "new", None, "old", "new", "new"] * 2


@pytest.fixture(scope="module")
def tried():
    """Files that have been used, and without harm."""
    return set()


def use(path, graphs):
    """Load a file and do with the model what users do; tell whether it was refused."""
    try:
        model = nask.load(path)
    except ModelFileError:
        return True
    with warnings.catch_warnings():
        for category in (AbsentAttributeWarning, PrecisionWarning, UnseenAttributeWarning):
            warnings.simplefilter("ignore", category)
        classifies = hasattr(model, "classes_")
        where = tuple(graphs) if isinstance(graphs, Nodes) else (graphs,)
        n_items = len(where[-1])
        try:
            values = (model.decision_function if classifies else model.predict)(*where)
        except NaskError:
            return False  # such as an attribute that is of another kind now
        assert len(values) == n_items
        assert np.isfinite(values).all()
        if classifies:
            check_classes(model, where, values)
        elif isinstance(model, nask.NASKGaussianProcessRegressor):
            _, deviation = model.predict(*where, return_std=True)
            assert (deviation >= 0).all()  # and no NaN
        check_shares(model, where)
    model.save(os.devnull)
    assert repr(model)
    return False


def check_classes(model, where, values):
    """Classes and probabilities are made of one decision, which takes most of the time."""
    if isinstance(model, nask.NASKGaussianProcessClassifier):
        np.testing.assert_allclose(model.predict_proba(*where).sum(axis=1), 1.0)
        assert set(model.predict(*where).tolist()) <= set(model.classes_.tolist())
        return
    with patch.object(model, "decision_function", return_value=values):
        predicted = model.predict(*where)
        assert len(predicted) == len(values)
        assert set(predicted.tolist()) <= set(model.classes_.tolist())
        averaged = isinstance(model, AveragedClassifier)
        if (model if averaged else model.functions_).calibration is not None:
            with suppress(NaskError):  # it may not know
                assert model.predict_set(*where, coverage=0.8).any(axis=1).all()
            probabilities = model.predict_proba(*where)
            assert probabilities.shape == (len(values), len(model.classes_))
            np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def check_shares(model, where):
    """How much graphs are like those of training is between 0 and 1, where a model can tell."""
    try:
        shares = model.applicability(*where)
    except (AttributeError, NaskError, TypeError):
        return  # a model of nodes, or one that cannot tell
    assert ((shares > 0) & (shares <= 1)).all()


@pytest.mark.parametrize("name", ["two", "regressor"])
def test_how_to_run_is_not_taken_from_a_file(files, tmp_path, name):
    members, graphs = files[name]
    content = json.loads(members["model.json"])
    assert not set(RESOURCES) & set(content["parameters"])
    folder = tmp_path / "written by a file"
    content["parameters"] |= {
        "gram_folder": str(folder),
        "memory_limit": 100,
        "n_jobs": 64,
        "verbose": True,
    }
    path = tmp_path / "m.nask"
    write_members(path, {**members, "model.json": json.dumps(content)})
    model = nask.load(path)
    model.predict(graphs)
    assert not folder.exists()
    fresh = type(model)().get_params()
    for estimator in (model, model.kernel_):
        own = estimator.get_params()
        assert {k: own[k] for k in RESOURCES} == {k: fresh[k] for k in RESOURCES}


@pytest.mark.parametrize("values", [{"n_jobs": "many"}, {"gram_folder": 3, "memory_limit": "x"}])
def test_a_wrong_way_to_run_is_no_harm_either(files, tmp_path, values):
    members, graphs = files["two"]
    content = json.loads(members["model.json"])
    content["parameters"] |= values
    path = write_members(tmp_path / "m", {**members, "model.json": json.dumps(content)})
    assert not use(path, graphs)


def test_how_to_run_is_not_written(tmp_path, mutag):
    model = nask.NASKClassifier(
        n_hops=1, n_jobs=2, memory_limit="1GB", gram_folder=tmp_path / "grams", verbose=print
    ).fit(mutag.graphs[:40], mutag.y[:40])
    model.save(tmp_path / "m.nask")
    document = members_of(tmp_path / "m.nask")["model.json"].decode()
    assert not [name for name in RESOURCES if name in document]
    assert nask.load(tmp_path / "m.nask").get_params() == nask.NASKClassifier(n_hops=1).get_params()


ARRAY_CHANGES = {
    "no rows": lambda a: a[:0],
    "a row less": lambda a: a[:-1],
    "a row more": lambda a: np.concatenate([a, a[-1:]]) if len(a) else a.reshape(1, -1),
    "a column less": lambda a: a[..., :-1],
    "the first column away": lambda a: a[..., 1:],
    "transposed": lambda a: a.T,
    "in another order": np.asfortranarray,
    "flat": lambda a: a.reshape(-1),
    "one number": lambda a: np.asarray(a.flat[0]) if a.size else np.zeros((), a.dtype),
    "an axis more": lambda a: a[None],
    "float32": lambda a: a.astype(np.float32),
    "float64": lambda a: a.astype(np.float64),
    "int32": lambda a: np.nan_to_num(a).astype(np.int32),
    "uint64": lambda a: np.nan_to_num(a).astype(np.uint64),
    "bool": lambda a: a.astype(bool),
    "text": lambda a: a.astype(str),
    "complex": lambda a: a.astype(complex),
    "times": lambda a: np.nan_to_num(a).astype("int64").astype("datetime64[s]"),
    "records": lambda a: np.zeros(a.shape, dtype=[("a", "f8"), ("b", "i4")]),
    "other bytes first": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "backwards": lambda a: a[::-1],
    "minus": lambda a: -a,
    "NaN": lambda a: changed(a, np.nan),
    "inf": lambda a: changed(a, np.inf),
    "huge": lambda a: changed(a, 1e308),
    "largest": lambda a: changed(a, np.iinfo(np.int32).max),
    "smallest": lambda a: changed(a, np.iinfo(np.int32).min),
    "-2": lambda a: changed(a, -2),
    "all huge": lambda a: np.full_like(a, 1e308) if a.dtype.kind == "f" else a * 0 + 2**30,
}


def changed(array, value):
    """With another first and last number, as far as the type can hold it."""
    if array.dtype.kind != "f" and not np.isfinite(value):
        return array
    array = array.copy()
    if array.size and (array.dtype.kind == "f" or abs(value) < 2**40):
        array.flat[0] = array.flat[-1] = value
    return array


@pytest.mark.slow
@pytest.mark.parametrize("change", ARRAY_CHANGES)
@pytest.mark.parametrize("name", ALL)
def test_arrays_of_another_shape_type_or_content(files, tried, tmp_path, name, change):
    """Of a mean, which has dozens of arrays, each change meets some of them.

    Some changes make the same file: that of a row less is that of no rows where there was one.
    """
    members, graphs = files[name]
    arrays = [key for key in members if key.endswith(".npy")]
    some = random.Random(change).sample(arrays, min(len(arrays), 12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        altered = {key: bytes_of(ARRAY_CHANGES[change](array_of(members[key]))) for key in some}
    for key, content in altered.items():
        same = content == members[key]
        file = (name, None) if same else (name, key, content)
        if file in tried:
            continue
        refused = use(write_members(tmp_path / "m", {**members, key: content}), graphs)
        assert not (same and refused), key
        tried.add(file)


def leaves(value, path=()):
    """The paths of everything in a JSON document."""
    yield path
    children = value.items() if isinstance(value, dict) else ()
    children = enumerate(value) if isinstance(value, list) else children
    for key, child in children:
        yield from leaves(child, (*path, key))


VALUES = [None, True, -1, 0, 0.5, 1e308, float("nan"), float("inf"), 10**30, "", "x", [], {}, [[]]]


def alter(document, path, action):
    """Replace, remove or repeat what is at a path of a document."""
    if not path:
        return action if action not in ("remove", "repeat") else []
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if action == "remove":
        del parent[path[-1]]
    elif action == "repeat" and isinstance(parent, list):
        parent.insert(path[-1], parent[path[-1]])
    elif action != "repeat":
        parent[path[-1]] = action
    return document


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_documents_with_anything_anywhere(files, tmp_path, name):
    members, graphs = files[name]
    draw = random.Random(3)
    text = members["model.json"].decode()
    paths = list(leaves(json.loads(text)))
    for path in draw.sample(paths, min(len(paths), 60)):
        for action in draw.sample(
            [*VALUES, "remove", "repeat"], 2 if "mean" in name or name == "nodes" else 5
        ):
            altered = json.dumps(alter(json.loads(text), path, action))
            file = write_members(tmp_path / "m", {**members, "model.json": altered})
            use(file, graphs)


REFUSED = {
    "n_graphs": lambda d: d.update(n_graphs=1),
    "hops": lambda d: d["parameters"].update(n_hops=10**9),
    "degree": lambda d: d["schema"].update(degree="categorical"),
    "parameter similarity": lambda d: d["schema"].update(similarity="one-hot"),
    "similarity of the schema": lambda d: d["schema"].update(similarity=["gower"]),
    "classes": lambda d: d.update(classes=[d["classes"][0]] * len(d["classes"])),
    "classes_dtype": lambda d: d.update(classes=["a", "b", "c"], classes_dtype="<U90000"),
    "class": lambda d: d.update({"class": "NASKNodeClassifier"}),
    "NaN": lambda d: d["parameters"].update(C=float("nan")),
    "probability": lambda d: d["parameters"].update(probability="yes"),
    "class_weight": lambda d: d["parameters"].update(class_weight="heavy"),
    "category": lambda d: d["schema"]["nodes"][0].update(categories=[0] * 40),
    "name": lambda d: d["schema"]["nodes"][1].update(name=d["schema"]["nodes"][0]["name"]),
    "engine": lambda d: d.update(engine="magic"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_document_that_contradicts_itself(files, tmp_path, what):
    members, _ = files["three"]
    content = json.loads(members["model.json"])
    REFUSED[what](content)
    path = write_members(tmp_path / "m", {**members, "model.json": json.dumps(content)})
    with pytest.raises(ModelFileError, match=what):
        nask.load(path)


def test_a_file_that_does_not_know_of_similarities(files, tmp_path):
    """As files were before there were any but Gower's."""
    members, graphs = files["three"]
    content = json.loads(members["model.json"])
    del content["schema"]["similarity"]
    for name in ("similarity", "max_leaves"):
        del content["parameters"][name]
    old = write_members(tmp_path / "old", {**members, "model.json": json.dumps(content)})
    new = write_members(tmp_path / "new", members)
    ours, theirs = (nask.load(path).decision_function(graphs) for path in (old, new))
    np.testing.assert_array_equal(ours, theirs)


def test_a_point_without_a_coordinate_is_refused(tmp_path, mutag):
    model = nask.NASKClassifier(n_hops=1, similarity="euclidean", degree="numerical")
    model.fit(mutag.graphs[:10], mutag.y[:10]).save(tmp_path / "m")
    members = members_of(tmp_path / "m")
    values = array_of(members["batch/nodes_numerical.npy"]).copy()
    values[0, 0] = np.nan
    members["batch/nodes_numerical.npy"] = bytes_of(values)
    with pytest.raises(ModelFileError, match="which a Euclidean similarity has no place for"):
        nask.load(write_members(tmp_path / "n", members))


@pytest.mark.slow
def test_a_file_that_unfolds_to_more_than_memory(files, tmp_path):
    members, _ = files["two"]
    path = tmp_path / "bomb.nask"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        for number in range(3):
            with archive.open(f"batch/{number}.npy", "w", force_zip64=True) as file:
                for _ in range(100):
                    file.write(bytes(10**6))
    with pytest.raises(ModelFileError, match=r"unpacks to 300 MB, more than .* may demand"):
        nask.load(path)


def test_an_array_of_another_size_than_its_header_says(files, tmp_path):
    members, _ = files["two"]
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    )
    altered = {**members, "batch/nodes_numerical.npy": header.getvalue() + bytes(64)}
    with pytest.raises(ModelFileError, match="nodes_numerical"):
        nask.load(write_members(tmp_path / "m", altered))


def test_more_than_memory_holds(files, tmp_path, monkeypatch):
    members, _ = files["two"]
    path = write_members(tmp_path / "m", members)
    monkeypatch.setattr("nask.storage.model_file.free_memory", lambda: 1000)
    with pytest.raises(ModelFileError, match=r"takes .* of memory, of which 1 kB are free"):
        nask.load(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three", "regressor", "mean"])
def test_bytes_changed_anywhere(files, tmp_path, name):
    members, graphs = files[name]
    whole = write_members(tmp_path / "m", members).read_bytes()
    draw = random.Random(5)
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 1, 3])):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        (tmp_path / "m").write_bytes(damaged[: draw.choice([len(damaged), len(damaged) - 9])])
        use(tmp_path / "m", graphs)


def test_a_pickled_array_is_refused_and_not_run(files, tmp_path):
    members, _ = files["three"]
    bomb = bytes_of(np.array([Bomb()], dtype=object), allow_pickle=True)
    evil = write_members(tmp_path / "evil.nask", {**members, "support.npy": bomb})
    with pytest.raises(ModelFileError, match="values of type 'object'"):
        nask.load(evil)


def test_a_pickle_is_not_a_model(tmp_path):
    (tmp_path / "evil.nask").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ModelFileError, match="not a readable nask model"):
        nask.load(tmp_path / "evil.nask")


def document(change):
    def apply(members):
        content = json.loads(members["model.json"])
        change(content)
        members["model.json"] = json.dumps(content)

    return apply


def out_of_range(members):
    ends = array_of(members["batch/endpoints.npy"]).copy()
    ends[0, 0] = 10**9
    members["batch/endpoints.npy"] = bytes_of(ends)


def wrong_ptr(members):
    ptr = array_of(members["batch/nodes_ptr.npy"]).copy()
    ptr[1] = ptr[-1] + 50
    members["batch/nodes_ptr.npy"] = bytes_of(ptr)


def wrapping_ptr(members):
    """Positions whose differences overflow to something that looks right."""
    n = array_of(members["batch/nodes_ptr.npy"])
    wrapped = np.zeros_like(n)
    wrapped[1:4] = [2**62, -(2**63), -(2**62)]
    wrapped[4:] = n[-1]
    members["batch/nodes_ptr.npy"] = bytes_of(wrapped)


def too_few_attributes(members):
    values = array_of(members["batch/nodes_numerical.npy"])
    members["batch/nodes_numerical.npy"] = bytes_of(values[:1])


CORRUPT = {
    "endpoint outside its graph": out_of_range,
    "not divided among its graphs": wrong_ptr,
    "nodes of the batch are not divided": wrapping_ptr,
    "negative range": document(lambda d: d["schema"]["nodes"][-1].update(range=-1.0)),
    "file has Infinity": document(lambda d: d["schema"]["nodes"][2].update(minimum=1e999)),
    "'explicit'": document(lambda d: d.update(engine="explicit")),
    r"expected \(2, 1\) and \(2,\)": document(lambda d: d.update(classes=[0, 1])),
    "numerical attributes of the nodes": too_few_attributes,
    "version 99": document(lambda d: d.update(version=99)),
    "unknown kind": document(lambda d: d["schema"]["nodes"][0].update(kind="magic")),
    "not a readable nask model": document(lambda d: d.update({"class": "os.system"})),
    "'gamma_star' parameter": document(lambda d: d["parameters"].update(gamma_star=-1)),
    "machine has coefficients": lambda m: m.update(
        {"machine/coefficients.npy": bytes_of(np.zeros((3, 1)))}
    ),
    "weight that is too large": document(
        lambda d: d["parameters"].update(hop_weights=[1.0, 1e308])
    ),
    "no parameter 'evil'": document(lambda d: d["parameters"].update(evil=1)),
    "batch/endpoints|endpoints": lambda m: m.pop("batch/endpoints.npy"),
}


@pytest.mark.parametrize("message", CORRUPT)
def test_corrupted_files_are_refused(files, tmp_path, message):
    members = dict(files["three"][0])
    CORRUPT[message](members)
    with pytest.raises(ModelFileError, match=message):
        nask.load(write_members(tmp_path / "bad.nask", members))


def array(name, change):
    """What changes one array of a file."""

    def apply(members):
        members[f"{name}.npy"] = bytes_of(change(array_of(members[f"{name}.npy"])))

    return apply


def one_group(change):
    return document(lambda d: change(d["groups"][0]))


def one_member(change):
    return document(lambda d: change(d["groups"][0]["members"][1]))


CORRUPT_MEAN = {
    r"The groups are \[\]": document(lambda d: d.update(groups=[])),
    "The groups are 'x'": document(lambda d: d.update(groups="x")),
    r"batches \[7, ": one_group(lambda g: g.update(batch=7)),
    r"batches \[0.5, ": one_group(lambda g: g.update(batch=0.5)),
    # The graphs of another group have another number of attributes.
    "numerical attributes of the nodes": document(
        lambda d: [group.update(batch=1 - group["batch"]) for group in d["groups"]]
    ),
    "no parameter 'evil'": one_group(lambda g: g["parameters"].update(evil=1)),
    "'gamma_star' parameter": one_group(lambda g: g["parameters"].update(gamma_star=-1)),
    "The parameter degree": one_group(lambda g: g["parameters"].update(degree="numerical")),
    "no engine 'magic'": one_group(lambda g: g.update(engine="magic")),
    "no list of members": one_group(lambda g: g.update(members=[])),
    r"expected \(1, 12\)": one_group(lambda g: g["members"].pop()),
    r"expected \(3, 12\)": one_group(lambda g: g["members"].append(g["members"][0])),
    "scheme for several classes is 'ova'": one_member(lambda m: m.update(multiclass="ova")),
    "'hop_weights' parameter": one_member(lambda m: m["form"].update(hop_weights=[1.0])),
    "weight that is too large": one_member(lambda m: m["form"].update(hop_weights=[1e308, 0.0])),
    "'normalize' parameter": one_member(lambda m: m["form"].update(normalize="yes")),
    "'gram' parameter": one_member(lambda m: m["form"].update(gram="cubic")),
    "Expected a finite number, got None": one_member(lambda m: m["form"].update(gram="rbf")),
    "Expected a finite number, got 0": document(
        lambda d: d["groups"][1]["members"][0].update(unit=0)
    ),
    "settings of the model": document(lambda d: d.update(settings=[3])),
    "A parameter has the value": document(lambda d: d["settings"][0].update(gamma=[[1.0]])),
    "The classes are": document(lambda d: d.update(classes=[1, -1])),
    r"expected \(6, 12\)": document(lambda d: d.update(classes=[-1, 0, 1])),
    "missing, infinite or too large": array("group1/constants", lambda a: a * np.nan),
    "coefficients of shape": array("group0/coefficients", lambda a: a[..., :-1]),
    "type float64": array("group0/coefficients", lambda a: a.astype(np.float32)),
    "group0/constants": lambda m: m.pop("group0/constants.npy"),
    "batch1/": lambda m: m.pop("batch1/endpoints.npy"),
    "which no model has": lambda m: m.update({"group9/constants.npy": bytes_of(np.zeros(1))}),
}


@pytest.mark.parametrize("message", CORRUPT_MEAN)
def test_corrupted_means_are_refused(files, tmp_path, message):
    members = dict(files["mean"][0])
    CORRUPT_MEAN[message](members)
    with pytest.raises(ModelFileError, match=message):
        nask.load(write_members(tmp_path / "bad.nask", members))


CORRUPT_RIDGE = {
    "Expected a finite number, got -1": document(lambda d: d["ridge"].update(alpha=-1)),
    "scheme for several classes is 'ova'": document(lambda d: d["ridge"].update(multiclass="ova")),
    "Expected a finite number, got 'good'": document(lambda d: d["ridge"].update(score="good")),
    "'ridge'": document(lambda d: d.pop("ridge")),
    "'learner' parameter": document(lambda d: d["parameters"].update(learner="forest")),
    "'alpha' parameter": document(lambda d: d["parameters"].update(alpha=0)),
    "machine has coefficients": array("machine/coefficients", lambda a: a[:2]),
}


@pytest.mark.parametrize("message", CORRUPT_RIDGE)
def test_corrupted_ridge_regressions_are_refused(files, tmp_path, message):
    members = dict(files["ridge"][0])
    CORRUPT_RIDGE[message](members)
    with pytest.raises(ModelFileError, match=message):
        nask.load(write_members(tmp_path / "bad.nask", members))


def of_process(change):
    return document(lambda d: change(d["process"]))


CORRUPT_PROCESS = {
    "array machine/whitening has shape": array("machine/whitening", lambda a: a[:, 1:]),
    "and type float32": array("machine/whitening", lambda a: a.astype(np.float32)),
    "whitening has numbers that are missing": array("machine/whitening", lambda a: a * np.nan),
    "or too large": array("machine/whitening", lambda a: a + 1e30),
    "machine has coefficients": array("machine/coefficients", lambda a: a[:, 1:]),
    "machine/whitening": lambda m: m.pop("machine/whitening.npy"),
    "noise of the process is -1": of_process(lambda p: p.update(noise=-1)),
    "amplitude of the process is 1e[+]300": of_process(lambda p: p.update(amplitude=1e300)),
    "scale of the process": of_process(lambda p: p.update(scale=1e200)),
    "Expected a finite number, got 'good'": of_process(lambda p: p.update(evidence="good")),
    "The bounds are": document(lambda d: d.update(bounds={"gamma": 1})),
    "'bounds' parameter": document(lambda d: d.update(bounds=[["gamma", 2.0, 1.0]])),
    "'bounds' parameter .* 'magic'": document(lambda d: d.update(bounds=[["magic", 1.0, 2.0]])),
    "'optimize' parameter": document(lambda d: d["parameters"].update(optimize=["magic"])),
    "'gamma_star' parameter of NASK ": document(lambda d: d["kernel"].update(gamma_star=-1)),
    "no parameter 'evil'": document(lambda d: d["kernel"].update(evil=1)),
    "weight that is too large": document(lambda d: d["kernel"].update(hop_weights=[1.0, 1e308])),
    "got None": document(lambda d: d.update(mean_squared_distance=None)),
    "'process'": document(lambda d: d.pop("process")),
    "which no model has": lambda m: m.update({"support.npy": bytes_of(np.arange(20))}),
}


@pytest.mark.parametrize("message", CORRUPT_PROCESS)
def test_corrupted_gaussian_processes_are_refused(files, tmp_path, message):
    members = dict(files["process"][0])
    CORRUPT_PROCESS[message](members)
    with pytest.raises(ModelFileError, match=message):
        nask.load(write_members(tmp_path / "bad.nask", members))


@pytest.mark.parametrize("name", ["process", "process of three"])
def test_a_gaussian_process_comes_back(files, tmp_path, name):
    """With the parameters where learning begins, and with those that were learned."""
    members, graphs = files[name]
    model = nask.load(write_members(tmp_path / "one", members))
    model.save(tmp_path / "two")
    same = nask.load(tmp_path / "two")
    assert members_of(tmp_path / "two")["model.json"] == members["model.json"]
    assert same.get_params() == model.get_params()
    assert same.kernel_.get_params() == model.kernel_.get_params()
    assert model.optimize is None or model.kernel_.hop_weights != model.hop_weights
    own = "predict_proba" if name == "process of three" else "predict"
    options = {} if name == "process of three" else {"return_std": True}
    ours, theirs = (getattr(each, own)(graphs, **options) for each in (model, same))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three", "mean"])
def test_damage_anywhere_is_an_error_or_harmless(files, tmp_path, name):
    members, graphs = files[name]
    path = write_members(tmp_path / "whole.nask", members)
    whole = path.read_bytes()
    expected = nask.load(path).decision_function(graphs)
    for position in range(0, len(whole), len(whole) // 150):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        (tmp_path / "damaged.nask").write_bytes(damaged)
        try:
            same = nask.load(tmp_path / "damaged.nask")
        except ModelFileError:
            continue
        np.testing.assert_array_equal(same.decision_function(graphs), expected)


def test_truncated_and_absent_files(files, tmp_path):
    whole = write_members(tmp_path / "whole.nask", files["three"][0]).read_bytes()
    (tmp_path / "half.nask").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelFileError, match="not a readable nask model"):
        nask.load(tmp_path / "half.nask")
    with pytest.raises(ModelFileError, match="There is no file"):
        nask.load(tmp_path / "none.nask")


def test_loading_from_what_is_no_file(tmp_path):
    with pytest.raises(nask.exceptions.ModelFileError, match=r"It is a folder\. Expected a file"):
        nask.load(tmp_path)
    with pytest.raises(nask.exceptions.ParameterError, match="'path' parameter of load"):
        nask.load(3)
