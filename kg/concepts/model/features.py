"""What the network sees of a token: rows of embedding tables and a few numbers.

Everything here is a pure function of the record's words; hashes are CRC-32, stable across
runs and machines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

AFFIX_ROWS = 3000  # rows of the prefix table and of the suffix table
SHAPE_ROWS = 400
NUMBERS = 5  # numeric features a token
SEPARATOR = "\n"  # the token between title and abstract

_DIGIT = re.compile(r"\d")
_MOST_CACHED = 200_000

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """One record of n tokens: (n, 4) rows of word, prefix, suffix, shape and (n, 5) numbers."""

    rows: Ints
    numbers: Floats


def normal(word: str) -> str:
    """The form under which a word has its vector: lower case, every digit a zero."""
    return _DIGIT.sub("0", word.lower())


def shape(word: str) -> str:
    """ "ResNet-50" → "XxXx-d": letter cases, digits and signs, runs joined."""
    out: list[str] = []
    for c in word[:24]:
        kind = "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c
        if not out or out[-1] != kind:
            out.append(kind)
    return "".join(out)


class Features:
    """Encodes records with a fixed vocabulary: `words[i]` has row i + 1, row 0 is unknown."""

    def __init__(self, words: Sequence[str]) -> None:
        self._row: Mapping[str, int] = {w: i + 1 for i, w in enumerate(words)}
        self._known: dict[str, tuple[str, int, int, int, int, float, float]] = {}

    def _word(self, word: str) -> tuple[str, int, int, int, int, float, float]:
        got = self._known.get(word)
        if got is None:
            if len(self._known) >= _MOST_CACHED:
                self._known.clear()
            form = normal(word)
            row = self._row.get(form, 0)
            upper = sum(c.isupper() for c in word) / max(len(word), 1)
            got = self._known[word] = (
                form,
                row,
                crc32(form[:3].encode("utf-8", "replace")) % AFFIX_ROWS,
                crc32(form[-3:].encode("utf-8", "replace")) % AFFIX_ROWS,
                crc32(shape(word).encode("utf-8", "replace")) % SHAPE_ROWS,
                float(np.log1p(row)) / 10 if row else 1.2,
                upper,
            )
        return got

    def encode(self, title: Sequence[str], abstract: Sequence[str]) -> Encoded:
        """The record title + separator + abstract; either part may be empty."""
        words = [self._word(w) for w in (*title, SEPARATOR, *abstract)]
        rows = np.array([w[1:5] for w in words], dtype=np.int32).reshape(-1, 4)
        count = Counter(w[0] for w in words)
        of_title = {w[0] for w in words[: len(title)] if w[0].isalnum()}
        numbers = np.array(
            [
                (
                    i < len(title),
                    w[0] in of_title,
                    min(count[w[0]], 8) / 8,
                    w[5],
                    w[6],
                )
                for i, w in enumerate(words)
            ],
            dtype=np.float32,
        ).reshape(-1, NUMBERS)
        return Encoded(rows, numbers)
