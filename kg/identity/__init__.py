"""Identity: which records are one paper, which names one person, which names one concept.

The result is the same in whatever order the records come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from kg.identity import concepts, papers
from kg.identity.people import people, person_key
from kg.model import Extraction, Field, Identity, Note, Paper, Record, RecordConcept, Text

# title and abstract -> what extraction found in them
Extractions = Callable[[str, str], Extraction]


def identify(
    records: Iterable[Record], extractions: Extractions, notes: Iterable[Note] = ()
) -> Identity:
    """Part records into papers, names into people and mentions into concepts."""
    unique = sorted(papers.trusted(set(records)), key=papers.record_order)
    names = [name for record in unique for name in (*record.authors, record.source.author) if name]
    person_of = {name: person_key(name) for name in set(names)}
    grouped = [_paper(group, extractions, person_of) for group in papers.group(unique)]
    grouped.sort(key=lambda paper: paper.key)
    found, concept_of = concepts.identify(
        concept for paper in grouped for concept in paper.concepts
    )
    notes = sorted(set(notes), key=lambda note: (note.source.name, note.position, note.text))
    sources = {record.source for record in unique} | {note.source for note in notes}
    return Identity(
        papers=tuple(grouped),
        people=people(names),
        concepts=found,
        person_of=person_of,
        concept_of=concept_of,
        sources=tuple(sorted(sources, key=lambda s: (s.name, s.format, s.author, s.page or 0))),
        notes=tuple(notes),
    )


def _paper(
    group: Sequence[Record], extractions: Extractions, person_of: Mapping[str, str]
) -> Paper:
    """What the records of one paper say together."""
    title = _chosen([record.title for record in group])
    abstract = max((record.abstract for record in group), key=lambda text: (len(text), text))
    texts, found = _texts(group, title, abstract, extractions)
    creators = {name for record in group for name in (*record.authors, record.source.author)}
    # The fullest list of authors is the list.
    authors = max((record.authors for record in group), key=lambda names: (len(names), names))
    arxiv = sorted({record.arxiv for record in group if record.arxiv})
    doi = sorted({record.doi for record in group if record.doi})
    return Paper(
        key=_key(group, abstract, arxiv, doi),
        title=title,
        abstract=abstract,
        records=tuple(group),
        texts=tuple(texts),
        concepts=tuple(found),
        creators=tuple(sorted({person_of[name] for name in creators if name})),
        authors=tuple(dict.fromkeys(person_of[name] for name in authors)),
        year=min((record.year for record in group if record.year), default=None),
        categories=tuple(sorted({name for record in group for name in record.categories})),
        arxiv=tuple(arxiv),
        doi=tuple(doi),
        urls=tuple(sorted({record.url for record in group if record.url})),
    )


def _chosen(wordings: Iterable[str]) -> str:
    """The wording that most records have; among equals the longest, then the first."""
    counts = Counter(wording for wording in wordings if wording.strip())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], -len(item[0]), item[0]))
    return ranked[0][0] if ranked else ""


def _key(group: Sequence[Record], abstract: str, arxiv: Sequence[str], doi: Sequence[str]) -> str:
    """What the paper's IRI is minted from: the best identifier, else the title, else the text."""
    if arxiv:
        return f"arxiv/{arxiv[0]}"
    if doi:
        return f"doi/{doi[0]}"
    # No two papers share one of these keys: records that do are one paper.
    titles = sorted(papers.title_key(record) for record in group if record.title.strip())
    telling = [title for title in titles if papers.is_telling(title)]
    if telling:
        return f"title/{telling[0]}"
    return f"text/{titles[0] if titles else papers.comparable(abstract)}"


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
