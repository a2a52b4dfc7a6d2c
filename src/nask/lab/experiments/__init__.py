"""The experiments of the paper, each described in one file."""
