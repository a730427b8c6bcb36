"""Cross-fitted scores on held-out records: heads from one half judge the other half."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model.network import Found
from kg.concepts.training import heads
from kg.concepts.training.gold import Example

SAMPLES = 1000  # of the bootstrap


def scores(
    examples: Sequence[Example], spans: Sequence[Sequence[Found]], least: float
) -> dict[str, list[float]]:
    """F1 of spans and of typed spans with their 95 % intervals (records drawn again).

    Spans count over tokens here; `kg evaluate` scores the whole way from source to source.
    """
    counts = np.zeros((len(examples), 4))  # right, right with type, found, gold
    halves = (list(range(0, len(examples), 2)), list(range(1, len(examples), 2)))
    for fitted, judged in (halves, halves[::-1]):
        weights = heads.fit([examples[i] for i in fitted], [spans[i] for i in fitted], least)
        for i in judged:
            e = examples[i]
            mentions = heads.mentions(e, spans[i], weights, least)
            gold = {(s.start, s.end): s.type for s in e.spans}
            found = heads.typed(e, mentions)
            right = found.keys() & gold.keys()
            with_type = sum(found[p] == gold[p] for p in right)
            counts[i] = (len(right), with_type, len(found), len(gold))
    rng = np.random.default_rng(0)
    draws = [counts[rng.integers(0, len(counts), len(counts))].sum(0) for _ in range(SAMPLES)]
    out = {}
    for name, column in (("span", 0), ("typed", 1)):
        low, high = np.percentile([_f1(d, column) for d in draws], [2.5, 97.5])
        out[name] = [round(float(x), 4) for x in (_f1(counts.sum(0), column), low, high)]
    return out


def _f1(total: NDArray[np.float64], column: int) -> float:
    return float(2 * total[column] / max(total[2] + total[3], 1))
