"""What all papers together say of the names of people, before any is given to a person.

A name that is written out may be one person's wherever it is found. What speaks against it, for
the name or for two spellings of it, is found here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from kg.identity.classes import Join, part
from kg.identity.names import Names, PersonName, agree, rivals
from kg.identity.signatures import Author, Signatures, is_void, orcids_of, signatures
from kg.model import Record, Source

ORCID = "orcid/"  # what the key of a person with an ORCID begins with
_BY_ORCID, _BY_PAPER = 1, 2  # strengths of joins
_MOST_SPELLINGS = 12  # of one person; more than that are several people in a chain

_Pairs = Mapping[tuple[str, str], Record]


class Survey:
    """Which names have which ORCIDs, which are several people's, and which are spellings of one.

    `groups` has the records of each paper.
    """

    def __init__(self, groups: Sequence[Sequence[Record]], names: Names) -> None:
        self._orcids: dict[str, set[str]] = defaultdict(set)  # key of a full name -> ORCIDs
        self._shared: set[str] = set()  # keys of names that two authors of one paper have
        self._names = names
        self._contested, self._claimants = _contested(groups, names)
        pairs: dict[tuple[str, str], Record] = {}
        known: dict[str, PersonName] = {}
        for group in groups:
            authors = self.signatures(group).authors
            times = Counter(key for author in authors for key in author.names)
            if len(times) < times.total():
                self._shared |= {key for key, number in times.items() if number > 1}
            for author in authors:
                if author.orcid:
                    for key in author.full():
                        self._orcids[key].add(author.orcid)
                if len(author.names) > 1:
                    for a, b in combinations(sorted(author.full()), 2):
                        pairs.setdefault((a, b), group[0])
                        known |= {a: author.names[a], b: author.names[b]}
        self._pairs = self._sound(pairs, known)
        self._owners = self._owner_of_pages(groups)

    def signatures(self, group: Sequence[Record]) -> Signatures:
        """The authors of one paper, by names and by ORCIDs that are one person's."""
        return signatures(group, self._names.__getitem__, self._contested)

    def _sound(self, pairs: _Pairs, known: Mapping[str, PersonName]) -> _Pairs:
        """The pairs of names that are one person's on every paper, not only on one.

        Names that a chain of pairs joins have to agree each with each, and may not have two
        ORCIDs.
        """
        keys = sorted(known)
        number = {key: i for i, key in enumerate(keys)}
        chains = part(len(keys), (Join(1, number[a], number[b]) for a, b in pairs))
        unsound = set()
        for members in chains.classes():
            together = [keys[i] for i in members]
            orcids = {orcid for key in together for orcid in self._orcids.get(key, ())}
            if (
                len(orcids) > 1
                or len(together) > _MOST_SPELLINGS
                or not self._shared.isdisjoint(together)
                or not all(agree(known[a], known[b]) for a, b in combinations(together, 2))
            ):
                unsound.add(members[0])
        return {
            pair: record
            for pair, record in pairs.items()
            if chains.first[number[pair[0]]] not in unsound
        }

    def _owner_of_pages(self, groups: Sequence[Sequence[Record]]) -> Mapping[Source, str]:
        """The keys of the owners of pages that some paper on the page resolves to one person."""
        keys: dict[Source, set[str]] = defaultdict(set)
        for group in groups:
            if any(record.source.author for record in group):
                found = self.signatures(group)
                for record, place in found.owners.items():
                    author = found.authors[place]
                    key = self._key(author)
                    if not self.unresolved(key, author):
                        keys[record.source].add(key)
        return {source: min(found) for source, found in keys.items() if len(found) == 1}

    def keys(self, found: Signatures, group: Sequence[Record]) -> list[str]:
        """The keys that the authors of one paper are collected under.

        An ORCID, else the fullest name; of several authors with one name on a paper the first
        has the name's key, the others have keys of their own. A page is one person's: where one
        of its papers says who that is, it holds for all of them.
        """
        keys = [self._key(author) for author in found.authors]
        for record, place in found.owners.items():
            owner = self._owners.get(record.source)
            if owner and owner not in keys and self.unresolved(keys[place], found.authors[place]):
                keys[place] = owner
        times: Counter[str] = Counter()
        for place, key in enumerate(keys):
            times[key] += 1
            if times[key] > 1:
                keys[place] = f"{key}/{times[key]}/{_token(group)}"
        return keys

    @staticmethod
    def former(key: str, group: Sequence[Record]) -> set[str]:
        """The keys that one of several authors of one name had by other records of the paper."""
        stem = key.removesuffix("/" + _token(group))
        return set() if stem == key else {f"{stem}/{_token([record])}" for record in group}

    @staticmethod
    def _key(author: Author) -> str:
        return ORCID + author.orcid if author.orcid else author.best()

    def unresolved(self, key: str, author: Author) -> str:
        """Why what is collected under `key` may be several people; empty where it is one."""
        name = author.best()
        if author.orcid or (key != name and not key.startswith(f"{name}/")):
            return ""  # an ORCID or the owner of a page says who it is
        if not author.names[name].is_full:
            return "one word" if author.names[name].is_one_word else "initials"
        if key != name:  # one author of one paper
            return ""
        if name in self._claimants:
            return "orcid"
        return "shared" if name in self._shared or len(self._orcids.get(name, ())) > 1 else ""

    def joins(self, number_of: Mapping[str, int]) -> Iterator[Join]:
        """The joins of keys: a name with its only ORCID, and two spellings of one name."""
        for name, orcids in self._orcids.items():
            if len(orcids) == 1 and name in number_of and name not in self._shared:
                (orcid,) = orcids
                person = number_of.get(ORCID + orcid)
                if person is not None:
                    yield Join(_BY_ORCID, number_of[name], person, "SameOrcid", orcid)
        for a, b in self._pairs:
            if a in number_of and b in number_of:
                yield Join(_BY_PAPER, number_of[a], number_of[b], "SharedPaper")


def _contested(
    groups: Sequence[Sequence[Record]], names: Names
) -> tuple[frozenset[str], frozenset[str]]:
    """The ORCIDs that sources give to two persons, and the keys of the names that have them."""
    bearers: dict[str, dict[str, PersonName]] = defaultdict(dict)
    for group in groups:
        for record in group:
            if record.orcids:
                for text, orcid in zip(record.authors, orcids_of(record), strict=True):
                    name = names[text]
                    if orcid and name.is_full and not is_void(orcid, name):
                        bearers[orcid][name.key] = name
    contested = {
        orcid: found
        for orcid, found in bearers.items()
        if any(rivals(a, b) for a, b in combinations(found.values(), 2))
    }
    return frozenset(contested), frozenset(key for found in contested.values() for key in found)


def _token(group: Sequence[Record]) -> str:
    """What tells a paper from others."""
    return min(r.arxiv or r.doi or r.title or r.abstract for r in group)
