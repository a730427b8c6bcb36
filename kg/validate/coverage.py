"""What of SHACL the fast engine does as the reference does, told from the shapes alone.

`shacl` passes W3C's tests but one, and yet differs from pySHACL where the two follow Python or
Rust rather than a standard: in which regular expressions there are, in how values of different
datatypes compare, in dates beyond Python's, and in what neither the standard nor the tests say.
Shapes that ask for such a thing are not covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rdflib import RDF, SH, XSD, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.validate.sound import recursive

_SHARED = """
    path property node and or targetClass targetNode targetSubjectsOf targetObjectsOf class nodeKind
    minCount maxCount minLength maxLength languageIn uniqueLang equals disjoint hasValue in
    closed ignoredProperties qualifiedValueShape qualifiedMinCount qualifiedMaxCount
    message severity name description order group defaultValue deactivated
    inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath
"""
_COVERED = {SH[name] for name in _SHARED.split()}
_RANGES = (SH.minInclusive, SH.maxInclusive, SH.minExclusive, SH.maxExclusive)
_ORDERS = (SH.lessThan, SH.lessThanOrEquals)
_NUMBERS = {XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.int, XSD.long, XSD.short}
# Of these, rdflib refuses values that shacl does not. It has no date of a year beyond 9999 and no
# 24:00:00 either, in which it is wrong and which no one misses: dates and times are covered.
_DATATYPES = {XSD.yearMonthDuration, XSD.hexBinary, XSD.base64Binary}
# rdflib changes the values of these when it reads them.
_DATATYPES |= {XSD.token, XSD.normalizedString, XSD.dateTimeStamp, RDF.HTML, RDF.XMLLiteral}
# Letters, digits, classes, groups and counts: what Python and Rust read alike. \w and \b are
# not among them, as the two have other letters.
_PATTERN = re.compile(
    r"(?:[^\\\[\](){}?*+]|\\[sSdD.\\/\-+*?()\[\]{}|^$]|\(\?:|\((?!\?)|\)|[?*+]\??(?![+?])"
    r"|\{\d+(?:,\d*)?\}|\[\^?\]?(?:[^\\\[\]&~]|\\[sSdD.\\/\-+*?()\[\]{}|^$])+\])*"
)
_FLAGS = re.compile("[is]*")
# Their results are on the values of a path, and not on nodes that the shape aims at.
NESTED = "sh:property beside a sh:path"
_NEGATING = (SH["not"], SH.xone, SH.qualifiedMaxCount)


def uncovered(graph: Graph, shapes: frozenset[Node]) -> tuple[str, ...]:
    """What the shapes ask for and the fast engine may see differently, as parts of a sentence."""
    found: dict[str, None] = {}
    for shape in sorted(shapes, key=str):
        for predicate, value in graph.predicate_objects(shape):
            found |= dict.fromkeys(_faults(graph, shape, predicate, value))
    if recursive(graph, shapes):
        found["shapes that refer to themselves"] = None
    if next(graph.subjects(RDF.type, SH.ConstraintComponent), None) is not None:
        found["constraint components of one's own"] = None
    return tuple(sorted(found))


def _faults(graph: Graph, shape: Node, predicate: Node, value: Node) -> Iterator[str]:
    if not str(predicate).startswith(str(SH)) or predicate in _COVERED:
        if predicate == SH.minLength and str(value) == "0":
            yield "sh:minLength 0"
        if predicate == SH.uniqueLang and str(value) not in ("true", "false"):
            yield f"sh:uniqueLang {value}"
        if predicate == SH.closed and (shape, SH.path, None) in graph:
            yield "sh:closed beside a sh:path"
        if predicate == SH.property and (shape, SH.path, None) in graph:
            yield NESTED
        return
    name = f"sh:{str(predicate).removeprefix(str(SH))}"
    if predicate == SH.datatype:
        if value in _DATATYPES:
            yield f"{name} {_short(value)}"
    elif predicate == SH.pattern:
        if not _PATTERN.fullmatch(str(value)):
            yield f"{name} {str(value)!r}"
    elif predicate == SH.flags:
        if not _FLAGS.fullmatch(str(value)):
            yield f"{name} {str(value)!r}"
    elif predicate in _RANGES:
        if graph.value(shape, SH.datatype) not in _NUMBERS or not _number(value):
            yield f"{name} without the sh:datatype of a number beside it"
    elif predicate in _ORDERS:
        if not _numeric(graph, shape, value):
            yield f"{name} without the sh:datatype of a number on both sides"
    elif predicate in _NEGATING:
        members = Collection(graph, value) if predicate == SH.xone else [value]
        if any(_sensitive(graph, member) for member in members):
            yield f"{name} over datatypes, patterns or ranges"
    elif predicate == SH.qualifiedValueShapesDisjoint:
        if value == Literal(True):
            yield name
    else:
        yield name


def _number(value: Node) -> bool:
    return isinstance(value, Literal) and value.datatype in _NUMBERS and value.value == value.value


def _numeric(graph: Graph, shape: Node, other: Node) -> bool:
    """Whether a property and the one it is compared with must both be numbers."""
    if graph.value(shape, SH.datatype) not in _NUMBERS:
        return False
    return any(
        graph.value(beside, SH.datatype) in _NUMBERS
        for parent in graph.subjects(SH.property, shape)
        for beside in graph.objects(parent, SH.property)
        if graph.value(beside, SH.path) == other
    )


def _sensitive(graph: Graph, shape: Node) -> bool:
    """Whether a shape has a constraint of which the fast engine finds more than the reference."""
    ahead, seen = [shape], set()
    while ahead:
        one = ahead.pop()
        if one in seen:
            continue
        seen.add(one)
        for predicate, value in graph.predicate_objects(one):
            if predicate in (SH.datatype, SH.pattern, *_RANGES, *_ORDERS):
                return True
            ahead += below(graph, predicate, value)
    return False


def below(graph: Graph, predicate: Node, value: Node) -> Iterator[Node]:
    """The shapes that a shape refers to with one statement."""
    if predicate in (SH.property, SH.node, SH["not"], SH.qualifiedValueShape):
        yield value
    elif predicate in (SH["and"], SH["or"], SH.xone):
        yield from Collection(graph, value)


def _short(value: Node) -> str:
    return str(value).replace(str(XSD), "xsd:").replace(str(RDF), "rdf:")


def named(node: Node) -> Node:
    """An IRI in place of a blank node, so that a shape can be told in the outcome."""
    return URIRef(f"urn:x-kg:shape:{node}") if isinstance(node, BNode) else node
