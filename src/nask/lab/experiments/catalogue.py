"""The experiments by name. Their modules are imported when one is asked for."""

from __future__ import annotations

from nask.exceptions import ParameterError, did_you_mean
from nask.lab.experiments.experiment import Experiment
from nask.messages import quoted
from nask.optional import named

NAMES = (
    "accuracy-categorical",
    "accuracy-numerical",
    "accuracy-nodes",
    "ablation",
    "depth",
    "runtime",
    "robustness",
    "case-study",
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name.

    Examples
    --------
    >>> experiment("accuracy-nodes").title
    'Accuracy on the nodes of networks'
    >>> experiment("acuracy-nodes")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: There is no experiment 'acuracy-nodes'. Did you mean
    'accuracy-nodes'?
    """
    if name not in NAMES:
        raise ParameterError(f"There is no experiment {quoted(name)}. {did_you_mean(name, NAMES)}")
    found: Experiment = named(f"nask.lab.experiments.{name.replace('-', '_')}:EXPERIMENT")
    return found
