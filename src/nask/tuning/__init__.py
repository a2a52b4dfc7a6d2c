"""Choosing a kernel's parameters: a grid, as few Gram matrices as it needs, a race on folds."""
