"""Parameters of the kernel that pass through to a comparison, and those that it decides itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from nask.exceptions import ParameterError, did_you_mean
from nask.kernels.nask import NASK
from nask.kernels.parameters import GraphKernelParameters
from nask.messages import quoted

# What searching and measuring decide about the kernel, and why.
_IN_MEMORY = {"gram_folder": "its result is in memory"}
_PRECISE = {"dtype": "differences of nearby graphs need float64"}
_BOUNDED = dict.fromkeys(
    ("normalize", "gram", "gram_scale"), "similarities are those of the normalised, linear kernel"
)
OF_DISTANCES = _PRECISE | _IN_MEMORY
OF_SIMILARITIES = _BOUNDED | OF_DISTANCES


def kernel_of(given: Mapping[str, Any], owner: str, fixed: Mapping[str, str]) -> NASK:
    """The kernel of parameters that a user gave to something else, checked.

    Parameters
    ----------
    given : mapping
    owner : str
        What they were given to, for errors.
    fixed : mapping of str to str
        Parameters that are not to be given, and why.

    Examples
    --------
    >>> kernel_of({"gamma": 0.5}, "Index", OF_SIMILARITIES)
    NASK(gamma=0.5)
    >>> kernel_of({"gama": 0.5}, "Index", OF_SIMILARITIES)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Index has no parameter 'gama'. Did you mean 'gamma'?
    >>> kernel_of({"gram": "rbf"}, "Index", OF_SIMILARITIES)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Index decides the kernel's parameter 'gram' itself: similarities
    are those of the normalised, linear kernel. Leave it out.
    """
    known = [field.name for field in fields(GraphKernelParameters) if field.name not in fixed]
    for name in given:
        if name in fixed:
            raise ParameterError(
                f"{owner} decides the kernel's parameter {quoted(name)} itself: {fixed[name]}. "
                "Leave it out."
            )
        if name not in known:
            raise ParameterError(
                f"{owner} has no parameter {quoted(name)}. {did_you_mean(name, known)}"
            )
    kernel = NASK(**given)
    kernel.check_parameters()
    return kernel
