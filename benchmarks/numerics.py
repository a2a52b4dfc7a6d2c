"""Is every number right, over all legal parameters and values? A million drawn pairs of graphs.

    python benchmarks/numerics.py                 # a million pairs
    python benchmarks/numerics.py --pairs 20000   # a first look
    python benchmarks/numerics.py --only 4711     # one case again, with what it is made of

Each case draws parameters (gamma 1e-6 to 1e4, gamma_star to 1e6, up to 10 hops, every option) and
graphs (numbers from 1e-300 to 1e300, constants, values that are missing here and there or
everywhere, stars, isolated nodes, no nodes), and demands of the Gram matrix: finite numbers, the
same matrix transposed, no eigenvalue below 0 but by rounding, a diagonal of 1 or 0 where it is
normalised, new graphs as in one matrix with the training graphs, the same numbers from every
engine, and, in one case of a hundred, from the equations themselves. Where rounding decides, which
nask warns of, engines may differ. The random features of some cases are held to the mean.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

import nask
from nask.exceptions import ParameterError, PrecisionWarning
from nask.execution.progress import track

# Training graphs and new graphs of a case, and the pairs of different graphs among them.
TRAIN, NEW = 10, 4
PAIRS = TRAIN * (TRAIN + 1) // 2 + NEW * TRAIN
# One case of so many is compared with the equations, one with the mean of random features, and one
# has a star of 100,000 leaves.
EQUATIONS, FEATURES, HUGE = 100, 500, 2000
LEAVES = 100_000
# Draws of random features, and how many standard errors their mean may be off: there are some
# thousand means in all.
DRAWS, ERRORS = 48, 6.0


def case(number: int) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """Parameters, training graphs and new graphs."""
    rng = np.random.default_rng([2718, number])
    huge = number % HUGE == HUGE - 1
    parameters = drawn_parameters(rng, huge)
    scale = 10.0 ** rng.uniform(-300, 300) if rng.random() < 0.3 else 1.0
    columns = [name for name in "wxyab" if rng.random() < 0.6]
    graphs = [drawn_graph(rng, columns, scale, k >= TRAIN) for k in range(TRAIN + NEW)]
    if huge:
        graphs[0] = star(rng, columns)
    return parameters, graphs[:TRAIN], graphs[TRAIN:]


def drawn_parameters(rng: np.random.Generator, huge: bool) -> dict[str, Any]:
    """Any that the kernel takes; few hops beside a huge star, whose nodes are all compared."""
    expansion = "ball" if huge else str(rng.choice(["nested", "nested", "ball", "walk"]))
    leaves = None if expansion == "ball" or rng.random() < 0.7 else int(rng.integers(1, 4))
    return {
        "expansion": expansion,
        "n_hops": 1 if huge else int(rng.choice([1, 2, 3, 5, 10])),
        "gamma": float(10 ** rng.uniform(-6, 4)),
        "gamma_star": float(10 ** rng.uniform(-3, 6)),
        "star_norm": bool(rng.random() < 0.7),
        "normalize": bool(rng.random() < 0.7),
        "prune_cores": bool(rng.random() < 0.2),
        "use_edges": bool(rng.random() < 0.7),
        "max_leaves": leaves,
        "degree": [None, None, "categorical", "numerical"][rng.integers(4)],
        "similarity": str(
            rng.choice(["gower", "gower", "gower", "one-hot", "gower" if huge else "euclidean"])
        ),
        "gram": str(rng.choice(["linear", "linear", "rbf"])),
        "gram_scale": float(10 ** rng.uniform(-2, 2)),
        "dtype": str(rng.choice(["float64", "float64", "float32"])),
    }


def drawn_graph(rng: np.random.Generator, columns: list[str], scale: float, new: bool) -> Any:
    """A graph of up to 8 nodes; new ones may have values that training has not."""
    n = int(rng.integers(0, 9))
    density = rng.random()
    edges = [(u, v) for u in range(n) for v in range(u) if rng.random() < density]
    nodes = {name: values(rng, name, n, scale, new) for name in columns}
    bonds = {name: values(rng, name, len(edges), scale, new) for name in columns[::2]}
    return nask.AttributedGraph(n, edges, nodes, bonds, categorical=[c for c in columns if c < "c"])


def values(rng: np.random.Generator, name: str, n: int, scale: float, new: bool) -> list[Any]:
    """Letters of a and b, numbers of w, x and y; w is constant in training, y often missing."""
    if name in "ab":
        letters = "pqrs" if new else "pqr"
        return [None if rng.random() < 0.1 else str(rng.choice(list(letters))) for _ in range(n)]
    if name == "w" and not new:
        return [scale] * n
    spread = 10.0 ** rng.uniform(-12, 0) if name == "y" else 1.0
    far = 1e6 if new and rng.random() < 0.2 else 1.0
    missing = {"y": 0.7}.get(name, 0.1)
    numbers = rng.normal(size=n) * spread * min(far, 1e300 / scale)
    return [None if rng.random() < missing else float(scale * x) for x in numbers]


def star(rng: np.random.Generator, columns: list[str]) -> Any:
    """A star of very many leaves, of few kinds."""
    nodes: dict[str, Any] = {}
    for name in columns:
        kinds = np.array(["p", "q"]) if name in "ab" else np.array([0.0, 1.0])
        nodes[name] = kinds[rng.integers(2, size=LEAVES + 1)]
    edges = np.column_stack([np.zeros(LEAVES, dtype=int), np.arange(1, LEAVES + 1)])
    return nask.AttributedGraph(
        LEAVES + 1, edges, nodes, categorical=[c for c in columns if c < "c"]
    )


def engines_of(parameters: dict[str, Any], huge: bool) -> list[Any]:
    """The fast engines that compute a kernel; all pairs of nodes of a huge star take too much."""
    if huge:
        return ["explicit"]
    engines = ["pairwise"]
    if parameters["n_hops"] == 1 or parameters["expansion"] != "ball":
        engines.append("distinct")
    if parameters["n_hops"] == 1 or parameters["expansion"] == "ball":
        engines += [] if parameters["similarity"] == "euclidean" else ["explicit"]
    return engines


def faults_of(number: int) -> tuple[list[str], str]:
    """What is wrong in a case, and what kind of case it is."""
    parameters, train, new = case(number)
    huge = number % HUGE == HUGE - 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = {
                engine: grams(parameters, engine, train, new)
                for engine in engines_of(parameters, huge)
            }
        except ParameterError as error:
            # The kernel says why it does not take these, and what to do.
            return [] if len(str(error)) > 40 else [f"unclear: {error}"], "refused"
        if number % EQUATIONS == 0 and not huge:
            # Its loops in Python take a second for ten hops.
            found["reference"] = grams(parameters, "reference", train, new)
    odd = {own.category.__name__ for own in caught if own.category.__module__ != "nask.exceptions"}
    faults = [f"warns of {name}" for name in odd]
    rounds = any(issubclass(own.category, PrecisionWarning) for own in caught)
    first, *others = found
    for engine, (K, cross, whole) in found.items():
        faults += [f"{engine}: {fault}" for fault in of_gram(K, cross, whole, parameters, rounds)]
    for engine in others:
        K, other = found[first][0].astype(np.float64), found[engine][0]
        gap = np.abs(K - other).max() / max(np.abs(K).max(), 1e-300)
        if not rounds and gap > allowed_gap(parameters):
            faults.append(f"{first} and {engine} differ by {gap:.1e}")
    if number % FEATURES == 0:
        faults += of_features(parameters, train)
    return faults, "rounding decides" if rounds else "compared"


def grams(parameters: dict[str, Any], engine: Any, train: Any, new: Any) -> tuple[Any, Any, Any]:
    """Of the training graphs, with the new graphs, and of the new graphs with each other."""
    kernel = nask.NASK(engine=engine, **parameters)
    K = kernel.fit_transform(train)
    return K, kernel.transform(new), kernel(new)


def allowed_gap(parameters: dict[str, Any]) -> float:
    """By how much engines may differ, in units of the largest entry."""
    unit = 2e-6 if parameters["dtype"] == "float32" else 1e-9
    if parameters["gamma_star"] ** (parameters["n_hops"] - 1) * 2e-16 > 1e-10:
        # Rounding errors are held by what is known of stars that are alike: six digits are right.
        unit = max(unit, 1e-6)
    scale = max(1.0, parameters["gram_scale"]) if parameters["gram"] == "rbf" else 1.0
    return unit * scale / least_spread(parameters)


def least_spread(parameters: dict[str, Any]) -> float:
    """What pruning divides by."""
    if not parameters["prune_cores"]:
        return 1.0
    return float(-np.expm1(-min(parameters["gamma"], parameters["gamma_star"])))


def of_gram(
    K: Any, cross: Any, own: Any, parameters: dict[str, Any], rounds: bool
) -> Iterator[str]:
    """What is wrong with the matrices of one engine."""
    for name, matrix in (("K", K), ("K(new, train)", cross), ("K(new)", own)):
        if not np.isfinite(matrix).all():
            yield f"{name} is not finite"
            return
    whole = np.block([[K, cross.T], [cross, own]]).astype(np.float64)
    unit = 2.0**-20 if parameters["dtype"] == "float32" else 1e-12
    size = np.sqrt(np.outer(whole.diagonal(), whole.diagonal()))
    if not (np.array_equal(K, K.T) and np.array_equal(own, own.T)):
        yield f"not symmetric: off by {np.abs(K - K.T).max():.1e}, {np.abs(own - own.T).max():.1e}"
    if (whole < 0).any():
        yield f"negative: {whole.min():.1e}"
    if parameters["normalize"] or parameters["gram"] == "rbf":
        diagonal = whole.diagonal()
        atol = max(10 * unit, 1e-2 if rounds else 0.0)
        allowed = np.isclose(diagonal, 1, atol=atol) | (diagonal == 0)
        if not allowed.all():
            yield f"a diagonal of {diagonal[~allowed][0]}"
    if (whole > size * (1 + 1e3 * unit) + 1e-300).any() and not rounds:
        yield "an entry above its bound by Cauchy and Schwarz"
    # Scaled, so that no large graph hides a small one.
    scale = np.divide(1, size, out=np.zeros_like(size), where=size > 0)
    least = float(np.linalg.eigvalsh((whole + whole.T) / 2 * scale)[0])
    if least < -len(whole) * 10 * max(unit, 1e-4 if rounds else 0.0):
        yield f"an eigenvalue of {least:.1e}"


def of_features(parameters: dict[str, Any], train: list[Any]) -> Iterator[str]:
    """Whether the mean product of random features is the kernel, within its standard error."""
    features = nask.NASKFeatures(n_components=256, n_hops=1)
    names = set(features.get_params()) & set(parameters) - {"n_hops", "gram", "gram_scale", "dtype"}
    own = {name: parameters[name] for name in names} | {"n_hops": 1, "normalize": False}
    try:
        draws = []
        for seed in range(DRAWS):
            Z = features.set_params(**own, random_state=seed).fit_transform(train)
            draws.append(np.asarray(Z, dtype=np.float64) @ Z.T)
    except ParameterError:
        return
    exact = nask.NASK(**own).fit_transform(train)
    mean, spread = np.mean(draws, axis=0), np.std(draws, axis=0, ddof=1) / np.sqrt(DRAWS)
    size = np.abs(exact).max() if exact.size else 0.0
    off = np.abs(mean - exact) > ERRORS * spread + 1e-5 * size
    if off.any():
        yield f"features are biased: {mean[off][0]:.6g} for {exact[off][0]:.6g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="one case, shown")
    arguments = parser.parse_args()
    if arguments.only is not None:
        parameters, train, new = case(arguments.only)
        print(json.dumps(parameters, indent=1))
        print([(g.n_nodes, g.n_edges) for g in [*train, *new]])
        print(*(faults_of(arguments.only)), sep="\n")
        return
    n_cases = -(-arguments.pairs // PAIRS)
    numbers = range(arguments.first, arguments.first + n_cases)
    kinds: Counter[str] = Counter()
    n_faulty, start = 0, time.process_time()
    for number in track(numbers, n_cases, True, "Drawn cases"):
        faults, kind = faults_of(number)
        kinds[kind] += 1
        n_faulty += bool(faults)
        for fault in faults:
            print(f"case {number}: {fault}", flush=True)
    print(
        f"{n_cases * PAIRS} pairs of graphs in {n_cases} cases: {n_faulty} cases with a fault; "
        f"{', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}; "
        f"{time.process_time() - start:.0f} s of processor time."
    )


if __name__ == "__main__":
    main()
