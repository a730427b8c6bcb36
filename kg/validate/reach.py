"""How far into the data a shape looks from its focus node.

A shape that looks no further than a few steps can be validated on a part of the data: its focus
nodes with what lies on those steps. One that follows a path without end, looks back over nodes
that many others share, or runs a query needs the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rdflib import RDF, SH, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

FURTHEST = 4  # steps from the focus node

# A step is a predicate, or one with "^" in front that is taken backwards.
Steps = tuple[str, ...]

ALL = "*"  # in place of a predicate: every one

TARGETS = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)
# What says nothing about the data beyond the value itself, or nothing at all.
_PLAIN_NAMES = """
    path datatype nodeKind minCount maxCount minLength maxLength pattern flags languageIn
    uniqueLang minInclusive maxInclusive minExclusive maxExclusive hasValue in
    ignoredProperties qualifiedMinCount qualifiedMaxCount message severity name description
    order group defaultValue deactivated targetClass targetNode targetSubjectsOf
    targetObjectsOf rule
"""
_PLAIN = {SH[name] for name in _PLAIN_NAMES.split()}
_COMPARED = (SH.equals, SH.disjoint, SH.lessThan, SH.lessThanOrEquals)
_LISTS = (SH["and"], SH["or"], SH.xone)


class UnboundedError(Exception):
    """A shape needs the whole data; the message says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a shape looks at: of the nodes at the end of some steps, these predicates."""

    needs: Mapping[Steps, frozenset[str]]

    def __or__(self, other: Reach) -> Reach:
        keys = {*self.needs, *other.needs}
        none: frozenset[str] = frozenset()
        return Reach({k: self.needs.get(k, none) | other.needs.get(k, none) for k in keys})


def reach(graph: Graph, shape: Node) -> Reach:
    """The reach of a shape from its focus nodes. Raises UnboundedError."""
    if next(graph.subjects(RDF.type, SH.ConstraintComponent), None) is not None:
        raise UnboundedError("the shapes define constraint components of their own")
    needs: dict[Steps, set[str]] = {}
    _look(graph, shape, {()}, needs, ())
    return Reach({steps: frozenset(wanted) for steps, wanted in needs.items()})


def targeted(graph: Graph, nodes: frozenset[Node]) -> Iterator[Node]:
    """The shapes that have a target and are not deactivated, in a steady order."""
    for shape in sorted(nodes, key=str):
        if deactivated(graph, shape):
            continue
        if any(True for t in TARGETS for _ in graph.objects(shape, t)):
            yield shape


def deactivated(graph: Graph, shape: Node) -> bool:
    """Whether a shape is out of use."""
    return any(true(value) for value in graph.objects(shape, SH.deactivated))


def true(value: Node) -> bool:
    """Whether a value of a shape is true, however it is written."""
    return isinstance(value, Literal) and value.value is True


def aiming(graph: Graph, shapes: frozenset[Node]) -> Graph:
    """A copy of a shapes graph in which only some shapes have their targets."""
    copy = Graph(namespace_manager=graph.namespace_manager)
    for s, p, o in graph:
        if s in shapes or p not in TARGETS:
            copy.add((s, p, o))
    return copy


def _look(
    graph: Graph, shape: Node, at: set[Steps], needs: dict[Steps, set[str]], above: tuple[Node, ...]
) -> None:
    if shape in above:
        raise UnboundedError("it refers to itself")
    if deactivated(graph, shape):
        return
    above = (*above, shape)
    path = graph.value(shape, SH.path)
    values = at if path is None else _walk(graph, path, at, needs)
    for predicate, value in graph.predicate_objects(shape):
        if predicate in _COMPARED:
            _need(needs, at, str(value))
        elif predicate == SH["class"]:
            _need(needs, values, str(RDF.type))
        elif predicate == SH.closed:
            _need(needs, values, ALL)
        elif predicate in (SH.property, SH.node, SH["not"], SH.qualifiedValueShape):
            _look(graph, value, values, needs, above)
        elif predicate in _LISTS:
            for member in Collection(graph, value):
                _look(graph, member, values, needs, above)
        elif predicate == SH.qualifiedValueShapesDisjoint:
            if true(value):
                raise UnboundedError("it uses sh:qualifiedValueShapesDisjoint")
        elif predicate not in _PLAIN and str(predicate).startswith(str(SH)):
            raise UnboundedError(f"it uses sh:{str(predicate).removeprefix(str(SH))}")


def _walk(graph: Graph, path: Node, at: set[Steps], needs: dict[Steps, set[str]]) -> set[Steps]:
    """Where a path leads from the ends of some steps."""
    if isinstance(path, URIRef):
        _need(needs, at, str(path))
        return {_further(steps, str(path)) for steps in at}
    if graph.value(path, RDF.first) is not None:
        for part in Collection(graph, path):
            at = _walk(graph, part, at, needs)
        return at
    for predicate, value in graph.predicate_objects(path):
        if predicate == SH.alternativePath:
            choices = Collection(graph, value)
            return {end for choice in choices for end in _walk(graph, choice, at, needs)}
        if predicate == SH.zeroOrOnePath:
            return at | _walk(graph, value, at, needs)
        if predicate == SH.inversePath:
            if at != {()} or isinstance(value, BNode):
                raise UnboundedError("its path goes back over nodes that others share")
            _need(needs, at, f"^{value}")
            return {(f"^{value}",)}
        if predicate in (SH.zeroOrMorePath, SH.oneOrMorePath):
            raise UnboundedError("its path has no end")
    raise UnboundedError("its path is not known")


def _further(steps: Steps, step: str) -> Steps:
    if len(steps) == FURTHEST:
        raise UnboundedError(f"it looks further than {FURTHEST} steps")
    return (*steps, step)


def _need(needs: dict[Steps, set[str]], at: set[Steps], wanted: str) -> None:
    for steps in at:
        needs.setdefault(steps, set()).add(wanted)
