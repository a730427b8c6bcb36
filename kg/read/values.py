"""The values of a JSON object, each of the kind that it must be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import chain
from typing import Any

_YEAR = re.compile(r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d))?)?\s*")


class UnfitError(Exception):
    """A value of the wrong kind; the message says which and what it should be."""


def text(data: dict[str, Any], key: str) -> str:
    """A text, "" where there is none."""
    value = data.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if key == "id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    form, found = "text in quotes", kind(value)
    if key == "id":
        form = "text in quotes or a whole number"
        found = str(value) if isinstance(value, float) else found
    raise UnfitError(f'"{key}" must be {form}, not {found}')


def year(data: dict[str, Any]) -> int | None:
    """The year of a record, also where it is that of a date."""
    key = "year" if data.get("year") not in (None, "") else "publication_year"
    value = data.get(key)
    if value is None or value == "":
        return None
    match = _YEAR.fullmatch(str(value))
    if match and not isinstance(value, bool):
        return int(match[1])
    raise UnfitError(f'"{key}" must be a year such as 2026, not {str(value)[:20]!r}')


def is_date(value: object) -> bool:
    """Whether there is the day, or the month, that a year goes on with."""
    match = _YEAR.fullmatch(str(value))
    try:
        return bool(match and date(int(match[1]), int(match[2] or 1), int(match[3] or 1)))
    except ValueError:
        return False


def words(value: object) -> Iterator[str]:
    """The words of a list or of one text."""
    if value is None:
        return
    if isinstance(value, str):
        value = re.split(r"[\s,;]+", value)
    if not isinstance(value, list):
        raise UnfitError(f'"categories" must be a list of names, not {kind(value)}')
    for word in value:
        if not isinstance(word, str):
            raise UnfitError(f'"categories" must be a list of names; one of them is {kind(word)}')
        if word.strip():
            yield word.strip()


def inverted(data: dict[str, Any], key: str) -> str:
    """A text of which it is said for each word where it stands, as OpenAlex has abstracts."""
    index = data.get(key)
    if index is None:
        return ""
    if not isinstance(index, dict) or not all(map(_is_places, index.values())):
        raise UnfitError(f'"{key}" must be an object with a list of positions for each word')
    placed = chain.from_iterable(((at, word) for at in places) for word, places in index.items())
    return " ".join(word for _, word in sorted(placed))


def kind(value: object) -> str:
    """What a value of JSON is, in words."""
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "null" if value is None else "an object")


def _is_places(places: object) -> bool:
    return isinstance(places, list) and all(type(at) is int for at in places)
