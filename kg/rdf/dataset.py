"""The graph as a dataset: what it counts, and what made it. No clock, no host, no path."""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import Literal, NamedNode, Store, Triple

from kg.model import Identity
from kg.rdf.iris import Iris
from kg.rdf.vocabulary import (
    BIBO,
    DCAT,
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
    VOID,
    integer,
)

_VOCABULARIES = (KG, BIBO, DCAT, DCTERMS, FABIO, FOAF, ITSRDF, NIF, PRO, PROV, SCHEMA, SKOS, VOID)


def counts(identity: Identity) -> dict[str, int]:
    """How many things of each kind a graph holds."""
    return {
        "papers": len(identity.papers),
        "people": len(identity.people),
        "concepts": len(identity.concepts),
        "mentions": identity.mentions,
        "records": sum(identity.sources.values()),
    }


def base_of(store: Store) -> str | None:
    """The base of the IRIs of a graph, known by its dataset node; None where it has none."""
    for quad in store.quads_for_pattern(None, RDF.type, DCAT.Dataset):
        if isinstance(quad.subject, NamedNode) and quad.subject.value.endswith("/dataset"):
            return quad.subject.value.removesuffix("dataset")
    return None


def describe_dataset(
    identity: Identity, iris: Iris, triples: int, software: dict[str, tuple[str, str]]
) -> list[Triple]:
    """The dataset's description; `triples` is the number of all others.

    `software` has the name and the version of what made the graph, by a name for its IRI.
    """
    found = list(_dataset(identity, iris))
    for name, (label, version) in sorted(software.items()):
        agent = iris.software(name)
        found += [
            Triple(iris.dataset(), PROV.wasAttributedTo, agent),
            Triple(agent, RDF.type, PROV.SoftwareAgent),
            Triple(agent, RDFS.label, Literal(f"{label} {version}")),
            Triple(agent, SCHEMA.softwareVersion, Literal(version)),
        ]
    # This last triple counts itself.
    total = triples + len(found) + 1
    return [*found, Triple(iris.dataset(), VOID.triples, integer(total))]


def _dataset(identity: Identity, iris: Iris) -> Iterator[Triple]:
    node = iris.dataset()
    yield Triple(node, RDF.type, VOID.Dataset)
    yield Triple(node, RDF.type, DCAT.Dataset)
    title = Literal("A knowledge graph of scientific literature", language="en")
    yield Triple(node, RDFS.label, title)
    yield Triple(node, DCTERMS.title, title)
    yield Triple(
        node,
        DCTERMS.description,
        Literal("Papers, their authors and the concepts that they mention.", language="en"),
    )
    for vocabulary in _VOCABULARIES:
        yield Triple(node, VOID.vocabulary, NamedNode(vocabulary.iri))
    if identity.papers:
        yield Triple(node, VOID.exampleResource, iris.paper(identity.papers[0].key))
    if identity.concepts:
        yield Triple(node, VOID.exampleResource, iris.concept(identity.concepts[0].key))
    # Categories are skos:Concepts too, so that no class has just the concepts.
    classes = {
        "papers": SCHEMA.ScholarlyArticle,
        "people": FOAF.Person,
        "mentions": KG.Mention,
        "records": KG.SourceRecord,
    }
    for name, number in counts(identity).items():
        part = iris.dataset(name)
        yield Triple(node, VOID.classPartition, part)
        yield Triple(part, RDF.type, VOID.Dataset)
        yield Triple(part, RDFS.label, Literal(name, language="en"))
        if name in classes:
            yield Triple(part, VOID["class"], classes[name])
        yield Triple(part, VOID.entities, integer(number))
