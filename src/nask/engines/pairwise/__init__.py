"""The exact engine for any attributes: tiles of nodes against nodes."""
