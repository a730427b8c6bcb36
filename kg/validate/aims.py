"""What shapes aim at and the data does not have: mostly a word that is misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions
from rdflib import SH, BNode, Graph, URIRef
from rdflib.term import Node

from kg.rdf.vocabulary import RDF, RDFS
from kg.validate.kept import Kept
from kg.validate.names import BASE, closest, curie, shown
from kg.validate.reach import deactivated
from kg.validate.shapes import Shapes, shape_name
from kg.validate.sound import address, asking, imports, recursive, unknown
from kg.validate.terms import ox_term

_NOT_RUN = (SH.js, SH.target, SH.expression)
# A comparison of a language with a tag, from the left or from the right.
_TAG = re.compile(
    r"""\blang\s*\(\s*[?$]\w+\s*\)\s*!?=\s*(["'])([\w-]+)\1"""
    r"""|(["'])([\w-]+)\3\s*!?=\s*lang\s*\(""",
    re.IGNORECASE,
)
_CLASSES = "SELECT DISTINCT ?x { { ?s a ?x } UNION { GRAPH ?g { ?s a ?x } } }"
_PROPERTIES = "SELECT DISTINCT ?x { { ?s ?x ?o } UNION { GRAPH ?g { ?s ?x ?o } } }"


def unmet(shapes: Shapes, store: Kept, prefixes: Mapping[str, str]) -> Iterator[str]:
    """Sentences on what is not checked: what no engine runs, what the data has nothing of.

    A line each, with what was probably meant where the data has something of that name.
    """
    yield from _beyond(shapes, _NOT_RUN)
    yield from _capitals(shapes)
    graph, off = shapes.graph, out_of_use(shapes.graph)

    def aimed(predicate: Node) -> list[tuple[Node, Node]]:
        pairs = sorted(graph.subject_objects(predicate), key=str)
        return [(shape, target) for shape, target in pairs if shape not in off]

    for shape, target in aimed(SH.targetClass):
        if not _has_member(store, target):
            yield _sentence(shapes, shape, "the class", target, store, _CLASSES, prefixes)
    for predicate, words in (
        (SH.targetSubjectsOf, "what has the property"),
        (SH.targetObjectsOf, "the values of the property"),
    ):
        for shape, target in aimed(predicate):
            if not isinstance(target, URIRef) or _none(store, None, NamedNode(str(target)), None):
                yield _sentence(shapes, shape, words, target, store, _PROPERTIES, prefixes)
    for shape, target in aimed(SH.targetNode):
        if _absent(store, target):
            yield _sentence(shapes, shape, "the node", target, store, None, prefixes)


def absent(shapes: Shapes, store: Kept, shape: Node) -> int:
    """How many nodes a shape names with sh:targetNode that the data does not have."""
    return sum(_absent(store, target) for target in shapes.graph.objects(shape, SH.targetNode))


def not_run(shapes: Shapes) -> Iterator[str]:
    """Sentences on what no engine here runs and asks nothing of the data, a line each.

    Rules are not part of a validation, unless sh:entailment asks for them, which is refused.
    """
    return _beyond(shapes, (SH.rule,))


def _beyond(shapes: Shapes, predicates: Iterable[Node]) -> Iterator[str]:
    off = out_of_use(shapes.graph)
    for predicate in predicates:
        for shape in sorted(set(shapes.graph.subjects(predicate)) - off, key=str):
            yield (
                f"The shape {shape_name(shapes, shape)} uses {curie(str(predicate), _SH)},"
                " which goes beyond SHACL Core and is not run."
            )


def _capitals(shapes: Shapes) -> Iterator[str]:
    """Sentences on comparisons that no value meets, as the tags of languages are in lower case."""
    graph, off = shapes.graph, out_of_use(shapes.graph)
    for predicate in (SH.select, SH.ask):
        for node, text in sorted(graph.subject_objects(predicate), key=str):
            for tag in sorted({found[2] or found[4] for found in _TAG.finditer(str(text))}):
                if node not in off and tag != tag.lower():
                    yield (
                        f"The shape {shape_name(shapes, node)} compares a language with"
                        f' "{tag}", and kg reads languages in lower case. Write'
                        f' langMatches(lang(...), "{tag}"), or "{tag.lower()}".'
                    )


def circular(shapes: Shapes) -> Iterator[str]:
    """A sentence on each shape that comes back to itself."""
    for shape in recursive(shapes.graph, shapes.nodes - out_of_use(shapes.graph)):
        yield (
            f"The shape {shape_name(shapes, shape)} refers to itself. SHACL leaves open what that"
            " means: the engine stops where it comes back, and may find less than is wrong."
        )


def idle(shapes: Shapes, targeted: Iterable[Node]) -> list[Node]:
    """The shapes, of some that have targets, that ask for nothing of what is run here."""
    found = asking(shapes.graph, shapes.nodes)
    return [shape for shape in targeted if shape not in found]


def saying_nothing(shapes: Shapes, nodes: Iterable[Node]) -> Iterator[str]:
    """A sentence on each of the shapes that are `idle`."""
    for shape in sorted(nodes, key=str):
        yield f"The shape {shape_name(shapes, shape)} asks for nothing that is checked."


def misspelt(shapes: Shapes) -> Iterator[str]:
    """Sentences on properties and severities that SHACL does not have."""
    off = out_of_use(shapes.graph)
    for node, why in unknown(shapes.graph):
        if node not in off:
            yield f"The shape {shape_name(shapes, node)} uses {why}"


def imported(shapes: Shapes) -> Iterator[str]:
    """A sentence on each thing that the shapes import and that was not given with them."""
    parts = shapes.data.parts if shapes.data else ()
    files = {part.source.base or part.source.path.resolve().as_uri() for part in parts}
    files.add(address(shapes.prefixes.get(BASE, "")))  # which a file calls itself
    for node in imports(shapes.graph):
        if address(str(node)) not in files:
            yield (
                f"The shapes import {shown(ox_term(node), {})}, and imports are not fetched."
                " Give it with --shapes too."
            )


def out_of_use(graph: Graph) -> set[Node]:
    """The shapes that are deactivated, with what has no name and stands in them."""
    ahead = [shape for shape in set(graph.subjects(SH.deactivated)) if deactivated(graph, shape)]
    found: set[Node] = set()
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead += [value for value in graph.objects(node) if isinstance(value, BNode)]
    return found


_SH = {"sh": str(SH)}


def _sentence(
    shapes: Shapes,
    shape: Node,
    what: str,
    target: Node,
    store: Kept,
    others: str | None,
    prefixes: Mapping[str, str],
) -> str:
    text = (
        f"The shape {shape_name(shapes, shape)} targets {what}"
        f" {shown(ox_term(target), prefixes)}, and the data has nothing of it."
    )
    close = closest(str(target), _found(store, others)) if others else None
    return f"{text} Did you mean {curie(close, prefixes)}?" if close else text


def _found(store: Kept, query: str) -> list[str]:
    rows = store.store.query(query)
    assert isinstance(rows, QuerySolutions)
    return [row["x"].value for row in rows if isinstance(row["x"], NamedNode)]


def _has_member(store: Kept, target: Node) -> bool:
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


def _absent(store: Kept, target: Node) -> bool:
    node = ox_term(target)
    return _none(store, None, None, node) and (
        isinstance(node, Literal) or _none(store, node, None, None)
    )


def _none(
    store: Kept,
    subject: NamedNode | BlankNode | None,
    predicate: NamedNode | None,
    value: NamedNode | BlankNode | Literal | None,
) -> bool:
    return next(store.quads_for_pattern(subject, predicate, value), None) is None
