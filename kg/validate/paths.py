"""SHACL property paths as the text that SPARQL has for them."""

from __future__ import annotations

from rdflib import RDF, SH, BNode, Graph, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

_SUFFIXES = {SH.zeroOrMorePath: "*", SH.oneOrMorePath: "+", SH.zeroOrOnePath: "?"}


def path_text(graph: Graph, path: Node) -> str:
    """A plain IRI where the path is one property, else SPARQL: "<a>/<b>", "(<a>|<b>)"."""
    return str(path) if isinstance(path, URIRef) else _text(graph, path)


def _text(graph: Graph, path: Node) -> str:
    if not isinstance(path, BNode):
        return f"<{path}>"
    if graph.value(path, RDF.first) is not None:
        return "/".join(_text(graph, step) for step in Collection(graph, path))
    for predicate, value in graph.predicate_objects(path):
        if predicate == SH.inversePath:
            return f"^{_group(graph, value)}"
        if predicate == SH.alternativePath:
            return f"({'|'.join(_text(graph, choice) for choice in Collection(graph, value))})"
        if isinstance(predicate, URIRef) and predicate in _SUFFIXES:
            return f"{_group(graph, value)}{_SUFFIXES[predicate]}"
    return "(a path)"


def _group(graph: Graph, path: Node) -> str:
    text = _text(graph, path)
    return text if isinstance(path, URIRef) or text.startswith("(") else f"({text})"
