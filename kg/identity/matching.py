"""Linking concepts to those of vocabularies, by the names that both have.

The preferred label of both is one name: the same concept. A name that is second to one of them,
that is a short form, or that several concepts of the vocabulary have: close, and a person may look.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from kg.model import Concept, Match, Term

PREFERRED, ALTERNATIVE = "SamePreferredLabel", "SameAlternativeLabel"
# A name that more concepts of a vocabulary have tells none of them.
_MOST_CLOSE = 3
_QUALIFIED = re.compile(r"(.+?)\s+\(([^()]+)\)")

Fold = Callable[[str], str]
_Index = Mapping[str, list[tuple[str, str]]]  # key of a name -> IRIs that have it, with the label


def linked_to(
    concepts: Sequence[Concept], vocabularies: Iterable[Iterable[Term]], fold: Fold
) -> tuple[Concept, ...]:
    """The concepts with their matches in vocabularies, sorted by IRI.

    `fold` gives the key that a name is known by. A vocabulary has at most one exact match for
    a concept, and a concept of it is the exact match of at most one of ours.
    """
    vocabularies = list(vocabularies)
    if not vocabularies:
        return tuple(concepts)
    found: dict[str, list[Match]] = defaultdict(list)
    keys = {concept.key: _keys(concept, fold) for concept in concepts}
    labels = {concept.key: concept.label for concept in concepts}
    for terms in vocabularies:
        main, second = _indexes(terms, fold)
        exact: dict[str, tuple[str, str]] = {}
        for key, (own, _) in keys.items():
            places = sorted({place for name in own for place in main.get(name, ())})
            if len({iri for iri, _ in places}) > 1:
                # To the letter: the CSO has "complexity class" and "complexity classes".
                places = [place for place in places if place[1] == labels[key]]
            if len({iri for iri, _ in places}) == 1 and _is_sure(labels[key], places[0][1]):
                exact[key] = places[0]
        claims = Counter(iri for iri, _ in exact.values())
        for key, (own, others) in keys.items():
            iri, label = exact.get(key, ("", ""))
            if claims[iri] == 1:
                found[key].append(Match(iri, True, PREFERRED, label))
            else:
                found[key] += _close(own, others, main, second)
    return tuple(
        replace(concept, matches=_each_once(found[concept.key])) if found[concept.key] else concept
        for concept in concepts
    )


def _is_sure(ours: str, theirs: str) -> bool:
    """Whether names with one key are one: "Adam", the name of something, is not "adams".

    Short forms never are: "CNN" is a network here and a broadcaster there.
    """
    if _is_short_form(ours):
        return False
    is_proper = " " not in ours and ours[:1].isupper()
    return not is_proper or ours.casefold() == _without_bracket(theirs)[0].casefold()


def _is_short_form(name: str) -> bool:
    letters = name.removesuffix("s")
    return letters.isalnum() and letters.isupper() and sum(map(str.isupper, letters)) > 1


def _each_once(matches: Iterable[Match]) -> tuple[Match, ...]:
    """The matches sorted by IRI; of several with one IRI, as two files give them, the best."""
    ranked = sorted(matches, key=lambda m: (m.iri, not m.exact, m.rule, m.value))
    return tuple({match.iri: match for match in reversed(ranked)}.values())[::-1]


def _keys(concept: Concept, fold: Fold) -> tuple[set[str], set[str]]:
    """The keys of a concept's preferred name, and those of its other names.

    Short forms of it are left out: other things have them too.
    """
    own = {fold(concept.label)}
    if not _is_short_form(concept.key):  # unless it is the label itself
        own.add(concept.key)
    others = {fold(alias) for alias in concept.aliases if not _is_short_form(alias)}
    return own, {key for key in others - own if key == key.casefold() and len(key) > 3}


def _indexes(terms: Iterable[Term], fold: Fold) -> tuple[_Index, _Index]:
    """The terms of a vocabulary by their preferred names, and by their others."""
    main: dict[str, list[tuple[str, str]]] = defaultdict(list)
    second: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for term in sorted(terms, key=lambda term: term.iri):
        for label in term.preferred:
            name, is_qualified = _without_bracket(label)
            (second if is_qualified else main)[fold(name)].append((term.iri, label))
            if name.islower() and " " not in name:
                second[fold(name.upper())].append((term.iri, label))
        for label in term.others:
            second[fold(_without_bracket(label)[0])].append((term.iri, label))
    return main, second


def _without_bracket(label: str) -> tuple[str, bool]:
    """A label without what stands in brackets at its end, and whether that changes its sense.

    "wireless sensor networks (wsn)" says one thing twice, "trees (mathematics)" does not.
    """
    found = _QUALIFIED.fullmatch(label)
    if found is None:
        return label, False
    name, short = found[1], re.sub(r"s$", "", found[2].lower())
    letters = iter(name.lower())
    is_short = short[:1] == name[:1].lower() and all(c in letters for c in short if c.isalnum())
    return name, not is_short


def _close(own: Iterable[str], others: Iterable[str], main: _Index, second: _Index) -> list[Match]:
    found: dict[str, Match] = {}
    for names, index, rule in (
        (own, main, PREFERRED),
        (own, second, ALTERNATIVE),
        (others, main, ALTERNATIVE),
    ):
        for name in sorted(names):
            for iri, label in index.get(name, ()):
                found.setdefault(iri, Match(iri, False, rule, label))
    return list(found.values()) if len(found) <= _MOST_CLOSE else []
