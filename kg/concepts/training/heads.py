"""Fits what reads the network's spans: confidence of mentions, salience and novelty.

They learn on records that the network has not seen, as on its own training records the
network looks too sure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model import choose, judge
from kg.concepts.model.features import SEPARATOR
from kg.concepts.model.network import Found
from kg.concepts.training import logistic
from kg.concepts.training.gold import Example

Weights = Mapping[str, NDArray[np.float64]]


def fit(
    examples: Sequence[Example], spans: Sequence[Sequence[Found]], least: float
) -> dict[str, Any]:
    """Weights by name from examples and the network's likely spans of each."""
    seen = [(e, inside(e, s)) for e, s in zip(examples, spans, strict=True)]
    seen = [(e, s) for e, s in seen if s]
    features = [choose.describe(words_of(e), len(e.title), own) for e, own in seen]
    gold = [{(g.start, g.end) for g in e.spans} for e, _ in seen]
    right = [(s.start, s.end) in g for g, (_, own) in zip(gold, seen, strict=True) for s in own]
    weight, bias = logistic.fit(np.concatenate(features), np.array(right))
    out: dict[str, Any] = {"choose.w": weight, "choose.b": np.array(bias)}

    concepts, salient, coined = [], [], []
    for e, own in seen:
        words = words_of(e)
        groups = by_key(words, mentions(e, own, out, least))
        main = {choose.key(words[s.start : s.end]) for s in e.spans if s.salience == 2}
        new = {choose.key(words[s.start : s.end]) for s in e.spans if s.introduced}
        for key, group in groups.items():
            concepts.append(judge.describe(words, len(e.title), group, len(groups)))
            salient.append(key in main)
            coined.append(key in new)
    for name, truth in (("salient", salient), ("coined", coined)):
        weight, bias = logistic.fit(np.stack(concepts), np.array(truth))
        out[f"{name}.w"], out[f"{name}.b"] = weight, np.array(bias)
    return out


def mentions(
    example: Example, spans: Sequence[Found], weights: Weights, least: float
) -> tuple[Found, ...]:
    """What of the likely spans is a mention, with its confidence."""
    own = inside(example, spans)
    if not own:
        return ()
    features = choose.describe(words_of(example), len(example.title), own)
    scores = (features * weights["choose.w"]).sum(1) + float(weights["choose.b"])
    return choose.choose(own, 1 / (1 + np.exp(-np.clip(scores, -40, 40))), least)


def typed(example: Example, found: Sequence[Found]) -> dict[tuple[int, int], int]:
    """The type of each mention, which it shares with all mentions of its concept."""
    groups = by_key(words_of(example), found).values()
    return {(m.start, m.end): judge.type_of(group) for group in groups for m in group}


def words_of(example: Example) -> tuple[str, ...]:
    """Title, separator, abstract."""
    return (*example.title, SEPARATOR, *example.abstract)


def inside(example: Example, spans: Sequence[Found]) -> list[Found]:
    """The spans that lie in the title or in the abstract."""
    titles = len(example.title)
    return [s for s in spans if not s.start <= titles < s.end]


def by_key(words: Sequence[str], found: Sequence[Found]) -> dict[str, list[Found]]:
    """Mentions grouped by what they have in common, in order of appearance."""
    groups: dict[str, list[Found]] = defaultdict(list)
    for m in found:
        groups[choose.key(words[m.start : m.end])].append(m)
    return groups
