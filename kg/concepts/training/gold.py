"""Annotated records as token sequences, and the split for model selection."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg.concepts.annotated import Annotated, check, mentions, texts
from kg.errors import InputError
from kg.model import CONCEPT_TYPES
from kg.text import Plain, fold, plain

if TYPE_CHECKING:
    from spacy.tokens import Token

Tokenizer = Callable[[str], "Iterable[Token]"]


@dataclass(frozen=True, slots=True)
class Span:
    """A mention over tokens of title + separator + abstract, end exclusive."""

    start: int
    end: int
    type: int  # index in CONCEPT_TYPES
    salience: int  # 1 or 2
    introduced: bool


@dataclass(frozen=True, slots=True)
class Example:
    """An annotated record as tokens of its readable text."""

    id: str
    heading: str  # the title in the source
    title: tuple[str, ...]
    abstract: tuple[str, ...]
    spans: tuple[Span, ...]


def read_gold(path: Path, tokenize: Tokenizer) -> list[Example]:
    """The annotated records of a JSON Lines file.

    Raises InputError with the line of what is no annotated record.
    """
    examples = []
    for number, record in _records(path):
        try:
            check(record)
            examples.append(example(record, tokenize))
        except ValueError as error:
            raise InputError(str(path), str(error), number) from error
        except (KeyError, TypeError, AttributeError) as error:
            reason = f"is no annotated record ({error!r}); see docs/model.md for the form"
            raise InputError(str(path), reason, number) from error
    if not examples:
        raise InputError(str(path), "is empty")
    return examples


def titles(paths: Iterable[Path]) -> frozenset[str]:
    """The folded titles of all records of JSON Lines files; records without one do not count."""
    found = {fold(str(r.get("title") or "")) for path in paths for _, r in _records(path)}
    return frozenset(found - {""})


def split(count: int, seed: int, share: float) -> tuple[list[int], list[int]]:
    """Indexes of `count` records for training and for model selection, `share` of all."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    held = int(count * share)
    return sorted(order[held:]), sorted(order[:held])


def example(record: Annotated, tokenize: Tokenizer) -> Example:
    """The record over plain text; mentions that cross token boundaries are left out.

    Of mentions that overlap, the first, at one start the longest, stays. Raises ValueError,
    KeyError or TypeError where the record has another form.
    """
    source = texts(record)
    words: dict[str, tuple[str, ...]] = {}
    read: dict[str, Plain] = {}
    first: dict[tuple[str, int], int] = {}
    last: dict[tuple[str, int], int] = {}
    for field in source:
        read[field] = plain(source[field])
        tokens = [t for t in tokenize(read[field].text) if not t.is_space]
        shift = 0 if field == "title" else len(words["title"]) + 1
        words[field] = tuple(t.text for t in tokens)
        for i, t in enumerate(tokens):
            first[field, t.idx] = i + shift
            last[field, t.idx + len(t.text)] = i + shift + 1
    spans = []
    for m in mentions(record):
        place = plain_span(read[m["field"]], m["start"], m["end"])
        if place is None:
            continue
        start, end = first.get((m["field"], place[0])), last.get((m["field"], place[1]))
        if start is None or end is None or end <= start:
            continue
        kind = CONCEPT_TYPES.index(m["type"])
        spans.append(Span(start, end, kind, m.get("salience") or 1, bool(m.get("introduced"))))
    kept = tuple(_apart(spans))
    heading = str(record.get("title") or "")
    return Example(str(record["id"]), heading, words["title"], words["abstract"], kept)


def plain_span(read: Plain, start: int, end: int) -> tuple[int, int] | None:
    """Offsets of the readable text that came from source[start:end], without outer spaces."""
    if not read.starts:
        return start, end
    inside = [
        i
        for i, (s, e) in enumerate(zip(read.starts, read.ends, strict=True))
        if s >= start and e <= end and not read.text[i].isspace()
    ]
    return (inside[0], inside[-1] + 1) if inside else None


def _apart(spans: Sequence[Span]) -> Iterator[Span]:
    reached = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if span.start >= reached:
            reached = span.end
            yield span


def _records(path: Path) -> Iterator[tuple[int, Annotated]]:
    """The objects of a JSON Lines file, each with its line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(str(path), f"cannot be read: {reason}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(str(path), f"is no JSON ({error})", number) from error
        if not isinstance(record, dict):
            raise InputError(str(path), "is no JSON object", number)
        yield number, record
