"""The equations as loops: slow, and what the tests compare all other engines with."""
