"""Other libraries' graphs and frames as attributed graphs, and back."""
