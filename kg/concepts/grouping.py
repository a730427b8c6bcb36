"""From the mentions of one record to its concepts, each with its names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kg.concepts import features
from kg.concepts.grounds import CONFIDENCE
from kg.concepts.kinds import kind_of
from kg.concepts.mentions import Findings, Found, Part, find
from kg.concepts.names import cased_label, key, label, short_within, uncapitalised
from kg.concepts.salience import is_introduced, is_main, place
from kg.model import Mention, Name, RecordConcept


def group(parts: Sequence[Part]) -> tuple[RecordConcept, ...]:
    """The concepts of one record in order of appearance."""
    findings = find(parts)
    long_keys = {short: key(long) for short, long in findings.long_forms.items()}
    groups: dict[str, list[Found]] = {}
    for found in findings.found:
        own = key(found.text)
        groups.setdefault(long_keys.get(own, own), []).append(found)
    return tuple(_concept(k, found, findings, parts) for k, found in groups.items())


def _concept(
    concept_key: str, found: Sequence[Found], findings: Findings, parts: Sequence[Part]
) -> RecordConcept:
    """One concept from all its mentions."""
    shorts = {s: long for s, long in findings.long_forms.items() if key(long) == concept_key}
    own = [f for f in found if key(f.text) == concept_key]
    readable = _label(own, parts) if own else label(next(iter(shorts.values())))
    others = {key(f.text): f.text for f in found}
    others |= {key(short): short for f in found if (short := short_within(f.text))}
    others.pop(concept_key, None)
    places = [
        place(parts[f.part].field == "title", findings.words[f.part], f.start, f.end) for f in found
    ]
    kind = kind_of(features.kind(findings.words[f.part], f.start, f.end) for f in found)
    return RecordConcept(
        name=Name(readable, concept_key),
        type=kind,
        salience=2 if is_main(places, kind) else 1,
        introduced=is_introduced(places, kind),
        mentions=tuple(_mention(f, parts[f.part]) for f in found),
        aliases=tuple(_alias(k, others[k], k in shorts) for k in sorted(others)),
    )


def _alias(alias_key: str, text: str, is_short: bool) -> Name:
    return Name(cased_label(text) if is_short else label(text), alias_key, is_short)


def _mention(found: Found, part: Part) -> Mention:
    start, end = part.source_span(found.start, found.end)
    return Mention(part.field, start, end, part.source.source[start:end], CONFIDENCE[found.ground])


def _label(found: Sequence[Found], parts: Sequence[Part]) -> str:
    """The readable label: as running text writes it, where it does."""
    running = [f for f in found if _is_running(f, parts[f.part])]
    forms = Counter(label(f.text) for f in running or found)
    form = max(forms, key=lambda f: forms[f])
    part = parts[found[0].part]
    if running or part.field != "title" or uncapitalised(part.source.text) == part.source.text:
        return form
    return label(uncapitalised(form))


def _is_running(found: Found, part: Part) -> bool:
    """Whether the case of a mention is that of its words, not of a title or a beginning."""
    return part.field != "title" and not part.doc[found.start].is_sent_start
