"""Which names are one concept, and how concepts hang together.

Names are one concept where they are spellings of one name, or where one is a short form of the
other: in a record that defines it so always, elsewhere where the papers that define it agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from kg.identity.classes import Join, Parted, part
from kg.identity.curation import Called, Ruler, Rulings
from kg.identity.links import linked
from kg.identity.papers import record_order
from kg.identity.spelling import short_forms, spellings
from kg.identity.usage import Use, definitions
from kg.identity.usage import usage as read
from kg.model import CONCEPT_TYPES, Concept, ConceptType, Ground, Paper, Record

_T = TypeVar("_T")

_BY_LETTERS, _BY_MAJORITY = 1, 2  # strengths of joins
# A type that fewer papers give a concept is taken for a slip.
_TYPE_SHARE = 0.1
_MAJORITY = "MajorityAbbreviation"


def identify(
    papers: Iterable[Paper], ruler: Ruler, renamed: Mapping[str, Iterable[str]]
) -> tuple[tuple[Concept, ...], dict[str, str], int]:
    """Part the concepts of all papers by what they name.

    Returns the concepts sorted by key, for the key of every name in use that of its concept, and
    the number of mentions; those of concepts that the curation drops are left out. A short form
    that no paper uses without a definition is no concept by itself; it stays a second name of
    what it was defined as. Names that the curation keeps apart must have been parted in `papers`
    (`kept_apart`). `renamed` has the keys of names that records alone would use, each with those
    that their papers use there.
    Raises UsageError where the curation contradicts itself.
    """
    usage = read(papers)
    used = usage.names
    keys = sorted(used)
    joins = list(_joins(used, keys))
    rulings = Rulings()
    if ruler.concerns("concept"):
        called = (_called(key, used[key]) for key in keys)
        rulings = ruler.rulings("concept", called, part(len(keys), joins).first)
    parted = part(len(keys), [*joins, *rulings.joins], rulings.never)
    short = {keys[join.a] for join in parted.made if join.rule == _MAJORITY}
    grounds = _grounds(parted, keys, used)
    concepts: dict[str, Concept] = {}
    concept_of: dict[str, str] = {}
    for members in parted.classes():
        if not rulings.dropped(members):
            names = [keys[i] for i in members]
            concept = _concept(names, members, short, used, rulings, grounds)
            concepts[concept.key] = concept
            concept_of |= dict.fromkeys(names, concept.key)
    for old in sorted(renamed.keys() - concept_of.keys()):
        for key in {concept_of[name] for name in renamed[old] if name in concept_of}:
            former = sorted({*concepts[key].former, old})
            concepts[key] = replace(concepts[key], former=tuple(former))
    found = linked(usage, concepts, concept_of)
    mentions = sum(used[name].mentions for name in concept_of)
    return tuple(found[key] for key in sorted(found)), concept_of, mentions


def _called(key: str, use: Use) -> Called:
    """What a person may call the concept of a name by."""
    labels = tuple(use.labels)
    others = {
        form for other, defined in (use.others or {}).items() for form in (other, *defined.labels)
    }
    return Called((key,), labels, tuple(sorted(others - {key, *labels})))


def without(paper: Paper, concept_of: Mapping[str, str]) -> Paper:
    """A paper without the names that have no concept."""
    if all(concept.name.key in concept_of for concept in paper.concepts):
        return paper
    texts = (
        replace(text, mentions=tuple(m for m in text.mentions if m[1] in concept_of))
        for text in paper.texts
    )
    kept = (concept for concept in paper.concepts if concept.name.key in concept_of)
    return replace(paper, texts=tuple(texts), concepts=tuple(kept))


def _joins(used: Mapping[str, Use], keys: Sequence[str]) -> Iterator[Join]:
    number = {key: i for i, key in enumerate(keys)}
    made = []
    one: dict[str, str] = {}  # key -> one for all its spellings
    for a, b, letters in spellings(keys, lambda key: used[key].labels):
        made.append(Join(_BY_LETTERS, number[a], number[b], "SameLetters", letters))
        one[b] = one.setdefault(a, a)
    yield from made
    for short, long in short_forms(definitions(used), used.keys(), one):
        yield Join(_BY_MAJORITY, number[short], number[long], _MAJORITY, used[short].label)


def _grounds(
    parted: Parted, keys: Sequence[str], used: Mapping[str, Use]
) -> Mapping[str, list[Ground]]:
    """Why names are one concept, by the keys of the names."""
    found: dict[str, list[Ground]] = defaultdict(list)
    for join in parted.made:
        a, b = keys[join.a], keys[join.b]
        records = [used[a].first, used[b].first]
        others = used[b].others or {}
        if join.rule == _MAJORITY and a in others:
            records[1] = others[a].first
        names = (used[a].label, used[b].label)
        found[a].append(_ground(join.rule, join.value, records, names))
    for key, use in used.items():
        for defined in (use.others or {}).values():
            short = _ranked(defined.labels)[0]
            if short != use.label:
                names = (short, use.label)
                found[key].append(_ground("DefinedAbbreviation", short, [defined.first], names))
    return found


def _ground(rule: str, value: str, records: Sequence[Record], names: Iterable[str]) -> Ground:
    found = tuple(sorted(set(records), key=record_order))
    return Ground(rule, value, found, tuple(sorted(set(names))))


def _concept(
    names: Sequence[str],
    members: Sequence[int],
    short: Collection[str],
    used: Mapping[str, Use],
    rulings: Rulings,
    grounds: Mapping[str, Sequence[Ground]],
) -> Concept:
    """The concept that goes by all of these names."""
    own = [name for name in names if name not in short] or names
    key = min(own, key=lambda name: (-used[name].papers, name.count(" "), name))
    labels = _sum(used[name].labels for name in own)
    label = rulings.label_of(members) or _ranked(labels)[0]
    forms = [used[name].labels for name in names]
    for name in names:
        forms += (defined.labels for defined in (used[name].others or {}).values())
    ruled = rulings.type_of(members)
    said = {ground for name in names for ground in grounds.get(name, ())}
    return Concept(
        key,
        label,
        aliases=_aliases(label, _sum(forms)),
        types=(ruled,) if ruled else _types(used[name].types for name in names),
        grounds=tuple(sorted(said, key=lambda g: (g.rule, g.value, g.names))),
        former=tuple(name for name in names if name != key),
    )


def _sum(counts: Iterable[dict[_T, int]]) -> dict[_T, int]:
    """The sum of all counts; most often there is one only."""
    first, *others = counts
    if not others:
        return first
    total = dict(first)
    for more in others:
        for thing, number in more.items():
            total[thing] = total.get(thing, 0) + number
    return total


def _aliases(label: str, others: Mapping[str, int]) -> tuple[str, ...]:
    """The spellings that a reader would tell from the label and from each other."""
    seen = {label.casefold()}
    aliases = []
    for form in _ranked(others):
        if form.casefold() not in seen:
            seen.add(form.casefold())
            aliases.append(form)
    return tuple(sorted(aliases))


def _types(counts: Iterable[Sequence[int]]) -> tuple[ConceptType, ...]:
    """The types of a concept, that of most papers first; ties in the order of the types."""
    votes = dict(zip(CONCEPT_TYPES, map(sum, zip(*counts, strict=True)), strict=True))
    ranked = sorted((kind for kind in votes if votes[kind]), key=lambda kind: -votes[kind])
    least = _TYPE_SHARE * sum(votes.values())
    return tuple(kind for i, kind in enumerate(ranked) if i == 0 or votes[kind] >= least)


def _ranked(forms: Mapping[str, int]) -> list[str]:
    return sorted(forms, key=lambda form: (-forms[form], form))
