"""Records and identities as triples.

Every node has an IRI, and literals are written in the forms that Oxigraph keeps as they
are, so that what goes into the store is what comes out of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from pyoxigraph import Literal, NamedNode, Triple

from kg.model import UNRESOLVED, Concept, Identity, Paper, Person, Record, Text
from kg.rdf.categories import Category, canonical
from kg.rdf.grounds import grounds_of, matches_of, replaced
from kg.rdf.iris import Iris
from kg.rdf.vocabulary import (
    ARXIV,
    BIBO,
    DCTERMS,
    FABIO,
    FOAF,
    ITSRDF,
    KG,
    NIF,
    PRO,
    PROV,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
    XSD,
    integer,
)
from kg.text import plain

ARXIV_SCHEME = NamedNode(ARXIV.iri)
TYPE_CLASSES = {
    "Method": KG.Method,
    "Task": KG.Task,
    "Material": KG.Material,
    "Metric": KG.Metric,
    "Other": KG.OtherConcept,
}
_LABEL_WORDS = 12


def describe(
    identity: Identity, iris: Iris, categories: Mapping[str, Category]
) -> Iterator[Triple]:
    """All triples of a graph but its dataset description; some may come twice."""
    for paper in identity.papers:
        yield from _paper(paper, identity, iris, categories)
    for person in identity.people:
        yield from _person(person, iris)
    for concept in identity.concepts:
        yield from _concept(concept, iris)
    yield from _scheme(iris.scheme(), "Concepts of the literature")
    yield from _documents(identity, iris)


def _paper(
    paper: Paper, identity: Identity, iris: Iris, categories: Mapping[str, Category]
) -> Iterator[Triple]:
    node = iris.paper(paper.key)
    title, abstract = paper.label or plain(paper.title).text, plain(paper.abstract).text
    yield Triple(node, RDF.type, FABIO.Preprint)
    yield Triple(node, RDF.type, SCHEMA.ScholarlyArticle)
    # A text of nothing but TeX marks reads as nothing; then the marks are its name.
    label = title or _beginning(abstract) or _beginning(f"{paper.title} {paper.abstract}".strip())
    yield Triple(node, RDFS.label, Literal(label))
    if title:
        yield Triple(node, DCTERMS.title, Literal(title))
    else:
        yield Triple(node, SKOS.note, Literal("The sources give no title.", language="en"))
    if abstract:
        yield Triple(node, DCTERMS.abstract, Literal(abstract))
    if paper.year:
        yield Triple(node, DCTERMS.issued, Literal(f"{paper.year:04d}", datatype=XSD.gYear))
    for creator in paper.creators:
        yield Triple(node, DCTERMS.creator, iris.person(creator))
    for arxiv in paper.arxiv:
        yield Triple(node, DCTERMS.identifier, Literal(f"arXiv:{arxiv}"))
    for doi in paper.doi:
        yield Triple(node, DCTERMS.identifier, Literal(f"doi:{doi}"))
        yield Triple(node, BIBO.doi, Literal(doi))
    for url in paper.urls:
        with suppress(ValueError):  # an address that is no IRI; the record has it literally
            yield Triple(node, SCHEMA.url, NamedNode(url))
    for name in paper.categories:
        yield from _category(node, name, iris, categories)
    for number, person in enumerate(paper.authors, 1):
        if person:
            yield from _authorship(paper, node, person, number, iris)
    for found in paper.concepts:
        concept = iris.concept(identity.concept_of[found.name.key])
        yield Triple(node, SCHEMA.mentions, concept)
        if found.salience == 2:
            yield Triple(node, SCHEMA.about, concept)
        if found.introduced:
            yield Triple(node, KG.introduces, concept)
    for record in paper.records:
        yield Triple(node, PROV.wasDerivedFrom, iris.record(record))
        yield from _record(record, iris)
    for text in paper.texts:
        yield from _text(text, paper, identity, iris)
    yield from grounds_of(node, paper.grounds, iris)
    yield from replaced(node, paper.former, iris.paper, Literal(label))


def _beginning(abstract: str) -> str:
    words = abstract.split()
    if len(words) <= _LABEL_WORDS:
        return abstract
    return " ".join(words[:_LABEL_WORDS])[:200] + " …"


def _authorship(
    paper: Paper, node: NamedNode, person: str, number: int, iris: Iris
) -> Iterator[Triple]:
    role = iris.authorship(paper.key, number)
    yield Triple(role, RDF.type, PRO.RoleInTime)
    yield Triple(role, PRO.withRole, PRO.author)
    yield Triple(role, PRO.isHeldBy, iris.person(person))
    yield Triple(role, PRO.relatesToDocument, node)
    yield Triple(role, KG.ordinal, integer(number))


def _category(
    paper: NamedNode, name: str, iris: Iris, categories: Mapping[str, Category]
) -> Iterator[Triple]:
    known = categories.get(canonical(name))
    if known is None:
        node = iris.category(name)
        yield Triple(paper, DCTERMS.subject, node)
        yield from _skos(node, name, name)
        return
    yield Triple(paper, DCTERMS.subject, ARXIV[known.notation])
    while known is not None:
        node = ARXIV[known.notation]
        yield from _skos(node, known.notation, known.label)
        yield Triple(node, SKOS.inScheme, ARXIV_SCHEME)
        for alias in known.aliases:
            yield Triple(node, SKOS.altLabel, Literal(alias))
        broader = categories.get(known.broader) if known.broader else None
        if broader is not None:
            yield Triple(node, SKOS.broader, ARXIV[broader.notation])
        known = broader
    yield from _scheme(ARXIV_SCHEME, "arXiv categories")


def _skos(node: NamedNode, notation: str, label: str) -> Iterator[Triple]:
    yield Triple(node, RDF.type, SKOS.Concept)
    yield Triple(node, SKOS.notation, Literal(notation))
    yield Triple(node, SKOS.prefLabel, Literal(label, language="en"))
    yield Triple(node, RDFS.label, Literal(label, language="en"))


def _scheme(node: NamedNode, label: str) -> Iterator[Triple]:
    yield Triple(node, RDF.type, SKOS.ConceptScheme)
    yield Triple(node, SKOS.prefLabel, Literal(label, language="en"))
    yield Triple(node, RDFS.label, Literal(label, language="en"))


def _person(person: Person, iris: Iris) -> Iterator[Triple]:
    node = iris.person(person.key)
    yield Triple(node, RDF.type, FOAF.Person)
    yield Triple(node, RDFS.label, Literal(person.name))
    yield Triple(node, FOAF.name, Literal(person.name))
    for alias in person.aliases:
        yield Triple(node, SKOS.altLabel, Literal(alias))
    if person.unresolved:
        yield Triple(node, SKOS.note, Literal(UNRESOLVED[person.unresolved], language="en"))
    for orcid in person.orcids:
        yield Triple(node, DCTERMS.identifier, Literal(f"orcid:{orcid}"))
        yield Triple(node, SCHEMA.sameAs, NamedNode(f"https://orcid.org/{orcid}"))
    yield from grounds_of(node, person.grounds, iris)
    yield from replaced(node, person.former, iris.person, Literal(person.name))


def _concept(concept: Concept, iris: Iris) -> Iterator[Triple]:
    node = iris.concept(concept.key)
    yield Triple(node, RDF.type, SKOS.Concept)
    for kind in concept.types:
        yield Triple(node, RDF.type, TYPE_CLASSES[kind])
    yield Triple(node, RDFS.label, Literal(concept.label, language="en"))
    yield Triple(node, SKOS.prefLabel, Literal(concept.label, language="en"))
    for alias in concept.aliases:
        yield Triple(node, SKOS.altLabel, Literal(alias, language="en"))
    yield Triple(node, SKOS.inScheme, iris.scheme())
    for broader in concept.broader:
        yield Triple(node, SKOS.broader, iris.concept(broader))
    for related in concept.related:
        yield Triple(node, SKOS.related, iris.concept(related))
    yield from matches_of(node, concept.matches, iris)
    yield from grounds_of(node, concept.grounds, iris)
    label = Literal(concept.label, language="en")
    yield from replaced(node, concept.former, iris.concept, label)


def _record(record: Record, iris: Iris) -> Iterator[Triple]:
    node = iris.record(record)
    yield Triple(node, RDF.type, KG.SourceRecord)
    yield Triple(node, RDF.type, PROV.Entity)
    yield Triple(node, RDFS.label, Literal(f"{record.source.name}, record {record.position}"))
    yield Triple(node, DCTERMS.source, Literal(record.source.name))
    yield Triple(node, DCTERMS.isPartOf, iris.source(record.source))
    yield Triple(node, KG.position, integer(record.position))
    yield Triple(node, KG.line, integer(record.line))
    yield Triple(node, PROV.value, Literal(record.raw))
    if record.id:
        yield Triple(node, DCTERMS.identifier, Literal(record.id))


def _text(text: Text, paper: Paper, identity: Identity, iris: Iris) -> Iterator[Triple]:
    chosen = text.text == (paper.title if text.field == "title" else paper.abstract)
    node = iris.text(paper.key, text.field, "" if chosen else text.text)
    yield Triple(node, RDF.type, NIF.Context)
    yield Triple(node, NIF.isString, Literal(text.text))
    yield Triple(node, NIF.beginIndex, integer(0))
    yield Triple(node, NIF.endIndex, integer(len(text.text)))
    yield Triple(node, KG.textOf, iris.paper(paper.key))
    for record in text.records:
        yield Triple(node, KG.textOf, iris.record(record))
    for mention, name in text.mentions:
        place = iris.mention(node, mention.start, mention.end)
        yield Triple(place, RDF.type, NIF.Phrase)
        yield Triple(place, RDF.type, KG.Mention)
        yield Triple(place, NIF.referenceContext, node)
        yield Triple(place, NIF.beginIndex, integer(mention.start))
        yield Triple(place, NIF.endIndex, integer(mention.end))
        yield Triple(place, NIF.anchorOf, Literal(mention.text))
        yield Triple(place, ITSRDF.taIdentRef, iris.concept(identity.concept_of[name]))
        confidence = Literal(f"{mention.confidence:.12g}", datatype=XSD.double)
        yield Triple(place, ITSRDF.taConfidence, confidence)


def _documents(identity: Identity, iris: Iris) -> Iterator[Triple]:
    for source, count in identity.sources.items():
        node = iris.source(source)
        yield Triple(node, RDF.type, KG.SourceDocument)
        yield Triple(node, RDF.type, PROV.Entity)
        yield Triple(node, RDFS.label, Literal(source.name))
        yield Triple(node, DCTERMS.title, Literal(source.name))
        yield Triple(node, DCTERMS.format, Literal(source.format))
        yield Triple(node, KG.heldRecords, integer(count))
        if source.stated is not None:
            yield Triple(node, KG.statedRecords, integer(source.stated))
        if source in identity.owner_of:
            yield Triple(node, KG.pageOf, iris.person(identity.owner_of[source]))
    for note in identity.notes:
        yield Triple(iris.source(note.source), SKOS.note, Literal(note.text))
