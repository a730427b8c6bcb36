"""Minting IRIs: the one place where a name becomes an address.

IRIs are readable where they can be and injective always. The rule, for one path segment:

- a name of letters and digits with single spaces between its words is written with hyphens
  for the spaces: "induction head" -> induction-head, "BM25" -> BM25;
- any other name ("C++", a very long title) is written as its letters and digits, shortened,
  then "_" and a hash of the whole name: "c++" -> c_cedb1bac7efc. The "_" appears in no
  other place, so that the two kinds never meet.

Letters of all scripts stay (RFC 3987); names are compared after NFC.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from pyoxigraph import NamedNode

from kg.errors import UsageError
from kg.model import Field, Record, Source
from kg.rdf.vocabulary import DEFAULT_BASE

_LONGEST_SEGMENT = 80
_HASH_DIGITS = 12
# Identifiers that can stand in a path as they are: no empty segment, no "." or "..".
_PLAIN_PATH = re.compile(r"(?!\.)[a-z0-9._-]+(?:/(?!\.)[a-z0-9._-]+)*")


def segment(name: str) -> str:
    """One path segment for a name; different names get different segments."""
    name = unicodedata.normalize("NFC", name)
    words = _words(name)
    slug = "-".join(words)
    if slug and " ".join(words) == name and len(slug) <= _LONGEST_SEGMENT:
        return slug
    return f"{slug[:_LONGEST_SEGMENT].rstrip('-')}_{_digest(name)}"


def _words(name: str) -> list[str]:
    return "".join(c if c.isalnum() and _in_iris(c) else " " for c in name).split()


def _in_iris(character: str) -> bool:
    return character.isascii() or "\u00a0" <= character < "\ue000" or character > "\uf8ff"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


class Iris:
    """Mints the IRIs of one graph below its base, which ends in "/" or "#"."""

    def __init__(self, base: str = DEFAULT_BASE) -> None:
        if not re.fullmatch(r"https?://[^\s<>\"{}|\\^`#?]+/", base):
            raise UsageError(
                f"the base {base!r} must be a web address that ends in a slash, "
                "such as https://example.org/id/"
            )
        self.base = base

    def _iri(self, path: str) -> NamedNode:
        return NamedNode(self.base + path)

    def paper(self, key: str) -> NamedNode:
        """A paper by its key: "arxiv/…", "doi/…", "title/…" or "text/…"."""
        kind, _, name = key.partition("/")
        if kind in ("arxiv", "doi") and _PLAIN_PATH.fullmatch(name):
            return self._iri(f"paper/{kind}/{name}")
        if kind == "title":
            return self._iri(f"paper/{segment(name)}")
        return self._iri(f"paper/{kind}/{segment(name)}")

    def person(self, key: str) -> NamedNode:
        """A person by the key of the name, or by "orcid/…"."""
        kind, _, name = key.partition("/")
        if kind == "orcid" and _PLAIN_PATH.fullmatch(name.lower()):
            return self._iri(f"person/orcid/{name}")
        return self._iri(f"person/{segment(key)}")

    def concept(self, key: str) -> NamedNode:
        """A concept by the key of its name."""
        return self._iri(f"concept/{segment(key)}")

    def category(self, name: str) -> NamedNode:
        """A category of a scheme that kg does not know."""
        return self._iri(f"category/{segment(name)}")

    def authorship(self, paper_key: str, ordinal: int) -> NamedNode:
        """The n-th author's part in a paper; ordinal from 1."""
        return NamedNode(f"{self.paper(paper_key).value}#author-{ordinal}")

    def source(self, source: Source) -> NamedNode:
        """A source document, by its name and by what it says of itself."""
        return self._iri(f"source/{self._document(source)}")

    def record(self, record: Record) -> NamedNode:
        """A record, by its document, its place there and its literal text."""
        digest = _digest(f"{record.line} {record.raw}")
        return self._iri(f"record/{self._document(record.source)}/{record.position}-{digest}")

    @staticmethod
    def _document(source: Source) -> str:
        numbers = [str(n) for n in (source.stated, source.page) if n is not None]
        parts = "\n".join([source.name, source.format, source.author, *numbers])
        return f"{'-'.join(_words(source.name))[:_LONGEST_SEGMENT]}_{_digest(parts)}"

    def text(self, paper_key: str, field: Field, wording: str = "") -> NamedNode:
        """A paper's title or abstract; a further wording is told apart by its hash."""
        mark = f".{_digest(wording)}" if wording else ""
        return NamedNode(f"{self.paper(paper_key).value}#{field}{mark}")

    def mention(self, text: NamedNode, start: int, end: int) -> NamedNode:
        """A place in a text."""
        return NamedNode(f"{text.value}-{start}-{end}")

    def ground(self, thing: NamedNode, *parts: str) -> NamedNode:
        """Why a thing is one, by the parts of that ground: its rule, its value, names."""
        return NamedNode(f"{thing.value}#ground-{_digest(chr(10).join(parts))}")

    def scheme(self) -> NamedNode:
        """The scheme that all concepts are in."""
        return self._iri("concepts")

    def dataset(self, part: str = "") -> NamedNode:
        """The graph as a dataset, or a part of it."""
        return self._iri("dataset" + (f"#{part}" if part else ""))

    def software(self, name: str) -> NamedNode:
        """A program or a model."""
        return self._iri(f"software/{segment(name)}")
