"""JSON Lines, the plain door for everybody's own data: one record a line.

    {"id": "1", "title": "...", "abstract": "...", "authors": ["Ada Example"],
     "year": 2026, "categories": ["cs.LG"], "doi": "10.1000/1", "url": "https://..."}

A title or an abstract is needed, the rest is optional, fields of other names are left alone.
`text` is read where there is no `abstract`; an author may also be an object with `name`, or
with `given` and `family`, and with `orcid`. The `authorships` of OpenAlex are read where there
are no `authors`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from kg.model import Note, Record, Rejection, Source
from kg.read.identifiers import arxiv_id, doi, is_url, orcid
from kg.read.lines import Line

NAME = "json-lines"

# What stands for authors whom a source leaves out, by itself or behind a name.
_MORE = re.compile(
    r"^(?:and\s+|&\s*)?others\.?$|(?:^|[\s,;]+)(?:(?:and|&)\s+others|(?:and\s+)?et\.?\s+al(?:ii|ia)?)\.?$",
    re.IGNORECASE,
)
# What follows a name after a comma and is no name.
_AFTER_NAME = re.compile(
    r"(?:jr|sr|ii|iii|iv|ph\.?\s?d|m\.?\s?d|dr|m\.?sc|b\.?sc|esq|mba)\.?", re.IGNORECASE
)


class _UnfitError(Exception):
    """A value of the wrong kind; the message says which and what it should be."""


def read(source: Source, path: str, lines: Iterator[Line]) -> Iterator[Record | Note | Rejection]:
    """Turn lines into records; the second record of an id is rejected."""
    seen: dict[str, int] = {}
    position = 0
    for line in lines:
        if not line.text.strip():
            continue
        position += 1
        try:
            if line.fault:
                raise _UnfitError(line.fault)
            record = _record(source, position, line)
            first = seen.setdefault(record.id, line.number) if record.id else line.number
            if first != line.number:
                raise _UnfitError(
                    f"the id {record.id!r} stands on line {first} already; give each record its own"
                )
        except _UnfitError as error:
            yield Rejection(path, line.number, str(error), line.text[:200])
        else:
            yield record


def _record(source: Source, position: int, line: Line) -> Record:
    try:
        data = json.loads(line.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise _UnfitError(f"broken JSON at column {error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise _UnfitError("JSON that is nested too deep, or with a number too long") from error
    if not isinstance(data, dict):
        raise _UnfitError('a line must be one JSON object, such as {"id": "1", "title": "..."}')
    own_id = _text(data, "id")
    abstract = _text(data, "abstract") or _text(data, "text")
    url = _text(data, "url")
    named = list(_authors(data))
    authors = [(name, orcid) for name, orcid in named if name]
    arxiv_name, doi_name = _text(data, "arxiv"), _text(data, "doi")
    return Record(
        source,
        position,
        line.number,
        raw=line.text,
        title=_text(data, "title"),
        abstract=abstract,
        id=own_id,
        arxiv=next(filter(None, map(arxiv_id, (arxiv_name, own_id, url, doi_name))), ""),
        # That of arXiv says what the arXiv identifier says.
        doi=next((doi(s) for s in (doi_name, own_id, url) if doi(s) and not arxiv_id(s)), ""),
        url=url if is_url(url) else "",
        year=_year(data.get("year")),
        authors=tuple(name for name, _ in authors),
        categories=tuple(_words(data.get("categories"))),
        orcids=tuple(orcid for _, orcid in authors) if any(orcid for _, orcid in authors) else (),
        more_authors=len(authors) < len(named),
    )


def unread(record: Record) -> Iterator[tuple[str, str]]:
    """The identifiers of a record that could not be read, as ("arxiv", "23.1")."""
    fields = (("arxiv", record.arxiv, arxiv_id), ("doi", record.doi, doi))
    left = [(f, reads) for f, found, reads in fields if not found and f'"{f}"' in record.raw]
    if left and record.source.format == NAME:
        data = json.loads(record.raw.removeprefix("\ufeff"))
        for field, reads in left:
            if (text := _text(data, field).strip()) and not reads(text):
                yield field, text


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if key == "id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    form = "text in quotes or a whole number" if key == "id" else "text in quotes"
    raise _UnfitError(f'"{key}" must be {form}, not {_kind(value)}')


def _year(value: object) -> int | None:
    if value is None or value == "":
        return None
    match = re.fullmatch(r"\s*(\d{4})(?:-\d\d(?:-\d\d)?)?\s*", str(value))
    if match and not isinstance(value, bool):
        return int(match[1])
    raise _UnfitError(f'"year" must be a year such as 2026, not {str(value)[:20]!r}')


def _authors(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Names with their ORCIDs, "" where there is none; "" for those who are left out."""
    value = data.get("authors") or data.get("authorships")
    if value is None:
        return
    if isinstance(value, str):
        value = _split_names(value)
    if not isinstance(value, list):
        raise _UnfitError(f'"authors" must be a list of names, not {_kind(value)}')
    for author in value:
        identifier = ""
        if isinstance(author, dict):
            if isinstance(author.get("author"), dict):  # as OpenAlex has it
                author = author["author"]
            identifier = orcid(str(author.get("orcid") or author.get("ORCID") or ""))
            author = (
                author.get("name")
                or author.get("display_name")
                or " ".join(str(author[part]) for part in ("given", "family") if author.get(part))
            )
        if not isinstance(author, str):
            raise _UnfitError(f'"authors" must be a list of names; one of them is {_kind(author)}')
        name = " ".join(author.split())
        if more := _MORE.search(name):
            name = name[: more.start()]
            yield "", ""
        if any(map(str.isalnum, name)):  # a dash or a dot stands for nobody
            yield name, identifier


def _split_names(names: str) -> list[str]:
    """Split names in one text, at "and" and semicolons where there are any, else at commas.

    "Example, Ada" is one name: a comma parts names only where both sides have several words.
    What stands in brackets, as affiliations do, is left out.
    """
    names = unescape(names)
    while (without := re.sub(r"\s*\([^()]*\)", "", names)) != names:
        names = without
    if re.search(r";|\band\b", names):
        parts = re.split(r"\s*;\s*|\s*,?\s+and\s+", names)
        if ";" in names or not all("," in part for part in parts if part):
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
    raise _UnfitError(
        f'"authors" is one text in which commas part names and parts of names: {names[:40]!r}; '
        "make it a list of names"
    )


def _words(value: object) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, str):
        value = re.split(r"[\s,;]+", value)
    if not isinstance(value, list):
        raise _UnfitError(f'"categories" must be a list of names, not {_kind(value)}')
    for word in value:
        if not isinstance(word, str):
            raise _UnfitError(f'"categories" must be a list of names; one of them is {_kind(word)}')
        if word.strip():
            yield word.strip()


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "null" if value is None else "an object")
