"""What a graph must keep and core SHACL cannot say: it compares characters or several nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store

from kg.rdf.vocabulary import ITSRDF, KG, NIF, PRO, RDF, SCHEMA, SKOS, Namespace
from kg.validate.report import VIOLATION, Result, Term

SHAPE = Namespace("https://w3id.org/kg/shapes#")
COMPONENT = SHAPE.BuildCheckComponent

Node = NamedNode | BlankNode


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its IRI, what it asks for, and the search for what breaks it."""

    shape: NamedNode
    label: str
    comment: str
    find: Callable[[Store], Iterator[Result]]


def concerns(quads: Iterable[Quad]) -> bool:
    """Whether there is anything in the data that the checks look at."""
    looked_at = {NIF.referenceContext, SKOS.broader, PRO.relatesToDocument}
    return any(quad.predicate in looked_at for quad in quads)


def check(store: Store) -> Iterator[Result]:
    """All that the checks find. One text with its mentions is in memory at a time."""
    for one in CHECKS:
        yield from one.find(store)


def focus_nodes(store: Store) -> set[Term]:
    """The nodes that the checks look at."""
    return {
        *_having(store, NIF.referenceContext),
        *_having(store, SKOS.broader),
        *(paper for _, paper in _links(store, PRO.relatesToDocument)),
    }


def _mention_text(store: Store) -> Iterator[Result]:
    for _, characters, mentions in _texts(store):
        for mention, begin, end in mentions:
            anchor = _value(store, mention, NIF.anchorOf)
            if not isinstance(anchor, Literal) or end > len(characters):
                continue
            there = characters[begin:end]
            if anchor.value != there:
                yield _result(
                    MENTION_TEXT,
                    mention,
                    NIF.anchorOf,
                    anchor,
                    f"The words of a mention must be those of its text from {begin} to {end}, which"
                    f" are “{there}”. Correct nif:anchorOf or the offsets, in code points.",
                )


def _mention_inside(store: Store) -> Iterator[Result]:
    for text, characters, mentions in _texts(store):
        for mention, _, end in mentions:
            if end > len(characters):
                yield _result(
                    MENTION_INSIDE,
                    mention,
                    NIF.endIndex,
                    _value(store, mention, NIF.endIndex),
                    f"A mention must end inside its text, which has {len(characters)} characters."
                    " Correct nif:endIndex, or nif:referenceContext if it is another text.",
                )
        stated = _value(store, text, NIF.endIndex)
        if stated is not None and _number(stated) not in (None, len(characters)):
            yield _result(
                MENTION_INSIDE,
                text,
                NIF.endIndex,
                stated,
                f"The nif:endIndex of a text must be the number of its characters,"
                f" {len(characters)} (Unicode code points).",
            )


def _mentions_apart(store: Store) -> Iterator[Result]:
    for _, _, mentions in _texts(store):
        reach, before = 0, None
        for mention, begin, end in mentions:
            if before is not None and begin < reach:
                yield _result(
                    MENTIONS_APART,
                    mention,
                    NIF.beginIndex,
                    _value(store, mention, NIF.beginIndex),
                    f"Two mentions of one text must not overlap, and this one begins before"
                    f" {before} ends. Keep the longer one.",
                )
            if end > reach:
                reach, before = end, mention


def _mentioned(store: Store) -> Iterator[Result]:
    for text in _having(store, NIF.isString):
        papers = [
            paper
            for paper in _nodes(store, text, KG.textOf)
            if _states(store, paper, RDF.type, SCHEMA.ScholarlyArticle)
        ]
        if not papers:
            continue
        for mention in _having(store, NIF.referenceContext, text):
            concept = _value(store, mention, ITSRDF.taIdentRef)
            if concept is not None and not any(
                _states(store, paper, SCHEMA.mentions, concept) for paper in papers
            ):
                yield _result(
                    MENTIONED,
                    mention,
                    ITSRDF.taIdentRef,
                    concept,
                    "The concept of a mention must be among what the paper of its text mentions."
                    " Add it to the paper's schema:mentions.",
                )


def _acyclic(store: Store) -> Iterator[Result]:
    above: dict[Term, list[Term]] = {}
    for narrower, broader in _links(store, SKOS.broader):
        above.setdefault(narrower, []).append(broader)
    for circle in _circles(above):
        first = min(circle, key=str)
        rest = ", ".join(sorted(str(node) for node in circle if node != first))
        yield _result(
            ACYCLIC,
            first,
            SKOS.broader,
            None,
            "A concept must not be broader than itself, and this one is"
            + (f" by way of {rest}" if rest else "")
            + ". Take one skos:broader out of the circle.",
        )


def _circles(above: dict[Term, list[Term]]) -> Iterator[list[Term]]:
    """The groups of nodes that reach each other (Tarjan's algorithm, without recursion)."""
    number: dict[Term, int] = {}
    low: dict[Term, int] = {}
    open_nodes: dict[Term, None] = {}
    for start in sorted(above, key=str):
        if start in number:
            continue
        number[start] = low[start] = len(number)
        open_nodes[start] = None
        walk = [(start, iter(above.get(start, ())))]
        while walk:
            node, ahead = walk[-1]
            for following in ahead:
                if following not in number:
                    number[following] = low[following] = len(number)
                    open_nodes[following] = None
                    walk.append((following, iter(above.get(following, ()))))
                    break
                if following in open_nodes:
                    low[node] = min(low[node], number[following])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == number[node]:
                    circle: list[Term] = []
                    while not circle or circle[-1] != node:
                        circle.append(open_nodes.popitem()[0])
                    if len(circle) > 1 or node in above.get(node, ()):
                        yield circle


def _ordinals(store: Store) -> Iterator[Result]:
    for paper in sorted({paper for _, paper in _links(store, PRO.relatesToDocument)}, key=str):
        places: dict[int, Term] = {}
        for authorship in sorted(_having(store, PRO.relatesToDocument, paper), key=str):
            ordinal = _value(store, authorship, KG.ordinal)
            place = _number(ordinal)
            if place is None:
                continue
            if place in places:
                yield _result(
                    ORDINALS,
                    authorship,
                    KG.ordinal,
                    ordinal,
                    f"Two authors of one paper must not have the same place, and {places[place]}"
                    " has this one too. Correct kg:ordinal.",
                )
            places.setdefault(place, authorship)


def _texts(store: Store) -> Iterator[tuple[Node, str, list[tuple[Node, int, int]]]]:
    """Each text, its characters, and its mentions with sound offsets by place."""
    for text in _having(store, NIF.isString):
        characters = _value(store, text, NIF.isString)
        if not isinstance(characters, Literal):
            continue
        mentions = []
        for mention in _having(store, NIF.referenceContext, text):
            begin = _number(_value(store, mention, NIF.beginIndex))
            end = _number(_value(store, mention, NIF.endIndex))
            # What is no pair of offsets at all, the shapes report.
            if begin is not None and end is not None and 0 <= begin < end:
                mentions.append((mention, begin, end))
        mentions.sort(key=lambda mention: (mention[1], mention[2], str(mention[0])))
        yield text, characters.value, mentions


def _having(store: Store, predicate: NamedNode, value: Term | None = None) -> Iterator[Node]:
    """The nodes that have a property, or have it with this value, each once."""
    seen: set[Node] = set()
    for quad in store.quads_for_pattern(None, predicate, value):
        if isinstance(quad.subject, Node) and quad.subject not in seen:
            seen.add(quad.subject)
            yield quad.subject


def _links(store: Store, predicate: NamedNode) -> Iterator[tuple[Node, Node]]:
    for quad in store.quads_for_pattern(None, predicate, None):
        if isinstance(quad.subject, Node) and isinstance(quad.object, Node):
            yield quad.subject, quad.object


def _nodes(store: Store, subject: Node, predicate: NamedNode) -> list[Node]:
    quads = store.quads_for_pattern(subject, predicate, None)
    return [quad.object for quad in quads if isinstance(quad.object, Node)]


def _value(store: Store, subject: Node, predicate: NamedNode) -> Term | None:
    """The one value of a property; where there are several, the first in order."""
    found = [quad.object for quad in store.quads_for_pattern(subject, predicate, None)]
    value = min(found, key=str, default=None)
    return value if isinstance(value, NamedNode | BlankNode | Literal) else None


def _states(store: Store, subject: Node, predicate: NamedNode, value: Term) -> bool:
    return any(True for _ in store.quads_for_pattern(subject, predicate, value))


def _number(term: Term | None) -> int | None:
    if not isinstance(term, Literal) or not term.value.removeprefix("-").isdecimal():
        return None
    return int(term.value)


def _result(
    shape: NamedNode, focus: Term, path: NamedNode, value: Term | None, message: str
) -> Result:
    return Result(focus, path.value, value, message, VIOLATION, shape, COMPONENT)


MENTION_TEXT = SHAPE["Check-mention-text"]
MENTION_INSIDE = SHAPE["Check-mention-inside"]
MENTIONS_APART = SHAPE["Check-mentions-apart"]
MENTIONED = SHAPE["Check-mentioned"]
ACYCLIC = SHAPE["Check-broader-acyclic"]
ORDINALS = SHAPE["Check-ordinals"]

CHECKS = (
    Check(
        MENTION_TEXT,
        "Words of a mention",
        "The nif:anchorOf of a mention is what its text reads from nif:beginIndex to nif:endIndex,"
        " counted in Unicode code points.",
        _mention_text,
    ),
    Check(
        MENTION_INSIDE,
        "Offsets inside the text",
        "A mention ends inside its text, and the nif:endIndex of a text is its length.",
        _mention_inside,
    ),
    Check(
        MENTIONS_APART,
        "Mentions apart",
        "No two mentions of one text overlap.",
        _mentions_apart,
    ),
    Check(
        MENTIONED,
        "Mentions and their paper",
        "The concept of a mention is among the schema:mentions of the paper whose text it is in.",
        _mentioned,
    ),
    Check(
        ACYCLIC,
        "No circle of broader concepts",
        "No concept is, by way of skos:broader, broader than itself.",
        _acyclic,
    ),
    Check(
        ORDINALS,
        "One author a place",
        "No two authorships of one paper have the same kg:ordinal.",
        _ordinals,
    ),
)
