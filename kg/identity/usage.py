"""How papers use the names of concepts: what all rules about concepts go by.

Each paper counts once for a name, a label, a type or a definition, however often it says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg.model import ConceptType, Name, Paper, Record, RecordConcept


@dataclass(slots=True)
class Use:
    """How papers use one name."""

    first: Record  # the first that has it
    papers: int = 0
    labels: dict[str, int] = field(default_factory=dict)  # with the number of papers
    types: dict[ConceptType, int] = field(default_factory=dict)
    # by key: the short forms and other names that papers define as this name
    others: dict[str, Defined] | None = None

    @property
    def label(self) -> str:
        """The label that most papers have."""
        return min(self.labels.items(), key=lambda item: (-item[1], item[0]))[0]


@dataclass(slots=True)
class Defined:
    """A second name, as papers define it as one name."""

    first: Record
    labels: dict[str, int] = field(default_factory=dict)

    @property
    def papers(self) -> int:
        """How many papers define it so."""
        return sum(self.labels.values())


def usage(papers: Iterable[Paper]) -> dict[str, Use]:
    """How papers use names, by the keys of the names. Papers have to be in a fixed order."""
    found: dict[str, Use] = {}
    for paper in papers:
        # A name in the title and in the abstract stands there as two.
        said: dict[str, list[RecordConcept]] = {}
        for concept in paper.concepts:
            said.setdefault(concept.name.key, []).append(concept)
        for key, concepts in said.items():
            use = found.get(key)
            if use is None:
                use = found[key] = Use(paper.records[0])
            use.papers += 1
            for label in {concept.name.label for concept in concepts}:
                use.labels[label] = use.labels.get(label, 0) + 1
            for kind in {concept.type for concept in concepts}:
                use.types[kind] = use.types.get(kind, 0) + 1
            others = {a.key: a for c in reversed(concepts) for a in c.aliases if _is_name(a, key)}
            for alias in others.values():
                _define(use, alias, paper.records[0])
    return found


def _is_name(alias: Name, key: str) -> bool:
    """Whether a second name is one of the concept with this key.

    What stands in a bracket without being a short form is something else as a rule: "smooth
    (nonconvex) functions" defines no nonconvex functions.
    """
    return alias.key != key and (alias.abbreviation or alias.label != alias.label.lower())


def _define(use: Use, alias: Name, record: Record) -> None:
    if use.others is None:
        use.others = {}
    defined = use.others.setdefault(alias.key, Defined(record))
    defined.labels[alias.label] = defined.labels.get(alias.label, 0) + 1


def definitions(used: Mapping[str, Use]) -> dict[str, Counter[str]]:
    """For the key of each second name the keys of what papers define it as, with their number."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for key, use in used.items():
        for alias, defined in (use.others or {}).items():
            found[alias][key] = defined.papers
    return found
