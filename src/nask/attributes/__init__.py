"""How two elements compare by their attributes: Gower similarity and its exponential transform."""
