"""What the workers of a test cluster import: work to do, and counts of what arrived.

A worker that a test kills comes back, and takes seconds for whatever is imported here.
"""

import os
import signal

import numpy as np

from nask.execution.cluster import task_memory

arrivals = []


class Payload:
    """Counts how often it arrives in a process, and squares numbers."""

    def __init__(self):
        self.numbers = np.zeros(100_000)

    def __setstate__(self, state):
        self.__dict__.update(state)
        arrivals.append("payload")

    def __call__(self, place):
        return place**2, os.getpid(), len(arrivals)


class Memory:
    def __call__(self, place):
        return task_memory()


class Failing:
    def __call__(self, place):
        raise ValueError(f"no {place}")


class Deadly:
    """Ends the worker that takes it up."""

    def __call__(self, place):
        os.kill(os.getpid(), signal.SIGKILL)


def count_comparisons():
    """Count from now on how often a comparison, with all its graphs, arrives in this process."""
    from nask.kernels.gram_work import GramWork

    arrivals.clear()

    def arrive(self, state):
        self.__dict__.update(state)
        arrivals.append("comparison")

    GramWork.__setstate__ = arrive


def n_arrived():
    return len(arrivals)


def forget_arrivals():
    arrivals.clear()
