"""What is like this: an index of graphs by similarity, and distances between graphs."""
