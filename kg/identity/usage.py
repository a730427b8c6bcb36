"""How papers use the names of concepts: what all rules about concepts go by.

Each paper counts once for a name, a label, a type or a definition, however often it says so.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from kg.identity.patterns import kinds as kinds_in
from kg.model import CONCEPT_TYPES, Name, Paper, Record, RecordConcept


@dataclass(slots=True)
class Use:
    """How papers use one name.

    There are hundreds of thousands of these, most of one paper: hence tuples in place of
    dictionaries.
    """

    number: int  # of the name, from 0 in the order in which papers name them
    first: Record  # the first that has it
    papers: int = 0
    mentions: int = 0
    counted: tuple[str | int, ...] = ()  # label, papers, label, papers, …
    types: tuple[int, ...] = (0,) * len(CONCEPT_TYPES)  # papers for each type
    # by key: the short forms and other names that papers define as this name
    others: dict[str, Defined] | None = None

    @property
    def labels(self) -> dict[str, int]:
        """The labels, with the number of papers that have each."""
        return dict(zip(self.counted[::2], self.counted[1::2], strict=True))  # type: ignore[arg-type]

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


@dataclass(slots=True)
class Usage:
    """How papers use names, and which they name together."""

    names: dict[str, Use] = field(default_factory=dict)  # by key
    papers: list[array[int]] = field(default_factory=list)  # the numbers of the names of each
    # what the texts of a paper call a kind of what: narrower key, broader key; by the paper
    kinds: dict[int, set[tuple[str, str]]] = field(default_factory=dict)


def usage(papers: Iterable[Paper]) -> Usage:
    """How papers, which have to be in a fixed order, use names."""
    found = Usage()
    votes: dict[tuple[int, ...], tuple[int, ...]] = {}  # each but once
    for number, paper in enumerate(papers):
        # A name in the title and in the abstract stands there as two.
        said: dict[str, list[RecordConcept]] = {}
        for concept in paper.concepts:
            said.setdefault(concept.name.key, []).append(concept)
        for key, concepts in said.items():
            use = found.names.get(key)
            if use is None:
                use = found.names[key] = Use(len(found.names), paper.records[0])
            use.papers += 1
            use.mentions += sum(len(concept.mentions) for concept in concepts)
            use.counted = _counted(use, {concept.name.label for concept in concepts})
            kinds = {concept.type for concept in concepts}
            types = tuple(
                n + (kind in kinds) for n, kind in zip(use.types, CONCEPT_TYPES, strict=True)
            )
            use.types = votes.setdefault(types, types)
            others = {a.key: a for c in reversed(concepts) for a in c.aliases if _is_name(a, key)}
            for alias in others.values():
                _define(use, alias, paper.records[0])
        found.papers.append(array("l", sorted(found.names[key].number for key in said)))
        if pairs := {pair for text in paper.texts for pair in kinds_in(text)}:
            found.kinds[number] = pairs
    return found


def _counted(use: Use, labels: set[str]) -> tuple[str | int, ...]:
    if not use.counted and len(labels) == 1:
        return (*labels, 1)
    counts = use.labels
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    return tuple(chain.from_iterable(counts.items()))


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
