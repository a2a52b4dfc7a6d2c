"""One target, led by coverage: atheris changes inputs that reached new lines of the readers.

    python -m fuzz.led tu 600          (in the folder tests)

It ends at the first find, which is kept in ``crashes``.
"""

import importlib.util
import random
import sys
from pathlib import Path

# The folders whose lines count. Others hold compiled code, which cannot be watched.
LINES_OF = ("io", "storage", "estimators", "evaluation", "lab/pokec", "lab/experiments")


def unwatched() -> list[str]:
    """The modules of all other folders: atheris takes names of packages in, and of modules out."""
    [root] = importlib.util.find_spec("nask").submodule_search_locations
    files = [file.relative_to(root).with_suffix("") for file in Path(root).rglob("*.py")]
    return [
        ".".join(("nask", *file.parts)).removesuffix(".__init__")
        for file in files
        if not file.as_posix().startswith(tuple(f"{folder}/" for folder in LINES_OF))
    ]


def main(target: str, seconds: str) -> None:
    import atheris

    with atheris.instrument_imports(include=["nask"], exclude=unwatched()):
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
