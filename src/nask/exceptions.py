"""Everything nask raises, and the warnings it gives.

::

    NaskError
    ├── GraphError (ValueError)             a graph contradicts itself
    ├── SchemaError (ValueError)            graphs of one collection contradict each other
    ├── FormatError (ValueError)            a file does not hold what its format promises
    ├── ParameterError (ValueError)         a parameter is out of its range
    ├── InputError (TypeError)              something that is not a graph, or not a list of them
    ├── ModelFileError (ValueError)         a saved model that cannot be read, or a model not saved
    ├── FileWriteError (OSError)            a file that cannot be written where it should be
    ├── DatasetNotFoundError (LookupError)  no dataset of that name is at hand
    ├── MemoryLimitError (MemoryError)      the result does not fit the memory allowed
    ├── ClusterError (RuntimeError)         a Dask cluster that cannot be reached, or fails
    └── MissingDependencyError (ImportError)  an optional package is not installed

    UnseenAttributeWarning (UserWarning)    a new graph has an attribute no training graph had
    AbsentAttributeWarning (UserWarning)    no new graph has an attribute of the training graphs

Using an estimator before ``fit`` raises scikit-learn's own ``NotFittedError``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from nask.messages import listed, quoted


class NaskError(Exception):
    """Base of every error nask raises on purpose."""


class GraphError(NaskError, ValueError):
    """A graph that contradicts itself: a bad edge, attribute or value."""


class SchemaError(NaskError, ValueError):
    """Graphs of one collection that contradict each other."""


class FormatError(NaskError, ValueError):
    """A file that does not hold what its format promises."""


class ParameterError(NaskError, ValueError):
    """A parameter outside its range."""

    @classmethod
    def expected(cls, name: str, owner: str, expected: str, got: object) -> ParameterError:
        """Build the message in scikit-learn's grammar.

        Examples
        --------
        >>> print(ParameterError.expected("gamma", "NASK", "a float in the range (0, inf)", -1))
        The 'gamma' parameter of NASK must be a float in the range (0, inf). Got -1 instead.
        """
        return cls(
            f"The {name!r} parameter of {owner} must be {expected}. Got {quoted(got)} instead."
        )


class InputError(NaskError, TypeError):
    """Something that is not a graph, or not a list of graphs."""


class ModelFileError(NaskError, ValueError):
    """A saved model that cannot be read, or a model that cannot be saved."""


class FileWriteError(NaskError, OSError):
    """A file that cannot be written: its place is wrong, or its disk is full."""


class DatasetNotFoundError(NaskError, LookupError):
    """No dataset of that name is at hand."""


class MemoryLimitError(NaskError, MemoryError):
    """The result does not fit the memory allowed."""


class ClusterError(NaskError, RuntimeError):
    """A Dask cluster that cannot be reached, or whose workers keep dying."""


class MissingDependencyError(NaskError, ImportError):
    """An optional package is not installed."""


class UnseenAttributeWarning(UserWarning):
    """A new graph has an attribute that no training graph had; it is left out."""


class PrecisionWarning(UserWarning):
    """Rounding may be felt in a result, because of parameters that magnify it."""


class AbsentAttributeWarning(UserWarning):
    """An attribute of the training graphs that no new graph has; it counts as missing there."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint that ends an error message: the nearest known name, or all of them.

    Examples
    --------
    >>> did_you_mean("regoin", ["age", "region"])
    "Did you mean 'region'?"
    >>> did_you_mean("mutag", ["MUTAG"])
    "Did you mean 'MUTAG'?"
    >>> did_you_mean("x", ["age", "region"])
    "Known names: 'age', 'region'."
    """
    known = sorted(known)
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    if close:
        return f"Did you mean {quoted(by_lower[close[0]])}?"
    return f"Known names: {listed(known)}."
