"""The similarity P of two nodes, or two edges, by their attributes, and its feature maps."""
