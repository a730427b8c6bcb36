"""What shapes aim at and the data does not have: mostly a word that is misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions, Store
from rdflib import SH, URIRef
from rdflib.term import Node

from kg.rdf.vocabulary import RDF, RDFS
from kg.validate.names import closest, curie, shown
from kg.validate.shapes import Shapes, shape_name
from kg.validate.sound import asking, recursive, unknown
from kg.validate.terms import ox_term

_NOT_RUN = (SH.js, SH.rule, SH.target, SH.expression)
_CLASSES = "SELECT DISTINCT ?x { { ?s a ?x } UNION { GRAPH ?g { ?s a ?x } } }"
_PROPERTIES = "SELECT DISTINCT ?x { { ?s ?x ?o } UNION { GRAPH ?g { ?s ?x ?o } } }"


def unmet(shapes: Shapes, store: Store, prefixes: Mapping[str, str]) -> Iterator[str]:
    """Sentences on what shapes target and the data has nothing of, a line each.

    Each names what was probably meant, where the data has something of that name.
    """
    graph = shapes.graph
    for shape, target in sorted(graph.subject_objects(SH.targetClass), key=str):
        if not _has_member(store, target):
            yield _sentence(shapes, shape, "the class", target, store, _CLASSES, prefixes)
    for predicate, words in (
        (SH.targetSubjectsOf, "what has the property"),
        (SH.targetObjectsOf, "the values of the property"),
    ):
        for shape, target in sorted(graph.subject_objects(predicate), key=str):
            if not isinstance(target, URIRef) or _none(store, None, NamedNode(str(target)), None):
                yield _sentence(shapes, shape, words, target, store, _PROPERTIES, prefixes)
    for shape, target in sorted(graph.subject_objects(SH.targetNode), key=str):
        node = ox_term(target)
        if _none(store, None, None, node) and (
            isinstance(node, Literal) or _none(store, node, None, None)
        ):
            yield _sentence(shapes, shape, "the node", target, store, None, prefixes)


def not_run(shapes: Shapes) -> Iterator[str]:
    """Sentences on what shapes use and no engine here runs, a line each."""
    for predicate in _NOT_RUN:
        for shape in sorted(set(shapes.graph.subjects(predicate)), key=str):
            yield (
                f"The shape {shape_name(shapes, shape)} uses {curie(str(predicate), _SH)},"
                " which goes beyond SHACL Core and is not run."
            )


def circular(shapes: Shapes) -> Iterator[str]:
    """A sentence on each shape that comes back to itself."""
    for shape in recursive(shapes.graph, shapes.nodes):
        yield (
            f"The shape {shape_name(shapes, shape)} refers to itself. SHACL leaves open what that"
            " means: the engine stops where it comes back, and may find less than is wrong."
        )


def idle(shapes: Shapes, targeted: Iterable[Node]) -> list[Node]:
    """The shapes, of some that have targets, that ask for nothing of what is run here."""
    return [shape for shape in targeted if not asking(shapes.graph, shape)]


def saying_nothing(shapes: Shapes, nodes: Iterable[Node]) -> Iterator[str]:
    """A sentence on each of the shapes that are `idle`."""
    for shape in sorted(nodes, key=str):
        yield f"The shape {shape_name(shapes, shape)} asks for nothing that is checked."


def misspelt(shapes: Shapes) -> Iterator[str]:
    """Sentences on properties that SHACL does not have."""
    for node, why in unknown(shapes.graph):
        yield f"The shape {shape_name(shapes, node)} uses {why}"


_SH = {"sh": str(SH)}


def _sentence(
    shapes: Shapes,
    shape: Node,
    what: str,
    target: Node,
    store: Store,
    others: str | None,
    prefixes: Mapping[str, str],
) -> str:
    text = (
        f"The shape {shape_name(shapes, shape)} targets {what}"
        f" {shown(ox_term(target), prefixes)}, and the data has nothing of it."
    )
    close = closest(str(target), _found(store, others)) if others else None
    return f"{text} Did you mean {curie(close, prefixes)}?" if close else text


def _found(store: Store, query: str) -> list[str]:
    rows = store.query(query)
    assert isinstance(rows, QuerySolutions)
    return [row["x"].value for row in rows if isinstance(row["x"], NamedNode)]


def _has_member(store: Store, target: Node) -> bool:
    """Whether a class or one of its subclasses has an instance, as far as the data states it."""
    ahead, seen = [ox_term(target)], set()
    while ahead:
        kind = ahead.pop()
        if kind in seen:
            continue
        seen.add(kind)
        if not _none(store, None, RDF.type, kind):
            return True
        below = store.quads_for_pattern(None, RDFS.subClassOf, kind)
        ahead += [quad.subject for quad in below if isinstance(quad.subject, NamedNode | BlankNode)]
    return False


def _none(
    store: Store,
    subject: NamedNode | BlankNode | None,
    predicate: NamedNode | None,
    value: NamedNode | BlankNode | Literal | None,
) -> bool:
    return next(store.quads_for_pattern(subject, predicate, value), None) is None
