"""Paths that are none, and what else is said of the parts of shapes, in words of the shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rdflib import RDF, SH, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.validate.names import closest, curie, shown
from kg.validate.terms import ox_term

Fault = tuple[Node, str]  # a shape, and what is wrong with it

_STEPS = (SH.inversePath, SH.zeroOrMorePath, SH.oneOrMorePath, SH.zeroOrOnePath)
_OPERATORS = (SH.inversePath, SH.alternativePath, *_STEPS[1:])
_PATH = "it must be a property, as in rdfs:label, or a path, as in [ sh:inversePath rdfs:label ]"
_LIST = "it must be a list of two properties or more"


def word(predicate: Node) -> str:
    """A word of SHACL as all call it: "sh:path"."""
    return f"sh:{str(predicate).removeprefix(str(SH))}"


def said(predicate: Node, value: Node, prefixes: Mapping[str, str]) -> str:
    """A statement of a shape, "sh:minCount -1"; of a value without a name only the predicate."""
    named = "" if isinstance(value, BNode) else f" {shown(ox_term(value), prefixes)}"
    return f"{word(predicate)}{named}"


def meant(name: str | None) -> str:
    """The end of a sentence that names what was probably meant."""
    return f". Did you mean {word(URIRef(name))}?" if name else "."


def statements(graph: Graph, predicate: Node) -> list[tuple[Node, Node]]:
    """The subjects and objects of a predicate, in a steady order."""
    return sorted(graph.subject_objects(predicate), key=str)


def is_list(graph: Graph, head: Node) -> bool:
    """Whether a list is whole: with one member and one rest each time, to the end."""
    seen = set()
    while head != RDF.nil:
        firsts, rests = list(graph.objects(head, RDF.first)), list(graph.objects(head, RDF.rest))
        if head in seen or len(firsts) != 1 or len(rests) != 1:
            return False
        seen.add(head)
        head = rests[0]
    return (RDF.nil, RDF.first, None) not in graph and (RDF.nil, RDF.rest, None) not in graph


def circular_paths(graph: Graph) -> Iterator[Fault]:
    """Paths that lead into themselves: whoever follows one never ends."""
    for shape, path in statements(graph, SH.path):
        ahead: list[tuple[Node, tuple[Node, ...]]] = [(path, ())]
        while ahead:
            node, above = ahead.pop()
            if node in above:
                yield shape, "its sh:path runs in a circle"
                break
            if isinstance(node, BNode):
                ahead += [(value, (*above, node)) for value in graph.objects(node)]


def crooked(graph: Graph, path: Node, prefixes: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with a path, as the end of a sentence.

    As W3C's tests have it, a list is a path whatever else is said of it.
    """
    ahead: list[tuple[Node, Node | None]] = [(path, SH.path)]  # and what it is the value of
    seen: set[Node] = set()
    while ahead:
        node, owner = ahead.pop(0)
        if node == RDF.nil:
            yield f"{_place(owner, '()')}: {_LIST}"
        elif isinstance(node, Literal):
            text = shown(ox_term(node), prefixes)
            yield f"{_place(owner, text)}: {_PATH}, and this is a text or number"
        elif isinstance(node, BNode) and node not in seen:
            seen.add(node)
            faults, below = _parts(graph, node, owner, prefixes)
            yield from faults
            ahead += below


def _parts(
    graph: Graph, node: Node, owner: Node | None, prefixes: Mapping[str, str]
) -> tuple[list[str], list[tuple[Node, Node | None]]]:
    """What is wrong with one step that has no name, and the paths in it."""
    has = sorted(set(graph.predicates(node)), key=str)
    if RDF.first in has or RDF.rest in has:
        return _members(graph, node, owner, prefixes)
    found = [predicate for predicate in has if predicate in _OPERATORS]
    if not has:
        return [f"{_place(owner, '[ ]')}: {_PATH}, and this is empty"], []
    if not found:
        name = word(has[0]) if str(has[0]).startswith(str(SH)) else curie(str(has[0]), prefixes)
        close = closest(str(has[0]), map(str, _OPERATORS))
        kinds = ", ".join(map(word, _OPERATORS))
        return [f"{name} in its sh:path: it must be one of {kinds}{meant(close)}"], []
    if len(found) > 1:
        one, other = map(word, found[:2])
        reason = (
            f"{one} in its sh:path: it must be alone, and {other} stands beside it; if both are"
            f" meant, put one into the other, as in [ {one} [ {other} ... ] ]"
        )
        return [reason], []
    operator, values = found[0], sorted(graph.objects(node, found[0]), key=str)
    if len(has) > 1:
        other = curie(str(next(one for one in has if one != operator)), {"sh": str(SH), **prefixes})
        return [f"{word(operator)} in its sh:path: it must be alone, without {other} beside it"], []
    if len(values) > 1:
        reason = f"it must have one value, and has {len(values)}"
        return [f"{word(operator)} in its sh:path: {reason}"], []
    if operator != SH.alternativePath:
        return [], [(values[0], operator)]
    return _members(graph, values[0], operator, prefixes)


def _members(
    graph: Graph, head: Node, owner: Node | None, prefixes: Mapping[str, str]
) -> tuple[list[str], list[tuple[Node, Node | None]]]:
    """What is wrong with a list of paths, and the paths in it."""
    if isinstance(head, Literal) or head == RDF.nil or not is_list(graph, head):
        text = "()" if head == RDF.nil else shown(ox_term(head), prefixes)
        example = f"as in {word(owner or SH.path)} ( rdf:type rdfs:label )"
        return [f"{_place(owner, '' if isinstance(head, BNode) else text)}: {_LIST}, {example}"], []
    members = list(Collection(graph, head))
    if len(members) > 1:
        return [], [(member, None) for member in members]
    one = "..." if isinstance(members[0], BNode) else shown(ox_term(members[0]), prefixes)
    instead = "" if isinstance(members[0], BNode) else f"; one alone is written {one}"
    return [f"{_place(owner, f'( {one} )')}: {_LIST}{instead}"], []


def _place(owner: Node | None, text: str) -> str:
    """How a part of a path is spoken of: "sh:inversePath "x" in its sh:path"."""
    parts = [word(owner)] if owner else []
    parts += [text] if text else []
    if owner != SH.path:
        parts.append("in its sh:path")
    return " ".join(parts)
