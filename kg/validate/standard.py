"""The standard SHACL report as RDF, the same bytes for the same report.

Where the engine wrote a report, its triples are kept node for node; only the names of the
blank nodes are new, because those of the engine are never the same twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize
from rdflib import SH as SHACL
from rdflib import BNode, Graph

from kg.rdf.vocabulary import RDF, Namespace
from kg.validate.checks import COMPONENT
from kg.validate.context import node_of
from kg.validate.names import BASE
from kg.validate.report import SH, Report, Result, Term
from kg.validate.terms import ox_term

FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "jsonld": RdfFormat.JSON_LD,
    "ntriples": RdfFormat.N_TRIPLES,
}
_SH = Namespace(SH)
_Node = NamedNode | BlankNode
_About = dict[_Node, set[tuple[NamedNode, Term]]]
# What stands for itself in Turtle, so that the prefixes of a text can be told from it.
_WORDS = re.compile(
    rb'"(?:[^"\\]|\\.)*"|<[^<>\s]*>|(?<![^\s^([,;])([^\s"<>^()[\],;:]+):', re.DOTALL
)


def to_rdf(report: Report, form: str) -> bytes:
    """The report in one of FORMATS."""
    triples = list(_ordered(*_described(report)))
    prefixes = {**report.prefixes, "sh": SH}
    if form == "turtle":
        return _turtle(triples, prefixes)
    text = serialize(triples, format=FORMATS[form])
    assert text is not None
    return text if text.endswith(b"\n") else text + b"\n"


def _turtle(triples: list[Triple], prefixes: Mapping[str, str]) -> bytes:
    plain = {prefix: iri for prefix, iri in prefixes.items() if prefix and prefix != BASE}
    text = serialize(triples, format=RdfFormat.TURTLE, prefixes=plain)
    assert text is not None
    # The serializer writes one line a prefix first, in no order and whether used or not.
    body = text.split(b"\n", len(plain))[-1]
    used = {word[1].decode() for word in _WORDS.finditer(body) if word[1]}
    head = "".join(f"@prefix {name}: <{plain[name]}> .\n" for name in sorted(used & plain.keys()))
    return head.encode() + b"\n" + body


def _described(report: Report) -> tuple[_Node, _About]:
    """The node of the report, and what is said of each node."""
    about: _About = {}
    if report.graph is None:
        top: _Node = BlankNode("report")
    else:
        for subject, predicate, value in report.graph:
            named, owner = ox_term(predicate), ox_term(subject)
            assert isinstance(named, NamedNode)
            assert not isinstance(owner, Literal)
            about.setdefault(owner, set()).add((named, ox_term(value)))
        kind = (RDF.type, _SH.ValidationReport)
        top = next((node for node, said in about.items() if kind in said), BlankNode("report"))
    said = about.setdefault(top, set())
    said -= {(predicate, value) for predicate, value in said if predicate == _SH.conforms}
    said |= {(RDF.type, _SH.ValidationReport), (_SH.conforms, Literal(report.conforms))}
    for number, result in enumerate(report.results):
        if report.graph is None or result.constraint == COMPONENT:
            node = BlankNode(f"kg{number}")
            said.add((_SH.result, node))
            about[node] = set(_result(report, result, about))
    return top, about


def _result(report: Report, result: Result, about: _About) -> Iterator[tuple[NamedNode, Term]]:
    yield RDF.type, _SH.ValidationResult
    yield _SH.focusNode, result.focus
    if result.path:
        yield _SH.resultPath, _path(report, result, about)
    if result.value is not None:
        yield _SH.value, result.value
    for text in _messages(report, result):
        yield _SH.resultMessage, text
    yield _SH.resultSeverity, result.severity
    yield _SH.sourceConstraintComponent, result.constraint
    yield _SH.sourceShape, result.shape
    if report.context and isinstance(result.shape, BlankNode):
        _copy(report.context.shapes.graph, result.shape, about)


def _messages(report: Report, result: Result) -> list[Term]:
    """What the shape says, in each of its languages; else what kg says."""
    graph = report.context.shapes.graph if report.context else Graph()
    said = [ox_term(text) for text in graph.objects(node_of(result.shape), SHACL.message)]
    return said or ([Literal(result.message)] if result.message else [])


def _path(report: Report, result: Result, about: _About) -> Term:
    assert result.path is not None
    if not result.path.startswith(("<", "(", "^")):
        return NamedNode(result.path)
    graph = report.context.shapes.graph if report.context else Graph()
    path = graph.value(node_of(result.shape), SHACL.path)
    if path is None:
        return Literal(result.path)
    term = ox_term(path)
    _copy(graph, term, about)
    return term


def _copy(graph: Graph, term: Term, about: _About) -> None:
    """What the shapes say of a blank node, and of those that it refers to."""
    ahead = [term]
    while ahead:
        node = ahead.pop()
        if not isinstance(node, BlankNode) or node in about:
            continue
        said = about[node] = set()
        for predicate, value in graph.predicate_objects(BNode(node.value)):
            named, there = ox_term(predicate), ox_term(value)
            assert isinstance(named, NamedNode)
            said.add((named, there))
            ahead.append(there)


def _ordered(top: _Node, about: _About) -> Iterator[Triple]:
    """The triples from the top down, with names for the blank nodes by their place."""
    forms = _Forms(about)
    names: dict[BlankNode, BlankNode] = {}
    numbers: dict[str, int] = {}

    def name(node: Term, word: str) -> Term:
        if not isinstance(node, BlankNode):
            return node
        if node not in names:
            numbers[word] = numbers.get(word, 0) + 1
            names[node] = BlankNode(word if word == "report" else f"{word}{numbers[word]}")
        return names[node]

    ahead, seen = [top], {top}
    name(top, "report")
    while ahead:
        node = ahead.pop(0) if len(ahead) < 2 else ahead.pop()
        subject = name(node, "node")
        assert not isinstance(subject, Literal)
        below = []
        for predicate, value in sorted(about[node], key=forms.order):
            yield Triple(subject, predicate, name(value, _WORD.get(predicate, "node")))
            if not isinstance(value, Literal) and value in about and value not in seen:
                seen.add(value)
                below.append(value)
        ahead.extend(reversed(below))


_WORD = {_SH.result: "result", _SH.detail: "detail", _SH.sourceShape: "shape"}


class _Forms:
    """What stands under a node as text, which tells blank nodes apart whatever their names."""

    def __init__(self, about: _About) -> None:
        self._about = about
        self._known: dict[Term, str] = {}

    def order(self, said: tuple[NamedNode, Term]) -> tuple[bool, str, str, str]:
        predicate, value = said
        return predicate != RDF.type, predicate.value, self.form(value), str(value)

    def form(self, term: Term, above: frozenset[Term] = frozenset()) -> str:
        if not isinstance(term, BlankNode):
            return str(term)
        if term in above:
            return "^"
        if term not in self._known:
            inside = above | {term}
            parts = sorted(
                f"{predicate.value} {self.form(value, inside)}"
                for predicate, value in self._about.get(term, ())
            )
            self._known[term] = f"[{'; '.join(parts)}]"
        return self._known[term]
