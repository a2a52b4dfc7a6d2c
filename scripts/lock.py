"""Write constraints.txt: the exact version of everything that tests and the demo install.

    make lock

It installs the newest versions that pyproject.toml allows, and then calls this. Other Pythons and
systems take the same file: a constraint binds only what is installed. It is made on the oldest
Python of the project, since newer ones have wheels of what that has. The version of torch is kept:
change its line by hand.
"""

from __future__ import annotations

import sys

from dependencies import CONSTRAINTS, needed, project

HEAD = """\
# What make test and make demo install, version by version: a release of tomorrow changes nothing.
# Made by make lock. Users of the library are bound by pyproject.toml alone.
"""


def main() -> None:
    least = project()["requires-python"].removeprefix(">=")
    here = ".".join(map(str, sys.version_info[:2]))
    if here != least:
        sys.exit(f"Make the lock on Python {least}, the oldest of the project; this is {here}.")
    # Without +cpu and the like, which name a build: any build of the version will do.
    lines = [f"{own.name}=={own.version.partition('+')[0]}\n" for own in needed(["dev"])]
    CONSTRAINTS.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{len(lines)} versions in {CONSTRAINTS.name}.")


if __name__ == "__main__":
    main()
