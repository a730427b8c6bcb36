"""What can be searched for: the things of a store, with their names and their weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from kg.rdf.vocabulary import DCTERMS, FABIO, FOAF, KG, PRO, RDF, RDFS, SCHEMA, SKOS

# In this order groups are shown that are equally good.
KINDS = ("concept", "person", "paper", "category")

_CONCEPTS = (KG.Method, KG.Task, KG.Material, KG.Metric, KG.OtherConcept)
_MOST_AUTHORS = 3  # that stand beside a paper


@dataclass(frozen=True, slots=True)
class Named:
    """A thing and all that it is called."""

    iri: str
    label: str
    weight: int  # papers; of a paper its date as YYYYMMDD, 0 where there is none
    note: str  # a few words that tell it from others: types, authors, notation
    names: tuple[str, ...] = ()  # other names, sorted
    keys: tuple[str, ...] = ()  # identifiers, which are found whole only


def things(store: Store, kind: str) -> list[Named]:
    """All things of a kind, the weightiest first, then by label and IRI."""
    found = _READERS[kind](store)
    return sorted(found, key=lambda thing: (-thing.weight, thing.label, thing.iri))


def _concepts(store: Store) -> Iterator[Named]:
    types: dict[str, str] = {}
    for kind in _CONCEPTS:
        name = kind.value.removeprefix(KG.iri).removesuffix("Concept").lower()
        for quad in store.quads_for_pattern(None, RDF.type, kind):
            iri = quad.subject.value  # type: ignore[union-attr]
            types[iri] = f"{types[iri]}, {name}" if iri in types else name
    papers = _counts(store, SCHEMA.mentions)
    others = _values(store, SKOS.altLabel, types)
    for iri, label in _labels(store, SKOS.prefLabel, types):
        names = tuple(others.get(iri, ()))
        yield Named(iri, label, papers.get(iri, 0), types.pop(iri), names)


def _people(store: Store) -> Iterator[Named]:
    people = _members(store, FOAF.Person)
    papers = _counts(store, DCTERMS.creator)
    others = _values(store, SKOS.altLabel, people)
    identifiers = _values(store, DCTERMS.identifier, people)
    for iri, label in _labels(store, FOAF.name, people):
        names = tuple(others.get(iri, ()))
        keys = tuple(_spellings(identifiers.get(iri, ())))
        people.discard(iri)
        yield Named(iri, label, papers.get(iri, 0), "", names, keys)


def _papers(store: Store) -> Iterator[Named]:
    papers = _members(store, FABIO.Preprint)
    dates = _values(store, DCTERMS.issued, papers)
    identifiers = _values(store, DCTERMS.identifier, papers)
    authors = _authors(store)
    for iri, label in _labels(store, RDFS.label, papers):
        keys = tuple(_spellings(identifiers.get(iri, ())))
        date = _date(dates[iri][0]) if iri in dates else 0
        papers.discard(iri)
        yield Named(iri, label, date, authors.get(iri, ""), keys=keys)


def _categories(store: Store) -> Iterator[Named]:
    papers = _counts(store, DCTERMS.subject)
    for iri, notation in sorted(_pairs(store, SKOS.notation)):
        names = {
            property: sorted(
                quad.object.value  # type: ignore[union-attr]
                for quad in store.quads_for_pattern(NamedNode(iri), property, None)
            )
            for property in (SKOS.prefLabel, SKOS.altLabel)
        }
        label = (names[SKOS.prefLabel] or [notation])[0]
        others = tuple(sorted({notation, *names[SKOS.altLabel]}))
        yield Named(iri, label, papers.get(iri, 0), notation, others)


def _authors(store: Store) -> dict[str, str]:
    """The first authors of each paper, in the order of the paper where it is known."""
    names = dict(_pairs(store, FOAF.name))
    ordinals = ((role, int(place)) for role, place in _pairs(store, KG.ordinal))
    first = {role: place for role, place in ordinals if place <= _MOST_AUTHORS}
    holders = {role: who for role, who in _pairs(store, PRO.isHeldBy) if role in first}
    places = {
        (paper, holders.get(role)): first[role]
        for role, paper in _pairs(store, PRO.relatesToDocument)
        if role in first
    }
    listed: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for paper, person in _pairs(store, DCTERMS.creator):
        place = places.get((paper, person), _MOST_AUTHORS + 1)
        listed[paper].append((place, names.get(person, person)))
    return {paper: _listed(sorted(people)) for paper, people in listed.items()}


def _listed(people: list[tuple[int, str]]) -> str:
    names = [name for _, name in people]
    return ", ".join(names[:_MOST_AUTHORS]) + (" et al." if len(names) > _MOST_AUTHORS else "")


def _members(store: Store, kind: NamedNode) -> set[str]:
    found = store.quads_for_pattern(None, RDF.type, kind)
    return {quad.subject.value for quad in found}  # type: ignore[union-attr]


def _pairs(store: Store, property: NamedNode) -> Iterator[tuple[str, str]]:
    for quad in store.quads_for_pattern(None, property, None):
        yield quad.subject.value, quad.object.value  # type: ignore[union-attr]


def _labels(store: Store, property: NamedNode, of: Container[str]) -> Iterator[tuple[str, str]]:
    """Things in `of` and their labels; who takes a thing out of `of` gets no second label."""
    return ((iri, label) for iri, label in _pairs(store, property) if iri in of)


def _values(store: Store, property: NamedNode, of: Container[str]) -> dict[str, list[str]]:
    """The values of a property by what has it, sorted; only of the things in `of`."""
    found: dict[str, list[str]] = defaultdict(list)
    for subject, value in _pairs(store, property):
        if subject in of:
            found[subject].append(value)
    for values in found.values():
        values.sort()
    return found


def _counts(store: Store, property: NamedNode) -> dict[str, int]:
    """How many things have each value of a property."""
    query = f"SELECT ?o (COUNT(?s) AS ?n) {{ ?s {property} ?o }} GROUP BY ?o"
    return {o.value: int(n.value) for o, n in store.query(query)}  # type: ignore[union-attr]


def _spellings(identifiers: Iterable[str]) -> Iterator[str]:
    """Identifiers with and without the name of their scheme ("arXiv:2306.00802")."""
    for identifier in identifiers:
        yield identifier
        if (bare := identifier.partition(":")[2]) and identifier.split(":")[0].isalpha():
            yield bare


def _date(issued: str) -> int:
    """A date or a year as YYYYMMDD."""
    year, *rest = issued.removeprefix("-").split("-")
    month, day = (int(part[:2]) if part[:2].isdigit() else 0 for part in [*rest, "", ""][:2])
    return int(year) * 10_000 + month * 100 + day if year.isdigit() else 0


_READERS = {"concept": _concepts, "person": _people, "paper": _papers, "category": _categories}
