"""Benchmark sets by name: in the package, in the folders of NASK_DATA, or downloaded."""

from typing import TYPE_CHECKING

from nask.lazy import lazy_names

_MODULES = {
    "available_datasets": "nask.datasets.registry",
    "load_dataset": "nask.datasets.registry",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605
if TYPE_CHECKING:
    from nask.datasets.registry import available_datasets as available_datasets
    from nask.datasets.registry import load_dataset as load_dataset
else:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
