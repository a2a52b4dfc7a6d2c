"""Readers and converters: other forms of graphs in, AttributedGraph out, and back."""
