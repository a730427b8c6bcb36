"""What must hold of shapes before any engine sees them, in words that say what to mend.

The engines differ in what they let through, and the W3C's shapes for shapes do not look at
everything. What is found here ends a validation alike whichever engine was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from rdflib import RDF, RDFS, SH, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.namespace import OWL
from rdflib.term import Node

from kg.validate.datatypes import ill_formed
from kg.validate.malformed import (
    Fault,
    circular_paths,
    crooked,
    is_list,
    meant,
    said,
    statements,
    word,
)
from kg.validate.names import closest
from kg.validate.patterns import PatternError, compiled
from kg.validate.queries import query_faults
from kg.validate.reach import deactivated

DEEPEST = 30  # shapes in shapes in shapes; the engines and Python give up some way beyond
_LISTS = (SH["and"], SH["or"], SH.xone)
_ALL_LISTS = (*_LISTS, SH["in"], SH.languageIn, SH.ignoredProperties)
_SHAPES = (SH.node, SH["not"], SH.property, SH.qualifiedValueShape)
_COUNTS = (
    *(SH.minCount, SH.maxCount, SH.minLength, SH.maxLength),
    *(SH.qualifiedMinCount, SH.qualifiedMaxCount),
)
_RANGES = (SH.minInclusive, SH.maxInclusive, SH.minExclusive, SH.maxExclusive)
# What only shapes with a path may ask for.
_OF_PATHS = (*(SH.minCount, SH.maxCount, SH.lessThan, SH.lessThanOrEquals, SH.uniqueLang),)
# All that is a constraint by itself; sh:property, sh:node and the lists of shapes only hand on.
_ASKING = {
    *_COUNTS, *_RANGES, *_OF_PATHS, SH["class"], SH.datatype, SH.nodeKind, SH.pattern,
    SH.languageIn, SH.equals, SH.disjoint, SH.hasValue, SH["in"], SH["not"], SH.closed,
}  # fmt: skip
# The values with which some of these ask for nothing. (sh:minLength 0 forbids blank nodes.)
_NOTHING: Mapping[Node, object] = {
    SH.minCount: 0, SH.qualifiedMinCount: 0, SH.closed: False, SH.uniqueLang: False,
}  # fmt: skip
_SEVERITIES = {
    f"{SH}{name}"
    for name in ("Violation", "Warning", "Info", "Debug", "Trace")  # the last two of SHACL 1.2
}
_FLAGS = "smixq"  # that regular expressions of XPath, and so of SHACL, have


def circles(graph: Graph) -> Iterator[Fault]:
    """Lists that run in a circle: whoever reads one never ends. Look for these first."""
    for head in sorted(set(graph.subjects(RDF.rest)), key=str):
        seen, rest = {head}, graph.value(head, RDF.rest)
        while rest is not None and rest != RDF.nil:
            if rest in seen:
                owners = sorted((node for node, _ in graph.subject_predicates(head)), key=str)
                outside = [node for node in owners if node not in seen]
                yield (outside or [head])[0], "a list in it runs in a circle"
                break
            seen.add(rest)
            rest = graph.value(rest, RDF.rest)

    yield from circular_paths(graph)


def not_lists(graph: Graph, prefixes: Mapping[str, str]) -> Iterator[Fault]:
    """What stands in the place of a list, or is a list only in part. Look for these next."""
    for predicate in _ALL_LISTS:
        for shape, value in statements(graph, predicate):
            if value == RDF.nil and predicate in _LISTS:
                yield shape, f"{word(predicate)} (): it must be a list of one shape or more"
            if not is_list(graph, value):
                told = said(predicate, value, prefixes)
                yield shape, f"{told}: it must be a list, as in {word(predicate)} ( ... )"


def faults(graph: Graph, shapes: Iterable[Node], prefixes: Mapping[str, str]) -> Iterator[Fault]:
    """What else is wrong with shapes."""
    for shape in sorted(shapes, key=str):
        for path in sorted(graph.objects(shape, SH.path), key=str):
            yield from ((shape, why) for why in crooked(graph, path, prefixes))
    for shape, predicate, value in _references(graph):
        told = said(predicate, value, prefixes)
        if isinstance(value, Literal):
            yield shape, f"{told}: it must name a shape, and this is a text"
        elif isinstance(value, URIRef) and (value, None, None) not in graph:
            yield shape, f"{told}: there is no shape of that name in what was given"
    for shape, value in statements(graph, SH.node):
        if (value, SH.path, None) in graph:
            yield (
                shape,
                f"{said(SH.node, value, prefixes)}: it must name a shape without a sh:path; one"
                " with a sh:path belongs into sh:property",
            )
    for shape in _deep(graph, shapes):
        yield shape, f"shapes stand in shapes more than {DEEPEST} deep"
    yield from _values(graph, prefixes)
    classes: set[object] = set(graph.transitive_subjects(RDFS.subClassOf, RDFS.Class))
    for shape in sorted(shapes, key=str):
        yield from _combined(graph, shape, classes)
    yield from query_faults(graph, shapes, prefixes)


def _values(graph: Graph, prefixes: Mapping[str, str]) -> Iterator[Fault]:
    """Values that are of the right type, and still wrong."""
    for predicate in _COUNTS:
        for shape, value in statements(graph, predicate):
            if isinstance(value, Literal) and isinstance(value.value, int) and value.value < 0:
                yield shape, f"{said(predicate, value, prefixes)}: it must be 0 or more"
    for predicate in _RANGES:
        for shape, value in statements(graph, predicate):
            if isinstance(value, Literal) and ill_formed(value):
                told = said(predicate, value, prefixes)
                yield shape, f"{told}: the value is not of the type it names"
    for shape, value in statements(graph, SH.flags):
        if set(str(value)) - set(_FLAGS):
            told = said(SH.flags, value, prefixes)
            yield shape, f"{told}: there are only the flags {', '.join(_FLAGS)}"
    for shape, value in statements(graph, SH.pattern):
        try:
            compiled(str(value), "".join(map(str, graph.objects(shape, SH.flags))))
        except PatternError as error:
            yield shape, f"{said(SH.pattern, value, prefixes)}: {error}"
        except re.error as error:
            yield shape, f"sh:pattern {str(value)!r} is no regular expression ({error})"
    for node, value in statements(graph, SH.shapesGraph):
        if not isinstance(value, URIRef):
            yield node, f"{said(SH.shapesGraph, value, prefixes)}: it must be an IRI"


def unknown(graph: Graph) -> Iterator[Fault]:
    """Properties and severities in SHACL's namespace that SHACL does not have: mostly misspelt."""
    # rdflib lists those apart that are words of Python.
    known = {str(term) for term in dir(SH)}
    known |= {str(SH[name]) for name in ("and", "class", "in", "not", "or")}
    told = set()
    for subject, predicate, _ in sorted(graph, key=str):
        if not str(predicate).startswith(str(SH)) or str(predicate) in known:
            continue
        if (subject, predicate) not in told:
            told.add((subject, predicate))
            close = closest(str(predicate), known)
            yield subject, f"{word(predicate)}, and SHACL has no such property{meant(close)}"
    for subject, severity in statements(graph, SH.severity):
        if str(severity).startswith(str(SH)) and str(severity) not in _SEVERITIES:
            close = closest(str(severity), _SEVERITIES)
            name = word(severity)
            yield subject, f"the severity {name}, and SHACL has no such severity{meant(close)}"


def imports(graph: Graph) -> list[Node]:
    """What shapes import, but for the ontologies that are among them and SHACL itself."""
    here = {*graph.subjects(RDF.type, OWL.Ontology), *graph.subjects(SH.declare)}
    known = {address(str(node)) for node in (*here, URIRef(str(SH)))}
    found = set(graph.objects(None, OWL.imports))
    return sorted((node for node in found if address(str(node)) not in known), key=str)


def address(iri: str) -> str:
    """What an IRI with a fragment is a part of."""
    return iri.partition("#")[0]


def recursive(graph: Graph, shapes: Iterable[Node]) -> list[Node]:
    """The shapes by which shapes come back to themselves, one of each circle at least."""
    return sorted(_walked(graph, shapes)[1], key=str)


def references(graph: Graph, shape: Node) -> Iterator[Node]:
    """The shapes that a shape refers to."""
    for predicate in _SHAPES:
        yield from graph.objects(shape, predicate)
    for predicate in _LISTS:
        for head in graph.objects(shape, predicate):
            yield from Collection(graph, head)


def _references(graph: Graph) -> Iterator[tuple[Node, Node, Node]]:
    for predicate in _SHAPES:
        for shape, value in statements(graph, predicate):
            yield shape, predicate, value
    for predicate in _LISTS:
        for shape, head in statements(graph, predicate):
            for value in Collection(graph, head):
                yield shape, predicate, value


def _walked(graph: Graph, shapes: Iterable[Node]) -> tuple[dict[Node, int], set[Node]]:
    """How deep shapes stand in each shape, and those in which a circle closes; no recursion."""
    depth: dict[Node, int] = {}
    closing: set[Node] = set()
    open_shapes: set[Node] = set()
    for start in sorted(shapes, key=str):
        if start in depth:
            continue
        walk = [(start, references(graph, start))]
        open_shapes.add(start)
        reached = [0]
        while walk:
            shape, ahead = walk[-1]
            for following in ahead:
                if following in open_shapes:
                    closing.add(following)
                elif following in depth:
                    reached[-1] = max(reached[-1], depth[following] + 1)
                else:
                    open_shapes.add(following)
                    walk.append((following, references(graph, following)))
                    reached.append(0)
                    break
            else:
                walk.pop()
                open_shapes.discard(shape)
                depth[shape] = reached.pop()
                if reached:
                    reached[-1] = max(reached[-1], depth[shape] + 1)
    return depth, closing


def _deep(graph: Graph, shapes: Iterable[Node]) -> list[Node]:
    depth = _walked(graph, shapes)[0]
    deep = [shape for shape, number in depth.items() if number > DEEPEST]
    return [max(deep, key=lambda shape: (depth[shape], str(shape)))] if deep else []


def _combined(graph: Graph, shape: Node, classes: Set[object]) -> Iterator[Fault]:
    """What does not go together in one shape."""
    has, kinds = set(graph.predicates(shape)), set(graph.objects(shape, RDF.type))
    paths = len(set(graph.objects(shape, SH.path)))
    of_property = SH.PropertyShape in kinds or (None, SH.property, shape) in graph
    if isinstance(shape, BNode) and kinds & classes:
        yield shape, "it is a class, of rdfs:Class: it must have an IRI"
    if paths and SH.NodeShape in kinds:
        yield shape, "it is a sh:NodeShape and has a sh:path; make it a sh:PropertyShape"
    elif paths > 1 or (of_property and not paths):
        yield shape, f"it has {paths or 'no'} sh:path and needs one"
    elif not paths:
        for predicate in (*_OF_PATHS, SH.qualifiedValueShape):
            if predicate in has:
                yield (
                    shape,
                    f"{word(predicate)} is only for shapes with a sh:path; put it into"
                    f" sh:property [ sh:path ... ; {word(predicate)} ... ]",
                )
    counted = has & {SH.qualifiedMinCount, SH.qualifiedMaxCount}
    if not paths:
        return  # W3C's tests have it that a node shape may have half of them
    if counted and SH.qualifiedValueShape not in has:
        yield shape, f"{word(min(counted, key=str))} needs a sh:qualifiedValueShape beside it"
    if SH.qualifiedValueShape in has and not counted:
        yield (
            shape,
            "sh:qualifiedValueShape needs a sh:qualifiedMinCount or sh:qualifiedMaxCount beside it",
        )


def asking(graph: Graph, shapes: Iterable[Node]) -> set[Node]:
    """The shapes that ask for anything that is run, or hand their nodes on to one that does."""
    if next(graph.subjects(RDF.type, SH.ConstraintComponent), None) is not None:
        return set(shapes)  # any property may be one of its parameters
    ahead = {shape for shape in shapes if not deactivated(graph, shape)}
    found: set[Node] = set()
    while more := {shape for shape in ahead if _asks(graph, shape, found)}:
        found |= more
        ahead -= more
    return found


def _asks(graph: Graph, shape: Node, asking: set[Node]) -> bool:
    """Whether a shape asks for anything, given some of those that do."""
    for predicate, value in graph.predicate_objects(shape):
        if predicate in (SH.node, SH.property):
            asks = value in asking
        elif predicate in _LISTS:
            members = [member in asking for member in Collection(graph, value)]
            asks = any(members) if predicate == SH["and"] else all(members)
            asks = asks or (predicate == SH.xone and len(members) > 1)
        elif predicate == SH.sparql:
            asks = not deactivated(graph, value)
        else:
            asks = predicate in _ASKING and not _says_nothing(predicate, value)
        if asks:
            return True
    return False


def _says_nothing(predicate: Node, value: Node) -> bool:
    if predicate not in _NOTHING or not isinstance(value, Literal):
        return False
    return bool(value.value == _NOTHING[predicate])
