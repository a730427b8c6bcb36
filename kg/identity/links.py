"""How concepts hang together: which are broader than others, which have to do with others."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kg.identity.hierarchy import above, heads, without_circles
from kg.identity.related import related
from kg.identity.usage import Usage
from kg.model import Concept

_SAID = 10  # what a text says weighs more than the form of a name

Links = Mapping[str, Sequence[str]]
Numbers = NDArray[np.int32]


def linked(
    usage: Usage, concepts: Mapping[str, Concept], concept_of: Mapping[str, str]
) -> dict[str, Concept]:
    """The concepts, by key, with those that are broader than each and related to it.

    `concept_of` has the key of the concept for the key of a name.
    """
    keys = sorted(concepts)
    mentioned = _mentioned(usage, keys, concept_of)
    links = Counter[tuple[str, str]]()
    links.update(dict.fromkeys(_by_form(concepts, concept_of, usage, keys, mentioned), 1))
    for pair, number in _by_texts(usage, concepts, concept_of).items():
        links[pair] += number * _SAID
    broader = without_circles(links)
    kin = _related(mentioned, keys, broader)
    return {
        key: replace(concept, broader=tuple(broader.get(key, ())), related=tuple(kin.get(key, ())))
        if key in broader or key in kin
        else concept
        for key, concept in concepts.items()
    }


def _mentioned(usage: Usage, keys: Sequence[str], concept_of: Mapping[str, str]) -> list[Numbers]:
    """The places in `keys` of the concepts of each paper, sorted."""
    at = {key: i for i, key in enumerate(keys)}
    of_name = np.full(len(usage.names), -1)
    for name, use in usage.names.items():
        if name in concept_of:
            of_name[use.number] = at[concept_of[name]]
    found = (np.unique(of_name[np.asarray(names, np.int64)]) for names in usage.papers)
    return [numbers[numbers >= 0].astype(np.int32) for numbers in found]


def _by_texts(
    usage: Usage, concepts: Mapping[str, Concept], concept_of: Mapping[str, str]
) -> Counter[tuple[str, str]]:
    """What texts call a kind of what, with the number of papers that do so."""
    found: Counter[tuple[str, str]] = Counter()
    for said in usage.kinds.values():
        pairs = {
            (concept_of[a], concept_of[b]) for a, b in said if a in concept_of and b in concept_of
        }
        found.update((a, b) for a, b in pairs if a != b and _alike(concepts[a], concepts[b]))
    return found


def _by_form(
    concepts: Mapping[str, Concept],
    concept_of: Mapping[str, str],
    usage: Usage,
    keys: Sequence[str],
    mentioned: Iterable[Numbers],
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
        for head in heads(name, usage.names[name].label):
            known = [head] if head in concept_of else cased.get(head, ())
            if len(known) == 1 and concept_of[known[0]] != key:
                candidates.setdefault(key, []).append((concept_of[known[0]], " " in head))
    met = _met(candidates, keys, mentioned)
    for key, heads_of in candidates.items():
        for other, is_long in heads_of:
            alike = _alike(concepts[key], concepts[other])
            both = (key, other) in met
            if (alike or both) if is_long else (alike and both):
                yield key, other
                break


def _met(
    candidates: Mapping[str, Sequence[tuple[str, bool]]],
    keys: Sequence[str],
    mentioned: Iterable[Numbers],
) -> set[tuple[str, str]]:
    """The concepts with those of their candidates that some paper mentions together with them."""
    at = {key: i for i, key in enumerate(keys)}
    wanted = {at[key]: {at[other] for other, _ in found} for key, found in candidates.items()}
    met: set[tuple[str, str]] = set()
    for numbers in mentioned:
        together = set(numbers.tolist())
        for a in together & wanted.keys():
            met.update((keys[a], keys[b]) for b in wanted[a] & together)
    return met


def _alike(a: Concept, b: Concept) -> bool:
    return not set(a.types).isdisjoint(b.types)


def _related(mentioned: Sequence[Numbers], keys: Sequence[str], broader: Links) -> Links:
    """The related concepts of each, sorted; none is broader than the other."""
    linked = sorted({key for a in broader for key in (a, *above(a, broader))})
    number = {key: bisect_left(keys, key) for key in linked}
    apart = {
        (min(number[a], number[b]), max(number[a], number[b]))
        for a in broader
        for b in above(a, broader)
    }
    found = related(mentioned, len(keys), apart)
    return {keys[i]: sorted(keys[j] for j in others) for i, others in found.items()}
