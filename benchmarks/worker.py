"""Measure one case, given as JSON, and print its result as a line of JSON.

``run.py`` starts this in a fresh process for each case.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from importlib.metadata import version
from typing import Any

import cases
import numpy as np
from arithmetic import arithmetic
from features import feature_accuracy, feature_scaling, network
from first_call import first_calls
from generated import scaling, threads
from measure import measure, time_limit
from peers import WWL, attributed, labelled
from solvers import linear_solvers, path_solvers, ridge_solvers

import nask

WL_ITERATIONS = 5
FEW = 4
# Beyond this share of the machine's memory a case fails instead of stopping the machine.
LARGEST_SHARE = 0.8


def gram(
    dataset: str,
    method: str,
    parameters: dict[str, Any],
    n_graphs: int | None,
    repeats: int,
    limit: float,
) -> dict[str, Any]:
    """Measure a Gram matrix after a warm-up; of evenly spaced graphs if ``n_graphs`` is given."""
    whole = nask.load_dataset(dataset).graphs
    graphs = evenly_spaced(whole, n_graphs)
    with time_limit(limit):
        given, compute, package = prepare(method, parameters, graphs)
    result = measure(lambda: compute(given), repeats, limit)
    sizes = {"n_graphs": len(graphs), "n_graphs_of_set": len(whole)}
    return result | sizes | {"package": f"{package} {version(package)}"}


def prepare(
    method: str, parameters: dict[str, Any], graphs: Sequence[nask.AttributedGraph]
) -> tuple[Sequence[Any], Callable[[Sequence[Any]], object], str]:
    """Return the graphs as the method takes them, the method after a warm-up, and its package."""
    given: Sequence[Any] = graphs
    kernel: Any
    if method in (cases.NESTED, cases.BALL):
        parameters = parameters | {"expansion": "nested" if method == cases.NESTED else "ball"}
        # Few graphs may choose another engine than all of them.
        for engine in ("pairwise", "distinct", "explicit"):
            kernel = nask.NASK(**parameters | {"engine": engine})
            with suppress(nask.exceptions.ParameterError):
                kernel.fit_transform(evenly_spaced(graphs, FEW))
        return graphs, nask.NASK(**parameters).fit_transform, "nask"
    if method == cases.WWL:
        kernel, package = WWL(), "POT"
    else:
        import grakel

        package = "grakel"
        if method == cases.WL:
            given = labelled(graphs)
            base = grakel.VertexHistogram
            kernel = grakel.WeisfeilerLehman(
                n_iter=WL_ITERATIONS, base_graph_kernel=base, normalize=True
            )
        elif method == cases.PROPAGATION:
            given = attributed(graphs)
            kernel = grakel.PropagationAttr(normalize=True, random_state=0)
        else:
            given = attributed(graphs, lonely=False)
            kernel = grakel.GraphHopper(normalize=True)
    kernel.fit_transform(evenly_spaced(given, FEW))
    return given, kernel.fit_transform, package


def evenly_spaced(graphs: Sequence[Any], number: int | None) -> list[Any]:
    """Return that many graphs, spread over the whole list; all of them without a number."""
    if number is None or number >= len(graphs):
        return list(graphs)
    return [graphs[k] for k in np.linspace(0, len(graphs) - 1, number).astype(int)]


def work(case: cases.Case) -> dict[str, Any]:
    """Return the result of the case, or the error it ends with."""
    of_subject: dict[str, Callable[..., dict[str, Any]]] = {
        "first call": first_calls,
        "threads": threads,
        "scaling": scaling,
        "feature scaling": feature_scaling,
        "feature accuracy": feature_accuracy,
        "linear solvers": linear_solvers,
        "path solvers": path_solvers,
        "ridge solvers": ridge_solvers,
    }
    try:
        if case.work == "gram":
            return gram(case.subject, case.method, **case.options)
        if case.work in of_subject:
            return of_subject[case.work](case.subject, **case.options)
        return network(**case.options) if case.work == "network" else arithmetic(**case.options)
    except Exception as error:
        return {"failed": " ".join(f"{type(error).__name__}: {error}".split())}


def main() -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (int(LARGEST_SHARE * memory),) * 2)
    warnings.simplefilter("ignore")
    # Some peers print.
    with redirect_stdout(sys.stderr):
        result = work(cases.Case(**json.loads(sys.argv[1])))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
