"""The mentions of one record: what its parts mark, and where else the record says the same.

A short form that the record defines, and a name that is marked once, are mentions wherever
they stand in the record. Mentions never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from kg.concepts.names import is_cased, key
from kg.concepts.phrases import Word, words_of
from kg.model import Field
from kg.text import Plain

_LONGEST_REPEATED = 6  # words
_RELATION = re.compile("[<>=]")


class Part(NamedTuple):
    """A piece of a field that went through the pipeline."""

    field: Field
    source: Plain
    offset: int  # where the document begins in the plain text
    doc: Doc

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The offsets of a span of tokens in the source of the field."""
        span = self.doc[start:end]
        return self.source.source_span(self.offset + span.start_char, self.offset + span.end_char)

    def text(self, start: int, end: int) -> str:
        """The readable text of a span of tokens, in the case of the source."""
        span = self.doc[start:end]
        return self.source.text[self.offset + span.start_char : self.offset + span.end_char]


class Found(NamedTuple):
    """A mention: a span of words of a part, with the ground that it stands on."""

    part: int
    start: int
    end: int
    text: str  # readable
    ground: str


class Findings(NamedTuple):
    """All of a record's mentions in text order, and its long forms by the key of the short."""

    words: list[list[Word]]  # by part
    found: list[Found]
    long_forms: dict[str, str]


def find(parts: Sequence[Part]) -> Findings:
    """The mentions of a record."""
    marked = [_Marked(number, part) for number, part in enumerate(parts)]
    long_forms: dict[str, str] = {}
    for part in marked:
        part.mark_concepts(long_forms)
    known = {key(f.text) for part in marked for f in part.found.values()} | long_forms.keys()
    repeated = {k for k in known if " " in k or k in long_forms or is_cased(k)}
    for part in marked:
        part.mark_repeated(repeated)
    found = [f for part in marked for f in part.apart()]
    return Findings([part.words for part in marked], found, long_forms)


class _Marked:
    """The mentions of one part while they are collected."""

    def __init__(self, number: int, part: Part) -> None:
        self.number, self.part = number, part
        self.words = words_of(part.doc)
        self.found: dict[int, Found] = {}  # by first word
        self.taken = bytearray(len(self.words))

    def mark(self, start: int, end: int, ground: str) -> None:
        """Mark a span, unless a word of it is taken or it states a relation, as "p > 2" does."""
        text = self.part.text(start, end)
        if not any(self.taken[start:end]) and not _RELATION.search(text):
            self.found[start] = Found(self.number, start, end, text, ground)
            self.taken[start:end] = b"\x01" * (end - start)

    def apart(self) -> Iterator[Found]:
        """The mentions in order, without those that meet another one in the source.

        Source spans are widened to whole formulas, so that two mentions at one formula may meet.
        """
        reached = 0
        for _, found in sorted(self.found.items()):
            start, end = self.part.source_span(found.start, found.end)
            if start >= reached:
                yield found
                reached = end

    def mark_concepts(self, long_forms: dict[str, str]) -> None:
        """Mark what the pipeline found, joined phrases first; note the long forms."""
        spans = self.part.doc.spans
        for joined in spans["joined"]:
            self.mark(joined.start, joined.end, joined.label_)
        for long, short in zip(spans["long"], spans["short"], strict=True):
            long_text = self.part.text(long.start, long.end)
            long_forms.setdefault(key(self.part.text(short.start, short.end)), long_text)
            # A longer phrase that ends where the long form ends is the mention.
            if not any(p.end == long.end and p.start < long.start for p in spans["concepts"]):
                self.mark(long.start, long.end, "long form")
            self.mark(short.start, short.end, "short form")
        for phrase in spans["concepts"]:
            self.mark(phrase.start, phrase.end, phrase.label_)

    def mark_repeated(self, keys: set[str]) -> None:
        """Mark what has one of `keys`, the longest at each place."""
        begins = {k.split(" ")[0].casefold() for k in keys}
        for start, word in enumerate(self.words):
            if self.taken[start] or not _begins(word.text, begins):
                continue
            for end in range(min(start + _LONGEST_REPEATED, len(self.words)), start, -1):
                if self._is_word_end(end) and key(self.part.text(start, end)) in keys:
                    self.mark(start, end, "repeated")
                    break

    def _is_word_end(self, end: int) -> bool:
        return self.words[end - 1].text[-1:].isalnum() or self.words[end - 1].text[-1:] in "+#*"


def _begins(text: str, begins: set[str]) -> bool:
    """Whether a key may begin with this word, or with the first part of it."""
    folded = text.casefold()
    if folded in begins or folded.removesuffix("s") in begins:
        return True
    return key(text).casefold().split(" ")[0] in begins
