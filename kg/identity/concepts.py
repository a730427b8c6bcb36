"""Which names are one concept: those of one folded key, and short forms with their long ones.

A short form goes to a long form in the records that define it so, and elsewhere when the
records that define it agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from kg.model import Concept, ConceptType, RecordConcept

# A short form that no record defines otherwise in more than one case of five is taken to
# mean the same where it is not defined.
_CLEAR_MAJORITY = 0.8
# A type that at least a third of the records give a concept is kept.
_TYPE_SHARE = 1 / 3


def identify(found: Iterable[RecordConcept]) -> tuple[tuple[Concept, ...], dict[str, str]]:
    """Part the concepts of all records by what they name.

    Returns the concepts sorted by key, and for the key of every name the key of its concept. A
    short form that goes to no long form, and that no record uses by itself, is no concept; it
    stays a second name of what it was defined as.
    """
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    types: dict[str, Counter[ConceptType]] = defaultdict(Counter)
    second: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for concept in found:
        labels[concept.name.key][concept.name.label] += 1
        types[concept.name.key][concept.type] += 1
        for alias in concept.aliases:
            if alias.key != concept.name.key:
                second[concept.name.key][alias.key][alias.label] += 1
    concept_of = _resolve(set(labels), second)
    names: dict[str, list[str]] = defaultdict(list)
    for key in sorted(labels):
        names[concept_of[key]].append(key)
    concepts = []
    for key in sorted(names):
        spellings = [labels[name] for name in names[key]]
        spellings += [labels for name in names[key] for labels in second[name].values()]
        votes = sum((types[name] for name in names[key]), Counter())
        concepts.append(_concept(key, labels[key], spellings, votes))
    return tuple(concepts), concept_of


def _resolve(used: set[str], second: Mapping[str, Mapping[str, Counter[str]]]) -> dict[str, str]:
    """For each key in use the key of its concept: itself, or the long form that it means."""
    long_forms: dict[str, Counter[str]] = defaultdict(Counter)
    for long, shorts in second.items():
        for short, labels in shorts.items():
            long_forms[short][long] += labels.total()
    step: dict[str, str] = {}
    for short, votes in long_forms.items():
        long, count = min(votes.items(), key=lambda item: (-item[1], item[0]))
        if count >= _CLEAR_MAJORITY * votes.total():
            step[short] = long
    resolved = {}
    for key in used:
        seen = [key]
        while (following := step.get(seen[-1])) and following not in seen:
            seen.append(following)
        # Names that define each other in a circle are one concept, known by the longest.
        circle = seen[seen.index(following) :] if following else seen[-1:]
        resolved[key] = min(circle, key=lambda name: (-len(name), name))
    return resolved


def _concept(
    key: str, own: Counter[str], spellings: Iterable[Counter[str]], votes: Counter[ConceptType]
) -> Concept:
    """A concept with its most frequent label; further spellings that a reader would tell apart."""
    label = _ranked(own)[0]
    seen = {label.casefold()}
    aliases = []
    for forms in spellings:
        for alias in _ranked(forms):
            if alias.casefold() not in seen:
                seen.add(alias.casefold())
                aliases.append(alias)
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    kept = tuple(
        kind for i, (kind, n) in enumerate(ranked) if i == 0 or n >= _TYPE_SHARE * votes.total()
    )
    return Concept(key, label, tuple(sorted(aliases)), kept)


def _ranked(forms: Counter[str]) -> list[str]:
    return [form for form, _ in sorted(forms.items(), key=lambda item: (-item[1], item[0]))]
