"""Graph kernels of others, each with a support vector machine."""
