"""Abstracts, and how far two of them are one text."""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal

Abstracts = Literal["alike", "akin", "unlike", "unknown"]

# The share of the shorter abstract's runs of four words that the longer one has too. A copy
# with a sentence rewritten keeps over 0.8 of them; two papers on one subject stay under 0.2.
_SHINGLE = 4
ALIKE = 0.7  # one text, whatever else is said
AKIN = 0.3  # one text in two versions, where the titles agree
_LEAST_WORDS = 20
# Equal short texts are one text from so many words on, and no stock phrase.
_LEAST_EQUAL = 5
# What stands in the place of an abstract, of whatever paper.
_STOCK = re.compile(
    r"(?:an? |the )?abstract|no abstract|abstract n a"
    r"|(?:an? |the |no )?abstract (?:is |was )?(?:currently )?(?:not |un)?available"
    r"|(?:\S+ ){0,4}withdrawn(?: .*)?"
)
_LONGEST_STOCK = 60  # words; a longer text says more than that something was withdrawn
OPENING_WORDS = 8


def compare_abstracts(a: str, b: str) -> tuple[Abstracts, float]:
    """How far two folded abstracts are one text, and their likeness from 0 to 1."""
    if a == b and len(a.split()) >= _LEAST_EQUAL and not is_stock(a):
        return "alike", 1.0
    if not (is_long(a) and is_long(b)):
        return "unknown", 0.0
    found = likeness(a, b)
    return ("alike" if found >= ALIKE else "akin" if found >= AKIN else "unlike"), found


def is_long(abstract: str) -> bool:
    """Whether a folded abstract says enough to be unlike another."""
    return len(abstract.split()) >= _LEAST_WORDS and not is_stock(abstract)


def is_stock(abstract: str) -> bool:
    """Whether a folded abstract is a phrase that says nothing of its paper."""
    return bool(_STOCK.fullmatch(abstract)) and len(abstract.split()) <= _LONGEST_STOCK


def likeness(a: str, b: str) -> float:
    """How far two folded abstracts are one text, from 0 to 1.

    The containment of the shorter one's word shingles in the longer one (A. Broder, On the
    resemblance and containment of documents, 1997). A text that is the beginning of another
    gets 1; texts of under 20 words are alike only when equal.
    """
    if a == b:
        return 1.0
    short, long = sorted((a, b), key=lambda text: (len(text.split()), len(text), text))
    if len(short.split()) < _LEAST_WORDS:
        return 0.0
    if long.startswith(short):
        return 1.0
    shingles, others = runs(short), runs(long)
    shared = sum((shingles & others).values())
    return shared / max(1, sum(shingles.values()))


def runs(text: str) -> Counter[tuple[str, ...]]:
    """The runs of four words of a folded text, and how often each is there."""
    words = text.split()
    return Counter(tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1))
