"""Would another kernel be more accurate? Ideas against the default, on development folds.

    NASK_DATA=<folder of zips> python benchmarks/ideas.py transport ENZYMES --seeds 101 102

An idea is a family of Gram matrices. All are learned from by the ridge regressions of the search,
judged by leave-one-out, and averaged if near the best: only the kernel differs. A line has the
accuracy of the family alone, and of the default grid and the family in one pool, each with the
difference to the default grid on the same folds and its corrected standard error. ``--keep`` names
a folder for the results of the default grid, which take the most time. ``--against few`` compares
with a small part of the grid instead, and ``--every 2`` takes every other graph: enough to compare
ideas with each other.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from choice import difference
from scipy.optimize import nnls
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

import nask
from nask.arrays import Array, Float64, Index, Positions
from nask.attributes.feature_map import FeatureMap
from nask.attributes.similarity_matrix import similarity_matrix
from nask.choices import Multiclass
from nask.evaluation.splits import outer_splits
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.kernels.forms import gram_of_hops
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.rwk import RWK, Structure
from nask.learning.centring import Centring
from nask.learning.goals import ClassGoal
from nask.learning.held_out import hold_out, one_against_rest
from nask.learning.ridge import ALPHAS, schemes_for
from nask.learning.targets import class_codes
from nask.stars.colours import StarColours
from nask.stars.members import star_matrices
from nask.tuning.grid import GRIDS
from nask.tuning.leave_one_out import LeaveOneOut
from nask.tuning.near_best import near_best

LANDMARKS = 500
COLUMNS = 64
DEPTH = 10
TREES = 2
LAPLACIANS = (0.5, 1.0, 2.0, 4.0)
FORMS = (("linear", 1.0), ("rbf", 1.0), ("rbf", 3.0))


class Task(NamedTuple):
    """Graphs, their classes by number, and the test graphs of each fold."""

    graphs: Sequence[AttributedGraph]
    codes: Positions
    n_classes: int
    tests: list[Positions]

    @property
    def ptr(self) -> Index:
        """Nodes of graph i are those from ``ptr[i]`` to ``ptr[i + 1] - 1``."""
        return np.cumsum([0, *(graph.n_nodes for graph in self.graphs)])


# One Gram matrix for all folds, or one per fold where it was learned from its training part.
Grams = Iterator[Float64 | list[Float64]]


class Judged(NamedTuple):
    """What settings did: bits of what they got right, and the scores of test graphs, by fold."""

    right: Array
    scores: list[Array]

    def __add__(self, other: Judged) -> Judged:  # type: ignore[override]
        scores = zip(self.scores, other.scores, strict=True)
        return Judged(np.concatenate([self.right, other.right]), [*map(np.concatenate, scores)])

    def accuracies(self, task: Task) -> Float64:
        """Accuracy on each fold of the mean of the near-best settings."""
        found = []
        for fold, test in enumerate(task.tests):
            bits = np.unpackbits(self.right[:, fold], axis=1, count=len(task.codes))
            near = near_best(np.delete(bits, test, axis=1).astype(bool))
            scores = self.scores[fold][near].mean(axis=0, dtype=np.float64)
            found.append(float(np.mean(scores.argmax(axis=1) == task.codes[test])))
        return 100 * np.array(found)


def judged(task: Task, grams: Grams) -> Judged:
    """Learn from each Gram matrix with every penalty and scheme."""
    right, scores = [], []
    goal = ClassGoal(task.codes, task.n_classes)
    whole = LeaveOneOut(goal, 1, tests=task.tests)
    parts = [LeaveOneOut(goal, 1, tests=[test]) for test in task.tests]
    for gram in grams:
        for scheme, alpha in product(schemes_for(None, task.n_classes), ALPHAS):
            if isinstance(gram, list):
                each = [_tried(*both, scheme, alpha) for both in zip(parts, gram, strict=True)]
                right.append(np.concatenate([bits for bits, _ in each]))
                scores.append([own for _, [own] in each])
            else:
                bits, own = _tried(whole, gram, scheme, alpha)
                right.append(bits)
                scores.append(own)
    return Judged(np.stack(right), [np.stack(own) for own in zip(*scores, strict=True)])


def _tried(
    judge: LeaveOneOut, gram: Float64, scheme: Multiclass, alpha: float
) -> tuple[Array, list[Array]]:
    found = judge._try(gram, range(len(judge.tests or ())), scheme, alpha)
    return np.stack(list(found.kept.values())), list(found.scores.values())


def default(task: Task, **values: Sequence[Any]) -> Grams:
    """Yield the Gram matrices of the default grid, with other values of some parameters."""
    grid = [{**part, **values} for part in GRIDS["default"]]
    model = nask.TunedNASKClassifier(grid=grid)
    for sweep in model.sweeps_of(task.graphs):
        stack = sweep.compute(task.graphs, n_jobs=1)
        for candidate in sweep.candidates:
            yield np.asarray(sweep.gram(stack, candidate), dtype=np.float64)


def hop_grams(task: Task, **parameters: Any) -> Float64:
    """Gram matrix of each hop."""
    return np.asarray(nask.NASK(**parameters, n_jobs=1).fit(task.graphs).hop_grams(), np.float64)


def forms(hops: Float64, n_hops: int) -> Iterator[Float64]:
    """Yield the Gram matrices of some hops, linear and Gaussian."""
    for form, scale in FORMS:
        gram = gram_of_hops(hops, n_hops=n_hops, gram=form, gram_scale=scale)
        yield np.asarray(gram, dtype=np.float64)


def few(task: Task) -> Grams:
    """NASK itself with the settings of the ideas below: what they are to be compared with."""
    for gamma, gamma_star in product((0.5, 2.0), (4.0, 16.0, 64.0)):
        hops = hop_grams(task, gamma=gamma, gamma_star=gamma_star, n_hops=4)
        for n_hops in (1, 2, 3, 4):
            yield from forms(hops, n_hops)


def sizes(task: Task) -> Grams:
    """NASK times a Gaussian of the logarithm of the number of nodes, which it does not see."""
    size = np.log(np.diff(task.ptr))
    gaps = (size[:, None] - size) ** 2 / (2 * size.var() or 1.0)
    for gram, width in product(few(task), (0.03, 0.1)):
        yield gram * np.exp(-width * gaps)


def nystrom(columns: Float64, landmarks: Index) -> Float64:
    """Rows of length 1 whose products are a kernel, from its columns at landmarks."""
    values, vectors = np.linalg.eigh(columns[landmarks])
    kept = values > 1e-6 * values[-1]
    rows = columns @ (vectors[:, kept] / np.sqrt(values[kept]))
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def star_vectors(task: Task, gamma: float, gamma_star: float, n_hops: int) -> list[Float64]:
    """Vectors of P and of the stars of each hop, nodes x columns, whose products are kappa_h."""
    schema = Schema.fit(task.graphs)
    spec = nask.NASK(gamma=gamma, gamma_star=gamma_star, n_hops=n_hops).star_spec(schema)
    batch = GraphBatch.encode(task.graphs, schema)
    colours = StarColours.of(batch, spec).levels[-1]
    distinct = np.unique(colours, return_index=True)[1]
    rng = np.random.default_rng(0)
    landmarks = rng.choice(distinct, min(LANDMARKS, len(distinct)), replace=False)
    some = batch.nodes.take(landmarks, np.array([0, len(landmarks)]))
    padded = np.asarray(similarity_matrix(batch.nodes, some, spec.nodes, "float64"), np.float64)
    [star], [incidence] = star_matrices(batch, spec)
    edges = (incidence @ FeatureMap.of(batch.edges, spec.edges).matrix()).toarray()
    found = [nystrom(padded[:, : len(landmarks)], landmarks)]
    core = found[0]
    for _ in range(n_hops):
        members = np.hstack([star @ core, edges])
        length = np.linalg.norm(members, axis=1)
        kappa = (core @ core[landmarks].T) * (members @ members[landmarks].T)
        kappa /= length[:, None] * length[landmarks]
        found.append(nystrom(kappa, landmarks))
        core = nystrom(np.exp(-gamma_star * (1 - kappa)), landmarks)
    return found


def principal(rows: Float64) -> Float64:
    """The rows in the directions in which they differ most."""
    centred = rows - rows.mean(axis=0)
    return np.asarray(centred @ np.linalg.eigh(centred.T @ centred)[1][:, -COLUMNS:])


def halves(rows: Float64, rng: np.random.Generator) -> tuple[Array, float] | None:
    """Which rows are in the second of two clusters, and half the distance of their centres."""
    centres = rows[rng.choice(len(rows), 2, replace=False)]
    if np.allclose(*centres):
        centres[1] = rows[((rows - centres[0]) ** 2).sum(axis=1).argmax()]
    for _ in range(8):
        middle = (centres[1] @ centres[1] - centres[0] @ centres[0]) / 2
        second = rows @ (centres[1] - centres[0]) > middle
        if second.all() or not second.any():
            return None
        centres = np.stack([rows[~second].mean(axis=0), rows[second].mean(axis=0)])
    return second, float(np.linalg.norm(centres[1] - centres[0])) / 2


def cell_counts(rows: Float64, ptr: Index) -> Iterator[Float64]:
    """Yield for each random tree the nodes of a graph in each cell, times the cell's weight."""
    rng = np.random.default_rng(0)
    graph = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    for _ in range(TREES):
        columns, cells = [], [np.arange(len(rows))]
        for _ in range(DEPTH):
            wide, cells = cells, []
            for cell in wide:
                found = halves(rows[cell], rng) if len(cell) > 1 else None
                if found is not None:
                    second, weight = found
                    for part in (cell[~second], cell[second]):
                        cells.append(part)
                        columns.append(weight * np.bincount(graph[part], minlength=len(ptr) - 1))
        yield np.stack(columns, axis=1)


def tree_distances(rows: Float64, ptr: Index) -> Float64:
    """Wasserstein distance on trees, the mean of some: the L1 distance of shares in cells."""
    size = np.diff(ptr)[:, None]
    found = [cdist(own / size, own / size, "cityblock") for own in cell_counts(rows, ptr)]
    return np.asarray(np.mean(found, axis=0))


def intersections(rows: Float64, ptr: Index) -> Float64:
    """Normalised value of the best assignment on trees: the intersection of histograms."""
    counts = np.hstack(list(cell_counts(rows, ptr)))
    own = counts.sum(axis=1)
    return np.asarray(
        (own[:, None] + own - cdist(counts, counts, "cityblock"))
        / (2 * np.sqrt(np.outer(own, own)))
    )


def laplacians(distances: Float64) -> Iterator[Float64]:
    """Yield exp(-scale distance / mean distance)."""
    for scale in LAPLACIANS:
        yield np.exp(-scale * distances / distances.mean())


def clouds(task: Task) -> Iterator[tuple[dict[str, Any], Float64]]:
    """Yield settings, and the vectors of stars of up to that many hops."""
    for gamma in (0.5, 2.0):
        setting = {"gamma": gamma, "gamma_star": 16.0}
        vectors = star_vectors(task, **setting, n_hops=3)
        for n_hops in (1, 2, 3):
            yield {**setting, "n_hops": n_hops}, np.hstack(vectors[: n_hops + 1])


def transport(task: Task) -> Grams:
    """Transport of stars on trees."""
    for _, rows in clouds(task):
        yield from laplacians(tree_distances(principal(rows), task.ptr))


def assignment(task: Task) -> Grams:
    """Optimal assignment of stars on trees."""
    for _, rows in clouds(task):
        yield intersections(principal(rows), task.ptr)


def both(task: Task) -> Grams:
    """NASK plus optimal assignment, both of unit spread."""
    for setting, rows in clouds(task):
        second = intersections(principal(rows), task.ptr)
        for first in forms(hop_grams(task, **setting), setting["n_hops"]):
            yield first / Centring.fit(first).scale + second / Centring.fit(second).scale


def exact_distances(rows: Float64, ptr: Index) -> Float64:
    """Wasserstein distances between graphs, as clouds of nodes."""
    import ot  # type: ignore[import-untyped]

    distances = np.zeros((len(ptr) - 1, len(ptr) - 1))
    for i in range(len(distances)):
        cost = cdist(rows[ptr[i] : ptr[i + 1]], rows[: ptr[i]])
        for j in range(i):
            own = np.ascontiguousarray(cost[:, ptr[j] : ptr[j + 1]])
            distances[i, j] = distances[j, i] = ot.emd2([], [], own, center_dual=False)
    return distances


def exact_transport(task: Task) -> Grams:
    """Transport of stars without trees, at one setting."""
    vectors = star_vectors(task, gamma=2.0, gamma_star=16.0, n_hops=2)
    yield from laplacians(exact_distances(principal(np.hstack(vectors)), task.ptr))


def walk_structures(task: Task, n_hops: int) -> list[Structure]:
    """Graphs as RWK sees them, without its units."""
    kernel = RWK(n_hops=n_hops)
    kernel.encoder_ = NodeEncoder().fit(task.graphs)
    kernel.feature_scale_ = kernel.walk_scale_ = 1.0
    return kernel._structures(task.graphs)


def walk_rows(task: Task) -> Float64:
    """Features of nodes as RWK has them: attributes, and by how much neighbours differ."""
    rows = np.concatenate([own.features for own in walk_structures(task, 1)])
    return np.asarray(rows / np.sqrt(2 * rows.var(axis=0).sum()))


def rwk_transport(task: Task) -> Grams:
    """Transport of RWK's nodes, without its terms of structure and its entropy."""
    yield from laplacians(exact_distances(walk_rows(task), task.ptr))


def rwk_trees(task: Task) -> Grams:
    """The same on trees."""
    yield from laplacians(tree_distances(principal(walk_rows(task)), task.ptr))


def rwk_pairs(task: Task) -> Grams:
    """Mean over pairs of RWK's nodes, with the forms of NASK."""
    rows, starts = walk_rows(task), task.ptr[:-1]
    for scale in (1.0, 3.0, 9.0):
        parts = np.split(rows, starts[1:])
        sums = [np.exp(-scale * cdist(part, rows)).sum(axis=0) for part in parts]
        hops = np.add.reduceat(np.stack(sums), starts, axis=1)[None]
        yield from forms(hops, 1)


def rwk(task: Task, **parameters: Any) -> Grams:
    """RWK with one hop."""
    compared = RWK(n_hops=1, n_jobs=1, **parameters).fit(task.graphs).compare()
    for gamma in (1.0, 3.0, 10.0, 30.0, 100.0):
        yield np.exp(-gamma * compared)


def rwk_plain(task: Task) -> Grams:
    """RWK without its terms of structure."""
    return rwk(task, local=0.0, connectivity=0.0)


def rwk_global(task: Task) -> Grams:
    """RWK without its local term."""
    return rwk(task, local=0.0)


def shapes(task: Task) -> Grams:
    """NASK times exp(-transport between the distances of all pairs of nodes), a bound of RWK's."""
    distances = [own.side.C for own in walk_structures(task, 0)]
    levels = np.quantile(np.concatenate([own.ravel() for own in distances]), np.arange(0, 1, 0.02))
    below = [np.searchsorted(np.sort(own.ravel()), levels) / own.size for own in distances]
    steps = np.stack(below)[:, :-1] * np.diff(levels)
    gaps = cdist(steps, steps, "cityblock")
    for gram, scale in product(few(task), (0.1, 0.3)):
        yield gram * np.exp(-scale * gaps / gaps.mean())


def steps_between(graph: AttributedGraph) -> Float64:
    """Steps of the shortest path between any two nodes, at most 12."""
    adjacency = np.zeros((graph.n_nodes, graph.n_nodes))
    adjacency[tuple(graph.edges.T)] = 1.0
    steps = shortest_path(adjacency, directed=False, unweighted=True)
    return np.asarray(np.minimum(steps, 12.0))


def distant_pairs(task: Task) -> Grams:
    """Pairs of stars of a graph, alike where both stars and the steps between them are."""
    levels = np.array([0.0, 1.0, 2.0, 4.0, 7.0, 11.0])[:, None, None]
    gaps = [(steps_between(graph) - levels) ** 2 for graph in task.graphs]
    for setting, _ in clouds(task):
        rows = star_vectors(task, **setting)[-1]
        rows = rows @ np.linalg.eigh(rows.T @ rows)[1][:, -COLUMNS // 2 :]
        parts = np.split(rows, task.ptr[1:-1])
        for width in (0.3, 1.0):
            pairs = zip(parts, gaps, strict=True)
            found = np.stack([(z.T @ np.exp(-width * gap) @ z).ravel() for z, gap in pairs])
            yield from forms((found @ found.T)[None], 1)


def sharper(task: Task) -> Grams:
    """Values of gamma and gamma_star beyond the default grid."""
    plain = {"degree": (None,), "attributes": ("all",), "use_edges": (True,)}
    yield from default(task, **plain, gamma=(4.0, 8.0))
    yield from default(task, **plain, gamma_star=(256.0,), n_hops=(2, 3, 4))


def numbers(task: Task) -> Grams:
    """Numerical attributes alone."""
    return default(task, attributes=("numerical",), degree=(None,), use_edges=(True,))


def attribute_weights(task: Task) -> Grams:
    """Weights of attributes by one step down the leave-one-out squared loss of each training part.

    The loss is that of a ridge regression on the Gram matrix where one weight is half as large
    again, for every attribute in turn.
    """
    names = [spec.name for spec in Schema.fit(task.graphs).nodes]
    problems = one_against_rest(task.codes, task.n_classes)
    targets = problems[0].targets
    fixed = {"gamma": 2.0, "gamma_star": 16.0, "n_hops": 3}

    def losses(weights: dict[str, float]) -> Float64:
        hops = hop_grams(task, **fixed, attribute_weights=weights)
        gram = gram_of_hops(hops, n_hops=3, gram="rbf").astype(np.float64)
        penalty = np.full(len(gram), 0.03 * Centring.fit(gram).scale)
        decisions = hold_out(gram, problems, penalty, task.tests, functions=False).decisions
        errors = ((decisions - targets) ** 2).mean(axis=2)
        return np.array(
            [np.delete(own, test).mean() for own, test in zip(errors, task.tests, strict=True)]
        )

    plain = dict.fromkeys(names, 1.0)
    start = losses(plain)
    slopes = np.stack([losses({**plain, name: 1.5}) - start for name in names], axis=1)
    slopes /= np.abs(slopes).max(axis=1, keepdims=True) + 1e-12
    by_fold = [
        hop_grams(task, **fixed, attribute_weights=dict(zip(names, own, strict=True)))
        for own in np.exp(-slopes).tolist()
    ]
    for n_hops in (1, 2, 3):
        yield from map(list, zip(*(forms(hops, n_hops) for hops in by_fold), strict=True))


def one_kernel(task: Task) -> Grams:
    """One kernel per fold: the mean of the unit Gram matrices whose settings are near-best."""
    grams = [np.asarray(gram) for gram in few(task)]
    tried = judged(task, iter(grams))
    per_gram = len(tried.right) // len(grams)
    found = []
    for fold, test in enumerate(task.tests):
        bits = np.unpackbits(tried.right[:, fold], axis=1, count=len(task.codes))
        near = np.flatnonzero(near_best(np.delete(bits, test, axis=1).astype(bool))) // per_gram
        units = [grams[k] / Centring.fit(grams[k]).scale for k in np.unique(near)]
        found.append(np.asarray(np.mean(units, axis=0)))
    yield found


def alignment_weights(bases: Float64, targets: Float64) -> Float64:
    """Weights of 0 or more whose sum of kernels is most like that of the targets.

    By Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment,
    JMLR 2012: the least squares of what is left of the kernel of the targets, after centring.
    """
    centred = bases - bases.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=2, keepdims=True)
    lengths = np.linalg.norm(centred, axis=(1, 2))
    flat = (centred / lengths[:, None, None]).reshape(len(bases), -1)
    deviations = targets - targets.mean(axis=0)
    wanted = (deviations @ deviations.T).ravel()
    factor = np.linalg.cholesky(flat @ flat.T + 1e-6 * np.eye(len(flat)))
    weights, _ = nnls(factor.T, np.linalg.solve(factor, flat @ wanted))
    return np.asarray(weights / lengths)


def summed_by_alignment(task: Task, settings: Sequence[tuple[float, float]]) -> Grams:
    """Yield sums of the hops of some gamma and gamma_star, weighted per training part."""
    bases = []
    for gamma, gamma_star in settings:
        for hop in hop_grams(task, gamma=gamma, gamma_star=gamma_star, n_hops=4):
            bases.append(gram_of_hops(hop[None], n_hops=1).astype(np.float64))
    every = np.stack(bases)
    targets = np.eye(task.n_classes)[task.codes]
    found = []
    for test in task.tests:
        train = np.delete(np.arange(len(task.codes)), test)
        weights = alignment_weights(every[:, train[:, None], train], targets[train])
        found.append(np.tensordot(weights, every, axes=1)[None])
    yield from map(list, zip(*(forms(own, 1) for own in found), strict=True))


def aligned(task: Task) -> Grams:
    """Multiple kernel learning: one kernel, with a weight of each gamma x gamma_star x hop."""
    return summed_by_alignment(task, list(product((0.5, 2.0), (4.0, 16.0, 64.0))))


def hop_weights(task: Task) -> Grams:
    """Weights of hops alone, learned for every gamma x gamma_star."""
    for setting in product((0.5, 2.0), (4.0, 16.0, 64.0)):
        yield from summed_by_alignment(task, [setting])


IDEAS: dict[str, Callable[[Task], Grams]] = {
    idea.__name__.replace("_", "-"): idea
    for idea in (
        default, few, sizes, transport, assignment, both, exact_transport, rwk, rwk_plain,
        rwk_global, rwk_transport, rwk_trees, rwk_pairs, shapes, distant_pairs, sharper, numbers,
        attribute_weights, one_kernel, aligned, hop_weights,
    )
}  # fmt: skip


def kept(task: Task, idea: str, file: Path | None) -> Judged:
    """What a family did, from a file if there is one."""
    if file is not None and file.exists():
        with np.load(file) as stored:
            own = [stored[f"scores{fold}"] for fold in range(len(task.tests))]
            return Judged(stored["right"], own)
    found = judged(task, IDEAS[idea](task))
    if file is not None:
        named = {f"scores{fold}": own for fold, own in enumerate(found.scores)}
        np.savez(file, right=found.right, **named)  # type: ignore[arg-type]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("idea", choices=IDEAS)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--every", type=int, default=1, help="take every n-th graph")
    parser.add_argument("--against", choices=IDEAS, default="default")
    parser.add_argument("--keep", type=Path, help="folder for what --against did")
    arguments = parser.parse_args()
    reference, every = arguments.against, arguments.every
    for name in arguments.datasets:
        dataset = nask.load_dataset(name)
        classes, codes = class_codes(np.asarray(dataset.y)[::every])
        tests = [
            split.test
            for seed in arguments.seeds
            for split in outer_splits(codes, arguments.folds, 1, seed)
        ]
        task = Task(dataset.graphs[::every], codes, len(classes), tests)
        parts = [name, reference, every, *arguments.seeds, arguments.folds]
        file = arguments.keep and arguments.keep / f"{'-'.join(map(str, parts))}.npz"
        usual = kept(task, reference, file)
        own = judged(task, IDEAS[arguments.idea](task))
        base = usual.accuracies(task)
        alone, pooled = own.accuracies(task), (usual + own).accuracies(task)
        print(
            f"{name:10s} {arguments.idea:17s} {reference} {base.mean():5.1f}   "
            f"alone {alone.mean():5.1f} {difference(alone, base, arguments.folds)}   "
            f"pooled {pooled.mean():5.1f} {difference(pooled, base, arguments.folds)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
