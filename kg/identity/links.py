"""How concepts hang together: which are broader than others, which have to do with others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kg.identity.hierarchy import above, heads, without_circles
from kg.identity.patterns import kinds
from kg.identity.related import related
from kg.identity.usage import Use
from kg.model import Concept, Paper

_SAID = 10  # what a text says weighs more than the form of a name

Links = Mapping[str, Sequence[str]]


def linked(
    papers: Sequence[Paper],
    concepts: Mapping[str, Concept],
    concept_of: Mapping[str, str],
    used: Mapping[str, Use],
) -> dict[str, Concept]:
    """The concepts, by key, with those that are broader than each and related to it.

    `concept_of` has the key of the concept for the key of a name.
    """
    mentioned = [
        {concept_of[c.name.key] for c in paper.concepts if c.name.key in concept_of}
        for paper in papers
    ]
    links = Counter[tuple[str, str]]()
    links.update(dict.fromkeys(_by_form(concepts, concept_of, used, mentioned), 1))
    for pair, number in _by_texts(papers, concepts, concept_of).items():
        links[pair] += number * _SAID
    broader = without_circles(links)
    kin = _related(mentioned, sorted(concepts), broader)
    return {
        key: replace(concept, broader=tuple(broader.get(key, ())), related=tuple(kin.get(key, ())))
        if key in broader or key in kin
        else concept
        for key, concept in concepts.items()
    }


def _by_texts(
    papers: Iterable[Paper], concepts: Mapping[str, Concept], concept_of: Mapping[str, str]
) -> Counter[tuple[str, str]]:
    """What texts call a kind of what, with the number of papers that do so."""
    found: Counter[tuple[str, str]] = Counter()
    for paper in papers:
        pairs = {
            (concept_of[a], concept_of[b])
            for text in paper.texts
            for a, b in kinds(text)
            if a in concept_of and b in concept_of
        }
        found.update((a, b) for a, b in pairs if a != b and _alike(concepts[a], concepts[b]))
    return found


def _by_form(
    concepts: Mapping[str, Concept],
    concept_of: Mapping[str, str],
    used: Mapping[str, Use],
    mentioned: Iterable[Iterable[str]],
) -> Iterator[tuple[str, str]]:
    """What by its name is a kind of another concept: the nearest one of which this holds.

    A head of several words says enough where the two are of one type, or where a paper has both.
    One of a single word, which may mean many things, needs both.
    """
    cased: dict[str, list[str]] = defaultdict(list)  # "cnn": names that are known by their case
    for name in concept_of:
        if " " not in name:
            cased[name.casefold()].append(name)
    candidates: dict[str, list[tuple[str, bool]]] = {}
    for name, key in concept_of.items():
        found = []
        for head in heads(name, used[name].label):
            known = [head] if head in concept_of else cased.get(head, ())
            if len(known) == 1 and concept_of[known[0]] != key:
                found.append((concept_of[known[0]], " " in head))
        if found:
            candidates.setdefault(key, []).extend(found)
    met: set[tuple[str, str]] = set()
    for keys in mentioned:
        together = set(keys)
        for key in together & candidates.keys():
            met.update((key, other) for other, _ in candidates[key] if other in together)
    for key, heads_of in candidates.items():
        for other, is_long in heads_of:
            alike = _alike(concepts[key], concepts[other])
            both = (key, other) in met
            if (alike or both) if is_long else (alike and both):
                yield key, other
                break


def _alike(a: Concept, b: Concept) -> bool:
    return not set(a.types).isdisjoint(b.types)


def _related(mentioned: Iterable[Iterable[str]], keys: Sequence[str], broader: Links) -> Links:
    """The related concepts of each, sorted; none is broader than the other."""
    number = {key: i for i, key in enumerate(keys)}
    apart = {
        (min(number[a], number[b]), max(number[a], number[b]))
        for a in broader
        for b in above(a, broader)
    }
    found = related([[number[key] for key in paper] for paper in mentioned], len(keys), apart)
    return {keys[i]: sorted(keys[j] for j in others) for i, others in found.items()}
