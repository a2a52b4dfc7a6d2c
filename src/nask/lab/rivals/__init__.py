"""Rivals of the kernel, under the same contract and on the same splits."""
