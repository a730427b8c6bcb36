"""The extent of a concept: what of a noun phrase is its name.

Modifiers that only praise or count are left out in front, generic heads behind, as the
annotation guide has it ("a novel [contrastive loss]", "[Mirror Descent] algorithm").
"""

from __future__ import annotations

from collections.abc import Sequence

from kg.concepts import features
from kg.concepts.lexicon import log_odds, weights
from kg.concepts.phrases import NOUN_TAGS, Span, Word, is_name

_LONGEST = 10  # words; a longer run is a table or damage


def extent(words: Sequence[Word], span: Span) -> Span | None:
    """The concept's name within a run of words; None where it has no noun, or no end."""
    start, end = span
    while end > start and not _may_end(words, start, end):
        end -= 1
    first, last = weights("first_word"), weights("last_word")
    while end - start > 1 and log_odds(first, features.first_word(words, start, end)) > 0:
        start += 1
    while end - start > 1 and log_odds(last, features.last_word(words, start, end)) > 0:
        end -= 1
    return (start, end) if 0 < end - start <= _LONGEST else None


def _may_end(words: Sequence[Word], start: int, end: int) -> bool:
    text, tag = words[end - 1][:2]
    if tag in NOUN_TAGS or tag == "VBG" or is_name(text):
        return True
    return tag == "CD" and end - start > 1
