"""Building blocks of compiled code: vectors, exponentials, sums of lines, and their cache."""
