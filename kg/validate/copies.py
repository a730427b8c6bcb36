"""What pySHACL copies into its report of the nodes without a name that it speaks of.

Where it runs in parts, on shapes that are rewritten for that, each part would have its own copy,
and one of the rewritten shape. So the parts' reports are taken `bare`, and the one report of all
gets one copy of each node from the shapes and the data that were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import BlankNode, Quad
from pyshacl.rdfutil.clone import clone_blank_node
from rdflib import SH, BNode, Graph
from rdflib.term import Node

from kg.validate.comparing import put_right
from kg.validate.terms import from_rdflib, ox_term, to_rdflib, unheard
from kg.validate.view import View

_TOP = BlankNode("report")  # the node of the one report
_OF_SHAPES = (SH.sourceShape, SH.resultPath, SH.sourceConstraint)
_OF_DATA = (SH.focusNode, SH.value)


def bare(report: Graph) -> tuple[Quad, ...]:
    """The results of a report, without the copies; nothing where there is no result."""
    results = {ox_term(node) for node in report.objects(None, SH.result)}
    top = next((ox_term(node) for node in report.subjects(SH.conforms)), None)
    found = []
    for quad in from_rdflib(report) if results else ():
        if quad.subject in results:
            found.append(quad)
        elif quad.subject == top:
            found.append(Quad(_TOP, quad.predicate, quad.object))
    return tuple(found)


def described(report: Iterable[Quad], shapes: Graph, data: View) -> Graph:
    """The report of which `bare` is left, with the copies that pySHACL makes of the whole."""
    graph = to_rdflib(report)
    in_data = _unnamed(graph, _OF_DATA)
    about = to_rdflib(_about(data, in_data))
    with put_right(), unheard():  # as pySHACL reads literals
        for node in _unnamed(graph, _OF_SHAPES):
            clone_blank_node(shapes, node, graph, keepid=True)
        for node in in_data:
            clone_blank_node(about, node, graph, keepid=True)
    return graph


def _unnamed(report: Graph, predicates: Iterable[Node]) -> set[BNode]:
    nodes = (node for predicate in predicates for node in report.objects(None, predicate))
    return {node for node in nodes if isinstance(node, BNode)}


def _about(data: View, nodes: Iterable[BNode]) -> Iterator[Quad]:
    ahead: list[object] = [ox_term(node) for node in nodes]
    seen = set()
    while ahead:
        node = ahead.pop()
        if isinstance(node, BlankNode) and node not in seen:
            seen.add(node)
            for quad in data.about(node):
                yield quad
                ahead.append(quad.object)
