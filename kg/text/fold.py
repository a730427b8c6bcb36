"""Folding of titles, abstracts and person names, for comparison only."""

from __future__ import annotations

import re
import unicodedata

from kg.text.plain import plain

# Letters that Unicode does not decompose, but that people write without their mark.
_BASE_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
        "ŧ": "t",
    }
)

_ASCII_WORDS = re.compile("[a-z0-9]+")

# Combining classes of marks that make another letter (nukta, kana voicing, virama) and of
# vowel signs (0): dropping these would unmake words of Indic scripts and of Japanese.
_LETTER_CLASSES = frozenset({0, 7, 8, 9})


def fold(text: str) -> str:
    """The words of a source text in lower case without accents, one space between them.

    TeX and HTML are read first (`kg.text.plain`); letters and digits of all scripts stay,
    everything else separates words. Two texts with one fold are one to a reader.
    """
    return fold_words(plain(text).text)


def fold_words(read: str) -> str:
    """The same of a text that is plain already."""
    if read.isascii():  # most texts, and much faster
        return " ".join(_ASCII_WORDS.findall(read.lower()))
    decomposed = unicodedata.normalize("NFKD", read.replace("ı", "i")).casefold()
    # Casefolding may compose or decompose anew (final sigma, dotted capital I).
    letters = unicodedata.normalize("NFKD", decomposed).translate(_BASE_LETTERS)
    kept = (
        c if c.isalnum() else "" if _is_accent(c) else c if _is_letter_mark(c) else " "
        for c in letters
    )
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def _is_accent(c: str) -> bool:
    return unicodedata.combining(c) not in _LETTER_CLASSES


def _is_letter_mark(c: str) -> bool:
    return unicodedata.category(c).startswith("M")
