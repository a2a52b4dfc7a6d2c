"""Ways to compute the same kernel: the equations literally, tiles, distinct stars, features."""
