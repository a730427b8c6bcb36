"""Names of people: how they are written, what they are compared by, whether two may be one.

Given and family names are told apart with the package nameparser, which knows the particles of
family names ("van der Berg") and the order of names in Chinese, Japanese and Korean script.
Most names have no particle and are read here; that is much faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kg.text import fold, plain

if TYPE_CHECKING:
    from nameparser import Parser

# What follows a name and tells its bearer from a relative.
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "junior", "senior"})
_DEGREES = frozenset({"phd", "ph d", "md", "m d", "dr", "msc", "bsc", "esq", "mba"})
_UNMISTAKABLE = frozenset({"phd", "ph d", "msc", "bsc"})  # "Md" and "Esq" are names, too
_TITLES = frozenset({"dr", "prof", "professor"})
_BASES = dict(zip("äöüøÄÖÜØ", "aouoAOUO", strict=True))
_UMLAUTS = re.compile(f"[{''.join(_BASES)}]")
_INITIALS = re.compile("[B-DF-HJ-NP-TV-XZ]{2,3}")  # no vowel: "JP" are two, "LI" is a name
_PLAIN = re.compile(r"[A-Za-z .'-]*")  # no TeX, no accents
_ASCII_WORDS = re.compile("[a-z]+")
_EAST_ASIAN = re.compile(r"CJK|HANGUL|HIRAGANA|KATAKANA")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in its parts; the words of the parts are folded."""

    display: str  # as one reads it: "Jan van der Berg"
    key: str  # what it is compared by: "jan van der berg"
    given: tuple[str, ...]  # ("jan",); initials are words of one letter
    family: tuple[str, ...]  # ("van", "der", "berg")
    suffix: str = ""  # "jr"
    is_full: bool = False  # a given name and the family name are written out, not as initials

    @property
    def is_one_word(self) -> bool:
        """Whether this is only a given or only a family name: "Björk"."""
        return not self.given and not is_east_asian(self.key)


class Names(dict[str, PersonName]):
    """Names by how a source writes them, each read once."""

    def __missing__(self, name: str) -> PersonName:
        self[name] = found = read(name)
        return found


def read(name: str) -> PersonName:
    """Read a name as a source writes it, TeX and all, "First Last" or "Last, First"."""
    readable = " ".join(name.split())
    if not _PLAIN.fullmatch(readable):
        readable = " ".join(plain(name).text.split()) or readable
        readable = unicodedata.normalize("NFC", readable)
    display, family, suffix = _by_commas(readable) if "," in readable else (readable, None, "")
    if family is None:
        words = display.split() or [display]
        while len(words) > 2 and _fold(words[0]) in _TITLES:
            del words[0]
        while len(words) > 2 and _fold(words[-1]) in _UNMISTAKABLE:
            del words[-1]
        if len(words) > 2 and _fold(words[-1]) in _SUFFIXES:
            suffix = _fold(words.pop())
        given, family = _parted(words)
        display = " ".join(words)
    else:
        given, display = display, f"{display} {family}"
    key = _fold(display)
    if is_east_asian(key):
        key = key.replace(" ", "")
    if suffix:
        key, display = f"{key} {suffix}", f"{display} {_written(suffix)}"
    givens = _words(given, all_capitals=readable.isupper())
    names = tuple(_fold(family).split())
    full = _are_written_out(givens) if givens else is_east_asian(key)
    full = full and _are_written_out(names)
    return PersonName(display, key or display.casefold(), givens, names, suffix, full)


def agree(a: PersonName, b: PersonName) -> bool:
    """Whether two names on one paper may be two spellings of one person's name.

    They may where the family names are the same and the given names do not contradict each
    other: an initial stands for a name, a middle name may be missing. They may too where one is
    the other with the family name first ("Li Ming", "Ming Li").
    """
    if a.suffix and b.suffix and a.suffix != b.suffix:
        return False
    if a.key == b.key:
        return True
    if not a.given or not b.given or not a.family or not b.family:
        return False
    return any(
        _same_order(x, y) or _turned(x, y) for x, y in ((a, b), (_with_e(a), b), (a, _with_e(b)))
    )


def rivals(a: PersonName, b: PersonName) -> bool:
    """Whether two names are those of two people of one family name: "John Smith", "Jane Smith".

    Both are written out, and no given name of one is one of the other, in full or as an initial.
    """
    if not (a.is_full and b.is_full and a.given and b.given) or agree(a, b):
        return False
    if _joined(a.family) != _joined(b.family):  # somebody may have taken another name
        return False
    return not any(_stands_for(word, other) for word in a.given for other in b.given)


def _with_e(name: PersonName) -> PersonName:
    """A name with "ü" as "ue": "Jürgen Müller" is "Juergen Mueller"."""
    if name.display.isascii() or not _UMLAUTS.search(name.display):
        return name
    return read(_UMLAUTS.sub(lambda m: f"{_BASES[m[0]]}e", name.display))


def _same_order(a: PersonName, b: PersonName) -> bool:
    if _joined(a.family) == _joined(b.family):
        return _givens_agree(a.given, b.given)
    # A second family name that the other leaves out, or takes for a middle name.
    family = min(a.family, b.family, key=len)
    rests = []
    for words in ((*a.given, *a.family), (*b.given, *b.family)):
        if words[-len(family) :] != family:
            return False
        rests.append(words[: -len(family)])
    return all(rests) and _givens_agree(rests[0], rests[1])


def _givens_agree(a: Sequence[str], b: Sequence[str]) -> bool:
    if _joined(a) == _joined(b):
        return True
    short, long = sorted((a, b), key=len)
    if not _stands_for(short[0], long[0]):
        return False
    following = iter(long[1:])
    return all(any(_stands_for(word, other) for other in following) for word in short[1:])


def _stands_for(a: str, b: str) -> bool:
    return a == b or (a[:1] == b[:1] and 1 in (len(a), len(b)))


def _turned(a: PersonName, b: PersonName) -> bool:
    words, others = (*a.given, *a.family), (*b.given, *b.family)
    if any(len(word) == 1 for word in (*words, *others)):
        return False
    # Where the family name stands first, what was read as family name is the end of the given.
    return any(
        _joined(x[:i]) == _joined(y.family) and _joined(x[i:]) == _joined(y.given)
        for x, y in ((words, b), (others, a))
        for i in range(1, len(x))
    )


def _by_commas(name: str) -> tuple[str, str | None, str]:
    """The name, or its given and family names where a comma parts them, and its suffix."""
    suffix = ""
    parts = []
    for i, part in enumerate(part.strip() for part in name.split(",")):
        folded = _fold(part)
        if i and folded in _SUFFIXES:
            suffix = folded
        elif part and not (i and folded in _DEGREES):
            parts.append(part)
    if len(parts) == 2 and all(_fold(part) for part in parts):
        return parts[1], parts[0], suffix
    return (", ".join(parts) or name), None, suffix


def _parted(words: Sequence[str]) -> tuple[str, str]:
    """Given and family names of a name without commas."""
    plainly = all(word[:1].isupper() and word[:1].isascii() for word in words)
    if plainly and not any(word.lower() in _particles() for word in words[1:-1]):
        return " ".join(words[:-1]), words[-1]
    parsed = _parser().parse(" ".join(words))
    given = f"{parsed.given} {parsed.middle}".strip()
    if parsed.family and given and not (parsed.suffix or parsed.title or parsed.nickname):
        return given, parsed.family
    return " ".join(words[:-1]), words[-1]


@cache
def _parser() -> Parser:
    from nameparser import Lexicon, Parser

    default = Lexicon.default()
    # No titles and degrees: "King Sun", "Baron Schwartz" and "Jin MA" are names of authors.
    return Parser(
        Lexicon(
            particles=default.particles,
            particles_ambiguous=default.particles_ambiguous,
            bound_given_names=default.bound_given_names,
            surnames=default.surnames,
        )
    )


@cache
def _particles() -> frozenset[str]:
    from nameparser import Lexicon

    return Lexicon.default().particles


def _words(given: str, all_capitals: bool) -> tuple[str, ...]:
    """The folded words of given names; initials written as one word ("JP") are parted."""
    if all_capitals or not _INITIALS.search(given):
        return tuple(_fold(given).split())
    words: list[str] = []
    for word in re.split(r"[-. ]+", given):
        words += word.lower() if _INITIALS.fullmatch(word) else _fold(word).split()
    return tuple(words)


def _fold(text: str) -> str:
    """As `kg.text.fold`; quicker for what is nearly every name."""
    return " ".join(_ASCII_WORDS.findall(text.lower())) if _PLAIN.fullmatch(text) else fold(text)


def _written(suffix: str) -> str:
    return suffix.upper() if set(suffix) <= set("iv") else f"{suffix.capitalize()}."


def _joined(words: Sequence[str]) -> str:
    return "".join(words)


def _are_written_out(words: Sequence[str]) -> bool:
    return any(len(word) > 1 or is_east_asian(word) for word in words)


def is_east_asian(text: str) -> bool:
    """Whether a text is in Chinese, Japanese or Korean script."""
    if text.isascii():
        return False
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and all(
        ord(c) > 0x10FF and bool(_EAST_ASIAN.match(unicodedata.name(c, ""))) for c in letters
    )
