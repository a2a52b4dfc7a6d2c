"""Building blocks of compiled code that several engines use."""
