"""The form of annotated records, which training and scoring share; docs/model.md shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from kg.model import CONCEPT_TYPES

Annotated = Mapping[str, Any]

_SHARED = ("type", "salience", "introduced")  # what a concept says of all its mentions


def texts(record: Annotated) -> dict[str, str]:
    """Title and abstract; "" where there is none. Raises TypeError for what is no text."""
    found = {field: record.get(field) or "" for field in ("title", "abstract")}
    if not all(isinstance(text, str) for text in found.values()):
        raise TypeError("title and abstract must be text")
    return found


def mentions(record: Annotated) -> list[Annotated]:
    """The mentions with type, salience and introduced, in either form of a record.

    Raises KeyError where there are neither `mentions` nor `concepts`.
    """
    if "mentions" in record:
        return list(record["mentions"])
    return list(_of_concepts(record["concepts"]))


def check(record: Annotated) -> None:
    """Raise ValueError, with a clear message, where a mention says what cannot be.

    Raises KeyError, TypeError or AttributeError where the record has another form.
    """
    for concept in record.get("concepts") or ():
        aliases = concept.get("aliases") or []
        if not isinstance(aliases, list):
            raise ValueError(f'"aliases" must be a list of names, not {aliases!r}')
        for name in (concept["concept"], *aliases):
            if not isinstance(name, str):
                raise ValueError(f"the name of a concept must be text, not {name!r}")
    source = texts(record)
    for mention in mentions(record):
        _check_place(source, mention)
        if mention["type"] not in CONCEPT_TYPES:
            raise ValueError(f"there is no type {mention['type']!r}")
        salience, introduced = mention.get("salience"), mention.get("introduced")
        if salience is not None and (isinstance(salience, bool) or salience not in (1, 2)):
            raise ValueError(f'"salience" must be 1 or 2, not {salience!r}')
        if introduced is not None and not isinstance(introduced, bool):
            raise ValueError(f'"introduced" must be true or false, not {introduced!r}')


def check_apart(record: Annotated) -> None:
    """Raise ValueError where two mentions of a checked record share a place or overlap."""
    places = sorted((m["field"], m["start"], m["end"]) for m in mentions(record))
    for (field, start, end), (other, begin, stop) in pairwise(places):
        if (field, start, end) == (other, begin, stop):
            raise ValueError(f"{field}[{start}:{end}] is annotated twice")
        if field == other and begin < end:
            raise ValueError(f"{field}[{start}:{end}] and {field}[{begin}:{stop}] overlap")


def _of_concepts(concepts: list[Annotated]) -> Iterator[Annotated]:
    for concept in concepts:
        for mention in concept["mentions"]:
            yield {**{name: concept.get(name) for name in _SHARED}, **mention}


def _check_place(source: Mapping[str, str], mention: Annotated) -> None:
    field, start, end = mention["field"], mention["start"], mention["end"]
    if field not in tuple(source) or type(start) is not int or type(end) is not int:
        raise ValueError('a mention needs "field" (title or abstract), and numbers as places')
    text = source[field]
    if not 0 <= start < end <= len(text):
        raise ValueError(f"there is no {field}[{start}:{end}]: it has {len(text)} characters")
    if text[start:end] != mention["text"]:
        raise ValueError(f"{field}[{start}:{end}] is not {mention['text']!r}")
