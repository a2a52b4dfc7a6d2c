"""Compiled functions that several engines use: vectors, exponentials, sums of lines."""
