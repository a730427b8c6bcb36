"""What is wrong with a value that a shape in a shape does not take.

A report says of such a value only that it does not fit the shape. So the shape is held against
the value once more, for those results that a person reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from pyoxigraph import NamedNode
from rdflib import SH, BNode, Graph, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.errors import KgError
from kg.rdf.vocabulary import RDFS
from kg.validate.chunks import HIERARCHY, Pass, Validator
from kg.validate.reach import UnboundedError, reach
from kg.validate.report import Result, Term
from kg.validate.view import Target, View
from kg.validate.words import component

_DEEP = 3  # shapes in shapes that are looked into
_MANY = 4  # values of a property that are tried where none of them fits
# The constraints that hold other shapes against a value, all of which it must fit.
_HOLDING = {"Node": SH.node, "And": SH["and"], "QualifiedMinCount": SH.qualifiedValueShape}


def inner(
    graph: Graph, data: View, results: Iterable[Result], deep: int = _DEEP
) -> dict[Result, tuple[Result, ...]]:
    """The results of the shapes in the shapes that some results are about.

    Their focus nodes are the values of the results. A shape that needs the whole data says
    nothing here; neither do any where the data states a large hierarchy of classes.
    """
    asked: dict[Node, dict[Term, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for shape in _held(graph, result):
            for value in _values(data, result):
                asked[shape][value].append(result)
    if not asked or sum(1 for _ in data.stating(RDFS.subClassOf)) > HIERARCHY:
        return {}
    found: dict[Result, list[Result]] = defaultdict(list)
    for shape, values in asked.items():
        for one in _against(graph, data, shape, values):
            for result in values[one.focus]:
                found[result].append(one)
    below: Mapping[Result, tuple[Result, ...]] = {}
    if deep > 1:
        below = inner(graph, data, [one for ones in found.values() for one in ones], deep - 1)
    return {
        result: tuple(dict.fromkeys(part for one in ones for part in below.get(one, (one,))))
        for result, ones in found.items()
    }


def _held(graph: Graph, result: Result) -> Iterator[Node]:
    """The shapes that a result's constraint holds against its value."""
    name = component(result.constraint.value)
    parameter = _HOLDING.get(name)
    if parameter is None:
        return
    named = isinstance(result.shape, NamedNode)
    shape = URIRef(result.shape.value) if named else BNode(result.shape.value)
    for value in sorted(graph.objects(shape, parameter), key=str):
        if name == "And":
            yield from Collection(graph, value)
        else:
            yield value


def _values(data: View, result: Result) -> list[Term]:
    if result.value is not None:
        return [result.value]
    if result.path is None or result.path.startswith(("<", "(", "^")):
        return []
    path = NamedNode(result.path)
    values = {quad.object for quad in data.about(result.focus) if quad.predicate == path}
    return sorted((value for value in values if isinstance(value, Term)), key=str)[:_MANY]


def _against(graph: Graph, data: View, shape: Node, values: Iterable[Term]) -> tuple[Result, ...]:
    nodes = sorted(values, key=str)
    with suppress(UnboundedError, KgError):
        one = Pass((shape,), Target(nodes=frozenset(nodes)), reach(graph, shape))
        return Validator(data, graph, [one])(0, nodes).results
    return ()
