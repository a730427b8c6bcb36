"""Titles, as far as they tell which paper is meant.

What differs between sources is taken away: case, accents, TeX, dashes, articles, and a note
in brackets such as "(extended abstract)". What tells papers apart stays: numbers, and every
other word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

from kg.text import fold, plain

Titles = Literal["equal", "variant", "alike", "unlike", "unknown"]

# Remarks that sources put beside a title, in brackets, and that are no part of it.
_NOTE = re.compile(
    r"^\s*(?:invited talk|keynote|panel|poster|demo|tutorial)\s*:\s+"
    r"|\s*[(\[]\s*(?:(?:extended|full|short|long|invited|keynote|industrial|research|panel|poster|"
    r"demo|demonstration|experience|position|tutorial|abstract|abstracts|talk|paper|version|"
    r"session|summary|only|preprint|technical|report|student|in|work|progress|and|book|review)"
    r"[\s,/-]*)+[)\]]",
    re.IGNORECASE,
)
_CUT = re.compile(r"(?:\.\.\.|\u2026)\s*$")
_ARTICLES = frozenset({"a", "an", "the"})
# Where a subtitle begins.
_SUBTITLE = re.compile(r":\s+|\s+[-\u2010-\u2015]+\s+|\s*[\u2014]\s*|\s*---?\s*|\?\s+|\.\s+")

# Words that titles of prefaces, columns and replies are made of. A title of nothing else, and
# one of two words, is shared by papers that have nothing to do with each other.
_STOCK_WORDS = """
    about abstract abstracts acknowledgement acknowledgements acknowledgment acknowledgments
    address an and announcement annual answer appendix article articles at author authors award
    awards biographies biography board book books by call chair chairs chapter closing column
    comment commentary comments committee committees concluding conclusion conclusions
    conference contents contributors correction corrections correspondence corrigenda
    corrigendum cover day dedication discussion editor editorial editorials editors errata
    erratum event events final first for foreword from front general guest highlights i ii iii
    in index information introduction introductory invited issue issues iv journal keynote
    keynotes last letter letters list matter meeting meetings memoriam message miscellaneous new
    news newsletter no note notes notice number obituary of on opening organization organizers
    our outline overview page panel paper papers part preamble preface preliminary proceedings
    program programme publication publications publisher publishers question questions readers
    recent rejoinder remark remarks reply report reports response retraction review reviewer
    reviewers reviewing reviews s second section selected series session sessions special
    steering summaries summary supplement supplementary symposium table talk thanks the theme
    third this title to track tribute tutorial tutorials us v vol volume volumes welcome with
    withdrawal withdrawn words work workshop workshops year
"""
_STOCK = frozenset(_STOCK_WORDS.split())
_TELLING_WORDS = 3
_CONTENT_WORDS = 2
# Scripts without spaces between words: so many letters are as good as three words.
_TELLING_LETTERS = 8
# Words that carry no subject, for the comparison of titles word by word.
_SMALL_WORDS = """
    and are as at be by can do does for from how in into is it its of on or our over some
    that their this to toward towards under using via we what when where which why with
"""
_SMALL = _ARTICLES | frozenset(_SMALL_WORDS.split())
_LEAST_TYPO = 5  # letters of a word that may be misspelt
_REST = 4  # words that stand beside a misspelt one, or that near titles have in common
_END = 2
_NEAR = 0.8  # the share of words in common (Dice) from which titles are near
_OTHER_WORDS = """
    comment comments corrigendum correction discussion erratum errata never no non not part
    rejoinder reply response survey tutorial without
"""
_OTHER = frozenset(_OTHER_WORDS.split())
# Prefixes of opposites that one wrong letter would turn into each other.
_OPPOSITES = (("macro", "micro"), ("micro", "macro"), ("ante", "anti"), ("anti", "ante"))
_AMERICAN = {"our": "or", "lling": "ling", "lled": "led", "ise": "ize", "isi": "izi", "isa": "iza"}
_BRITISH = re.compile("|".join(f"(?<=..){form}" for form in _AMERICAN))
_SHORT = 2  # letters of what is no word with a plural
_NUMERALS = frozenset({"i", "ii", "iii", "iv", "v", "vi", "one", "two", "three", "first", "second"})


# "C++" is not "C", and "A+B" is not "A-B", though they have the same letters.
_SIGNS = re.compile(r"\b[^\W\d_](?:\+\+|#|\*)(?!\w)|\b\w\s?\+\s?\w\b")


@dataclass(frozen=True, slots=True)
class Title:
    """A title as it is compared."""

    text: str  # the words of the folded title, articles and notes aside
    telling: bool  # whether it is enough to know a paper by
    cut: bool = False  # whether the source left its end out

    @property
    def words(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(self.text.split())

    @property
    def key(self) -> str:
        """The words without spaces: "data base" and "database" are one."""
        return self.text.replace(" ", "")


NO_TITLE = Title("", False)


def read_title(source: str) -> Title:
    """The title of a record; NO_TITLE for one without letters and digits."""
    folded = fold(_NOTE.sub("", source)) or fold(source)
    every = folded.split()
    words = [word for word in every if word not in _ARTICLES] or every
    cut = bool(_CUT.search(source))
    return Title(" ".join(words), is_telling(folded), cut) if words else NO_TITLE


def signs(source: str) -> frozenset[str]:
    """The names in a title that signs tell from others of the same letters."""
    found = _SIGNS.findall(unicodedata.normalize("NFKC", plain(source).text))
    return frozenset(name.replace(" ", "").casefold() for name in found)


def is_telling(folded: str) -> bool:
    """Whether a folded title is enough to know a paper by."""
    words = folded.split()
    if len(words) < _TELLING_WORDS:
        return any(len(word) >= _TELLING_LETTERS and not _spaced(word) for word in words)
    content = [word for word in words if word not in _STOCK and not word.isdecimal()]
    return len(content) >= _CONTENT_WORDS


def head(source: str) -> Title:
    """What stands before a subtitle; NO_TITLE where there is none or it tells too little."""
    parts = _SUBTITLE.split(_NOTE.sub("", source), maxsplit=1)
    if len(parts) < 2 or not fold(parts[1]):
        return NO_TITLE
    title = read_title(parts[0])
    return title if title.telling else NO_TITLE


def compare_titles(a: Title, b: Title) -> Titles:
    """How far two titles are one; "variant" is the same but for a misspelling."""
    if not a.key or not b.key:
        return "unknown"
    if a.key == b.key:
        return "equal"
    if misspelt(a, b):
        return "variant"
    content, others = set(content_words(a)), set(content_words(b))
    if _telling_words(content) != _telling_words(others):
        return "unlike"
    least = min(len(content), len(others))
    return "alike" if least and 2 * len(content & others) > least else "unlike"


def misspelt(a: Title, b: Title) -> bool:
    """Whether two titles differ in small words and at most one misspelt word.

    A word and its negation ("supervised", "unsupervised") begin with other letters, so the first
    letter must be right; numbers must be right too.
    """
    words, others = content_words(a), content_words(b)
    if len(words) != len(others) or len(words) < _REST:
        return False
    pairs = [(x, y) for x, y in zip(words, others, strict=True) if x != y]
    return not pairs or (len(pairs) == 1 and len(words) > _REST and _typo(*pairs[0]))


def near(a: Title, b: Title) -> bool:
    """Whether two titles have nearly all of their words in common, and all of their numbers.

    One whose end a source left out ("...") is near to a title that begins with it.
    """
    if a.cut != b.cut:
        short, long = (a, b) if a.cut else (b, a)
        return long.text.startswith(short.text) and len(content_words(short)) >= _REST
    words, others = set(content_words(a)), set(content_words(b))
    if _telling_words(words) != _telling_words(others):
        return False
    common = len(words & others)
    return common >= _REST and 2 * common >= _NEAR * (len(words) + len(others))


def ends(title: Title) -> tuple[str, str]:
    """What two titles that are nearly one have at least one of: how they begin, how they end."""
    words = content_words(title)
    return "^ " + " ".join(words[:_END]), "$ " + " ".join(words[-_END:])


def _telling_words(words: set[str]) -> set[str]:
    """The words that make a title that of another paper: numbers, "part", "erratum"."""
    return {w for w in words if any(map(str.isdigit, w)) or w in _NUMERALS or w in _OTHER}


def kin(a: Title, b: Title, known: Container[str] = frozenset()) -> bool:
    """Whether no word of one title stands in the place of another word of the other.

    "Upper" in the place of "lower" makes another paper; a plural, a misspelling or words that are
    missing do not. `known` has the words that more than one title has: two of these are two words
    and no misspelling ("causal", "casual").
    """
    words, others = content_words(a), content_words(b)
    if a.cut != b.cut:
        return True
    ours = [word for word in words if word not in others]
    theirs = [word for word in others if word not in words]
    if not ours or not theirs or "".join(ours) == "".join(theirs):
        return True
    return len(ours) == len(theirs) and all(
        _inflected(x, y) or (_typo(x, y) and not (x in known and y in known))
        for x, y in zip(ours, theirs, strict=True)
    )


def _inflected(x: str, y: str) -> bool:
    """Whether two words are one but for number or the spelling of a country."""
    x, y = (_BRITISH.sub(lambda m: _AMERICAN[m[0]], word) for word in (x, y))
    short, long = sorted((x, y), key=len)
    return x == y or (len(short) > _SHORT and long in (f"{short}s", f"{short}es"))


def _typo(x: str, y: str) -> bool:
    """Whether one letter of a word is wrong, missing or too much, or two change places."""
    if x[0] != y[0] or min(len(x), len(y)) < _LEAST_TYPO or not (x + y).isalpha():
        return False
    if any(x.startswith(p) and y.startswith(q) for p, q in _OPPOSITES):
        return False
    start = next((i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), len(x))
    x, y = x[start:], y[start:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or (x[1::-1] + x[2:] == y)


def content_words(title: Title) -> tuple[str, ...]:
    """The words of a title that carry its subject; all where none does."""
    return tuple(word for word in title.words if word not in _SMALL) or title.words


def _spaced(word: str) -> bool:
    """Whether a word is of a script that puts spaces between words."""
    return not any("\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" for c in word)
