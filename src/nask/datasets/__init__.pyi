from nask.datasets.registry import available_datasets as available_datasets
from nask.datasets.registry import load_dataset as load_dataset
