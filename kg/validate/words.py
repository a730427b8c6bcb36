"""What shapes ask for, in words for people who do not know SHACL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rdflib import RDF, RDFS, SH, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.validate.names import curie, shown
from kg.validate.paths import path_text
from kg.validate.terms import ox_term

_MANY = 12  # members of a list that are named
_DEEP = 3  # shapes in shapes that are described
_BRIEF = 200  # characters with which what a shape with a name asks for is said too

# How a constraint that is broken is spoken of: of a property, and of the node itself.
_BROKEN = {
    "And": ("does not fit all that is asked for", "a node does not fit all that is asked for"),
    "Class": ("names something that is no {}", "a node lacks the class {}"),
    "Closed": ("is a property that has no place here", "a property that has no place here"),
    "Datatype": ("has a value of another datatype", "a value of another datatype"),
    "Disjoint": ("has a value that {} has too", "a node is also in {}"),
    "Equals": ("differs from {}", "a node differs from its {}"),
    "HasValue": ("lacks the value asked for", "a node is not the one asked for"),
    "In": ("is none of the values asked for", "a node is none of those asked for"),
    "LanguageIn": ("is in another language, or in none", "a text in another language, or in none"),
    "LessThan": ("is not smaller than {}", "a value is not smaller than {}"),
    "LessThanOrEquals": ("is larger than {}", "a value is larger than {}"),
    "MaxCount": ("has too many values", "too many values"),
    "MaxExclusive": ("is too large", "a value is too large"),
    "MaxInclusive": ("is too large", "a value is too large"),
    "MaxLength": ("is too long", "a name or text is too long"),
    "MinCount": ("is missing", "something is missing"),
    "MinExclusive": ("is too small", "a value is too small"),
    "MinInclusive": ("is too small", "a value is too small"),
    "MinLength": ("is empty or too short", "a name or text is too short"),
    "Node": ("names something that is not as asked for", "a node is not as asked for"),
    "NodeKind": ("has a value of another kind", "a node of another kind"),
    "Not": ("has a value that is forbidden", "a node is as it must not be"),
    "Or": ("fits none of the choices", "a node fits none of the choices"),
    "Pattern": ("is not written in the form asked for", "a name is not in the form asked for"),
    "QualifiedMaxCount": ("has too many values of a kind", "too many values of a kind"),
    "QualifiedMinCount": ("lacks a value of a kind", "a value of a kind is missing"),
    "SPARQL": ("breaks a rule written in SPARQL", "a node breaks a rule written in SPARQL"),
    "UniqueLang": ("has two values in one language", "two values in one language"),
    "Xone": ("does not fit exactly one of the choices", "a node does not fit exactly one choice"),
}
_KINDS = {
    SH.IRI: "an IRI, as in <https://example.org/thing>",
    SH.Literal: 'a text or number, as in "thing"',
    SH.BlankNode: "a node without a name, as in [ ... ]",
    SH.BlankNodeOrIRI: "a node, not a text or number",
    SH.BlankNodeOrLiteral: "a node without a name, or a text or number",
    SH.IRIOrLiteral: "an IRI, or a text or number",
}
_EXAMPLES = {
    "string": ', a text without a language, as in "thing"',
    "integer": ", a whole number, as in 12",
    "decimal": ", a number, as in 1.5",
    "double": ", a number, as in 1.5e0",
    "boolean": ", true or false",
    "date": ', a day, as in "2026-03-31"^^xsd:date',
    "dateTime": ', a day and time, as in "2026-03-31T12:00:00Z"^^xsd:dateTime',
    "gYear": ', a year, as in "2026"^^xsd:gYear',
    "anyURI": ', an address, as in "https://example.org/"^^xsd:anyURI',
    "langString": ', a text with its language, as in "thing"@en',
}
_BACK = re.compile(r"\^(<[^>]*>|[^/|()*+?<>]+)")  # one step, taken backwards
_XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True, slots=True)
class Rule:
    """One constraint of one shape, in words."""

    title: str  # what is wrong where it is broken: "foaf:name is missing"
    asks: str  # what it asks for: "at least 1 value"; may be empty
    advice: str  # what the shape itself says of it; may be empty

    @property
    def message(self) -> str:
        """What is said of a result whose shape has no message."""
        asks = f"{self.title}. Asked for: {self.asks}." if self.asks else self.title
        return self.advice or asks


def broken(constraint: str, path: str | None, other: str = "") -> str:
    """What is wrong where a constraint is broken.

    `path` is the property by its CURIE, `other` the class or property that the constraint names.
    """
    name = component(constraint)
    # That two properties together are no more than one of them says which is part of which.
    parts = path[1:-1].split("|") if path and name == "Equals" and path.startswith("(") else []
    if len(parts) == 2 and other in parts:
        return f"{parts[parts[0] == other]} has a value that {other} lacks"
    if name == "MinCount" and path and _BACK.fullmatch(path):
        return f"too few nodes have it as their {path[1:]}"
    if name not in _BROKEN:
        said = "breaks a rule of its own kind"
        return f"{path} {said}" if path else f"a node {said}"
    of_property, of_node = (text.format(other or "another") for text in _BROKEN[name])
    return f"{path} {of_property}" if path and name != "Closed" else of_node


def advice(graph: Graph, shape: Node) -> str:
    """The English of a shape's messages, else of its descriptions; "" where it has none."""
    for predicate in (SH.message, SH.description, RDFS.comment):
        texts = [text for text in graph.objects(shape, predicate) if isinstance(text, Literal)]
        if texts:
            best = min(texts, key=lambda text: (_foreign(text.language), str(text)))
            return " ".join(best.split())
    return ""


def _foreign(language: str | None) -> int:
    return 1 if language is None else 0 if language.lower().split("-")[0] == "en" else 2


def asked(
    graph: Graph, shape: Node, constraint: str, prefixes: Mapping[str, str], depth: int = 0
) -> str:
    """What one constraint of a shape asks for: "at least 1 value", "one of "a", "b"".

    Empty for constraints without parameters that can be said in a few words.
    """
    return "; ".join(_asked(_Teller(graph, prefixes, depth), shape, component(constraint)))


def usual(constraint: str) -> bool:
    """Whether a constraint is one of SHACL Core, for which there are words."""
    return component(constraint) in _BROKEN and component(constraint) != "SPARQL"


def component(constraint: str) -> str:
    """The name of a constraint component: "MinCount"."""
    return constraint.removeprefix(str(SH)).removesuffix("ConstraintComponent")


@dataclass(frozen=True, slots=True)
class _Teller:
    graph: Graph
    prefixes: Mapping[str, str]
    depth: int

    def term(self, node: Node) -> str:
        return shown(ox_term(node), {"xsd": _XSD, "rdf": str(RDF), **self.prefixes})

    def names(self, nodes: list[Node], word: str) -> str:
        texts = [self.term(node) for node in nodes[:_MANY]]
        if len(nodes) > _MANY:
            return f"{', '.join(texts)} and {len(nodes) - _MANY} more"
        return f" {word} ".join(filter(None, (", ".join(texts[:-1]), texts[-1] if texts else "")))

    def items(self, head: Node) -> list[Node]:
        return list(Collection(self.graph, head))

    def all_of(self, shape: Node) -> str:
        """All that a shape asks for, as one phrase."""
        if not isinstance(shape, URIRef):
            return self.parts(shape) if self.depth < _DEEP else "a shape"
        said = self.parts(shape) if self.depth < _DEEP else ""
        brief = f" ({said})" if 0 < len(said) <= _BRIEF else ""
        return f"what {self.term(shape)} asks for{brief}"

    def parts(self, shape: Node) -> str:
        """All that a shape asks for, without its name."""
        path = self.graph.value(shape, SH.path)
        inner = _Teller(self.graph, self.prefixes, self.depth + 1)
        parts = [part for component in PARAMETERS for part in _asked(inner, shape, component)]
        for one in sorted(self.graph.objects(shape, SH.property), key=str):
            parts.append(inner.all_of(one))
        if path is None:
            return ", ".join(parts) or "anything"
        named = curie(path_text(self.graph, path), self.prefixes)
        return f"{named}: {', '.join(parts) or 'anything'}"


def _asked(tell: _Teller, shape: Node, component: str) -> Iterator[str]:
    parameter = PARAMETERS.get(component)
    if parameter is None:
        return
    for value in sorted(tell.graph.objects(shape, SH[parameter]), key=str):
        text = _said(tell, shape, component, value)
        if text:
            yield text


PARAMETERS = {
    "MinCount": "minCount",
    "MaxCount": "maxCount",
    "Datatype": "datatype",
    "Class": "class",
    "NodeKind": "nodeKind",
    "MinInclusive": "minInclusive",
    "MinExclusive": "minExclusive",
    "MaxInclusive": "maxInclusive",
    "MaxExclusive": "maxExclusive",
    "MinLength": "minLength",
    "MaxLength": "maxLength",
    "Pattern": "pattern",
    "LanguageIn": "languageIn",
    "UniqueLang": "uniqueLang",
    "Equals": "equals",
    "Disjoint": "disjoint",
    "LessThan": "lessThan",
    "LessThanOrEquals": "lessThanOrEquals",
    "HasValue": "hasValue",
    "In": "in",
    "Node": "node",
    "Not": "not",
    "And": "and",
    "Or": "or",
    "Xone": "xone",
    "QualifiedMinCount": "qualifiedMinCount",
    "QualifiedMaxCount": "qualifiedMaxCount",
    "Closed": "closed",
}
_PLAIN = {
    "MinInclusive": "{} or more",
    "MinExclusive": "more than {}",
    "MaxInclusive": "{} or less",
    "MaxExclusive": "less than {}",
    "Class": "described as {0} (as in: a {0})",
    "UniqueLang": "one value a language",
    "Equals": "the same values as {}",
    "Disjoint": "no value that {} has too",
    "LessThan": "smaller than {}",
    "LessThanOrEquals": "not larger than {}",
    "HasValue": "the value {}",
}


def _said(tell: _Teller, shape: Node, component: str, value: Node) -> str:
    if component in _PLAIN:
        number = isinstance(value, Literal) and component.startswith(("Min", "Max"))
        return _PLAIN[component].format(str(value) if number else tell.term(value))
    if component in ("MinCount", "MaxCount"):
        return _count(component[:3], str(value), "value")
    if component in ("MinLength", "MaxLength"):
        return _count(component[:3], str(value), "character")
    if component == "Datatype":
        local = str(value).rpartition("#")[2]
        return f"of the type {tell.term(value)}{_EXAMPLES.get(local, '')}"
    if component == "NodeKind":
        return _KINDS.get(URIRef(str(value)), tell.term(value))
    if component == "Pattern":
        return f"in the form of the regular expression {value}"
    if component == "LanguageIn":
        tags = [f"@{tag}" for tag in tell.items(value)]
        return f"in the language {' or '.join(tags)}"
    if component == "In":
        names = tell.names(tell.items(value), "or")
        return f"one of {names}" if names else "no value at all"
    if component in ("And", "Or", "Xone"):
        word = {"And": " and ", "Or": " or ", "Xone": " or else "}[component]
        return word.join(f"({tell.all_of(one)})" for one in tell.items(value))
    if component == "Node":
        return tell.all_of(value)
    if component == "Not":
        return f"not: {tell.all_of(value)}"
    if component == "Closed":
        names = tell.names(allowed(tell.graph, shape), "and")
        return f"no properties but {names}" if names else "no properties at all"
    inner = tell.graph.value(shape, SH.qualifiedValueShape)
    fitting = f": {tell.all_of(inner)}" if inner is not None else ""
    return f"{_count(component.removeprefix('Qualified')[:3], str(value), 'value')}{fitting}"


def allowed(graph: Graph, shape: Node) -> list[Node]:
    """The properties that a closed shape allows."""
    found = {
        path
        for one in graph.objects(shape, SH.property)
        for path in graph.objects(one, SH.path)
        if isinstance(path, URIRef)
    }
    for head in graph.objects(shape, SH.ignoredProperties):
        found.update(node for node in Collection(graph, head) if isinstance(node, URIRef))
    return sorted(found, key=str)


def _count(which: str, number: str, noun: str) -> str:
    if which == "Max" and number == "0":
        return f"no {noun}"
    return (
        f"at {'least' if which == 'Min' else 'most'} {number} {noun}{'' if number == '1' else 's'}"
    )
