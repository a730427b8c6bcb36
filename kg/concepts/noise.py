"""What looks like a name and is none: addresses, relations, units, venues, halves."""

from __future__ import annotations

import re

from kg.concepts.words import words

_RELATION = re.compile("[<>=]")
_ADDRESS = re.compile(r"https?:|www\.|@[\w-]+\.|\w\.(?:com|org|edu|net|io)\b", re.IGNORECASE)
_SIGN = re.compile(r"\w(?:[^\w\s]\w)*")


def is_noise(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] names no concept, whatever a model makes of it."""
    name = text[start:end]
    cut = _inside_word(text, start) or _inside_word(text, end)
    return (
        cut
        or not any(map(str.isalpha, name))
        or name.count("{") != name.count("}")
        or _RELATION.search(name) is not None
        or _ADDRESS.search(name) is not None
        or (_SIGN.fullmatch(name) is not None and name not in ("C", "R"))
        or name.lower() in words("venues")
        or name.lower() in words("units")
    )


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
