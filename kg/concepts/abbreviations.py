"""Abbreviations and the long forms that a text defines them by.

The algorithm is that of A. S. Schwartz and M. A. Hearst, "A simple algorithm for identifying
abbreviation definitions in biomedical text", Pacific Symposium on Biocomputing 8 (2003),
451-462: a short form in brackets is matched from its end, letter by letter, with the words
before the bracket, and its first letter has to begin a word. Narrower here: only "long form
(SF)" counts, within one sentence; an initial letter a word is preferred where that fits; a
short form in lower case has to be made of initial letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kg.concepts.words import words

_BRACKET = re.compile(r"\(\s*([^\s()\[\],;:]{2,12}(?: [^\s()\[\],;:]{1,6})?)\s*(?=[;,]|\)(?!\w))")
_SPACES = re.compile(r"[\s-]+")
_WORD = re.compile(r"[^\W_]+")
_TO = re.compile(r"(?<=[^\W\d_])2(?=[^\W\d_])")  # "T2V": text to video
_ROMAN = re.compile(r"[ivxIVX]+")
# Marks of emphasis and of quotation behind a long form; "A*" and "RRT*" are names.
_MARKS = re.compile(r"(?:[\"'“”‘’`´_]|(?<=[a-z]{2})\*|(?<=\*)\*)+$")


class Definition(NamedTuple):
    """Character offsets of a long form and of its short form in one text."""

    long_start: int
    long_end: int
    short_start: int
    short_end: int


def definitions(text: str, start: int = 0, end: int | None = None) -> Iterator[Definition]:
    """The abbreviations that text[start:end], one sentence, defines, in order."""
    end = len(text) if end is None else end
    for bracket in _BRACKET.finditer(text, start, end):
        short = bracket[1].strip("\"'“”‘’")
        if not _may_be_short(short):
            continue
        before = text[start : bracket.start()].rstrip()
        if marks := _MARKS.search(before, max(len(before) - 9, 0)):
            before = before[: marks.start()].rstrip()
        begin = long_form(short, before)
        if begin is not None:
            short_start = bracket.start(1) + bracket[1].index(short)
            yield Definition(
                start + begin, start + len(before), short_start, short_start + len(short)
            )


def long_form(short: str, before: str) -> int | None:
    """Where in `before`, the text up to the bracket, the long form begins."""
    bare = re.sub(r"(?<=[A-Z0-9])s$", "", short)
    window = _window(before, len(bare))
    begin = _by_initials(bare, before, window)
    if begin is None and any(map(str.isupper, bare)):
        begin = _by_letters(bare, before, window)
        if begin is None and _TO.search(bare):
            begin = _by_letters(_TO.sub("to", bare), before, window)
    if begin is None or not _is_long(before[begin:], bare):
        return None
    return begin


def is_phrase(long: str, short: str) -> bool:
    """Whether `long` may name something: no clause, and not much longer than `short` stands for.

    Letters alone also match whole clauses: "surpasses both FedAvg and … method (FedBN)".
    """
    parts = [word.strip("\"'“”‘’`*_") for word in long.split()]
    lower = [part.lower() for part in parts]
    telling = sum(word not in words("small") for word in lower)
    letters = sum(map(str.isalnum, short.removesuffix("s")))
    clause = parts[0] in words("openings") or words("clauses").intersection(lower)
    return not clause and telling <= letters + 1


def _may_be_short(short: str) -> bool:
    if not 2 <= len(short) <= 12 or not short[:1].isalnum() or short.isdigit():
        return False
    letters = sum(map(str.isalpha, short))
    if not letters or letters * 2 < len(short):
        return False
    return not _ROMAN.fullmatch(short) or short.isupper()


def _window(before: str, letters: int) -> int:
    """Where the words begin among which a long form of that many letters has to lie."""
    most = min(letters + 5, letters * 2)
    begins = [word.start() for word in re.finditer(r"\S+", before[-400:])]
    offset = max(len(before) - 400, 0)
    return offset + (begins[-most] if len(begins) >= most else begins[0] if begins else 0)


def _by_initials(short: str, before: str, window: int) -> int | None:
    """The last words before the bracket whose initials are the letters of `short`."""
    letters = [c.lower() for c in short if c.isalnum()]
    found = list(_WORD.finditer(before, window))
    at = len(found) - 1
    for position, letter in enumerate(reversed(letters)):
        while at >= 0 and found[at][0][0].lower() != letter:
            # Words between that an abbreviation passes over; the last word never is one.
            if position == 0 or found[at][0].lower() not in words("small"):
                return None
            at -= 1
        if at < 0:
            return None
        at -= 1
    return _word_start(before, found[at + 1].start())


def _by_letters(short: str, before: str, window: int) -> int | None:
    """Schwartz and Hearst: from the end, each letter at its last place before the next one."""
    at = len(before)
    for position in range(len(short) - 1, -1, -1):
        letter = short[position].lower()
        if not letter.isalnum():
            continue
        at -= 1
        while at >= window and (
            before[at].lower() != letter or (position == 0 and at > 0 and before[at - 1].isalnum())
        ):
            at -= 1
        if at < window:
            return None
    return _word_start(before, max(at, window))


def _word_start(before: str, at: int) -> int:
    """Where the word around `at` begins, hyphens within it, quotes before it left out."""
    start = max(before.rfind(c, 0, at + 1) for c in " \n") + 1
    while start < at and not before[start].isalnum():
        start += 1
    return start


def _is_long(long: str, short: str) -> bool:
    """Whether a long form says more than its short form, and is one phrase."""
    if len(long) <= len(short) or re.search(r"[()\[\],;:!?]|\. ", long):
        return False
    parts = _SPACES.split(long.strip().lower())
    return short.lower() not in parts and (
        len(parts) > 1 or (short.isupper() and len(long) >= 2 * len(short))
    )
