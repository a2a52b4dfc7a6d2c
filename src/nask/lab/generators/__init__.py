"""Datasets drawn from a seed: the SYNTHETIC family, Synthie, and social networks."""
