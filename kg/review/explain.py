"""Why two things are one, or are not: from the graph's grounds, and by asking the rules again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import permutations, product

from pyoxigraph import Store

from kg.identity import evidence
from kg.identity.curation import PLURALS, Curation, Kind
from kg.rdf.vocabulary import DCTERMS, SCHEMA, SKOS
from kg.review.graph import Graph
from kg.review.papers import why_two
from kg.text import fold

_SHOWN = 5  # names in a list


@dataclass(frozen=True, slots=True)
class Explanation:
    """What can be said of two things being one."""

    one: bool
    kind: Kind
    labels: tuple[str, ...]  # of the one, or of both
    iris: tuple[str, ...]
    verdict: str  # a sentence
    reasons: tuple[str, ...]  # why, each a line


def explain(
    store: Store, kind: Kind, a: str, b: str, ruled: str = "", records: Collection[str] = ()
) -> Explanation:
    """Say why two things of the graph, by their IRIs, are one or are not.

    `ruled` is the line of the curation file that keeps them apart, if one does (`ruling`).
    Of papers the `records` of these IRIs are compared before others.
    """
    graph = Graph(store)
    if a == b:
        reasons = tuple(_why_one(graph, kind, a))
        return Explanation(True, kind, (graph.label(a),), (a,), f"They are one {kind}.", reasons)
    if kind == "paper":
        verdict, reasons = why_two(graph, a, b, records)
    else:
        verdict, reasons = (_people if kind == "person" else _concepts)(graph, a, b)
    if ruled:
        verdict = f"They are two {PLURALS[kind]}: {ruled} keeps them apart."
    labels = (graph.label(a), graph.label(b))
    return Explanation(False, kind, labels, (a, b), verdict, reasons)


def ruling(
    curation: Curation, kind: Kind, a: str, b: str, named: Callable[[str], Collection[str]]
) -> str:
    """The line of a curation that keeps two things apart, "curation.toml:3"; empty where none does.

    `named` gives the IRIs of the things of this kind that a name in the file stands for.
    """
    for entry in curation.entries:
        if entry.action == "never" and entry.kind == kind:
            sides = [set(named(name)) for name in entry.names]
            for one, other in permutations(sides, 2):
                if a in one and b in other:
                    return curation.at(entry)
    return ""


def _why_one(graph: Graph, kind: Kind, iri: str) -> Iterator[str]:
    grounds = graph.grounds(iri)
    for ground in grounds:
        where = "; ".join(ground.records)
        yield ground.label + (f" ({where})" if where else "")
    if kind == "paper":
        records = graph.records(iri)
        if not grounds:
            yield "it has one record" if len(records) == 1 else "its records are one text"
        for record in records.values():
            yield f"record: {record.source.name}, record {record.position}, line {record.line}"
    else:
        names = graph.names(iri)
        if len(names) > 1:
            yield f"names: {', '.join(names[: _SHOWN * 2])}"
        elif not grounds:
            yield "its name is written in one way, but for case, accents and the like"


def _people(graph: Graph, a: str, b: str) -> tuple[str, tuple[str, ...]]:
    names = [graph.names(person) for person in (a, b)]
    papers = [graph.subjects(DCTERMS.creator, person) for person in (a, b)]
    lines = [f"names: {', '.join(some[:_SHOWN])}" for some in names]
    for person, own in zip((a, b), papers, strict=True):
        lines.append(f"papers of {graph.label(person)}: {len(own)}")
        lines += graph.values(person, SKOS.note)
    both = sorted(graph.label(paper) for paper in papers[0] & papers[1])
    if both:
        lines.append(f"both are authors of: {both[0]}")
        return "They are two people: one paper has both among its authors.", tuple(lines)
    with_a, with_b = (
        {who for paper in own for who in graph.values(paper, DCTERMS.creator)} - {a, b}
        for own in papers
    )
    common = sorted(graph.label(person) for person in with_a & with_b)
    lines.append(f"co-authors in common: {', '.join(common[:_SHOWN]) or 'none'}")
    folded = [{fold(name) for name in some} for some in names]
    if folded[0] & folded[1]:
        why = "they have one name, and the sources tell them apart"
    elif any(
        evidence.compatible(frozenset(x.split()), frozenset(y.split())) for x, y in product(*folded)
    ):
        why = (
            "their names may be of one person, but no paper and no identifier has both, "
            "and a likeness of names alone joins nobody"
        )
    else:
        why = "their names differ"
    return f"They are two people: {why}.", tuple(lines)


def _concepts(graph: Graph, a: str, b: str) -> tuple[str, tuple[str, ...]]:
    names = [graph.names(concept) for concept in (a, b)]
    papers = [graph.subjects(SCHEMA.mentions, concept) for concept in (a, b)]
    lines = [f"names: {', '.join(some[:_SHOWN])}" for some in names]
    for concept, own in zip((a, b), papers, strict=True):
        lines.append(f"papers that mention {graph.label(concept)}: {len(own)}")
    lines.append(f"papers that mention both: {len(papers[0] & papers[1])}")
    shared = sorted(set(names[0]) & set(names[1]))
    if b in graph.values(a, SKOS.broader) or a in graph.values(b, SKOS.broader):
        return "They are two concepts: one is broader than the other.", tuple(lines)
    if shared:
        short = ", ".join(f'"{name}"' for name in shared)
        why = f"{short} is a name of both, and a short form may have several meanings"
    elif {fold(name) for name in names[0]} & {fold(name) for name in names[1]}:
        why = "their names differ in signs or capitals, which may tell things apart"
    else:
        why = "their names differ, and nothing in the graph says that they are one"
    return f"They are two concepts: {why}.", tuple(lines)
