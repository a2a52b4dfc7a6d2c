"""Choosing parameters: a grid, as few Gram matrices as it needs, judges of its settings."""
