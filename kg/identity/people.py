"""Which names are one person.

A name that is written out stands for one person wherever it is found, unless something speaks
against that: two ORCIDs, or two authors of one paper who both have it. A name with initials, or
of one word, stands for nobody in particular; on a paper where another record writes it out, or
gives an ORCID, it is that person's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain, combinations

from kg.identity import curation
from kg.identity.classes import Join, Parted, part
from kg.identity.curation import Called, Ruler, Rulings
from kg.identity.names import Names, PersonName
from kg.identity.signatures import Author, KeptApart, orcids_of
from kg.identity.survey import ORCID, Survey
from kg.model import Ground, Person, Record


@dataclass(frozen=True, slots=True)
class Signed:
    """Who the names in one record are, by the keys of persons; None where one was dropped."""

    authors: tuple[str | None, ...]  # in line with the record's authors
    owner: str | None = None  # whose page it stands on


@dataclass(slots=True)
class _Bearer:
    """Authors of papers that are one person as far as key and ORCID tell, under one key."""

    unresolved: str
    keys: set[str] = field(default_factory=set)  # of its names
    orcids: set[str] = field(default_factory=set)  # keys of those it came with, valid or void
    written: Counter[str] = field(default_factory=Counter)  # names as one reads them
    full: set[str] = field(default_factory=set)  # those of them that are written out
    own: set[str] = field(default_factory=set)  # those of them that have this key by themselves
    spellings: dict[tuple[str, ...], Record] = field(default_factory=dict)  # on one paper
    shown: Record | None = None  # a record that has it


def identify(
    groups: Sequence[Sequence[Record]], ruler: Ruler
) -> tuple[tuple[Person, ...], Mapping[Record, Signed]]:
    """The persons behind the names in the records of papers, and who signed each record.

    `groups` has the records of each paper. Persons are sorted by key. Raises UsageError where
    the curation contradicts itself.
    """
    names = Names()
    if ruler.keeps_apart("person"):
        _keep_apart(groups, names, ruler)
    survey = Survey(groups, names)
    mixed: Mapping[str, set[str]] = {}
    if ruler.keeps_apart("person"):
        # An ORCID that joins them through the other names of an author says nothing either.
        orcids = frozenset(
            key.removeprefix(ORCID)
            for key in _mixed(groups, survey, by_orcid=True)
            if key.startswith(ORCID)
        )
        if orcids:
            for text, name in names.items():
                names[text] = _kept(name, void=orcids)
            survey = Survey(groups, names)
        mixed = _mixed(groups, survey)
    bearers: dict[str, _Bearer] = {}
    drawn: list[tuple[Record, list[str]]] = []
    together: list[list[str]] = []  # the authors of each paper
    for group in groups:
        found = survey.signatures(group)
        keys = _own(survey.keys(found, group), found.authors, mixed)
        together.append(keys)
        for key, author in zip(keys, found.authors, strict=True):
            if key not in bearers:
                bearers[key] = _Bearer(survey.unresolved(key, author))
            _add(bearers[key], author, group[0])
            bearers[key].keys |= survey.former(key, group)
        for record in group:
            signing = [keys[place] for place in found.listed[record]]
            texts = list(record.authors)
            for key, orcid in zip(signing, orcids_of(record), strict=True):
                if orcid:
                    bearers[key].orcids.add(ORCID + orcid)
            if record in found.owners:
                signing.append(keys[found.owners[record]])
                texts.append(record.source.author)
            for key, text in zip(signing, texts, strict=True):
                name = names[text]
                bearers[key].written[name.display] += 1
                if name.key == key or key.startswith(ORCID):
                    bearers[key].own.add(name.display)
            drawn.append((record, signing))
    persons, person_of = _persons(bearers, together, survey, ruler)
    signed = {}
    for record, signing in drawn:
        people = [person_of[key] for key in signing]
        authors = len(record.authors)
        signed[record] = Signed(tuple(people[:authors]), *people[authors:])
    return persons, signed


def _keep_apart(groups: Sequence[Sequence[Record]], names: Names, ruler: Ruler) -> None:
    """Mark the names that somebody keeps apart, and the ORCIDs that would make them one.

    An ORCID that two such names have says nothing of either.
    """
    written: dict[str, set[str]] = defaultdict(set)  # key of a name -> what sources write
    orcids: dict[str, set[str]] = defaultdict(set)  # key of a name -> its ORCIDs
    for record in chain.from_iterable(groups):
        for text in (*record.authors, record.source.author):
            if text.strip():
                written[names[text].key].add(text)
        for text, orcid in zip(record.authors, record.orcids, strict=False):
            if orcid:
                orcids[names[text].key].add(orcid)
    keys = sorted(written)
    called = [
        Called((key,), tuple(sorted({names[text].display for text in written[key]} | written[key])))
        for key in keys
    ]
    others: dict[str, set[str]] = defaultdict(set)
    void: dict[str, set[str]] = defaultdict(set)
    for a, b in ruler.kept_apart("person", called):
        others[keys[a]].add(keys[b])
        void[keys[a]] |= orcids[keys[a]] & orcids[keys[b]]
    for key in others:
        for text in written[key]:
            names[text] = _kept(names[text], frozenset(others[key]), frozenset(void[key]))


def _orcid_forms(orcid: str) -> tuple[str, ...]:
    return orcid, f"orcid:{orcid}", f"https://orcid.org/{orcid}"


def _kept(
    name: PersonName,
    others: frozenset[str] = frozenset(),
    void: frozenset[str] = frozenset(),
) -> KeptApart:
    """A name with what it is kept apart from, besides what it is kept apart from already."""
    parts = {part.name: getattr(name, part.name) for part in fields(name)}
    parts["others"] = parts.get("others", frozenset()) | others
    parts["void"] = parts.get("void", frozenset()) | void
    return KeptApart(**parts)


def _mixed(
    groups: Iterable[Sequence[Record]], survey: Survey, by_orcid: bool = False
) -> Mapping[str, set[str]]:
    """The keys that would collect names which somebody keeps apart, each with these names' keys.

    With `by_orcid` only what the authors' own ORCIDs would collect.
    """
    collected: dict[str, dict[str, PersonName]] = defaultdict(dict)
    for group in groups:
        found = survey.signatures(group)
        for key, author in zip(survey.keys(found, group), found.authors, strict=True):
            if author.orcid or not by_orcid:
                collected[key] |= author.names
    mixed: dict[str, set[str]] = defaultdict(set)
    for key, together in collected.items():
        for name in together.values():
            if isinstance(name, KeptApart) and not name.others.isdisjoint(together):
                mixed[key].add(name.key)
    return mixed


def _own(
    keys: Sequence[str], authors: Sequence[Author], mixed: Mapping[str, set[str]]
) -> list[str]:
    """The keys of the authors of one paper: that of the name for whom somebody keeps apart."""
    own = list(keys)
    for place, (key, author) in enumerate(zip(keys, authors, strict=True)):
        if key in mixed and not author.orcid and not mixed[key].isdisjoint(author.names):
            name = author.best()
            own[place] = key if name in own else name
    return own


def _add(bearer: _Bearer, author: Author, record: Record) -> None:
    for key, name in author.names.items():
        bearer.keys.add(key)
        if name.is_full:
            bearer.full.add(name.display)
    bearer.shown = bearer.shown or record
    if len(author.names) > 1:
        together = tuple(sorted(name.display for name in author.names.values()))
        bearer.spellings.setdefault(together, record)


def _persons(
    bearers: Mapping[str, _Bearer],
    together: Iterable[Sequence[str]],
    survey: Survey,
    ruler: Ruler,
) -> tuple[tuple[Person, ...], Mapping[str, str | None]]:
    """The persons sorted by key, and for the key of each bearer that of the person.

    `together` has the keys of the authors of each paper, who are never one.
    """
    keys = sorted(bearers)
    number_of = {key: number for number, key in enumerate(keys)}
    joins = list(survey.joins(number_of))
    never = _apart(len(keys), joins, ([number_of[key] for key in some] for some in together))
    parted = part(len(keys), joins, sorted(never))
    rulings = Rulings()
    if ruler.concerns("person"):
        called = [_called(key, bearers[key]) for key in keys]
        rulings = ruler.rulings("person", called, parted.first)
        parted = part(len(keys), joins, sorted(never.union(rulings.never)))
        # What somebody joins is one, even where two names of it stand on one paper.
        parted = rulings.joined(parted.first, joins)
    joined: dict[int, list[Ground]] = defaultdict(list)
    for ground, number in _grounds(parted, keys, bearers):
        joined[parted.first[number]].append(ground)
    person_of: dict[str, str | None] = {}
    persons = []
    for members in parted.classes():
        dropped = rulings.dropped(members)
        own = [keys[number] for number in members]
        person = _person(own, members, bearers, rulings, joined[members[0]])
        person_of |= dict.fromkeys(own, None if dropped else person.key)
        if not dropped:
            persons.append(person)
    return _with_former(persons, bearers, person_of), person_of


def _called(key: str, bearer: _Bearer) -> Called:
    names = sorted(bearer.own)
    if key.startswith(ORCID):
        names += _orcid_forms(key.removeprefix(ORCID))
    orcids = bearer.orcids - {key}
    forms = {form for orcid in orcids for form in _orcid_forms(orcid.removeprefix(ORCID))}
    # A key leads to an IRI, and is one of these even where it is spelt like a name.
    others = (bearer.written.keys() | forms).difference(names) | bearer.keys | orcids
    return Called((key,), tuple(names), tuple(sorted(others - {key})))


def _apart(
    size: int, joins: Sequence[Join], together: Iterable[Sequence[int]]
) -> set[tuple[int, int]]:
    """The pairs of authors of one paper that joins would make one."""
    first = part(size, joins).first
    apart = set()
    for numbers in together:
        if len({first[number] for number in numbers}) < len(numbers):
            apart |= {
                (min(a, b), max(a, b)) for a, b in combinations(numbers, 2) if first[a] == first[b]
            }
    return apart


def _person(
    keys: Sequence[str],
    members: Sequence[int],
    bearers: Mapping[str, _Bearer],
    rulings: Rulings,
    grounds: Sequence[Ground],
) -> Person:
    written: Counter[str] = Counter()
    full: set[str] = set()
    for key in keys:
        written += bearers[key].written
        full |= bearers[key].full
    # A name that is written out before one with initials; then the most frequent.
    forms = sorted(written, key=lambda form: (form not in full, -written[form], -len(form), form))
    name = rulings.label_of(members) or forms[0]
    reasons = sorted(bearers[key].unresolved for key in keys)
    orcids = [key.removeprefix(ORCID) for key in keys if key.startswith(ORCID)]
    return Person(
        key=min(keys, key=lambda key: _rank(key, bearers[key])),
        name=name,
        aliases=tuple(sorted(form for form in forms if form != name)),
        orcids=tuple(sorted(orcids)),
        unresolved=reasons[0],
        grounds=tuple(sorted(grounds, key=lambda g: (g.rule, g.value, g.names))),
    )


def _rank(key: str, bearer: _Bearer) -> tuple[bool, bool, int, str]:
    """The best key of a person comes first: an ORCID, else the fullest name."""
    return not key.startswith(ORCID), bool(bearer.unresolved), -len(key), key


def _grounds(
    parted: Parted, keys: Sequence[str], bearers: Mapping[str, _Bearer]
) -> Iterable[tuple[Ground, int]]:
    """Why names are one person, each with a number of that person's."""
    for number, key in enumerate(keys):
        bearer = bearers[key]
        for together, record in bearer.spellings.items():
            yield Ground("SharedPaper", records=(record,), names=together), number
        if key.startswith(ORCID) and len(bearer.keys) > 1 and bearer.shown:
            orcid = key.removeprefix(ORCID)
            names = tuple(sorted(bearer.written))
            yield Ground("SameOrcid", orcid, (bearer.shown,), names), number
    for join in parted.made:
        if join.rule == curation.RULE:
            ends = [bearers[keys[number]] for number in (join.a, join.b)]
            names = tuple(sorted({form for bearer in ends for form in bearer.written}))
            records = tuple(bearer.shown for bearer in ends if bearer.shown)
            yield Ground(join.rule, join.value, records, names), join.a


def _with_former(
    persons: Sequence[Person],
    bearers: Mapping[str, _Bearer],
    person_of: Mapping[str, str | None],
) -> tuple[Person, ...]:
    """The persons with the keys that their names and ORCIDs alone would have, sorted by key.

    A key that several have a claim to leads to all of them; one that is a person's own to none.
    """
    former: dict[str, set[str]] = defaultdict(set)
    living = {person.key for person in persons}
    for key, bearer in bearers.items():
        person = person_of[key]
        if person is not None:
            former[person].update({*bearer.keys, *bearer.orcids, key} - living)
    found = [
        replace(person, former=tuple(sorted(former[person.key])))
        if person.key in former
        else person
        for person in persons
    ]
    return tuple(sorted(found, key=lambda person: person.key))
