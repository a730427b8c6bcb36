"""What a report can say besides its results, looked up when a reader asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyoxigraph import Literal, NamedNode
from rdflib import SH, BNode, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.rdf.vocabulary import DCTERMS, FOAF, RDF, RDFS, SKOS
from kg.validate.checks import CHECKS
from kg.validate.kept import Kept
from kg.validate.names import closest, curie, shown
from kg.validate.reach import TARGETS
from kg.validate.read import Data
from kg.validate.report import Place, Result, Term
from kg.validate.shapes import Shapes, shape_name
from kg.validate.terms import ox_term
from kg.validate.view import StoreView
from kg.validate.words import PARAMETERS, Rule, advice, allowed, asked, broken, component

# The last one is in no graph of kg; it names things in the data of others.
_LABELS = (
    RDFS.label,
    SKOS.prefLabel,
    FOAF.name,
    DCTERMS.title,
    NamedNode("http://schema.org/name"),
)
_CHECKS = {check.shape: check for check in CHECKS}
# What is wrong where a check fails, by its label.
_CHECKED = {
    "Words of a mention": "the words of a mention are not those of its text",
    "Offsets inside the text": "offsets are not those of the text",
    "Mentions apart": "two mentions of one text overlap",
    "Mentions and their paper": "a mentioned concept is missing from its paper",
    "No circle of broader concepts": "a concept is broader than itself",
    "One author a place": "two authors have the same place",
}
_STRING = "http://www.w3.org/2001/XMLSchema#string"
_MANY = 4  # values that are named


class Context:
    """The shapes and the data of one validation, for those who read its report."""

    def __init__(
        self, shapes: Shapes, store: Kept, data: Data | None, prefixes: Mapping[str, str]
    ) -> None:
        self.shapes, self._store, self._data, self._prefixes = shapes, store, data, prefixes
        self._view = StoreView(store, prefixes)
        self._rules: dict[tuple[Term, Term, str | None], Rule] = {}
        self._labels: dict[Term, str] = {}
        self._names: dict[Term, str] = {}

    def __deepcopy__(self, _: object) -> Context:
        return self  # as the data is

    def __reduce__(self) -> tuple[object, ...]:
        # The data stays where it is; a report says all without it but labels, lines and details.
        return type(None), ()

    def label(self, term: Term) -> str:
        """What a node is called where the data says it, else ""."""
        if isinstance(term, Literal):
            return ""
        if term not in self._labels:
            self._labels[term] = next(
                (min(texts) for predicate in _LABELS if (texts := self._texts(term, predicate))), ""
            )
        return self._labels[term]

    def places(self, results: Iterable[Result]) -> Mapping[Result, Place]:
        """Where results stand in the files that were read."""
        if self._data is None or not self._data.parts:
            return {}
        from kg.validate.places import places

        return places(self._data, results)

    def inner(self, results: Iterable[Result]) -> Mapping[Result, tuple[Result, ...]]:
        """What is wrong with the values of results that are about shapes in shapes."""
        if self.shapes.own:  # whose messages say all of it
            return {}
        from kg.validate.inner import inner

        return inner(self.shapes.graph, self._view, results)

    @property
    def sources(self) -> list[str]:
        """The names of the files that were read."""
        return [part.source.name for part in self._data.parts] if self._data else []

    def rule(self, result: Result) -> Rule:
        """The constraint that a result breaks, in words."""
        key = (result.shape, result.constraint, result.path)
        if key not in self._rules:
            self._rules[key] = self._rule(result)
        return self._rules[key]

    def shape(self, result: Result) -> str:
        """The shape of a result by its CURIE, or where it stands in one that has an IRI."""
        if result.shape not in self._names:
            self._names[result.shape] = shape_name(self.shapes, node_of(result.shape))
        return self._names[result.shape]

    def top(self, result: Result) -> str:
        """The name of the shape with a target that a result comes from, by way of its shape."""
        graph = self.shapes.graph
        ahead, seen = [node_of(result.shape)], set()
        while ahead:
            shape = ahead.pop(0)
            if any(graph.value(shape, predicate) is not None for predicate in TARGETS):
                return shape_name(self.shapes, shape)
            seen.add(shape)
            above = {node for node, _ in graph.subject_predicates(shape)} - seen
            ahead += sorted(above, key=str)
        return self.shape(result)

    def detail(self, result: Result) -> str:
        """What is at the node in place of what the shape asks for; "" where all is said."""
        name = component(result.constraint.value)
        plain = result.path is not None and not result.path.startswith(("<", "(", "^"))
        path = NamedNode(result.path) if plain and result.path else None
        if name in ("MaxCount", "UniqueLang") and path is not None:
            return self._listed("it has", self._values(result.focus, path))
        if name == "Class" and result.value is not None:
            return "; ".join(filter(None, (self._kind(result.value), self._misnamed(result))))
        if name in ("Datatype", "Or", "LanguageIn") and result.value is not None:
            return self._type(result) or (self._chosen(result.value) if name == "Or" else "")
        if name == "NodeKind" and isinstance(result.value, Literal | NamedNode):
            return "a text" if isinstance(result.value, Literal) else "an IRI"
        if name == "Closed" and path is not None:
            return self._meant(path.value, allowed(self.shapes.graph, node_of(result.shape)))
        if name == "In" and result.value is not None:
            return self._meant(result.value.value, self._choices(result))
        if name in ("Equals", "Disjoint", "LessThan", "LessThanOrEquals"):
            return self._other(result, name)
        return ""

    def _rule(self, result: Result) -> Rule:
        check = _CHECKS.get(result.shape) if isinstance(result.shape, NamedNode) else None
        if check is not None:
            return Rule(_CHECKED.get(check.label, check.label.lower()), "", "")
        graph, shape = self.shapes.graph, node_of(result.shape)
        constraint = result.constraint.value
        path = curie(result.path, self._prefixes) if result.path else None
        told = advice(graph, shape)
        # The messages of kg's own shapes say all of it, and in better words.
        said = self.shapes.own and told
        asks = "" if said else asked(graph, shape, constraint, self._prefixes)
        return Rule(broken(constraint, path, self._others(result)), asks, told)

    def _kind(self, term: Term) -> str:
        if isinstance(term, Literal):
            return "a text, not a node"
        kinds = self._values(term, RDF.type)
        if kinds:
            return self._listed("it is", kinds, "a ")
        if next(self._store.quads_for_pattern(term, None, None), None) is None:
            return "the data says nothing of it"
        return "it has no rdf:type"

    def _type(self, result: Result) -> str:
        """What kind of literal is there, where one cannot see it."""
        if not isinstance(result.value, Literal):
            return "a node, not a text or number" if result.value != result.focus else ""
        datatype = result.value.datatype.value
        if datatype == self._parameter(result, "datatype") and not result.value.language:
            return f"that is no {curie(datatype, self._prefixes)}"
        return "a plain text" if datatype == _STRING else ""

    def _chosen(self, term: Term) -> str:
        """What a node is that fits no choice, and what of the shapes' classes was meant."""
        if isinstance(term, Literal):
            return ""
        kinds = self._values(term, RDF.type)
        known = set(self.shapes.graph.objects(None, SH["class"]))
        known |= set(self.shapes.graph.objects(None, SH.targetClass))
        strange = [kind for kind in kinds if node_of(kind) not in known]
        meant = self._meant(strange[0].value, known) if strange else ""
        return "; ".join(filter(None, (self._kind(term), meant)))

    def _misnamed(self, result: Result) -> str:
        """Which class was probably meant, where that of a value has nearly its name."""
        assert result.value is not None
        asked = set(self.shapes.graph.objects(node_of(result.shape), SH["class"]))
        kinds = self._values(result.value, RDF.type)
        return next(filter(None, (self._meant(kind.value, asked) for kind in kinds)), "")

    def _meant(self, given: str, choices: Iterable[Node]) -> str:
        names = {str(choice): shown(ox_term(choice), self._prefixes) for choice in choices}
        close = closest(given, names)
        return f"did you mean {names[close]}?" if close else ""

    def _choices(self, result: Result) -> list[Node]:
        head = self.shapes.graph.value(node_of(result.shape), SH["in"])
        return [] if head is None else list(Collection(self.shapes.graph, head))

    def _other(self, result: Result, name: str) -> str:
        other = self._parameter(result, PARAMETERS[name])
        if other is None:
            return ""
        there = self._has(result.focus, other)
        if name != "Equals":
            return there
        plain = result.path and not result.path.startswith(("<", "(", "^"))
        return f"{self._has(result.focus, result.path)}; {there}" if plain and result.path else ""

    def _has(self, focus: Term, iri: str) -> str:
        named = curie(iri, self._prefixes)
        values = self._values(focus, NamedNode(iri))
        return self._listed(f"{named} is", values) or f"it has no {named}"

    def _others(self, result: Result) -> str:
        """The classes or properties that a constraint names, by their CURIEs."""
        parameter = PARAMETERS.get(component(result.constraint.value))
        if parameter is None:
            return ""
        named = self.shapes.graph.objects(node_of(result.shape), SH[parameter])
        return " or ".join(sorted(shown(ox_term(node), self._prefixes) for node in named))

    def _parameter(self, result: Result, name: str) -> str | None:
        value = self.shapes.graph.value(node_of(result.shape), SH[name])
        return str(value) if isinstance(value, URIRef) else None

    def _values(self, term: Term, predicate: NamedNode) -> list[Term]:
        if isinstance(term, Literal):
            return []
        found = {quad.object for quad in self._store.quads_for_pattern(term, predicate, None)}
        return sorted((one for one in found if isinstance(one, Term)), key=_order)

    def _texts(self, term: Term, predicate: NamedNode) -> list[str]:
        return [
            value.value for value in self._values(term, predicate) if isinstance(value, Literal)
        ]

    def _listed(self, lead: str, values: list[Term], article: str = "") -> str:
        if not values:
            return ""
        texts = [article + shown(value, self._prefixes) for value in values[:_MANY]]
        more = f" and {len(values) - _MANY} more" if len(values) > _MANY else ""
        return f"{lead} {', '.join(texts)}{more}"


def node_of(term: Term) -> Node:
    """A node as a term of rdflib."""
    return URIRef(term.value) if isinstance(term, NamedNode) else BNode(term.value)


def _order(term: Term) -> tuple[str, str]:
    return term.value, str(term)
