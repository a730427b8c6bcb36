"""How well extraction finds what people annotated.

Records are compared by mentions (the same place, or one that overlaps; the right type too) and
by concepts (the same folded name). The measures are those of the gold's own scorer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg.concepts.abbreviations import definitions
from kg.concepts.annotated import check, check_apart, texts
from kg.concepts.names import key
from kg.errors import InputError
from kg.model import CONCEPT_TYPES, Extraction, Record, Rejection
from kg.read import json_lines, read
from kg.text import plain

Place = tuple[str, int, int]  # field, start, end

MEASURES = ("span", "overlap", "concept", "typed", "main", "introduced")
_ENDINGS = ((r"ies$", "y"), (r"(ss|x|ch|sh)es$", r"\1"), (r"(?<![sui])s$", ""))


@dataclass(frozen=True, slots=True)
class Named:
    """A concept of a record, of either side."""

    label: str
    names: frozenset[str]  # folded
    types: Mapping[Place, str]  # of each of its mentions
    main: bool
    introduced: bool


@dataclass(frozen=True, slots=True)
class Gold:
    """An annotated record."""

    id: str
    title: str
    abstract: str
    concepts: tuple[Named, ...]


@dataclass
class Tally:
    """What was right, what was predicted, what there was."""

    right: int = 0
    predicted: int = 0
    gold: int = 0

    def add(self, right: int, predicted: int, gold: int) -> None:
        """Count one record more."""
        self.right += right
        self.predicted += predicted
        self.gold += gold

    @property
    def precision(self) -> float:
        """The share of what was predicted that is right; 0 where nothing was."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of what there was that was found; 0 where there was nothing."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / (self.predicted + self.gold) if self.right else 0.0


@dataclass
class Evaluation:
    """The outcome over all records."""

    records: int = 0
    measures: dict[str, Tally] = field(default_factory=lambda: {m: Tally() for m in MEASURES})
    types: dict[str, Tally] = field(default_factory=lambda: {t: Tally() for t in CONCEPT_TYPES})
    missed: Counter[str] = field(default_factory=Counter)  # labels of gold concepts
    invented: Counter[str] = field(default_factory=Counter)  # labels of ours


def read_gold(path: Path) -> list[Gold]:
    """Annotated records, JSON Lines with `concepts` that have mentions, or with `mentions`.

    The file is read as `kg extract` reads it, gzipped, too. Mentions alone become concepts by
    their folded text; an abbreviation joins the long form that the record defines it by. Raises
    InputError with the line of what is no such record.
    """
    gold: list[Gold] = []
    for item in read(str(path), json_lines.NAME).items:
        if isinstance(item, Rejection):
            raise InputError(str(path), item.reason, item.line)
        if isinstance(item, Record):
            gold.append(_gold(path, item))
    if not gold:
        raise InputError(str(path), "is empty")
    return gold


def _gold(path: Path, record: Record) -> Gold:
    row = json.loads(record.raw.removeprefix("\ufeff"))
    try:
        check(row)
        check_apart(row)
        return Gold(str(row["id"]), record.title, record.abstract, tuple(_concepts(row)))
    except (KeyError, TypeError, AttributeError) as error:
        reason = "is no annotated record; docs/model.md shows the form"
        raise InputError(str(path), reason, record.line) from error
    except ValueError as error:
        raise InputError(str(path), str(error), record.line) from error


def _concepts(row: Mapping[str, Any]) -> Iterator[Named]:
    if "concepts" in row:
        for concept in row["concepts"]:
            names = [concept["concept"], *(concept.get("aliases") or ())]
            yield _named(concept["concept"], names, concept["mentions"], concept)
        return
    long_forms = _long_forms(*texts(row).values())
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for mention in row["mentions"]:
        text = mention["text"]
        name = long_forms.get(key(text)) or fold(text) or text
        groups.setdefault(name, []).append(mention)
    for mentions in groups.values():
        first = max(mentions, key=lambda m: m.get("salience") or 1)
        introduced = any(m.get("introduced") for m in mentions)
        yield _named(mentions[0]["text"], [], mentions, {**first, "introduced": introduced})


def _long_forms(*sources: str) -> dict[str, str]:
    """The folded long form for the key of each abbreviation that the texts define.

    Mentions alone do not say which of them are one concept. An abbreviation and the long form
    that stands before it are, as for the extractor.
    """
    found: dict[str, str] = {}
    for source in sources:
        text = plain(source).text
        for d in definitions(text):
            short, long = text[d.short_start : d.short_end], text[d.long_start : d.long_end]
            found.setdefault(key(short), fold(long))
    return found


def _named(
    label: str,
    names: Iterable[str],
    mentions: Sequence[Mapping[str, Any]],
    said: Mapping[str, Any],
) -> Named:
    wordings = [*names, *(mention["text"] for mention in mentions)]
    return Named(
        label,
        frozenset(filter(None, map(fold, wordings))),
        {(m["field"], m["start"], m["end"]): m.get("type", said["type"]) for m in mentions},
        said.get("salience") == 2,
        bool(said.get("introduced")),
    )


def found_concepts(found: Extraction) -> tuple[Named, ...]:
    """An extraction in the form that is compared."""
    return tuple(
        Named(
            c.name.label,
            frozenset(filter(None, map(fold, [c.name.label, *(m.text for m in c.mentions)]))),
            {(m.field, m.start, m.end): c.type for m in c.mentions},
            c.salience == 2,
            c.introduced,
        )
        for c in found.concepts
    )


def fold(name: str) -> str:
    """What names are compared by: letters and digits, TeX commands left out, singular."""
    words = re.sub(r"[^0-9a-z]+", " ", re.sub(r"\\[a-zA-Z]+\s*", "", name).lower()).split()
    if words and len(words[-1]) > 3:
        for ending, instead in _ENDINGS:
            if re.search(ending, words[-1]):
                words[-1] = re.sub(ending, instead, words[-1])
                break
    return " ".join(words)


def evaluate(pairs: Iterable[tuple[Gold, Extraction]]) -> Evaluation:
    """Compare annotated records with what was extracted from them."""
    total = Evaluation()
    for gold, extraction in pairs:
        _add(total, gold.concepts, found_concepts(extraction))
    return total


def _add(total: Evaluation, gold: Sequence[Named], found: Sequence[Named]) -> None:
    total.records += 1
    there = {place: kind for concept in gold for place, kind in concept.types.items()}
    ours = {place: kind for concept in found for place, kind in concept.types.items()}
    same = there.keys() & ours.keys()
    typed = [place for place in same if there[place] == ours[place]]
    sizes = len(ours), len(there)
    total.measures["span"].add(len(same), *sizes)
    total.measures["overlap"].add(_overlapping(ours, there), *sizes)
    total.measures["typed"].add(len(typed), *sizes)
    for kind in CONCEPT_TYPES:
        right = sum(there[place] == kind for place in typed)
        total.types[kind].add(
            right, list(ours.values()).count(kind), list(there.values()).count(kind)
        )
    pairs = _matched(gold, found)
    total.measures["concept"].add(len(pairs), len(found), len(gold))
    total.missed.update(c.label for i, c in enumerate(gold) if i not in pairs)
    total.invented.update(c.label for i, c in enumerate(found) if i not in pairs.values())
    for measure in ("main", "introduced"):
        theirs = [c for c in gold if getattr(c, measure)]
        own = [c for c in found if getattr(c, measure)]
        total.measures[measure].add(len(_matched(theirs, own)), len(own), len(theirs))


def _matched(gold: Sequence[Named], found: Sequence[Named]) -> dict[int, int]:
    """Index of each gold concept that shares a name with one of ours, each used once."""
    pairs: dict[int, int] = {}
    for i, concept in enumerate(found):
        for j, other in enumerate(gold):
            if j not in pairs and concept.names & other.names:
                pairs[j] = i
                break
    return pairs


def _overlapping(ours: Iterable[Place], gold: Iterable[Place]) -> int:
    """How many of our mentions meet a gold mention of their own, the widest meeting first."""
    free, number = set(gold), 0
    for name, start, end in sorted(ours):
        met = [p for p in sorted(free) if p[0] == name and p[1] < end and start < p[2]]
        if met:
            free.discard(max(met, key=lambda p: min(end, p[2]) - max(start, p[1])))
            number += 1
    return number
