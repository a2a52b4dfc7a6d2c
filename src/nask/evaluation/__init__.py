"""Honest estimates: candidates chosen on inner folds, each test fold touched once."""
