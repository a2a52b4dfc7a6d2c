"""The kernel as scikit-learn sees it: parameters and their meaning, no loops."""
