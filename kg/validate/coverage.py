"""What of SHACL the fast engine does as the reference does, told from the shapes alone.

`shacl` passes W3C's tests but one, and yet differs from pySHACL where the two follow Python or
Rust rather than a standard: in which regular expressions there are, in how values of different
datatypes compare, and in what neither the standard nor the tests say. Shapes that ask for such a
thing are not covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rdflib import RDF, SH, XSD, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.validate.datatypes import well_formed
from kg.validate.reach import TARGETS, deactivated
from kg.validate.sound import recursive

_SHARED = """
    path property node and or targetClass targetNode targetSubjectsOf targetObjectsOf class nodeKind
    minCount maxCount minLength maxLength languageIn uniqueLang equals disjoint hasValue in
    closed ignoredProperties qualifiedValueShape qualifiedMinCount
    message severity name description order group defaultValue deactivated
    inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath
"""
_COVERED = {SH[name] for name in _SHARED.split()}
_RANGES = (SH.minInclusive, SH.maxInclusive, SH.minExclusive, SH.maxExclusive)
_ORDERS = (SH.lessThan, SH.lessThanOrEquals)
# Numbers that both engines compare as they are. To a double or a float, shacl rounds the other
# number; rdflib has more digits of a float than there are.
_EXACT = {XSD.integer, XSD.decimal, XSD.int, XSD.long, XSD.short}
# "1"^^xsd:boolean is true by its value, and not for all.
_BOOLEANS = (SH.closed, SH.uniqueLang, SH.qualifiedValueShapesDisjoint)
# shacl takes any text for a value of these, and no pattern can tell it which are none.
_DATATYPES = {RDF.JSON, RDF.HTML, RDF.XMLLiteral}
# Letters, classes, groups and counts: what Python and Rust read alike. \w, \b and \d are not
# among them, as the two have other letters and digits; \s is, by `pattern`.
_PATTERN = re.compile(
    r"(?:[^\\\[\](){}?*+]|\\[sS.\\/\-+*?()\[\]{}|^$]|\(\?:|\((?!\?)|\)|[?*+]\??(?![+?])"
    r"|\{\d+(?:,\d*)?\}(?!\+)|\[\^?\]?(?:(?!--)[^\\\[\]&~]|\\[sS.\\/\-+*?()\[\]{}|^$])+\])*"
)
# Python counts these four among the spaces.
_SPACES = {"s": r"[\s\x1c-\x1f]", "S": r"[^\s\x1c-\x1f]"}
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


def pattern(text: str) -> str:
    """A regular expression of Python that is covered, as Rust has it."""
    return re.sub(r"\\(.)", lambda found: _SPACES.get(found[1], found[0]), text, flags=re.DOTALL)


def _faults(graph: Graph, shape: Node, predicate: Node, value: Node) -> Iterator[str]:
    if predicate in _BOOLEANS and str(value) not in ("true", "false"):
        yield f"sh:{str(predicate).removeprefix(str(SH))} {value}"
    if not str(predicate).startswith(str(SH)) or predicate in _COVERED:
        if predicate == SH.minLength and str(value) == "0":
            yield "sh:minLength 0"
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
        if str(value):  # pySHACL has no "s", and Python more letters for "i"
            yield f"{name} {str(value)!r}"
    elif predicate in _RANGES:
        asked = graph.value(shape, SH.datatype)
        if not isinstance(value, Literal) or not _alike(asked, value):
            yield f"{name} without the sh:datatype of a like number beside it"
    elif predicate in _ORDERS:
        if not _numeric(graph, shape, value):
            yield f"{name} without the sh:datatype of like numbers on both sides"
    elif predicate in _NEGATING:
        members: Iterable[Node] = [value]
        if predicate == SH.xone:
            members = Collection(graph, value)
        elif predicate == SH.qualifiedMaxCount:
            members = graph.objects(shape, SH.qualifiedValueShape)
        if any(_sensitive(graph, member) for member in members):
            yield f"{name} over datatypes, patterns or ranges"
    elif predicate == SH.qualifiedValueShapesDisjoint:
        if value == Literal(True):
            yield name
    else:
        yield name


def _alike(asked: Node | None, bound: Literal) -> bool:
    """Whether all values of a datatype compare with a number alike."""
    value = bound.value
    if value != value or not well_formed(bound, str(bound.datatype)):  # NaN, or no number
        return False
    if asked != XSD.double or bound.datatype not in _EXACT:
        return _both(asked, bound.datatype)
    return bool(abs(value) < 2**53 and float(value) == value)


def _both(one: Node | None, other: Node | None) -> bool:
    return (one in _EXACT and other in _EXACT) or one == other == XSD.double


def _numeric(graph: Graph, shape: Node, other: Node) -> bool:
    """Whether a property and the one it is compared with must both be numbers of a like kind."""
    asked = graph.value(shape, SH.datatype)
    aimed = any((shape, target, None) in graph for target in TARGETS)
    referring = list(graph.subject_predicates(shape))
    return not aimed and all(
        predicate == SH.property
        and any(
            _both(asked, graph.value(beside, SH.datatype))
            for beside in graph.objects(parent, SH.property)
            if graph.value(beside, SH.path) == other and not deactivated(graph, beside)
        )
        for parent, predicate in referring
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
