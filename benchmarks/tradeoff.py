"""Accuracy against time: random features, rows of landmarks, and the exact kernel.

    python benchmarks/tradeoff.py        # some minutes; draws docs/images/large-tradeoff.png

On ENZYMES (``NASK_DATA`` names the folder with its zip) and on the drawn molecules of
``molecules.py``, with given parameters of the kernel: a third of the graphs is predicted, in three
splits of seeds 100 to 102. All learn by ridge regression and choose its penalty on their own: the
exact kernel by leave-one-out, rows by five folds. Seconds are those of the processor, in one
thread, from the graphs to the predictions. Results are lines of JSON on standard output.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from molecules import molecules
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import nask
from nask.plots.style import add_legend, colour_and_shape, new_figure, tidy_axes

SEEDS = (100, 101, 102)
FEATURES = (128, 256, 512, 1024)
LANDMARKS = (16, 64, 256)
KERNELS: dict[str, dict[str, Any]] = {
    "ENZYMES": {"gamma": 2.0, "gamma_star": 8.0, "n_hops": 3},
    "drawn molecules": {"n_hops": 3},
}
DRAWN = 900
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "large-tradeoff.png"


def load(name: str) -> tuple[Sequence[nask.AttributedGraph], Any, bool]:
    """Graphs, what to learn, and whether these are classes."""
    if name == "ENZYMES":
        data = nask.load_dataset(name)
        return data.graphs, np.asarray(data.y), True
    [drawn] = molecules(DRAWN, DRAWN)
    return drawn.graphs, drawn.y, False


def models(kernel: dict[str, Any], classes: bool) -> list[tuple[str, int, Any]]:
    """What is compared: kind, number of columns, and the model."""
    stream = nask.NASKStreamClassifier if classes else nask.NASKStreamRegressor
    exact = nask.NASKClassifier if classes else nask.NASKRegressor
    return [
        *(
            ("random features", n, stream(features=nask.NASKFeatures(n_components=n, **kernel)))
            for n in FEATURES
        ),
        *(
            ("landmarks", n, stream(features=nask.NASKNystroem(n_components=n, **kernel)))
            for n in LANDMARKS
        ),
        ("exact kernel", 0, exact(learner="ridge", **kernel)),
    ]


def measured(name: str) -> list[dict[str, Any]]:
    """Mean accuracy in %, or R2 in %, and mean seconds of each model."""
    graphs, y, classes = load(name)
    found = []
    for kind, n, model in models(KERNELS[name], classes):
        scores, seconds = [], []
        for seed in SEEDS:
            train, test = train_test_split(
                np.arange(len(y)),
                test_size=1 / 3,
                random_state=seed,
                stratify=y if classes else None,
            )
            own = clone(model)
            if kind != "exact kernel":
                own.features.set_params(random_state=seed)
            parts = [[graphs[k] for k in chosen] for chosen in (train, test)]
            # Compiled code is loaded before the clock starts.
            clone(model).fit(parts[0][:40], y[train[:40]])
            start = time.process_time()
            own.fit(parts[0], y[train])
            scores.append(100 * own.score(parts[1], y[test]))
            seconds.append(time.process_time() - start)
        record = {
            "set": name, "kind": kind, "columns": n, "score": round(float(np.mean(scores)), 2),
            "scores": np.round(scores, 1).tolist(),
            "cpu_seconds": round(float(np.mean(seconds)), 2),
        }  # fmt: skip
        print(json.dumps(record), flush=True)
        found.append(record)
    return found


def draw(records: Sequence[dict[str, Any]]) -> Any:
    """A panel per set: score against seconds, a line per kind."""
    figure = new_figure(8.6, 3.2)
    panels = figure.subplots(1, len(KERNELS))
    for ax, name in zip(panels, KERNELS, strict=True):
        own = [record for record in records if record["set"] == name]
        for number, kind in enumerate(dict.fromkeys(record["kind"] for record in own)):
            points = [record for record in own if record["kind"] == kind]
            colour, shape = colour_and_shape(number)
            x, scores = [[p[key] for p in points] for key in ("cpu_seconds", "score")]
            ax.plot(x, scores, marker=shape, markersize=5, color=colour, linewidth=1, label=kind)
            for point in (points[0], points[-1]):
                if point["columns"]:
                    place = (point["cpu_seconds"], point["score"])
                    ax.annotate(
                        str(point["columns"]), place, (-4, 6) if number == 0 else (4, -11),
                        ha="right" if number == 0 else "left",
                        textcoords="offset points", fontsize="x-small", color=colour,
                    )  # fmt: skip
        ax.set_xscale("log")
        # Room for the numbers beside the first and last points.
        ax.margins(x=0.16, y=0.1)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_title(name, fontsize="small")
        ax.set_xlabel("Seconds of the processor")
        ax.set_ylabel("Accuracy %" if name == "ENZYMES" else "R2 in %")
        tidy_axes(ax)
    add_legend(panels[-1], title="columns beside points")
    return figure


def main() -> None:
    """Measure, print, draw."""
    records = [record for name in KERNELS for record in measured(name)]
    draw(records).savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    main()
