"""Random vectors of nodes and stars, in linear time."""
