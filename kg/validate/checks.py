"""What a graph must keep and core SHACL cannot say: it compares characters or several nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pyoxigraph import BlankNode, Literal, NamedNode, Quad

from kg.rdf.vocabulary import ITSRDF, KG, NIF, PRO, RDF, SCHEMA, SKOS, Namespace
from kg.validate.kept import Readable
from kg.validate.report import VIOLATION, Result, Term

SHAPE = Namespace("https://w3id.org/kg/shapes#")
COMPONENT = SHAPE.BuildCheckComponent

Node = NamedNode | BlankNode
_INTEGER = re.compile(r"\s*([-+]?)0*([0-9]+)\s*", re.ASCII)
_DIGITS = 4000  # Python refuses to read more than 4,300


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its IRI, what it asks for, and the search for what breaks it."""

    shape: NamedNode
    label: str
    comment: str
    find: Callable[[Readable], Iterator[Result]]
    find_in: Callable[[_Text], Iterator[Result]] | None = None  # where it looks at one text alone


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention with its first value, in order, of each property that the checks look at."""

    node: Node
    said: Mapping[NamedNode, Term]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with its mentions."""

    node: Node
    characters: str | None  # None where it has none that are text
    stated: Term | None  # its nif:endIndex
    mentions: list[_Mention]  # those with sound offsets, by place
    concepts: list[tuple[Node, Term]]  # mentions with their concepts
    papers: list[Node]
    mentioned: set[object]  # what the papers mention


def concerns(quads: Iterable[Quad]) -> bool:
    """Whether there is anything in the data that the checks look at."""
    looked_at = {NIF.referenceContext, SKOS.broader, PRO.relatesToDocument}
    return any(quad.predicate in looked_at for quad in quads)


def check(store: Readable) -> Iterator[Result]:
    """All that the checks find. One text with its mentions is in memory at a time."""
    in_texts = [one.find_in for one in CHECKS if one.find_in]
    for text in _texts(store):
        for find in in_texts:
            yield from find(text)
    for one in CHECKS:
        if not one.find_in:
            yield from one.find(store)


def _in_each_text(
    find: Callable[[_Text], Iterator[Result]],
) -> Callable[[Readable], Iterator[Result]]:
    return lambda store: (result for text in _texts(store) for result in find(text))


def focus_nodes(store: Readable) -> set[Term]:
    """The nodes that the checks look at."""
    return {
        *_having(store, NIF.referenceContext),
        *_having(store, SKOS.broader),
        *(paper for _, paper in _links(store, PRO.relatesToDocument)),
    }


def _mention_text(text: _Text) -> Iterator[Result]:
    if text.characters is None:
        return
    for mention in text.mentions:
        anchor = mention.said.get(NIF.anchorOf)
        if not isinstance(anchor, Literal) or mention.end > len(text.characters):
            continue
        there = text.characters[mention.begin : mention.end]
        if anchor.value != there:
            yield _result(
                MENTION_TEXT,
                mention.node,
                NIF.anchorOf,
                anchor,
                f"The words of a mention must be those of its text from {mention.begin} to"
                f" {mention.end}, which are “{there}”. Correct nif:anchorOf or the offsets, in"
                " code points.",
            )


def _mention_inside(text: _Text) -> Iterator[Result]:
    if text.characters is None:
        return
    length = len(text.characters)
    for mention in text.mentions:
        if mention.end > length:
            yield _result(
                MENTION_INSIDE,
                mention.node,
                NIF.endIndex,
                mention.said.get(NIF.endIndex),
                f"A mention must end inside its text, which has {length} characters."
                " Correct nif:endIndex, or nif:referenceContext if it is another text.",
            )
    if text.stated is not None and _number(text.stated) not in (None, length):
        yield _result(
            MENTION_INSIDE,
            text.node,
            NIF.endIndex,
            text.stated,
            f"The nif:endIndex of a text must be the number of its characters,"
            f" {length} (Unicode code points).",
        )


def _mentions_apart(text: _Text) -> Iterator[Result]:
    if text.characters is None:
        return
    reach, before = 0, None
    for mention in text.mentions:
        if before is not None and mention.begin < reach:
            yield _result(
                MENTIONS_APART,
                mention.node,
                NIF.beginIndex,
                mention.said.get(NIF.beginIndex),
                f"Two mentions of one text must not overlap, and this one begins before"
                f" {before} ends. Keep the longer one.",
            )
        if mention.end > reach:
            reach, before = mention.end, mention.node


def _mentioned(text: _Text) -> Iterator[Result]:
    if not text.papers:
        return
    for mention, concept in text.concepts:
        if concept not in text.mentioned:
            yield _result(
                MENTIONED,
                mention,
                ITSRDF.taIdentRef,
                concept,
                "The concept of a mention must be among what the paper of its text mentions."
                " Add it to the paper's schema:mentions.",
            )


def _acyclic(store: Readable) -> Iterator[Result]:
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


def _ordinals(store: Readable) -> Iterator[Result]:
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


def _texts(store: Readable) -> Iterator[_Text]:
    for node in _having(store, NIF.isString):
        said = _said(store, node)
        characters = said.get(NIF.isString)
        mentions = []
        concepts = []
        for mention in _having(store, NIF.referenceContext, node):
            about = _said(store, mention)
            concept = about.get(ITSRDF.taIdentRef)
            if concept is not None:
                concepts.append((mention, concept))
            begin, end = _number(about.get(NIF.beginIndex)), _number(about.get(NIF.endIndex))
            # What is no pair of offsets at all, the shapes report.
            if begin is not None and end is not None and 0 <= begin < end:
                mentions.append(_Mention(mention, about, begin, end))
        mentions.sort(key=lambda mention: (mention.begin, mention.end, str(mention.node)))
        papers = [
            paper
            for paper in _nodes(store, node, KG.textOf)
            if _states(store, paper, RDF.type, SCHEMA.ScholarlyArticle)
        ]
        yield _Text(
            node,
            characters.value if isinstance(characters, Literal) else None,
            said.get(NIF.endIndex),
            mentions,
            concepts,
            papers,
            {
                quad.object
                for paper in papers
                for quad in store.quads_for_pattern(paper, SCHEMA.mentions, None)
            },
        )


def _said(store: Readable, node: Node) -> dict[NamedNode, Term]:
    """The value of each property of a node; where there are several, the first in order."""
    said: dict[NamedNode, Term] = {}
    for quad in store.quads_for_pattern(node, None, None):
        predicate, value = quad.predicate, quad.object
        if isinstance(value, NamedNode | BlankNode | Literal):
            known = said.get(predicate)
            if known is None or str(value) < str(known):
                said[predicate] = value
    return said


def _having(store: Readable, predicate: NamedNode, value: Term | None = None) -> Iterator[Node]:
    """The nodes that have a property, or have it with this value, each once."""
    seen: set[Node] = set()
    for quad in store.quads_for_pattern(None, predicate, value):
        if isinstance(quad.subject, Node) and quad.subject not in seen:
            seen.add(quad.subject)
            yield quad.subject


def _links(store: Readable, predicate: NamedNode) -> Iterator[tuple[Node, Node]]:
    for quad in store.quads_for_pattern(None, predicate, None):
        if isinstance(quad.subject, Node) and isinstance(quad.object, Node):
            yield quad.subject, quad.object


def _nodes(store: Readable, subject: Node, predicate: NamedNode) -> list[Node]:
    quads = store.quads_for_pattern(subject, predicate, None)
    return [quad.object for quad in quads if isinstance(quad.object, Node)]


def _value(store: Readable, subject: Node, predicate: NamedNode) -> Term | None:
    """The one value of a property; where there are several, the first in order."""
    found = [quad.object for quad in store.quads_for_pattern(subject, predicate, None)]
    value = min(found, key=str, default=None)
    return value if isinstance(value, NamedNode | BlankNode | Literal) else None


def _states(store: Readable, subject: Node, predicate: NamedNode, value: Term) -> bool:
    return any(True for _ in store.quads_for_pattern(subject, predicate, value))


def _number(term: Term | None) -> int | None:
    """An integer in any of its forms; of one beyond all measure only what Python reads of it."""
    found = _INTEGER.fullmatch(term.value) if isinstance(term, Literal) else None
    return int(found[1] + found[2][:_DIGITS]) if found else None


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
        _in_each_text(_mention_text),
        _mention_text,
    ),
    Check(
        MENTION_INSIDE,
        "Offsets inside the text",
        "A mention ends inside its text, and the nif:endIndex of a text is its length.",
        _in_each_text(_mention_inside),
        _mention_inside,
    ),
    Check(
        MENTIONS_APART,
        "Mentions apart",
        "No two mentions of one text overlap.",
        _in_each_text(_mentions_apart),
        _mentions_apart,
    ),
    Check(
        MENTIONED,
        "Mentions and their paper",
        "The concept of a mention is among the schema:mentions of the paper whose text it is in.",
        _in_each_text(_mentioned),
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
