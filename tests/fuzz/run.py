"""Fuzz for as long as one likes: drawn changes of known inputs, or atheris, led by coverage.

    python -m fuzz.run --time 600 --jobs 2          (in the folder tests)
    python -m fuzz.run --engine atheris --target tu --time 600

Each target has an equal share of the time. Finds are kept in ``crashes``.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter

from fuzz.mutations import mutated
from fuzz.running import bounded_memory, inputs, keep, outcome, place_of, room
from fuzz.targets import TARGETS

# Inputs that are read, and so lead further, beside the corpus; the newest push out others.
MOST_KEPT = 300


def fuzz(target: str, seconds: float, seed: int, most: int | None = None) -> Counter[str]:
    """Try changes of known inputs, and of those that were read; return how many had which end."""
    draw, known = random.Random(f"{target} {seed}"), inputs(target)
    first, counts, found = len(known), Counter[str](), set[str]()
    end = time.monotonic() + seconds
    with room() as folder:
        for data in known:  # what is loaded and compiled on the way is not of an input
            outcome(target, data, folder)
        with bounded_memory():
            while time.monotonic() < end and (most is None or counts.total() < most):
                data = mutated(draw.choice(known), draw, known)
                try:
                    how = outcome(target, data, folder)
                except (Exception, SystemExit) as error:
                    how = place_of(error)
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    how = place_of(error)
                if how == "not tried":
                    continue
                counts[how] += 1
                if how == "read" and len(data) < 20_000:
                    known.append(data)
                    if len(known) > first + MOST_KEPT:
                        del known[draw.randrange(first, len(known))]
                elif how not in ("read", "refused") and how not in found:
                    found.add(how)
                    print(f"{target}: {how}: {keep(target, data)}", file=sys.stderr, flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time", type=float, default=600, help="seconds of all targets together")
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--engine", choices=("drawn", "atheris"), default="drawn")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    targets = given.target or list(TARGETS)
    if given.alone:
        print(json.dumps(fuzz(targets[0], given.time, given.seed)))
        return
    each = given.time * min(given.jobs, len(targets)) / len(targets)
    running: dict[str, subprocess.Popen[str]] = {}
    totals: Counter[str] = Counter()
    waiting = list(targets)
    while waiting or running:
        while waiting and len(running) < given.jobs:
            target = waiting.pop(0)
            command = [sys.executable, "-m", "fuzz.led", target, str(each)]
            if given.engine == "drawn":
                command[2:] = ["fuzz.run", "--alone", "--target", target, "--time", str(each)]
                command += ["--seed", str(given.seed)]
            running[target] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for target, process in list(running.items()):
            try:
                out, _ = process.communicate(timeout=1)
            except subprocess.TimeoutExpired:
                continue
            del running[target]
            if given.engine == "atheris":
                print(f"{target:18} ended with {process.returncode}", flush=True)
                continue
            counts = Counter(json.loads(out)) if out else Counter()
            totals += counts
            others = counts.total() - counts["read"] - counts["refused"]
            state = "" if process.returncode == 0 else f" ended with {process.returncode}"
            print(
                f"{target:18} {counts.total():9} inputs: {counts['read']:8} read, "
                f"{counts['refused']:8} refused, {others} finds{state}",
                flush=True,
            )
    print(f"{'all':18} {totals.total():9} inputs, seed {given.seed}")


if __name__ == "__main__":
    main()
