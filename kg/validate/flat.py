"""The shapes of one pass, rewritten so that pySHACL runs them fast and says the same.

pySHACL calls a property shape anew for every focus node of the node shape that it stands in,
and most of its time goes into these calls. A property shape that aims at the same nodes by
itself gives the same results in one call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rdflib import SH, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.validate.reach import TARGETS

OWNED = URIRef("urn:x-kg:owned")  # the predicate of which the focus nodes are the values


def flat(graph: Graph, shapes: Sequence[Node]) -> Graph:
    """A copy of some shapes, which aim at the values of OWNED and at nothing else."""
    copy = _reached(graph, shapes)
    parents = Counter(copy.objects(None, SH.property))
    aiming = list(shapes)
    for shape in shapes:
        # Properties of a property shape are those of its values, not of the focus node.
        if copy.value(shape, SH.path) is not None:
            continue
        # To a shape that holds this one against a node, all of it belongs.
        if (None, None, shape) in copy:
            continue
        lifted = [
            one
            for one in copy.objects(shape, SH.property)
            # One that aims at the nodes by itself too gives its results twice.
            if parents[one] == 1 and one not in shapes
        ]
        for one in lifted:
            copy.remove((shape, SH.property, one))
        if (shape, SH.closed, None) in copy:
            _ignore(copy, shape, [path for one in lifted for path in copy.objects(one, SH.path)])
        aiming += lifted
    for shape in aiming:
        copy.add((shape, SH.targetObjectsOf, OWNED))
    return copy


def _reached(graph: Graph, shapes: Sequence[Node]) -> Graph:
    """What is said of some shapes and of all that they refer to, without their targets."""
    copy = Graph(namespace_manager=graph.namespace_manager)
    ahead, seen = list(shapes), set(shapes)
    while ahead:
        node = ahead.pop()
        for triple in graph.triples((node, None, None)):
            _, predicate, value = triple
            if predicate in TARGETS:
                continue
            copy.add(triple)
            if value not in seen and not isinstance(value, Literal):
                seen.add(value)
                ahead.append(value)
    return copy


def _ignore(graph: Graph, shape: Node, paths: list[Node]) -> None:
    """Let a closed shape allow some properties that it no longer has property shapes for."""
    allowed: set[Node] = {path for path in paths if isinstance(path, URIRef)}
    for head in graph.objects(shape, SH.ignoredProperties):
        allowed.update(Collection(graph, head))
    graph.remove((shape, SH.ignoredProperties, None))
    head = BNode()
    Collection(graph, head, sorted(allowed, key=str))
    graph.add((shape, SH.ignoredProperties, head))
