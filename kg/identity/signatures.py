"""The authors of one paper: which names in its records are one author.

Within one record every name is another author. Names of two records are one author where they
have one ORCID, one key, or, each only with the other, may be two spellings of one name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg.identity.names import PersonName, agree
from kg.model import Record

Reader = Callable[[str], PersonName]


@dataclass(frozen=True, slots=True)
class KeptApart(PersonName):
    """A name that is not to be that of the same person as others, as somebody ruled."""

    others: frozenset[str] = frozenset()  # keys of names
    void: frozenset[str] = frozenset()  # ORCIDs that say nothing where they stand at this name


@dataclass(slots=True)
class Author:
    """One author of one paper, with the names and the ORCID that its records give."""

    names: dict[str, PersonName] = field(default_factory=dict)  # by key
    orcid: str = ""

    def full(self) -> list[str]:
        """The keys of the names that are written out, the fullest first."""
        keys = [key for key, name in self.names.items() if name.is_full]
        return sorted(keys, key=lambda key: (-len(key), key))

    def best(self) -> str:
        """The key of the fullest name."""
        return (self.full() or sorted(self.names, key=lambda key: (-len(key), key)))[0]


@dataclass(frozen=True, slots=True)
class Signatures:
    """The authors of a paper, and who of them each record means, by number."""

    authors: tuple[Author, ...]  # in the order of the fullest list; owners of pages come last
    listed: Mapping[Record, tuple[int, ...]]  # in line with the record's authors
    owners: Mapping[Record, int]  # whose page the record stands on


def signatures(
    group: Sequence[Record], read: Reader, contested: Container[str] = frozenset()
) -> Signatures:
    """Part the names in the records of one paper into authors.

    The outcome does not depend on the order of the records. ORCIDs that are `contested` count
    for nothing.
    """
    authors: list[Author] = []
    listed: dict[Record, tuple[int, ...]] = {}
    for record in sorted(group, key=lambda r: (-len(r.authors), r.authors, r.orcids)):
        named = [
            (read(name), "" if orcid in contested else orcid)
            for name, orcid in zip(record.authors, orcids_of(record), strict=True)
        ]
        named = [(name, "" if is_void(orcid, name) else orcid) for name, orcid in named]
        listed[record] = _place(named, authors)
    owners = {
        record: _place([(read(record.source.author), "")], authors)[0]
        for record in sorted(group, key=lambda r: r.source.author)
        if record.source.author.strip()
    }
    return Signatures(tuple(authors), listed, owners)


def orcids_of(record: Record) -> tuple[str, ...]:
    """The ORCIDs of a record's authors; one that is given to two of them says nothing."""
    times = Counter(record.orcids)
    given = tuple(orcid if times[orcid] == 1 else "" for orcid in record.orcids)
    return given or ("",) * len(record.authors)


def _place(named: Sequence[tuple[PersonName, str]], authors: list[Author]) -> tuple[int, ...]:
    """Find the author that each name of one list is; add those that are new."""
    places: list[int | None] = [None] * len(named)
    if authors:
        for find in (_by_orcid, _by_key, _by_likeness):
            taken = {place for place in places if place is not None}
            open_names = [i for i, place in enumerate(places) if place is None]
            free = [a for a in range(len(authors)) if a not in taken]
            for i, place in find(named, open_names, authors, free):
                places[i] = place
    found = []
    for (name, orcid), known in zip(named, places, strict=True):
        place = len(authors) if known is None else known
        if known is None:
            authors.append(Author())
        authors[place].names.setdefault(name.key, name)
        authors[place].orcid = authors[place].orcid or orcid
        found.append(place)
    return tuple(found)


_Named = Sequence[tuple[PersonName, str]]
_Found = Iterator[tuple[int, int]]


def _by_orcid(
    named: _Named, names: Sequence[int], authors: Sequence[Author], free: Sequence[int]
) -> _Found:
    known = {authors[place].orcid: place for place in free if authors[place].orcid}
    for i in names:
        if named[i][1] in known and not _are_apart(named[i][0], authors[known[named[i][1]]]):
            yield i, known[named[i][1]]


def _by_key(
    named: _Named, names: Sequence[int], authors: Sequence[Author], free: Sequence[int]
) -> _Found:
    left = list(free)
    for i in names:
        name, orcid = named[i]
        for place in left:
            if (
                name.key in authors[place].names
                and not _differ(orcid, authors[place].orcid)
                and not _are_apart(name, authors[place])
            ):
                left.remove(place)
                yield i, place
                break


def _by_likeness(
    named: _Named, names: Sequence[int], authors: Sequence[Author], free: Sequence[int]
) -> _Found:
    pairs = [
        (i, place)
        for i in names
        for place in free
        if not _differ(named[i][1], authors[place].orcid)
        and not _are_apart(named[i][0], authors[place])
        and all(agree(named[i][0], name) for name in authors[place].names.values())
    ]
    by_name = Counter(i for i, _ in pairs)
    by_author = Counter(place for _, place in pairs)
    for i, place in pairs:
        if by_name[i] == by_author[place] == 1:
            yield i, place


def is_void(orcid: str, name: PersonName) -> bool:
    """Whether somebody ruled that an ORCID says nothing at a name."""
    return isinstance(name, KeptApart) and orcid in name.void


def _are_apart(name: PersonName, author: Author) -> bool:
    """Whether somebody ruled that a name is not this author's."""
    return isinstance(name, KeptApart) and (
        author.orcid in name.void or not name.others.isdisjoint(author.names)
    )


def _differ(a: str, b: str) -> bool:
    return bool(a and b and a != b)
