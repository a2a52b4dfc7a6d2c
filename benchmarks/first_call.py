"""What the first call in a new process costs in addition, with compiled code cached.

As a script, it prints for one dataset the seconds to import, of the first call and of later ones.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from typing import Any


def first_calls(dataset: str, repeats: int, n_graphs: int | None = None) -> dict[str, Any]:
    """Medians over fresh processes, after one that fills the cache of compiled code."""
    command = [sys.executable, __file__, dataset, str(n_graphs or 0)]
    runs = []
    for _ in range(repeats + 1):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
    names = ("import", "first", "later")
    return {name: statistics.median(run[name] for run in runs[1:]) for name in names}


def main() -> None:
    dataset, n_graphs = sys.argv[1], int(sys.argv[2]) or None
    start = time.perf_counter()
    import nask

    seconds = [time.perf_counter() - start]
    graphs = nask.load_dataset(dataset).graphs[:n_graphs]
    for _ in range(4):
        start = time.perf_counter()
        nask.NASK(n_hops=3, n_jobs=2).fit_transform(graphs)
        seconds.append(time.perf_counter() - start)
    later = statistics.median(seconds[2:])
    print(json.dumps({"import": seconds[0], "first": seconds[1], "later": later}))


if __name__ == "__main__":
    main()
