"""JSON Lines, the plain door for everybody's own data: one record a line.

    {"id": "1", "title": "...", "abstract": "...", "authors": ["Ada Example"],
     "year": 2026, "categories": ["cs.LG"], "doi": "10.1000/1", "url": "https://..."}

A title or an abstract is needed, the rest is optional, fields of other names are left alone.
`text` is read where there is no `abstract`; an author may also be an object with `name`, or
with `given` and `family`, and with `orcid`. What OpenAlex calls otherwise is read where there
is no field of our name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from kg.model import Note, Record, Rejection, Source
from kg.read.authors import authors
from kg.read.identifiers import arxiv_id, doi, is_url
from kg.read.lines import Line
from kg.read.values import UnfitError, inverted, is_date, text, words, year

NAME = "json-lines"


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
                raise UnfitError(line.fault)
            record = _record(source, position, line)
            first = seen.setdefault(record.id, line.number) if record.id else line.number
            if first != line.number:
                raise UnfitError(
                    f"the id {record.id!r} stands on line {first} already; give each record its own"
                )
        except UnfitError as error:
            yield Rejection(path, line.number, str(error), line.text[:200])
        else:
            yield record


def _record(source: Source, position: int, line: Line) -> Record:
    try:
        data = json.loads(line.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise UnfitError(f"broken JSON at column {error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise UnfitError("JSON that is nested too deep, or with a number too long") from error
    if not isinstance(data, dict):
        raise UnfitError('a line must be one JSON object, such as {"id": "1", "title": "..."}')
    own_id = text(data, "id")
    title = text(data, "title") or text(data, "display_name")
    abstract = text(data, "abstract") or text(data, "text")
    url = text(data, "url").strip()
    people = list(authors(data))
    named = [author for author in people if author.name]
    arxiv_name, doi_name = text(data, "arxiv"), text(data, "doi")
    return Record(
        source,
        position,
        line.number,
        raw=line.text,
        title=title,
        abstract=abstract or inverted(data, "abstract_inverted_index"),
        id=own_id,
        arxiv=next(filter(None, map(arxiv_id, (arxiv_name, own_id, url, doi_name))), ""),
        # That of arXiv says what the arXiv identifier says.
        doi=next((doi(s) for s in (doi_name, own_id, url) if doi(s) and not arxiv_id(s)), ""),
        url=url if is_url(url) else "",
        year=year(data),
        authors=tuple(author.name for author in named),
        categories=tuple(words(data.get("categories"))),
        orcids=tuple(a.orcid for a in named) if any(a.orcid for a in named) else (),
        more_authors=any(author.more for author in people),
    )


def unread(record: Record) -> Iterator[str]:
    """What of a record could not be read and is left out, though the record is used."""
    if record.source.format != NAME:
        return
    data = json.loads(record.raw.removeprefix("\ufeff"))
    for field, found, reads in (("arxiv", record.arxiv, arxiv_id), ("doi", record.doi, doi)):
        given = text(data, field).strip()
        if given and not found and not reads(given):
            yield f'"{field}" is no identifier and is left out: {given}'
    given = text(data, "url").strip()
    if given and not (record.url or arxiv_id(given) or doi(given)):
        yield f'"url" is no web address and is left out: {given}'
    if record.year is not None and not is_date(stated := data.get("year") or record.year):
        yield f'"year" is no date; only the year of it is read: {stated}'
    yield from dict.fromkeys(author.fault for author in authors(data) if author.fault)
