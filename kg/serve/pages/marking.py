"""Texts with the concepts that they mention marked, as pieces that templates write out.

Mentions have offsets in the text of the source; people read the plain form of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

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
    places = sorted((*place(text, span), span) for span in spans)
    places.sort(key=lambda found: (found[0], -found[1]))
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


def sentence(source: str, spans: list[Span]) -> list[Piece]:
    """The sentence around the first mention, with every mention in it marked."""
    text = plain(source)
    first = min(place(text, span) for span in spans)
    begin, end = around(text.text, *first)
    inside = sorted(
        (*found, span)
        for span in spans
        if begin <= (found := place(text, span))[0] and found[1] <= end
    )
    pieces, at = [Piece("… ")] if _cut(text.text, begin) else [], begin
    for start, stop, span in inside:
        if start < at:
            continue
        pieces += [Piece(text.text[at:start])] if start > at else []
        pieces.append(Piece(text.text[start:stop], span))
        at = stop
    pieces.append(Piece(text.text[at:end].rstrip()))
    if end < len(text.text) and text.text[end - 1].isalnum():
        pieces.append(Piece(" …"))
    return pieces


def defines(pieces: list[Piece]) -> int:
    """How much a sentence sounds as if it said what the first marked thing is; 0 for not."""
    at = next((at for at, piece in enumerate(pieces) if piece.span), len(pieces))
    before = "".join(piece.text for piece in pieces[:at])
    after = "".join(piece.text for piece in pieces[at + 1 :])
    if _ANY.fullmatch(before) and _DOES.match(after):
        return 3
    if _IS.match(after) or _MEANS.match(after):
        return 3 if len(before) < 40 else 1
    return 2 if _MADE.search(before[-80:]) else 0


def around(text: str, begin: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence that holds text[begin:end], not more than a few lines."""
    start, stop = 0, len(text)
    for mark in _END.finditer(text):
        ended = mark[0].startswith("\n") or not _ABBREVIATED.search(text, 0, mark.start())
        if ended and mark.end() <= begin:
            start = mark.end()
        elif ended and mark.start() >= end - 1:
            stop = mark.end()
            break
    if stop - start > _LONGEST:
        spare = (_LONGEST - (end - begin)) // 2
        if begin - start > spare:
            start = _word_start(text, max(start, begin - spare))
        if stop - start > _LONGEST:
            stop = max(text.rfind(" ", end, start + _LONGEST), end)
    while stop > end and text[stop - 1].isspace():
        stop -= 1
    return start, stop


def place(text: Plain, span: Span) -> tuple[int, int]:
    """Where a mention is in the plain text."""
    if not text.starts:
        return min(span.begin, len(text.text)), min(span.end, len(text.text))
    begin = bisect_right(text.ends, span.begin)
    end = bisect_left(text.starts, span.end)
    return begin, max(begin, end)


def _cut(text: str, begin: int) -> bool:
    return (
        begin > 0
        and text[begin - 1] == " "
        and text[:begin].rstrip()[-1:] not in tuple(".!?\"'”’)]")
    )


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", at)
    return space + 1 if space >= 0 else at
