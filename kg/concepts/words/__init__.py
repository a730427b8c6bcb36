"""Word lists as data: one entry a line, `#` begins a comment line."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def lines(name: str) -> tuple[str, ...]:
    """The entries of the list `name` in order. Raises FileNotFoundError for an unknown name."""
    text = files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return tuple(s for line in text.splitlines() if (s := line.strip()) and s[0] != "#")


@cache
def words(name: str) -> frozenset[str]:
    """The entries of the list `name`."""
    return frozenset(lines(name))


@cache
def table(name: str) -> dict[str, str]:
    """The entries of the list `name`, each two words: a key and its value."""
    rows = (line.split(maxsplit=1) for line in lines(name))
    return {row[0]: row[1] for row in rows}
