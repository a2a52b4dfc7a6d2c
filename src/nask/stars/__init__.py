"""Star subgraphs: which nodes and edges belong to the star of a node, hop by hop."""
