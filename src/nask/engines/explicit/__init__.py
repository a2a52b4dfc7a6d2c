"""The exact engine for balls on few values: features, and one matrix product."""
