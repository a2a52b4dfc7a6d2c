"""Graphs with attributes of known kinds, their common schema, and batches of graphs."""
