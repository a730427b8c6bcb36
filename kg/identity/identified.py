"""Which of many records of one identifier are one paper.

An identifier that hundreds of records have is that of a volume, or wrong, and to compare each with
each takes too long. Two records agree (`kg.identity.evidence.agree`) only where they share words
of their titles, abstracts or authors, or where both say so little that nothing can speak against
it. What they must share is found by the prefix filter: of two sets that have enough in common,
one of the rarest members of the smaller is in the other (S. Chaudhuri, V. Ganti, R. Kaushik, A
primitive operator for similarity joins in data cleaning, 2006).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from typing import TypeVar

from kg.identity.evidence import Facts, Name, agree, folded_abstract
from kg.identity.titles import content_words
from kg.identity.untitled import Known
from kg.identity.wordings import AKIN, is_long, runs

Pair = tuple[int, int]
Member = TypeVar("Member", str, tuple[str, ...])


@dataclass(frozen=True, slots=True)
class Kind:
    """How much a record says."""

    titled: bool
    named: bool  # whether it names authors
    whole: bool  # whether these are all of them
    long: bool  # whether its abstract may be unlike another


def agreeing(records: Sequence[int], known: Known, sure: bool) -> Iterator[Pair]:
    """Pairs of records of one identifier that agree: so many that all others follow from them.

    `sure` is an arXiv identifier.
    """
    leader = {i: i for i in records}

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for a, b in _likely(records, known, sure):
        one, other = find(a), find(b)
        if one != other and agree(known(a), known(b), sure):
            leader[other] = one
            yield min(a, b), max(a, b)


def _likely(records: Sequence[int], known: Known, sure: bool) -> Iterator[Pair]:
    """Pairs that may agree; no others do but through these. A pair may come more than once."""
    kinds = {i: _kind(known(i)) for i in records}
    yield from _saying_little(kinds, sure)
    yield from _pairs(_blocks(records, lambda i: _spellings(known(i))))
    titles = {i: Counter(set(content_words(known(i).title))) for i in records}
    yield from _sharing(titles, lambda words: words // 2 + 1)
    texts = {i: text for i in records if (text := folded_abstract(known(i).record.abstract))}
    yield from _pairs(_blocks(texts, lambda i: [texts[i]]))
    abstracts = {i: runs(text) for i, text in texts.items() if kinds[i].long}
    yield from _sharing(abstracts, lambda size: max(1, int(AKIN * size)))
    yield from _of_common_authors({i: known(i).authors for i in records}, kinds, sure)


def _kind(found: Facts) -> Kind:
    text = folded_abstract(found.record.abstract)
    return Kind(bool(found.title.key), bool(found.authors), found.whole, is_long(text))


def _saying_little(kinds: Mapping[int, Kind], sure: bool) -> Iterator[Pair]:
    """Pairs against which nothing can speak, each record of a kind with one of another."""
    of: dict[Kind, list[int]] = defaultdict(list)
    for i, kind in kinds.items():
        of[kind].append(i)
    for kind, other in product(of, repeat=2):
        authors = kind.named and other.named and (kind.whole or other.whole)
        titles = kind.titled and other.titled and not sure
        if not authors and not titles and not (kind.long and other.long):
            first = of[other][0]
            yield from ((i, first) for i in of[kind] if i != first)


def _spellings(found: Facts) -> Iterator[Hashable]:
    """What two titles share where they are one but for a misspelt word."""
    if found.title.key:
        yield found.title.key
        words = content_words(found.title)
        yield from ((i, *words[:i], *words[i + 1 :]) for i in range(len(words)))


def _of_common_authors(
    authors: Mapping[int, Sequence[Name]], kinds: Mapping[int, Kind], sure: bool
) -> Iterator[Pair]:
    """Pairs that may have an author in common, or whose authors need not be others."""

    def names(x: Kind, y: Kind) -> bool:  # else unlike titles and unlike abstracts outweigh them
        return sure or not (x.titled and y.titled and x.long and y.long)

    def words(x: Kind, y: Kind) -> bool:  # a common word alone speaks for nothing
        return not (x.long and y.long) and (sure or not (x.titled and y.titled))

    yield from _of_kinds(_blocks(authors, lambda i: _initials(authors[i])), kinds, names)
    yield from _of_kinds(_blocks(authors, lambda i: sorted(set().union(*authors[i]))), kinds, words)
    # A name of one word may be any name with it.
    having: dict[str, dict[int, None]] = defaultdict(dict)
    for i, own in authors.items():
        for word in set().union(*own):
            having[word][i] = None
    for i, own in authors.items():
        for name in own:
            if len(name) == 1:
                yield from ((i, j) for j in having[min(name)] if i != j)


def _initials(names: Iterable[Name]) -> Iterator[Hashable]:
    """Of each name a word with the initial of another, of which compatible names share one."""
    for name in names:
        yield from ((word, other[0]) for word in name for other in name if word != other)


def _of_kinds(
    blocks: Iterable[Sequence[int]],
    kinds: Mapping[int, Kind],
    fit: Callable[[Kind, Kind], bool],
) -> Iterator[Pair]:
    """The pairs of blocks whose kinds fit."""
    for block in blocks:
        of: dict[Kind, list[int]] = defaultdict(list)
        for i in block:
            of[kinds[i]].append(i)
        for x, y in combinations_with_replacement(of, 2):
            if fit(x, y):
                yield from combinations(of[x], 2) if x == y else product(of[x], of[y])


def _blocks(
    records: Iterable[int], keys: Callable[[int], Iterable[Hashable]]
) -> Iterator[list[int]]:
    """The records of each key that several have, each once."""
    having: dict[Hashable, dict[int, None]] = defaultdict(dict)
    for i in records:
        for key in sorted(set(keys(i)), key=repr):
            having[key][i] = None
    return (list(block) for block in having.values() if len(block) > 1)


def _pairs(blocks: Iterable[Sequence[int]]) -> Iterator[Pair]:
    for block in blocks:
        yield from combinations(block, 2)


def _sharing(members: Mapping[int, Counter[Member]], least: Callable[[int], int]) -> Iterator[Pair]:
    """Pairs of which the smaller, of n members, may have at least `least(n)` in the other."""
    having: dict[Member, list[int]] = defaultdict(list)
    for i, own in members.items():
        for member in own:
            having[member].append(i)
    size = {i: own.total() for i, own in members.items()}
    for i, own in members.items():
        rarest = sorted(own.elements(), key=lambda member: (len(having[member]), member))
        some = rarest[: size[i] - least(size[i]) + 1]
        found = {j for member in some for j in having[member] if (size[i], i) < (size[j], j)}
        yield from ((i, j) for j in sorted(found))
