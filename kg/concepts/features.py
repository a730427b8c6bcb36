"""What is asked about a phrase: the features that lexicons give weights to.

Pure functions from words and a span to feature names. The first part of a feature's name
says what it looks at; words are in lower case, heads in the singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kg.concepts.names import singular
from kg.concepts.phrases import Word
from kg.concepts.words import words as word_list

_CONTEXT_WORDS = word_list("context")


@lru_cache(maxsize=65536)
def head(text: str) -> str:
    """A word in the form in which lexicons know it as a head."""
    return singular(text.lower())


def first_word(words: Sequence[Word], start: int, end: int) -> list[str]:
    """Whether the first word is left out: "a [novel] contrastive loss"."""
    one, two = words[start], words[start + 1]
    text = one.text.lower()
    hyphen = "-" if "-" in text else ""
    return [
        f"word {text}",
        f"pair {text} {two.text.lower()}",
        f"tags {one.tag} {two.tag} {min(3, end - start - 1)}",
        f"head {head(words[end - 1].text)}",
        f"case {_case(one)}{_case(two)}",
        f"end {text[-4:]}{hyphen}",
    ]


def last_word(words: Sequence[Word], start: int, end: int) -> list[str]:
    """Whether the last word is left out: "Mirror Descent [algorithm]"."""
    last, before = words[end - 1], words[end - 2]
    text, previous = head(last.text), before.text.lower()
    rest = min(2, end - 1 - start)
    return [
        f"word {text}",
        f"pair {previous} {text}",
        f"after {text} {before.tag} {rest}",
        f"tags {last.tag} {before.tag}",
        f"before {previous}",
        f"case {_case(last)}{_case(before)}{rest}",
    ]


def concept(words: Sequence[Word], start: int, end: int) -> list[str]:
    """Whether the phrase is a concept."""
    first, last, length = words[start], words[end - 1], end - start
    before = words[start - 1] if start else None
    context = "^"
    if before is not None:
        lower = before.text.lower()
        context = lower if lower in _CONTEXT_WORDS else before.tag
    if length == 1:
        shape = _shape(first.text)
        known = "known" if first.text.lower() in word_list("common") else "rare"
        return [
            f"one {shape}",
            f"only {head(first.text)}",
            f"one {shape} {known} {first.tag}",
            f"one after {context}",
        ]
    next_to_last = words[end - 2].text.lower()
    return [
        f"words {min(4, length)}",
        f"head {head(last.text)}",
        f"first {first.text.lower()}",
        f"tag {first.tag}",
        f"capitals {all(w.text[:1].isupper() for w in words[start:end])}",
        f"{'pair' if length == 2 else 'end'} {next_to_last} {head(last.text)}",
        f"after {context}",
    ]


def _case(word: Word) -> str:
    return "c" if word.text[:1].isupper() else "l"


def _shape(text: str) -> str:
    if text.islower():
        return "lower"
    return "title" if text[1:].islower() or len(text) == 1 else "mixed"


def kind(words: Sequence[Word], start: int, end: int) -> list[str]:
    """Which type the concept has."""
    last, length = words[end - 1], end - start
    text = " ".join(w.text.lower() for w in words[start : end - 1]) + " " + head(last.text)
    before = words[start - 1].text.lower() if start else "^"
    after = words[end].text.lower() if end < len(words) else "$"
    stem = head(last.text)
    return [
        f"text {text.strip()}",
        f"head {stem} {min(2, length)}",
        f"head {stem}",
        f"first {words[start].text.lower()}",
        f"before {before}",
        f"after {after}",
        f"end {stem[-4:]}",
        f"shape {_shape(last.text)} {min(2, length)}",
    ]
