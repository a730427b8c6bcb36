"""Which names of concepts are one: spellings of one name, and short forms with their long ones.

The figures were measured on 20,000 abstracts of papers on machine learning.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

# "fine-tuning" and "finetuning", "MS-COCO" and "MSCOCO". Of 1,706 pairs of names with the same
# letters 1,574 have the same capitals as well; of 60 of these read by hand all are one name. With
# other capitals one may be the name of something ("video clip", "VideoCLIP"): a person decides.
_LEAST_LETTERS = 5

# A short form means the same where no paper defines it as where papers do if four of five of
# them, and at least three, agree. Where three or four papers agree, 80 % of further papers that
# define it do so too; from five on 94 %; where one paper alone defines it, 39 %, and where they do
# not agree, 47 %.
CLEAR_MAJORITY = 0.8
LEAST_DEFINITIONS = 3


class Pair(NamedTuple):
    """Two keys of names that are one concept, or may be."""

    a: str
    b: str
    letters: str  # what both are without spaces


Labels = Callable[[str], Iterable[str]]  # those of a key


def spellings(keys: Iterable[str], labels_of: Labels) -> Iterator[Pair]:
    """Pairs of keys that are one name written apart and together."""
    yield from (pair for pair, sure in _spellings(keys, labels_of) if sure)


def doubtful_spellings(keys: Iterable[str], labels_of: Labels) -> Iterator[Pair]:
    """Pairs of keys that may be one name, with other capitals or too short to be sure."""
    yield from (pair for pair, sure in _spellings(keys, labels_of) if not sure)


def _spellings(every: Iterable[str], labels_of: Labels) -> Iterator[tuple[Pair, bool]]:
    for letters, group in groupby(sorted(every, key=_letters), _letters):
        keys = sorted(group)
        if len(keys) == 1:
            continue
        first = keys[0]
        shapes = {key: {_shape(label) for label in labels_of(key)} for key in keys}
        for key in keys[1:]:
            # With the first that it is sure to be one with.
            match = next((k for k in keys if k < key and _are_one(k, key, shapes)), None)
            yield Pair(match or first, key, letters), match is not None


def _letters(key: str) -> str:
    return key.replace(" ", "")


def _are_one(a: str, b: str, shapes: Mapping[str, set[str]]) -> bool:
    letters = _letters(a)
    return (
        len(letters) >= _LEAST_LETTERS
        and not shapes[a].isdisjoint(shapes[b])
        and not any(letters[i - 1].isdigit() and letters[i].isdigit() for i in _gaps(a) ^ _gaps(b))
    )


def _gaps(key: str) -> set[int]:
    """The places among the letters of a key where its words part."""
    gaps, at = set(), 0
    for word in key.split(" "):
        at += len(word)
        gaps.add(at)
    return gaps - {at}


def _shape(label: str) -> str:
    """The letters of a label with their capitals, that of the first word aside."""
    letters = label.replace(" ", "").replace("-", "")
    return letters[:1].casefold() + letters[1:]


def short_forms(
    definitions: Mapping[str, Mapping[str, int]],
    used: Collection[str],
    one: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """The short forms in use that mean one long form where no paper defines them, each with it.

    `definitions` has for each short form the numbers of papers that define it as a long form;
    `one` gives the spellings of a name one key.
    """
    for short in sorted(definitions.keys() & used):
        votes: Counter[str] = Counter()
        spelled: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for long, number in definitions[short].items():
            votes[one.get(long, long)] += number
            spelled[one.get(long, long)].append((-number, long))
        name, number = min(votes.items(), key=lambda item: (-item[1], item[0]))
        agreed = number >= LEAST_DEFINITIONS and number >= CLEAR_MAJORITY * votes.total()
        if agreed and name != one.get(short, short):
            yield short, min(spelled[name])[1]
