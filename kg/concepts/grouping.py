"""From the mentions of one record to its concepts, each with its names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from spacy.tokens import Doc, Span

from kg.concepts.abbreviations import is_phrase, long_form
from kg.concepts.model.finder import Finder, Judgement
from kg.concepts.model.network import Found
from kg.concepts.names import cased_label, key, label, short_within, uncapitalised
from kg.concepts.pipeline import mentions_of, title_length, words_of
from kg.model import Field, Mention, Name, RecordConcept
from kg.text import Plain


@dataclass(frozen=True)
class Reading:
    """A record that went through the pipeline, with what it was read from."""

    doc: Doc
    title: Plain
    abstract: Plain

    def is_title(self, span: Span) -> bool:
        """Whether a span is in the title."""
        return span.start_char < title_length(self.doc)

    def text(self, span: Span) -> str:
        """The text of a span; in running case where the whole title is in capitals."""
        in_title = self.is_title(span) and self.title.text.isupper()
        return self._running[span.start_char : span.end_char] if in_title else span.text

    @cached_property
    def _running(self) -> str:
        return uncapitalised(self.title.text, self.abstract.text)

    def source_span(self, span: Span) -> tuple[Field, int, int]:
        """The field of a span, and its offsets in the source of the field."""
        if self.is_title(span):
            return "title", *self.title.source_span(span.start_char, span.end_char)
        shift = len(self.title.text) + len("\n\n")
        place = self.abstract.source_span(span.start_char - shift, span.end_char - shift)
        return "abstract", *place


class _Mention(NamedTuple):
    span: Span
    found: Found
    mention: Mention


def group(reading: Reading, finder: Finder) -> tuple[RecordConcept, ...]:
    """The concepts of one record in order of appearance."""
    doc = reading.doc
    long_forms = _long_forms(doc)
    long_keys = {short: key(long) for short, long in long_forms.items()}
    shorts: dict[str, dict[str, str]] = {}  # long forms by short form, by key of the long form
    for short, long_key in long_keys.items():
        shorts.setdefault(long_key, {})[short] = long_forms[short]
    in_capitals = uncapitalised(reading.title.text) != reading.title.text
    apart = list(_apart(reading))
    whole = _whole_names(map(reading.text, (m.span for m in apart)), long_keys)
    groups: dict[str, list[_Mention]] = {}
    for mention in apart:
        own = key(reading.text(mention.span))
        groups.setdefault(long_keys.get(own) or whole.get(own, own), []).append(mention)
    judgements = finder.judge(words_of(doc), [[m.found for m in g] for g in groups.values()])
    return tuple(
        _concept(k, mentions, judgement, shorts.get(k, {}), reading, in_capitals)
        for (k, mentions), judgement in zip(groups.items(), judgements, strict=True)
    )


def _long_forms(doc: Doc) -> dict[str, str]:
    """The long form by the key of each abbreviation of a text.

    Rules find it by letters alone, so it counts only where the network marked it as well, as a
    mention or within one, or where it reads like a name.
    """
    places = [span for span, _ in mentions_of(doc)]
    found: dict[str, str] = {}
    for long, short in zip(doc.spans["long"], doc.spans["short"], strict=True):
        ends = (m for m in places if long.start < m.start < m.end == long.end)
        if name := next((m.text for m in ends if long_form(short.text, m.text) == 0), None):
            found.setdefault(key(short.text), name)
            continue
        marked = any(m.start <= long.start and long.end <= m.end for m in places)
        if marked or is_phrase(long.text, short.text):
            found.setdefault(key(short.text), long.text)
    return found


def _whole_names(texts: Iterable[str], long_keys: Mapping[str, str]) -> dict[str, str]:
    """The key of "Chain-of-Thought (CoT) reasoning" by that of "CoT reasoning"."""
    pairs = {key(short): key(text) for text in texts if (short := short_within(text))}
    # A name that is itself known by another one would have no mention of its own left.
    return {k: whole for k, whole in pairs.items() if whole not in pairs and whole not in long_keys}


def _apart(reading: Reading) -> Iterator[_Mention]:
    """The mentions in order, without those that meet another one in the source.

    Source spans are widened to whole formulas, so that two mentions at one formula may meet.
    """
    reached: dict[Field, int] = {"title": 0, "abstract": 0}
    for span, found in mentions_of(reading.doc):
        field, start, end = reading.source_span(span)
        if start >= reached[field]:
            reached[field] = end
            source = reading.title if field == "title" else reading.abstract
            confidence = round(found.probability, 2)
            mention = Mention(field, start, end, source.source[start:end], confidence)
            yield _Mention(span, found, mention)


def _concept(
    concept_key: str,
    mentions: Sequence[_Mention],
    judgement: Judgement,
    shorts: Mapping[str, str],
    reading: Reading,
    in_capitals: bool,
) -> RecordConcept:
    """One concept from all its mentions; `shorts` are its short forms with the long form."""
    own = [m.span for m in mentions if key(reading.text(m.span)) == concept_key]
    readable = _label(own, reading, in_capitals) if own else label(next(iter(shorts.values())))
    texts = [reading.text(m.span) for m in mentions]
    others = {key(text): text for text in texts}
    others |= {key(short): short for text in texts if (short := short_within(text))}
    others.pop(concept_key, None)
    return RecordConcept(
        name=Name(readable, concept_key),
        type=judgement.type,
        salience=judgement.salience,
        introduced=judgement.introduced,
        mentions=tuple(m.mention for m in mentions),
        aliases=tuple(_alias(k, others[k], k in shorts) for k in sorted(others)),
    )


def _alias(alias_key: str, text: str, is_short: bool) -> Name:
    return Name(cased_label(text) if is_short else label(text), alias_key, is_short)


def _label(spans: Sequence[Span], reading: Reading, in_capitals: bool) -> str:
    """The readable label: as running text writes it, where it does, else as the title does."""
    running = [s for s in spans if not reading.is_title(s) and not s[0].is_sent_start]
    forms = Counter(label(reading.text(s)) for s in running or spans)
    form = max(forms, key=lambda f: forms[f])
    if running or not reading.is_title(spans[0]) or not in_capitals:
        return form
    return label(uncapitalised(form))
