"""Pages of which parts are made by a script, between two lines that name the part."""

from __future__ import annotations

BEGIN, END = "<!-- {} by {} -->", "<!-- end of {} -->"


def write(page: str, name: str, script: str, content: str) -> str:
    """Put content between the marks of that name."""
    begin, end = BEGIN.format(name, script), END.format(name)
    before, mark, rest = page.partition(begin)
    _, other, after = rest.partition(end)
    if not mark or not other:
        raise ValueError(f"The page has no lines {begin!r} and {end!r}.")
    return f"{before}{begin}\n{content.strip()}\n{end}{after}"
