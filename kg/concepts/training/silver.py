"""Labels for unlabelled abstracts from the agreement of several networks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kg.concepts.model import choose
from kg.concepts.model.features import Encoded
from kg.concepts.model.network import Found, Network
from kg.concepts.training.gold import Span
from kg.concepts.training.train import Sample

LEAST = 0.45  # mean probability of a span that becomes a label
_BLOCKS = 256


def label(teachers: Sequence[Network], records: Sequence[Encoded]) -> Iterator[Sample]:
    """A sample for each record: the spans that the teachers together find likely."""
    for first in range(0, len(records), _BLOCKS):
        part = records[first : first + _BLOCKS]
        for record, *views in zip(part, *(t(part) for t in teachers), strict=True):
            merged = merge(views)
            sure = np.array([f.probability for f in merged])
            chosen = choose.choose(merged, sure, LEAST)
            yield Sample(record, tuple(_span(f) for f in chosen))


def merge(views: Sequence[Sequence[Found]]) -> list[Found]:
    """The spans of all views, probabilities and scores averaged; absent counts as 0."""
    by_place: dict[tuple[int, int], list[Found]] = defaultdict(list)
    for view in views:
        for f in view:
            by_place[f.start, f.end].append(f)
    out = []
    for place in sorted(by_place):
        same = by_place[place]
        scores = np.mean([f.scores for f in same], axis=0)
        mean = sum(f.probability for f in same) / len(views)
        out.append(replace(same[0], probability=mean, scores=tuple(scores.tolist())))
    return out


def _span(f: Found) -> Span:
    kind = int(np.argmax(f.scores[:5]))
    return Span(f.start, f.end, kind, 2 if f.scores[5] > 0 else 1, f.scores[6] > 0)
