"""Identity: which records are one paper, which names one person, which names one concept.

The result is the same in whatever order the records come.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kg.identity import concepts, keys, papers, people
from kg.identity.curation import Ruler
from kg.identity.kept_apart import kept_apart
from kg.identity.made import Made
from kg.identity.papers import Work
from kg.identity.people import Signed
from kg.model import Extraction, Field, Identity, Note, Paper, Record, RecordConcept, Text

# title and abstract -> what extraction found in them
Extractions = Callable[[str, str], Extraction]


def identify(
    records: Iterable[Record],
    extractions: Extractions,
    notes: Iterable[Note] = (),
    *,
    ruler: Ruler | None = None,
) -> Identity:
    """Part records into papers, names into people and mentions into concepts."""
    ruler = ruler or Ruler()
    works = list(papers.link(records, ruler))
    groups = [work.records for work in works]
    persons, signed = people.identify(groups, ruler)
    owned = keys.owned(groups)
    minted = keys.keys(groups, [work.former for work in works])
    named = sorted(zip(minted, works, strict=True), key=lambda pair: pair[0][0])
    made = kept_apart(
        Made(len(named), lambda i: _paper(named[i][1], named[i][0], owned, extractions, signed)),
        ruler,
    )
    several = (i for i, (_, work) in enumerate(named) if len(work.records) > 1)
    found, concept_of, mentions = concepts.identify(
        made, ruler, _renamed((made[i] for i in several), extractions)
    )
    notes = sorted(set(notes), key=lambda note: (note.source.name, note.position, note.text))
    held = Counter(record.source for group in groups for record in group)
    sources = sorted(
        held.keys() | {note.source for note in notes},
        key=lambda s: (s.name, s.format, s.author, s.page or 0),
    )
    owners = {record.source: signed[record].owner for group in groups for record in group}
    return Identity(
        papers=made.then(partial(concepts.without, concept_of=concept_of)),
        people=persons,
        concepts=found,
        mentions=mentions,
        owner_of={source: key for source, key in owners.items() if key},
        concept_of=concept_of,
        sources={source: held[source] for source in sources},
        notes=tuple(notes),
    )


def _paper(
    work: Work,
    named: tuple[str, tuple[str, ...]],
    owned: Container[str],
    extractions: Extractions,
    signed: Mapping[Record, Signed],
) -> Paper:
    """What the records of one paper say together; identifiers only that no other paper has."""
    group = work.records
    title = _chosen([record.title for record in group])
    abstract = max((record.abstract for record in group), key=lambda text: (len(text), text))
    texts, found = _texts(group, title, abstract, extractions)
    creators = {key for r in group for key in (*signed[r].authors, signed[r].owner)}
    # The fullest list of authors is the list.
    fullest = max(group, key=lambda record: (len(record.authors), record.authors))
    return Paper(
        key=named[0],
        title=title,
        abstract=abstract,
        records=group,
        texts=tuple(texts),
        concepts=tuple(found),
        creators=tuple(sorted(key for key in creators if key)),
        authors=tuple(_listed(signed[fullest].authors)),
        year=min((record.year for record in group if record.year), default=None),
        categories=tuple(sorted({name for record in group for name in record.categories})),
        arxiv=tuple(sorted({r.arxiv for r in group if f"arxiv/{r.arxiv}" in owned})),
        doi=tuple(sorted({r.doi for r in group if f"doi/{r.doi}" in owned})),
        urls=tuple(sorted({record.url for record in group if record.url})),
        label=work.label,
        grounds=work.grounds,
        former=named[1],
    )


def _listed(authors: Iterable[str | None]) -> Iterator[str]:
    """Each author once; the others keep their places where one was dropped."""
    seen = set()
    for key in authors:
        if key not in seen or not key:
            yield key or ""
        seen.add(key)


def _renamed(papers: Iterable[Paper], extractions: Extractions) -> Mapping[str, set[str]]:
    """What records alone name otherwise than their papers: key of a name -> keys for its place."""
    renamed: dict[str, set[str]] = defaultdict(set)
    for paper in papers:
        for text in paper.texts:
            alone = {(record.title, record.abstract) for record in text.records}
            for title, abstract in alone if len(alone) > 1 else ():
                for concept in extractions(title, abstract).concepts:
                    for mention in concept.mentions:
                        if mention.field == text.field:
                            renamed[concept.name.key].update(
                                key
                                for other, key in text.mentions
                                if other.start < mention.end and mention.start < other.end
                            )
    return renamed


def _chosen(wordings: Iterable[str]) -> str:
    """The wording that most records have; among equals the longest, then the first."""
    counts = Counter(wording for wording in wordings if wording.strip())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], -len(item[0]), item[0]))
    return ranked[0][0] if ranked else ""


def _texts(
    group: Sequence[Record], title: str, abstract: str, extractions: Extractions
) -> tuple[list[Text], list[RecordConcept]]:
    """Each wording once, with what extraction found in the fullest record that has it."""
    texts: list[Text] = []
    found: list[RecordConcept] = []
    fields: tuple[tuple[Field, str], ...] = (("title", title), ("abstract", abstract))
    for field, chosen in fields:
        carriers: dict[str, list[Record]] = {}
        for record in group:
            if wording := getattr(record, field):
                carriers.setdefault(wording, []).append(record)
        for wording in sorted(carriers, key=lambda text: (text != chosen, text)):
            records = carriers[wording]
            full = max(records, key=lambda r: (len(r.title) + len(r.abstract), r.title, r.abstract))
            mentions = []
            for concept in extractions(full.title, full.abstract).concepts:
                here = tuple(m for m in concept.mentions if m.field == field)
                if here:
                    mentions += [(mention, concept.name.key) for mention in here]
                    found.append(replace(concept, mentions=here))
            mentions.sort(key=lambda item: (item[0].start, item[0].end))
            texts.append(Text(field, wording, tuple(records), tuple(mentions)))
    return texts, found
