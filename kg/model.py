"""The plain data that travels between the stages of a build.

Every class is a frozen dataclass of strings, numbers and tuples, so that it can be compared,
sorted by its parts and pickled to another process. Offsets are Unicode code
points into the source text of a field, end exclusive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from kg.errors import printable

Field = Literal["title", "abstract"]
ConceptType = Literal["Method", "Task", "Material", "Metric", "Other"]
CONCEPT_TYPES: tuple[ConceptType, ...] = get_args(ConceptType)


@dataclass(frozen=True, slots=True)
class Source:
    """One input document, and what it says about itself."""

    name: str  # of the file, see kg.read.naming; "stdin" for standard input
    format: str  # "author-page", "abstract-list" or "json-lines"
    author: str = ""  # whose page it is
    stated: int | None = None  # how many records it says there are at least
    page: int | None = None  # which page of them it says it is


@dataclass(frozen=True, slots=True)
class Record:
    """What one source says about one paper. Texts stand as in the source, TeX and all."""

    source: Source
    position: int  # ordinal among the blocks of the source, from 1
    line: int  # its first line in the source, from 1
    raw: str  # the literal text of the whole record
    title: str = ""
    abstract: str = ""
    id: str = ""  # the source's own identifier
    arxiv: str = ""  # arXiv identifier without version: "2306.00802", "math/0309136"
    doi: str = ""  # lower case, without resolver
    url: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()  # all authors in order, where the source names them
    categories: tuple[str, ...] = ()
    orcids: tuple[str, ...] = ()  # of the authors, "" where unknown; empty where all are
    more_authors: bool = False  # the source says that there are more: "et al."


@dataclass(frozen=True, slots=True)
class Note:
    """A block of a source that is no record: a page count, an acceptance note."""

    source: Source
    position: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that cannot be used, with the reason and what to do."""

    path: str  # the file as the user named it
    line: int | None  # from 1; None where the whole file is meant
    reason: str
    raw: str = ""  # the beginning of what stood there

    def __str__(self) -> str:
        path = printable(self.path)
        place = path if self.line is None else f"{path}:{self.line}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a record names a concept; `text` is the field's text[start:end]."""

    field: Field
    start: int
    end: int
    text: str
    confidence: float  # 0 to 1


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a concept: the readable label and the folded key it is known by."""

    label: str
    key: str
    abbreviation: bool = False


@dataclass(frozen=True, slots=True)
class RecordConcept:
    """A concept as one record has it, with all its mentions there in text order."""

    name: Name
    type: ConceptType
    salience: Literal[1, 2]  # 2: the record is about it
    introduced: bool  # the record coins it
    mentions: tuple[Mention, ...]
    aliases: tuple[Name, ...] = ()  # other names in this record, sorted by key


@dataclass(frozen=True, slots=True)
class Extraction:
    """What extraction found in one title and abstract, concepts in order of appearance."""

    concepts: tuple[RecordConcept, ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """One wording of a paper's title or abstract, and what extraction found in it."""

    field: Field
    text: str  # source text
    records: tuple[Record, ...]  # those that have this wording, sorted
    mentions: tuple[tuple[Mention, str], ...]  # in text order, with the key of the name


@dataclass(frozen=True, slots=True)
class Ground:
    """Why several records or names are one thing: the rule, and what it went by.

    There is a ground only where a rule joined what plain equality of the key does not join.
    """

    rule: str  # a rule of the ontology without its prefix: "SameDoi", "SharedPaper", "Curation"
    value: str = ""  # what they share: "10.1000/1"; a folded title; a line of the curation file
    records: tuple[Record, ...] = ()  # those that were joined, or that show it; sorted
    names: tuple[str, ...] = ()  # of people and concepts: what was joined, sorted


@dataclass(frozen=True, slots=True)
class Term:
    """A concept of a vocabulary, with its names in English."""

    iri: str
    preferred: tuple[str, ...]  # labels, sorted; as a rule one
    others: tuple[str, ...] = ()  # sorted


@dataclass(frozen=True, slots=True)
class Match:
    """A concept of a vocabulary that ours is the same as, or close to."""

    iri: str
    exact: bool  # skos:exactMatch; else skos:closeMatch
    rule: str  # "SamePreferredLabel" or "SameAlternativeLabel"
    value: str  # the label that both have


@dataclass(frozen=True, slots=True)
class Paper:
    """One work: all records of it, and what they agree on."""

    key: str  # what its IRI is minted from: "arxiv/2306.00802", "doi/10.1/x", "title/a b c", ...
    title: str  # source text; empty where no record has one
    abstract: str  # source text of the fullest wording
    records: tuple[Record, ...]  # sorted
    texts: tuple[Text, ...]  # titles, then abstracts; the chosen wording first
    concepts: tuple[RecordConcept, ...]  # those with mentions in the texts
    creators: tuple[str, ...] = ()  # person keys, sorted
    # person keys in author order, "" for one whom a person dropped; empty where that is unknown
    authors: tuple[str, ...] = ()
    year: int | None = None
    categories: tuple[str, ...] = ()
    arxiv: tuple[str, ...] = ()
    doi: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    label: str = ""  # what a person ruled that it be called; wins over the title
    grounds: tuple[Ground, ...] = ()  # why its records are one paper
    former: tuple[str, ...] = ()  # keys that its records alone have; sorted, without `key`


# Why a name is not resolved to a person.
UNRESOLVED: Mapping[str, str] = MappingProxyType(
    {
        "initials": "The sources give this name with initials; it may stand for several people.",
        "one word": "The sources give this name as one word; it may stand for several people.",
        "shared": "Several people have this name; the sources do not say which of them is meant.",
        "orcid": "The sources give one ORCID to this name and to that of somebody else.",
    }
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who wrote a paper, and how sources write the name."""

    key: str
    name: str
    aliases: tuple[str, ...] = ()
    orcids: tuple[str, ...] = ()  # "0000-0002-1825-0097", sorted
    unresolved: str = ""  # why the name may stand for several people; a key of UNRESOLVED
    grounds: tuple[Ground, ...] = ()
    former: tuple[str, ...] = ()  # keys that its names alone have; sorted, without `key`


@dataclass(frozen=True, slots=True)
class Concept:
    """What mentions in all records name together."""

    key: str
    label: str
    aliases: tuple[str, ...] = ()
    types: tuple[ConceptType, ...] = ()  # the most frequent first
    broader: tuple[str, ...] = ()  # keys of concepts, sorted; there are no circles
    related: tuple[str, ...] = ()  # keys of concepts, sorted; each has this one in turn
    matches: tuple[Match, ...] = ()
    grounds: tuple[Ground, ...] = ()
    former: tuple[str, ...] = ()  # keys that its names alone have; sorted, without `key`


@dataclass(frozen=True, slots=True)
class Identity:
    """Which records are one paper, which names one person, which names one concept."""

    papers: Sequence[Paper]  # sorted by key, as the other two; each is made when it is read
    people: tuple[Person, ...]
    concepts: tuple[Concept, ...]
    mentions: int  # how many the papers have together
    owner_of: Mapping[Source, str]  # a page of one author -> key of that person
    concept_of: Mapping[str, str]  # key of a name in a record -> key of its concept
    sources: Mapping[Source, int]  # sorted, each with the number of its records
    notes: tuple[Note, ...]
