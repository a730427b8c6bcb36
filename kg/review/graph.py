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
    PRO,
    PROV,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
)

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

    def records(self, paper: str) -> list[Record]:
        """The records of a paper, with what the graph knows of each, sorted by place.

        Authors, year and identifiers are those of the paper.
        """
        whole, owners = self._authors(paper)
        year = next((int(text[:4]) for text in self.values(paper, DCTERMS.issued)), None)
        names = list(self.values(paper, DCTERMS.identifier))
        wordings = self._wordings(paper)
        found = []
        for node in self.values(paper, PROV.wasDerivedFrom):
            document = next(self.values(node, DCTERMS.isPartOf), "")
            title, abstract = wordings.get(node, ("", ""))
            source = Source(
                self.label(document),
                next(self.values(document, DCTERMS.format), ""),
                "" if whole or not owners else owners[0],
            )
            found.append(
                Record(
                    source,
                    self._number(node, KG.position),
                    self._number(node, KG.line),
                    raw=node,
                    title=title,
                    abstract=abstract,
                    id=next(self.values(node, DCTERMS.identifier), ""),
                    arxiv=_identifier(names, "arXiv:"),
                    doi=_identifier(names, "doi:"),
                    year=year,
                    authors=tuple(whole),
                )
            )
        return sorted(found, key=lambda r: (r.source.name, r.position, r.raw))

    def _number(self, node: str, predicate: NamedNode) -> int:
        with suppress(StopIteration, ValueError):
            return int(next(self.values(node, predicate)))
        return 0

    def _authors(self, paper: str) -> tuple[list[str], list[str]]:
        """All authors in order where that is known, and the creators."""
        places = []
        for role in self.subjects(PRO.relatesToDocument, paper):
            for person in self.values(role, PRO.isHeldBy):
                places.append((self._number(role, KG.ordinal), self.label(person)))
        creators = sorted(self.label(person) for person in self.values(paper, DCTERMS.creator))
        return [name for _, name in sorted(places)], creators

    def _wordings(self, paper: str) -> dict[str, tuple[str, str]]:
        """For each record its title and its abstract, as the source has them."""
        found: dict[str, tuple[str, str]] = defaultdict(lambda: ("", ""))
        for text in self.subjects(KG.textOf, paper):
            wording = next(self.values(text, NIF.isString), "")
            is_title = text.removeprefix(paper).startswith("#title")
            for record in self.values(text, KG.textOf):
                title, abstract = found[record]
                found[record] = (wording, abstract) if is_title else (title, wording)
        return found


def _identifier(names: list[str], prefix: str) -> str:
    return next((name.removeprefix(prefix) for name in names if name.startswith(prefix)), "")
