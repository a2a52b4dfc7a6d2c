"""The generated text of docs/performance.md, from records alone."""

from __future__ import annotations

import json
from pathlib import Path

import tables
from charts import scaling_chart, time_chart
from generated import FITTED
from records import Records

BEGIN, END = "<!-- made by benchmarks/run.py -->", "<!-- end -->"
FIRST_PAGE = f"# Performance\n\n{BEGIN}\n{END}\n"


def write_page(records: Records, page: Path) -> None:
    """Rewrite what is between the markers, and the pictures in ``images`` beside the page."""
    images = page.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    time_chart(records).savefig(images / "performance.png", dpi=120)
    scaling = scaling_chart(records)
    if scaling is not None:
        scaling.savefig(images / "performance-scaling.png", dpi=120)
    content = page.read_text(encoding="utf-8") if page.exists() else FIRST_PAGE
    before, _, rest = content.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{_text(records)}\n{END}{after}", encoding="utf-8")


def _text(records: Records) -> str:
    paragraphs = [
        *_computers(records),
        "## Targets",
        tables.target_table(records),
        "## Time of one Gram matrix",
        "Median seconds of wall-clock time, and in brackets the ratio to `nask nested`, with 3 "
        'hops unless a cell says otherwise. "≈ ..., of N graphs": measured on N evenly spaced '
        "graphs of the set and multiplied by the ratio of the numbers of pairs.",
        tables.time_table(records),
        "![Seconds of one Gram matrix by set and method](images/performance.png)",
        "Beside the times that the paper claims, measured on its own computer, in seconds "
        "(`docs/results.md` has all kernels of the paper, on one thread):",
        tables.claim_table(records),
        "CPU seconds, of all threads together:",
        tables.cpu_table(records),
        "## Peak memory",
        "MB of the whole process while it computes, and in brackets what that is above the memory "
        "it held before, with the packages loaded and the graphs read.",
        tables.memory_table(records),
        "## First call",
        "Seconds in a new process with compiled code cached, medians over processes.",
        tables.first_call_table(records),
        *_scaling(records),
        *_arithmetic(records),
        *_features(records),
        *_network(records),
        *_solvers(records),
    ]
    return "\n\n".join(paragraphs)


def _computers(records: Records) -> list[str]:
    """The computers that made the records."""
    found = {json.dumps(record.environment): record.environment for record in records}
    texts = []
    for environment in found.values():
        versions = ", ".join(f"{name} {text}" for name, text in environment["versions"].items())
        texts.append(
            f"Measured on {environment['processor']}, {environment['cores']} cores, "
            f"{environment['system']}, with Python {environment['python']}, {versions}."
        )
    return texts


def _scaling(records: Records) -> list[str]:
    found = tables.scaling_records(records)
    if not found:
        return []
    base: dict[str, int] = found[0].case.options["base"]
    usual = ", ".join(f"{name} {value}" for name, value in base.items())
    return [
        "## Time against size",
        "The nested expansion on drawn graphs, of a mean degree of 4 and with normal numbers as "
        f"attributes. What is not varied: {usual}; nodes are those of each graph. The "
        f"exponent is that of a power law through the last {FITTED} points.",
        tables.scaling_table(records),
        "![Seconds against each size](images/performance-scaling.png)",
    ]


def _arithmetic(records: Records) -> list[str]:
    record = records.find("arithmetic")
    if record is None or record.failed:
        return []
    result = record.result
    peak, reached = result["peak_gflops"], result["p_gflops"]
    return [
        "## Rate of arithmetic",
        f"One thread multiplies matrices of float64 at {peak:.0f} GFLOP/s. It compares "
        f"one numerical attribute of one pair of nodes in {result['p_nanoseconds']:.2f} ns: four "
        "operations (two products, the smaller of them, a sum), which is "
        f"{reached:.1f} GFLOP/s, slower by a factor of {peak / reached:.1f}. That time is the "
        "difference of two Gram matrices with 128 and 64 attributes, so nothing but attributes is "
        "in it. A matrix product does two operations per instruction (multiply and add), the "
        "comparison one.",
    ]


def _features(records: Records) -> list[str]:
    paragraphs: list[str] = []
    found = tables.scaling_records(records, "feature scaling")
    if found:
        base: dict[str, int] = found[0].case.options["base"]
        usual = ", ".join(f"{name} {value}" for name, value in base.items())
        paragraphs += [
            "## Linear-time features",
            "`NASKFeatures` of all nodes of a network by `make_social_network`, with five mixed "
            f"attributes, some values missing. What is not varied: {usual}.",
            tables.scaling_table(records, "feature scaling"),
        ]
    for record in records:
        if record.case.work == "feature accuracy" and not record.failed:
            options = record.case.options
            given = ", ".join(f"{name} {value}" for name, value in options["parameters"].items())
            paragraphs += [
                f"Accuracy on {record.case.subject} of a support vector machine on the exact "
                f"kernel and on features of it, with {given} and C 10 given for both: 10 folds, "
                f"drawn {options['repeats']} times. The error is the root mean square of that of "
                "products between two graphs, relative to that of the kernel.",
                tables.accuracy_table(record),
            ]
    return paragraphs


def _network(records: Records) -> list[str]:
    record = records.find("network")
    if record is None or record.failed:
        return []
    r, options = record.result, record.case.options
    return [
        "## One large network",
        f"A drawn network of the size of Pokec, {r['n_nodes']:,} people and {r['n_edges']:,} "
        f"friendships, with a largest degree of {r['largest_degree']:,} and five mixed attributes, "
        'each missing for a tenth of the people. `NASKNodeClassifier(method="features", '
        f"n_components={options['n_components']}, n_hops={options['n_hops']})` learns from "
        f"{r['n_train']:,} people and predicts others: {r['seconds']:.0f} s on two cores from the "
        f"graph to the predictions, with a peak of {r['peak_gb']:.1f} GB of memory, graph and all. "
        f"It is right for {r['accuracy']:.1f} %; the same linear SVM on people's own "
        f"attributes for {r['raw_accuracy']:.1f} %, the larger class for {r['majority']:.1f} %. "
        "(The class depends on a person's own attributes and on those of friends: "
        "`make_social_network` says how. Nothing was tuned.)",
    ]


def _solvers(records: Records) -> list[str]:
    parts: list[str] = []
    if tables.scaling_records(records, "linear solvers"):
        parts += [
            "## Our own solvers",
            "What they buy, beside scikit-learn's on the same problems: in one process, in turn, "
            "one thread each. Seconds are those of the CPU, since the machine was shared; they are "
            "medians, and so is the ratio over the turns.",
            'The linear SVM of `NASKNodeClassifier(method="features")` with C 10, on '
            "`NASKFeatures` of the nodes of Cora or of `make_social_network`. LinearSVC is "
            "`LinearSVC(dual=False)` with its own tolerance. Its constant, which it penalises, is "
            "scaled by 30, so that the penalty is next to nothing. The objective is the same "
            "function for both; above 0 % ours is nearer to the optimum. The largest size is ours "
            "alone; LinearSVC's time there is extrapolated, in proportion to the rows.",
            tables.linear_table(records),
        ]
    if tables.scaling_records(records, "path solvers"):
        parts += [
            "The fits of a search on one Gram matrix (2 hops): five folds with several penalties "
            "from 0.1 to 1000, centring and predictions included. The path starts each penalty "
            'from the solution of the one before. Beside it, `SVC(kernel="precomputed")` for each '
            "penalty.",
            tables.path_table(records),
        ]
    if tables.scaling_records(records, "ridge solvers"):
        parts += [
            "A ridge regression with one Gram matrix (2 hops) and one penalty: predictions for the "
            "test set of every fold, and leave-one-out decisions within every training set, from "
            "one inverse of the matrix of all graphs, and from one per training set.",
            tables.ridge_table(records),
        ]
    return parts
