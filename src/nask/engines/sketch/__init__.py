"""Random vectors of stars whose products approximate the kernel, in linear time."""
