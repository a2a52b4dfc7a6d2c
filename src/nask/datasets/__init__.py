"""Benchmark sets by name: two come with the package, others lie in the folders of NASK_DATA."""

from nask.datasets.registry import available_datasets, load_dataset

__all__ = ["available_datasets", "load_dataset"]
