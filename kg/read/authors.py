"""The authors of a JSON object, in the forms that people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple

from kg.read.identifiers import orcid
from kg.read.values import UnfitError, kind

# What stands for authors whom a source leaves out, by itself or behind a name.
_MORE = re.compile(
    r"^(?:and\s+|&\s*)?others\.?$|(?:^|[\s,;]+)(?:(?:and|&)\s+others|(?:and\s+)?et\.?\s+al(?:ii|ia)?)\.?$",
    re.IGNORECASE,
)
# What follows a name after a comma and is no name.
_AFTER_NAME = re.compile(
    r"(?:jr|sr|ii|iii|iv|ph\.?\s?d|m\.?\s?d|dr|m\.?sc|b\.?sc|esq|mba)\.?", re.IGNORECASE
)
_WHOLE = ("name", "display_name", "full_name", "literal")
# Of the parts of a name; a middle name stands beside these.
_GIVEN = (
    *("given", "first", "first_name", "firstname", "firstName"),
    *("given_name", "givenName", "forename"),
)
_FAMILY = (
    *("family", "last", "last_name", "lastname", "lastName"),
    *("family_name", "familyName", "surname"),
)
_PARTS = (
    _GIVEN,
    ("middle", "middle_name", "middleName"),
    ("dropping-particle",),
    ("non-dropping-particle",),
    _FAMILY,
    ("suffix",),
)
# What parts names in one text, and initials: "Example, A. B., Sample, C. and ..."
_BETWEEN = re.compile(r"\s*[,;]\s*(?:(?:and|&)\s+)?|\s+(?:and|&)\s+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.[\s-]*)+")


class Author(NamedTuple):
    """A name, "" for nobody, with its ORCID."""

    name: str
    orcid: str = ""
    more: bool = False  # stands for those whom the source leaves out
    fault: str = ""  # what of the author could not be read


def authors(data: dict[str, Any]) -> Iterator[Author]:
    """All authors in order, and what stands between them."""
    value = data.get("authors") or data.get("authorships")
    if value is None:
        return
    if isinstance(value, str):
        value = _split_names(value)
    if not isinstance(value, list):
        raise UnfitError(f'"authors" must be a list of names, not {kind(value)}')
    for author in value:
        identifier = given = keys = ""
        if isinstance(author, dict):
            if isinstance(author.get("author"), dict):  # as OpenAlex has it
                author = author["author"]
            given = str(author.get("orcid") or author.get("ORCID") or "").strip()
            identifier = orcid(given)
            keys = f"; its keys: {', '.join(author)}" if author else ""
            author = _name(author)
        if not isinstance(author, str):
            raise UnfitError(f'"authors" must be a list of names; one of them is {kind(author)}')
        name = " ".join(author.split())
        if not name:
            yield Author("", fault=f"an author without a name is left out{keys}")
        if more := _MORE.search(name):
            name = name[: more.start()]
            yield Author("", more=True)
        if any(map(str.isalnum, name)):  # a dash or a dot stands for nobody
            wrong = given and not identifier
            fault = f'the "orcid" of {name} is no identifier and is left out: {given}'
            yield Author(name, identifier, fault=fault if wrong else "")


def _name(author: dict[str, Any]) -> object:
    """The name of an author, whole or put together of its parts."""
    for key in _WHOLE:
        if author.get(key):
            return author[key]
    return " ".join(filter(None, (_part(author, keys) for keys in _PARTS)))


def _part(author: dict[str, Any], keys: tuple[str, ...]) -> str:
    """A part of a name by the first of its keys that is there; it may be several words."""
    value = next((author[key] for key in keys if author.get(key)), "")
    words = value if isinstance(value, list) else [value]
    for one in words:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise UnfitError(f'"authors" must be a list of names; a part of one is {kind(one)}')
    return " ".join(map(str, words))


def _split_names(names: str) -> list[str]:
    """Split names in one text, at "and" and semicolons where there are any, else at commas.

    "Example, Ada" is one name: a comma parts names only where both sides have several words.
    What stands in brackets, as affiliations do, is left out.
    """
    names = unescape(names)
    while (without := re.sub(r"\s*\([^()]*\)", "", names)) != names:
        names = without
    pieces = [piece for piece in _BETWEEN.split(names) if piece]
    if len(pieces) > 2 and all(
        bool(_INITIALS.fullmatch(piece)) == (number % 2 == 1) for number, piece in enumerate(pieces)
    ):
        return [", ".join(pair) for pair in zip(pieces[::2], pieces[1::2], strict=False)]
    if re.search(r";|\band\b", names):
        parts = re.split(r"\s*;\s*|\s*,?\s+and\s+", names)
        if ";" in names or not all(part.count(",") == 1 for part in parts if part):
            parts = [name for part in parts for name in (_by_commas(part))]
        return parts
    return _by_commas(names)


def _by_commas(names: str) -> list[str]:
    parts: list[str] = []
    for part in names.split(","):
        if parts and _AFTER_NAME.fullmatch(part.strip()):
            parts[-1] += f", {part.strip()}"
        elif part.strip():
            parts.append(part.strip())
    spaced = sum(" " in part.partition(",")[0] for part in parts)
    if spaced == len(parts):
        return parts
    if len(parts) < 3:  # "Example, Ada"
        return [names]
    if 2 * spaced > len(parts):  # one of them has a name of one word
        return parts
    raise UnfitError(
        f'"authors" is one text in which commas part names and parts of names: {names[:40]!r}; '
        "make it a list of names"
    )
