"""SHACL shapes: loading them, making sure that they are valid, finding what they target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from pyoxigraph import Literal, NamedNode
from pyshacl.constraints import ALL_CONSTRAINT_PARAMETERS
from rdflib import OWL, RDF, RDFS, SH, XSD, BNode, Graph, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.errors import ShapesError, printable
from kg.resources import folder
from kg.validate.engine import run
from kg.validate.malformed import crooked, word
from kg.validate.names import curie, shown
from kg.validate.paths import path_text
from kg.validate.places import locate
from kg.validate.reach import TARGETS, deactivated
from kg.validate.read import Data, read
from kg.validate.report import Term
from kg.validate.sound import circles, faults, not_lists
from kg.validate.terms import bound, copied, from_rdflib, ox_term, to_rdflib
from kg.validate.words import asked

_LISTS = (SH["and"], SH["or"], SH.xone)
_PREFIXES = {"sh": str(SH), "rdf": str(RDF), "xsd": str(XSD)}
_META = Namespace("http://www.w3.org/ns/shacl-shacl#")
_MEMBERS = (SH.property, SH.node, SH["not"], SH.qualifiedValueShape)


@dataclass(frozen=True, slots=True)
class Shapes:
    """A valid shapes graph. Do not change the graph."""

    graph: Graph
    nodes: frozenset[Node]  # the shapes in it, nested ones too
    prefixes: dict[str, str]
    own: bool = False  # whether they are those that kg brings along
    data: Data | None = field(default=None, repr=False)  # the files, to look up lines in


def load_shapes(given: Sequence[str | Path] | Graph | None = None) -> Shapes:
    """The shapes in files or in a graph, or those that kg brings along.

    Raises InputError for a file that cannot be read, and ShapesError, naming the shape and the
    constraint, for shapes that are no valid SHACL.
    """
    if given is None:
        return _bundled()
    if isinstance(given, Graph):
        data = Data(tuple(from_rdflib(given)), bound(given))
    else:
        data = read(given, letter="s")  # not those of the data
    shapes = _shapes_of(data)
    _check(shapes)
    return shapes


@cache
def _bundled() -> Shapes:
    # Their validity is a test's business, not that of every run.
    return _shapes_of(read(sorted(folder("shapes").glob("*.ttl")), letter="s"), own=True)


def _shapes_of(data: Data, own: bool = False) -> Shapes:
    graph = to_rdflib(data.quads, data.prefixes)
    for shape, why in circles(graph):
        raise _malformed(Shapes(graph, frozenset(), data.prefixes, own, data), shape, why)
    for shape, why in () if own else not_lists(graph, data.prefixes):
        raise _malformed(Shapes(graph, frozenset(), data.prefixes, own, data), shape, why)
    shapes = frozenset(_shapes(graph))
    _aim_classes(graph, shapes)
    return Shapes(graph, shapes, data.prefixes, own, data)


def _shapes(graph: Graph) -> Iterator[Node]:
    for kind in (SH.NodeShape, SH.PropertyShape):
        yield from graph.subjects(RDF.type, kind)
    for predicate in (*TARGETS, *ALL_CONSTRAINT_PARAMETERS):
        yield from graph.subjects(predicate)
    for predicate in _MEMBERS:
        yield from graph.objects(None, predicate)
    for predicate in _LISTS:
        for head in graph.objects(None, predicate):
            yield from Collection(graph, head)


def _aim_classes(graph: Graph, shapes: frozenset[Node]) -> None:
    """Say in one way that shapes which are classes aim at their instances.

    The engines differ in what they take for a class: of RDFS, of OWL, or of a class below these.
    """
    kinds = {
        kind
        for top in (RDFS.Class, OWL.Class)
        for kind in graph.transitive_subjects(RDFS.subClassOf, top)
    }
    for shape in shapes:
        for kind in kinds.intersection(graph.objects(shape, RDF.type)):
            if isinstance(shape, URIRef):
                graph.remove((shape, RDF.type, kind))
                graph.add((shape, SH.targetClass, shape))


def targets(shapes: Shapes, data: Graph) -> dict[Node, set[Node]]:
    """The focus nodes of every shape that has a target and is not deactivated."""
    found: dict[Node, set[Node]] = {}
    graph = shapes.graph
    for shape in sorted(shapes.nodes, key=str):
        if deactivated(graph, shape):
            continue
        nodes = set(graph.objects(shape, SH.targetNode))
        for predicate in graph.objects(shape, SH.targetSubjectsOf):
            nodes.update(data.subjects(predicate))
        for predicate in graph.objects(shape, SH.targetObjectsOf):
            nodes.update(data.objects(None, predicate))
        for target in graph.objects(shape, SH.targetClass):
            nodes |= members(data, target)
        if nodes or any(True for kind in TARGETS for _ in graph.objects(shape, kind)):
            found[shape] = nodes
    return found


def members(data: Graph, target: Node) -> set[Node]:
    """The instances of a class and of its subclasses, as far as the data states them."""
    return {
        node
        for kind in data.transitive_subjects(RDFS.subClassOf, target)
        for node in data.subjects(RDF.type, kind)
    }


def shape_name(shapes: Shapes, shape: Node) -> str:
    """A shape's IRI, or for a shape without one, where in which shape it stands."""
    graph, below = shapes.graph, []
    seen: set[Node] = set()
    while isinstance(shape, BNode) and shape not in seen:
        seen.add(shape)
        path = graph.value(shape, SH.path)
        if path is not None and not any(crooked(graph, path, {})):
            # A path that runs in a circle is what is to be told of the shape.
            with suppress(ValueError, RecursionError):
                below.append(f" at {curie(path_text(graph, path), shapes.prefixes)}")
        shape = min((node for node, _ in graph.subject_predicates(shape)), default=shape, key=str)
    top = "without a name" if isinstance(shape, BNode) else curie(str(shape), shapes.prefixes)
    return top + "".join(reversed(below))


def _check(shapes: Shapes) -> None:
    """Raise ShapesError for shapes that are no valid SHACL, or ask for what kg does not do."""
    graph = shapes.graph
    for node, kind in sorted(graph.subject_objects(SH.entailment), key=str):
        raise _error(
            shapes,
            node,
            f"the shapes ask for the entailment {shown(ox_term(kind), shapes.prefixes)}, and kg"
            " infers no triples: add them to the data beforehand, with a tool of your choice,"
            " and take sh:entailment out",
        )
    for shape, why in faults(graph, shapes.nodes, shapes.prefixes):
        raise _malformed(shapes, shape, why)
    results = run(graph, _shapes_for_shapes(shapes.nodes)).results
    if results:
        first, meta = results[0], _standard()
        path = (first.path or "").partition(">/")[0].removeprefix("<")  # without the way to members
        what = word(URIRef(path))
        if isinstance(first.value, NamedNode | Literal):
            what += f" {shown(first.value, shapes.prefixes)}"
        asks = asked(meta, _node(first.shape), first.constraint.value, _PREFIXES)
        be = "there must be" if first.value is None else "it must be"
        more = f" ({len(results) - 1} more of the kind)" if len(results) > 1 else ""
        raise _malformed(shapes, _node(first.focus), f"{what}: {be} {asks or first.message}{more}")


def _node(term: Term) -> Node:
    return URIRef(term.value) if isinstance(term, NamedNode) else BNode(term.value)


def _malformed(shapes: Shapes, node: Node, why: str) -> ShapesError:
    kind = "shape"
    if (node, RDF.type, SH.ConstraintComponent) in shapes.graph:
        kind = "constraint component"
    elif (node, SH.declare, None) in shapes.graph and node not in shapes.nodes:
        kind = "ontology"
    return _error(shapes, node, f"the {kind} {shape_name(shapes, node)} is malformed: {why}")


def _error(shapes: Shapes, node: Node, text: str) -> ShapesError:
    """An error that says where in the files the node stands."""
    key, data = (ox_term(node),), shapes.data
    place = locate(data, [key]).get(key) if data else None
    if place:
        return ShapesError(f"{place}: {text}")
    return ShapesError(f"{printable(data.name)}: {text}" if data and data.parts else text)


@cache
def _standard() -> Graph:
    """The W3C's own shapes for shapes, which come with pySHACL: what they say of single values.

    What they ask of paths, of lists, and of what goes together in a shape, `faults` says in
    better words.
    """
    with resources.as_file(resources.files("pyshacl") / "assets" / "shacl-shacl.ttl") as file:
        graph = to_rdflib(read([file]).quads)
    for predicate in (SH.node, SH.xone, *TARGETS):
        graph.remove((None, predicate, None))
    graph.remove((_META["ShapeShape"], SH["or"], None))
    return graph


def _shapes_for_shapes(shapes: Iterable[Node]) -> Graph:
    """What the standard says of single values, aimed at some shapes."""
    graph = copied(_standard())
    for shape in shapes:
        graph.add((_META["ShapeShape"], SH.targetNode, shape))
    return graph
