"""From pairs of title and abstract to extractions, in order, each on its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from spacy.language import Language

from kg.concepts import model
from kg.concepts.grouping import group
from kg.concepts.mentions import Part
from kg.concepts.names import uncapitalised
from kg.model import Extraction, Field
from kg.text import Plain, plain

# Longer texts are read in pieces: memory stays small, and spaCy has a limit.
_LONGEST = 30_000
_UNBROKEN = re.compile(r"\S{300}")


class _Piece(NamedTuple):
    pair: int
    field: Field
    source: Plain
    offset: int  # where the piece begins in the plain text


class Extractor:
    """Finds concepts with a loaded pipeline."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self.model = model()

    def extract(self, texts: Iterable[tuple[str, str]]) -> Iterator[Extraction]:
        """One extraction for each pair of source texts, title and abstract, in order.

        The extraction of a pair depends on nothing but the pair: documents go through the
        model one by one, as floating-point sums of a batch depend on its other documents.
        """
        pieces = (job for number, pair in enumerate(texts) for job in _pieces(number, *pair))
        read = self._nlp.pipe(pieces, as_tuples=True, batch_size=1)
        for _, docs in groupby(read, key=lambda job: job[1].pair):
            parts = [Part(p.field, p.source, p.offset, doc) for doc, p in docs]
            yield Extraction(group(parts))


def _pieces(number: int, title: str, abstract: str) -> Iterator[tuple[str, _Piece]]:
    """The texts of one pair for the pipeline; at least one, so that no pair is lost."""
    fields: tuple[tuple[Field, str], ...] = (("title", title), ("abstract", abstract))
    for field, source in fields:
        read = plain(source)
        text = uncapitalised(read.text) if field == "title" else read.text
        start = 0
        while start < len(text) or start == 0:
            end = _cut(text, start)
            yield text[start:end], _Piece(number, field, read, start)
            start = max(end, start + 1)


def _cut(text: str, start: int) -> int:
    """Where a piece that begins at `start` ends: behind a sentence, if it can be."""
    end = start + _LONGEST
    # The tokenizer takes quadratic time for an unbroken run of signs.
    if unbroken := _UNBROKEN.search(text, start, end):
        return unbroken.start() if unbroken.start() > start else unbroken.end()
    if end >= len(text):
        return len(text)
    for mark in (". ", " "):
        place = text.rfind(mark, start + _LONGEST // 2, end)
        if place >= 0:
            return place + len(mark)
    return end
