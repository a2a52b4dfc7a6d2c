"""The social network Pokec, from its two published files."""
