"""What must hold of the queries in shapes, and of constraint components of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pyparsing import ParseException, ParseResults
from pyshacl.errors import ValidationFailure
from pyshacl.helper.sparql_query_helper import SPARQLQueryHelper
from rdflib import RDF, RDFS, SH, Graph, Literal, URIRef
from rdflib.namespace import OWL
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Node

from kg.validate.malformed import Fault, said, statements, word
from kg.validate.names import shown
from kg.validate.reach import deactivated
from kg.validate.terms import ox_term

_THIS = re.compile(r"[$?]this\b")
_PATH = re.compile(r"[$?]PATH\b")
_VALIDATORS = (SH.validator, SH.nodeValidator, SH.propertyValidator)
# The names that stand for something else in a query.
_TAKEN = ("this", "shapesGraph", "currentShape", "path", "PATH", "value")
_EXAMPLES = {SH.select: "SELECT $this WHERE { ... }", SH.ask: "ASK { ... }"}
_EXAMPLE = f'as in sh:sparql [ sh:select "{_EXAMPLES[SH.select]}" ]'
# What SHACL does not allow in queries, as rdflib names it.
_FORBIDDEN = {
    "MinusGraphPattern": "MINUS",
    "ServiceGraphPattern": "SERVICE",
    "InlineData": "VALUES",
    "ValuesClause": "VALUES",
}
_FORMS = {SH.select: ("SelectQuery", "a SELECT query"), SH.ask: ("AskQuery", "an ASK query")}


def query_faults(
    graph: Graph, shapes: Iterable[Node], prefixes: Mapping[str, str]
) -> Iterator[Fault]:
    """What is wrong with queries, and with what stands around them."""
    for shape, node in statements(graph, SH.sparql):
        yield from _constraint(graph, shape, node, prefixes)
    yield from _declarations(graph)
    for predicate in _FORMS:
        for node, text in statements(graph, predicate):
            yield from _query(graph, node, predicate, text, prefixes)
    parents = {SH.ConstraintComponent, *graph.subjects(RDFS.subClassOf, SH.ConstraintComponent)}
    kinds = {node for kind in parents for node in graph.subjects(RDF.type, kind)}
    for component in sorted(kinds, key=str):
        faults = list(_parameters(graph, component, prefixes))
        yield from ((component, why) for why in faults)
        if not faults:
            for why in _validators(graph, component, shapes):
                yield component, why


def _constraint(
    graph: Graph, shape: Node, node: Node, prefixes: Mapping[str, str]
) -> Iterator[Fault]:
    name, queries = said(SH.sparql, node, prefixes), list(graph.objects(node, SH.select))
    if isinstance(node, Literal):
        yield shape, f"{name}: it must be a node with a query, {_EXAMPLE}"
    elif not queries:
        yield shape, f"{name}: it must have a sh:select, {_EXAMPLE}"
    elif len(queries) > 1:
        yield shape, f"{name}: it must have one sh:select, and has {len(queries)}"
    for why in _notes(graph, node, prefixes):
        yield shape, why
    for text in queries:
        if (shape, SH.path, None) not in graph and _PATH.search(str(text)):
            yield shape, "sh:select: it must be without $PATH in a shape without a sh:path"


def _notes(graph: Graph, node: Node, prefixes: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the message of a query, and with whether it is used."""
    for text in sorted(graph.objects(node, SH.message), key=str):
        if not (isinstance(text, Literal) and isinstance(text.value, str)):
            yield f"{said(SH.message, text, prefixes)}: it must be a text"
    for value in sorted(graph.objects(node, SH.deactivated), key=str):
        if not (isinstance(value, Literal) and isinstance(value.value, bool)):
            yield f"{said(SH.deactivated, value, prefixes)}: it must be true or false"


def _query(
    graph: Graph, node: Node, predicate: Node, text: Node, prefixes: Mapping[str, str]
) -> Iterator[Fault]:
    owners = sorted(graph.subjects(None, node), key=str)
    owner = owners[0] if owners else node
    name = word(predicate)
    if not (isinstance(text, Literal) and isinstance(text.value, str)):
        yield owner, f"{said(predicate, text, prefixes)}: it must be a text with a query in it"
        return
    form, called = _FORMS[URIRef(str(predicate))]
    try:
        parsed = prepareQuery(str(text), initNs=_declared(graph, node)).algebra.name
        parts = set(_names(parseQuery(str(text))))
    except ParseException as error:
        place = f"line {error.lineno}, column {error.col} of the query"
        yield owner, f"{name} is no SPARQL ({place})"
        return
    except Exception as error:  # rdflib has plain ones for an unknown prefix
        yield owner, f"{name} is no SPARQL: {_line(str(error))}"
        return
    if parsed != form:
        other = parsed.removesuffix("Query").upper()
        yield owner, f"{name}: it must be {called}, and this is {other}"
        return
    constraint = (owner, SH.sparql, node) in graph
    if constraint and not _THIS.search(str(text)):
        yield owner, f"{name} never speaks of $this, the node to be checked"
    validating = any((None, kind, node) in graph for kind in _VALIDATORS)
    if not (constraint or validating) or deactivated(graph, node) or deactivated(graph, owner):
        return
    found = sorted({_FORBIDDEN[part] for part in parts if part in _FORBIDDEN})
    if found:
        allowed = f"it must be without {' and '.join(found)}, which SHACL does not allow"
        yield owner, f"{name}: {allowed}"
    elif constraint:
        yield from ((owner, f"{name}: {why}") for why in _not_taken(str(text)))


def _names(part: object) -> Iterator[str]:
    """What a parsed query is made of."""
    ahead = [part]
    while ahead:
        part = ahead.pop()
        if isinstance(part, CompValue):
            yield part.name
            ahead += part.values()
        elif isinstance(part, list | tuple | ParseResults):
            ahead.extend(part)


def _not_taken(query: str, value: bool = False, parameters: Iterable[str] = ()) -> Iterator[str]:
    """What pySHACL, which looks at the letters of a query, does not take of it."""
    of_pyshacl: Any = SPARQLQueryHelper
    names = ["this", *(["value"] if value else []), *parameters]
    try:
        helper = of_pyshacl(None, None, query)
        helper.check_invalid_sparql(query, "value" if value else None, list(parameters))
    except ValidationFailure as error:
        told = _line(str(error.message))
        looks = [name for name in sorted(set(_FORBIDDEN.values())) if f" {name} " in f"{told} "]
        looks += ["SERVICE"] if "SERVICE" in told and not looks else []
        if looks:
            yield f"it must be written without the word {looks[0]}, also in texts and comments"
        elif "nested SELECT" in told:
            variables = " and ".join(f"${one}" for one in names)
            yield f"each SELECT within it must have {variables} among its variables"
        elif "AS" in told:
            yield f"it must not give ${told.split()[-1]} another value with AS"
        else:
            yield f"it must be written in another way: {told}"


def _declarations(graph: Graph) -> Iterator[Fault]:
    """What is wrong with the prefixes that some query uses."""
    if (None, SH.prefixes, None) not in graph:
        return
    for owner, node in statements(graph, SH.declare):
        for predicate, example in (
            (SH.prefix, 'sh:prefix "ex"'),
            (SH.namespace, 'sh:namespace "http://example.org/"^^xsd:anyURI'),
        ):
            values = list(graph.objects(node, predicate))
            if len(values) != 1 or not isinstance(values[0], Literal):
                why = f"sh:declare: it must have one {word(predicate)}, a text, as in {example}"
                yield owner, why


def _declared(graph: Graph, node: Node) -> dict[str, str]:
    """The prefixes that a query may use: those of the ontologies that it names."""
    ahead, seen = list(graph.objects(node, SH.prefixes)), set()
    found: dict[str, str] = {}
    while ahead:
        one = ahead.pop()
        if one in seen:
            continue
        seen.add(one)
        ahead += graph.objects(one, OWL.imports)
        for told in graph.objects(one, SH.declare):
            prefix, iri = graph.value(told, SH.prefix), graph.value(told, SH.namespace)
            if prefix is not None and iri is not None:
                found[str(prefix)] = str(iri)
    return found


def _parameters(graph: Graph, component: Node, prefixes: Mapping[str, str]) -> Iterator[str]:
    parameters = sorted(graph.objects(component, SH.parameter), key=str)
    if not parameters:
        yield "sh:parameter: there must be one, as in sh:parameter [ sh:path ex:name ]"
    for node in parameters:
        paths, optional = list(graph.objects(node, SH.path)), list(graph.objects(node, SH.optional))
        if len(paths) != 1 or not isinstance(paths[0], URIRef):
            yield "sh:parameter: it must have one sh:path, a property"
        elif re.split(r"[/#]", paths[0])[-1] in _TAKEN:
            name = shown(ox_term(paths[0]), prefixes)
            yield f"sh:parameter: its sh:path {name} must not end in what queries have already"
        if any(not isinstance(getattr(value, "value", None), bool) for value in optional[:1]):
            yield f"{said(SH.optional, optional[0], prefixes)}: it must be true or false"
        if len(optional) > 1:
            yield f"sh:optional: there must be one value, and there are {len(optional)}"
    if parameters and not _needed(graph, component):
        yield "sh:parameter: one at least must be without sh:optional true"


def _needed(graph: Graph, component: Node) -> list[Node]:
    """The properties with which a shape uses a component."""
    return [
        path
        for node in graph.objects(component, SH.parameter)
        if not any(bool(value) for value in graph.objects(node, SH.optional))
        for path in graph.objects(node, SH.path)
    ]


def _validators(graph: Graph, component: Node, shapes: Iterable[Node]) -> Iterator[str]:
    """What is wrong with the queries of a component, as far as some shape uses them."""
    needed = _needed(graph, component)
    told: set[Node] = set()
    for shape in sorted(shapes, key=str):
        used = all((shape, path, None) in graph for path in needed)
        if not used or deactivated(graph, shape):
            continue
        own = SH.propertyValidator if (shape, SH.path, None) in graph else SH.nodeValidator
        kind = next((one for one in (own, SH.validator) if (component, one, None) in graph), None)
        if kind is None:
            yield f"sh:validator: there must be one, or a {word(own)}, for shapes that use it"
            return
        if kind not in told:
            told.add(kind)
            names = {path.rpartition("/")[2].rpartition("#")[2] for path in map(str, needed)}
            yield from _validator(graph, component, kind, sorted(names))


def _validator(graph: Graph, component: Node, kind: Node, names: Iterable[str]) -> Iterator[str]:
    wanted = SH.ask if kind == SH.validator else SH.select
    for node in sorted(graph.objects(component, kind), key=str):
        queries = list(graph.objects(node, wanted))
        if (node, SH.jsFunctionName, None) in graph and not queries:
            reason = f"it must be in SPARQL, with a {word(wanted)}; JavaScript is not run"
            yield f"{word(kind)}: {reason}"
        elif len(queries) != 1:
            example = f'as in {word(kind)} [ {word(wanted)} "{_EXAMPLES[wanted]}" ]'
            yield f"{word(kind)}: it must have one {word(wanted)}, {example}"
        yield from _notes(graph, node, {})
        for query in queries:
            for why in _not_taken(str(query), True, names):
                yield f"{word(wanted)}: {why}"


def _line(text: str) -> str:
    return " ".join(text.split())
