"""The shapes as the fast engine serves them best; what they ask for stays the same."""

from __future__ import annotations

from rdflib import RDF, RDFS, SH, BNode, Graph, URIRef
from rdflib import Literal as Text
from rdflib.term import Node

from kg.validate.coverage import named, pattern
from kg.validate.reach import TARGETS


def suited(shapes: Graph, nodes: frozenset[Node]) -> Graph:
    """A copy of a shapes graph; `nodes` are the shapes in it.

    Each has an IRI, since the engine gives blank nodes names of its own; the patterns are Rust's;
    and where no result can tell, sh:class is the path that it stands for. The engine looks up
    all members of the class anew for each node that it asks a shape in a shape about. The targets
    of SHACL's advanced features are left out: kg does not run them.
    """
    unseen = nodes - _told(shapes)
    copy = Graph(bind_namespaces="none")
    for subject, predicate, value in shapes:
        if predicate == SH.target:
            continue
        owner = named(subject) if subject in nodes else subject
        if predicate == SH["class"] and subject in unseen:
            copy.add((owner, SH.property, _member(copy, value)))
            continue
        if predicate == SH.pattern:
            value = Text(pattern(str(value)))
        copy.add((owner, predicate, named(value) if value in nodes else value))
    return copy


def _told(shapes: Graph) -> set[Node]:
    """The shapes of which results tell; the others are at most held against a node."""
    told: set[Node] = set()
    ahead = [shape for target in TARGETS for shape in shapes.subjects(target)]
    while ahead:
        shape = ahead.pop()
        if shape not in told:
            told.add(shape)
            ahead += shapes.objects(shape, SH.property)
    return told


def _member(copy: Graph, kind: Node) -> URIRef:
    """A new shape of what is a member of a class: rdf:type/rdfs:subClassOf* leads to it."""
    name, head, rest, above = named(BNode()), BNode(), BNode(), BNode()
    assert isinstance(name, URIRef)
    copy.add((name, RDF.type, SH.PropertyShape))
    copy.add((name, SH.path, head))
    copy.add((name, SH.hasValue, kind))
    copy.add((head, RDF.first, RDF.type))
    copy.add((head, RDF.rest, rest))
    copy.add((rest, RDF.first, above))
    copy.add((rest, RDF.rest, RDF.nil))
    copy.add((above, SH.zeroOrMorePath, RDFS.subClassOf))
    return name
