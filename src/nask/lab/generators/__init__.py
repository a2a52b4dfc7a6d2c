"""Datasets drawn from a seed: the SYNTHETIC family, Synthie, and social networks."""

from nask.lab.generators.social import make_social_network, make_social_networks
from nask.lab.generators.synthetic import make_synthetic, make_synthetic_new
from nask.lab.generators.synthie import make_synthie

__all__ = [
    "make_social_network",
    "make_social_networks",
    "make_synthetic",
    "make_synthetic_new",
    "make_synthie",
]
