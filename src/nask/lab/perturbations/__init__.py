"""Datasets with less in their attributes: noise, masked values, labels alone."""
