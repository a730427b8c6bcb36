"""Texts with the concepts that they mention marked, as pieces that templates write out.

Mentions have offsets in the text of the source; people read the plain form of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from kg.text import Plain, plain

_LONGEST = 420  # characters of a sentence that is shown
# A full stop ends a sentence where a capital, a digit or a bracket follows, and no
# abbreviation goes before.
_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9\d])|\n+")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|Fig|Eq|Sec|et al|resp|approx|Dr|Prof|St)|\b[A-Z])\Z"
)
# What stands before or after a name that is just being explained.
_ASIDE = r"\s*(?:\([^)]*\)|[,—–][^,—–]{0,60}[,—–])?\s*"
_IS = re.compile(
    rf"{_ASIDE}(?:is|are)\s+(?:an?|the|one\s+of|(?:[\w-]+\s+){{0,3}}(?:models|methods|networks|algorithms|"
    r"systems|techniques|tasks|problems|datasets|measures|approaches|tools|functions|processes))\b"
)
_MEANS = re.compile(rf"{_ASIDE}(?:refers?\s+to|denotes?|means?|consists?\s+(?:of|in)|describes?)\b")
_ANY, _DOES = re.compile(r"(?:An?|Any|Each|Every)\s+"), re.compile(r"\s+[a-z]+s\b")
_MADE = re.compile(
    r"\b(?:(?:introduce|propose|present|develop|define|design)s?|called|named|termed|dubbed|coined),?\W+"
    r"(?:(?:an?|the|our|new|novel|it|of|as)\W+|[\w-]+\W+){0,3}\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A mention: offsets in the source text, and what it leads to."""

    begin: int
    end: int
    href: str = ""
    label: str = ""  # the concept's
    id: str = ""  # of the place on the page, the fragment of the mention's IRI


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; with a `span` it is a mention."""

    text: str
    span: Span | None = None
    anchors: tuple[str, ...] = ()  # ids of mentions within or across this one


def marked(source: str, spans: Iterable[Span]) -> list[Piece]:
    """The plain form of a source text in pieces; of mentions that overlap the longest counts."""
    text = plain(source)
    places = _places(text, spans)
    pieces: list[Piece] = []
    at = 0
    for begin, end, span in places:
        if begin < at:
            if pieces and span.id:
                last = pieces[-1]
                pieces[-1] = Piece(last.text, last.span, (*last.anchors, span.id))
            continue
        if begin > at:
            pieces.append(Piece(text.text[at:begin]))
        pieces.append(Piece(text.text[begin:end], span))
        at = end
    if at < len(text.text):
        pieces.append(Piece(text.text[at:]))
    return pieces


def sentences(source: str, spans: Iterable[Span]) -> list[list[Piece]]:
    """The sentences that hold mentions, with every mention in them marked; each wording once.

    Linear in the length of the text and the number of mentions.
    """
    text = plain(source)
    ends, places = _ends(text.text), _places(text, spans)
    found: dict[str, list[Piece]] = {}
    number = 0
    while number < len(places):
        first = number
        begin, end = around(text.text, ends, *places[first][:2])
        pieces, at = [Piece("… ")] if _cut(text.text, begin) else [], begin
        for start, stop, span in islice(places, first, None):
            if stop > end and number > first:
                break  # what the sentence does not hold has its own
            number += 1
            if start < at:
                continue
            pieces += [Piece(text.text[at:start])] if start > at else []
            pieces.append(Piece(text.text[start:stop], span))
            at = stop
        pieces.append(Piece(text.text[at:end].rstrip()))
        if end < len(text.text) and text.text[end - 1].isalnum():
            pieces.append(Piece(" …"))
        found.setdefault(text.text[begin:end], pieces)
    return list(found.values())


def defines(pieces: list[Piece]) -> int:
    """How much a sentence sounds as if it said what a thing marked in it is; 0 for not."""
    marked = [at for at, piece in enumerate(pieces) if piece.span]
    return max((_defines(pieces[:at], pieces[at + 1 :]) for at in marked), default=0)


def _defines(left: list[Piece], right: list[Piece]) -> int:
    before, after = ("".join(piece.text for piece in side) for side in (left, right))
    if _ANY.fullmatch(before) and _DOES.match(after):
        return 3
    if _IS.match(after) or _MEANS.match(after):
        return 3 if len(before) < 40 else 1
    return 2 if _MADE.search(before[-80:]) else 0


def around(text: str, ends: list[tuple[int, int]], begin: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence that holds text[begin:end], not more than a few lines."""
    before = bisect_right(ends, begin, key=itemgetter(1))
    after = max(before, bisect_left(ends, end - 1, key=itemgetter(0)))
    start = ends[before - 1][1] if before else 0
    stop = ends[after][1] if after < len(ends) else len(text)
    if stop - start > _LONGEST:
        spare = max(0, (_LONGEST - (end - begin)) // 2)
        if begin - start > spare:
            start = _word_start(text, max(start, begin - spare), begin)
        if stop - start > _LONGEST:
            stop = max(text.rfind(" ", end, start + _LONGEST), end)
    while stop > end and text[stop - 1].isspace():
        stop -= 1
    return start, stop


def _ends(text: str) -> list[tuple[int, int]]:
    """Where sentences end: their last marks with the space behind them."""
    return [
        mark.span()
        for mark in _END.finditer(text)
        if mark[0].startswith("\n")
        or not _ABBREVIATED.search(text, max(0, mark.start() - 8), mark.start())
    ]


def place(text: Plain, span: Span) -> tuple[int, int]:
    """Where a mention is in the plain text."""
    if not text.starts:
        return min(span.begin, len(text.text)), min(span.end, len(text.text))
    begin = bisect_right(text.ends, span.begin)
    end = bisect_left(text.starts, span.end)
    return begin, max(begin, end)


def _places(text: Plain, spans: Iterable[Span]) -> list[tuple[int, int, Span]]:
    """Mentions in the order of the text; of those that begin together the longest first."""
    found = [(*place(text, span), span) for span in spans]
    return sorted(found, key=lambda one: (one[0], -one[1]))


def _cut(text: str, begin: int) -> bool:
    return begin > 1 and text[begin - 1] == " " and text[begin - 2] not in ".!?\"'”’)]"


def _word_start(text: str, at: int, begin: int) -> int:
    """The first beginning of a word from `at` on, or else `at`, which is before `begin`."""
    space = text.find(" ", at, begin)
    return space + 1 if space >= 0 else at
