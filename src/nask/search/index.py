"""The graphs most similar to a query, among few or a hundred thousand."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from nask.arrays import Array
from nask.choices import SearchMethod
from nask.exceptions import GraphError, ParameterError
from nask.execution.progress import Progress
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs, is_graph
from nask.kernels.nask import NASK
from nask.kernels.parameters import is_integer
from nask.messages import quoted
from nask.search.first_stage import FirstStage
from nask.search.hits import Hits
from nask.search.methods import CandidateSearch, ExactSearch, chosen_method
from nask.search.names import Names
from nask.search.parameters import OF_SIMILARITIES, kernel_of


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
    method: Literal["exact", "features"]
    kernel: NASK

    def __init__(
        self,
        graphs: Any,
        *,
        ids: Sequence[Hashable] | None = None,
        method: SearchMethod = "auto",
        n_components: int = 1024,
        n_candidates: int | None = None,
        random_state: int = 0,
        **kernel: Any,
    ) -> None:
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
        method: SearchMethod,
        n_components: int,
        n_candidates: int | None,
        random_state: int,
        rows: Array | None,
    ) -> Index:
        """The index of a file: with a kernel that was checked, and features that are known."""
        index = cls.__new__(cls)
        index._build(graphs, kernel, ids, method, n_components, n_candidates, random_state, rows)
        return index

    def _build(
        self,
        graphs: Sequence[AttributedGraph],
        kernel: NASK,
        ids: Sequence[Hashable] | None,
        method: SearchMethod,
        n_components: int,
        n_candidates: int | None,
        random_state: int,
        rows: Array | None,
    ) -> None:
        _check_count("n_components", n_components)
        if n_candidates is not None:
            _check_count("n_candidates", n_candidates)
        if not is_integer(random_state) or random_state < 0:
            expected = "an int of 0 or more"
            raise ParameterError.expected("random_state", "Index", expected, random_state)
        self.names, self.graphs = Names.of(ids, len(graphs)), tuple(graphs)
        self.n_components, self.n_candidates = n_components, n_candidates
        self.random_state = random_state
        self.method = chosen_method(method, kernel, graphs)
        self.first_stage: FirstStage | None = None
        self._search: ExactSearch | CandidateSearch = ExactSearch(kernel)
        if self.method == "features":
            # First, since it may refuse a parameter or run out of memory.
            drawn = list(graphs), kernel, n_components, random_state
            self.first_stage = (
                FirstStage.of(*drawn) if rows is None else FirstStage.restored(*drawn, rows)
            )
            # Candidates are too few for what other engines find out about a whole collection.
            kernel.set_params(engine="pairwise" if kernel.engine == "auto" else kernel.engine)
            self._search = CandidateSearch(kernel, self.first_stage, n_candidates)
        self.kernel = kernel.fit(graphs)

    @property
    def ids(self) -> tuple[Hashable, ...]:
        """The ids of the graphs, or their positions where there are none."""
        return self.names.ids

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
        try:
            queries = as_graphs([graphs] if single else graphs, molecules=self.kernel.molecules_)
        except GraphError as error:
            if isinstance(graphs, str) and graphs in self.names.places:
                raise GraphError(
                    f"{error} (The index has a graph of the id {quoted(graphs)}: call neighbours.)"
                ) from error
            raise
        found = [
            Hits(query, *ranked, self.graphs, self.ids, self.kernel)
            for query, ranked in zip(queries, self._search.ranked(queries, k), strict=True)
        ]
        return found[0] if single else found

    def neighbours(self, name: Hashable, k: int = 10) -> Hits:
        """Find the k graphs that are most similar to one of the index, without itself.

        Parameters
        ----------
        name : hashable
            Its id; or its position, where no id is an int.
        k : int, default=10
        """
        _check_count("k", k)
        place = self.names.position(name)
        graph = self.graphs[place]
        ((positions, similarities),) = self._search.ranked([graph], k + 1)
        # Where more than k graphs are copies of it, it may not be among them.
        others = np.flatnonzero(positions != place)[:k]
        found = positions[others], similarities[others]
        return Hits(graph, *found, self.graphs, self.ids, self.kernel)


def _check_count(name: str, value: Any) -> None:
    if not is_integer(value) or value < 1:
        raise ParameterError.expected(name, "Index", "an int in the range [1, inf)", value)
