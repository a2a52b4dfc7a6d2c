"""What the graphs of an index are called: by their ids, or by their positions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

from nask.exceptions import ParameterError, did_you_mean
from nask.kernels.parameters import is_integer
from nask.messages import listed, quoted


@dataclass(frozen=True, eq=False)
class Names:
    """The names of graphs.

    Parameters
    ----------
    ids : tuple of hashable
        One per graph.
    given : bool
        Whether they were given; otherwise they are positions.

    Examples
    --------
    >>> names = Names.of(["anna", "ben"], 2)
    >>> names.position("ben"), names.position(0)
    (1, 0)
    >>> names.position("ana")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The index has no graph 'ana'. Did you mean 'anna'? Expected an
    id, or a position from 0 to 1.
    >>> Names.of([7, 9], 2).position(0)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The index has no graph 0. Known names: '7', '9'. Expected an id.
    """

    ids: tuple[Hashable, ...]
    given: bool

    @classmethod
    def of(cls, ids: Iterable[Hashable] | None, n_graphs: int) -> Names:
        """Check the ids of so many graphs."""
        if ids is None:
            return cls(tuple(range(n_graphs)), given=False)
        own = tuple(ids)
        if len(own) != n_graphs:
            raise ParameterError(
                f"The 'ids' parameter of Index must be one id per graph ({n_graphs}). Got "
                f"{len(own)} instead."
            )
        return cls(own, given=True)

    def position(self, name: Hashable) -> int:
        """The position of the graph of an id; an int is a position itself where no id is an int."""
        places = self.places.get(name, []) if isinstance(name, Hashable) else []
        if len(places) == 1:
            return places[0]
        if places:
            raise ParameterError(
                f"{len(places)} graphs of the index have the id {quoted(name)}, at the positions "
                f"{listed(places)}. Pass one of these graphs to query."
            )
        n = len(self.ids)
        numbered = self.given and any(map(is_integer, self.ids))
        if not numbered and is_integer(name) and 0 <= name < n:
            return int(name)
        expected = f"Expected a position from 0 to {n - 1}."
        if self.given:
            hint = did_you_mean(str(name), map(str, self.ids))
            place = "" if numbered else f", or a position from 0 to {n - 1}"
            expected = f"{hint} Expected an id{place}."
        raise ParameterError(f"The index has no graph {quoted(name)}. {expected}")

    @cached_property
    def places(self) -> dict[Hashable, list[int]]:
        """The positions of each id."""
        places: dict[Hashable, list[int]] = {}
        for place, name in enumerate(self.ids):
            places.setdefault(name, []).append(place)
        return places
