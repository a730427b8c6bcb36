"""What speaks for and against two records being of one paper.

The relations here are between two records alone; `kg.identity.papers` joins by them, and
`kg explain` shows them. See docs/identity.md for the rules in plain language.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kg.identity.names import is_east_asian
from kg.identity.titles import Title, Titles, compare_titles, head, kin, read_title, signs
from kg.identity.wordings import Abstracts, compare_abstracts, is_stock
from kg.model import Record
from kg.text import fold, plain

Authors = Literal["same", "shared", "unknown", "apart"]
Name = frozenset[str]  # the words of a folded name

# What sources write where they name no author.
_NOBODY_WORDS = """
    anonymous anonym anon unknown none various others collaboration et al editor editors na
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md", "dr", "prof", "msc", "bsc"})
_UMLAUT = re.compile("([aou])e")  # "Mueller" is "Müller", which folds to "muller"
_DIGITS = re.compile("[0-9]+")
_WORD = 2  # letters; a word of one letter is an initial
_YEARS = 1  # a preprint and its publication, or two sources that disagree
STRONG, WEAK = 2, 8

# What each finding counts for two records of one identifier; see `agree`.
_WEIGHTS: dict[str, dict[str, int]] = {
    "titles": {"equal": 2, "variant": 2, "alike": 1, "unknown": 0, "unlike": -1},
    "authors": {"same": 2, "shared": 1, "unknown": 0, "apart": -2},
    "abstracts": {"alike": 3, "akin": 3, "unknown": 0, "unlike": -2},
}


@dataclass(frozen=True, slots=True)
class Facts:
    """A record as it is compared."""

    record: Record
    title: Title
    head: Title
    authors: tuple[Name, ...]  # without those that are nobody
    whole: bool  # the authors are all of them: not just whose page it is, and no "et al."


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two records have in common and what not."""

    titles: Titles
    authors: Authors
    abstracts: Abstracts
    likeness: float  # of the abstracts
    years: int | None  # between them; None where one is not known
    two_in_source: bool  # one source has both, under two ids
    two_on_arxiv: bool  # they have two arXiv identifiers
    other_signs: bool  # one title has a "C++" or "A+B" that the other does not have

    @property
    def held_apart(self) -> bool:
        """Whether a source speaks for two papers; twice the same, as far as it says, does not."""
        twice = self.authors in ("same", "unknown") and not self.years
        return self.two_on_arxiv or (self.two_in_source and not twice)


def facts(record: Record) -> Facts:
    """What a record is compared by, its abstract aside."""
    names = record.authors or ((record.source.author,) if record.source.author else ())
    authors = tuple(name for name in map(_name, names) if name and not name <= _NOBODY)
    title = read_title(record.title)
    whole = bool(record.authors) and not record.more_authors and len(authors) == len(names)
    return Facts(record, title, head(record.title), authors, whole)


@lru_cache(4096)
def folded_abstract(abstract: str) -> str:
    """The folded abstract; the text itself where it has no letters or digits."""
    return fold(abstract) or " ".join(abstract.split())


@lru_cache(65536)
def _name(name: str) -> Name:
    folded = fold(name)
    if is_east_asian(folded):  # with or without a space in it
        return frozenset({folded.replace(" ", "")})
    words = frozenset(_UMLAUT.sub(r"\1", folded).split())
    return words - _SUFFIXES or words


def compare(a: Facts, b: Facts) -> Comparison:
    """Everything that can be said of two records as one paper."""
    abstracts, alike = compare_abstracts(
        folded_abstract(a.record.abstract), folded_abstract(b.record.abstract)
    )
    years = (
        abs(a.record.year - b.record.year)
        if a.record.year is not None and b.record.year is not None
        else None
    )
    one, other = a.record, b.record
    return Comparison(
        compare_titles(a.title, b.title),
        compare_authors(a, b),
        abstracts,
        alike,
        years,
        one.source == other.source and bool(one.id and other.id) and one.id != other.id,
        bool(one.arxiv and other.arxiv) and one.arxiv != other.arxiv,
        one.title != other.title and signs(one.title) != signs(other.title),
    )


def compare_authors(a: Facts, b: Facts) -> Authors:
    """How far two records have the same authors.

    Whose page a record stands on is one of its authors; two such pages say nothing against
    each other.
    """
    if not a.authors or not b.authors:
        return "unknown"
    found = _matches(a.authors, b.authors)
    least, most = sorted((len(a.authors), len(b.authors)))
    # Lists are cut short: two names that are all of one and stand in the other are enough.
    both = bool(a.record.authors and b.record.authors)
    if both and found == least and (found > 1 or (found == most and a.whole and b.whole)):
        return "same"
    if found:
        return "shared"
    if not (a.whole or b.whole):
        return "unknown"
    # A common word, as of a name that one source garbles, is no proof and no contradiction.
    words = _words(a.authors) & _words(b.authors)
    return "unknown" if words else "apart"


def _words(names: Iterable[Name]) -> set[str]:
    return {word for name in names for word in name if len(word) > _WORD}


def _matches(names: Sequence[Name], others: Sequence[Name]) -> int:
    """How many names have a partner among the others, each of which is used once.

    First those that are equal; of the rest as many as can be (augmenting paths: H. Kuhn, The
    Hungarian method for the assignment problem, 1955), so that either way round it is the same.
    """
    mine, theirs = Counter(names), Counter(others)
    equal = mine & theirs
    rest = list((theirs - equal).elements())
    having: dict[str, list[int]] = defaultdict(list)
    for j, name in enumerate(rest):
        for word in name:
            having[word].append(j)
    options = [
        sorted({j for word in name for j in having.get(word, ()) if compatible(name, rest[j])})
        for name in (mine - equal).elements()
    ]
    return equal.total() + _most_pairs(options)


def _most_pairs(options: Sequence[Sequence[int]]) -> int:
    """How many of these can have one of their options each, and none the same."""
    taken: dict[int, int] = {}  # option -> who has it
    has: dict[int, int] = {}
    return sum(_placed(i, options, taken, has) for i in range(len(options)))


def _placed(
    start: int, options: Sequence[Sequence[int]], taken: dict[int, int], has: dict[int, int]
) -> bool:
    """Find an option for one, if need be by giving others another of theirs."""
    came: dict[int, int] = {}  # who wants each of those looked at
    ahead = [start]
    for i in ahead:
        for j in options[i]:
            if j in came:
                continue
            came[j] = i
            if j in taken:
                ahead.append(taken[j])
                continue
            while True:
                i = came[j]
                before = has.get(i, j)
                taken[j], has[i] = i, j
                if i == start:
                    return True
                j = before
    return False


def compatible(a: Name, b: Name) -> bool:
    """Whether two names may be of one person: a word in common, and the others' initials.

    "Jon Kleinberg", "J. M. Kleinberg" and "Kleinberg, Jonathan" are; "Wei Wang" and "Yang
    Wang" are not.
    """
    common = a & b
    if not any(len(word) >= _WORD for word in common):
        return False
    rest, others = sorted((a - common, b - common), key=len)
    initials = [word[0] for word in others]
    for word in rest:
        if word[0] not in initials:
            return False
        initials.remove(word[0])
    return True


def agree(a: Facts, b: Facts, sure: bool) -> bool:
    """Whether two records of one identifier may be one paper: nothing outweighs it.

    `sure` is an arXiv identifier; a DOI may be that of the volume, or of another paper.
    """
    found = compare(a, b)
    weight = (
        _WEIGHTS["titles"][found.titles]
        + _WEIGHTS["authors"][found.authors]
        + _WEIGHTS["abstracts"][found.abstracts]
    )
    return weight + sure >= 0


def same_title(a: Facts, b: Facts) -> tuple[int | None, str]:
    """How strongly two records of one title are one paper, and why, or why not.

    The lower the number the stronger; None where they are not, and 0 where they must stay apart.
    """
    found = compare(a, b)
    near = found.years is None or found.years <= _YEARS
    strange = found.authors == "apart" and (found.two_on_arxiv or not a.title.telling)
    if found.abstracts == "alike" and not strange:
        return STRONG, "the abstracts are one text"
    if found.authors == "apart":
        return 0, "no author in common"
    if found.other_signs:
        return 0, "a sign in one title tells them apart"
    if found.abstracts == "akin" and a.title.telling:
        return STRONG + 2, "the abstracts are versions of one text"
    if found.held_apart:
        return 0, "a source has both, each by itself"
    if not a.title.telling:
        return _generic(a, b, found)
    if found.authors == "same" and (found.years or 0) == 0:
        return STRONG + 1, "the same authors"
    if found.abstracts == "unlike" and found.authors != "same":
        return 0, "the abstracts differ"
    if found.authors == "shared" and (found.years or 0) == 0:
        return STRONG + 2, "authors in common"
    if found.authors == "same" and near:
        return STRONG + 3, "the same authors, a year apart"
    if found.authors == "unknown" and near:
        return STRONG + 4, "nothing speaks against it"
    return None, "the years are too far apart"


def _generic(a: Facts, b: Facts, found: Comparison) -> tuple[int | None, str]:
    """Two records of a title that many papers have."""
    if found.two_in_source or _of_one_list(a.record.id, b.record.id):
        return 0, "a source has both, each by itself"
    alike = found.abstracts == "unknown" and letters(a.record) == letters(b.record)
    if alike and found.authors == "same" and found.years == 0:
        return STRONG + 3, "the same authors and year"
    if alike and a.record.id and a.record.raw == b.record.raw:
        return STRONG + 3, "the same record in two files"
    return (0 if found.abstracts == "unlike" else None), "a title that many papers have"


def _of_one_list(a: str, b: str) -> bool:
    """Whether two ids differ in their numbers alone ("c1", "c2"), as those of one list do."""
    shape, other = (_DIGITS.sub("0", name) for name in (a, b))
    return a != b and shape == other and any(map(str.isalpha, shape))


def same_text(a: Facts, b: Facts) -> float:
    """How far two records, at least one of them without a title, are one text; 0 for not."""
    found = compare(a, b)
    one, other = folded_abstract(a.record.abstract), folded_abstract(b.record.abstract)
    if found.authors == "apart" or found.two_on_arxiv or is_stock(one):
        return 0.0
    # Two that say nothing else are one where they say the same, however little.
    if found.abstracts == "alike" or (one == other and not (a.title.key or b.title.key)):
        return 1.0 if one == other else found.likeness
    return 0.0


def letters(record: Record) -> str:
    """A title as it stands but for case and spaces: "C++" is not "C"."""
    return " ".join(plain(record.title).text.casefold().split())


def may_be_reworded(found: Facts) -> bool:
    """Whether a record is compared with those of nearly its title."""
    return found.title.telling and bool(found.authors or found.record.abstract)


def other_title(a: Facts, b: Facts, known: Container[str] = frozenset()) -> tuple[int | None, str]:
    """The same of two records whose titles are one but for a subtitle, or nearly one.

    `known` has the words that more than one title has.
    """
    found = compare(a, b)
    if found.abstracts == "alike" and found.authors != "apart":
        return WEAK, "the abstracts are one text"
    if found.two_in_source or found.two_on_arxiv:
        return 0, "a source has both, each by itself"
    if found.other_signs:
        return 0, "a sign in one title tells them apart"
    if found.authors == "apart":
        return None, "no author in common"
    subtitle = a.title.key == b.head.key or b.title.key == a.head.key
    if not subtitle and not kin(a.title, b.title, known):
        return None, "another word stands in the title"
    # Of one author there may well be two papers in a year with nearly one title.
    sure = found.titles == "variant" or min(len(a.authors), len(b.authors)) > 1
    if found.authors == "same" and not found.years and found.abstracts != "unlike" and sure:
        return WEAK + (found.titles != "variant"), "the same authors and year"
    return None, "too little speaks for it"
