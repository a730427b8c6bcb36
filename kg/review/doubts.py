"""Pairs of things that may be one and are not, the most rewarding first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from pyoxigraph import Store

from kg.identity import evidence, titles
from kg.identity.curation import PLURALS, Kind
from kg.identity.spelling import doubtful_spellings
from kg.identity.wordings import AKIN, likeness
from kg.model import Record, Source
from kg.rdf.vocabulary import DCTERMS, SCHEMA, SKOS
from kg.review.graph import Graph
from kg.text import fold

_MOST = 30  # things that look alike in one way; more say nothing


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two things that may be one."""

    kind: Kind
    a: str  # IRIs; the one with more papers first
    b: str
    labels: tuple[str, str]
    papers: tuple[int, int]  # of each; of a paper its records
    why: str

    @property
    def gain(self) -> int:
        """How many papers would be found under one name that are not now."""
        return min(self.papers)


def doubts(store: Store, kinds: Collection[Kind] = tuple(PLURALS)) -> list[Doubt]:
    """All doubtful pairs of these kinds: by kind, then the greatest gain first."""
    graph = Graph(store)
    finders = {"paper": _papers, "person": _people, "concept": _concepts}
    found = []
    for kind in PLURALS:
        if kind in kinds:
            some = {(doubt.a, doubt.b): doubt for doubt in reversed(list(finders[kind](graph)))}
            found += sorted(some.values(), key=lambda doubt: (-doubt.gain, doubt.a, doubt.b))
    return found


def _doubt(
    graph: Graph, kind: Kind, pair: tuple[str, str], counts: Mapping[str, int], why: str
) -> Doubt:
    a, b = sorted(pair, key=lambda iri: (-counts.get(iri, 0), iri))
    labels = (graph.label(a), graph.label(b))
    return Doubt(kind, a, b, labels, (counts.get(a, 0), counts.get(b, 0)), why)


def _pairs(blocks: Mapping[object, list[str]]) -> Iterator[tuple[str, str]]:
    for block in blocks.values():
        if 1 < len(block) <= _MOST:
            yield from combinations(sorted(set(block)), 2)


# Papers ------------------------------------------------------------------------------------


def _papers(graph: Graph) -> Iterator[Doubt]:
    same: dict[object, list[str]] = defaultdict(list)
    near: dict[object, list[str]] = defaultdict(list)
    texts: dict[object, list[str]] = defaultdict(list)
    kept: dict[str, titles.Title] = {}
    for paper in graph.things("paper"):
        title = next(graph.values(paper, DCTERMS.title), "")
        kept[paper] = read = titles.read_title(title)
        if read.telling:
            same[read.key].append(paper)
            for end in titles.ends(read):
                near[end].append(paper)
            if head := titles.head(title).key:
                same[head].append(paper)
        abstract = next(graph.values(paper, DCTERMS.abstract), "")
        words = fold(abstract[:400]).split()[:8]
        if len(words) == 8:
            texts[tuple(words)].append(paper)
    one = dict.fromkeys(kept, 1)
    for a, b in _pairs(same):
        why = "one title" if kept[a].key == kept[b].key else "one title but for a subtitle"
        yield _doubt(graph, "paper", (a, b), one, f"{why}; {_against(graph, a, b)}")
    for a, b in _pairs(near):
        if kept[a].key != kept[b].key and (
            titles.misspelt(kept[a], kept[b]) or titles.near(kept[a], kept[b])
        ):
            common = set(graph.values(a, DCTERMS.creator)) & set(graph.values(b, DCTERMS.creator))
            if common:
                against = _against(graph, a, b)
                yield _doubt(graph, "paper", (a, b), one, f"nearly one title; {against}")
    for a, b in _pairs(texts):
        if kept[a].key != kept[b].key:
            found = likeness(*(_abstract(graph, paper) for paper in (a, b)))
            if found >= AKIN:
                why = f"abstracts of {found:.0%} the same words under two titles"
                yield _doubt(graph, "paper", (a, b), one, why)


def _abstract(graph: Graph, paper: str) -> str:
    return evidence.folded_abstract(next(graph.values(paper, DCTERMS.abstract), ""))


def _against(graph: Graph, a: str, b: str) -> str:
    """What keeps two papers of one title apart."""
    found = evidence.compare(*(evidence.facts(_as_record(graph, paper)) for paper in (a, b)))
    reasons = {
        "authors": {"apart": "no author in common", "unknown": "the authors cannot be compared"},
        "abstracts": {"unlike": "the abstracts differ", "unknown": "no abstracts to compare"},
    }
    said = [reasons[what].get(getattr(found, what), "") for what in reasons]
    if found.years:
        said.append(f"{found.years} years apart" if found.years > 1 else "a year apart")
    return ", ".join(filter(None, said)) or "one source has both"


def _as_record(graph: Graph, paper: str) -> Record:
    return next(iter(graph.records(paper).values()), Record(Source("", ""), 0, 0, ""))


# People ------------------------------------------------------------------------------------


def _people(graph: Graph) -> Iterator[Doubt]:
    of = graph.links(DCTERMS.creator)
    counts = {person: len(papers) for person, papers in of.items()}
    names: dict[object, list[str]] = defaultdict(list)
    initials: dict[object, list[str]] = defaultdict(list)
    words: dict[str, list[str]] = {}
    for person in graph.things("person"):
        folded = fold(graph.label(person))
        names[folded].append(person)
        words[person] = folded.split()
        if len(words[person]) > 1:
            initials[words[person][-1], words[person][0][0]].append(person)
    for a, b in _pairs(names):
        yield _doubt(graph, "person", (a, b), counts, "one name; the sources tell them apart")
    for a, b in _pairs(initials):
        if words[a] == words[b] or not evidence.compatible(
            frozenset(words[a]), frozenset(words[b])
        ):
            continue
        if of[a] & of[b]:
            continue  # both are authors of one paper
        common = _with_whom(graph, of[a], a) & _with_whom(graph, of[b], b)
        if common:
            who = ", ".join(sorted(graph.label(person) for person in common)[:3])
            yield _doubt(graph, "person", (a, b), counts, f"both wrote with {who}")


def _with_whom(graph: Graph, papers: Collection[str], person: str) -> set[str]:
    return {who for paper in papers for who in graph.values(paper, DCTERMS.creator)} - {person}


# Concepts ----------------------------------------------------------------------------------


def _concepts(graph: Graph) -> Iterator[Doubt]:
    counts = {concept: len(papers) for concept, papers in graph.links(SCHEMA.mentions).items()}
    labels: dict[str, list[str]] = defaultdict(list)
    alike: dict[object, list[str]] = defaultdict(list)
    others: dict[str, list[str]] = defaultdict(list)
    for concept in graph.things("concept"):
        label = graph.label(concept)
        labels[fold(label)].append(concept)
        alike[_spelling(label)].append(concept)
        for other in graph.values(concept, SKOS.altLabel):
            others[other].append(concept)
    for pair in doubtful_spellings(labels, lambda key: map(graph.label, labels[key])):
        for a in labels[pair.a]:
            for b in labels[pair.b]:
                yield _doubt(
                    graph, "concept", (a, b), counts, "one name but for spaces or capitals"
                )
    for a, b in _pairs(alike):
        yield _doubt(graph, "concept", (a, b), counts, "one name in two spellings")
    for block in labels.values():
        for a, b in combinations(block[:_MOST], 2):
            yield _doubt(graph, "concept", (a, b), counts, "one name but for its signs or capitals")
    for name, holders in sorted(others.items()):
        for concept in labels.get(fold(name), ()):
            for holder in holders[:_MOST]:
                if holder != concept and graph.label(concept) == name:
                    why = f'"{name}" is a short or other name of the second'
                    if counts.get(concept, 0) < counts.get(holder, 0):
                        why = f'"{name}" is a short or other name of the first'
                    yield _doubt(graph, "concept", (concept, holder), counts, why)


# British and American endings, and what the one has for the other.
_ENDINGS = (("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"),
            ("lling", "ling"), ("lled", "led"), ("our", "or"), ("tre", "ter"))  # fmt: skip


def _spelling(label: str) -> str:
    """A label without what British and American spelling, plurals and spaces make of it."""
    if any(map(str.isupper, label[1:])):
        return label  # the name of something
    words = []
    for word in fold(label).split():
        word = word.removesuffix("s") if len(word) > 4 else word
        for british, american in _ENDINGS:
            if word.endswith(british) and len(word) > len(british) + 2:
                word = word.removesuffix(british) + american
                break
        words.append(word)
    return "".join(words)
