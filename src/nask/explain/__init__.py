"""Why: the shares of nodes, hops, attributes and edges in a decision."""
