"""The exact engine that compares one star of each colour."""
