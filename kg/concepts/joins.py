"""Concepts that are more than one noun phrase.

Three kinds, as in the annotation guide: fixed names around a preposition ("curse of
dimensionality"), conjuncts that share a head ("binary and decimal addition"), and phrases
that go on behind a bracket ("Chain-of-Thought (CoT) reasoning").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kg.concepts.extent import extent
from kg.concepts.features import head
from kg.concepts.phrases import NOUN_TAGS, Span, Word
from kg.concepts.words import words as word_list

_SHARING = frozenset({"JJ", "VBN"})


def fixed_names(words: Sequence[Word], phrases: Iterable[Span]) -> Iterator[Span]:
    """Phrases around "of" that the list of fixed names has, or that begin like one."""
    starts = dict(phrases)
    ends = {end: start for start, end in starts.items()}
    for i, word in enumerate(words[:-1]):
        if word.text.lower() not in ("of", "in") or i == 0:
            continue
        one = head(words[i - 1].text)
        end = starts.get(i + 1, i + 2)
        name = " ".join([one, word.text.lower(), *(w.text.lower() for w in words[i + 1 : end])])
        opens = i + 1 in starts and one in word_list("opening_heads") and word.text != "in"
        if opens or name in word_list("fixed_names"):
            yield ends.get(i, i - 1), end


def shared_heads(
    words: Sequence[Word], runs: Iterable[Span], phrases: Iterable[Span]
) -> Iterator[Span]:
    """An adjective alone, "and", and a phrase of adjective and noun."""
    starts = dict(phrases)
    for start, end in runs:
        phrase_end = starts.get(end + 1)
        if (
            phrase_end == end + 3
            and words[end].text.lower() in ("and", "or")
            and words[end + 1].tag in _SHARING
            and all(w.tag in _SHARING or w.tag == "RB" for w in words[start:end])
        ):
            yield end - 1, phrase_end


def behind_brackets(
    words: Sequence[Word], runs: Iterable[Span], definitions: Iterable[tuple[Span, Span]]
) -> Iterator[Span]:
    """Long form, short form in brackets, and a head behind that both need."""
    starts = dict(runs)
    for (long_start, long_end), (_, short_end) in definitions:
        behind = short_end + 1
        end = starts.get(behind)
        if end is None or words[behind].tag not in NOUN_TAGS | _SHARING:
            continue
        joined = [*words[long_start:long_end], *words[behind:end]]
        found = extent(joined, (0, len(joined)))
        if found and found[1] > long_end - long_start:
            yield long_start + found[0], behind + found[1] - (long_end - long_start)
