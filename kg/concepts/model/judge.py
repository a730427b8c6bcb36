"""What a record's mentions of one concept say together: its type, salience, novelty."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model.network import Found

FEATURES = 18
_COINING = re.compile(
    r"propos(?:e|es|ed)|introduc(?:e|es|ed|ing)|present(?:s|ed|ing)?|develops?|call(?:ed)?"
    r"|named?|dub(?:bed)?|term(?:ed)?|coin|release|design|devise"
)


def describe(
    words: Sequence[str], titles: int, mentions: Sequence[Found], concepts: int
) -> NDArray[np.float64]:
    """(18,) features of a concept with these mentions, in text order, none empty.

    `words` are title, separator and abstract, `titles` how many stand before the separator,
    `concepts` how many concepts the record has.
    """
    n = len(words)
    salient = [m.scores[5] for m in mentions]
    coined = [m.scores[6] for m in mentions]
    first, last = mentions[0].start, mentions[-1].start
    cue = max(_cue(words, m.start) for m in mentions)
    early = titles + 1 + (n - titles) * 0.2
    return np.array(
        (
            max(salient),
            sum(salient) / len(salient),
            salient[0],
            max(coined),
            sum(coined) / len(coined),
            coined[0],
            math.log1p(len(mentions)),
            len(mentions) == 1,
            len(mentions) / concepts,
            math.log1p(concepts),
            any(m.end <= titles for m in mentions),
            titles == 0,
            first / n,
            last / n,
            any(titles < m.start < early for m in mentions),
            cue == 1,
            cue == 2,
            max(m.probability for m in mentions),
        ),
        dtype=np.float64,
    )


def type_of(mentions: Sequence[Found]) -> int:
    """Index of the type that the mentions speak for together (of CONCEPT_TYPES)."""
    return int(np.argmax(np.mean([m.scores[:5] for m in mentions], axis=0)))


def _cue(words: Sequence[str], start: int) -> int:
    """2 behind "we propose" and the like, 1 behind "we" or a word of coining alone."""
    near = [w.lower() for w in words[max(0, start - 5) : start]]
    wide = [w.lower() for w in words[max(0, start - 8) : start]]
    coining = any(_COINING.fullmatch(w) for w in near)
    if "we" in wide or "paper" in near:
        return 1 + coining
    return int(coining)
