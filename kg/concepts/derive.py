"""Derives the lexicons of `kg.concepts` from annotated records.

    python -m kg.concepts.derive TRAIN.jsonl

TRAIN holds one record a line with `title`, `abstract` and `mentions` (field, start, end, type,
salience, introduced; offsets into the source text). Each lexicon is a logistic regression
over sparse features, fitted by AdaGrad in pure Python: deterministic, and small enough to
read. Features seen less than three times, and weights that say nothing, are left out.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc

from kg.concepts import features
from kg.concepts.extent import extent
from kg.concepts.kinds import KINDS
from kg.concepts.names import key, uncapitalised
from kg.concepts.phrases import Span, Word, runs, words_of
from kg.concepts.pipeline import COMPONENTS, pipeline
from kg.concepts.salience import Place, introduced_features, main_features, place
from kg.text import Plain, plain

Example = tuple[list[str], bool]
_LEAST_SEEN = 3
_LEAST_WEIGHT = 0.15


class Label(NamedTuple):
    """What annotators said of a mention."""

    kind: str
    main: bool
    introduced: bool


class Annotated(NamedTuple):
    """One field of a record: its words and the annotated spans."""

    record: str
    field: str
    words: list[Word]
    spans: dict[Span, Label]


def fit(examples: Sequence[Example], rounds: int = 8, decay: float = 3e-3) -> dict[str, float]:
    """Weights of a logistic regression, by feature."""
    seen = Counter(feature for names, _ in examples for feature in names)
    rows = [([f for f in names if seen[f] >= _LEAST_SEEN], y) for names, y in examples]
    lexicon: dict[str, float] = defaultdict(float)
    squares: dict[str, float] = defaultdict(float)
    for turn in range(rounds):
        random.Random(turn).shuffle(rows)
        for names, y in rows:
            odds = sum(lexicon[f] for f in names)
            miss = y - 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
            for f in names:
                slope = miss - decay * lexicon[f]
                squares[f] += slope * slope
                lexicon[f] += 0.4 * slope / math.sqrt(squares[f] + 1)
    return {f: round(w, 2) for f, w in lexicon.items() if abs(w) >= _LEAST_WEIGHT}


def extents(fields: Iterable[Annotated]) -> tuple[list[Example], list[Example]]:
    """Examples of first and of last words, left out or not."""
    first: list[Example] = []
    last: list[Example] = []
    for _, _, words, spans in fields:
        for start, end in runs(words):
            inside = sorted(s for s in spans if start <= s[0] and s[1] <= end)
            if not inside:
                continue
            begin, stop = inside[0][0], inside[-1][1]
            for i in range(start, min(begin + 1, end - 1)):
                first.append((features.first_word(words, i, end), i < begin))
            for i in range(end, stop - 1, -1):
                if i - begin > 1:
                    last.append((features.last_word(words, begin, i), i > stop))
    return first, last


def concepts(fields: Iterable[Annotated]) -> list[Example]:
    """Examples of phrases, concepts or not. Uses the lexicons of extent in force."""
    examples: list[Example] = []
    for _, _, words, spans in fields:
        for run in runs(words):
            if span := extent(words, run):
                examples.append((features.concept(words, *span), span in spans))
    return examples


def kinds(fields: Iterable[Annotated]) -> dict[str, tuple[float, ...]]:
    """Weights by feature, one for each type in the order of `KINDS`."""
    rows = [
        (features.kind(words, *span), label.kind)
        for _, _, words, spans in fields
        for span, label in spans.items()
    ]
    columns = [fit([(names, kind == actual) for names, actual in rows], 5) for kind in KINDS]
    known = sorted({f for column in columns for f, w in column.items() if abs(w) >= 0.4})
    return {f: tuple(column.get(f, 0.0) for column in columns) for f in known}


def subjects(fields: Iterable[Annotated]) -> tuple[list[Example], list[Example]]:
    """Examples of concepts that records are about or not, and that they coin or not."""
    main: list[Example] = []
    coined: list[Example] = []
    for _, record in groupby(fields, key=lambda f: f.record):
        places: dict[str, list[tuple[Place, Label]]] = defaultdict(list)
        for _, field, words, spans in record:
            for (start, end), label in sorted(spans.items()):
                name = key(" ".join(w.text for w in words[start:end]))
                at = place(field == "title", words, start, end)
                places[name].append((at, label))
        for found in places.values():
            at_all, kind = [at for at, _ in found], found[0][1].kind
            is_main = any(label.main for _, label in found)
            main.append((main_features(at_all, kind), is_main))
            is_coined = any(label.introduced for _, label in found)
            coined.append((introduced_features(at_all, kind), is_coined))
    return main, coined


def annotated(records: Iterable[dict[str, Any]]) -> Iterator[Annotated]:
    """The fields of annotated records, parsed."""
    nlp = pipeline()
    nlp.select_pipes(disable=COMPONENTS)
    jobs = ((plain(r[f]), r, f) for r in records for f in ("title", "abstract"))
    texts = (
        (uncapitalised(read.text) if f == "title" else read.text, (read, r, f))
        for read, r, f in jobs
    )
    for doc, (read, record, field) in nlp.pipe(texts, as_tuples=True, batch_size=64):
        mentions = [m for m in record["mentions"] if m["field"] == field]
        yield Annotated(record["id"], field, words_of(doc), _spans(doc, read, mentions))


def _spans(doc: Doc, read: Plain, mentions: Iterable[dict[str, Any]]) -> dict[Span, Label]:
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    for t in doc:
        stop = t.idx + len(t)
        begin, end = read.source_span(t.idx, stop)
        starts.setdefault(read.starts[t.idx] if read.starts else begin, t.i)
        ends.setdefault(read.ends[stop - 1] if read.ends else end, t.i + 1)
        starts[begin], ends[end] = t.i, t.i + 1
    found: dict[Span, Label] = {}
    for m in mentions:
        start, end = starts.get(m["start"], -1), ends.get(m["end"], -1)
        if 0 <= start < end:
            found[start, end] = Label(m["type"], m["salience"] == 2, m["introduced"])
    return found


def save(folder: Path, name: str, lexicon: Mapping[str, float | tuple[float, ...]]) -> None:
    """Write a lexicon where `kg.concepts.lexicon` finds it."""
    lines = ["# Derived by kg.concepts.derive: feature, weights in log-odds."]
    for feature, found in sorted(lexicon.items()):
        row = found if isinstance(found, tuple) else (found,)
        lines.append("\t".join([feature, *(f"{w:g}" for w in row)]))
    (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def derive(path: str) -> None:
    """Derive all lexicons from the annotated records in the file at `path`."""
    from kg.concepts import lexicon

    folder = Path(lexicon.__file__).parent
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    fields = list(annotated(map(json.loads, lines)))
    first, last = extents(fields)
    save(folder, "first_word", fit(first))
    save(folder, "last_word", fit(last))
    lexicon.columns.cache_clear()
    lexicon.weights.cache_clear()
    save(folder, "concept", fit(concepts(fields)))
    save(folder, "kind", kinds(fields))
    main, coined = subjects(fields)
    save(folder, "main", fit(main))
    save(folder, "introduced", fit(coined))


if __name__ == "__main__":
    derive(sys.argv[1])
