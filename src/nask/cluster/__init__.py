"""Gram matrices and features computed by a cluster into a chunked store."""
