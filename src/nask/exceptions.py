"""Every error that nask raises, and every warning.

::

    NaskError
    ├── GraphError (ValueError)             a graph contradicts itself
    ├── SchemaError (ValueError)            graphs of one collection contradict each other
    ├── FormatError (ValueError)            a file does not hold what its format promises
    ├── ParameterError (ValueError)         a parameter is out of its range
    ├── InputError (TypeError)              not a graph, or not a list of graphs
    ├── ModelFileError (ValueError)         a saved model cannot be read, or a model cannot be saved
    ├── FileWriteError (OSError)            a file cannot be written
    ├── DatasetNotFoundError (LookupError)  no dataset has that name
    ├── MemoryLimitError (MemoryError)      the result does not fit the memory allowed
    ├── ClusterError (RuntimeError)         a Dask cluster cannot be reached, or fails
    └── MissingDependencyError (ImportError)  an optional package is not installed

    UnseenAttributeWarning (UserWarning)    a new graph has an attribute no training graph had
    AbsentAttributeWarning (UserWarning)    no new graph has an attribute of the training graphs
    RareClassWarning (UserWarning)          a class has fewer members than there are folds
    PrecisionWarning (UserWarning)          rounding errors may show in a result

Using an estimator before ``fit`` raises scikit-learn's own ``NotFittedError``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from nask.messages import listed, quoted

# Names that a misspelt one is compared with, and characters of the longest.
MOST_HINTS, LONGEST_HINT = 2000, 100


class NaskError(Exception):
    """The base class of every error that nask raises on purpose."""


class GraphError(NaskError, ValueError):
    """A graph contradicts itself: it has a bad edge, attribute or value."""


class SchemaError(NaskError, ValueError):
    """Graphs of one collection contradict each other."""


class FormatError(NaskError, ValueError):
    """A file does not hold what its format promises."""


class ParameterError(NaskError, ValueError):
    """A parameter is out of its range."""

    @classmethod
    def expected(cls, name: str, owner: str, expected: str, got: object) -> ParameterError:
        """Return the error, with a message worded as scikit-learn words it.

        Parameters
        ----------
        name, owner : str
            The parameter, and the class whose parameter it is.
        expected : str
            What it must be.
        got : object
            What it is instead.

        Examples
        --------
        >>> print(ParameterError.expected("gamma", "NASK", "a float in the range (0, inf)", -1))
        The 'gamma' parameter of NASK must be a float in the range (0, inf). Got -1 instead.
        """
        return cls(
            f"The {name!r} parameter of {owner} must be {expected}. Got {quoted(got)} instead."
        )


class InputError(NaskError, TypeError):
    """An input is not a graph, or not a list of graphs."""


class ModelFileError(NaskError, ValueError):
    """A saved model cannot be read, or a model cannot be saved."""


class FileWriteError(NaskError, OSError):
    """A file cannot be written: its folder is wrong, or its disk is full."""


class DatasetNotFoundError(NaskError, LookupError):
    """No dataset has that name."""


class MemoryLimitError(NaskError, MemoryError):
    """The result does not fit the memory allowed."""


class ClusterError(NaskError, RuntimeError):
    """A Dask cluster cannot be reached, or its workers keep dying."""


class MissingDependencyError(NaskError, ImportError):
    """An optional package is not installed."""


class UnseenAttributeWarning(UserWarning):
    """A new graph has an attribute that no training graph had; it is left out."""


class RareClassWarning(UserWarning):
    """A class has fewer members than there are folds."""


class PrecisionWarning(UserWarning):
    """Rounding errors may show in a result, because its parameters magnify them."""


class AbsentAttributeWarning(UserWarning):
    """No new graph has an attribute of the training graphs; it counts as missing."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the hint at the end of an error message: the nearest known name, or all names.

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
    # Names of a file may be many and long: comparing all of them would take minutes.
    if len(name) > LONGEST_HINT:
        return f"Known names: {listed(known)}."
    short = [candidate for candidate in known if len(candidate) <= LONGEST_HINT]
    by_lower = {candidate.lower(): candidate for candidate in short[:MOST_HINTS]}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    if close:
        return f"Did you mean {quoted(by_lower[close[0]])}?"
    return f"Known names: {listed(known)}."
