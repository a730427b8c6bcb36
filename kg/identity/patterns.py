"""Which concepts a text calls kinds of which: "attention heads such as induction heads".

The patterns are those of M. A. Hearst, "Automatic acquisition of hyponyms from large text
corpora", COLING 1992, read between mentions: what stands between two of them has to be the
pattern and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg.model import Mention, Text

_ARTICLE = r"(?:(?:the|a|an)\s+)?"
_QUOTE = "[\"“”'‘’`]*"
# "generative models such as GANs": the broader one first.
_SUCH_AS = re.compile(
    r"\s*(?:,\s*|\(\s*)?(?:such as|including|e\.\s?g\.,?|for example,?)\s+" + _ARTICLE
)
# "a task called word sense disambiguation": one narrower one follows.
_CALLED = re.compile(
    rf"\s+(?:called|named|dubbed|termed|known as|(?:that|which) we call)\s+{_ARTICLE}{_QUOTE}"
)
# "GANs, VAEs and other generative models": the broader one last.
_AND_OTHER = re.compile(r"\s*,?\s*(?:and|or)\s+(?:many\s+|several\s+|various\s+)?other\s+")
_KIND_OF = re.compile(
    r"\s*,?\s*(?:(?:is|are)\s+)?(?:a|an|one)\s+(?:\w+\s+)?"
    r"(?:type|kind|form|class|family|variant|instance|special case|subclass|subset)\s+of\s+"
    + _ARTICLE
)
_ALSO = re.compile(rf"\s*\)?\s*(?:,|;|,?\s*(?:and|or|as well as))\s+{_ARTICLE}")
_BRACKET = re.compile(r"\s*\(\s*")
# Before a broader name in the singular: "a method for image classification called X".
_PREPOSITION = re.compile(
    r"\b(?:of|in|for|to|with|on|at|under|from|by|via|over|between|using|through)\s+"
    r"(?:(?:the|a|an|this|these|our|its|their)\s+)?$"
)
_NOT_PLURAL = ("ss", "us", "is")

Places = Sequence[tuple[Mention, str]]


def kinds(text: Text) -> Iterator[tuple[str, str]]:
    """Pairs of keys of names, the narrower and the broader one, as the text has them."""
    places = text.mentions
    for i, (mention, _) in enumerate(places[:-1]):
        gap = text.text[mention.end : places[i + 1][0].start]
        if _SUCH_AS.fullmatch(gap):
            if _is_plural(mention.text):
                last = _end_of_list(text, places, i + 1, in_bracket="(" in gap)
                yield from _pairs(places[i + 1 : last + 1], places[i][1])
        elif _CALLED.fullmatch(gap):
            if _is_whole(text, mention):
                yield from _pairs(places[i + 1 : i + 2], places[i][1])
        elif _AND_OTHER.fullmatch(gap):
            if _is_plural(places[i + 1][0].text):
                first = _start_of_list(text, places, i)
                yield from _pairs(places[first : i + 1], places[i + 1][1])
        elif _KIND_OF.fullmatch(gap):
            yield from _pairs(places[i : i + 1], places[i + 1][1])


def _pairs(narrower: Places, broader: str) -> Iterator[tuple[str, str]]:
    for _, key in narrower:
        if key != broader:
            yield key, broader


def _is_whole(text: Text, mention: Mention) -> bool:
    """Whether a mention before "called" is what is called so, and not a part of its name."""
    before = text.text[: mention.start]
    return _is_plural(mention.text) or not _PREPOSITION.search(before)


def _end_of_list(text: Text, places: Places, i: int, in_bracket: bool) -> int:
    """The last mention of the list that begins with the i-th, within the bracket it is in."""
    depth = 0
    while i + 1 < len(places) and (change := _step(text, places, i)) is not None:
        depth += change
        if depth < 0 and in_bracket:
            break
        i += 1
    return i


def _start_of_list(text: Text, places: Places, i: int) -> int:
    while i > 0 and _step(text, places, i - 1) is not None:
        i -= 1
    return i


def _step(text: Text, places: Places, i: int) -> int | None:
    """How many brackets open to the next mention, if it belongs to a list with the i-th.

    A short form in a bracket belongs to it.
    """
    gap = text.text[places[i][0].end : places[i + 1][0].start]
    if _BRACKET.fullmatch(gap):
        return 1 if places[i][1] == places[i + 1][1] else None
    return -gap.count(")") if _ALSO.fullmatch(gap) else None


def _is_plural(words: str) -> bool:
    lower = words.lower()
    return lower.endswith("s") and not lower.endswith(_NOT_PLURAL)
