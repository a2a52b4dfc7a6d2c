"""The exact kernel between the nodes of one network."""
