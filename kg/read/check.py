"""Whether a record can be used: what RDF, XML and a reader's patience allow."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from kg.model import Record

MAX_TITLE = 5_000
MAX_ABSTRACT = 50_000
MAX_NAME = 500

# Characters that no XML document may hold (XML 1.0, production 2), and so no RDF/XML,
# no SPARQL XML result and no web page either.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def fault(record: Record) -> str:
    """Why a record cannot be used, and what to do; empty where it can."""
    if not is_visible(record.title) and not is_visible(record.abstract):
        return "the record has neither a title nor an abstract"
    for name, text, limit in (
        ("title", record.title, MAX_TITLE),
        ("abstract", record.abstract, MAX_ABSTRACT),
    ):
        if len(text) > limit:
            return (
                f"the {name} has {len(text):,} characters, more than {limit:,}; "
                "kg reads titles and abstracts, not full texts"
            )
    if any(len(name) > MAX_NAME for name in record.authors):
        return f"an author's name has more than {MAX_NAME} characters"
    for name, text in _texts(record):
        if bad := FORBIDDEN.search(text):
            return f"the {name} holds {_describe(bad[0])} at character {bad.start() + 1}; remove it"
    return ""


def is_visible(text: str) -> bool:
    """Whether a text has anything to see: no spaces alone, no marks of direction or joining."""
    return any(unicodedata.category(c)[0] in "LNPS" for c in text)


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    yield "title", record.title
    yield "abstract", record.abstract
    yield "id", record.id
    yield "doi", record.doi
    yield "url", record.url
    for name in record.authors:
        yield "author's name", name
    for name in record.categories:
        yield "category", name
    yield "record", record.raw


def _describe(character: str) -> str:
    code = f"U+{ord(character):04X}"
    if character == "\0":
        return f"a NUL character ({code})"
    if "\ud800" <= character <= "\udfff":
        return f"half a surrogate pair ({code})"
    if character < " ":
        return f"a control character ({code})"
    return f"a code point that is no character ({code})"
