"""Time of one exact Gram matrix: the first call of this process, and the median of later ones.

Run with a clean cache of compiled code (a new environment) the first call includes compilation::

    NASK_DATA=<folder with ENZYMES.zip> python benchmarks/gram_time.py ENZYMES --n-jobs 2
"""

import argparse
import statistics
import time

import nask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", help="datasets, as load_dataset knows them")
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--expansion", choices=["nested", "ball"], default="nested")
    parser.add_argument("--n-hops", type=int, default=3)
    parser.add_argument("--dtype", choices=["float64", "float32"], default="float64")
    options = parser.parse_args()
    kernel = nask.NASK(
        n_jobs=options.n_jobs,
        expansion=options.expansion,
        n_hops=options.n_hops,
        dtype=options.dtype,
    )
    warm_up = nask.load_dataset("MUTAG").graphs
    start = time.perf_counter()
    kernel.fit_transform(warm_up)
    print(f"first call, MUTAG: {time.perf_counter() - start:.2f} s")
    for name in options.names:
        graphs = nask.load_dataset(name).graphs
        seconds = []
        for _ in range(options.repeats):
            start = time.perf_counter()
            kernel.fit_transform(graphs)
            seconds.append(time.perf_counter() - start)
        print(f"{name}: {statistics.median(seconds):.2f} s ({kernel.engine_} engine)")


if __name__ == "__main__":
    main()
