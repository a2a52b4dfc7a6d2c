"""The exact kernel kappa between the nodes of one network."""
