"""Any kernel of the rivals as a regressor: ridge regressions, chosen as those of NASK are."""

from __future__ import annotations

from dataclasses import dataclass

from nask.exceptions import ParameterError
from nask.lab.rivals.catalogue import GRAPH_RIVALS, KERNEL_RIVALS
from nask.lab.rivals.kernels.base import KernelClassifier, KernelSweep, kernel_sweeps
from nask.optional import named
from nask.tuning.grid import Grid
from nask.tuning.regressor import TunedGraphRegressor


@dataclass(kw_only=True, eq=False, repr=False)
class KernelRegressor(TunedGraphRegressor):
    """A regressor of graphs on the kernel of a rival.

    The search and the learner are those of :class:`nask.TunedNASKRegressor`.

    Parameters
    ----------
    rival : str, default="wl"
        Name of the kernel: one of ``nask.lab.rivals.catalogue.KERNEL_RIVALS``.
    grid : dict of lists by parameter, or list of such, default=None
        What to try; by default the grid of the classifier on this kernel.
    scoring, random_state, n_jobs, verbose
        As in :class:`nask.TunedNASKRegressor`.

    Attributes
    ----------
    best_estimator_ : AveragedRegressor
    best_params_ : dict
    best_score_ : float
    seconds_kernel_, seconds_learning_ : float

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> sizes = [float(graph.n_nodes) for graph in graphs]
    >>> model = KernelRegressor(rival="attributes-only").fit(graphs[::2], sizes[::2])
    >>> bool(model.score(graphs[1::2], sizes[1::2]) > 0.9)
    True
    """

    rival: str = "wl"
    grid: Grid | None = None

    def sweeps(self) -> list[KernelSweep]:
        """Return the passes that the grid needs."""
        if self.rival not in KERNEL_RIVALS:
            expected = f"one of {', '.join(map(repr, KERNEL_RIVALS))}"
            raise ParameterError.expected("rival", type(self).__name__, expected, self.rival)
        classifier: type[KernelClassifier] = named(GRAPH_RIVALS[self.rival])
        grid = classifier.default_grid if self.grid is None else self.grid
        return kernel_sweeps(classifier.kernel_type, grid, type(self).__name__)
