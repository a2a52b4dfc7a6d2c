"""One target, led by coverage: atheris changes inputs that reached new lines of the readers.

    python -m fuzz.led tu 600          (in the folder tests)

It ends at the first find, which is kept in ``crashes``.
"""

import random
import sys

# What counts lines; compiled code, below, cannot.
LINES_OF = ["nask.io", "nask.storage", "nask.estimators", "nask.evaluation", "nask.lab.pokec"]


def main(target: str, seconds: str) -> None:
    import atheris

    with atheris.instrument_imports(include=LINES_OF):
        from fuzz.mutations import mutated
        from fuzz.running import CRASHES, MEMORY, TIME, inputs, outcome, room
    known = inputs(target)
    CRASHES.joinpath(target).mkdir(parents=True, exist_ok=True)

    def change(data: bytes, most: int, seed: int) -> bytes:
        draw = random.Random(seed)
        if draw.random() < 0.5:
            return atheris.Mutate(data, most)
        return mutated(data, draw, known)[:most]

    with room() as folder:

        def try_one(data: bytes) -> None:
            outcome(target, data, folder)

        corpus = folder / "corpus"
        corpus.mkdir()
        for number, data in enumerate(known):
            (corpus / str(number)).write_bytes(data)
        options = [
            f"-max_total_time={int(float(seconds))}", f"-timeout={int(6 * TIME)}",
            f"-rss_limit_mb={2 * MEMORY // 10**6}", f"-artifact_prefix={CRASHES / target}/",
            "-max_len=100000", "-print_final_stats=1",
        ]  # fmt: skip
        atheris.Setup([sys.argv[0], *options, str(corpus)], try_one, custom_mutator=change)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
