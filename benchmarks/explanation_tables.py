"""The tables of docs/explanations.md, from records alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from explained_sets import COLOURED, MOTIFS, PLANTED, REAL, SETS, WITH_TRUTH
from node_scores import SHOWN
from records import Records

NASK, GIN, RANDOM = "nask", "GIN", "random"
RIVALS = ("GNNExplainer", "PGExplainer", "integrated gradients", "saliency")
METHODS = (NASK, *RIVALS)


def results(records: Records, subject: str, method: str) -> list[dict[str, Any]]:
    """What was measured of a method on a set, one entry per fold."""
    model = NASK if method == NASK else GIN
    return [
        record.result["explainers"][method]
        for record in records
        if record.case.subject == subject and record.case.method == model and not record.failed
        and method in record.result["explainers"]
    ]  # fmt: skip


def means(records: Records, subject: str, method: str, value: str) -> dict[str, float]:
    """Mean over folds of a value, by the name of the score."""
    folds = [own["scores"] for own in results(records, subject, method)]
    names = folds[0] if folds else ()
    return {name: float(np.mean([fold[name][value] for fold in folds])) for name in names}


def best(records: Records, subject: str, method: str) -> tuple[float, str] | None:
    """The highest area under the ROC curve of a method's scores, and the name of that score.

    Of nask, only what a user is shown counts.
    """
    found = means(records, subject, method, "auc")
    shown = {name: own for name, own in found.items() if method != NASK or name in SHOWN}
    return max(((own, name) for name, own in shown.items()), default=None)


def truth_table(records: Records) -> str:
    """Areas under the ROC curve of nodes: a row per set, the best of each row in bold."""
    rows = []
    for subject in WITH_TRUTH:
        found = [best(records, subject, method) for method in METHODS]
        if any(found):
            rows.append([subject, *_bold([own and own[0] for own in found], digits=3)])
    colours = [[best(records, subject, method) for subject in COLOURED] for method in METHODS]
    if all(all(row) for row in colours):
        values = [float(np.mean([own[0] for own in row if own])) for row in colours]
        rows.append(["mean of NCI1", *_bold(values, digits=3)])
    return table(["set", *METHODS], rows)


def score_table(records: Records) -> str:
    """Which score of each method was the best one, by set."""
    rows = []
    for subject in WITH_TRUTH:
        found = [best(records, subject, method) for method in METHODS]
        if any(found):
            rows.append([subject, *(f"`{own[1]}`" if own else "" for own in found)])
    return table(["set", *METHODS], rows)


def candidate_table(records: Records) -> str:
    """Areas under the ROC curve of all scores of nask's nodes."""
    columns = {
        MOTIFS: [means(records, MOTIFS, NASK, "auc")],
        "NCI1, mean": [means(records, subject, NASK, "auc") for subject in COLOURED],
        PLANTED: [means(records, PLANTED, NASK, "auc")],
    }
    columns = {name: [own for own in found if own] for name, found in columns.items()}
    columns = {name: found for name, found in columns.items() if found}
    names = list(next(iter(columns.values()))[0]) if columns else []
    rows = []
    for name in names:
        values = [float(np.mean([own[name] for own in found])) for found in columns.values()]
        rows.append([name, *(f"{value:.3f}" for value in values)])
    return table(["score", *columns], rows)


def attribute_table(records: Records) -> str:
    """How well the planted attributes are told from the others."""
    rows = []
    for value in ("attributes", "attributes of nodes"):
        found = [named(records, method, value) for method in METHODS]
        rows.append([value, *_bold(found, digits=3)])
    return table(["AUC", *METHODS], rows)


def named(records: Records, method: str, value: str) -> float | None:
    """Mean over folds of an area of attributes, signed or absolute, whichever is higher."""
    folds = [own[value] for own in results(records, PLANTED, method) if value in own]
    if not folds:
        return None
    return max(float(np.mean([fold[kind] for fold in folds])) for kind in folds[0])


def fidelity_table(records: Records, subject: str) -> str:
    """Curves and fidelity on a set, each method with its best score; random orders last."""
    rows, gains = [], []
    columns = ("deletion", "insertion", "fidelity+", "fidelity-", "characterization")
    orders = [(method, method) for method in METHODS] + [(RANDOM, NASK), (RANDOM, GIN)]
    for method, model in orders:
        values = _fidelity(records, subject, method, model)
        if values is None:
            continue
        name, found = values
        label = f"random, {model}" if method == RANDOM else method
        gains.append(None if method == RANDOM else found["insertion"] - found["deletion"])
        gap = found["insertion"] - found["deletion"]
        rows.append([label, f"`{name}`", *(f"{found[c]:.3f}" for c in columns), f"{gap:.3f}"])
    if any(own is not None for own in gains):
        best_row = int(np.argmax([-np.inf if own is None else own for own in gains]))
        rows[best_row][-1] = f"**{rows[best_row][-1]}**"
    return table(["explainer", "score", *columns, "insertion - deletion"], rows)


def _fidelity(
    records: Records, subject: str, method: str, model: str
) -> tuple[str, dict[str, float]] | None:
    folds = [
        record.result["explainers"][method]["scores"]
        for record in records
        if record.case.subject == subject and not record.failed
        and record.case.method == (NASK if model == NASK else GIN)
        and method in record.result["explainers"]
    ]  # fmt: skip
    if not folds:
        return None
    found = {
        name: {value: float(np.mean([fold[name][value] for fold in folds])) for value in own}
        for name, own in folds[0].items()
    }
    name = max(found, key=lambda own: found[own]["insertion"] - found[own]["deletion"])
    return name, found[name]


def model_table(records: Records) -> str:
    """Accuracy of both models, and seconds per explained graph."""
    rows = []
    for subject in SETS:
        accuracy = {
            model: [
                record.result["accuracy"]
                for record in records
                if record.case.subject == subject and record.case.method == model
                and not record.failed
            ]
            for model in (NASK, GIN)
        }  # fmt: skip
        if not any(accuracy.values()):
            continue
        seconds = [[own["seconds"] for own in results(records, subject, m)] for m in METHODS]
        rows.append(
            [
                subject,
                *(f"{100 * np.mean(own):.1f}" if own else "" for own in accuracy.values()),
                *(f"{np.mean(own):.2f}" if own else "" for own in seconds),
            ]
        )
    return table(["set", "nask, %", "GIN, %", *(f"{name}, s" for name in METHODS)], rows)


def target_table(records: Records) -> str:
    """What was to be reached, and what was."""
    rows = []
    for text, ours, goal in _targets(records):
        verdict = "" if ours is None or goal is None else ("met" if ours >= goal else "**missed**")
        rows.append([text, _number(ours), _number(goal), verdict])
    return table(["target", "nask", "to reach", ""], rows)


def _targets(records: Records) -> Iterable[tuple[str, float | None, float | None]]:
    def ours(subject: str) -> float | None:
        found = best(records, subject, NASK)
        return found and found[0]

    def theirs(subject: str) -> float | None:
        found = [best(records, subject, method) for method in RIVALS]
        return max((own[0] for own in found if own), default=None)

    yield "BA-2Motifs, AUC of nodes", ours(MOTIFS), 0.99
    for subject in COLOURED:
        yield f"{subject}, AUC of nodes: above every rival", ours(subject), theirs(subject)
    yield "planted, AUC of nodes", ours(PLANTED), 0.95
    for value in ("attributes", "attributes of nodes"):
        yield f"planted, AUC of {value}", named(records, NASK, value), 0.95
    for subject in REAL:
        gaps = {
            method: own and own[1]["insertion"] - own[1]["deletion"]
            for method in METHODS
            for own in [_fidelity(records, subject, method, method)]
        }
        rivals = [own for method, own in gaps.items() if method != NASK and own is not None]
        goal = max(rivals, default=None)
        yield f"{subject}, insertion - deletion: above every rival", gaps[NASK], goal


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    # A bar inside a cell would end it.
    lines = [list(head), ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def _bold(values: Sequence[float | None], digits: int) -> list[str]:
    """The numbers as text, the highest in bold, with those that are equal to it as shown."""
    texts = ["" if value is None else f"{value:.{digits}f}" for value in values]
    highest = max((text for text in texts if text), default="")
    return [f"**{text}**" if text and text == highest else text for text in texts]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
