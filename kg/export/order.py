"""The order in which a graph is written, whatever the format: for readers and for diffs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Store, Triple

from kg.rdf.vocabulary import FABIO, FOAF, KG, NIF, PRO, RDF, RDFS, SKOS, VOID

Subject = NamedNode | BlankNode | Triple
Term = NamedNode | BlankNode | Literal | Triple

# Papers, then people, then concepts, then what these refer to.
_CLASSES = (
    FABIO.Preprint,
    FOAF.Person,
    KG.Method,
    KG.Task,
    KG.Material,
    KG.Metric,
    KG.OtherConcept,
    SKOS.Concept,
    SKOS.ConceptScheme,
    PRO.RoleInTime,
    KG.SourceDocument,
    KG.SourceRecord,
    NIF.Context,
    NIF.Phrase,
    VOID.Dataset,
)
_CONCEPT_RANK = 2
_RANKS: dict[Term, int] = {
    node: min(rank, _CONCEPT_RANK) if node.value.startswith(KG.iri) and rank < 7 else rank
    for rank, node in enumerate(_CLASSES)
}
_FIRST: dict[Term, int] = {RDF.type: 0, RDFS.label: 1}


def subjects(store: Store) -> list[Subject]:
    """All subjects of the default graph, papers first, numbers inside names by their value."""
    ranks: dict[Subject, int] = {}
    for quad in _default_graph(store):
        rank = len(_CLASSES)
        if quad.predicate == RDF.type:
            rank = _RANKS.get(quad.object, rank)
        subject = quad.subject
        if rank < ranks.get(subject, rank + 1):
            ranks[subject] = rank
    return sorted(ranks, key=lambda subject: (ranks[subject], _natural(_name(subject))))


def _default_graph(store: Store) -> Iterable[Quad]:
    return store.quads_for_pattern(None, None, None, DefaultGraph())


def _natural(text: str) -> list[tuple[int, str]]:
    """A sort key by which "#abstract-9-12" comes before "#abstract-10-12"."""
    # A number sorts by its length and then its digits; the whole text breaks ties ("1", "01").
    parts = re.split(r"([0-9]+)", text)
    return [
        (len(part.lstrip("0")) if i % 2 else 0, part.lstrip("0") if i % 2 else part)
        for i, part in enumerate(parts)
    ] + [(0, text)]


def description(store: Store, subject: Subject) -> Iterator[tuple[NamedNode, list[Term]]]:
    """What the default graph says of a subject: predicates in order, their objects in order.

    `rdf:type` comes first, then `rdfs:label`, then the others by IRI.
    """
    found: dict[NamedNode, list[Term]] = {}
    for quad in store.quads_for_pattern(subject, None, None, DefaultGraph()):
        found.setdefault(quad.predicate, []).append(quad.object)
    for predicate in sorted(found, key=lambda p: (_FIRST.get(p, 2), p.value)):
        values = found[predicate]
        yield predicate, sorted(values, key=object_order) if len(values) > 1 else values


def object_order(term: Term) -> tuple[int, list[tuple[int, str]], str]:
    """IRIs before literals; literals by text, then by language and datatype."""
    if isinstance(term, Literal):
        return 1, _natural(term.value), str(term)
    return 0, _natural(_name(term)), ""


def _name(node: Term) -> str:
    return node.value if isinstance(node, NamedNode) else str(node)
