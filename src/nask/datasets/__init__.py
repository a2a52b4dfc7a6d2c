"""Benchmark sets by name: in the package, in the folders of NASK_DATA, or downloaded."""

from nask.datasets.registry import available_datasets, load_dataset

__all__ = ["available_datasets", "load_dataset"]
