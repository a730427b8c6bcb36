"""The type of a concept, from its words and what stands around its mentions."""

from __future__ import annotations

from collections.abc import Iterable

from kg.concepts.lexicon import columns
from kg.model import ConceptType

KINDS: tuple[ConceptType, ...] = ("Method", "Task", "Material", "Metric", "Other")


def kind_of(features: Iterable[Iterable[str]]) -> ConceptType:
    """The likeliest type for the features of each of a concept's mentions."""
    lexicon = columns("kind")
    odds = [0.0] * len(KINDS)
    for mention in features:
        for feature in mention:
            for i, weight in enumerate(lexicon.get(feature, ())):
                odds[i] += weight
    return KINDS[odds.index(max(odds))]
