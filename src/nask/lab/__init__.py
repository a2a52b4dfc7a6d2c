"""The laboratory: what experiments need and users do not; reached from the library by name."""
