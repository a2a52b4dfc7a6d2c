"""The exact engine for balls and few distinct values: a feature map and a matrix product."""
