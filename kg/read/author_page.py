"""An author's page: a header, then records of source and year, title, abstract, category.

    arXiv subjects
    Ada Example
    Publications and source records attributed to Ada Example.
    At least 2 records · Page 1Linked to original sources

    arXiv2026
    The title
    The abstract, in one or more paragraphs.
    cs.LG↗

with an empty line between any two of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from kg.errors import InputError
from kg.model import Note, Record, Rejection, Source
from kg.read.lines import Block

NAME = "author-page"

_SOURCE_YEAR = re.compile(r"(?P<source>[^\W\d][^\n]{0,60}?)(?P<year>(?:19|20)\d\d)")
_CATEGORY = re.compile(r"(?P<names>\S[^\n]{0,200}?)\s*↗")
_COUNT = re.compile(
    r"(?<![\d,])(?P<count>\d[\d,]*+) records?(?:\W+Page (?P<page>\d+))?", re.IGNORECASE
)
_HEADER = re.compile(r"\brecords attributed to \S", re.IGNORECASE)
_ATTRIBUTED = re.compile(r"\battributed to (?P<author>[^\n]+?)\.?")


def looks_like(sample: str) -> bool:
    """Whether the beginning of a text is an author's page."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", sample)]
    # Abstracts speak of records too, and of what is attributed to something.
    if any(_HEADER.search(part) and len(part) < 200 for part in parts[1:4]):
        return True
    starts = any(_SOURCE_YEAR.fullmatch(part) for part in parts)
    return starts and any(_CATEGORY.fullmatch(part) for part in parts)


def header(name: str, path: str, blocks: Iterator[Block]) -> tuple[Source, Iterator[Block]]:
    """Read the header; return what the page says of itself, and the blocks of its records.

    Raises InputError where the header cannot be read.
    """
    author, stated, page = "", None, None
    for number, block in enumerate(blocks):
        text = block.text.strip()
        if block.fault:
            raise InputError(path, block.fault, block.fault_line)
        if _SOURCE_YEAR.fullmatch(text) and number > 1:
            blocks = chain([block], blocks)
            break
        if match := _COUNT.search(text):
            stated = int(match["count"].replace(",", ""))
            page = int(match["page"]) if match["page"] else None
        elif match := _ATTRIBUTED.search(text + "\n"):
            author = author or match["author"].strip()
        elif number == 1:
            author = text
    return Source(name, NAME, author, stated, page), blocks


def read(source: Source, path: str, blocks: Iterator[Block]) -> Iterator[Record | Note | Rejection]:
    """Turn the blocks behind the header into records.

    A record that is not closed by a category line was cut and is rejected.
    """
    held: list[Block] = []
    position = 0
    sites: set[str] = set()
    for block in blocks:
        start = _SOURCE_YEAR.fullmatch(block.text.strip())
        # Titles end in years too; inside a record, a start is known by its site.
        if held and start and start["source"] in sites:
            position += 1
            yield _cut(path, held)
            held = []
        if start and not held:
            sites.add(start["source"])
        held.append(block)
        if _CATEGORY.fullmatch(block.text.strip()):
            position += 1
            yield _record(source, path, position, held)
            held = []
    if held:
        yield _cut(path, held)


def _record(source: Source, path: str, position: int, held: list[Block]) -> Record | Rejection:
    for block in held:
        if block.fault:
            return Rejection(path, block.fault_line, block.fault, block.text[:200])
    start = _SOURCE_YEAR.fullmatch(held[0].text.strip())
    if not start:
        reason = "a record must begin with its source and year, such as arXiv2026"
        return Rejection(path, held[0].line, reason, held[0].text[:200])
    body = held[1:-1]
    category = _CATEGORY.fullmatch(held[-1].text.strip())
    assert category is not None
    return Record(
        source,
        position,
        held[0].line,
        raw="\n\n".join(block.text for block in held),
        title=body[0].text if body else "",
        abstract="\n\n".join(block.text for block in body[1:]),
        year=int(start["year"]),
        categories=tuple(re.split(r"[\s,;]+", category["names"])),
    )


def _cut(path: str, held: list[Block]) -> Rejection:
    raw = "\n\n".join(block.text for block in held)
    reason = "the record is cut: it does not end in a category line such as cs.LG↗"
    return Rejection(path, held[0].line, reason, raw[:200])
