"""Other methods on the same graphs and splits: kernels, graph neural networks and floors."""
