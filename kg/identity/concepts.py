"""Which names are one concept: those of one folded key, and short forms with their long ones.

A short form goes to a long form in the records that define it so, and elsewhere when the
records that define it agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from kg.model import Concept, ConceptType, RecordConcept

# A short form that no record defines otherwise in more than one case of five is taken to
# mean the same where it is not defined.
_CLEAR_MAJORITY = 0.8
# A type that at least a third of the records give a concept is kept.
_TYPE_SHARE = 1 / 3


def identify(found: Iterable[RecordConcept]) -> tuple[tuple[Concept, ...], dict[str, str]]:
    """Part the concepts of all records by what they name.

    Returns the concepts sorted by key, and for the key of every name the key of its concept.
    """
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    long_forms: dict[str, Counter[str]] = defaultdict(Counter)
    types: dict[str, Counter[ConceptType]] = defaultdict(Counter)
    for concept in found:
        key = concept.name.key
        labels[key][concept.name.label] += 1
        types[key][concept.type] += 1
        for alias in concept.aliases:
            labels[alias.key][alias.label] += 1
            if alias.key != key:
                long_forms[alias.key][key] += 1
    concept_of = _resolve(labels, long_forms)
    names: dict[str, list[str]] = defaultdict(list)
    for key in sorted(labels):
        names[concept_of[key]].append(key)
    concepts = tuple(_concept(key, names[key], labels, types) for key in sorted(names))
    return concepts, concept_of


def _resolve(
    labels: dict[str, Counter[str]], long_forms: dict[str, Counter[str]]
) -> dict[str, str]:
    step: dict[str, str] = {}
    for short in sorted(long_forms):
        (long, count), *_ = sorted(long_forms[short].items(), key=lambda item: (-item[1], item[0]))
        if count >= _CLEAR_MAJORITY * long_forms[short].total():
            step[short] = long
    resolved = {}
    for key in labels:
        seen = [key]
        while (following := step.get(seen[-1])) and following not in seen:
            seen.append(following)
        # Names that define each other in a circle are one concept, known by the longest.
        circle = seen[seen.index(following) :] if following else seen[-1:]
        resolved[key] = min(circle, key=lambda name: (-len(name), name))
    return resolved


def _concept(
    key: str,
    names: list[str],
    labels: dict[str, Counter[str]],
    types: dict[str, Counter[ConceptType]],
) -> Concept:
    """A concept with its most frequent label; further spellings that a reader would tell apart."""
    label = _ranked(labels[key])[0]
    seen = {label.casefold()}
    aliases = []
    for name in names:
        for alias in _ranked(labels[name]):
            if alias.casefold() not in seen:
                seen.add(alias.casefold())
                aliases.append(alias)
    votes: Counter[ConceptType] = sum((types[name] for name in names), Counter())
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    kept = tuple(
        kind for i, (kind, n) in enumerate(ranked) if i == 0 or n >= _TYPE_SHARE * votes.total()
    )
    return Concept(key, label, tuple(sorted(aliases)), kept)


def _ranked(forms: Counter[str]) -> list[str]:
    return [form for form, _ in sorted(forms.items(), key=lambda item: (-item[1], item[0]))]
