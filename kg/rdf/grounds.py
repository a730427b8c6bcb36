"""Why things are one, and what they were called before, as triples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Triple

from kg.model import Ground, Match
from kg.rdf.iris import Iris
from kg.rdf.vocabulary import DCTERMS, KG, PROV, RDF, RDFS, SKOS

# What a rule is called in a label.
RULES = {
    "Curation": "ruled by a person",
    "DefinedAbbreviation": "short form defined so",
    "MajorityAbbreviation": "short form mostly defined so",
    "SameAbstract": "same abstract",
    "SameAlternativeLabel": "same other label",
    "SameArxivIdentifier": "same arXiv identifier",
    "SameDoi": "same DOI",
    "SameLetters": "the same letters",
    "SameOrcid": "same ORCID",
    "SamePreferredLabel": "same preferred label",
    "SameTitle": "same title",
    "SharedPaper": "names on the same paper",
    "SimilarTitle": "nearly the same title",
}


def grounds_of(thing: NamedNode, grounds: Iterable[Ground], iris: Iris) -> Iterator[Triple]:
    """The grounds on which records or names were made one thing."""
    for ground in grounds:
        node = iris.ground(thing, ground.rule, ground.value, *ground.names)
        label = RULES.get(ground.rule, ground.rule)
        if ground.value:
            label += f": {ground.value}"
        elif ground.names:
            label += f": {', '.join(ground.names)}"
        yield from _ground(thing, node, ground.rule, ground.value, label)
        for record in ground.records:
            yield Triple(node, PROV.entity, iris.record(record))


def matches_of(thing: NamedNode, matches: Iterable[Match], iris: Iris) -> Iterator[Triple]:
    """What a concept is the same as elsewhere, each match with its ground."""
    for match in matches:
        other = NamedNode(match.iri)
        yield Triple(thing, SKOS.exactMatch if match.exact else SKOS.closeMatch, other)
        node = iris.ground(thing, match.rule, match.value, match.iri)
        label = f"{RULES.get(match.rule, match.rule)}: {match.value}"
        yield from _ground(thing, node, match.rule, match.value, label)
        yield Triple(node, PROV.entity, other)


def _ground(
    thing: NamedNode, node: NamedNode, rule: str, value: str, label: str
) -> Iterator[Triple]:
    yield Triple(thing, PROV.qualifiedDerivation, node)
    yield Triple(node, RDF.type, KG.Ground)
    yield Triple(node, RDF.type, PROV.Derivation)
    yield Triple(node, RDFS.label, Literal(label))
    yield Triple(node, KG.rule, KG[rule])
    if value:
        yield Triple(node, PROV.value, Literal(value))


def replaced(
    thing: NamedNode,
    former: Iterable[str],
    mint: Callable[[str], NamedNode],
    label: Literal,
) -> Iterator[Triple]:
    """The IRIs that a thing would have had, had fewer records been known."""
    for key in former:
        old = mint(key)
        if old != thing:
            yield Triple(old, DCTERMS.isReplacedBy, thing)
            yield Triple(thing, DCTERMS.replaces, old)
            yield Triple(old, RDFS.label, label)
