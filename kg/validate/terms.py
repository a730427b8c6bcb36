"""RDF terms of Oxigraph as terms of rdflib and back, one by one and without changing any.

rdflib tidies literals ("01" becomes 1) unless it is told not to; here the lexical form stays,
because a validator must see what was written.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import pyoxigraph as ox
import rdflib
from rdflib.namespace import XSD
from rdflib.term import Identifier, Node

from kg.errors import UsageError, printable
from kg.validate.names import BASE
from kg.validate.rdf12 import NOT_TAKEN

_PLAIN = ox.NamedNode("http://www.w3.org/2001/XMLSchema#string")


# Texts whose white space rdflib tidies even where it is told not to.
_TIDIED = (XSD.token, XSD.normalizedString)


@contextmanager
def unheard() -> Iterator[None]:
    """Keep rdflib from complaining, with a traceback, of each literal that its datatype forbids.

    The shapes have their own, shorter word for it.
    """
    logger = logging.getLogger("rdflib.term")

    def refuse(_: logging.LogRecord) -> bool:
        return False

    logger.addFilter(refuse)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, module=r"rdflib\.term")
            yield
    finally:
        logger.removeFilter(refuse)


def to_rdflib(quads: Iterable[ox.Quad], prefixes: Mapping[str, str] | None = None) -> rdflib.Graph:
    """The triples of all graphs together, as a new rdflib graph in memory.

    It has the prefixes as if rdflib had read them, which pySHACL's messages use.

    Raises UsageError for a triple term or a base direction of RDF 1.2, which SHACL does not know.
    """
    graph = rdflib.Graph()
    for prefix, iri in (prefixes or {}).items():
        if prefix != BASE:
            graph.bind(prefix, iri)
    seen: dict[ox.NamedNode, Identifier] = {}

    def term(node: object) -> Identifier:
        if isinstance(node, ox.NamedNode):
            if node not in seen:
                seen[node] = rdflib.URIRef(node.value)
            return seen[node]
        if isinstance(node, ox.BlankNode):
            return rdflib.BNode(node.value)
        if isinstance(node, ox.Literal) and not node.direction:
            return _literal(node)
        raise UsageError(NOT_TAKEN)

    with unheard():
        graph.addN(
            (term(quad.subject), term(quad.predicate), term(quad.object), graph) for quad in quads
        )
    return graph


def bound(graph: rdflib.Graph) -> dict[str, str]:
    """The prefixes of a graph."""
    return {prefix: str(iri) for prefix, iri in graph.namespaces()}


def copied(graph: rdflib.Graph) -> rdflib.Graph:
    """Another graph with the same triples and prefixes."""
    copy = rdflib.Graph(namespace_manager=graph.namespace_manager)
    for triple in graph:
        copy.add(triple)
    return copy


def from_rdflib(graph: rdflib.Graph) -> Iterator[ox.Quad]:
    """The triples of an rdflib graph, or of all graphs of a dataset, as quads.

    Raises UsageError for what is no RDF: rdflib lets a graph have a literal as a subject.
    """
    if isinstance(graph, rdflib.Dataset):
        triples = {(s, p, o) for s, p, o, _ in graph.quads((None, None, None, None))}
    else:
        triples = set(graph)
    for subject, predicate, value in triples:
        named, owner = ox_term(predicate), ox_term(subject)
        if isinstance(owner, ox.Literal) or not isinstance(named, ox.NamedNode):
            raise UsageError(
                f"no triple of RDF begins with {subject!a} {predicate!a}: the first"
                " must be an IRI or a blank node, the second an IRI"
            )
        yield ox.Quad(owner, named, ox_term(value))


def rdflib_term(node: ox.NamedNode | ox.BlankNode | ox.Literal) -> Identifier:
    """One term of Oxigraph as a term of rdflib."""
    if isinstance(node, ox.NamedNode):
        return rdflib.URIRef(node.value)
    if isinstance(node, ox.BlankNode):
        return rdflib.BNode(node.value)
    return _literal(node)


def _literal(node: ox.Literal) -> rdflib.Literal:
    if node.language:
        return rdflib.Literal(node.value, lang=node.language)
    if node.datatype == _PLAIN:
        return rdflib.Literal(node.value)
    datatype = rdflib.URIRef(node.datatype.value)
    if datatype in _TIDIED:
        text = rdflib.Literal(node.value)
        text._datatype = datatype
        return text
    return rdflib.Literal(node.value, datatype=datatype, normalize=False)


def ox_term(node: Node) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    """One term of rdflib as a term of Oxigraph. Raises UsageError for what is no RDF term."""
    try:
        if isinstance(node, rdflib.URIRef):
            return ox.NamedNode(str(node))
        if isinstance(node, rdflib.BNode):
            return ox.BlankNode(str(node))
        if isinstance(node, rdflib.Literal):
            if node.language:
                return ox.Literal(str(node), language=node.language)
            if node.datatype:
                return ox.Literal(str(node), datatype=ox.NamedNode(str(node.datatype)))
            return ox.Literal(str(node))
    except ValueError as error:
        raise UsageError(f"{node!a} is no RDF term: {printable(str(error))}") from error
    raise UsageError(f"{node!a} is no RDF term")
