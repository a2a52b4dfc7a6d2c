"""The kernel's options on the command line, the same for every command that computes it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any

import typer

from nask.choices import Attributes, Degree, DType, Expansion, GramForm, SimilarityName
from nask.cli.arguments import JobsOption, MemoryOption, running_option
from nask.cli.collected_options import with_collected

# An option under the heading of the kernel.
option = functools.partial(typer.Option, rich_help_panel="Kernel")


def kernel_options(
    n_hops: Annotated[int, option("--hops", help="How far stars reach.")] = 3,
    gamma: Annotated[
        float, option(help="How fast similarity falls with a difference in an attribute.")
    ] = 1.0,
    gamma_star: Annotated[
        float, option(help="How sharply stars are told apart from the second hop on (nested).")
    ] = 8.0,
    expansion: Annotated[
        Expansion,
        option(
            help="nested: stars of stars; ball: all nodes within h hops; walk: random walks of h "
            "steps."
        ),
    ] = "nested",
    attributes: Annotated[Attributes, option(help="Compare attributes of this kind only.")] = "all",
    degree: Annotated[
        Degree | None, option(help="Make the degree of a node one more attribute of it.")
    ] = None,
    similarity: Annotated[
        SimilarityName,
        option(
            help="Of values: gower; one-hot: equal categories, or numbers in the same of ten bins; "
            "euclidean: a Gaussian of distances."
        ),
    ] = "gower",
    max_leaves: Annotated[
        int | None,
        option(help="Keep so many leaves of a star, those most similar to its core."),
    ] = None,
    gram: Annotated[
        GramForm,
        option(
            help="linear: the kernel itself; rbf: a Gaussian of distances in its feature space."
        ),
    ] = "linear",
    gram_scale: Annotated[float, option(help="Sharpness of the Gaussian (rbf).")] = 1.0,
    normalize: Annotated[
        bool, option("--normalize/--no-normalize", help="Scale graphs to K(G, G) = 1.")
    ] = True,
    star_norm: Annotated[
        bool,
        option("--star-norm/--no-star-norm", help="Keep large stars from outweighing small ones."),
    ] = True,
    use_edges: Annotated[
        bool, option("--edges/--no-edges", help="Compare stars by their edges too.")
    ] = True,
    dtype: Annotated[DType, running_option(help="float32 takes half the memory.")] = "float64",
    n_jobs: JobsOption = -1,
    memory_limit: MemoryOption = None,
) -> dict[str, Any]:
    """Collect the options as parameters of :class:`nask.NASK`, with its names and defaults.

    Progress is shown, on standard error, where that is a terminal.

    Examples
    --------
    >>> from nask import NASK
    >>> NASK(**kernel_options())
    NASK(n_jobs=-1, verbose=True)
    """
    return {**locals(), "verbose": True}


def with_kernel_options(
    command: Callable[..., None], names: Collection[str] | None = None
) -> Callable[..., None]:
    """Add the options of the kernel to a command, which gets them as one argument, ``kernel``.

    With ``names`` only those of these parameters.

    Examples
    --------
    >>> @with_kernel_options
    ... def show(dataset: str, kernel: dict[str, Any]) -> None:
    ...     print(dataset, kernel["gamma"], kernel["n_hops"])
    >>> show(dataset="MUTAG", gamma=0.5)
    MUTAG 0.5 3
    >>> list(inspect.signature(show).parameters)[:3]
    ['dataset', 'n_hops', 'gamma']
    """
    known = inspect.signature(kernel_options, eval_str=True).parameters
    options = {name: own for name, own in known.items() if names is None or name in names}

    def collect(**chosen: Any) -> dict[str, Any]:
        kernel = kernel_options(**chosen)
        return {name: kernel[name] for name in (*options, "verbose")}

    return with_collected(command, options, collect, "kernel")
