"""Support vector machines on the kernel, with scikit-learn's contract."""
