"""What a review needs of a graph, read back from the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Store

from kg.identity.curation import Kind
from kg.model import Record, Source
from kg.rdf.vocabulary import (
    DCTERMS,
    FOAF,
    KG,
    NIF,
    PROV,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
)
from kg.read import read_again

CLASSES: dict[Kind, tuple[NamedNode, ...]] = {
    "paper": (SCHEMA.ScholarlyArticle,),
    "person": (FOAF.Person,),
    "concept": (KG.Method, KG.Task, KG.Material, KG.Metric, KG.OtherConcept),
}


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground of the graph, as it stands there."""

    label: str
    records: tuple[str, ...]  # their labels: "000.txt, record 3"


@dataclass(slots=True)
class Graph:
    """A store with what was read from it, each thing at most once."""

    store: Store
    _labels: dict[str, str] = field(default_factory=dict)

    def things(self, kind: Kind) -> list[str]:
        """The IRIs of all things of a kind, sorted."""
        found = {
            quad.subject.value
            for one in CLASSES[kind]
            for quad in self.store.quads_for_pattern(None, RDF.type, one)
            if isinstance(quad.subject, NamedNode)
        }
        return sorted(found)

    def label(self, iri: str) -> str:
        """The label of a thing."""
        if iri not in self._labels:
            self._labels[iri] = next(self.values(iri, RDFS.label), iri)
        return self._labels[iri]

    def names(self, iri: str) -> list[str]:
        """The label and the other names of a thing."""
        return [self.label(iri), *sorted(self.values(iri, SKOS.altLabel))]

    def values(self, iri: str, predicate: NamedNode) -> Iterator[str]:
        """The values of a property: texts, or IRIs."""
        for quad in self.store.quads_for_pattern(NamedNode(iri), predicate, None):
            if isinstance(quad.object, NamedNode | Literal):
                yield quad.object.value

    def subjects(self, predicate: NamedNode, iri: str) -> set[str]:
        """What has this thing as the value of a property."""
        quads = self.store.quads_for_pattern(None, predicate, NamedNode(iri))
        return {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}

    def links(self, predicate: NamedNode) -> Mapping[str, set[str]]:
        """For the value of a property all that have it: a concept -> papers."""
        found: dict[str, set[str]] = defaultdict(set)
        for quad in self.store.quads_for_pattern(None, predicate, None):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode):
                found[quad.object.value].add(quad.subject.value)
        return found

    def grounds(self, iri: str) -> list[Ground]:
        """Why a thing is one."""
        found = []
        for node in self.values(iri, PROV.qualifiedDerivation):
            records = sorted(self.label(record) for record in self.values(node, PROV.entity))
            found.append(Ground(self.label(node), tuple(records)))
        return sorted(found, key=lambda ground: ground.label)

    def records(self, paper: str) -> dict[str, Record]:
        """The records of a paper by their IRIs, as they were read, sorted by place."""
        found = {}
        for node in self.values(paper, PROV.wasDerivedFrom):
            document = next(self.values(node, DCTERMS.isPartOf), "")
            place = self._number(node, KG.position), self._number(node, KG.line)
            raw = next(self.values(node, PROV.value), "")
            source = self._source(document)
            # A record of which nothing can be read says nothing.
            found[node] = read_again(source, *place, raw) or Record(source, *place, raw)
        return dict(sorted(found.items(), key=lambda item: (*_place(item[1]), item[0])))

    def titles(self) -> Iterator[str]:
        """All wordings of titles."""
        for quad in self.store.quads_for_pattern(None, NIF.isString, None):
            text = quad.subject.value if isinstance(quad.subject, NamedNode) else ""
            if text.rpartition("#")[2].startswith("title") and isinstance(quad.object, Literal):
                yield quad.object.value

    def _source(self, document: str) -> Source:
        # Whose page it is has its name from all sources, and not as the page spells it.
        owner = next(self.values(document, KG.pageOf), "")
        return Source(
            self.label(document),
            next(self.values(document, DCTERMS.format), ""),
            self.label(owner) if owner else "",
        )

    def _number(self, node: str, predicate: NamedNode) -> int:
        with suppress(StopIteration, ValueError):
            return int(next(self.values(node, predicate)))
        return 0


def _place(record: Record) -> tuple[str, int]:
    return record.source.name, record.position
