"""Names of concepts that a person keeps apart, though a record defines one as the other.

A record that defines "graph neural network (GNN)" speaks of one concept with two names. Where a
curation keeps the two apart, it speaks of two: each mention is of the name that stands there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from kg.identity.curation import Called, Ruler
from kg.identity.made import Made
from kg.model import Mention, Name, Paper, RecordConcept
from kg.text import fold, plain


def kept_apart(papers: Made, ruler: Ruler) -> Made:
    """The papers with the names parted that the curation keeps apart.

    Raises UsageError where two names are one by what names are compared by.
    """
    if not ruler.keeps_apart("concept"):
        return papers
    labels: dict[str, set[str]] = defaultdict(set)
    for paper in papers:
        for concept in paper.concepts:
            for name in (concept.name, *concept.aliases):
                labels[name.key].add(name.label)
    keys = sorted(labels)
    things = [Called((key,), tuple(sorted(labels[key]))) for key in keys]
    apart: dict[str, set[str]] = defaultdict(set)
    for a, b in ruler.kept_apart("concept", things):
        apart[keys[a]].add(keys[b])
    return papers.then(lambda paper: _parted(paper, apart))


def _parted(paper: Paper, apart: Mapping[str, set[str]]) -> Paper:
    if not any(_split_off(concept, apart) for concept in paper.concepts):
        return paper
    concepts: list[RecordConcept] = []
    moved: dict[tuple[str, Mention], str] = {}  # key of the old name and mention -> the new key
    for concept in paper.concepts:
        names = _split_off(concept, apart)
        if not names:
            concepts.append(concept)
            continue
        own: dict[str, list[Mention]] = {name.key: [] for name in (concept.name, *names)}
        for mention in concept.mentions:
            own[_said(mention, concept, names)].append(mention)
        for name in names:
            moved |= {(concept.name.key, m): name.key for m in own[name.key]}
            if own[name.key]:
                mentions = tuple(own[name.key])
                concepts.append(replace(concept, name=name, mentions=mentions, aliases=()))
        kept = tuple(alias for alias in concept.aliases if alias not in names)
        if own[concept.name.key]:
            mentions = tuple(own[concept.name.key])
            concepts.append(replace(concept, mentions=mentions, aliases=kept))
    texts = (
        replace(text, mentions=tuple((m, moved.get((key, m), key)) for m, key in text.mentions))
        for text in paper.texts
    )
    concepts.sort(key=lambda concept: [(m.field, m.start, m.end) for m in concept.mentions[:1]])
    return replace(paper, texts=tuple(texts), concepts=tuple(concepts))


def _split_off(concept: RecordConcept, apart: Mapping[str, set[str]]) -> tuple[Name, ...]:
    """The second names of a concept that must not be names of it."""
    kept = {concept.name.key}
    away = []
    for alias in concept.aliases:
        if kept.isdisjoint(apart.get(alias.key, ())):
            kept.add(alias.key)
        else:
            away.append(alias)
    return tuple(away)


def _said(mention: Mention, concept: RecordConcept, names: Iterable[Name]) -> str:
    """The key of the name that a mention has: that of the concept, or a second one."""
    words = plain(mention.text).text
    for name in (concept.name, *names):
        if words in (name.label, f"{name.label}s"):
            return name.key
    for name in (concept.name, *names):
        if fold(words) in (fold(name.label), fold(f"{name.label}s")):
            return name.key
    return concept.name.key
