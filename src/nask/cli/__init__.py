"""The terminal: parse, call the public functions, show."""
