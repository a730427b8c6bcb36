"""One way to look at data, whether it lies in a store or in memory.

All graphs of the data count as one. Terms and triples are Oxigraph's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions

from kg.errors import UsageError
from kg.rdf.vocabulary import RDF, RDFS
from kg.validate.kept import Kept, given_term
from kg.validate.rdf12 import NOT_TAKEN

Term = NamedNode | BlankNode | Literal


@dataclass(frozen=True, slots=True)
class Target:
    """What shapes aim at, by one or more of the ways that SHACL Core has."""

    classes: frozenset[NamedNode] = frozenset()
    subjects_of: frozenset[NamedNode] = frozenset()
    objects_of: frozenset[NamedNode] = frozenset()
    nodes: frozenset[Term] = frozenset()

    def __or__(self, other: Target) -> Target:
        return Target(
            self.classes | other.classes,
            self.subjects_of | other.subjects_of,
            self.objects_of | other.objects_of,
            self.nodes | other.nodes,
        )


class View(Protocol):
    """Data that can be looked into."""

    prefixes: Mapping[str, str]  # that the data declares

    def quads(self) -> Iterable[Quad]:
        """All quads."""

    def about(self, node: Term) -> Iterable[Quad]:
        """The quads whose subject is the node."""

    def into(self, predicate: NamedNode, node: Term) -> Iterable[Quad]:
        """The quads of a predicate whose object is the node."""

    def stating(self, predicate: NamedNode) -> Iterable[Quad]:
        """The quads of a predicate."""

    def focus_nodes(self, target: Target) -> Iterator[Term]:
        """The nodes that a target finds, each once."""

    def count(self, target: Target) -> int:
        """How many nodes a target finds."""


def view(data: Kept | Sequence[Quad], prefixes: Mapping[str, str]) -> View:
    """The view of a store or of quads in memory."""
    if isinstance(data, Kept):
        return StoreView(data, prefixes)
    return MemoryView(data, prefixes)


class StoreView:
    """Data in a store, of which nothing is kept in memory."""

    def __init__(self, store: Kept, prefixes: Mapping[str, str]) -> None:
        self.store, self.prefixes = store, prefixes

    def quads(self) -> Iterable[Quad]:
        """All quads, as they come."""
        return self.store

    def about(self, node: Term) -> Iterable[Quad]:
        """The quads whose subject is the node."""
        if isinstance(node, Literal):
            return ()
        return self.store.quads_for_pattern(node, None, None)

    def into(self, predicate: NamedNode, node: Term) -> Iterable[Quad]:
        """The quads of a predicate whose object is the node."""
        return self.store.quads_for_pattern(None, predicate, node)

    def stating(self, predicate: NamedNode) -> Iterable[Quad]:
        """The quads of a predicate."""
        return self.store.quads_for_pattern(None, predicate, None)

    def focus_nodes(self, target: Target) -> Iterator[Term]:
        """The nodes that a target finds; the store keeps apart those that it had."""
        parts = self._parts(target)
        if parts:
            found = self.store.store.query(
                f"SELECT DISTINCT ?n {{ {parts} }}", use_default_graph_as_union=True
            )
            assert isinstance(found, QuerySolutions)
            for row in found:
                node = row["n"]
                node = given_term(node) if isinstance(node, Literal) else node
                if node not in target.nodes:
                    yield node
        yield from target.nodes

    def count(self, target: Target) -> int:
        """How many nodes a target finds, counted by the store."""
        if target.nodes:
            return sum(1 for _ in self.focus_nodes(target))
        parts = self._parts(target)
        if not parts:
            return 0
        found = self.store.store.query(
            f"SELECT (COUNT(DISTINCT ?n) AS ?c) {{ {parts} }}", use_default_graph_as_union=True
        )
        assert isinstance(found, QuerySolutions)
        return int(next(found)["c"].value)

    def _parts(self, target: Target) -> str:
        kinds = below(self, target.classes)
        patterns = [f"?n {RDF.type} {kind}" for kind in kinds if isinstance(kind, NamedNode)]
        if len(patterns) < len(kinds):  # a query cannot name a class without a name
            above = f"{RDF.type}/{RDFS.subClassOf}*"
            patterns = [f"?n {above} {kind}" for kind in sorted(target.classes, key=str)]
        patterns += [f"?n {predicate} ?o" for predicate in sorted(target.subjects_of, key=str)]
        patterns += [f"?s {predicate} ?n" for predicate in sorted(target.objects_of, key=str)]
        return " UNION ".join(f"{{ {pattern} }}" for pattern in patterns)


class MemoryView:
    """Quads in memory, with what is asked for often looked up once."""

    def __init__(self, quads: Sequence[Quad], prefixes: Mapping[str, str]) -> None:
        self._quads, self.prefixes = quads, prefixes
        self._by_subject: dict[object, list[Quad]] = {}
        self._by_object: dict[tuple[NamedNode, object], list[Quad]] = {}

    def quads(self) -> Iterable[Quad]:
        """All quads."""
        return self._quads

    def about(self, node: Term) -> Iterable[Quad]:
        """The quads whose subject is the node."""
        if not self._by_subject:
            for quad in self._quads:
                self._by_subject.setdefault(quad.subject, []).append(quad)
        return self._by_subject.get(node, ())

    def into(self, predicate: NamedNode, node: Term) -> Iterable[Quad]:
        """The quads of a predicate whose object is the node."""
        if not self._by_object:
            for quad in self._quads:
                self._by_object.setdefault((quad.predicate, quad.object), []).append(quad)
        return self._by_object.get((predicate, node), ())

    def stating(self, predicate: NamedNode) -> Iterable[Quad]:
        """The quads of a predicate."""
        return (quad for quad in self._quads if quad.predicate == predicate)

    def focus_nodes(self, target: Target) -> Iterator[Term]:
        """The nodes that a target finds, in the order of the data."""
        kinds = below(self, target.classes)
        found: dict[Term, None] = {}
        for quad in self._quads:
            if quad.predicate in target.subjects_of or (
                quad.predicate == RDF.type and quad.object in kinds
            ):
                found[_term(quad.subject)] = None
            if quad.predicate in target.objects_of:
                found[_term(quad.object)] = None
        yield from found | dict.fromkeys(target.nodes)

    def count(self, target: Target) -> int:
        """How many nodes a target finds."""
        return sum(1 for _ in self.focus_nodes(target))


def finds(data: View, target: Target, nodes: Iterable[Term]) -> list[Term]:
    """Those of some nodes that a target finds."""
    kinds = set(below(data, target.classes))

    def found(node: Term) -> bool:
        if node in target.nodes:
            return True
        for quad in data.about(node):
            if quad.predicate in target.subjects_of:
                return True
            if quad.predicate == RDF.type and quad.object in kinds:
                return True
        return any(True for predicate in target.objects_of for _ in data.into(predicate, node))

    return [node for node in nodes if found(node)]


def below(data: View, classes: frozenset[NamedNode]) -> list[NamedNode | BlankNode]:
    """The classes and what the data states to be below them, in a steady order."""
    if not classes:
        return []
    under: dict[object, list[object]] = {}
    for quad in data.stating(RDFS.subClassOf):
        under.setdefault(quad.object, []).append(quad.subject)
    found: dict[object, None] = {}
    ahead: list[object] = sorted(classes, key=str)
    while ahead:
        one = ahead.pop(0)
        if one not in found:
            found[one] = None
            ahead.extend(under.get(one, ()))
    return [kind for kind in found if isinstance(kind, NamedNode | BlankNode)]


def _term(term: object) -> Term:
    if isinstance(term, NamedNode | BlankNode | Literal):
        return term
    raise UsageError(NOT_TAKEN)
