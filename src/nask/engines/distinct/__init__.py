"""The exact engine for stars that repeat: it compares one star of each colour."""
