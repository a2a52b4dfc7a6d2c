"""Ways to compute the same kernel: the equations literally, pairwise tiles, explicit features."""
