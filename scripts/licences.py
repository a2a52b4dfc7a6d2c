"""List the licences of all that the project needs; fail at one that asks for more than a notice.

    python scripts/licences.py          # of what users install: all extras
    python scripts/licences.py dev      # of what tests and measurements need, too

The licences are those that the installed packages state of themselves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution

from dependencies import needed

PERMISSIVE = re.compile(
    r"BSD|MIT|Apache|PSF|Python Software Foundation|ISC|Zlib|CC0|BSL-1\.0|HPND|Unlicense",
    re.IGNORECASE,
)
# Found anywhere in what a package says of itself.
DEMANDING = re.compile(
    r"GPL|GNU|MPL|Mozilla|EPL|Eclipse|CDDL|EUPL|SSPL|BUSL|Academic|Commercial|Proprietary|NonCommercial|-NC",
    re.IGNORECASE,
)
# Their files are used as they are, and none is part of what the project hands on.
ALLOWED = {
    "certifi": "MPL 2.0: a list of certificates, which pooch needs to download sets",
    "tqdm": "MPL 2.0 and MIT: progress bars of torch-geometric",
    "hypothesis": "MPL 2.0: draws data for tests; no user installs it",
    "atheris": "Apache 2.0, as its file LICENSE says: a fuzzer; no user installs it",
    "pathspec": "MPL 2.0: needed by mypy and build; no user installs it",
}
# Says nothing more than that there is one.
EMPTY = ("OSI Approved", "DFSG approved")


def stated(own: Distribution) -> str:
    """What a package says of its licence: an expression, classifiers, or the start of a text."""
    metadata = own.metadata.json
    expression = metadata.get("license_expression")
    if expression:
        return str(expression)
    classifiers = metadata.get("classifier") or []
    listed = [line.split(" :: ")[-1] for line in classifiers if line.startswith("License")]
    listed = [line for line in listed if line not in EMPTY]
    text = str(metadata.get("license") or "").strip()
    return " AND ".join(listed) or text.partition("\n")[0].strip()


def is_permissive(text: str) -> bool:
    """Whether all parts of an expression, or of an alternative in it, ask for a notice at most."""
    return any(
        all(PERMISSIVE.search(part) and not DEMANDING.search(part) for part in own.split(" AND "))
        for own in re.split(r" OR ", text)
    )


def problems(found: list[Distribution]) -> Iterator[str]:
    for own in found:
        text = stated(own)
        if not is_permissive(text) and own.name.lower() not in ALLOWED:
            yield f"{own.name} {own.version}: {text or 'states no licence'}"


def main() -> None:
    found = needed([sys.argv[1] if len(sys.argv) > 1 else "all"])
    for own in found:
        print(f"{own.name} {own.version}: {ALLOWED.get(own.name.lower()) or stated(own)}")
    wrong = list(problems(found))
    if wrong:
        sys.exit(
            f"{len(wrong)} of {len(found)} packages may not be used without a thought:\n  "
            + "\n  ".join(wrong)
            + "\nRead the licence; then enter the package in ALLOWED with a reason, or do without."
        )
    print(f"{len(found)} packages, none of which asks for more than a notice without a reason.")


if __name__ == "__main__":
    main()
