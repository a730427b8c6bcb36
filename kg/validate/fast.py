"""The fast engine: the package `shacl`, which is written in Rust.

It reads the data from a file, or what looks like one, and holds it in about a tenth of the
memory that rdflib takes.
Where it finds something that it and pySHACL might see differently (`doubtful`), pySHACL has
the last word on that focus node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    parse,
    serialize,
)
from rdflib import RDF, SH, BNode, Graph
from rdflib import Literal as Text
from rdflib.collection import Collection
from rdflib.term import Node, URIRef

from kg.errors import KgError, ShapesError, UsageError
from kg.validate.datatypes import PATTERNS, well_formed
from kg.validate.engine import message
from kg.validate.paths import path_text
from kg.validate.pipe import apart, written
from kg.validate.report import Result, Term
from kg.validate.suited import suited
from kg.validate.terms import copied, from_rdflib, ox_term
from kg.validate.view import StoreView, View

if TYPE_CHECKING:
    import shacl

_BLANK = URIRef("urn:x-kg:blank")  # what a blank node is called, for a moment
_BLANK_SHAPE = URIRef("urn:x-kg:blank-shape")
_VALUE = NamedNode("urn:x-kg:value")
_CLOSED = NamedNode(str(SH.ClosedConstraintComponent))
_DATATYPE = NamedNode(str(SH.DatatypeConstraintComponent))
_PATTERN = NamedNode(str(SH.PatternConstraintComponent))
_SHAPE = "urn:x-kg:shape:"

_SENSITIVE = {"Datatype", "Pattern", "Node", "And", "Or", "QualifiedMinCount"}
_SENSITIVE |= {"MinInclusive", "MaxInclusive", "MinExclusive", "MaxExclusive"}
_SENSITIVE |= {"LessThan", "LessThanOrEquals"}
_RANGES = {SH.minInclusive, SH.maxInclusive, SH.minExclusive, SH.maxExclusive}
_RANGES |= {SH.lessThan, SH.lessThanOrEquals}


def installed() -> bool:
    """Whether the package is there, and is one for this machine."""
    try:
        import shacl  # noqa: F401
    except ImportError:
        return False
    return True


def run(data: View, shapes: Graph, nodes: Iterable[Node], threads: int = 1) -> tuple[Result, ...]:
    """Validate; `nodes` are the shapes in the graph. The results are sorted.

    `threads` read a store at a time.

    Raises UsageError where the package is not installed, ShapesError where it cannot work with
    the shapes, KgError where it breaks off.
    """
    if not installed():
        raise UsageError("the fast engine is not installed; get it with: pip install shacl")
    write = partial(_write, data, threads)
    graph = _forms(suited(shapes, frozenset(nodes)))
    found = _validated(graph, write)
    blank = {}
    if any(_has_blank(one) for one in found):
        # The engine gives blank nodes other names; let it say which is which.
        found = _validated(_asking(graph), partial(write, named=True))
        blank = {one.focus_node: one for one in found if _is_answer(one)}
        found = [one for one in found if not _is_answer(one)]
    terms = _Terms({name: _label(one) for name, one in blank.items()})
    results = _by_datatype([_result(one, shapes, terms) for one in found], shapes)
    return tuple(sorted(results, key=lambda result: result.order))


def doubtful(results: Iterable[Result], shapes: Graph) -> set[Term]:
    """The focus nodes of results that pySHACL might not give, or not give alone.

    The fast engine has no numbers and durations beyond a size of its own, and pySHACL compares
    values of unlike datatypes in a way of its own. What can be told only where a value is compared
    with a number is preceded by a result on its datatype, as `uncovered` makes sure.
    """
    compared = any(predicate in _RANGES for predicate in shapes.predicates())
    found: set[Term] = set()
    for result in results:
        kind = result.constraint.value.removeprefix(str(SH)).removesuffix("ConstraintComponent")
        if kind not in _SENSITIVE:
            continue
        if kind == "Pattern" and not (
            isinstance(result.value, Literal) and result.value.value.endswith("\n")
        ):
            continue
        if kind == "Datatype" and not compared and not _asked_for(result, shapes):
            continue
        found.add(result.focus)
    return found


def _asked_for(result: Result, shapes: Graph) -> bool:
    """Whether a value has the datatype that its shape asks for, and perhaps in good form."""
    shape, value = _node(result.shape), result.value
    datatype = str(shapes.value(shape, SH.datatype))
    if not isinstance(value, Literal) or datatype != value.datatype.value:
        return False
    # Beside another pattern, `_by_datatype` cannot always tell how many results there are.
    return well_formed(value.value, datatype) is not False or (shape, SH.pattern, None) in shapes


def _forms(shapes: Graph) -> Graph:
    """The shapes, which are changed, with a pattern for what a datatype lets be written.

    The engine knows that of numbers; it takes nearly any text for a year.
    """
    for shape, datatype in list(shapes.subject_objects(SH.datatype)):
        form = PATTERNS.get(str(datatype))
        if form and (shape, SH.flags, None) not in shapes:
            shapes.add((shape, SH.pattern, Text(f"^(?:{form})$")))
    return shapes


def _by_datatype(results: list[Result], shapes: Graph) -> Iterator[Result]:
    """The results, those on patterns that `_forms` has added as results on the datatype."""
    forms = {
        shape: str(datatype)
        for shape, datatype in shapes.subject_objects(SH.datatype)
        if str(datatype) in PATTERNS and (shape, SH.flags, None) not in shapes
    }
    told = Counter(_about(result) for result in results if result.constraint == _DATATYPE)
    left = Counter(told)
    for result in results:
        shape, about = _node(result.shape), _about(result)
        if result.constraint != _PATTERN or not _misses(result.value, forms.get(shape)):
            yield result
        elif left[about]:  # the engine has seen by itself that it is none of the datatype
            left[about] -= 1
        elif told[about] or (shape, SH.pattern, None) in shapes:
            # The rest is of the shape's own patterns.
            told[about] += 1
            yield result if told[about] > 1 else replace(result, constraint=_DATATYPE)
        else:
            yield replace(result, constraint=_DATATYPE)


def _about(result: Result) -> tuple[Term, Term, Term | None]:
    return result.focus, result.shape, result.value


def _misses(value: Term | None, datatype: str | None) -> bool:
    """Whether the pattern of a datatype does not fit a value."""
    if datatype is None or value is None:
        return False
    return isinstance(value, BlankNode) or not well_formed(value.value, datatype)


def _asking(shapes: Graph) -> Graph:
    """The shapes with one more, which fails for each name of a blank node."""
    copy = copied(shapes)
    for shape in set(copy.subjects(SH.closed)):
        allowed = [
            one
            for head in copy.objects(shape, SH.ignoredProperties)
            for one in Collection(copy, head)
        ]
        copy.remove((shape, SH.ignoredProperties, None))
        head = BNode()
        Collection(copy, head, [*allowed, _BLANK])
        copy.add((shape, SH.ignoredProperties, head))
    copy.add((_BLANK_SHAPE, RDF.type, SH.PropertyShape))
    copy.add((_BLANK_SHAPE, SH.targetSubjectsOf, _BLANK))
    copy.add((_BLANK_SHAPE, SH.path, _BLANK))
    copy.add((_BLANK_SHAPE, SH.nodeKind, SH.IRI))
    return copy


def _names(data: View) -> Iterator[Triple]:
    predicate = NamedNode(str(_BLANK))
    seen: set[BlankNode] = set()
    for quad in data.quads():
        for term in (quad.subject, quad.object):
            if isinstance(term, BlankNode) and term not in seen:
                seen.add(term)
                yield Triple(term, predicate, Literal(term.value))


def _write(data: View, threads: int, out: IO[bytes], named: bool = False) -> None:
    """Write the data as N-Triples; if `named`, its blank nodes with their names too."""
    if isinstance(data, StoreView):
        data.store.dump(out, threads)
    else:
        triples = (Triple(q.subject, q.predicate, q.object) for q in data.quads())
        serialize(triples, out, RdfFormat.N_TRIPLES)
    if named:
        serialize(_names(data), out, RdfFormat.N_TRIPLES)


def _validated(shapes: Graph, write: Callable[[IO[bytes]], None]) -> list[shacl.Result]:
    """What the engine finds in the data that `write` writes."""
    import shacl

    triples = (Triple(q.subject, q.predicate, q.object) for q in from_rdflib(shapes))
    text = serialize(triples, format=RdfFormat.N_TRIPLES)
    assert text is not None
    try:
        compiled = shacl.Shapes.from_text(text.decode(), format="ntriples")
        with written(write) as file:
            return apart(lambda: compiled.validate_file(str(file)).results)
    except ValueError as error:
        if str(error).startswith("parse error"):  # an IRI that a careless parser let through
            raise KgError(f"the fast engine cannot read the data: {_line(error)}") from error
        raise ShapesError(
            f"the shapes cannot be used by the fast engine: {_line(error)}"
        ) from error
    except OSError as error:
        if error.errno is not None:  # the system's, as of a full disk, and not the engine's own
            raise
        raise KgError(f"the fast engine cannot read the data: {_line(error)}") from error
    except BaseException as error:
        # What Rust did not foresee, as a date of twenty digits; it has no class to be caught by.
        if type(error).__name__ != "PanicException":
            raise
        raise KgError(f"the fast engine gave up: {_line(error)}") from error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _has_blank(one: shacl.Result) -> bool:
    return one.focus_node.startswith("_:") or (one.value or "").startswith("_:")


def _is_answer(one: shacl.Result) -> bool:
    return one.source_shape == f"<{_BLANK_SHAPE}>"


def _label(one: shacl.Result) -> BlankNode:
    return BlankNode(one.value_plain or "")


class _Terms:
    """Terms from the text that the engine has for them."""

    def __init__(self, blank: dict[str, BlankNode]) -> None:
        self._known: dict[str, Term] = {**blank}

    def __call__(self, text: str) -> Term:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = _read(text)
        return known


def _read(text: str) -> Term:
    if text.startswith("<"):
        return NamedNode(text[1:-1])
    if text.startswith("_:"):
        return BlankNode(text[2:])
    (quad,) = parse(f"{_VALUE} {_VALUE} {text} .", RdfFormat.N_TRIPLES)
    assert isinstance(quad, Quad)
    assert isinstance(quad.object, Literal)
    return quad.object


def _result(one: shacl.Result, shapes: Graph, term: _Terms) -> Result:
    source = term(one.source_shape or one.root_shape or "_:none")
    if isinstance(source, NamedNode) and source.value.startswith(_SHAPE):
        source = BlankNode(source.value.removeprefix(_SHAPE))
    assert isinstance(source, NamedNode | BlankNode)
    shape = _node(source)
    constraint, severity = term(_angled(one.component_iri)), term(_angled(one.severity_iri))
    assert isinstance(constraint, NamedNode)
    assert isinstance(severity, NamedNode)
    path = None if constraint == _CLOSED else shapes.value(shape, SH.path)
    said = [text for text in shapes.objects(shape, SH.message) if isinstance(text, Text)]
    return Result(
        focus=term(one.focus_node),
        path=_path(one.path) if path is None else path_text(shapes, path),
        value=None if one.value is None else term(one.value),
        message=message([ox_term(text) for text in said]) or one.message or "",
        severity=severity,
        shape=source,
        constraint=constraint,
    )


def _path(text: str | None) -> str | None:
    """The path of a result on a node shape, as of sh:closed: one property."""
    return text[1:-1] if text and text.startswith("<") and text.count("<") == 1 else text


def _angled(iri: str) -> str:
    return iri if iri.startswith("<") else f"<{iri}>"


def _node(term: NamedNode | BlankNode) -> Node:
    return URIRef(term.value) if isinstance(term, NamedNode) else BNode(term.value)
