"""Noun phrases: unbroken runs of nouns, proper names and what may stand before them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})
_ADJECTIVE_TAGS = frozenset({"JJ", "JJR", "JJS", "AFX"})
_PARTICIPLE_TAGS = frozenset({"VBN", "VBG", "VBD"})
_ATTRIBUTES = frozenset({"amod", "compound", "nmod"})
# What a gerund is when it is no noun ("we study learning" against "by learning a policy").
_VERBAL = frozenset({"ROOT", "aux", "advcl", "acl", "xcomp", "ccomp", "relcl", "conj", "pcomp"})
# Words of scripts that the base model does not know; single Greek letters are signs.
_FOREIGN = re.compile(
    "[\u0400-\u1cff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufdff]|[\u0370-\u03ff\u1f00-\u1fff]{4}"
)
_LONGEST_WORD = 60
_AMOUNT = re.compile(r"[\d.,]*\d(?:[x×kKMBT%]|st|nd|rd|th|GB|MB|s)?")
_VERSION = re.compile(r"\d+(?:\.\d+)?[A-Za-z]{0,2}|[IVX]+")
_ADDRESS = re.compile(r"https?:|www\.|@[\w-]+\.|\.(?:com|org|edu|net|io)\b|/.*/", re.IGNORECASE)


class Word(NamedTuple):
    """A token: its text, its Penn tag, its relation to the token at index `head`."""

    text: str
    tag: str
    dep: str
    head: int


Span = tuple[int, int]  # token indexes, end exclusive


def words_of(doc: Doc) -> list[Word]:
    """The tokens of a parsed document; kept with it, as reading tokens is slow."""
    words: list[Word] | None = doc.user_data.get("kg_words")
    if words is None:
        words = [Word(t.text, t.tag_, t.dep_, t.head.i) for t in doc]
        doc.user_data["kg_words"] = words
    return words


def runs(words: Sequence[Word]) -> list[Span]:
    """The longest runs of words that may be a noun phrase, in order, without overlap."""
    found: list[Span] = []
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and _belongs(words, end, start):
            end += 1
        if end > start:
            found.append((start, end))
        start = max(end, start + 1)
    return found


def _belongs(words: Sequence[Word], i: int, start: int) -> bool:
    text, tag, dep, head = words[i]
    if not any(map(str.isalnum, text)) or len(text) > _LONGEST_WORD:
        return False
    if _ADDRESS.search(text) or _FOREIGN.search(text):
        return False
    if _AMOUNT.fullmatch(text) and (i == start or not _VERSION.fullmatch(text)):
        return False
    if tag in NOUN_TAGS or tag in _ADJECTIVE_TAGS or is_name(text):
        return True
    if tag in _PARTICIPLE_TAGS:
        attribute = dep in _ATTRIBUTES and head > i
        noun = tag == "VBG" and dep not in _VERBAL
        return attribute or noun or "-" in text[1:-1]
    if tag == "CD":
        after_name = i > start and words[i - 1].tag in ("NNP", "NN")
        return (after_name and _VERSION.fullmatch(text) is not None) or (
            "-" in text and any(map(str.isalpha, text))
        )
    if tag == "RB":
        following = words[i + 1] if i + 1 < len(words) else None
        return (
            following is not None
            and following.tag in ("JJ", "VBN")
            and following.dep == "amod"
            and text.endswith("ly")
        )
    return False


def is_name(text: str) -> bool:
    """Whether a word is written as a name, whatever it is taken for: "ImageNet-1k", "GPT-5"."""
    capitals = sum(map(str.isupper, text))
    return capitals > 1 or (capitals == 1 and len(text) > 2 and any(map(str.isdigit, text)))
