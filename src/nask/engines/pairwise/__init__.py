"""The exact engine for any attributes: compiled tiles, all nodes of some graphs with others'."""
