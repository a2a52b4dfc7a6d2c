"""How work is run: threads, processes, a cluster, memory, progress."""
