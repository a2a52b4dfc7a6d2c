"""The graphs most similar to a query, among few or a hundred thousand."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from joblib import delayed

from nask.arrays import Array, Float64, Floats, Positions
from nask.engines.contract import Prepared
from nask.exceptions import ParameterError, did_you_mean
from nask.execution.execution import Execution
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs, is_graph
from nask.kernels.features import UNMADE
from nask.kernels.nask import NASK
from nask.kernels.parameters import is_integer
from nask.messages import listed, quoted
from nask.search.first_stage import FirstStage
from nask.search.hits import Hits
from nask.search.parameters import OF_SIMILARITIES, kernel_of
from nask.search.ranking import as_similarities, best_first
from nask.storage.window import Window

Method = Literal["auto", "exact", "features"]
Ranked = tuple[Positions, Float64]

# Up to so many nodes of all graphs together a query is compared with every graph: in 0.1 s.
MOST_EXACT_NODES = 500_000
# Candidates that are compared exactly. On 100,000 graphs, 500 of them held all ten best ones.
CANDIDATES, CANDIDATES_PER_HIT = 500, 20
# Similarities at work at a time: 64 MB.
BLOCK_NUMBERS = 2**23


class Index:
    """Finds the graphs of a collection that are most similar to a query.

    Similarity is the normalised Neighborhood-Aware Star Kernel, from 0 to 1, exact for every hit.
    Small collections are compared whole. In large ones, random features choose the candidates
    first (:class:`nask.NASKFeatures`), by one matrix product, and the exact kernel ranks these.

    Parameters
    ----------
    graphs : list of graphs
        Their attributes, ranges and categories count for queries, too.
    ids : sequence of hashable, optional
        A name for each graph. By default those of the list, as
        ``nask.io.from_frames`` returns it, if it has any.
    method : {"auto", "exact", "features"}, default="auto"
        "exact": each query is compared with all graphs. "features": with the candidates, so that
        one of the most similar graphs may be missed (``docs/search.md`` says how rarely). "auto" is
        exact where the graphs have up to 500,000 nodes together, such as 20,000 molecules, and
        where there are no features of the kernel: ``expansion="walk"``,
        ``similarity="euclidean"``, ``prune_cores=True``.
    n_components : int, default=1024
        Of the features: 4 bytes each per graph.
    n_candidates : int, optional
        How many graphs are compared exactly per query; by default 500, or 20 per hit where these
        are more.
    random_state : int, default=0
        Of the features.
    **kernel
        Parameters of :class:`nask.NASK`: ``n_hops``, ``gamma``, ..., and ``n_jobs``,
        ``memory_limit``, ``verbose``. ``normalize`` and ``gram`` are decided.

    Attributes
    ----------
    graphs : tuple of AttributedGraph
    ids : tuple of hashable
        The ids, or positions where there are none.
    method : {"exact", "features"}
        The one in use.
    kernel : NASK
        Fitted.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> index = nask.Index(graphs[:150], n_hops=2)
    >>> index
    Index(150 graphs, method='exact')
    >>> index.query(graphs[160], k=3)
    3 of 150 graphs:
      id  similarity
      108 0.9998
      33 0.9996
      39 0.9996
    >>> first = index.query(graphs[160], k=1)[0]
    >>> first.stars[0]  # the pair of stars with the largest share, and that share
    Match(node=8, other=7, share=0.00216...)
    >>> [hits.positions[0].item() for hits in index.query(graphs[150:153], k=1)]
    [88, 12, 111]
    """

    graphs: tuple[AttributedGraph, ...]
    ids: tuple[Hashable, ...]
    method: Literal["exact", "features"]
    kernel: NASK

    def __init__(
        self,
        graphs: Any,
        *,
        ids: Sequence[Hashable] | None = None,
        method: Method = "auto",
        n_components: int = 1024,
        n_candidates: int | None = None,
        random_state: int = 0,
        **kernel: Any,
    ) -> None:
        if method not in get_args(Method):
            expected = f"one of {', '.join(map(repr, get_args(Method)))}"
            raise ParameterError.expected("method", "Index", expected, method)
        if n_candidates is not None:
            _check_count("n_candidates", n_candidates)
        own = kernel_of(kernel, "Index", OF_SIMILARITIES)
        names = getattr(graphs, "ids", None) if ids is None else ids
        self._build(
            as_graphs(graphs), own, names, method, n_components, n_candidates, random_state, None
        )

    @classmethod
    def restored(
        cls,
        graphs: Sequence[AttributedGraph],
        kernel: NASK,
        *,
        ids: Sequence[Hashable] | None,
        method: Method,
        n_components: int,
        n_candidates: int | None,
        random_state: int,
        rows: Array | None,
    ) -> Index:
        """The index of a file: with a kernel that was checked, and features that are known."""
        if n_candidates is not None:
            _check_count("n_candidates", n_candidates)
        index = cls.__new__(cls)
        index._build(graphs, kernel, ids, method, n_components, n_candidates, random_state, rows)
        return index

    def _build(
        self,
        graphs: Sequence[AttributedGraph],
        kernel: NASK,
        ids: Sequence[Hashable] | None,
        method: Method,
        n_components: int,
        n_candidates: int | None,
        random_state: int,
        rows: Array | None,
    ) -> None:
        self.ids = _checked_ids(ids, graphs)
        self.without_ids = ids is None
        self.graphs, self.n_candidates = tuple(graphs), n_candidates
        self.n_components, self.random_state = n_components, random_state
        self.method = _chosen(method, kernel, graphs)
        self.first_stage: FirstStage | None = None
        if self.method == "features":
            # First, since it may refuse a parameter or run out of memory.
            drawn = list(graphs), kernel, n_components, random_state
            self.first_stage = (
                FirstStage.of(*drawn) if rows is None else FirstStage.restored(*drawn, rows)
            )
            # Candidates are too few for what other engines find out about a whole collection.
            kernel.set_params(engine="pairwise" if kernel.engine == "auto" else kernel.engine)
        self.kernel = kernel.fit(graphs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file: its graphs, parameters and features, as JSON and arrays.

        Ids and categories are text, numbers or booleans.

        Examples
        --------
        >>> import nask, tempfile, pathlib
        >>> graphs = nask.load_dataset("MUTAG").graphs
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mutag.index"
        >>> nask.Index(graphs[:100]).save(path)
        >>> nask.Index.load(path).query(graphs[7], k=1)[0].position
        7
        """
        from nask.search.saving import save_index

        save_index(self, path)

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        *,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        verbose: Progress = False,
    ) -> Index:
        """Read an index that :meth:`save` wrote. No code from the file is ever run.

        Parameters
        ----------
        path : path of a file
        n_jobs, memory_limit, verbose
            As in :class:`nask.NASK`: how to run is not the file's to say.
        """
        from nask.search.saving import load_index

        running = {"n_jobs": n_jobs, "memory_limit": memory_limit, "verbose": verbose}
        return load_index(path, running)

    def __len__(self) -> int:
        return len(self.graphs)

    def __repr__(self) -> str:
        graphs = "1 graph" if len(self) == 1 else f"{len(self)} graphs"
        return f"Index({graphs}, method={self.method!r})"

    def query(self, graphs: Any, k: int = 10) -> Any:
        """Find the k graphs that are most similar to a graph, or to each graph of a list.

        Parameters
        ----------
        graphs : graph, or list of graphs
            Of any kind that ``fit`` of :class:`nask.NASK` takes; a text is a SMILES.
        k : int, default=10
            How many, or all where the index has fewer. Of equally similar graphs (to within
            1e-12) the first in the index comes first.

        Returns
        -------
        Hits, or list of Hits
            A sequence of :class:`~nask.search.hits.Hit`, the most similar first: each has
            ``position``, ``id``, ``similarity``, ``graph``, and ``stars`` and ``align()``, which
            tell what is alike.
        """
        _check_count("k", k)
        single = is_graph(graphs)
        queries = as_graphs([graphs] if single else graphs, molecules=self.kernel.molecules_)
        found = [
            Hits(query, *ranked, self.graphs, self.ids, self.kernel)
            for query, ranked in zip(queries, self._ranked(queries, k), strict=True)
        ]
        return found[0] if single else found

    def neighbours(self, name: Hashable, k: int = 10) -> Hits:
        """Find the k graphs that are most similar to one of the index, without itself.

        Parameters
        ----------
        name : hashable
            Its id; or its position, an int that is no id.
        k : int, default=10
        """
        _check_count("k", k)
        place = self.position(name)
        ((positions, similarities),) = self._ranked([self.graphs[place]], k + 1)
        # Where more than k graphs are copies of it, it may not be among them.
        others = np.flatnonzero(positions != place)[:k]
        found = positions[others], similarities[others]
        return Hits(self.graphs[place], *found, self.graphs, self.ids, self.kernel)

    def position(self, name: Hashable) -> int:
        """Return the position of a graph by its id; an int that is no id is a position itself."""
        places = self._places.get(name, []) if isinstance(name, Hashable) else []
        if len(places) == 1:
            return places[0]
        if places:
            raise ParameterError(
                f"{len(places)} graphs of the index have the id {quoted(name)}, at the positions "
                f"{listed(places)}. Pass one of these graphs to query."
            )
        if is_integer(name) and 0 <= name < len(self):
            return int(name)
        expected = f"a position from 0 to {len(self) - 1}"
        if self.ids != tuple(range(len(self))):
            hint = did_you_mean(str(name), map(str, self.ids))
            expected = f"an id, or {expected}. {hint.removesuffix('.').removesuffix('?')}"
            expected += "?" if hint.endswith("?") else ""
        raise ParameterError(f"The index has no graph {quoted(name)}. Expected {expected}.")

    @cached_property
    def _places(self) -> dict[Hashable, list[int]]:
        places: dict[Hashable, list[int]] = {}
        for place, name in enumerate(self.ids):
            places.setdefault(name, []).append(place)
        return places

    def _ranked(self, queries: Sequence[AttributedGraph], k: int) -> Iterator[Ranked]:
        """The positions and similarities of the hits of each query."""
        execution = self.kernel.execution()
        prepared = self.kernel.fitted_.prepare(queries, execution)
        if self.first_stage is None:
            return self._ranked_of_all(prepared, min(k, len(self)), execution)
        return self._ranked_of_some(queries, prepared, min(k, len(self)), execution)

    def _ranked_of_all(self, prepared: Prepared, k: int, execution: Execution) -> Iterator[Ranked]:
        fitted, n = self.kernel.fitted_, len(self)
        work = fitted.gram_work(prepared, fitted.graphs)
        numbers = BLOCK_NUMBERS
        if execution.memory_limit is not None:
            numbers = min(numbers, execution.memory_limit // 2 // 8)
        windows = Window.whole(*work.shape).tiles(max(1, numbers // n), n)
        # One bar for all blocks, or that of the only one.
        several = execution.progress if len(windows) > 1 else False
        quiet = replace(execution, progress=False) if several else execution
        for window in track(windows, len(windows), several, "Searching"):
            for similarities in work.window(window, quiet):
                yield _best(similarities, np.arange(n), k)

    def _ranked_of_some(
        self,
        queries: Sequence[AttributedGraph],
        prepared: Prepared,
        k: int,
        execution: Execution,
    ) -> Iterator[Ranked]:
        assert self.first_stage is not None
        fitted = self.kernel.fitted_
        n = max(self.n_candidates or max(CANDIDATES, CANDIDATES_PER_HIT * k), k)
        alone = replace(execution, n_jobs=1, progress=False)

        def rank(number: int, candidates: Positions) -> Ranked:
            row, columns = prepared.take(np.array([number])), fitted.graphs.take(candidates)
            work = fitted.gram_work(row, columns)
            return _best(work.window(Window.whole(*work.shape), alone)[0], candidates, k)

        chosen = self.first_stage.candidates(queries, n)
        tasks = (delayed(rank)(number, own) for number, own in enumerate(chosen))
        nodes_per_graph = fitted.graphs.batch.n_nodes / len(self)
        done = execution.run(tasks, prepared.batch.n_nodes * n * nodes_per_graph)
        yield from track(done, len(queries), execution.progress, "Searching")


def _best(similarities: Floats, positions: Positions, k: int) -> Ranked:
    best = best_first(similarities, k)
    return positions[best], as_similarities(similarities[best])


def _chosen(
    method: Method, kernel: NASK, graphs: Sequence[AttributedGraph]
) -> Literal["exact", "features"]:
    """The method to use; raise if there are no features of the kernel that are asked for."""
    without = [*UNMADE, ("prune_cores", True, "they approximate the kernel of all cores")]
    unmade = [own for own in without if getattr(kernel, own[0]) == own[1]]
    if method == "features" and unmade:
        name, value, reason = unmade[0]
        raise ParameterError(
            f"Index has no features of a kernel with {name}={value!r}: {reason}. Use "
            "method='exact', which compares a query with every graph."
        )
    if method == "auto":
        small = sum(graph.n_nodes for graph in graphs) <= MOST_EXACT_NODES
        return "exact" if small or unmade else "features"
    return method


def _checked_ids(
    ids: Sequence[Hashable] | None, graphs: Sequence[AttributedGraph]
) -> tuple[Hashable, ...]:
    n = len(graphs)
    if ids is None:
        return tuple(range(n))
    given = tuple(ids)
    if len(given) != n:
        raise ParameterError(
            f"The 'ids' parameter of Index must be one id per graph ({n}). Got {len(given)} "
            "instead."
        )
    return given


def _check_count(name: str, value: Any) -> None:
    if not is_integer(value) or value < 1:
        raise ParameterError.expected(name, "Index", "an int in the range [1, inf)", value)
