"""Ways to compute the same kernel: one room per engine, and the choice between them."""
