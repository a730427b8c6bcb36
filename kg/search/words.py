"""Names as they are compared: whole, and word by word.

A whole name is compared without case and accents (`fold`), or more loosely without hyphens
and spaces too, a concept's in the singular (`bare`). Words go further: letters that people
write without their mark lose it, and everything but letters and digits parts them.
"""

from __future__ import annotations

import re
import unicodedata

from kg.text.fold import fold_words

MOST_WORDS = 12  # of what is searched for; more is cut off
LONGEST = 200  # characters of what is searched for

# Han, hiragana and katakana.
_UNSPACED = re.compile(
    "[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]+"
)
_JOINED = re.compile(r"[^\W_]+(?:['\u2019\u02bc\u2010\u2011-][^\W_]+)+")
_SEPARATORS = re.compile(r"[\s'\u2019\u02bc\u2010-\u2015-]+")


def fold(name: str) -> str:
    """A name without case, accents and doubled spaces."""
    if name.isascii():
        return " ".join(name.lower().split())
    parts = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())


def bare(name: str, kind: str) -> str:
    """A folded name without hyphens, apostrophes and spaces; a concept's in the singular."""
    name = _SEPARATORS.sub("", fold(name))
    return singular(name) if kind == "concept" else name


def words(text: str) -> list[str]:
    """The words of a name, or of what somebody searches for.

    Chinese and Japanese are written without spaces: of them every two characters on end are
    a word, and the last one alone, so that whatever stands inside a name is found.
    """
    found = fold_words(text)
    if not found.isascii():
        found = _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", found)
    return found.split()


def joined(name: str) -> list[str]:
    """Words of a name with an apostrophe or hyphens within, as they are written without."""
    name = unicodedata.normalize("NFC", name)  # an accent apart is no letter
    runs = [run for run in _JOINED.findall(name) if not _UNSPACED.search(run)]
    return [word for run in runs for word in words(_SEPARATORS.sub("", run))]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run))]


def asked(text: str) -> str:
    """What somebody searches for, without stray bytes and not longer than LONGEST."""
    return " ".join(text[:LONGEST].encode(errors="ignore").decode().replace("\0", " ").split())


def grams(word: str) -> set[str]:
    """What a word shares with its like: every three letters on end, and all letters together.

    There are marks at its ends; all letters, in their order, find those that changed places.
    """
    marked = f"^{word}$"
    return {marked[at : at + 3] for at in range(len(word))} | {together(word)}


def together(word: str) -> str:
    """All letters of a word in their own order, with a mark."""
    return f"={''.join(sorted(word))}"


def distance(word: str, other: str, most: int, whole: bool = True) -> int:
    """How many slips (a letter more, less, another, or two swapped) part two words.

    More than `most` is given as `most` + 1. Not `whole`: `word` is the start of `other`, as
    far as that is meant, and what follows there costs nothing.
    """
    if whole and abs(len(word) - len(other)) > most:
        return most + 1
    other = other[: len(word) + most]
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        last, row, older = row, [i], before
        for j, c in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != c))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == c:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        before = last
        if min(row) > most:
            return most + 1
    return min(row[-1] if whole else min(row), most + 1)


def singular(name: str) -> str:
    """A name without the ending of a regular plural."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 2:
        return name[:-1]
    return name
